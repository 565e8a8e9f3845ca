#!/usr/bin/env python3
"""Every file must be named by another one: by its path or the end of it, or by its name in its own directory,
in one above, or anywhere if no other file has that name. Build files and Python leave out .c, .py and .sh.

    check_unused.py [TREE]
"""
import collections
import fnmatch
import os
import re

import tree

# Files that a program finds by their names, and the program, or the file with the loop over them.
FOUND = {
    ".clang-format": "clang-format", ".editorconfig": "editors", "*.gitignore": "git", ".github/*": "forges",
    "debian/*": "debhelper", "tests/python/conftest.py": "pytest", "tests/python/test_*.py": "pytest",
    "tests/install/CMakeLists.txt": "cmake", "docs/index.md": "Sphinx",
    "bench/peers/*_contender.py": "bench/peers/worker.py", "bench/peers/columns/*.json": "bench/peers/column.py",
    "cmake/*.in": "cmake/meson.build",
    "cross/*.ini": ".ci/jobs.sh",
    "src/base/os_*.c": "src/meson.build", "src/cpu/isa_*.c": "src/meson.build",
    "tests/adding/*.patch": "tests/adding/adding.py",
    "tests/cli/*.sh.exact": "tests/cli/run_script.py", "tests/planted/planted_*.c": "tests/planted/meson.build",
    "tools/check_*.py": ".ci/jobs.sh",
}
VARIABLE = re.compile(r"""(\$\w+|\$?\{[^{}]*\}|\$\([^()]*\)|@\w+@)["']?/""")  # before a name: "$here/x.sh"
NAME = re.compile(r"\w[\w.+@/-]*\w|\.[\w./-]+\w")
IMPORT = re.compile(r"^\s*(?:import|from)\s+([\w., ]+)", re.MULTILINE)


def text_of(root, path):
    with open(os.path.join(root, path), "rb") as file:
        data = file.read()
    return "" if b"\0" in data else VARIABLE.sub(" ", data.decode(errors="replace"))


def names_in(path, text):
    """Yields every name or path in a text."""
    for name in NAME.findall(text):
        yield re.sub(r"^(\.*/)+", "", name)
    if path.endswith(".build"):
        for word in re.findall(r"'([\w-]+)'", text):
            yield from (word + ".c", word + ".py", word + ".sh")
    for line in IMPORT.findall(text):
        yield from (word + ".py" for word in re.findall(r"\w+", line))


def names_of(root, paths):
    """Returns the files that contain each name or path."""
    found = collections.defaultdict(set)
    for path in paths:
        for name in set(names_in(path, text_of(root, path))):
            found[name].add(path)
    return found


def is_above(folder, path):
    return not folder or path.startswith(folder + "/")


def is_named(path, names, alike):
    """Whether another file names this one; `alike` counts the files of each name."""
    parts = path.split("/")
    ends = ["/".join(parts[first:]) for first in range(len(parts) - 1)]
    return any(names.get(end, set()) - {path} for end in ends) or any(
        alike[parts[-1]] == 1 or is_above(os.path.dirname(other), path)
        for other in names.get(parts[-1], set()) - {path})


def check(root):
    paths = tree.tracked(root)
    names = names_of(root, paths)
    alike = collections.Counter(map(os.path.basename, paths))
    problems = [f"{path}: no other file names it" for path in paths
                if not any(fnmatch.fnmatch(path, pattern) for pattern in FOUND)
                and not is_named(path, names, alike)]
    return problems + [f"{by}: {pattern} names no file" for pattern, by in FOUND.items()
                       if by in paths and not fnmatch.filter(paths, pattern)]


if __name__ == "__main__":
    tree.finish("unused", check(tree.root_argument()))
