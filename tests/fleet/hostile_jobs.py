#!/usr/bin/env python3
"""Gives a worker hostile jobs, set records, images and stores. All must be refused with a reason,
the worker must live, and no credential may appear in a log, a message, an error or a core file.

    hostile_jobs.py SWATHE SWATHE_FLEET [--jobs N] [--hostile DIRECTORY] [--seed N] [CASE...]

--hostile: a directory with images that claim to be huge.
"""
import argparse
import contextlib
import glob
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

import fleet_run
from nats_fixture import NatsClient, NatsServer, find_server

import bulk_objects
import fault_proxy
import weed_server

CHAIN = "gaussian:3"
PASSWORD = "nats-password-Zq81vX0b"
WRONG_SECRET = "wrong/secret+9f8e7d6c5b4a39281706fedcba98765"
SECRETS = (weed_server.SECRET_KEY, WRONG_SECRET, PASSWORD)
# The worker has a name and a password of its own; the test publishes without one.
ACCOUNTS = f'''accounts {{ A {{ jetstream: enabled, users: [
  {{ user: admin, password: "admin" }}, {{ user: worker, password: "{PASSWORD}" }} ] }} }}
no_auth_user: admin
'''
MEMORY = 700 << 20
# Values of the fields of jobs as an attacker would write them.
NUMBERS = (-1, 0, 1, 2**31, 2**53, 2**63 - 1, 2**63, 10**40, 1.5, 1e300, True, None)
TEXTS = ("", ".", "..", "../secret/private.jpg", "../../etc/passwd", "/etc/passwd", "a//b", "a/../b",
         "..\\secret", "s3://foreign/x.jpg", "http://127.0.0.1/", "file:///etc/passwd", "a\nb", "a\0b",
         "%2e%2e/secret/private.jpg", "x" * 1025, "x" * 5000, "\u202e.jpg", "$(id)", "%s%s%n", "*", ">",
         "./a", "a/", "a/.", "?versionId=1", "#", "\ud800", "swathe.jobs.x.0")
OTHERS = ([], {}, [[]], [None], {"keys": {}}, [["a"]], [1, 2], ["a"] * 1001)


class Case:
    def __init__(self, options, nats, weed, folder, name, checks):
        self.options, self.nats, self.weed, self.checks = options, nats, weed, checks
        self.folder, self.name = folder, name
        self.store = bulk_objects.BulkObjects(weed, "images")
        environment = {**weed.environment(), "SWATHE_NATS_USER": "worker",
                       "SWATHE_NATS_PASSWORD": PASSWORD}
        self.fleet = fleet_run.Fleet(options.program, nats, name, environment)
        self.output = []  # all that was printed
        self.keys = options.names
        self.source = f"s3://images/{name}/in/"
        for key in self.keys:
            self.store.put(f"{name}/in/{key}", options.sources[key])

    def submit(self, *more):
        done = self.fleet.submit(CHAIN, self.source, f"s3://images/{self.name}/out/", *more)
        self.output.append(done.stdout + done.stderr)

    def worker(self, name="target", *more, **environment):
        return self.fleet.start_worker(name, "--allow", f"s3://images/{self.name}/", "--max-memory",
                                       "256M", "--max-pixels", "30M", *more, **environment)

    def settle(self, seconds=300):
        """Waits until no job is left."""
        with NatsClient(self.nats.url, 60) as client:
            fleet_run.wait_until("the end of all jobs", lambda: client.unsettled(
                f"SWATHE_JOBS_{self.name}") == 0, seconds, 0.5)

    def outputs(self):
        prefix = f"{self.name}/out/"
        return {key[len(prefix):]: self.store.get(key) for key in self.store.sizes()
                if key.startswith(prefix)}

    def valid_job(self, worker):
        """The worker is alive and does a valid job, whose output is right."""
        key = self.keys[0]
        self.store.delete(f"{self.name}/out/{key}")
        before = len(self.fleet.results())
        self.fleet.publish_job({"v": 1, "set": self.fleet.identity(), "id": 77777, "generation": 0,
                                "kind": "images", "keys": [key]})
        self.settle()
        results = self.fleet.results()[before:]
        self.checks.that(worker.process.poll() is None and len(results) == 1 and
                         self.outputs().get(key) == self.options.outputs[key],
                         "the worker lives and then does a valid job")

    def only_right_outputs(self):
        outputs = self.outputs()
        self.checks.that(all(self.options.outputs.get(key) == data
                             for key, data in outputs.items()),
                         f"none of the {len(outputs)} outputs is wrong")

    def search(self, worker):
        """No secret in the log, in messages, in what commands printed, and in a core file."""
        with NatsClient(self.nats.url, 60) as client:
            messages = b"".join(data for stream in (f"SWATHE_RESULTS_{self.name}", "SWATHE_SETS")
                                for _, data in client.stream(stream))
        with open(worker.log_path, "rb") as file:
            log = file.read()
        status = self.fleet.run("status", "--failures", check=False)
        printed = "".join(self.output) + status.stdout + status.stderr
        for what, data in (("messages", messages), ("log", log), ("output", printed.encode())):
            found = [secret for secret in SECRETS if secret.encode() in data]
            self.checks.that(data and not found, f"no credential in {len(data)} bytes of {what}")


