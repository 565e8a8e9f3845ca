#!/usr/bin/env python3
"""Commands and workers with a queue that is full, that was killed, or that counts wrongly.

    queue_trouble.py SWATHE SWATHE_FLEET QUEUE_PROBE [CHECK...]
"""
import argparse
import contextlib
import json
import tempfile
import time

import fleet_run
import mosaic_run
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
        with nats_fixture.NatsClient(server.url) as client:
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
        with nats_fixture.NatsClient(server.url) as client:
            fill_queue(client, "s1")
        contains(own.run("drain", "--undo", "--set", "s1"), "s1: active")
        own.run("cancel", "--delete", "--set", "s1")
        own.submit("s4")


def stop(server):
    """Ends the server so that all of its state is in its files."""
    server.process.terminate()
    server.process.wait()


def count_for_ever(server, name):
    """Publishes a job, takes and acknowledges it. The server then starts with an older state of the
    consumer, as after a kill, and counts the job as delivered although it is not in the stream."""
    stream = f"SWATHE_JOBS_{name}"
    path = f"{server.folder}/store/jetstream/$G/streams/{stream}/obs/p0/o.dat"
    with nats_fixture.NatsClient(server.url) as client:
        number = client.publish(f"swathe.jobs.{name}.0", b"job")["seq"]
        client.request(f"$JS.API.CONSUMER.MSG.NEXT.{stream}.p0", b'{"batch":1}')
    stop(server)
    with open(path, "rb") as file:
        state = file.read()
    server.start()
    with nats_fixture.NatsClient(server.url) as client:
        client.request(f"$JS.ACK.{stream}.p0.1.{number}.1.0.0", b"+ACK")
    stop(server)
    with open(path, "wb") as file:
        file.write(state)
    server.start()


def check_counts(options, folder):
    """Jobs that the server wrongly counts as delivered do not run, and no job waits for them."""
    mosaic_run.make_source(options.swathe, folder, 400, 300)
    with nats_fixture.NatsServer() as server, fleet_run.Fleet(options.program, server, "m") as fleet:
        fleet.submit(mosaic_run.CHAIN, folder + "/source.tif", folder + "/out.tif")
        before = fleet.status()
        for _ in range(3):  # the server may have been stopped before it stored what it delivered
            count_for_ever(server, "m")
            with nats_fixture.NatsClient(server.url) as client:
                unsettled = client.unsettled("SWATHE_JOBS_m")
            if unsettled > before["waiting"]:
                break
        equal("unsettled jobs", unsettled, before["waiting"] + 1)
        state = fleet.status()
        equal("jobs", (state["waiting"], state["running"]), (before["waiting"], 0))
        fleet.start_worker("one", "--allow", folder)
        fleet_run.wait_until("the mosaic", lambda: fleet.status()["ended"], 20)
        equal("the mosaic", mosaic_run.read(folder + "/out.tif"),
              mosaic_run.read(folder + "/expected.tif"))


def take_job(url, name):
    """Takes the first job as a worker would, and asks for it again in an hour; returns how many are left."""
    stream = f"SWATHE_JOBS_{name}"
    with nats_fixture.NatsClient(url) as client:
        job = json.loads(client.request(f"$JS.API.CONSUMER.MSG.NEXT.{stream}.p1", b'{"batch":1}'))
        text = b"-NAK " + json.dumps({"delay": 3600 * 10**9}).encode()
        client.send(f"PUB $JS.ACK.{stream}.p1.1.1.1.0.0 {len(text)}\r\n".encode() + text + b"\r\n")
        equal("the job", "keys" in job, True)
        return client.unsettled(stream)


def check_drained(options, folder):
    """A draining worker ends although the queue counts a job as delivered that no worker holds, as a
    server that was killed may do for ever."""
    names = fleet_run.make_images(options.swathe, folder + "/in", 4)
    with nats_fixture.NatsServer() as server, fleet_run.Fleet(options.program, server, "d") as fleet:
        fleet.submit("sharpen", folder + "/in", folder + "/out", "--images-per-job", "1")
        equal("unsettled jobs", take_job(server.url, "d"), len(names))
        fleet.run("drain")
        start = time.monotonic()
        equal("exit code", fleet.start_worker("one", "--allow", folder).wait(150), 0)
        equal("it waits until a dead worker's job would have come back", time.monotonic() - start > 60, True)
        equal("outputs", len(fleet_run.contents(folder + "/out")), len(names) - 1)
        state = fleet.status()
        equal("jobs", (state["done"], state["running"]), (len(names) - 1, 1))


CHECKS = {"full": check_full, "counts": check_counts, "drained": check_drained}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("swathe")
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
