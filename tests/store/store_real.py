#!/usr/bin/env python3
"""Runs the suite of stores against a directory and against SeaweedFS.

    store_real.py SUITE files|s3
"""
import os
import subprocess
import sys
import tempfile

import weed_server


def run(suite, prefix, environment):
    return subprocess.run([suite, prefix], env={**os.environ, **environment}).returncode


def main():
    suite, kind = sys.argv[1:3]
    if kind == "files":
        with tempfile.TemporaryDirectory(prefix="swathe-store-") as folder:
            return run(suite, folder + "/", {})
    weed_server.skip_unless_installed()
    with weed_server.start("suite-bucket") as weed:
        return run(suite, "s3://suite-bucket/suite/", weed.environment())


if __name__ == "__main__":
    sys.exit(main())