def valid_jobs(name, keys):
    """One job of each kind."""
    base = {"v": 1, "set": name, "id": 5, "generation": 0}
    return [{**base, "kind": "images", "keys": keys},
            {**base, "kind": "manifest", "offset": 0, "size": 20},
            {**base, "kind": "tiles", "offset": 0, "size": 4},
            {**base, "kind": "part", "offset": 0, "size": 4}, {**base, "kind": "finish"},
            {**base, "kind": "audit", "of": 0, "key": keys[0], "not": ["someone"]}]


def change_field(job, draw):
    job = dict(job)
    name = draw.choice([*job, "more", "from", "to", "chain", "write"])
    deed = draw.randrange(4)
    if deed == 0:
        job.pop(name, None)
    elif deed == 1 and isinstance(job.get(name), list):
        job[name] = [draw.choice(TEXTS + NUMBERS) for _ in range(draw.randrange(4))]
    else:
        job[name] = draw.choice(draw.choice((NUMBERS, TEXTS, OTHERS)))
    return job


def change_bytes(data, draw):
    at = draw.randrange(len(data) + 1)
    deed = draw.randrange(6)
    if deed == 0:
        return data[:at]
    if deed == 1:
        return data[:at] + draw.randbytes(draw.randrange(1, 9)) + data[at:]
    if deed == 2:
        return data[:at] + data[at + draw.randrange(1, 9):]
    if deed == 3:
        return data + data
    if deed == 4:
        return data[:at] + draw.choice((b"[" * 3000, b"{\"a\":" * 2000, b"9" * 400, b"\\u0000")) + data[at:]
    at = min(at, len(data) - 1)
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1:]


def mutations(name, keys, count, draw):
    """Yields `count` messages."""
    jobs = valid_jobs(name, keys)
    for _ in range(count):
        job = draw.choice(jobs)
        deed = draw.randrange(3)
        for _ in range(draw.randrange(1, 4) if deed != 0 else 0):
            job = change_field(job, draw)
        data = json.dumps(job).encode()
        for _ in range(draw.randrange(1, 3) if deed != 1 else 0):
            data = change_bytes(data, draw) or b"x"
        yield data


def case_mutated(case):
    """Mutated jobs become dead letters, or results of images that the set has."""
    case.submit("--attempts", "3")
    draw = random.Random(case.options.seed)
    jobs = list(mutations(case.fleet.identity(), case.keys, case.options.jobs, draw))
    with NatsClient(case.nats.url, 60) as client:
        before = client.info(f"SWATHE_JOBS_{case.name}")["messages"]
        for job in jobs:
            client.send(f"PUB swathe.jobs.{case.name}.1 {len(job)}\r\n".encode() + job + b"\r\n")
        fleet_run.wait_until("all jobs in the queue", lambda: client.info(
            f"SWATHE_JOBS_{case.name}")["messages"] == before + len(jobs))
    start = time.monotonic()
    worker = case.worker()
    case.settle(900)
    print(f"    {len(jobs)} jobs in {time.monotonic() - start:.1f} s")
    results = case.fleet.results()
    letters = [letter for subject, letter in results if subject.startswith("swathe.dead.")]
    rest = [result for subject, result in results if not subject.startswith("swathe.dead.")]
    case.checks.that(len(results) == len(jobs) + before,
                     f"{len(letters)} dead letters and {len(rest)} results for {len(jobs)} jobs")
    case.checks.that(len(letters) > len(jobs) / 2 and all(letter["reason"] for letter in letters),
                     f"{len({letter['reason'] for letter in letters})} different reasons")
    done = {image["key"] for result in rest for image in result["images"]
            if not image.get("status")}
    case.checks.that(done <= set(case.keys), "only images of the set were done")
    case.only_right_outputs()
    case.valid_job(worker)
    case.search(worker)
    with open(case.options.program, "rb") as file:
        sanitized = b"__asan_init" in file.read()
    if not sanitized: # cores would fill the disk
        search_cores(case, worker)


