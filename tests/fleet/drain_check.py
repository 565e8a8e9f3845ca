#!/usr/bin/env python3
"""A draining worker ends although the queue counts a job as delivered that no worker holds, as a
server that was killed may do for ever.

    drain_check.py SWATHE SWATHE_FLEET
"""
import json
import sys
import time

import fleet_run
import nats_client
from nats_fixture import NatsServer, find_server

SET = "drained"
HOUR = 3600 * 10**9


def take_job(url):
    """Takes the first job as a worker would, and asks for it again in an hour."""
    stream = f"SWATHE_JOBS_{SET}"
    with nats_client.NatsClient(url) as client:
        job = client.request(f"$JS.API.CONSUMER.MSG.NEXT.{stream}.p1", b'{"batch":1}')
        text = b"-NAK " + json.dumps({"delay": HOUR}).encode()
        client.send(f"PUB $JS.ACK.{stream}.p1.1.1.1.0.0 {len(text)}\r\n".encode() + text + b"\r\n")
        left = client.unsettled(stream)
    return json.loads(job), left


def run(options, folder, nats, checks):
    names = fleet_run.make_images(options[0], folder + "/in", 4)
    with fleet_run.Fleet(options[1], nats, SET) as fleet:
        fleet.submit("sharpen", folder + "/in", folder + "/out", "--images-per-job", "1")
        job, left = take_job(nats.url)
        checks.that("keys" in job and left == len(names), f"a job was taken, {left} are left")
        fleet.run("drain")
        start = time.monotonic()
        worker = fleet.start_worker("one", "--allow", folder)
        code = worker.wait(150)
        seconds = time.monotonic() - start
        checks.that(code == 0, f"the worker ends with {code} after {seconds:.0f} s")
        checks.that(seconds > 60, "it waits until a dead worker's job would have come back")
        checks.that(len(fleet_run.contents(folder + "/out")) == len(names) - 1,
                    "it has done the other jobs")
        status = fleet.status()
        checks.that(status["done"] == len(names) - 1 and status["running"] == 1, f"{status}")


def main():
    find_server()
    checks = fleet_run.Checks(" ".join(sys.argv))
    with fleet_run.scratch("drain") as folder, NatsServer() as nats:
        run(sys.argv[1:], folder, nats, checks)
    sys.exit(checks.finish())


if __name__ == "__main__":
    main()
