#!/usr/bin/env python3
"""Compares the instructions per result sample of a few kernels with a stored table. Unlike times,
these counts are the same in every run.

    instruction_guard.py INSTRUCTIONS [--table bench/instructions.csv] [--update] [--self-test]

INSTRUCTIONS is the program built from bench/instructions.c. Callgrind counts the instructions of
its call of swathe_run, on one thread with AVX2, the highest instruction set of valgrind 3.19. The
check fails if a count is more than 3 % above the table. It also fails if one is more than 3 %
below, until --update stores the lower number, so that a later slow-down is found. Counts depend on
the compiler: the check is skipped for compilers that are not in the table.
"""
import argparse
import csv
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ISA, SLOWER_ISA = "avx2", "sse4.1"
SLACK = 0.03
COLUMNS = ["case", "compiler", "instructions_per_sample"]


def skip(why):
    print(f"skipped: instruction counts ({why})")
    sys.exit(77)


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


# ---- Counting ---------------------------------------------------------------------------------------


def count(program, case, isa):
    """Returns the instructions per result sample of one case."""
    with tempfile.TemporaryDirectory() as folder:
        counts = pathlib.Path(folder, "counts")
        told = output("valgrind", "--quiet", "--tool=callgrind", "--toggle-collect=swathe_run",
                      f"--callgrind-out-file={counts}", program, case, isa)
        total = re.search(r"^(?:totals|summary): (\d+)", counts.read_text(), re.M)
    samples, used, _ = told.split()
    if used != isa:
        skip(f"{case} uses {used}, because {isa} is not available under this valgrind")
    if not total or int(total[1]) == 0:
        sys.exit(f"{case}: callgrind found no swathe_run")
    return int(total[1]) / int(samples)


def count_all(program, isa=ISA):
    return {case: count(program, case, isa) for case in output(program).split()}


# ---- The table --------------------------------------------------------------------------------------


def read_table(path):
    if not path.exists():
        return {}
    with open(path, newline="") as file:
        return {(row["case"], row["compiler"]): float(row["instructions_per_sample"])
                for row in csv.DictReader(file)}


def write_table(path, table, compiler, counts):
    table = {key: value for key, value in table.items() if key[1] != compiler}
    table.update({(case, compiler): value for case, value in counts.items()})
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([*key, f"{value:.3f}"] for key, value in sorted(table.items()))


def judge(table, compiler, counts):
    """Yields one line per problem."""
    stored = {case: value for (case, by), value in table.items() if by == compiler}
    for case in sorted(stored.keys() | counts.keys()):
        if case not in counts or case not in stored:
            yield (f"{case}: only in the {'table' if case in stored else 'program'}; update the "
                   "table with --update")
        elif counts[case] > stored[case] * (1 + SLACK):
            yield (f"{case}: {counts[case]:.3f} instructions per sample, the table has "
                   f"{stored[case]:.3f}; make it faster, or use --update and give the reason")
        elif counts[case] < stored[case] * (1 - SLACK):
            yield (f"{case}: {counts[case]:.3f} instructions per sample, fewer than the table's "
                   f"{stored[case]:.3f}; store the lower count with --update")


# ---- Self-test --------------------------------------------------------------------------------------


def self_test(program, table, compiler, counts):
    """Checks that planted slow-downs are found: another instruction set, and changed numbers in the
    table."""
    slower = count_all(program, SLOWER_ISA)
    planted = [(f"{case} on {SLOWER_ISA}", case, table, {**counts, case: slower[case]}, "faster")
               for case in counts]
    for change, wanted in ((0.95, "faster"), (1.05, "lower")):
        for case in counts:
            other = {**table, (case, compiler): counts[case] * change}
            planted.append((f"{case}, the table × {change}", case, other, counts, wanted))
    missed = 0
    for what, case, stored, counted, wanted in planted:
        lines = list(judge(stored, compiler, counted))
        found = len(lines) == 1 and lines[0].startswith(case + ":") and wanted in lines[0]
        print(f"{'found' if found else 'NOT FOUND'}: {what}")
        missed += not found
    near = {key: value * 1.02 for key, value in table.items()}
    false_alarm = bool(list(judge(near, compiler, counts)))
    print(f"{'FALSE ALARM' if false_alarm else 'accepted'}: the table × 1.02")
    return missed + false_alarm


def parse_command():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program", type=pathlib.Path, metavar="INSTRUCTIONS",
                        help="the program built from bench/instructions.c")
    parser.add_argument("--table", default=ROOT / "bench/instructions.csv", type=pathlib.Path,
                        help="the stored counts; default bench/instructions.csv")
    parser.add_argument("--update", action="store_true", help="store the new counts in the table")
    parser.add_argument("--self-test", action="store_true",
                        help="also check that planted slow-downs are found")
    return parser.parse_args()


def main():
    command = parse_command()
    program = command.program.resolve()
    if not shutil.which("valgrind"):
        skip("valgrind is not installed")
    compiler, table = output(program, "--compiler").strip(), read_table(command.table)
    if not command.update and compiler not in {by for _, by in table}:
        skip(f"the table has no counts for {compiler}")
    counts = count_all(program)
    if command.update:
        write_table(command.table, table, compiler, counts)
        table = read_table(command.table)
    for case, value in counts.items():
        print(f"{value:8.3f}  {case}")
    failures = list(judge(table, compiler, counts))
    for failure in failures:
        print(f"FAILED {failure}")
    missed = self_test(program, table, compiler, counts) if command.self_test else 0
    print(f"{len(counts)} kernels counted, {len(failures) + missed} failures")
    return 1 if failures or missed else 0


if __name__ == "__main__":
    sys.exit(main())
