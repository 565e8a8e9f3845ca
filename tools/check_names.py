#!/usr/bin/env python3
"""No two source files may share a name, so that a name identifies a file.

    check_names.py [TREE]
"""
import collections
import os

import tree

FIXED = ("__init__.py", "__main__.py")  # names that Python gives a meaning
SOURCES = (".c", ".h", ".def", ".py", ".sh", ".cl", ".cpp")


def check(root):
    places = collections.defaultdict(list)
    for path in tree.files(root, *SOURCES):
        places[os.path.basename(path)].append(path)
    return [f"{name}: {' and '.join(paths)} have this name" for name, paths in sorted(places.items())
            if len(paths) > 1 and name not in FIXED]


if __name__ == "__main__":
    tree.finish("names", check(tree.root_argument()))
