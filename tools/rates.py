#!/usr/bin/env python3
"""Measures every instruction set of this machine and prints src/plan/rate.def.

    rates.py SWATHE > rate.def
    rates.py SWATHE CLASS

SWATHE is the command. With a class (u8, 16, f32 or f64) it prints the rows of that class only. Instruction sets that this machine cannot run get the rates of another one,
from BORROWED. Close other programs first.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

# Not measured: assumed equal to a set of the same vector length.
BORROWED = {"neon": "sse4.1"}
# Uses fused multiply-add, which sse4.1 does not have.
FUSED = {"weighted": "avx2"}
TERMS = ("run_ns", "row_ns", "row_work_ns", "sample_ns", "work_ns")
HEAD = """/* RATE(isa, algorithm, class, run, row, row_work, sample, work): nanoseconds on one thread, as in
 * cost.h, for machines without results of `swathe tune`. Written by tools/rates.py, measured on
 * {machine}.{borrowed} */"""


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = dict(line.split(":", 1) for line in file if ":" in line)
    words = {key.strip(): value.strip() for key, value in found.items()}
    return f"{words.get('model name', 'an unknown CPU')} (family {words.get('cpu family')}, model " \
           f"{words.get('model')})"


def known_isas():
    table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../src/cpu/isa.def")
    with open(table, encoding="utf-8") as file:
        return re.findall(r'^ISA\(\w+,\s*"([^"]+)"', file.read(), re.MULTILINE)


def measure(swathe, isas):
    rates = []
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, SWATHE_WISDOM=os.path.join(folder, "wisdom"))
        for isa in isas:
            done = subprocess.run([swathe, "tune", "--json", "--isa", isa], env=environment,
                                  capture_output=True, text=True)
            if done.returncode == 0:
                rates += [row for row in json.loads(done.stdout)["rates"] if row["isa"] == isa]
            else:
                print(f"{isa}: {done.stderr.strip()}", file=sys.stderr)
    return rates


def print_row(isa, row):
    figures = ", ".join(f"{row[term]:.4g}" for term in TERMS)
    isa, algorithm, kind = f'"{isa}",', f'"{row["algorithm"]}",', row["class"].upper() + ","
    print(f"RATE({isa:<9} {algorithm:<13} {kind:<4} {figures})")


def main(swathe, kind=None):
    rates = measure(swathe, known_isas())
    rates = [row for row in rates if kind in (None, row["class"])]
    measured = {row["isa"] for row in rates}
    borrowed = {isa: of for isa, of in BORROWED.items() if isa not in measured and of in measured}
    if not kind:
        print(HEAD.format(machine=machine(), borrowed="".join(
            f" {isa} was not measured: it has the rates of {of}"
            + "".join(f", and for {name} those of {fused}" for name, fused in FUSED.items()) + "."
            for isa, of in borrowed.items())))
    for row in rates:
        print_row(row["isa"], row)
    for isa, of in borrowed.items():
        for row in rates:
            if row["isa"] == FUSED.get(row["algorithm"], of):
                print_row(isa, row)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(os.path.abspath(sys.argv[1]), *sys.argv[2:])
