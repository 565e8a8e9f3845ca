"""Compiles C helpers at first use and stores them in the virtual environment, and measures limits for every
contender with them: copies of the same bytes, and the peak rate of multiply-adds."""
import ctypes
import hashlib
import os
import subprocess
from ctypes import c_double, c_int, c_int32, c_int64, c_void_p

import environment
from contender import Way

PEAK_SECONDS = 0.1
COPY = "copy_limit.c", "split.h"
FMA = tuple("../program/" + name for name in ("peak_fma.c", "peak.h", "peak_fma_body.h"))


class NoCompiler(Exception):
    """A helper could not be compiled; the text is the reason."""


def compiler():
    return os.environ.get("CC", "cc").split()


def fingerprint(sources, flags):
    digest = hashlib.sha256(" ".join(compiler() + flags).encode())
    for name in sources:
        with open(os.path.join(environment.HERE, name), "rb") as file:
            digest.update(file.read())
    with open("/proc/cpuinfo", "rb") as file:  # -march=native depends on the CPU
        digest.update(b"".join(sorted({line for line in file if line.startswith(b"flags")})))
    return digest.hexdigest()[:16]


def load(name, sources, flags=()):
    """Returns the shared library of the C files among `sources`. It is compiled again if any of
    the sources, which include headers, has changed."""
    flags = ["-std=gnu17", "-O3", "-march=native", "-fPIC", "-shared", "-pthread", *flags]
    path = os.path.join(environment.folder(), f"{name}-{fingerprint(sources, flags)}.so")
    if not os.path.exists(path):
        fresh = f"{path}.{os.getpid()}"
        files = [os.path.join(environment.HERE, file) for file in sources if file.endswith(".c")]
        command = compiler() + files + flags + ["-o", fresh]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise NoCompiler(f"no C compiler: {error}") from error
        if done.returncode != 0:
            raise NoCompiler((done.stderr.strip().splitlines() or ["cc failed"])[0])
        os.replace(fresh, path)
    return ctypes.CDLL(path)


# ---- Limits ----------------------------------------------------------------------------------------

class Copy:
    def __init__(self):
        try:
            self.lib = load("copy", COPY)
        except NoCompiler as error:
            raise SystemExit(f"peers: cannot build the copy loops: {error}") from error
        self.lib.copy_rows.argtypes = [c_void_p, c_void_p, c_int64, c_int64, c_int, c_int]

    def ways(self, problem):
        return [Way("memcpy", "", lambda: self.prepare(problem, 0)),
                Way("nt-copy", "", lambda: self.prepare(problem, 1))]

    def prepare(self, problem, streamed):
        image = problem.image
        arguments = (problem.out.ctypes.data, image.ctypes.data, image.strides[0], len(image),
                     problem.threads, streamed)
        return lambda: self.lib.copy_rows(*arguments)


def float_peak(threads):
    """Returns the best measured number of floating-point operations per second."""
    lib = load("fma", FMA)
    lib.peak_fma.argtypes, lib.peak_fma.restype = [c_int32, c_double], c_double
    return 1e9 * lib.peak_fma(threads, PEAK_SECONDS)
