#!/usr/bin/env python3
"""Checks the columns of docs/performance.md: names of processors, goals, tables, and that a table that is
not that of the columns is found. Needs only the standard library.

    columns_test.py PEERS      the directory bench/peers
"""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import column  # noqa: E402
import figures  # noqa: E402

INTEL = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: {}\nflags\t\t: avx512f {}\n"
problems = []


def expect(condition, text):
    if not condition:
        problems.append(text)


def row(work, ours, peer, copy):
    return {"work": work, "swathe_ms": ours, "best_peer": "IPP Box", "best_peer_ms": peer,
            "memcpy_ms": copy, "swathe_how": "mean/avx2"}


def made(name="nine-avx2", rows=()):
    return {"name": name, "processor": "nine", "model": "Nine", "level": "avx2", "threads": 1,
            "date": "2026-01-01", "commit": "abc", "rows": list(rows)}


ROWS = row("lost", 2.0, 1.0, 1.0), row("copy", 1.1, 1.17, 1.0), row("slow", 2.0, 2.1, 1.0), \
    row("won", 1.0, 8.0, 0.1)


def test_names():
    for model, flag, name in (85, "", "skylake-avx512"), (85, "avx512_vnni", "cascadelake"), \
            (143, "amx_tile", "sapphirerapids"), (999, "", "intel-6-999"):
        found = column.processor(INTEL.format(model, flag))
        expect(found == name, f"model {model} {flag} is named {found}")
    expect(column.processor("processor\t: 0\nCPU part\t: 0xd0c\n") == "neoverse-n1", "not neoverse-n1")


def test_goals():
    column_made = made(rows=ROWS)
    expect([one["work"] for one in column.lost(column_made)] == ["lost"], "rows lost")
    expect([one["work"] for one in column.short(column_made)] == ["lost", "slow"], "rows below the goal")
    mean = column.geometric_mean([ROWS[0], ROWS[3]])
    expect(abs(mean - 2) < 1e-9, f"the geometric mean of 0.5 and 8 is {mean}")


def test_best():
    one, two = dict(ROWS[0], best_peer="A"), dict(ROWS[0], swathe_ms=1.5, best_peer_ms=2.5, best_peer="B")
    found = column.best(one, two)
    expect((found["swathe_ms"], found["best_peer_ms"], found["best_peer"]) == (1.5, 1.0, "A"),
           f"the best of two measurements is {found}")
    two["swathe_how"] = "direct/avx2"
    expect(column.best(two, one)["swathe_how"] == "direct/avx2", "not how the best time was reached")


def test_table():
    text = figures.table([made(rows=ROWS), made("ten-avx512", ROWS[3:])])
    for line in ("| lost | **0.50** IPP (2.00) | – |", "| won | 8.00 IPP (10.00) | 8.00 IPP (10.00) |",
                 "| **rows lost** | 1 of 4 | 0 of 1 |", "| **rows below the goal** | 2 | 0 |"):
        expect(line in text, f"no line {line} in\n{text}")


def test_groups():
    rows = [dict(row, work=f"u8x{n}-100x100-dense-{3 + n}x{3 + n}") for n, row in enumerate(ROWS)]
    text = figures.groups([made(rows=[rows[0], rows[3]]), made("ten", [dict(ROWS[3], work="f32x1-9x9-edge")])])
    for line in "| u8 dense | 2.00 (0.50) | – |", "| f32 others | – | 8.00 (8.00) |":
        expect(line in text, f"no line {line} in\n{text}")


def test_files():
    with tempfile.TemporaryDirectory() as folder:
        column.store(made(rows=ROWS), folder)
        expect(column.load_all(folder) == [made(rows=ROWS)], "a stored column is not the same")


def test_pages():
    """Every page has its tables, and another table is found."""
    for path, text, right in figures.pages():
        expect(text == right, f"{os.path.basename(path)}: run bench/peers/ruler.py --tables")
        shifted = text.replace("| 1.", "| 7.", 1)
        expect(shifted != text and figures.with_tables(shifted, os.path.basename(path)) == right,
               f"{os.path.basename(path)}: a changed figure is not found")


for test in test_names, test_goals, test_best, test_table, test_groups, test_files, test_pages:
    test()
for problem in problems:
    print(f"columns: {problem}")
sys.exit(1 if problems else 0)
