#!/usr/bin/env python3
"""Runs a program with the URL of a fresh NATS server appended to its arguments.

    queue_check.py PROGRAM [ARGUMENT...]
"""
import subprocess
import sys

import nats_fixture


def main():
    with nats_fixture.NatsServer() as server:
        status = subprocess.run(sys.argv[1:] + [server.url], timeout=300).returncode
    if status != 0:
        print("rerun alone: tests/fleet/queue_check.py " + " ".join(sys.argv[1:]))
    sys.exit(status)


if __name__ == "__main__":
    main()
