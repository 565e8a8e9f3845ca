#!/usr/bin/env python3
"""Checks every #include "…" against the table below, which docs/design.md draws.

    check_includes.py [TREE]
"""
import fnmatch
import os
import re

import tree

# Headers of src that programs may include, too: calls of the operating system, and texts. They include no
# others.
SHARED = ("src/base/os_*.h", "src/base/bounded_text.h", "src/base/nearest_word.h", "src/base/word_list.h")
# Each directory, and what it may include besides itself and the public headers: directories with
# all that they may include, or headers.
BELOW = {
    "src/base": (),
    "src/image": ("src/base",),
    "src/filter": ("src/image",),
    "src/cpu": ("src/filter",),
    "src/gpu": ("src/filter",),
    "src/algorithm": ("src/cpu",),
    "src/plan": ("src/algorithm", "src/gpu"),
    "src/io": ("src/image",),
    "src/run": ("src/plan", "src/io"),
    "src/measure": ("src/run",),
    "src": ("src/measure",),
    "cli": (*SHARED, "store/module.h"),
    "bench": (*SHARED, "cli/*"),
    "store": (),
    "fleet": (*SHARED, "store/store.h", "cli/terminal/standard_files.h", "cli/terminal/text.h"),
    "python": (),
    "examples": (),
}
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


def folder_of(path):
    """Returns the entry of the table for a file, or None if the file may include anything."""
    parts = path.split("/")
    for depth in (2, 1):
        folder = "/".join(parts[:depth])
        if len(parts) > depth and folder in BELOW:
            return folder
    return "src" if parts[0] == "src" else None


def patterns(folder):
    """Returns patterns of all headers that files of a directory may include."""
    found = [folder + "/*"]
    for below in BELOW[folder]:
        found += patterns(below) if below in BELOW else [below]
    return found


def target_of(path, included, known):
    """Returns the path of an included file. Files that do not exist belong to src, or are beside `path`."""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), included))
    places = [beside] + [f"{top}/{included}" for top in ("include", path.split("/")[0], "cli", "store", "src")]
    missing = "src/" + included if path.startswith("src/") else beside
    return next((place for place in places if place in known), missing)


def allowed(folder, target):
    return any(fnmatch.fnmatch(target, pattern)
               for pattern in ["include/swathe/*", *patterns(folder)])


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
            if other != own and other + ".h" in headers:
                graph.setdefault(own, set()).add(other)
    cycle = find_cycle(graph)
    return [f"{cycle[0]}: circular includes: " + " > ".join(cycle)] if cycle else []


def check_table(root, known):
    """Checks that what the table names exists, in a tree with the document."""
    named = {name for folder, below in BELOW.items() for name in (folder + "/*", *below) if name not in BELOW}
    if "docs/design.md" in tree.files(root, ".md"):
        yield from (f"tools/check_includes.py: there is no {name}" for name in sorted(named)
                    if not fnmatch.filter(known, name))


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
            if match and not allowed(folder, target_of(path, match.group(1), known)):
                problems.append(f"{path}:{number}: {folder} may not include {match.group(1)}")
    return problems + check_cycles(root, paths) + list(check_table(root, known))


if __name__ == "__main__":
    tree.finish("includes", check(tree.root_argument()))
