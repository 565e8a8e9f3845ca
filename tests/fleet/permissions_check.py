#!/usr/bin/env python3
"""Runs queue_permissions with the users of deploy/nats.conf.

    permissions_check.py PROGRAM DEPLOY_FOLDER
"""
import os
import re
import subprocess
import sys

import nats_fixture


def main():
    program, deploy = sys.argv[1:3]
    os.environ.update(SWATHE_ADMIN_PASSWORD="admin-secret", SWATHE_WORKER_1_PASSWORD="first-secret",
                      SWATHE_WORKER_2_PASSWORD="second-secret")
    with open(os.path.join(deploy, "nats.conf"), encoding="utf-8") as file:
        text = file.read()
    # The port and the directory are the test's own.
    accounts = text[text.index("accounts {"):]
    if not re.search(r"^listen:", text, re.M):
        sys.exit("nats.conf has no listen line")
    with nats_fixture.NatsServer(accounts) as server:
        status = subprocess.run([program, server.url], timeout=300).returncode
    if status != 0:
        print(f"rerun alone: permissions_check.py {program} {deploy}")
    sys.exit(status)


if __name__ == "__main__":
    main()
