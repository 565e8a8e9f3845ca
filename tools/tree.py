"""The files of a source tree, for the checks beside this file."""
import os
import subprocess
import sys

# Directories of generated files.
MADE = ("build", "venv", "__pycache__")


def files(root, *suffixes):
    """Returns the paths below root, sorted and with slashes. If suffixes are given, only files with
    one of them."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders
                      if not name.startswith(MADE) and not name.startswith(".git")]
        for name in names:
            if not suffixes or name.endswith(suffixes):
                path = os.path.relpath(os.path.join(folder, name), root)
                found.append(path.replace(os.sep, "/"))
    return sorted(found)


def tracked(root):
    """Returns the files that git knows, or all without git."""
    if not os.path.exists(os.path.join(root, ".git")):
        return files(root)
    done = subprocess.run(["git", "-C", root, "-c", "core.quotePath=false", "ls-files"],
                          capture_output=True, text=True, check=True)
    return [path for path in done.stdout.splitlines() if os.path.isfile(os.path.join(root, path))]


def lines(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read().split("\n")


def root_argument():
    """Returns the tree to check: the first argument, or the tree that contains this file."""
    if len(sys.argv) > 1:
        return sys.argv[1]
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def finish(what, problems):
    for problem in problems:
        print(problem)
    print(f"{what}: {len(problems)} problems")
    sys.exit(1 if problems else 0)
