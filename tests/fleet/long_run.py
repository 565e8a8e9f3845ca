#!/usr/bin/env python3
"""Filters many small images in SeaweedFS while workers, the queue and the store are killed and a
proxy makes a share of the store's responses fail. Then compares every output with that of
'swathe batch'.

    long_run.py SWATHE SWATHE_FLEET [--images N] [--workers N] [--kill-workers N] [--kill-queue N]
                [--kill-store N] [--faults SHARE] [--audit SHARE] [--plants] [--json FILE]

--plants then damages the outputs in each way that the comparison must find, one after the other.
"""
import argparse
import collections
import contextlib
import json
import os
import random
import shutil
import sys
import tempfile
import time

import fleet_run
from nats_fixture import NatsClient, NatsServer, find_server

import bulk_objects
import fault_proxy
import weed_server

CHAIN = "gaussian:7,sharpen"
SET = "long"
BUCKET = "images"
SIZES = tuple((width, height) for width in (64, 91, 128, 160, 200) for height in (64, 77, 133, 200))
FAULTS = "500,503,reset,late-500,late-reset,cut"
FIRST, LAST = 0.02, 0.9  # share of the jobs that is done at the first and the last kill


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("swathe")
    parser.add_argument("program", help="swathe-fleet")
    parser.add_argument("--images", type=int, default=3000)
    parser.add_argument("--distinct", type=int, default=300, help="different contents of the images")
    parser.add_argument("--images-per-job", type=int, default=50)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--kill-workers", type=int, default=10)
    parser.add_argument("--kill-queue", type=int, default=2)
    parser.add_argument("--kill-store", type=int, default=1)
    parser.add_argument("--faults", type=float, default=0.01, help="share of faulty responses")
    parser.add_argument("--audit", default="", help="share of the images to audit, such as 5%%")
    parser.add_argument("--minutes", type=float, default=60, help="longest time for the set")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plants", action="store_true")
    parser.add_argument("--json", help="file for the figures")
    return parser.parse_args()


class Images:
    """Keys of the images and the expected bytes of their outputs."""

    def __init__(self, options, folder):
        names = fleet_run.make_images(options.swathe, folder + "/in", options.distinct,
                                      options.seed, SIZES)
        fleet_run.batch(options.swathe, CHAIN, folder + "/in", folder + "/expected", "--exact")
        sources = fleet_run.contents(folder + "/in")
        outputs = fleet_run.contents(folder + "/expected")
        self.sources = [sources[name] for name in names]
        self.outputs = [outputs[name] for name in names]
        self.digests = [fleet_run.digest(data) for data in self.outputs]
        self.numbers = {f"{i // 1000:04d}/{i:07d}.jpg": i % len(names)
                        for i in range(options.images)}

    def uploads(self):
        return (("in/" + key, self.sources[number]) for key, number in self.numbers.items())

    def output(self, key):
        return self.outputs[self.numbers[key]]


class Kills:
    """Keeps workers running and kills workers and servers at shares of the work."""

    def __init__(self, options, fleet, nats, weed):
        self.options, self.fleet, self.nats, self.weed = options, fleet, nats, weed
        self.draw = random.Random(options.seed)
        kinds = ["worker"] * options.kill_workers + ["queue"] * options.kill_queue + [
            "store"] * options.kill_store
        self.draw.shuffle(kinds)
        step = (LAST - FIRST) / max(1, len(kinds) - 1)
        self.plan = [(FIRST + step * i, kind) for i, kind in enumerate(kinds)]
        self.count = collections.Counter()
        self.exits = []
        self.workers = [self.start(i) for i in range(options.workers)]

    def start(self, number):
        self.count["starts"] += 1
        return self.fleet.start_worker(f"w{number}", "--allow", f"s3://{BUCKET}/",
                                       "--slots", "4")

    def look_after(self):
        """Starts workers again that have ended, as a service manager would."""
        for number, worker in enumerate(self.workers):
            code = worker.process.poll()
            if code is not None:
                last = ([line["text"] for line in worker.log()] or [""])[-1]
                self.exits.append((code, last))
                print(f"  worker w{number} ended with {code}: {last}", flush=True)
                self.workers[number] = self.start(number)

    def kill(self, kind):
        self.count[kind] += 1
        if kind == "worker":
            number = self.draw.randrange(len(self.workers))
            self.workers[number].kill()
            self.fleet.workers.remove(self.workers[number])
            self.workers[number] = self.start(number)
        elif kind == "queue":
            self.nats.restart(self.draw.uniform(0.2, 3))
        else:
            self.weed.kill()
            time.sleep(self.draw.uniform(0.2, 3))
            self.weed.run()

    def run(self, jobs):
        """Returns when every job has an outcome and all kills were done. The number of jobs in the
        queue tells less: a server that was killed can count settled jobs for ever."""
        end = time.monotonic() + 60 * self.options.minutes
        shown = time.monotonic()
        while time.monotonic() < end:
            time.sleep(0.2)
            self.look_after()
            with NatsClient(self.nats.url) as client:
                results = client.info(f"SWATHE_RESULTS_{SET}")["messages"]
                left = client.unsettled(f"SWATHE_JOBS_{SET}")
            if self.plan and (results >= self.plan[0][0] * jobs or left == 0):
                self.kill(self.plan.pop(0)[1])
            elif left == 0 or (results >= jobs and self.fleet.status()["ended"]):
                return
            if time.monotonic() - shown > 15:
                shown = time.monotonic()
                print(f"  {results} results, {left} of {jobs} jobs left, kills {dict(self.count)}",
                      flush=True)
        raise TimeoutError("the set is not done")


