#!/usr/bin/env python3
"""Checks that docs/reports.md lists every experiment of the reports with its command and its plots,
and no others.

    reports_page.py SOURCE_DIR [--self-test]
"""
import os
import re
import sys

EXPERIMENT = re.compile(r'^EXPERIMENT\("(report-\d+)", "(\w+)", "[^"]*", "\w+", "([^"]*)"', re.MULTILINE)
ROW = re.compile(r"^\| \d+ \|.*?\| `swathe bench --suite (\S+)` \| (.*?) \|$", re.MULTILINE)
STRATEGIES = re.compile(r"strategy=([\w,-]+)")


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def wanted(table):
    """Returns the plots of each experiment, such as {"report-001/masks": {plot names}}."""
    return {f"{suite}/{name}": {f"{suite}-{name}-{kind}" for kind in plots.split()}
            for suite, name, plots in EXPERIMENT.findall(table)}


def found(page):
    rows = {}
    for name, plots in ROW.findall(page):
        rows.setdefault(name, set()).update(plot.strip() for plot in plots.split(","))
    return rows


def check(table, page):
    problems = []
    want, have = wanted(table), found(page)
    for name in sorted(set(want) | set(have)):
        if want.get(name) != have.get(name):
            problems.append(f"{name}: table {sorted(want.get(name, []))}, page {sorted(have.get(name, []))}")
    named = set(re.findall(r"`([\w-]+)(?::N)?`", page))
    for line in table.splitlines():
        if "report-" in line or not STRATEGIES.search(line):
            continue
        for strategy in STRATEGIES.search(line).group(1).split(","):
            if strategy not in named:
                problems.append(f"strategy {strategy} is not on the page")
    return problems


def main():
    table = read(sys.argv[1], "bench", "program", "experiment.def")
    page = read(sys.argv[1], "docs", "reports.md")
    if "--self-test" in sys.argv:
        row = next(line for line in page.splitlines() if "report-003/tiles" in line)
        broken = [page.replace(row + "\n", ""), page.replace("report-003-tiles-tiles", "report-003-tiles-time"),
                  page.replace("`quad-constant`", "`quad`"), page.replace("report-001/borders", "report-001/border")]
        missed = [i for i, text in enumerate(broken) if not check(table, text)]
        print(f"{len(broken) - len(missed)} of {len(broken)} planted faults found")
        return 1 if missed else 0
    problems = check(table, page)
    print("\n".join(problems + [f"{len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
