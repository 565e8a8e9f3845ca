#!/usr/bin/env python3
"""Runs a program with the URL of a fresh NATS server appended to its arguments. With --deploy the
server has the accounts of FOLDER/nats.conf.

    queue_check.py [--deploy FOLDER] PROGRAM [ARGUMENT...]
"""
import os
import re
import subprocess
import sys

import nats_fixture


def accounts_of(folder):
    """The configuration from its accounts on: the port and the directory are the test's own."""
    os.environ.update(SWATHE_ADMIN_PASSWORD="admin-secret", SWATHE_WORKER_1_PASSWORD="first-secret",
                      SWATHE_WORKER_2_PASSWORD="second-secret")
    with open(os.path.join(folder, "nats.conf"), encoding="utf-8") as file:
        text = file.read()
    if not re.search(r"^listen:", text, re.M):
        sys.exit("nats.conf has no listen line")
    return text[text.index("accounts {"):]


def main():
    deploy = sys.argv[1] == "--deploy"
    command = sys.argv[3 if deploy else 1:]
    with nats_fixture.NatsServer(accounts_of(sys.argv[2]) if deploy else "") as server:
        status = subprocess.run(command + [server.url], timeout=300).returncode
    if status != 0:
        print("rerun alone: tests/fleet/queue_check.py " + " ".join(sys.argv[1:]))
    sys.exit(status)


if __name__ == "__main__":
    main()
