#!/usr/bin/env python3
"""Runs the Python lines of pages, each page in an empty directory with the gallery's photo.

    docs_run.py [PAGE...]
"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "docs"))
import page_session  # noqa: E402, of the directory above

PAGES = ("README.md", "docs/python.md")


def program_of(page):
    """The page's Python blocks, in order, as one program."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return "\n".join(match["text"] for match in page_session.BLOCK.finditer(file.read())
                         if match["language"] == "python" and not match["why"])


def run(page):
    with tempfile.TemporaryDirectory(prefix="swathe-docs-") as folder:
        shutil.copy(os.path.join(ROOT, "docs/gallery/photo.jpg"), folder)
        program = program_of(page)
        assert program, f"{page} has no Python lines"
        done = subprocess.run([sys.executable, "-c", program], cwd=folder, check=False)
        print(f"{page}: {len(program.splitlines())} lines", "ran" if done.returncode == 0 else
              f"FAILED with status {done.returncode}")
        return done.returncode == 0


if __name__ == "__main__":
    sys.exit(0 if all([run(page) for page in sys.argv[1:] or PAGES]) else 1)
