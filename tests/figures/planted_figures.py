#!/usr/bin/env python3
"""Plants faults that tools/gpu_figures.py must find, in one program on one architecture.

    planted_figures.py STAGE_LIST
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM, ARCH = "best gaussian:5:dense f32", "sm_86"
TABLE = ROOT / "docs/gpu-figures.csv"
# One more addition for each tap, which a compiler must not remove: −0 + 0 is 0.
SLOWER = "__fmaf_rn(a, b, c)=>__fmaf_rn(a, b, __fadd_rn(c, 0.0f))"
FEWER_REGISTERS = "__launch_bounds__(GROUP_X *GROUP_Y, 1)=>__maxnreg__(24)"


def run(stage_list, *options):
    done = subprocess.run([sys.executable, ROOT / "tools/gpu_figures.py", stage_list, "--only",
                           PROGRAM, "--arch", ARCH, *options], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def edited_table(folder, number, change):
    """Writes a copy of the table with one figure of the program changed."""
    lines = TABLE.read_text().splitlines()
    head = next(i for i, line in enumerate(lines) if not line.startswith("#"))
    column = next(csv.reader([lines[head]])).index(ARCH)
    for i, line in enumerate(lines):
        cells = line.split(",")
        if cells[0] == PROGRAM:
            figures = cells[column].split()
            figures[number] = str(float(figures[number]) * change)
            cells[column] = " ".join(figures)
            lines[i] = ",".join(cells)
    path = pathlib.Path(folder, "table.csv")
    path.write_text("\n".join(lines) + "\n")
    return path


def main():
    stage_list, failed = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        planted = [
            ("fewer registers in the table", "registers, the table has",
             ["--table", edited_table(folder, 0, 0.9), "--document", "/dev/null"]),
            ("fewer instructions in the table", "instructions per output sample, the table has",
             ["--table", edited_table(other, 1, 0.95), "--document", "/dev/null"]),
            ("one more instruction per tap", "instructions per output sample", ["--plant", SLOWER]),
            ("fewer registers available", "are spilled", ["--plant", FEWER_REGISTERS]),
        ]
        code, text = run(stage_list)
        if code != 0:
            sys.exit(f"fails without a planted fault:\n{text}")
        for what, wanted, options in planted:
            code, text = run(stage_list, *options)
            found = code == 1 and any(line.startswith("FAILED " + PROGRAM) and wanted in line
                                      for line in text.splitlines())
            print(f"{'found' if found else 'NOT FOUND'}: {what}")
            failed += not found
    print(f"{len(planted) - failed} of {len(planted)} planted faults found")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
