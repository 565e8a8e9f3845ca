#!/usr/bin/env python3
"""Measures a worker beside a bare loop that does the same work without a queue, and the queue with
jobs without work beside the client library alone. Runs alternate; medians are compared.

    fleet_speed.py SWATHE SWATHE_FLEET BARE_IMAGES BARE_PULL [--store directory|s3] [--images N]
                   [--size WxH] [--rounds N] [--jobs N]

Needs a test build: SWATHE_FLEET_NO_WORK makes a worker settle jobs without doing them: 'ack'
acknowledges them, which is what bare_pull does, 'result' also publishes a result for each before. All
wait until the server has confirmed every acknowledgement. The worker has those of all finished jobs
under way at once. It also parses and checks the jobs, and hands them to its slots.
"""
import argparse
import contextlib
import datetime
import os
import statistics
import subprocess
import sys

import fleet_run
from nats_fixture import NatsServer

CHAIN = "sharpen,gaussian:5"
BATCH = 128  # of a worker's pulls


def busy_seconds(worker):
    """The time from a worker's start to its last job."""
    lines = {line["event"]: line for line in worker.log()}
    times = {event: datetime.datetime.fromisoformat(lines[event]["time"][:-1])
             for event in ("start", "idle")}
    idle = float(lines["idle"]["text"].split()[3])
    return (times["idle"] - times["start"]).total_seconds() - idle


def rate_of(words, names, environment):
    done = subprocess.run(words, input="".join(name + "\n" for name in names), text=True,
                          capture_output=True, env={**os.environ, **environment}, check=True)
    return float(done.stdout.split()[0])


def run_worker(fleet, allow, **environment):
    worker = fleet.start_worker("speed", "--allow", allow, "--idle", "1s", **environment)
    if worker.wait(600) != 0:
        raise RuntimeError(worker.log())
    seconds = busy_seconds(worker)
    worker.kill()
    return seconds


def report(what, bare, own):
    ratio = statistics.median(own) / statistics.median(bare)
    print(f"{what}: bare {statistics.median(bare):.1f}/s ({min(bare):.1f} to {max(bare):.1f}), "
          f"worker {statistics.median(own):.1f}/s ({min(own):.1f} to {max(own):.1f}), "
          f"ratio {ratio:.2f}", flush=True)


def measure_images(options, nats, folder, store, environment):
    names = fleet_run.make_images(options.swathe, folder + "/in", options.images,
                                  sizes=(tuple(map(int, options.size.split("x"))),))
    if environment:
        for name, data in fleet_run.contents(folder + "/in").items():
            store.request("PUT", f"/images/in/{name}", body=data)
    root = "s3://images/" if environment else folder + "/"
    bare, own = [], []
    for number in range(options.rounds):
        bare.append(rate_of([options.bare_images, CHAIN, root + "in/", root + "bare/",
                             str(2 * len(os.sched_getaffinity(0)))], names, environment))
        with fleet_run.Fleet(options.program, nats, f"images{number}", environment) as fleet:
            fleet.submit(CHAIN, root + "in/", root + "out/", "--images-per-job", "100")
            own.append(len(names) / run_worker(fleet, root))
    report(f"{options.images} images of {options.size}, {options.store}", bare, own)


def submit_empty_jobs(options, nats, folder, name):
    """Jobs of one image each; their work is skipped."""
    fleet = fleet_run.Fleet(options.program, nats, name)
    fleet.submit(CHAIN, folder + "/names/", folder + "/none/", "--images-per-job", "1")
    return fleet


def measure_queue(options, nats, folder):
    os.makedirs(folder + "/names")
    for number in range(options.jobs):
        with open(f"{folder}/names/{number:06d}.jpg", "wb"):
            pass
    slots = str(2 * len(os.sched_getaffinity(0)))
    for mode, threads, confirmed, what in (
            ("ack", slots, "single", f"bare acknowledges in {slots} threads, one by one"),
            ("ack", "1", "batch", "bare acknowledges a batch at once"),
            ("result", slots, "single", "as the first, but the worker publishes results too")):
        bare, own = [], []
        for number in range(options.rounds):
            name = f"{mode}-{confirmed}-{number}"
            submit_empty_jobs(options, nats, folder, "bare-" + name)
            bare.append(rate_of([options.bare_pull, nats.url, "bare-" + name, str(BATCH), threads,
                                 confirmed], [], {}))
            with submit_empty_jobs(options, nats, folder, name) as fleet:
                own.append(options.jobs / run_worker(fleet, folder, SWATHE_FLEET_NO_WORK=mode))
        report(f"{options.jobs} jobs without work, {what}", bare, own)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("swathe", "program", "bare_images", "bare_pull"):
        parser.add_argument(name)
    parser.add_argument("--store", choices=("directory", "s3"), default="directory")
    parser.add_argument("--images", type=int, default=600)
    parser.add_argument("--size", default="256x256")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=0)
    options = parser.parse_args()
    with fleet_run.scratch("speed") as folder:
        with NatsServer() as nats, contextlib.ExitStack() as stack:
            store, environment = None, {}
            if options.store == "s3":
                import weed_server
                weed_server.skip_unless_installed()
                store = stack.enter_context(weed_server.start("images"))
                environment = store.environment()
            if options.images:
                measure_images(options, nats, folder, store, environment)
            if options.jobs:
                measure_queue(options, nats, folder)


if __name__ == "__main__":
    sys.exit(main())
