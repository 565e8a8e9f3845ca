#!/usr/bin/env python3
"""Creates a locale with a decimal point of two bytes and runs the test of numbers in it.

    locales.py PROGRAM
"""
import os
import subprocess
import sys
import tempfile

NAME = "ps_AF.UTF-8"


def main():
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(["localedef", "-i", "ps_AF", "-f", "UTF-8",
                                   os.path.join(folder, NAME)],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        except FileNotFoundError:
            done = None
        if done is None or not os.path.isdir(os.path.join(folder, NAME)):
            why = done.stdout.strip().replace("\n", " ") if done else "no localedef"
            print(f"skipped: {NAME} ({why})")
            return 77
        return subprocess.run([sys.argv[1], NAME], env=dict(os.environ, LOCPATH=folder)).returncode


sys.exit(main())
