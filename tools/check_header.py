#!/usr/bin/env python3
"""The public headers must have at most 48 functions, not counting unstable.h, with a comment directly
above each, and swathe.h at most 600 lines. Failures must name limits and options as public structs do.

    check_header.py [TREE]
"""
import re

import tree

FOLDER = "include/"
MOST_FUNCTIONS = 48
MAIN, MOST_LINES = "include/swathe/swathe.h", 600
UNSTABLE = "include/swathe/unstable.h"
FUNCTION = re.compile(r"SWATHE_API\b[^;]*?\b(swathe_\w+)\s*\(", re.DOTALL)
SUBJECT = re.compile(r'\bfail_(?:about\([^,]+,|limit\()\s*"(\w+)"')


def functions(text):
    """Returns (name, line) of each function that the header declares."""
    return [(match.group(1), text.count("\n", 0, match.start()) + 1)
            for match in FUNCTION.finditer(text) if at_line_start(text, match.start())]


def at_line_start(text, offset):
    return offset == 0 or text[offset - 1] == "\n"


def headers(root, unstable=False):
    """Returns (path, lines) of each public header; `unstable`: also of the one that may change."""
    return [(path, tree.lines(root, path)) for path in tree.files(root, ".h")
            if path.startswith(FOLDER) and (unstable or path != UNSTABLE)]


def check_subjects(root, public):
    """Checks that the subject of every failure is a field of a public struct, so that callers can
    set it."""
    for path in tree.files(root, ".c"):
        text = "\n".join(tree.lines(root, path)) if path.startswith("src/") else ""
        for subject in SUBJECT.findall(text):
            if not re.search(rf"\b{subject};", public):
                yield f"{path}: no public struct has a field {subject}"


def check(root):
    count, problems = 0, []
    for path, lines in headers(root, unstable=True):
        if path == MAIN and len(lines) - 1 > MOST_LINES:
            problems.append(f"{path}: {len(lines) - 1} lines, the limit is {MOST_LINES}")
        found = functions("\n".join(lines))
        problems += [f"{path}:{number}: {name} has no comment directly above"
                     for name, number in found if not lines[number - 2].endswith("*/")]
        count += len(found) if path != UNSTABLE else 0
    if count > MOST_FUNCTIONS:
        problems.append(f"{FOLDER}: {count} functions, the limit is {MOST_FUNCTIONS}")
    if not count:
        problems.append(f"{FOLDER}: no functions found")
    problems += check_subjects(root, "\n".join(line for _, lines in headers(root, True) for line in lines))
    print(f"{count} public functions without {UNSTABLE}")
    return problems


if __name__ == "__main__":
    tree.finish("header", check(tree.root_argument()))
