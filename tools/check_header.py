#!/usr/bin/env python3
"""The public headers must have at most 48 functions, with a comment directly above each.

    check_header.py [TREE]
"""
import re

import tree

FOLDER = "include/"
MOST_FUNCTIONS = 48
FUNCTION = re.compile(r"SWATHE_API\b[^;]*?\b(swathe_\w+)\s*\(", re.DOTALL)


def functions(text):
    """(name, line) of each function that the header declares."""
    return [(match.group(1), text.count("\n", 0, match.start()) + 1)
            for match in FUNCTION.finditer(text) if at_line_start(text, match.start())]


def at_line_start(text, offset):
    return offset == 0 or text[offset - 1] == "\n"


def headers(root):
    """(path, lines) of each public header."""
    return [(path, tree.lines(root, path)) for path in tree.files(root, ".h")
            if path.startswith(FOLDER)]


def check(root):
    count, problems = 0, []
    for path, lines in headers(root):
        found = functions("\n".join(lines))
        problems += [f"{path}:{number}: {name} has no comment directly above"
                     for name, number in found if not lines[number - 2].endswith("*/")]
        count += len(found)
    if count > MOST_FUNCTIONS:
        problems.append(f"{FOLDER}: {count} functions, the limit is {MOST_FUNCTIONS}")
    if not count:
        problems.append(f"{FOLDER}: no functions found")
    print(f"{count} public functions")
    return problems


if __name__ == "__main__":
    tree.finish("header", check(tree.root_argument()))
