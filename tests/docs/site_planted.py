#!/usr/bin/env python3
"""Checks that tools/site refuses broken pages, and then leaves the last site as it was.

    site_planted.py PREFIX

Plants faults in a copy of the source tree. PREFIX is an installed Swathe, as tools/site takes it.
"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PARTS = ["docs", "tools", "examples", "include", "deploy", "README.md", "CONTRIBUTING.md", "NEWS.md",
         "LICENSE"]
# Files, what is added to them, and the message. The faults of a group are found in one run.
PLANTED = [
    [("docs/how-to/resume.md", "[x](nowhere.md)\n",
      "docs/how-to/resume.md links to docs/how-to/nowhere.md, which does not exist"),
     ("docs/fleet.md", "[x](../deploy/nowhere.conf)\n",
      "docs/fleet.md links to deploy/nowhere.conf, which does not exist"),
     ("README.md", "[x](docs/nowhere.md#x)\n", "README.md links to docs/nowhere.md, which does"),
     ("docs/batch.md", "[x](reference/commands.md)\n",  # a forge does not have it
      "docs/batch.md links to docs/reference/commands.md, which does not exist"),
     ("docs/lost.md", "# Lost\n", "docs/lost.md is not in docs/site/navigation.txt"),
     ("docs/site/navigation.txt", "    docs/gone.md\n", "navigation.txt links to docs/gone.md")],
    [("docs/how-to/resume.md", "[x](../batch.md#no-such-heading)\n", "no-such-heading"),
     ("docs/store.md", "#### Deep\n", "Non-consecutive header level")],
    [("docs/index.md", "![x](https://example.org/x.png)\n",
      "index.html: https://example.org/x.png is loaded from elsewhere"),
     ("docs/index.md", '<a href="nowhere.html">x</a>\n', "index.html: nowhere.html does not exist"),
     ("docs/index.md", '<a href="store.html#none">x</a>\n', "store.html#none has no such anchor"),
     ("docs/site/site.css", "@import 'x.css';\n", "site.css: loads from elsewhere")],
]


def copy(folder):
    for part in PARTS:
        source, target = os.path.join(ROOT, part), os.path.join(folder, part)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target)


def check_group(group, prefix):
    """The faults of a group that were not found."""
    with tempfile.TemporaryDirectory(prefix="swathe-site-") as folder:
        copy(folder)
        for path, text, _ in group:
            with open(os.path.join(folder, path), "a", encoding="utf-8") as file:
                file.write("\n" + text)
        last = os.path.join(folder, "last")
        os.makedirs(last)
        for name in ("searchindex.js", "mine"):
            open(os.path.join(last, name), "w", encoding="utf-8").close()
        done = subprocess.run([os.path.join(folder, "tools/site"), last, prefix], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        missed = [f"{path}: {message}" for path, _, message in group if message not in done.stdout]
        if done.returncode == 0:
            missed.append("exit code 0")
        if sorted(os.listdir(last)) != ["mine", "searchindex.js"]:
            missed.append("the last site was changed")
        if missed:
            print(done.stdout)
        return missed


def main(prefix):
    missed = [line for group in PLANTED for line in check_group(group, os.path.abspath(prefix))]
    count = sum(map(len, PLANTED))
    print("\n".join([*(f"not found: {line}" for line in missed),
                     f"{count} planted faults, {len(missed)} problems"]))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
