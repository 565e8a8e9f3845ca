#!/usr/bin/env python3
"""Which directories may include which: the table of docs/design.md, checked for every #include "…".

    check_includes.py [TREE]
"""
import os
import re

import tree

# Each directory and those that it may include besides itself and swathe/.
BELOW = {
    "src/base": [],
    "src/image": ["base"],
    "src/filter": ["base", "image"],
    "src/cpu": ["base", "image", "filter"],
    "src/gpu": ["base", "image", "filter"],
    "src/plan": ["base", "image", "filter", "cpu", "gpu"],
    "src/io": ["base", "image"],
    "src/run": ["base", "image", "filter", "cpu", "gpu", "plan", "io"],
    "src/fleet": ["base", "image", "filter", "cpu", "gpu", "plan", "io", "run"],
    "src": ["base", "image", "filter", "cpu", "gpu", "plan", "io", "run", "fleet", "api.h"],
    # The public header, and files of the same directory, by name or by relative path.
    "cli": [],
    "bench": ["command_line.h", "devices_print.h", "interrupt.h", "json.h", "message.h", "options.h",
              "progress.h", "rng.h", "value.h", "words.h"],  # of cli
    "python": [],
    "examples": [],
}
# Self-contained headers that one file each may include from another directory.
LENT = {("cli/nearest.c", "../src/base/edit_distance.h")}
# Pairs of modules that may include each other. file_parts.c is a separate file only so that tests
# can replace it.
CIRCLES = [{"src/io/file", "src/io/file_parts"}]
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


def folder_of(path):
    """The entry of the table for a file; None if it may include anything."""
    parts = path.split("/")
    for depth in (2, 1):
        folder = "/".join(parts[:depth])
        if len(parts) > depth and folder in BELOW:
            return folder
    return "src" if parts[0] == "src" else None


def allowed(path, folder, included, known):
    first = included.split("/")[0]
    if (path, included) in LENT:
        return True
    if first == "swathe":
        return included == "swathe/swathe.h"
    if folder.startswith("src/") and first == folder.split("/")[1]:
        return True
    if not folder.startswith("src") and known & {os.path.dirname(path) + "/" + included,
                                                 folder + "/" + included}:
        return True
    return first in BELOW[folder]


def module_of(path, headers):
    """The module of a file of src: x.c belongs to x.h; x_y.c without its own header to x.h, too."""
    stem = os.path.splitext(path)[0]
    folder, name = os.path.split(stem)
    while f"{folder}/{name}.h" not in headers and "_" in name:
        name = name.rsplit("_", 1)[0]
    return f"{folder}/{name}" if f"{folder}/{name}.h" in headers else stem


def find_circle(graph):
    """Modules that include each other, as a path that ends at its start; None if there are none."""
    done, path = set(), []

    def visit(module):
        if module in path:
            return path[path.index(module):] + [module]
        if module in done:
            return None
        path.append(module)
        for other in sorted(graph.get(module, ())):
            circle = visit(other)
            if circle:
                return circle
        done.add(path.pop())
        return None

    return next(filter(None, map(visit, sorted(graph))), None)


def check_circles(root, paths):
    headers = {path for path in paths if path.endswith(".h")}
    graph = {}
    for path in paths:
        if not path.startswith("src/") or not path.endswith((".c", ".h")):
            continue
        own = module_of(path, headers)
        for line in tree.lines(root, path):
            match = INCLUDE.match(line)
            other = module_of("src/" + match.group(1), headers) if match else own
            if other != own and other + ".h" in headers and {own, other} not in CIRCLES:
                graph.setdefault(own, set()).add(other)
    circle = find_circle(graph)
    return [f"{circle[0]}: a circle of includes: " + " > ".join(circle)] if circle else []


def check(root):
    problems = []
    paths = tree.files(root, ".c", ".h", ".def", ".cl", ".cpp")
    known = set(paths)
    for path in paths:
        folder = folder_of(path)
        if folder is None:
            continue
        for number, line in enumerate(tree.lines(root, path), 1):
            match = INCLUDE.match(line)
            if match and not allowed(path, folder, match.group(1), known):
                problems.append(f"{path}:{number}: {folder} may not include {match.group(1)}")
    return problems + check_circles(root, paths)


if __name__ == "__main__":
    tree.finish("includes", check(tree.root_argument()))
