#!/usr/bin/env python3
"""Prints how many cycles the inner loops of kernels take, as LLVM's models of CPUs predict.

    tools/kernel_cycles.py [x86 | arm]

Compiles the kernels with gcc, finds the innermost loop of each with the most arithmetic, and gives it to
llvm-mca-19 (or $LLVM_MCA). The figures are cycles for 64 products, without memory latency and
loop starts.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
MCA = os.environ.get("LLVM_MCA", "llvm-mca-19")
ITERATIONS = 200
AVX512 = ["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mfma", "-mprefer-vector-width=512"]


class Machine:
    """An architecture: its compiler, CPUs of each instruction set, and what an instruction computes, as
    (pattern, bytes of the products of one result lane by lane)."""

    def __init__(self, triple, compiler, sets, operations, branch):
        self.triple, self.compiler, self.sets = triple, compiler, sets
        self.operations, self.branch = operations, branch


# Bytes of a vector that belong to one product: of 32, vpmaddwd multiplies 16 samples and vpmaddubsw 32. A
# dot product multiplies 16 bytes by half of a tap of 16 bits.
X86 = Machine("x86_64", "gcc", (
    ("avx2", ["-mavx2", "-mfma"], ("haswell", "znver3", "alderlake")),
    ("avxvnni", ["-mavx2", "-mfma", "-mavxvnni"], ("alderlake",)),
    ("avx512", AVX512, ("skylake-avx512", "icelake-server", "znver4")),
    ("vnni", AVX512 + ["-mavx512vnni"], ("cascadelake", "icelake-server", "znver4"))),
    (("vpmaddubsw|vpdpbusd", 1), ("vpmaddwd|vpdpwssd|vpmul\\w*w", 2), ("vfn?madd\\w+ps", 4),
     ("vfn?madd\\w+pd", 8)),
    r"\tj\w+\s+(\.L\w+)")
ARM = Machine("aarch64", "aarch64-linux-gnu-gcc", (
    ("neon", [], ("neoverse-n1", "neoverse-n2", "neoverse-v2", "apple-m1")),
    ("dotprod", ["-march=armv8.2-a+dotprod"], ("neoverse-n1", "neoverse-n2", "neoverse-v2", "apple-m1"))),
    (("[us]dot", 2), ("[us]ml[as]l2?|[us]mull2?", 4), ("ml[as]|mul", 2), ("fml[as]", 4)),
    r"\t(?:b\.?\w*|cbn?z\t\w+,|tbn?z\t\w+, #?\d+,)\s+(\.L\w+)")
MACHINES = {"x86": X86, "arm": ARM}
# Function and what it is for: loops that multiply.
KERNELS = (("narrow_u8_u8(_with)?", "sharpen, edge"), ("(rows_)?pair_multirow_u8_u8(_rows)?", "dense, u8"),
           ("narrow_multirow_u8_u8", "dense of small taps, u8"), ("folded_down_4", "gaussian 9, u8, down"),
           ("folded_across_4_three", "gaussian 9, u8, across"), ("pair_s16_u8", "integer masks in two passes, u8"),
           ("float_multirow_f32_f32", "dense, f32"),
           ("float_multirow_f64_f64", "dense, f64"), ("float_passes_f32_f32", "gaussian, f32"))


def assembly(machine, isa, options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernels.s")
        subprocess.run([machine.compiler, "-std=c17", "-O3", "-ffp-contract=off", "-fno-math-errno",
                        "-fno-trapping-math", "-D_POSIX_C_SOURCE=200809L", *options,
                        "-I" + os.path.join(ROOT, "src"), "-I" + os.path.join(ROOT, "include"), "-S", "-o",
                        path, os.path.join(ROOT, "src", "cpu", f"isa_{isa}.c")], check=True)
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()


def bodies(lines, kernel):
    """Returns the functions of a kernel: itself, and parts of it that are not inlined."""
    found = []
    for start, line in enumerate(lines):
        if re.fullmatch(rf"(kernel_[a-z0-9]+_|low_|small_|tall_|least_)?{kernel}(\.\w+)*:", line):
            end = next(i for i in range(start, len(lines)) if lines[i].startswith("\t.size\t"))
            found.append(lines[start:end])
    return found


def loops(body, branch):
    """Returns the first and last line of each loop: backward branches."""
    labels = {line[:-1]: i for i, line in enumerate(body) if re.fullmatch(r"\.L\w+:", line)}
    found = []
    for i, line in enumerate(body):
        jump = re.match(branch, line)
        if jump and labels.get(jump.group(1), i) < i:
            found.append((labels[jump.group(1)], i))
    return found


def vector_bytes(line):
    return 64 if "%zmm" in line else 32 if "%ymm" in line else 16


def products(lines, machine):
    """Returns the products of a loop, those of the first operation that it has."""
    for pattern, size in machine.operations:
        count = sum(vector_bytes(line) // size for line in lines
                    if re.match(rf"\t(?:{{vex}} )?(?:{pattern})[\t ].*(?:mm\d|v\d+\.)", line))
        if count:
            return count
    return 0


def inner_loop(parts, machine):
    """Returns the products and the instructions of the innermost loop with the most products."""
    best = 0, []
    for body in parts:
        found = loops(body, machine.branch)
        for first, last in found:
            if any(first <= a and b <= last and (a, b) != (first, last) for a, b in found):
                continue
            lines = [line for line in body[first:last + 1] if re.match(r"\t[a-z{]", line)]
            best = max(best, (products(lines, machine), lines), key=lambda pair: pair[0])
    return best


def cycles(machine, lines, cpu):
    text = re.sub("0xf{14}([0-9a-f]{2})", r"0x\1", "\n".join(lines))  # bytes that gcc extends to 64 bits
    done = subprocess.run([MCA, "-mtriple=" + machine.triple, "-mcpu=" + cpu, f"-iterations={ITERATIONS}",
                           *(["-mattr=+dotprod"] if machine is ARM else [])],
                          input=text + "\n", capture_output=True, text=True, check=True)
    return int(re.search(r"Total Cycles:\s+(\d+)", done.stdout).group(1)) / ITERATIONS


def main():
    machine = MACHINES[sys.argv[1] if len(sys.argv) > 1 else "x86"]
    columns = [(isa, cpu) for isa, _, cpus in machine.sets for cpu in cpus]
    texts = {isa: assembly(machine, isa, options) for isa, options, _ in machine.sets}
    print("| loop |", " | ".join(f"{isa}, {cpu}" for isa, cpu in columns), "|")
    print("|---" * (1 + len(columns)) + "|")
    for kernel, purpose in KERNELS:
        figures = []
        for isa, cpu in columns:
            count, lines = inner_loop(bodies(texts[isa], kernel), machine)
            figures.append(f"{64 * cycles(machine, lines, cpu) / count:.1f}" if count else "–")
        print(f"| {purpose} |", " | ".join(figures), "|")
    return 0


if __name__ == "__main__":
    sys.exit(main())
