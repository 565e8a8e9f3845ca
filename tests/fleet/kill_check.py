#!/usr/bin/env python3
"""Kills workers with SIGKILL, one a second, while they filter a set: every output must be that of
'swathe batch', and no other file may appear.

    kill_check.py SWATHE SWATHE_FLEET [--images N] [--store directory|s3] [--seed N]
"""
import argparse
import os
import random
import sys
import time

import fleet_run
from nats_fixture import NatsServer

CHAIN = "gaussian:7,sharpen"
WORKERS = 3


class DirectoryStore:
    def __init__(self, folder):
        self.source, self.target = folder + "/in/", folder + "/out/"
        self.allow, self.environment = folder, {}

    def fill(self, files):
        pass  # the images were made there

    def outputs(self):
        """Killed writers leave temporary files, which no reader takes for an image."""
        found = fleet_run.contents(self.target)
        left = [name for name in found if os.path.basename(name).startswith(".swathe-part-")]
        print(len(left), "temporary files left")
        return {name: data for name, data in found.items() if name not in left}


class ObjectStore:
    def __init__(self, weed):
        self.weed, self.source, self.target = weed, "s3://images/in/", "s3://images/out/"
        self.allow, self.environment = "s3://images/", weed.environment()

    def fill(self, files):
        for name, data in files.items():
            self.weed.request("PUT", f"/images/in/{name}", body=data)
        self.names = sorted(files)

    def outputs(self):
        found = {name: self.weed.request("GET", f"/images/out/{name}") for name in self.names}
        return {name: data for name, data in found.items() if data is not None}


def kill_until_done(fleet, store, count, draw):
    """Kills one worker a second until every image has a result. Returns the number of kills."""
    kills, started = 0, WORKERS
    workers = [fleet.start_worker(f"w{i}", "--allow", store.allow) for i in range(WORKERS)]
    end = time.monotonic() + 240
    while len(fleet.images()) < count and time.monotonic() < end:
        time.sleep(1)
        victim = draw.randrange(WORKERS)
        workers[victim].kill()
        workers[victim] = fleet.start_worker(f"w{started}", "--allow", store.allow)
        started += 1
        kills += 1
    for worker in workers:
        fleet_run.wait_until("a start", lambda: "start" in worker.events())
        worker.terminate()
    codes = [worker.wait() for worker in workers]
    return kills, codes


def check(checks, swathe, program, store, folder, options):
    fleet_run.make_images(swathe, folder + "/in", options.images,
                          sizes=((640, 480), (500, 700), (333, 222)))
    fleet_run.batch(swathe, CHAIN, folder + "/in", folder + "/expected", "--exact")
    store.fill(fleet_run.contents(folder + "/in"))
    with NatsServer() as nats, fleet_run.Fleet(program, nats, "kills", store.environment) as fleet:
        fleet.submit(CHAIN, store.source, store.target, "--images-per-job", "5", "--attempts", "100")
        kills, codes = kill_until_done(fleet, store, options.images, random.Random(options.seed))
        images, dead = fleet.images(), fleet.dead_letters()
        attempts = [result["attempt"] for _, result in fleet.results()]
    expected, outputs = fleet_run.contents(folder + "/expected"), store.outputs()
    again = sum(attempt > 1 for attempt in attempts)
    print(f"{kills} kills, {len(attempts)} results, {again} of them after a redelivery")
    checks.that(kills >= 5, "workers were killed while they worked")
    checks.that(codes == [0] * WORKERS, "the others end with 0")
    checks.that(len(images) == options.images and not dead, "every image has a result, no dead letter")
    checks.that(all(not image.get("status") for image in images.values()), "no image failed")
    checks.that(outputs == expected, f"all {len(expected)} outputs equal those of 'swathe batch', "
                "and there are no others")
    checks.that(all(images[name]["bytes"] == fleet_run.digest(data)
                    for name, data in outputs.items()), "and results state their checksums")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("swathe")
    parser.add_argument("program")
    parser.add_argument("--images", type=int, default=300)
    parser.add_argument("--store", choices=("directory", "s3"), default="directory")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    checks = fleet_run.Checks(" ".join(sys.argv))
    with fleet_run.scratch("kills") as folder:
        if options.store == "s3":
            import weed_server
            weed_server.skip_unless_installed()
            with weed_server.start("images") as weed:
                check(checks, options.swathe, options.program, ObjectStore(weed), folder, options)
        else:
            check(checks, options.swathe, options.program, DirectoryStore(folder), folder, options)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
