#!/usr/bin/env python3
"""Checks that the stored description of the binary interface matches the public headers.

    abi.py [--update] [TREE]

abi/swathe.abi describes every public function and struct. abidw (abigail-tools) reads them from a
library that is compiled from the headers alone, with a dummy body for every function, so that the
description does not depend on build options. If it differs from the headers, the check fails and
prints the differences. --update writes a new description, for the commit that changes the
interface.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import check_header
import tree

STORED = "abi/swathe.abi"


def bodies(root):
    """Returns C source that defines every public function, and an array as long as the value of
    each constant."""
    text = "\n".join("\n".join(lines) for _, lines in check_header.headers(root))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    declared = re.findall(r"^SWATHE_API ([^;{]*)\);", text, re.M)
    constants = [name for body in re.findall(r"enum \{(.*?)\}", text, re.S)
                 for name in re.findall(r"SWATHE_\w+", body)]
    return "#include <swathe/swathe.h>\n" + "".join(
        f"{declaration})\n{{\n    __builtin_trap();\n}}\n" for declaration in declared) + "".join(
        f"char value_of_{name}[{name} + 1];\n" for name in constants)


def describe(root, folder):
    """Compiles the headers, writes their description and returns its path."""
    source, library = (os.path.join(folder, name) for name in ("headers.c", "libswathe.so"))
    described = os.path.join(folder, "swathe.abi")
    with open(source, "w", encoding="utf-8") as file:
        file.write(bodies(root))
    subprocess.run(["cc", "-g", "-O0", "-w", "-shared", "-fPIC", "-I", os.path.join(root, "include"),
                    "-o", library, source], check=True)
    subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs",
                    "--type-id-style", "hash", "--out-file", described, library], check=True)
    return described


def differences(stored, described):
    """Returns the lines that abidiff prints about differences, or about a description that it cannot
    read."""
    done = subprocess.run(["abidiff", "--no-show-locs", stored, described], capture_output=True,
                          text=True)
    if done.returncode == 0:
        return []
    return [f"abidiff ends with status {done.returncode}",
            *(done.stdout + done.stderr).strip().splitlines()]


def padded(root):
    """Returns the public structs that end with padding. A later field would take its place, which the
    programs of today may have filled with anything."""
    done = subprocess.run(["cc", "-Wpadded", "-fsyntax-only", "-I", os.path.join(root, "include"), "-x",
                           "c", "-"], input="#include <swathe/unstable.h>\n", capture_output=True,
                          text=True, check=True)
    return [line for line in done.stderr.splitlines() if "padding struct size" in line]


def check(root, update):
    if not shutil.which("abidw"):
        print("skipped: the binary interface (abigail-tools is not installed)")
        sys.exit(77)
    stored = os.path.join(root, STORED)
    with tempfile.TemporaryDirectory() as folder:
        described = describe(root, folder)
        if update:
            shutil.copyfile(described, stored)
        found = differences(stored, described) + padded(root)
    if found and not found[-1].endswith("[-Wpadded]"):
        found.append(f"{STORED} differs from the headers; update it with `tools/abi.py --update`")
    return found


if __name__ == "__main__":
    asked = "--update" in sys.argv
    if asked:
        sys.argv.remove("--update")
    tree.finish("abi", check(tree.root_argument(), asked))
