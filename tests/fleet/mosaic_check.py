#!/usr/bin/env python3
"""One image by several workers, on a file system and in SeaweedFS: the result must have the bytes of
'swathe apply', and nothing else may remain.

    mosaic_check.py SWATHE SWATHE_FLEET [directory] [whole|kills|changed|vanished|at_once|cancel|refused...]

"directory": without SeaweedFS, as if it is not installed. The section "kills" runs beside the others.
"""
import contextlib
import os
import sys
import threading
import time

import fleet_run
import mosaic_run
from nats_fixture import NatsServer

WIDTH, HEIGHT = 3000, 2500
WORKERS, KILLS = 3, 10


class Case:
    """A queue, a source image and its places."""

    def __init__(self, checks, swathe, program, nats, folder, weed):
        self.checks, self.swathe, self.program, self.nats = checks, swathe, program, nats
        self.folder, self.weed = folder, weed
        self.expected = mosaic_run.read(folder + "/expected.tif")

    def places(self, name):
        original = self.folder + "/source.tif"
        made = [mosaic_run.Directory(f"{self.folder}/{name}", original)]
        if self.weed:
            self.weed.make_bucket(name + "-bucket")
            made.append(mosaic_run.Bucket(self.weed, name + "-bucket", original))
        return made

    def fleet(self, place, name):
        return fleet_run.Fleet(self.program, self.nats, f"{name}-{place.name}", place.environment)

    def check_result(self, place, name):
        what = f"{name}, {place.name}: "
        self.checks.that(place.result("out.tif") == self.expected,
                         what + "the bytes equal those of 'swathe apply'")
        end = time.monotonic() + 5  # the last objects are deleted after the result was published
        while place.others("out.tif") and time.monotonic() < end:
            time.sleep(0.2)
        left = place.others("out.tif")
        self.checks.that(not left, what + f"nothing else remains {left[:5]}")


def submit(fleet, place, *more):
    return fleet.submit(mosaic_run.CHAIN, place.url("source.tif"), place.url("out.tif"), *more)


def whole(case):
    """All tiles in one job, so that parts of the file are copied within the store."""
    for place in case.places("whole"):
        with case.fleet(place, "whole") as fleet:
            needs = submit(fleet, place, "--dry-run").stdout
            case.checks.that(f"up to {3 * WIDTH * HEIGHT} bytes in 3 parts, from 2 temporary objects" in needs,
                             f"whole: --dry-run says what it needs: {needs.splitlines()[1]}")
            submit(fleet, place)
            again = submit(fleet, place)
            case.checks.that(again.returncode == 0 and "was submitted before" in again.stdout,
                             "whole: submitting twice is allowed")
            fleet.start_worker(f"whole-{place.name}", "--allow", place.allow)
            status = mosaic_run.wait(fleet)
            case.checks.that(status["done"] == status["jobs"] and not status["dead"],
                             f"whole, {place.name}: all jobs are done {status['done']}")
            parts = status["jobs"] - 3
            case.checks.that(status["mosaic"] == {"phase": "done", "tiles": {"jobs": 1, "done": 1},
                                                  "parts": {"jobs": parts, "done": parts}},
                             f"whole, {place.name}: status counts tiles and parts")
            line = fleet.run("status").stdout
            case.checks.that(f"phase done, jobs of tiles 1 of 1, of parts {parts} of {parts}" in line,
                             f"whole, {place.name}: status in words {line!r}")
            case.check_result(place, "whole")


