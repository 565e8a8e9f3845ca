#!/usr/bin/env python3
"""Writes C source with a hash of everything that affects the speed of algorithms.

    build_id.py SOURCE_DIR OUTPUT DEPFILE [WORD...]

WORDs are the compiler and its options. All files in the directories below are hashed.
"""
import hashlib
import os
import sys

FOLDERS = ("cpu", "filter", "plan", "run")


def main(source, output, depfile, *words):
    files = sorted(os.path.join(source, folder, name) for folder in FOLDERS
                   for name in os.listdir(os.path.join(source, folder)))
    digest = hashlib.sha256("\n".join(words).encode())
    for path in files:
        with open(path, "rb") as file:
            digest.update(os.path.relpath(path, source).encode() + b"\0" + file.read())
    with open(output, "w", encoding="utf-8") as file:
        file.write("extern const char wisdom_build[];\n"
                   f"const char wisdom_build[] = \"{digest.hexdigest()[:16]}\";\n")
    with open(depfile, "w", encoding="utf-8") as file:
        file.write(f"{output}: {' '.join(path.replace(' ', chr(92) + ' ') for path in files)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
