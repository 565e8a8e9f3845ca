"""Holds every contender to AVX2, for tasks that end in -avx2. Most libraries read their switch when
they are loaded, so these tasks run in a process of their own, with the variables of SWITCHES. Each
contender's beyond_avx2() returns what it would use beyond AVX2 nevertheless, or None."""
import os

VARIABLE = "SWATHE_PEERS_HELD"
ABOVE_AVX2 = (1 << 9) - 1  # the targets of Highway above its AVX2, one bit each
SWITCHES = {VARIABLE: "avx2",  # for Halide and IPP, which have calls
            "OPENCV_CPU_DISABLE": "AVX512-SKX",
            "OPENCV_IPP": "avx2",  # the IPP inside OpenCV
            "VIPS_VECTOR": str(ABOVE_AVX2),
            "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
            "OPENBLAS_CORETYPE": "Haswell"}
AVX2 = os.environ.get(VARIABLE) == "avx2"


def cpu_exceeds_avx2():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return any(line.startswith("flags") and " avx512f" in line for line in file)
