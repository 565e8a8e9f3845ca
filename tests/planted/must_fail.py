#!/usr/bin/env python3
"""Passes if a program with a planted bug fails and every failure that it prints names the bug.

    must_fail.py [--tries N] CULPRIT PROGRAM [ARGUMENT...]

A bug that shows only at certain moments, such as the kill of a server, may need several tries.
In CULPRIT, "*" stands for any text. A failure starts with a line "FAILED ..." and continues up to
the next such line. Exit status 77 means that the program skipped the culprit's last word
("skipped: avx2 ..."), after which it is stopped.
"""
import fnmatch
import os
import shlex
import subprocess
import sys


def failures(output):
    """Returns the text of each failure, without the totals at the end."""
    found = []
    for line in output.splitlines():
        if line.startswith("FAILED"):
            found.append(line)
        elif found and line.startswith("  "):
            found[-1] += "\n" + line
    return found


def run(culprit, command):
    """Returns the exit status of the program and its output."""
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as program:
        for line in program.stdout:
            lines.append(line)
            if line.startswith(skipped(culprit)):
                program.kill()
    return program.returncode, "".join(lines)


def skipped(culprit):
    return f"skipped: {culprit.split()[-1]} "


def judge(culprit, status, output):
    """Returns (exit status, message)."""
    if skipped(culprit) in output:
        return 77, f"{skipped(culprit)}cannot run here"
    found = failures(output)
    elsewhere = [text for text in found if not fnmatch.fnmatchcase(text, f"*{culprit}*")]
    if status != 1 or not found:
        return 1, f"not caught: exit status {status}, {len(found)} failures\n{output}"
    if elsewhere:
        return 1, f"{len(elsewhere)} failures do not name {culprit}:\n" + "\n".join(elsewhere)
    return 0, f"caught: {len(found)} failures, all of them name {culprit}"


def main(tries, culprit, command):
    wrapper = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
    for _ in range(tries):
        ended, output = run(culprit, wrapper + command)
        status, text = judge(culprit, ended, output)
        if ended != 0:
            break
    print(text)
    return status


if __name__ == "__main__":
    words = sys.argv[1:]
    count = int(words[1]) if words[:1] == ["--tries"] else 1
    words = words[2:] if words[:1] == ["--tries"] else words
    if len(words) < 2:
        sys.exit(__doc__)
    sys.exit(main(count, words[0], words[1:]))
