#!/usr/bin/env python3
"""The public header has at most 45 functions, and a comment directly above each.

    check_header.py [TREE]
"""
import re

import tree

HEADER = "include/swathe/swathe.h"
MOST_FUNCTIONS = 45
FUNCTION = re.compile(r"SWATHE_API\b[^;]*?\b(swathe_\w+)\s*\(", re.DOTALL)


def functions(text):
    """(name, line) of each function that the header declares."""
    return [(match.group(1), text.count("\n", 0, match.start()) + 1)
            for match in FUNCTION.finditer(text) if at_line_start(text, match.start())]


def at_line_start(text, offset):
    return offset == 0 or text[offset - 1] == "\n"


def check(root):
    lines = tree.lines(root, HEADER)
    found = functions("\n".join(lines))
    problems = [f"{HEADER}:{number}: {name} has no comment directly above"
                for name, number in found if not lines[number - 2].endswith("*/")]
    if len(found) > MOST_FUNCTIONS:
        problems.append(f"{HEADER}: {len(found)} functions, the limit is {MOST_FUNCTIONS}")
    if not found:
        problems.append(f"{HEADER}: no functions found")
    print(f"{len(found)} public functions")
    return problems


if __name__ == "__main__":
    tree.finish("header", check(tree.root_argument()))
