#!/usr/bin/env python3
"""Runs one test script of the command line and compares its output with the expected output.

    run_script.py [--update] SWATHE SCRIPT

SCRIPT runs under sh in an empty directory, with SWATHE set to the command and HERE to the directory
of the scripts. Its output must equal SCRIPT.stdout.exact and SCRIPT.stderr.exact (a missing file
means no output) and its exit code must be 0; 77 skips the test. --update rewrites the files.
"""
import difflib
import os
import subprocess
import sys
import tempfile


def run(swathe, script):
    here = os.path.dirname(script)
    environment = dict(os.environ, SWATHE=swathe, HERE=here, LC_ALL="C", PYTHON=sys.executable,
                       SWATHE_WISDOM="off")
    environment.pop("SWATHE_ISA", None)
    with tempfile.TemporaryDirectory(prefix="swathe-cli-") as folder:
        return subprocess.run(["sh", "-u", script], cwd=folder, env=environment, timeout=120,
                              stdin=subprocess.DEVNULL, capture_output=True)


def expected(path):
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


def update(path, text):
    if text:
        with open(path, "wb") as file:
            file.write(text)
    elif os.path.exists(path):
        os.remove(path)


def lines(text):
    return text.decode("utf-8", "backslashreplace").splitlines(keepends=True)


def differs(path, got):
    wanted = expected(path)
    if got == wanted:
        return False
    sys.stdout.writelines(difflib.unified_diff(lines(wanted), lines(got), path, "this run"))
    print()
    return True


def main(arguments):
    updating = arguments[:1] == ["--update"]
    swathe, script = (os.path.abspath(path) for path in arguments[updating:])
    done = run(swathe, script)
    if done.returncode == 77:
        print(done.stdout.decode("utf-8", "replace"), end="")
        return 77
    outputs = {script + ".stdout.exact": done.stdout, script + ".stderr.exact": done.stderr}
    if updating:
        for path, text in outputs.items():
            update(path, text)
        return done.returncode
    bad = [path for path, text in outputs.items() if differs(path, text)]
    if done.returncode != 0:
        print(f"exit code {done.returncode}")
    return 1 if bad or done.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
