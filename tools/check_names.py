#!/usr/bin/env python3
"""Static functions of C files must have names that a backtrace and grep can tell apart: no two files
define the same one, and none is a single word.

    check_names.py [TREE]

Headers are not searched: those of the instruction sets define the same primitives.
"""
import re

import tree

ROOMS = ("src/", "cli/", "fleet/", "store/", "bench/program/", "python/extension/")
STATIC = re.compile(r"^static\b[^;={}()]*?\b([a-z]\w*)\((?=[^;{]*\n\{)", re.MULTILINE)


def check(root):
    problems, files = [], {}
    for path in tree.files(root, ".c"):
        if path.startswith(ROOMS):
            for name in sorted(set(STATIC.findall("\n".join(tree.lines(root, path))))):
                files.setdefault(name, []).append(path)
    for name, paths in sorted(files.items()):
        if len(paths) > 1:
            problems.append(f"{name}: a static function of {' and of '.join(paths)}: start it with the "
                            "file's name")
        elif "_" not in name:
            problems.append(f"{paths[0]}: {name}: start a static function with the file's name")
    return problems


if __name__ == "__main__":
    tree.finish("names", check(tree.root_argument()))
