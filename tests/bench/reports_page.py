#!/usr/bin/env python3
"""Checks that the cards of docs/reports.md have every experiment, plot, variant and assumption of the
reports' tables, the command that repeats a report, and nothing else of that kind.

    reports_page.py SOURCE_DIR [--self-test]
"""
import os
import re
import sys

EXPERIMENT = re.compile(r'^EXPERIMENT\("(report-\d+)", "(\w+)", "([^"]*)", "\w+", "([^"]*)", "[^"]*",\s*"([^"]*)",', re.MULTILINE)
VARIANT = re.compile(r'^VARIANT\("(report-\d+)",\s*"([^"]+)",\s*"([^"]+)"\)', re.MULTILINE)
CARD = re.compile(r"^### Report (\d+): (.*)\n((?:(?!^##).*\n)*)", re.MULTILINE)
ROW = re.compile(r"^\| (.*) \| `(.*)` \| (.*) \|$", re.MULTILINE)
NAMES = re.compile(r"^\| `(.*)` \| `(.*)` \|$", re.MULTILINE)


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def plain(text):
    return " ".join(text.split())


def wanted(experiments, variants):
    """Returns what each card must have: {suite: {rows, names, sentences}}."""
    cards = {}
    for suite, name, title, plots, assumed in EXPERIMENT.findall(experiments):
        card = cards.setdefault(suite, {"rows": set(), "names": set(), "sentences": set()})
        named = ", ".join(f"{suite}-{name}-{plot}" for plot in plots.split())
        card["rows"].add((title, f"{suite}/{name}", named))
        card["sentences"].update(assumed.split("|"))
    for suite, name, strategy in VARIANT.findall(variants):
        cards[suite]["names"].add((name, strategy))
    return cards


def found(page):
    cards = {}
    for number, title, text in CARD.findall(page):
        rows = {row for row in ROW.findall(text) if row[1].startswith("report-")}
        names = {(name, strategy) for line, strategy in NAMES.findall(text) for name in line.split("`; `")}
        sentences = {plain(item) for item in re.findall(r"^- ((?:.+\n?(?:  .*\n)*))", text, re.MULTILINE)}
        cards[f"report-{number}"] = {"rows": rows, "names": names, "sentences": sentences}
        command = re.search(rf"^(swathe bench --suite report-{number} --device \S+ --budget (\d+)m --output \S+)$",
                            text, re.MULTILINE)
        in_time = command and f"in {command[2]} minutes" in text
        listed = command and f"| {number} | {title} | `{command[1]}` |" in page
        if not in_time or not listed:
            cards[f"report-{number}"]["sentences"].add("the command is missing in the card or in the list of titles")
    return cards


def check(experiments, variants, page):
    want, have = wanted(experiments, variants), found(page)
    problems = []
    for suite in sorted(set(want) | set(have)):
        for kind in ("rows", "names", "sentences"):
            differ = want.get(suite, {}).get(kind, set()) ^ have.get(suite, {}).get(kind, set())
            problems += [f"{suite}: only in the table or on the page: {one}" for one in sorted(differ)]
    return problems


def main():
    tables = [read(sys.argv[1], "bench", "program", name) for name in ("experiment.def", "variant.def")]
    page = read(sys.argv[1], "docs", "reports.md")
    if "--self-test" in sys.argv:
        row = next(line for line in page.splitlines() if "`report-003/tiles`" in line)
        faults = ((row + "\n", ""), ("report-003-tiles-tiles", "report-003-tiles-time"), ("| `quad-constant` |", "| `quad` |"),
                  ("`report-001/borders`", "`report-001/border`"), ("`Shared+Constant`; ", ""), ("- It prints the code", "- It has the code"),
                  ("--suite report-002 --device", "--suite report-001 --device"), ("in 2 minutes", "in 3 minutes"))
        missed = [old for old, new in faults if old not in page or not check(*tables, page.replace(old, new))]
        print(f"{len(faults) - len(missed)} of {len(faults)} planted faults found; not: {missed}")
        return 1 if missed else 0
    problems = check(*tables, page)
    print("\n".join(problems + [f"{len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
