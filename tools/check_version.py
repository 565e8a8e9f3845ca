#!/usr/bin/env python3
"""Every place that states the version of Swathe must state the one in VERSION.

    check_version.py [TREE]

Tests may contain other versions, and NEWS.md has the earlier ones.
"""
import re

import tree

NUMBER = r"(\d+\.\d+\.\d+)"
HEADER = "include/swathe/swathe.h"
# Files that must state the version once, and where they do.
STATED = {
    "NEWS.md": rf"\A# News\n\n## {NUMBER} ",
    "README.md": rf"(?m)^Version {NUMBER}[,.]",
    "debian/changelog": rf"\Aswathe \({NUMBER}-[^)]+\) ",
    "deploy/kubernetes.yaml": rf"swathe-fleet:{NUMBER}\b",
}
# Files that must read VERSION.
READ = {"meson.build": "version: files('VERSION')", "pyproject.toml": 'dynamic = ["version"]'}
# A version near our name, or as a value, in any other file.
ELSEWHERE = re.compile(rf"(?i)\bswathe[ :_-]v?{NUMBER}\b|"
                       rf"\b(?:__)?version(?:__)?['\"]?\s*[:=]\s*['\"]{NUMBER}['\"]")
EXEMPT = ("tests/", "NEWS.md", "debian/changelog")


def text_of(root, path):
    try:
        return "\n".join(tree.lines(root, path))
    except (UnicodeDecodeError, FileNotFoundError):
        return ""


def header_version(text):
    parts = [re.search(rf"#define SWATHE_VERSION_{part} (\d+)", text)
             for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(part[1] for part in parts) if all(parts) else None


def stated(root):
    """Yields (path, version) of the files that must state the version."""
    yield HEADER, header_version(text_of(root, HEADER))
    for path, pattern in STATED.items():
        found = re.search(pattern, text_of(root, path))
        yield path, found[1] if found else None


def elsewhere(root):
    """Yields (path, line, version) of every other statement."""
    for path in tree.files(root):
        if path.startswith(EXEMPT):
            continue
        for number, line in enumerate(text_of(root, path).split("\n"), 1):
            for match in ELSEWHERE.finditer(line):
                yield path, number, match[1] or match[2]


def check(root):
    version = text_of(root, "VERSION").rstrip("\n")
    if not re.fullmatch(NUMBER, version):
        return [f"VERSION: {version!r} is not MAJOR.MINOR.PATCH"]
    problems = [f"{path}: states {found or 'no version'}, VERSION is {version}"
                for path, found in stated(root) if found != version]
    problems += [f"{path}: does not read VERSION: {text!r} is missing"
                 for path, text in READ.items() if text not in text_of(root, path)]
    problems += [f"{path}:{number}: states {found}, VERSION is {version}"
                 for path, number, found in elsewhere(root) if found != version]
    return problems


if __name__ == "__main__":
    tree.finish("version", check(tree.root_argument()))
