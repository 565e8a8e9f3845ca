#!/usr/bin/env python3
"""Commands and workers with a queue that is full.

    queue_trouble.py SWATHE_FLEET QUEUE_PROBE [CHECK]
"""
import argparse
import contextlib
import tempfile

import nats_client
import nats_fixture
from fleet_commands import Fleet, contains, equal


def fill_queue(client, name):
    """Publishes results until the server has no room left for any message."""
    for size in (50000, 1):
        with contextlib.suppress(RuntimeError):
            while True:
                client.publish(f"swathe.results.{name}.w1", b"x" * size)


def check_full(options, folder):
    """What frees a queue works when its storage is full, and holds after the server was killed."""
    with nats_fixture.NatsServer(limits="max_file_store: 1M") as server:
        own = Fleet(options.program, options.probe, server, folder)
        own.make(["a.jpg"])
        for name in ("s1", "s2", "s3"):
            own.submit(name)
        with nats_client.NatsClient(server.url) as client:
            fill_queue(client, "s1")
        contains(own.submit("s4", expect=5), "insufficient resources")
        contains(own.run("drain", "--set", "s1"), "s1: draining")
        contains(own.run("cancel", "--set", "s2"), "s2: cancelled")
        contains(own.run("cancel", "--delete", "--set", "s3"), "s3: cancelled and deleted")
        server.restart()
        equal("state of s1", own.status("s1")["state"], "draining")
        state = own.status("s2")
        equal("state of s2", (state["state"], state["waiting"]), ("cancelled", 0))
        own.run("status", "--set", "s3", expect=2)
        with nats_client.NatsClient(server.url) as client:
            fill_queue(client, "s1")
        contains(own.run("drain", "--undo", "--set", "s1"), "s1: active")
        own.run("cancel", "--delete", "--set", "s1")
        own.submit("s4")


CHECKS = {"full": check_full}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("program", help="swathe-fleet")
    parser.add_argument("probe", help="queue_probe")
    parser.add_argument("checks", nargs="*")
    options = parser.parse_args()
    for name in options.checks or CHECKS:
        print(f"{name}: {CHECKS[name].__doc__}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            CHECKS[name](options, folder)


if __name__ == "__main__":
    main()
