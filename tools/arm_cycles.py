#!/usr/bin/env python3
"""Prints how many cycles the inner loops of the Arm kernels take, as LLVM's models of CPUs predict.

    tools/arm_cycles.py

Compiles the kernels with aarch64-linux-gnu-gcc, finds the innermost loop of each with the most
multiplications, and gives it to llvm-mca-19 (or $LLVM_MCA). The figures are cycles for 64 results
and one tap, without memory latency, loop starts and the final shift and store.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
MCA = os.environ.get("LLVM_MCA", "llvm-mca-19")
CPUS = "neoverse-n1", "neoverse-v1", "apple-m1"
ITERATIONS = 200
DOTPROD = "-march=armv8.2-a+dotprod"
# Kernel, instruction set, options, multiplications, and the taps that one of them multiplies. A dot
# product multiplies 16 bytes, and a 16-bit tap has two digits.
LOOPS = (("pair_multirow_u8_u8", "neon", (), "smlal2?", 4),
         ("pair_multirow_u8_u8", "dotprod", (DOTPROD,), "[us]dot", 8),
         ("narrow_multirow_u8_u8", "neon", (), "mla", 8),
         ("pair_s16_u8", "neon", (), "smlal2?", 4),
         ("float_multirow_f32_f32", "neon", (), "fmla", 4))


def assembly(isa, options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernels.s")
        subprocess.run(["aarch64-linux-gnu-gcc", "-std=c17", "-O3", *options,
                        "-I" + os.path.join(ROOT, "src"), "-S", "-o", path,
                        os.path.join(ROOT, "src", "cpu", f"isa_{isa}.c")], check=True)
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()


def function(lines, names):
    start = next(i for i, line in enumerate(lines) if line in [name + ":" for name in names])
    end = next(i for i in range(start, len(lines)) if lines[i].startswith("\t.size\t"))
    return lines[start:end]


def loops(body):
    """Returns the first and last line of each loop: backward branches."""
    labels = {line[:-1]: i for i, line in enumerate(body) if re.fullmatch(r"\.L\w+:", line)}
    found = []
    for i, line in enumerate(body):
        branch = re.fullmatch(r"\t(?:b\.?\w*|cbn?z\t\w+,|tbn?z\t\w+, #?\d+,)\s+(\.L\w+)", line)
        if branch and labels.get(branch.group(1), i) < i:
            found.append((labels[branch.group(1)], i))
    return found


def inner_loop(body, pattern):
    """Returns the instructions of the innermost loop with the most multiplications, and their
    number."""
    found = loops(body)
    best = 0, []
    for first, last in found:
        if any(first <= a and b <= last and (a, b) != (first, last) for a, b in found):
            continue
        lines = [line for line in body[first:last + 1] if re.match(r"\t[a-z]", line)]
        count = sum(bool(re.match(rf"\t{pattern}\t", line)) for line in lines)
        best = max(best, (count, lines), key=lambda pair: pair[0])
    return best


def cycles(lines, cpu):
    done = subprocess.run([MCA, "-mtriple=aarch64", "-mattr=+dotprod", "-mcpu=" + cpu,
                           f"-iterations={ITERATIONS}"], input="\n".join(lines) + "\n",
                          capture_output=True, text=True, check=True)
    return int(re.search(r"Total Cycles:\s+(\d+)", done.stdout).group(1)) / ITERATIONS


def main():
    print("| kernel | instruction set |", " | ".join(CPUS), "|")
    print("|---" * (2 + len(CPUS)) + "|")
    for kernel, isa, options, pattern, taps in LOOPS:
        body = function(assembly(isa, options), (kernel, f"kernel_{isa}_{kernel}"))
        count, lines = inner_loop(body, pattern)
        figures = [64 * cycles(lines, cpu) / (count * taps) for cpu in CPUS]
        print(f"| {kernel} | {isa} |", " | ".join(f"{figure:.1f}" for figure in figures), "|")
    return 0


if __name__ == "__main__":
    sys.exit(main())
