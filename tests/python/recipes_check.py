#!/usr/bin/env python3
"""Runs the recipes of docs/python-clusters.md.

    recipes_check.py [--only TEXT] [--require] [--self-test]

A recipe is a Python block whose first line names the packages that it needs. It is run as a
program of its own, in a directory with a photo. It is skipped if a package is not installed;
--require makes that an error. --self-test breaks the filter of each recipe, which it must notice.
"""
from __future__ import annotations

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import swathe

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python-clusters.md"
PACKAGE = str(Path(swathe.__file__).resolve().parents[1])
SECONDS = 180


def recipes(page: str) -> list[tuple[str, list[str], str]]:
    """The heading, the packages and the code of each recipe."""
    found = []
    for section in page.split("\n## ")[1:]:
        for code in re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL):
            first = re.match(r"# recipe:(.*)\n", code)
            if not first:
                raise SystemExit(f"{PAGE.name}: a block does not begin with '# recipe: packages'")
            packages = [name.strip() for name in first[1].split(",") if name.strip()]
            found.append((section.split("\n", 1)[0], packages, code))
    return found


def write_photo(path: str) -> None:
    """A picture of several chunks."""
    y, x = np.mgrid[:400, :600]
    noise = np.random.default_rng(2).normal(0, 10, (400, 600, 3))
    scene = (80 + 100 * x / 600 + 50 * ((x // 90 + y // 70) % 2))[..., np.newaxis] + noise
    swathe.imwrite(path, np.clip(scene, 0, 255).astype(np.uint8))


def run(code: str) -> str | None:
    """What went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        write_photo(f"{folder}/photo.png")
        program = Path(folder, "recipe.py")
        program.write_text(code, encoding="utf-8")
        paths = filter(None, (PACKAGE, os.environ.get("PYTHONPATH")))
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        try:
            done = subprocess.run([sys.executable, str(program)], cwd=folder, env=env, text=True,
                                  capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"takes more than {SECONDS} s"
    return None if done.returncode == 0 else done.stderr[-2000:]


def broken(code: str) -> str:
    """The recipe with another filter at its first use of the chain."""
    changed = re.sub(r'"(sharpen|unsharp|gaussian):?[^"]*"', '"edge"', code, count=1)
    assert changed != code
    return changed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="recipes whose heading contains this")
    parser.add_argument("--require", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    given = parser.parse_args()
    failed = 0
    for heading, packages, code in recipes(PAGE.read_text(encoding="utf-8")):
        if given.only not in heading:
            continue
        name = f"{heading} ({', '.join(packages) or 'nothing else'})"
        missing = [package for package in packages if not importlib.util.find_spec(package)]
        if missing:
            print(f"skipped: {name} of docs/python-clusters.md ({', '.join(missing)} not installed)")
            failed += given.require
            continue
        error = run(broken(code) if given.self_test else code)
        if given.self_test:
            noticed = error is not None and "AssertionError" in error
            print(f"{name}: the planted filter is {'noticed' if noticed else 'NOT noticed'}")
            failed += not noticed
        else:
            print(f"{name}: {'ok' if error is None else error}", flush=True)
            failed += error is not None
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
