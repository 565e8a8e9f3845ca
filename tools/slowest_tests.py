#!/usr/bin/env python3
"""The tests of meson that took longest, over all builds of a directory.

    slowest_tests.py DIRECTORY [COUNT]
"""
import glob
import json
import os
import sys


def durations(folder):
    """(seconds, test, build) of every test whose log is below `folder`."""
    for path in glob.glob(os.path.join(folder, "*", "meson-logs", "*.json")):
        build = os.path.relpath(path, folder).split(os.sep, maxsplit=1)[0]
        with open(path, encoding="utf-8") as log:
            for line in log:
                test = json.loads(line)
                yield test["duration"], test["name"].split(" / ")[-1], build


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    for seconds, test, build in sorted(durations(sys.argv[1]), reverse=True)[:count]:
        print(f"{seconds:6.0f} s  {test} ({build})")


if __name__ == "__main__":
    main()