def search_cores(case, worker):
    """The secret key of the store is not in a core that a debugger makes, which leaves out the same
    pages as the system. The queue's password would be, so the system must not write one."""
    place = os.path.join(case.folder, "cores")
    os.makedirs(place, exist_ok=True)
    if shutil.which("gcore"):
        subprocess.run(["gcore", "-o", place + "/running", str(worker.process.pid)], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    cores = glob.glob(place + "/running*")
    if not cores:
        print("skipped: a core of the running worker (gcore is missing or not allowed)")
    for path in cores:
        with open(path, "rb") as file:
            data = file.read()
        case.checks.that(case.source.encode() in data, f"a core of {len(data) >> 20} MiB")
        case.checks.that(weed_server.SECRET_KEY.encode() not in data,
                         "the secret key of the store is not in it")
        os.unlink(path)
    for variables in ({}, {"SWATHE_NATS_PASSWORD": "", "SWATHE_NATS_USER": ""}):
        crash(case, place, variables)


def crash(case, place, variables):
    """Without a password the system writes a core, which shows that the test could find one."""
    environment = {**case.fleet.environment, **variables}
    if variables:
        for name in variables:
            del environment[name]
    process = subprocess.Popen(
        [os.path.abspath(case.fleet.program), "worker", "--queue", case.nats.url, "--set",
         case.name, "--name", "crash", "--allow", f"s3://images/{case.name}/",
         "--allow-core"], cwd=place,
        env=environment,
        stderr=subprocess.DEVNULL, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2))
    time.sleep(4)
    process.send_signal(signal.SIGABRT)
    process.wait()
    cores = os.listdir(place)
    if not variables:
        case.checks.that(not cores, "the system writes no core of a worker with a password")
    elif not cores:
        print("skipped: a core without a password (the system writes none here)")
    for name in cores:
        with open(os.path.join(place, name), "rb") as file:
            data = file.read()
        found = [(number, data[max(0, at - 60):at + 20]) for number, one in enumerate(SECRETS)
                 for at in [data.find(one.encode())] if at >= 0]
        case.checks.that(not found, f"no credential in a core of {len(data) >> 20} MiB{found or str()}")
        os.unlink(os.path.join(place, name))


def case_sets(case):
    """Set records with foreign buckets, and mutated ones: refused before anything is read."""
    case.submit()
    draw = random.Random(case.options.seed)
    subject = f"swathe.set.{case.name}"
    with NatsClient(case.nats.url, 60) as client:
        good = dict(client.stream("SWATHE_SETS"))[subject]
        record = json.loads(good)
        foreign = [{"from": "s3://foreign/"}, {"to": "s3://foreign/"},
                   {"from": f"s3://images/{case.name}/../secret/"}, {"from": "s3://images/secret/"},
                   {"to": "/tmp/"}, {"from": "/etc/"}, {"from": "http://127.0.0.1/"},
                   {"manifest": "s3://foreign/list"}, {"chain": "no-such-filter"},
                   {"limits": {"max_pixels": -1}}, {"attempts": 0}]
        codes = {}
        for change in foreign:
            client.publish(subject, json.dumps({**record, **change}).encode())
            worker = case.worker("refuser", "--idle", "1s")
            codes[json.dumps(change)] = (worker.wait(), worker.log()[-1]["text"])
        for change, (code, text) in codes.items():
            if "manifest" not in change:
                case.checks.that(code > 0, f"{change}: {code} {text}")
        case.checks.that(not [worker for worker in case.fleet.workers
                              if worker.process.poll() < 0], "no worker crashed")
        crashes = 0
        for _ in range(25):
            client.publish(subject, change_bytes(good, draw))
            with contextlib.suppress(subprocess.TimeoutExpired):
                crashes += case.worker("mutated", "--idle", "1s").wait(20) < 0
        case.checks.that(crashes == 0, "nor at 25 mutated set records")
        client.publish(subject, good)
    case.checks.that(case.store.sizes().get("secret/private.jpg") == len(case.options.private) and
                     bulk_objects.BulkObjects(case.weed, "foreign").sizes() == {"x.jpg": 1},
                     "other objects are as they were")


def case_bombs(case):
    """Images that claim to be huge: they fail alone, within the limit of memory."""
    files = sorted(glob.glob(os.path.join(case.options.hostile or "/nonexistent", "*.*")))
    files = [path for path in files if not path.endswith(".md")]
    if not files:
        print("skipped: bombs (no --hostile directory)")
        return
    for path in files:
        with open(path, "rb") as file:
            case.store.put(f"{case.name}/in/{os.path.basename(path)}", file.read())
    case.submit()
    worker = case.worker()
    case.settle()
    with open(f"/proc/{worker.process.pid}/status", encoding="ascii") as file:
        peak = 1024 * int(next(line for line in file if line.startswith("VmHWM")).split()[1])
    images = case.fleet.images()
    failed = [os.path.basename(path) for path in files
              if images[os.path.basename(path)].get("error")]
    print(f"    done: {sorted(set(map(os.path.basename, files)) - set(failed))}")
    case.checks.that(len(failed) > len(files) / 2, f"{len(failed)} of {len(files)} are refused")
    case.checks.that(all(not images[key].get("status") for key in case.keys),
                     "the other images of the job succeed")
    case.checks.that(peak < MEMORY, f"the worker used {peak >> 20} MiB at most")
    case.valid_job(worker)
    case.search(worker)