def damage(store, images, only=None):
    """What is wrong with the outputs: kind -> names. `only`: names whose bytes are compared."""
    sizes = store.sizes()
    wrong = collections.defaultdict(list)
    wanted = {"out/" + key: key for key in images.numbers}

    def compare(name, data):
        expected = images.output(wanted[name])
        if data == expected:
            return None
        if data is None:
            return "lost", name
        return ("partial" if expected.startswith(data) else "wrong"), name

    for found in filter(None, store.each(only or list(wanted), compare)):
        wrong[found[0]].append(found[1])
    inputs = {"in/" + key for key in images.numbers}
    wrong["extra"] = [key for key in sizes if key not in wanted and key not in inputs]
    wrong["unlisted"] = [key for key in wanted if key not in sizes]
    wrong["uploads"] = store.uploads()
    return {kind: keys for kind, keys in wrong.items() if keys}


def read_results(fleet, images):
    """Figures of the results stream."""
    figures = collections.Counter(results=0, dead=0, failed=0, wrong_results=0)
    attempts, seen = {}, set()
    for subject, result in fleet.results():
        if subject.startswith("swathe.dead."):
            figures["dead"] += 1
            print("  dead letter:", result["reason"])
        elif result.get("kind") == "audit":
            figures["audits"] += 1
        elif subject.startswith("swathe.results."):
            figures["results"] += 1
            attempts[result["id"]] = max(result["attempt"], attempts.get(result["id"], 0))
            for image in result["images"]:
                if image.get("status"):
                    figures["failed"] += 1
                    print("  failed:", image)
                    continue
                seen.add(image["key"])
                if image["bytes"] != images.digests[images.numbers[image["key"]]]:
                    figures["wrong_results"] += 1
    figures["jobs"] = len(attempts)
    figures["without_result"] = len(images.numbers) - len(seen)
    figures["redelivered_jobs"] = sum(count > 1 for count in attempts.values())
    figures["redeliveries"] = sum(attempts.values()) - len(attempts)
    figures["most_attempts"] = max(attempts.values(), default=0)
    return figures


