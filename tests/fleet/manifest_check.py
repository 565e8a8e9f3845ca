#!/usr/bin/env python3
"""Submits objects of an S3 store by a manifest, and by a listing that is interrupted.

    manifest_check.py SWATHE SWATHE_FLEET [CASE...]
"""
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import fleet_run
from nats_fixture import NatsClient, NatsServer

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
import weed_server  # pylint: disable=wrong-import-position

BUCKET, CHAIN = "fleet-bucket", "sharpen"
OBJECTS = 1500  # more than a page of a listing, and than two records of submit's progress


class Case:
    def __init__(self, swathe, program, nats, weed, folder, name, checks):
        self.swathe, self.weed, self.folder, self.checks = swathe, weed, folder, checks
        self.prefix = f"/{BUCKET}/{name}/"
        self.url = "s3:/" + self.prefix
        self.fleet = fleet_run.Fleet(program, nats, name, weed.environment())

    def put(self, key, body):
        self.weed.request("PUT", self.prefix + key, body=body)

    def get(self, key):
        return self.weed.request("GET", self.prefix + key)

    def jobs(self):
        """The jobs in the queue, by id; two of the same id must be equal."""
        with NatsClient(self.fleet.url) as client:
            found = [json.loads(data) for _, data in client.stream(f"SWATHE_JOBS_{self.fleet.name}")]
        jobs = {job["id"]: job for job in found}
        self.checks.that(all(jobs[job["id"]] == job for job in found), "jobs of an id are equal")
        return [jobs[number] for number in sorted(jobs)]

    def stored(self):
        with NatsClient(self.fleet.url) as client:
            info = json.loads(client.request(
                f"$JS.API.STREAM.INFO.SWATHE_JOBS_{self.fleet.name}"))
        return info.get("state", {}).get("messages", 0)


def case_manifest(case):
    """Jobs are ranges of the manifest; workers read them and do exactly its images."""
    source, expected = case.folder + "/in", case.folder + "/expected"
    names = fleet_run.make_images(case.swathe, source, 8)
    for name, data in fleet_run.contents(source).items():
        case.put("in/" + name, data)
    listed = names[5:] + names[:4]  # not sorted, and not all
    text = "".join(name + "\n" for name in listed).encode()
    case.put("list.txt", text)
    case.fleet.submit(CHAIN, case.url + "list.txt", case.url + "out/", "--base", case.url + "in/",
                      "--images-per-job", "3")
    jobs = case.jobs()
    ranges = [text[job["offset"]:job["offset"] + job["size"]] for job in jobs]
    case.checks.that([job["kind"] for job in jobs] == 3 * ["manifest"], "jobs are ranges")
    case.checks.that(b"".join(ranges) == text and all(part.count(b"\n") <= 3 for part in ranges),
                     "which cover the manifest once, in whole lines")
    case.fleet.publish_job({"v": 1, "set": case.fleet.identity(), "id": 1000, "generation": 0,
                            "kind": "manifest", "offset": 1, "size": 5})
    with NatsClient(case.fleet.url) as client:
        client.publish(f"$JS.API.STREAM.MSG.DELETE.SWATHE_JOBS_{case.fleet.name}", b'{"seq":2}')
    worker = case.fleet.start_worker("one", "--allow", f"s3://{BUCKET}/", "--idle", "2s")
    case.checks.that(worker.wait() == 0, "the worker ends")
    letters = case.fleet.dead_letters()
    case.checks.that([letter["id"] for letter in letters] == [1000],
                     "a range that is not whole lines is a dead letter")
    case.checks.that(case.fleet.status()["missing"] == 1, "a lost range is missing")
    case.fleet.run("retry")
    case.checks.that(case.jobs() == [{**jobs[1], "generation": 1}], "retry makes the same range")
    case.fleet.start_worker("two", "--allow", f"s3://{BUCKET}/", "--idle", "2s").wait()
    fleet_run.batch(case.swathe, CHAIN, source, expected, "--exact")
    wanted = fleet_run.contents(expected)
    case.checks.that(all(case.get("out/" + name) == wanted[name] for name in listed),
                     "outputs are those of 'swathe batch'")
    case.checks.that(case.get("out/" + names[4]) is None, "images that are not listed have none")
    case.checks.that(set(case.fleet.images()) == set(listed), "results name the images")


