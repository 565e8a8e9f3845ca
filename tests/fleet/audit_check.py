#!/usr/bin/env python3
"""One of four workers has a wrong kernel. An audit must find it, repair what it did, and nothing
else.

    audit_check.py SWATHE SWATHE_FLEET WRONG_WORKER [--images N] [--audit SHARE]
                   [--store directory|s3] [CASE...]

WRONG_WORKER is swathe-fleet with a planted bug: it computes images of one width wrongly, which its
self-test does not notice.
"""
import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import fleet_run
from nats_fixture import NatsClient, NatsServer

CHAIN = "gaussian:7,sharpen"
GOOD, BAD = ("good-1", "good-2", "good-3"), "bad"


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


@contextlib.contextmanager
def open_store(kind, folder):
    if kind == "directory":
        yield DirectoryStore(folder)
        return
    import weed_server
    weed_server.skip_unless_installed()
    with weed_server.start("images") as weed:
        yield ObjectStore(weed)


class Case:
    """Images in a store, a set of them, and workers."""

    def __init__(self, options, nats, store, name, checks):
        if options.store == "directory":
            store.target = f"{store.allow}/out-{name}/"
        self.options, self.nats, self.store, self.checks = options, nats, store, checks
        self.fleet = fleet_run.Fleet(options.program, nats, name, store.environment)
        self.wrong = fleet_run.Fleet(options.wrong, nats, name, store.environment)

    def submit(self, per_job=10):
        self.fleet.submit(CHAIN, self.store.source, self.store.target, "--images-per-job",
                          str(per_job))

    def start(self, name):
        fleet = self.wrong if name == BAD else self.fleet
        worker = fleet.start_worker(name, "--allow", self.store.allow, "--slots", "2")
        fleet_run.wait_until(f"the start of {name}", lambda: "start" in worker.events())
        return worker

    def audit(self, *words, share=None):
        start = time.monotonic()
        done = self.fleet.run("audit", "--audit", share or self.options.audit, *words, check=False)
        print(f"    audit: exit code {done.returncode} after {time.monotonic() - start:.1f} s")
        for line in (done.stdout + done.stderr).splitlines():
            print("   ", line)
        return done

    def results(self, kind=("images", "manifest")):
        """(worker, result) of all results of a kind."""
        return [(subject.rsplit(".", 1)[1], result) for subject, result in self.fleet.results()
                if subject.startswith("swathe.results.") and result["kind"] in kind]

    def quarantine(self):
        """The records of quarantined workers, by name."""
        prefix = f"swathe.quarantine.{self.fleet.name}."
        with NatsClient(self.nats.url) as client:
            return {subject[len(prefix):]: json.loads(data)
                    for subject, data in client.stream("SWATHE_SETS")
                    if subject.startswith(prefix)}

    def check_repair(self, names):
        """Outputs are right, and only jobs of the wrong worker were redone."""
        self.checks.that(self.store.outputs() == self.store.expected,
                         f"all {len(names)} outputs equal those of 'swathe batch'")
        results = self.results()
        wrong = {result["id"] for worker, result in results if worker == BAD}
        again = {result["id"] for _, result in results if result["generation"] > 0}
        print(f"    {len(wrong)} jobs of the wrong worker, {len(again)} redone, "
              f"{len(results)} results")
        self.checks.that(wrong and again == wrong, "exactly the jobs of the wrong worker are redone")
        done = [(result["id"], result["generation"]) for worker, result in results if worker != BAD]
        self.checks.that(len(done) == len(set(done)), "each of them once")


def case_repair(case, names):
    """The wrong worker is found, outvoted and quarantined, and its results are repaired."""
    case.submit()
    bad = case.start(BAD)
    for name in GOOD:
        case.start(name)
    done = case.audit("--wait")
    record = case.quarantine().get(BAD, {})
    case.checks.that(done.returncode == 0, "the audit ends with exit code 0")
    case.checks.that(f"worker {BAD} is quarantined" in done.stderr and
                     set(case.quarantine()) == {BAD}, "it quarantines the wrong worker only")
    case.checks.that(record.get("key") in names and len(record.get("claims", [])) >= 3 and
                     record["samples"] not in [claim["samples"] for claim in record["claims"]
                                               if claim["worker"] != BAD], "with the evidence")
    case.checks.that(bad.process.poll() is not None and bad.wait() == 9,
                     "the quarantined worker has stopped")
    case.check_repair(names)
    state = case.fleet.status()
    case.checks.that(state["quarantine"] == [BAD] and state["ended"] and
                     state["images"]["done"] == len(names), "status names it and counts all images")
    again = case.wrong.start_worker(BAD, "--allow", case.store.allow)
    case.checks.that(again.wait(30) == 9 and "start" not in again.events(),
                     "the worker does not start again")


