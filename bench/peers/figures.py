"""Writes the tables of docs/performance.md and README.md from the stored columns."""
import os
import re

import column

ROOT = os.path.join(column.FOLDER, "..", "..", "..")
PART = re.compile(r"(<!-- columns: bench/peers/ruler.py writes this -->\n).*?(<!-- columns end -->)",
                  re.DOTALL)
GROUPS_EXPLANATION = """By type and filter, one to four channels, 32×32 to 24 megapixels: the geometric mean of the best
peer's time divided by Swathe's, and the worst row in parentheses."""
EXPLANATION = """In each cell: the best peer's time divided by Swathe's (bold if the peer is faster), the peer, and in
parentheses Swathe's time divided by that of `memcpy`. Above 1, Swathe is faster; – was not measured."""


def ratio(value):
    return f"{value:.2f}"


def library(row):
    return row["best_peer"].split()[0]


# ---- Tables --------------------------------------------------------------------------------------

def lines_of(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head),
            *("| " + " | ".join(cells) + " |" for cells in rows)]


def works(columns):
    """Returns the tasks of all columns, in the order of the longest one."""
    found = {}
    for made in sorted(columns, key=lambda made: -len(made["rows"])):
        found.update(dict.fromkeys(row["work"] for row in made["rows"]))
    return list(found)


def cell(row):
    if row is None:
        return "–"
    text = ratio(column.speedup(row))
    text = f"**{text}**" if column.speedup(row) < 1 else text
    return f"{text} {library(row)} ({ratio(column.over_copy(row))})"


def table(columns):
    """Returns the table with a row for each task and a column for each processor."""
    by_work = [{row["work"]: row for row in made["rows"]} for made in columns]
    rows = [[work, *(cell(own.get(work)) for own in by_work)] for work in works(columns)]
    rows += [["**geometric mean**", *(ratio(column.geometric_mean(made["rows"])) for made in columns)],
             ["**rows lost**", *(f"{len(column.lost(made))} of {len(made['rows'])}"
                                 for made in columns)],
             ["**rows below the goal**", *(str(len(column.short(made))) for made in columns)]]
    return "\n".join(lines_of(["task", *(made["name"] for made in columns)], rows))


def group(row):
    """Returns the type and the filter of a row, such as u8 dense."""
    name, _, rest = row["work"].partition("x")
    kind = rest.split("-")[2]
    return f"{name} {kind if kind in ('dense', 'gaussian', 'box') else 'others'}"


def groups(columns):
    """Returns a table with a row for each type and filter."""
    found = {}
    for number, made in enumerate(columns):
        for row in made["rows"]:
            found.setdefault(group(row), {}).setdefault(number, []).append(row)
    rows = [[name, *(f"{ratio(column.geometric_mean(of[at]))} ({ratio(min(map(column.speedup, of[at])))})"
                     if at in of else "–" for at in range(len(columns)))] for name, of in found.items()]
    return "\n".join(lines_of(["samples, filter", *(made["name"] for made in columns)], rows))


def summary(columns):
    """Returns a short table with a row for each processor."""
    rows = [[made["name"], made["model"], f"{made['date']}, {made['commit']}",
             ratio(column.geometric_mean(made["rows"])),
             f"{len(made['rows']) - len(column.lost(made))} of {len(made['rows'])}"]
            for made in columns]
    return "\n".join(lines_of(["processor", "model", "measured", "× best peer", "faster in"], rows))


def report(made, rows):
    """Returns some rows of a column as a table, the worst first."""
    lines = [[row["work"], ratio(column.speedup(row)), f"{row['swathe_ms']:.4g}", row["best_peer"],
              f"{row['best_peer_ms']:.4g}", ratio(column.over_copy(row)), row["swathe_how"],
              "" if column.speedup(row) >= column.goal(row) else f"below {column.goal(row)}"]
             for row in sorted(rows, key=column.speedup)]
    head = ["task", "speed-up", "ms", "best peer", "ms", "× memcpy", "algorithm", "goal"]
    title = (f"## {made['name']}: {made['model']}, {made['date']}, {made['commit']}\n\n"
             f"Geometric mean {ratio(column.geometric_mean(made['rows']))}, {len(column.lost(made))} of "
             f"{len(made['rows'])} rows lost, {len(column.short(made))} below the goal.\n")
    return "\n".join([title, *lines_of(head, lines)]) + "\n"


def both(columns):
    return "\n\n".join([summary(columns), GROUPS_EXPLANATION, groups(columns), EXPLANATION, table(columns)])


# ---- Pages ---------------------------------------------------------------------------------------

PAGES = {"performance.md": ("docs", both), "README.md": ("", summary)}


def with_tables(text, name):
    """Returns the text of a page with the tables of the stored columns."""
    if not PART.search(text):
        raise SystemExit(f"ruler: {name} has no part for the columns")
    make, columns = PAGES[name][1], column.load_all()
    return PART.sub(lambda match: f"{match[1]}{make(columns)}\n{match[2]}", text)


def pages():
    """Yields the path, the text and the right text of every page."""
    for name, (folder, _) in PAGES.items():
        path = os.path.join(ROOT, folder, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        yield path, text, with_tables(text, name)


def write():
    for path, text, right in pages():
        if text != right:
            with open(path, "w", encoding="utf-8") as file:
                file.write(right)
