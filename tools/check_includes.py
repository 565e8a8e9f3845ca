#!/usr/bin/env python3
"""Checks every #include "…" against the table of directories in docs/design.md.

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
    "src/algorithm": ["base", "image", "filter", "cpu"],
    "src/plan": ["base", "image", "filter", "cpu", "gpu", "algorithm"],
    "src/io": ["base", "image"],
    "src/run": ["base", "image", "filter", "cpu", "gpu", "algorithm", "plan", "io"],
    "src/measure": ["base", "image", "filter", "cpu", "gpu", "algorithm", "plan", "io", "run"],
    "src": ["base", "image", "filter", "cpu", "gpu", "algorithm", "plan", "io", "run", "measure", "api.h"],
    # The public header, and files of the same directory, by name or by relative path.
    "cli": [],
    "bench": ["commands/command_line.h", "commands/known_words.h", "commands/options.h",
              "commands/value.h", "rng.h", "sample_value.h", "terminal/devices_print.h",
              "terminal/interrupt.h", "terminal/json.h", "terminal/message.h",
              "terminal/progress.h"],  # of cli
    "store": [],
    "fleet": ["store.h"],  # of store
    "python": [],
    "examples": [],
}
# (file, header): self-contained headers that this file may include from another directory.
EXCEPTIONS = {("cli/file/remote.c", "../../store/module.h"),
              ("fleet/fleet_main.c", "../cli/terminal/standard_files.h"),
              ("fleet/fleet_man.c", "../cli/terminal/man_print.h")}
# Pairs of modules that may include each other. file_parts.c is a separate file only so that tests
# can replace it.
ALLOWED_CYCLES = [{"src/io/file", "src/io/file_parts"}]
# Calls of the operating system and texts: self-contained headers that programs may include, too.
SHARED = re.compile(r"(\.\./)+src/base/(os_[a-z_]+|bounded_text|nearest_word|word_list)\.h")
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


def folder_of(path):
    """Returns the entry of the table for a file, or None if the file may include anything."""
    parts = path.split("/")
    for depth in (2, 1):
        folder = "/".join(parts[:depth])
        if len(parts) > depth and folder in BELOW:
            return folder
    return "src" if parts[0] == "src" else None


def allowed(path, folder, included, known):
    first = included.split("/")[0]
    if (path, included) in EXCEPTIONS:
        return True
    if folder in ("cli", "bench", "fleet") and SHARED.fullmatch(included):
        return True
    if first == "swathe":
        return included == "swathe/swathe.h"
    if folder.startswith("src/") and first == folder.split("/")[1]:
        return True
    if not folder.startswith("src") and known & {os.path.dirname(path) + "/" + included,
                                                 folder + "/" + included}:
        return True
    return first in BELOW[folder] or included in BELOW[folder]


def module_of(path, headers):
    """Returns the module of a file in src: x.c belongs to x.h, and so does x_y.c if it has no
    header of its own."""
    stem = os.path.splitext(path)[0]
    folder, name = os.path.split(stem)
    while f"{folder}/{name}.h" not in headers and "_" in name:
        name = name.rsplit("_", 1)[0]
    return f"{folder}/{name}" if f"{folder}/{name}.h" in headers else stem


def find_cycle(graph):
    """Returns a cycle of modules that include each other, as a path that ends where it starts, or
    None."""
    done, path = set(), []

    def visit(module):
        if module in path:
            return path[path.index(module):] + [module]
        if module in done:
            return None
        path.append(module)
        for other in sorted(graph.get(module, ())):
            cycle = visit(other)
            if cycle:
                return cycle
        done.add(path.pop())
        return None

    return next(filter(None, map(visit, sorted(graph))), None)


def check_cycles(root, paths):
    headers = {path for path in paths if path.endswith(".h")}
    graph = {}
    for path in paths:
        if not path.startswith("src/") or not path.endswith((".c", ".h")):
            continue
        own = module_of(path, headers)
        for line in tree.lines(root, path):
            match = INCLUDE.match(line)
            other = module_of("src/" + match.group(1), headers) if match else own
            if other != own and other + ".h" in headers and {own, other} not in ALLOWED_CYCLES:
                graph.setdefault(own, set()).add(other)
    cycle = find_cycle(graph)
    return [f"{cycle[0]}: circular includes: " + " > ".join(cycle)] if cycle else []


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
    return problems + check_cycles(root, paths)


if __name__ == "__main__":
    tree.finish("includes", check(tree.root_argument()))
