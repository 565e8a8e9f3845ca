#!/usr/bin/env python3
"""Runs a test script of the command line and compares its output with the expected output.

    run_script.py [--update] SWATHE SCRIPT [SECTION...]

A line "#### NAME" starts a section of SCRIPT; what precedes the first belongs to all. Each section
runs under sh in an empty directory, with SWATHE set to the command and HERE to the directory of the
scripts. Its output must equal its section of SCRIPT.exact, and its standard error the section
"NAME: standard error" (a missing section means no output); its exit code must be 0; 77 skips it.
--update rewrites the sections that ran.
"""
import difflib
import os
import re
import subprocess
import sys
import tempfile


def run(swathe, here, text):
    environment = dict(os.environ, SWATHE=swathe, HERE=here, LC_ALL="C", PYTHON=sys.executable,
                       SWATHE_WISDOM="off")
    environment.pop("SWATHE_ISA", None)
    with tempfile.TemporaryDirectory(prefix="swathe-cli-") as folder:
        return subprocess.run(["sh", "-u", "-c", text], cwd=folder, env=environment, timeout=120,
                              stdin=subprocess.DEVNULL, capture_output=True)


def sections(path):
    """Returns what precedes the first section, and the text of each section by its name."""
    if not os.path.exists(path):
        return b"", {}
    with open(path, "rb") as file:
        parts = re.split(rb"^#### (.*)\n", file.read(), flags=re.MULTILINE)
    return parts[0], {name.decode(): text for name, text in zip(parts[1::2], parts[2::2])}


def update(path, wanted, names):
    """Writes the sections in the order of the script."""
    with open(path, "wb") as file:
        for name in (end for name in names for end in (name, name + ": standard error")):
            if wanted.get(name):
                file.write(b"#### " + name.encode() + b"\n" + wanted[name])


def lines(text):
    return text.decode("utf-8", "backslashreplace").splitlines(keepends=True)


def differs(name, wanted, got):
    if got == wanted:
        return False
    sys.stdout.writelines(difflib.unified_diff(lines(wanted), lines(got), name, "this run"))
    print()
    return True


def check(done, name, wanted):
    """Returns 0, 1 if the section failed, or 77 if it was skipped."""
    if done.returncode == 77:
        print(done.stdout.decode("utf-8", "replace"), end="")
        return 77
    bad = [end for end, got in ((name, done.stdout), (name + ": standard error", done.stderr))
           if differs(end, wanted.get(end, b""), got)]
    if done.returncode != 0:
        print(f"{name}: exit code {done.returncode}")
    return 1 if bad or done.returncode != 0 else 0


def main(arguments):
    updating = arguments[:1] == ["--update"]
    swathe, script = (os.path.abspath(path) for path in arguments[updating:][:2])
    shared, texts = sections(script)
    wanted = sections(script + ".exact")[1]
    status = set()
    for name in arguments[updating:][2:] or texts:
        done = run(swathe, os.path.dirname(script), (shared + texts[name]).decode())
        if updating and done.returncode != 77:
            wanted.update({name: done.stdout, name + ": standard error": done.stderr})
        status.add(check(done, name, wanted))
    if updating:
        update(script + ".exact", wanted, texts)
    return 1 if 1 in status else 77 if status == {77} else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