def case_later(case, names):
    """An audit of a finished set, interrupted by SIGKILL and repeated, repairs everything once."""
    case.submit()
    workers = [case.start(name) for name in (BAD,) + GOOD]
    fleet_run.wait_until("all results", lambda: case.fleet.status()["ended"])
    case.checks.that(case.store.outputs() != case.store.expected, "without an audit outputs are wrong")
    with subprocess.Popen([case.options.program, "audit", "--audit", "100%", "--wait", "--queue",
                           case.nats.url, "--set", case.fleet.name]) as interrupted:
        fleet_run.wait_until("a quarantine", case.quarantine, pause=0.01)
        time.sleep(0.1)
        interrupted.kill()
    done = case.audit()
    case.checks.that(done.returncode == 0 and workers[0].wait(30) == 9, "the second audit succeeds")
    case.check_repair(names)


def case_alone(case, _):
    """Without a third worker the image stays open, and no worker is quarantined."""
    case.submit()
    good = case.start(GOOD[0])
    fleet_run.wait_until("a result", case.results, pause=0.01)
    good.process.send_signal(signal.SIGSTOP)  # else it may leave nothing for the other worker
    bad = case.start(BAD)
    fleet_run.wait_until("its result", lambda: BAD in dict(case.results()), pause=0.01)
    good.process.send_signal(signal.SIGCONT)
    fleet_run.wait_until("all results", lambda: case.fleet.status()["ended"])
    done = case.audit("--patience", "10s", share="20%")
    case.checks.that(done.returncode == 1 and "no third worker" in done.stderr,
                     "exit code 1, and the message says why")
    case.checks.that(not case.quarantine(), "no worker is quarantined")
    bad.kill()
    done = case.audit("--patience", "2s", share="20%")
    makers = {image["key"]: worker for worker, result in case.results() for image in result["images"]}
    audits = [(worker, image["key"]) for worker, result in case.results(kind=("audit",))
              for image in result["images"]]
    case.checks.that(audits and all(makers[key] != worker for worker, key in audits),
                     "a worker does not audit itself")
    case.checks.that(done.returncode == 1 and " answered within 2 s" in done.stderr,
                     "exit code 1, and the message names the time")
    case.checks.that(case.fleet.status()["waiting"] == 0, "no audit is left in the queue")


def case_redelivery(case, names):
    """Two results of a job that differ are judged without being drawn. The wrong worker's list of
    images is not believed."""
    case.submit()
    for name in GOOD:
        case.start(name)
    fleet_run.wait_until("all results", lambda: case.fleet.status()["ended"])
    _, result = case.results()[0]
    result["worker"] = BAD
    keys = [image["key"] for image in result["images"]]
    others = [image for _, other in case.results() if other["id"] != result["id"]
              for image in other["images"]]
    result["images"] = [{**result["images"][3], "samples": 64 * "0"}, others[0]]
    dead = {"v": 1, "set": case.fleet.identity(), "id": 10 ** 9, "worker": BAD, "generation": 0,
            "attempt": 1, "reason": "made up", "job": None}
    with NatsClient(case.nats.url) as client:
        client.publish(f"swathe.results.{case.fleet.name}.{BAD}", json.dumps(result).encode())
        client.publish(f"swathe.results.{case.fleet.name}.{BAD}", json.dumps(result).encode())
        client.publish(f"swathe.dead.{case.fleet.name}.{BAD}", json.dumps(dead).encode())
    done = case.audit(share="0.0000001%")
    case.checks.that(done.returncode == 0 and set(case.quarantine()) == {BAD},
                     "the wrong worker is quarantined")
    again = [image["key"] for _, redone in case.results() if redone["generation"] > 0
             for image in redone["images"]]
    case.checks.that(again == keys, "the job of the wrong worker is redone, not what it names")
    case.checks.that(f"worker {BAD} sent a message of job 1000000000, which set" in
                     done.stderr, "a job that the wrong worker made up is not")
    case.check_repair(names)


