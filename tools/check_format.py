#!/usr/bin/env python3
"""C files must be formatted by clang-format 14. No file may have tabs, trailing spaces, carriage
returns or a missing final newline.

    check_format.py [TREE]
"""
import os
import shutil
import subprocess
import sys

import tree

C_FILES = (".c", ".h")
AS_PRINTED = (".exact", ".png", ".jpg", ".tif", ".webp", ".ppm", ".pgm", ".pfm")
MAKEFILE = "debian/rules"  # recipes start with tabs


def formatter():
    """Returns the name of clang-format 14; other versions format differently."""
    for name in ("clang-format-14", "clang-format"):
        if not shutil.which(name):
            continue
        version = subprocess.run([name, "--version"], capture_output=True, text=True, check=True)
        if " version 14." in version.stdout:
            return name
    sys.exit("check_format: needs clang-format 14 (Debian: clang-format-14)")


def check_c(root):
    paths = tree.files(root, *C_FILES)
    if not paths:
        return []
    done = subprocess.run([formatter(), "--dry-run", "--Werror", *paths], cwd=root,
                          capture_output=True, text=True)
    return [line for line in done.stderr.splitlines() if "error:" in line]


def check_white(root, path):
    with open(os.path.join(root, path), "rb") as file:
        data = file.read()
    if b"\0" in data:
        return []
    problems = [f"{path}: no newline at the end"] if data and not data.endswith(b"\n") else []
    for number, line in enumerate(data.split(b"\n"), 1):
        indented = line.lstrip(b"\t") if path == MAKEFILE else line
        if b"\t" in indented or b"\r" in line:
            problems.append(f"{path}:{number}: tab or carriage return")
        elif line.endswith(b" ") and not path.endswith(".patch"): # empty lines of context
            problems.append(f"{path}:{number}: trailing space")
    return problems


def check(root):
    problems = check_c(root)
    for path in tree.files(root):
        if not path.endswith(AS_PRINTED):
            problems += check_white(root, path)
    return problems


if __name__ == "__main__":
    tree.finish("format", check(tree.root_argument()))
