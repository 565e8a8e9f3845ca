#!/usr/bin/env python3
"""No file may exceed 600 lines, no example 59 lines; the median function of every directory must be
below 25 lines.

    check_sizes.py [TREE]

A C function starts at its declaration and ends at the } in column 0. Bodies that macros define
count as functions, too. Prints the longest function of each directory.
"""
import ast
import re
import statistics

import tree

MOST_LINES = 600
MOST_EXAMPLE_LINES = 59
MEDIAN_FUNCTION = 25
LISTED = 60  # functions of at least this many lines are listed
END = re.compile(r"(;|}|\*/)$")  # the end of the code above a function
TEXT = (".c", ".h", ".def", ".py", ".sh", ".md", ".build", ".txt")


def c_functions(lines):
    """Yields (name, first line, length) of each function."""
    for number, line in enumerate(lines):
        if line != "{":
            continue
        first = number
        while re.match(r"[A-Za-z_ ]", lines[first - 1]) and not END.search(lines[first - 1]):
            first -= 1
        last = lines.index("}", number)
        match = re.search(r"(\w+)\(", " ".join(lines[first:number]))
        yield match.group(1) if match else "?", first + 1, last - first + 1


def c_macros(lines):
    """Yields the same for macros that define a function."""
    number = 0
    while number < len(lines):
        first = number
        while number < len(lines) and lines[number].endswith("\\"):
            number += 1
        body = lines[first:number + 1]
        if len(body) > 1 and any(line.strip(" \\") == "{" for line in body):
            match = re.match(r"#\s*define\s+(\w+)", body[0])
            yield match.group(1) if match else "?", first + 1, len(body)
        number += 1


def python_functions(lines):
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, ast.FunctionDef):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def functions(path, lines):
    if path.endswith(".py"):
        return list(python_functions(lines))
    if path.endswith((".c", ".h")):
        return list(c_functions(lines)) + list(c_macros(lines))
    return []


def describe(folder, found, problems):
    """Prints one directory's figures; found holds (length, name, place)."""
    median = statistics.median(length for length, _, _ in found)
    longest = max(found)
    print(f"{folder}: {len(found)} functions, median {median:g} lines, longest {longest[1]} "
          f"({longest[0]}, {longest[2]})")
    for length, name, place in sorted(found, reverse=True)[1:]:
        if length >= LISTED:
            print(f"    {name} ({length}, {place})")
    if median >= MEDIAN_FUNCTION:
        problems.append(f"{folder}: the median function has {median:g} lines, not below "
                        f"{MEDIAN_FUNCTION}")


def check(root):
    problems, folders = [], {}
    for path in tree.files(root, *TEXT):
        lines = tree.lines(root, path)
        most = MOST_EXAMPLE_LINES if path.startswith("examples/") else MOST_LINES
        if len(lines) - 1 > most:
            problems.append(f"{path}: {len(lines) - 1} lines, the limit is {most}")
        for name, number, length in functions(path, lines):
            folders.setdefault(path.split("/")[0], []).append((length, name, f"{path}:{number}"))
    for folder, found in sorted(folders.items()):
        describe(folder, found, problems)
    return problems


if __name__ == "__main__":
    tree.finish("sizes", check(tree.root_argument()))