def case_lines(case):
    """CR LF and empty lines are accepted; what is not is named with a way out."""
    names = fleet_run.make_images(case.swathe, case.folder + "/lines", 3)
    for name, data in fleet_run.contents(case.folder + "/lines").items():
        case.put("in/" + name, data)
    words = [case.fleet.program, "submit", CHAIN, "--queue", case.fleet.url, "--set",
             case.fleet.name, "--from", case.url + "list.txt", "--base", case.url + "in/", "--to",
             case.url + "out/"]
    for text, message in ((b"a.jpg\nb.jpg", "no newline, which a list in S3 needs"),
                          (b"a.jpg\n../b.jpg\n", "line at byte 6, '../b.jpg', is not a key")):
        case.put("list.txt", text)
        found = subprocess.run(words + ["--dry-run"], env=case.fleet.environment,
                               capture_output=True, text=True, check=False)
        case.checks.that(found.returncode == 3 and message in found.stderr, found.stderr.strip())
    case.put("list.txt", f"{names[0]}\r\n\r\n\n{names[1]}\n{names[2]}\r\n".encode())
    subprocess.run(words, env=case.fleet.environment, check=True)
    case.fleet.start_worker("one", "--allow", f"s3://{BUCKET}/", "--idle", "2s").wait()
    case.checks.that(sorted(case.fleet.images()) == names and not case.fleet.dead_letters(),
                     "images of lines with CR LF are done")


def case_resume(case):
    """A listing of several pages is interrupted twice; every key is in one job."""
    names = [f"{i % 3}/{i:05}.jpg" for i in range(OBJECTS)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: case.put("in/" + name, b"x"), names))
    words = [case.fleet.program, "submit", CHAIN, "--queue", case.fleet.url, "--set",
             case.fleet.name, "--from", case.url + "in/", "--to", case.url + "out/",
             "--images-per-job", "1"]
    kills = 0
    for jobs in (200, 1100):
        with subprocess.Popen(words, env=case.fleet.environment,
                              stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and case.stored() < jobs:
                time.sleep(0.005)
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
    done = subprocess.run(words, env=case.fleet.environment, capture_output=True, text=True,
                          check=False)
    print(f"    {kills} kills; {done.stdout.strip()}")
    case.checks.that(done.returncode == 0, "submit ends after interruptions")
    keys = [key for job in case.jobs() for key in job["keys"]]
    case.checks.that(keys == sorted(names), f"{len(keys)} keys of {OBJECTS}, each once, in order")


def case_denied(case):
    """A worker whose keys are wrong ends, and does not use up the attempts of jobs."""
    names = fleet_run.make_images(case.swathe, case.folder + "/denied", 12)
    for name, data in fleet_run.contents(case.folder + "/denied").items():
        case.put("in/" + name, data)
    case.fleet.submit(CHAIN, case.url + "in/", case.url + "out/", "--images-per-job", "1",
                      "--attempts", "2")
    for wrong, reason in (({"AWS_SECRET_ACCESS_KEY": "wrong"}, "SignatureDoesNotMatch"),
                          ({"AWS_ACCESS_KEY_ID": "WRONG"}, "InvalidAccessKeyId")):
        worker = case.fleet.start_worker("wrong", "--allow", f"s3://{BUCKET}/", "--idle", "10s",
                                         **wrong)
        code, text = worker.wait(), worker.log()[-1]["text"]
        case.checks.that(code == 5 and "credentials" in text and reason in text, f"{code}: {text}")
        case.checks.that(case.fleet.deliveries(1) == 0, "it takes no job")
    worker = case.fleet.start_worker("stranger", "--allow", f"s3://{BUCKET}/", "--idle", "10s",
                                     **weed_server.STRANGER)
    code = worker.wait()
    last = [line["text"] for line in worker.log() if line["event"] == "denied"]
    case.checks.that(code == 5 and len(last) == 1 and "credentials" in last[0], f"{code}: {last}")
    case.checks.that(case.fleet.deliveries(1) == 1, "it takes one job")
    case.fleet.start_worker("good", "--allow", f"s3://{BUCKET}/", "--idle", "2s").wait()
    case.checks.that(sorted(case.fleet.images()) == names and not case.fleet.dead_letters(),
                     "another worker does all of them")


CASES = {name[5:]: function for name, function in globals().items() if name.startswith("case_")}


def main():
    swathe, program, *wanted = sys.argv[1:]
    checks = fleet_run.Checks(" ".join(sys.argv[:3]) + " CASE")
    weed_server.skip_unless_installed()
    with tempfile.TemporaryDirectory(prefix="swathe-manifest-") as folder, NatsServer() as nats, \
            weed_server.start(BUCKET) as weed:
        for name in wanted or CASES:
            print(f"{name}: {CASES[name].__doc__}")
            case = Case(swathe, program, nats, weed, folder, name, checks)
            with case.fleet:
                CASES[name](case)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