def plants(checks, store, images):
    """The comparison must find each kind of damage."""
    key = "out/" + sorted(images.numbers)[len(images.numbers) // 2]
    data = images.output(key[4:])
    middle = len(data) // 2
    cases = {"lost": lambda: store.delete(key),
             "wrong": lambda: store.put(key, data[:middle] + bytes([data[middle] ^ 1]) +
                                        data[middle + 1:]),
             "partial": lambda: store.put(key, data[:-1]),
             "extra": lambda: store.put("out/.swathe-part-1", data)}
    for kind, plant in cases.items():
        plant()
        found = damage(store, images, [key])
        checks.that(found.get(kind) == [key if kind != "extra" else "out/.swathe-part-1"],
                    f"planted: {kind} is found: {found}")
        store.delete("out/.swathe-part-1")
        store.put(key, data)
    store.request("POST", "out/new.jpg", "uploads=")
    checks.that("uploads" in damage(store, images, [key]), "planted: an upload that was left is found")


def drain(fleet, workers):
    """Lets the workers end; returns their exit codes."""
    fleet.run("drain")
    return [worker.wait(120) for worker in workers]


def work(options, images, nats, weed, figures):
    """Runs the set. Returns what the results stream has."""
    start = time.monotonic()
    with fault_proxy.running(weed.endpoint, share=options.faults, seed=options.seed,
                             faults=FAULTS) as proxy:
        with fleet_run.Fleet(options.program, nats, SET, weed.environment(proxy.endpoint)) as fleet:
            fleet.submit(CHAIN, f"s3://{BUCKET}/in/", f"s3://{BUCKET}/out/", "--images-per-job",
                         str(options.images_per_job), "--attempts", "100")
            figures["submit_seconds"] = round(time.monotonic() - start, 1)
            status = fleet.status()
            figures["jobs_submitted"] = status["jobs"]
            start = time.monotonic()
            kills = Kills(options, fleet, nats, weed)
            kills.run(status["jobs"])
            figures["seconds"] = round(time.monotonic() - start, 1)
            if options.audit:
                done = fleet.run("audit", "--audit", options.audit, check=False)
                figures["audit_code"] = done.returncode
                print(done.stdout + done.stderr)
            done = fleet.run("status", "--wait", "--json", check=False)
            figures["status_code"] = done.returncode
            figures["worker_codes"] = drain(fleet, kills.workers)
            figures["exits"] = kills.exits
            figures["kills"] = {kind: kills.count[kind] for kind in ("worker", "queue", "store")}
            results = read_results(fleet, images)
    figures["faults"] = {kind: count for kind, count in proxy.counts.items()
                         if kind in FAULTS.split(",")}
    figures["requests"] = proxy.counts["requests"]
    return results


def judge(checks, options, figures, results, found):
    kills = figures["kills"]
    wanted = {"worker": options.kill_workers, "queue": options.kill_queue,
              "store": options.kill_store}
    checks.that(kills == wanted, f"all kills were done: {kills}")
    checks.that(not found, f"every output is that of 'swathe batch', and there is no other "
                f"object{': ' + str(found)[:2000] if found else ''}")
    checks.that(results["without_result"] == 0 and results["failed"] == 0,
                "every image has a result")
    checks.that(results["wrong_results"] == 0, "results state the checksums of the outputs")
    checks.that(results["dead"] == 0, "no dead letters")
    checks.that(figures["status_code"] == 0, "'status --wait' says that all is done")
    checks.that(figures["worker_codes"] == [0] * options.workers, "the workers end with 0")
    checks.that(all(code > 0 for code, _ in figures["exits"]), "no worker crashed")
    if options.faults:
        checks.that(sum(figures["faults"].values()) > 0, "faults were injected")
    if options.audit:
        checks.that(figures["audit_code"] == 0 and results["audits"] > 0,
                    f"{results['audits']} audits found nothing wrong")


def table(options, figures, results, found):
    faults = figures["faults"]
    rows = [("images", options.images), ("workers", options.workers),
            ("seconds", figures["seconds"]),
            ("images per second", round(options.images / figures["seconds"], 1)),
            ("workers killed", figures["kills"]["worker"]),
            ("queue killed", figures["kills"]["queue"]),
            ("store killed", figures["kills"]["store"]),
            ("requests to the store", figures["requests"]),
            ("faults injected", f"{sum(faults.values())}  ({', '.join(f'{k} {v}' for k, v in sorted(faults.items()))})"),
            ("workers that ended by themselves", len(figures["exits"])),
            ("jobs", figures["jobs_submitted"]), ("results", results["results"]),
            ("jobs delivered again", results["redelivered_jobs"]),
            ("redeliveries", results["redeliveries"]),
            ("most deliveries of a job", results["most_attempts"]),
            ("dead letters", results["dead"]), ("images failed", results["failed"]),
            ("lost", len(found.get("lost", [])) + results["without_result"]),
            ("wrong", len(found.get("wrong", [])) + results["wrong_results"]),
            ("partial", len(found.get("partial", [])) + len(found.get("uploads", []))),
            ("extra", len(found.get("extra", [])))]
    for name, value in rows:
        print(f"{name:34}{value}")


def run(options, folder, checks):
    figures = {}
    start = time.monotonic()
    images = Images(options, folder)
    with weed_server.start(BUCKET) as weed, NatsServer() as nats:
        store = bulk_objects.BulkObjects(weed, BUCKET)
        store.put_all(images.uploads())
        figures["upload_seconds"] = round(time.monotonic() - start, 1)
        print(f"{options.images} images uploaded in {figures['upload_seconds']} s", flush=True)
        results = work(options, images, nats, weed, figures)
        start = time.monotonic()
        found = damage(store, images)
        figures["compare_seconds"] = round(time.monotonic() - start, 1)
        judge(checks, options, figures, results, found)
        table(options, figures, results, found)
        if options.plants:
            plants(checks, store, images)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"options": vars(options), **figures, "results": results, "damage": found},
                      file, indent=1)


def main():
    options = parse()
    weed_server.skip_unless_installed()
    find_server()
    checks = fleet_run.Checks(" ".join(sys.argv))
    folder = tempfile.mkdtemp(prefix="swathe-long-")
    try:
        run(options, folder, checks)
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