def case_lies(case, _):
    """Messages under another name, and answers to questions that were not asked, have no effect."""
    case.submit()
    for name in GOOD:
        case.start(name)
    fleet_run.wait_until("all results", lambda: case.fleet.status()["ended"])
    worker, result = case.results()[0]
    lie = json.loads(json.dumps(result))
    lie["images"][0]["samples"] = 64 * "0"
    subject = f"swathe.results.{case.fleet.name}."
    with NatsClient(case.nats.url) as client:
        client.publish(subject + BAD, json.dumps(lie).encode())  # says that it is another worker
        lie.update(kind="audit", worker=BAD, id=2 ** 52 + 5, images=lie["images"][:1])
        client.publish(subject + BAD, json.dumps(lie).encode())
        lie.update(id=result["id"])
        client.publish(subject + BAD, json.dumps(lie).encode())
    done = case.audit(share="100%")
    case.checks.that(done.returncode == 0 and not case.quarantine() and worker != BAD,
                     "no worker is quarantined")
    case.checks.that("0 open" in done.stdout and not [1 for _, result in case.results()
                                                      if result["generation"]], "nothing is redone")


def questions(client, case):
    """The audit jobs in the queue."""
    jobs = [json.loads(data) for _, data in client.stream(f"SWATHE_JOBS_{case.fleet.name}")]
    return [job for job in jobs if job["kind"] == "audit"]


def case_answers(case, names):
    """Only an answer to the question, by a worker that was not excluded, is a vote."""
    case.submit(per_job=len(names))

    def publish(subject, worker, number, samples, **more):
        image = {"key": names[0], "samples": 64 * samples, "bytes": 64 * "0", "size": 1}
        result = {"v": 1, "set": case.fleet.identity(), "id": number, "worker": worker, "generation": 0,
                  "attempt": 1, "kind": "audit", "seconds": 1, "images": [image], **more}
        client.publish(f"swathe.results.{case.fleet.name}.{subject}", json.dumps(result).encode())

    with NatsClient(case.nats.url) as client:
        publish("one", "one", 0, "1", kind="images")
        with subprocess.Popen([case.options.program, "audit", "--audit", "100%", "--queue",
                               case.nats.url, "--set", case.fleet.name]) as audit:
            first = fleet_run.wait_until("a question", lambda: questions(client, case))[0]
            case.checks.that(first["not"] == ["one"] and first["key"] == names[0],
                             "the worker of the result is excluded")
            publish("one", "one", first["id"], "2")
            publish("two", "three", first["id"], "2")
            publish("two", "two", first["id"] + 1, "2")
            publish("two", "two", first["id"], "2", generation=1)
            publish("two", "two", first["id"], "2", kind="images")
            publish("two", "two", first["id"], "2", images=[
                {"key": "other.jpg", "samples": 64 * "2", "bytes": 64 * "0", "size": 1}])
            time.sleep(1.5)
            case.checks.that(len(questions(client, case)) == 1, "wrong answers have no effect")
            publish("two", "two", first["id"], "2")
            second = fleet_run.wait_until("a second question",
                                          lambda: questions(client, case)[1:])[0]
            case.checks.that(second["not"] == ["one", "two"], "both are excluded from the next one")
            publish("two", "two", second["id"], "2")
            publish("two", "two", first["id"], "2")
            publish("three", "three", first["id"], "2")
            time.sleep(1.5)
            case.checks.that(not case.quarantine(), "no worker votes twice")
            publish("three", "three", second["id"], "1")
            fleet_run.wait_until("a quarantine", case.quarantine)
            client.request(f"$JS.API.STREAM.PURGE.SWATHE_JOBS_{case.fleet.name}")
            case.checks.that(audit.wait(60) == 0 and set(case.quarantine()) == {"two"},
                             "the outvoted worker is quarantined")


CASES = {name[5:]: function for name, function in globals().items() if name.startswith("case_")}


def main():
    parser = argparse.ArgumentParser()
    for name in ("swathe", "program", "wrong"):
        parser.add_argument(name)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--images", type=int, default=3000)
    parser.add_argument("--audit", default="5%")
    parser.add_argument("--store", choices=("directory", "s3"), default="directory")
    options = parser.parse_intermixed_args()
    checks = fleet_run.Checks(" ".join(sys.argv))
    with fleet_run.scratch("audit") as folder:
        with NatsServer() as nats, open_store(options.store, folder) as store:
            names = fleet_run.make_images(options.swathe, folder + "/in", options.images)
            fleet_run.batch(options.swathe, CHAIN, folder + "/in", folder + "/expected", "--exact")
            store.expected = fleet_run.contents(folder + "/expected")
            store.fill(fleet_run.contents(folder + "/in"))
            for name in options.cases or CASES:
                print(f"{name}: {CASES[name].__doc__}")
                case = Case(options, nats, store, name, checks)
                with case.fleet, case.wrong:
                    CASES[name](case, names)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