def at_once(case):
    """Several submits: the jobs must be there once, or the last one waits for its copy."""
    place = case.places("at-once")[0]
    for attempt in range(4):
        with case.fleet(place, f"at-once-{attempt}") as fleet:
            threads = [threading.Thread(target=submit, args=(fleet, place, "--tiles-per-job", "1"))
                       for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            status = fleet.status()
            case.checks.that(status["submitted"] and status["waiting"] == status["jobs"],
                             f"at once: {status['waiting']} jobs for {status['jobs']}")


def kill_workers(case, place, results):
    """Kills one worker a second, KILLS of them."""
    with case.fleet(place, "kills") as fleet:
        submit(fleet, place, "--tiles-per-job", "2", "--attempts", "100")
        names = iter(range(1000))

        def start():
            return fleet.start_worker(f"kills-{place.name}-{next(names)}", "--allow", place.allow)

        workers = [start() for _ in range(WORKERS)]
        seen = set()
        for kill in range(KILLS):
            time.sleep(1)
            workers[kill % WORKERS].kill()
            workers[kill % WORKERS] = start()
            seen.add(place.size("out.tif"))
        status = mosaic_run.wait(fleet)
        for worker in workers:
            worker.terminate()
        codes = [worker.wait() for worker in workers]
        results[place.name] = (status, codes, seen, mosaic_run.statistics(fleet))


def kills(case):
    """Both places at a time, because the queue waits 30 seconds for workers that were killed."""
    places, results = case.places("kills"), {}
    threads = [threading.Thread(target=kill_workers, args=(case, place, results))
               for place in places]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for place in places:
        status, codes, seen, (count, again) = results.get(place.name, ({}, [], {0}, (0, 0)))
        print(f"{place.name}: {KILLS} kills, {count} results, {again} after a redelivery")
        case.checks.that(status and status["done"] == status["jobs"] and not status["dead"],
                         f"kills, {place.name}: all jobs are done")
        case.checks.that(codes == [0] * WORKERS, f"kills, {place.name}: workers end with 0 {codes}")
        case.checks.that(again > 0, f"kills, {place.name}: workers were killed while they worked")
        case.checks.that(seen <= {None, len(case.expected)},
                         f"kills, {place.name}: the target was never partial")
        case.check_result(place, "kills")


def changed(case):
    """A source that changes after submit: dead letters say so. Objects have the same ETag when their
    bytes are restored; then 'retry' completes the set. An older file at the target is not taken for
    the result."""
    for place in case.places("changed"):
        place.put("out.tif", b"older")
        with case.fleet(place, "changed") as fleet:
            submit(fleet, place, "--tiles-per-job", "48")
            place.change()
            fleet.start_worker(f"changed-{place.name}", "--allow", place.allow)
            status = mosaic_run.wait(fleet)
            letters = fleet.dead_letters()
            case.checks.that(status["dead"] == status["jobs"],
                             f"changed, {place.name}: all jobs are given up")
            case.checks.that(any("changed since the set was submitted" in letter["reason"]
                                 for letter in letters),
                             f"changed, {place.name}: dead letters say that the source changed")
            case.checks.that(place.result("out.tif") == b"older", f"changed, {place.name}: no result")
            if place.name == "s3":
                place.restore()
                fleet.run("retry")
                status = mosaic_run.wait(fleet)
                case.checks.that(status["done"] == status["jobs"], "changed, s3: 'retry' completes it")
                case.check_result(place, "changed")
            else:
                fleet.run("cancel")
                case.checks.that(not place.others("out.tif"),
                                 "changed, directory: 'cancel' leaves nothing")


def vanished(case):
    """Jobs that vanished from the queue, as after a loss of its disk. The last job alone does not take an
    older file for the result; 'retry' makes all jobs again."""
    for place in case.places("vanished"):
        place.put("out.tif", b"older")
        with case.fleet(place, "vanished") as fleet:
            submit(fleet, place, "--tiles-per-job", "48")
            status = fleet.status()
            jobs = status["jobs"]
            case.checks.that(status["mosaic"]["phase"] == "tiles", "vanished: the phase is tiles")
            fleet.purge()
            fleet.publish_job({"v": 1, "set": fleet.identity(), "id": jobs - 1, "generation": 0,
                               "kind": "finish"}, 2)
            worker = fleet.start_worker(f"vanished-{place.name}", "--allow", place.allow)
            fleet_run.wait_until("some looks at the job", lambda: fleet.deliveries(2) > 4
                                 or fleet.status()["done"], 30)
            case.checks.that(fleet.status()["done"] == 0 and place.result("out.tif") == b"older",
                             f"vanished, {place.name}: an older file is not the result")
            worker.kill()
            fleet.purge()
            case.checks.that(fleet.status()["missing"] == jobs,
                             f"vanished, {place.name}: all jobs are missing")
            fleet.run("retry")
            fleet.start_worker(f"again-{place.name}", "--allow", place.allow)
            status = mosaic_run.wait(fleet)
            case.checks.that(status["done"] == jobs, f"vanished, {place.name}: 'retry' makes all jobs")
            case.check_result(place, "vanished")


def cancel(case):
    for place in case.places("cancel"):
        with case.fleet(place, "cancel") as fleet:
            submit(fleet, place, "--tiles-per-job", "1")
            worker = fleet.start_worker(f"cancel-{place.name}", "--allow", place.allow)
            fleet_run.wait_until("tiles", lambda: any(
                subject.startswith("swathe.results.") for subject, _ in fleet.results()))
            fleet.run("cancel")
            case.checks.that(worker.wait() == 0, f"cancel, {place.name}: the worker ends with 0")
            left = place.others()
            case.checks.that(not left, f"cancel, {place.name}: nothing remains {left[:5]}")


def refused(case):
    """Jobs that are not those of the set, and sources that cannot be a mosaic."""
    place = case.places("refused")[0]
    with case.fleet(place, "refused") as fleet:
        submit(fleet, place, "--tiles-per-job", "48")
        jobs = fleet.status()["jobs"]
        common = {"v": 1, "set": fleet.identity(), "generation": 0}
        bad = [{**common, "id": 0, "kind": "tiles", "offset": 1, "size": 48},
               {**common, "id": 1, "kind": "tiles", "offset": 0, "size": 48},
               {**common, "id": jobs, "kind": "finish"}, {**common, "id": 0, "kind": "finish"},
               {**common, "id": jobs - 2, "kind": "part", "offset": 0, "size": 7},
               {**common, "id": 2, "kind": "images", "keys": ["x.tif"]}]
        for job in bad:
            fleet.publish_job(job, 0)
        fleet.start_worker("refused", "--allow", place.allow)
        status = mosaic_run.wait(fleet)
        case.checks.that(len(fleet.dead_letters()) == len(bad), "refused: wrong jobs are dead letters")
        case.checks.that(status["done"] == jobs, "refused: the others are done")
        case.check_result(place, "refused")
        other = fleet.start_worker("outside", "--allow", place.url("out.tif"))
        case.checks.that(other.wait() == 7, "refused: a worker that may not use the source")
    strips = place.url("strips.tif")
    fleet_run.run([case.swathe, "apply", "identity", place.url("source.tif"), place.url("a.png")])
    for source, target, text in ((place.url("a.png"), place.url("b.tif"), "tiled TIFF first"),
                                 (place.url("source.tif"), place.url("b.png"), "tiled TIFF")):
        with case.fleet(place, "no") as fleet:
            done = fleet.submit("sharpen", source, target, check=False)
            case.checks.that(done.returncode != 0 and text in done.stderr,
                             f"refused: {os.path.basename(source)} to {os.path.basename(target)}")
    with case.fleet(place, "no") as fleet:
        done = fleet.submit("sharpen", place.url("source.tif"), strips, "--tile", "0", check=False)
        case.checks.that("tile" in done.stderr and done.returncode != 0, "refused: strips")


SECTIONS = {"whole": whole, "kills": kills, "changed": changed, "vanished": vanished,
            "at_once": at_once, "cancel": cancel, "refused": refused}


@contextlib.contextmanager
def object_store(wanted):
    import weed_server
    if not wanted or not weed_server.program():
        if wanted:
            print("without SeaweedFS: weed is not installed; set SWATHE_WEED")
        yield None
        return
    with weed_server.start() as weed:
        yield weed


def run_sections(case, names):
    for name in names:
        start = time.monotonic()
        try:
            SECTIONS[name](case)
        except (OSError, RuntimeError) as error:  # a thread's exception would not fail the test
            case.checks.that(False, f"{name}: {error!r}")
        print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)


def main():
    swathe, program, *names = sys.argv[1:]
    checks = fleet_run.Checks(" ".join(sys.argv))
    directory_only = "directory" in names
    names = [name for name in names if name != "directory"] or list(SECTIONS)
    with fleet_run.scratch("mosaic") as folder:
        mosaic_run.make_source(swathe, folder, WIDTH, HEIGHT)
        with object_store(not directory_only) as weed, NatsServer() as nats:
            case = Case(checks, swathe, program, nats, folder, weed)
            beside = threading.Thread(target=run_sections, args=(case, {"kills"} & set(names)))
            beside.start()
            run_sections(case, [name for name in names if name != "kills"])
            beside.join()
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
