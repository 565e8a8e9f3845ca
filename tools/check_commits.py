#!/usr/bin/env python3
"""Commit subjects must read `area: what changes`, in at most 72 characters.

    check_commits.py [TREE]

Checks the commits that origin does not have yet, or the last 50 if there are none.
"""
import re
import subprocess

import tree

LAST = 50
MOST_CHARACTERS = 72
SUBJECT = re.compile(r"[a-z0-9][a-z0-9_./, -]*: \S")
MADE_BY_GIT = ("Merge ", "Revert ")


def log(root, *arguments):
    done = subprocess.run(["git", "-C", root, "log", "--no-merges", "--format=%h %s", *arguments],
                          capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def subjects(root):
    new = log(root, "HEAD", "--not", "--remotes=origin")
    return new if new else log(root, f"-{LAST}")


def judge(subject):
    if subject.startswith(MADE_BY_GIT):
        return None
    if len(subject) > MOST_CHARACTERS:
        return f"{len(subject)} characters, the limit is {MOST_CHARACTERS}"
    return None if SUBJECT.match(subject) else "not `area: what changes`"


def check(root):
    problems = []
    for line in subjects(root):
        commit, _, subject = line.partition(" ")
        problem = judge(subject)
        if problem:
            problems.append(f"{commit} {subject}: {problem}")
    return problems


if __name__ == "__main__":
    tree.finish("commits", check(tree.root_argument()))