def case_credentials(case):
    """Wrong credentials: the worker ends and says so; no output, and no dead letter."""
    case.submit("--attempts", "2")
    worker = case.worker(AWS_SECRET_ACCESS_KEY=WRONG_SECRET)
    code, text = worker.wait(), worker.log()[-1]["text"]
    case.checks.that(code == 5 and "credentials" in text, f"exit code {code}: {text}")
    case.checks.that(not case.fleet.results() and not case.outputs(), "no message and no output")
    case.search(worker)


def case_lies(case):
    """A store that lies about sizes or content: never a wrong output."""
    case.submit("--attempts", "2")
    job = {"v": 1, "set": case.fleet.identity(), "generation": 0, "kind": "images", "keys": case.keys}
    first = case.worker("first")
    case.settle()
    first.kill()
    for number, lie in enumerate(fault_proxy.LIES):
        for key in case.keys:
            case.store.delete(f"{case.name}/out/{key}")
        with fault_proxy.running(case.weed.endpoint, share=1, faults="", lies=lie,
                                 methods="GET", path="/in/") as proxy:
            worker = case.worker("liar-" + lie, AWS_ENDPOINT_URL=proxy.endpoint,
                                 AWS_MAX_ATTEMPTS="3")
            case.fleet.publish_job({**job, "id": 500 + number})
            case.settle()
            case.checks.that(worker.process.poll() is None, f"{lie}: the worker lives")
            case.only_right_outputs()
            worker.kill()
        reasons = [letter["reason"] for letter in case.fleet.dead_letters()
                   if letter["id"] == 500 + number]
        errors = [image.get("error") for _, result in case.fleet.results()
                  if result.get("id") == 500 + number for image in result.get("images", [])]
        print(f"    {lie}: {proxy.counts.get(lie, 0)} lies; {reasons or errors[:1]}")
        case.checks.that(proxy.counts.get(lie, 0) > 0, f"{lie}: the store lied")
    worker = case.worker()
    case.valid_job(worker)


def case_changes(case):
    """An object that changes while it is read by ranges is read again: never a mixture."""
    row = bytes(range(256)) * 59
    large = [b"P6\n5000 4600\n255\n" + b"".join(row[(y + s) % 97:][:15000] for y in range(4600))
             for s in (0, 1)]
    key = f"{case.name}/in/large.ppm"
    case.store.put(key, large[0])
    case.submit("--max-bytes", "15M")
    worker = case.worker()
    fleet_run.wait_until("a start", lambda: "start" in worker.events())
    time.sleep(2.5)
    case.store.put(key, large[1])
    case.settle()
    again = [line["text"] for line in worker.log() if line["event"] == "given-back"]
    case.checks.that(again and all("changed while it was read" in text for text in again), f"{again}")
    os.makedirs(case.folder + "/new")
    with open(case.folder + "/new/large.ppm", "wb") as file:
        file.write(large[1])
    fleet_run.batch(case.options.swathe, CHAIN, case.folder + "/new", case.folder + "/newer", "--exact")
    case.checks.that(case.outputs()["large.ppm"] == fleet_run.contents(case.folder + "/newer")["large.ppm"],
                     "the output is that of the new object")
    case.valid_job(worker)


CASES = {name[5:]: function for name, function in globals().items() if name.startswith("case_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("swathe")
    parser.add_argument("program", help="swathe-fleet")
    parser.add_argument("--jobs", type=int, default=2000)
    parser.add_argument("--hostile", help="directory with images that claim to be huge")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    options = parser.parse_intermixed_args()
    weed_server.skip_unless_installed()
    find_server()
    checks = fleet_run.Checks(f"{' '.join(sys.argv[:3])} CASE")
    with fleet_run.scratch("jobs") as folder:
        options.names = fleet_run.make_images(options.swathe, folder + "/in", 3)
        fleet_run.batch(options.swathe, CHAIN, folder + "/in", folder + "/expected", "--exact")
        options.sources = fleet_run.contents(folder + "/in")
        options.outputs = fleet_run.contents(folder + "/expected")
        options.private = options.sources[options.names[0]]
        with weed_server.start("images", "foreign") as weed, NatsServer(ACCOUNTS) as nats:
            bulk_objects.BulkObjects(weed, "images").put("secret/private.jpg", options.private)
            bulk_objects.BulkObjects(weed, "foreign").put("x.jpg", b"x")
            for name in options.cases or CASES:
                print(f"{name}: {CASES[name].__doc__}", flush=True)
                case = Case(options, nats, weed, folder, name, checks)
                with case.fleet:
                    CASES[name](case)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
