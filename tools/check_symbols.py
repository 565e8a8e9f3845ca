#!/usr/bin/env python3
"""A shared library must export the functions of the public headers, and nothing else.

    check_symbols.py LIBRARY [TREE]
"""
import subprocess
import sys

import check_header
import tree


def exported(library):
    """Returns the names of the dynamic symbols that a library defines."""
    done = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                          capture_output=True, text=True)
    symbols = [line.split()[1:] for line in done.stdout.splitlines()]
    return {name.split("@")[0] for kind, name in symbols if kind != "A"} # A: a version's own name


def check(library, root):
    symbols = exported(library)
    declared = {name for _, lines in check_header.headers(root, unstable=True)
                for name, _ in check_header.functions("\n".join(lines))}
    problems = [f"{name}: exported, but does not start with swathe_" for name in sorted(symbols)
                if not name.startswith("swathe_")]
    problems += [f"{name}: exported, but not in the header" for name in sorted(symbols - declared)
                 if name.startswith("swathe_")]
    problems += [f"{name}: in the header, but not exported" for name in sorted(declared - symbols)]
    print(f"{len(symbols)} exported symbols")
    return problems


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    path = sys.argv.pop(1)
    tree.finish("symbols", check(path, tree.root_argument()))
