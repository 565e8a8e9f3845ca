#!/usr/bin/env python3
"""The commands that administer a set, with a real NATS server and a worker without images.

    fleet_commands.py SWATHE_FLEET QUEUE_PROBE [CHECK]
"""
import contextlib
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import fleet_run
import nats_fixture

DEPLOY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../deploy")


class Fleet:
    """Runs the commands on one server."""

    def __init__(self, program, probe, server, folder):
        self.program, self.probe, self.server, self.folder = program, probe, server, folder
        self.environment = dict(os.environ)

    def log_in(self, user, password):
        self.environment |= {"SWATHE_NATS_USER": user, "SWATHE_NATS_PASSWORD": password}

    def run(self, *words, expect=0):
        done = subprocess.run([self.program, *words, "--queue", self.server.url],
                              capture_output=True, text=True, timeout=120, env=self.environment)
        if done.returncode != expect:
            fail(f"swathe-fleet {' '.join(words)}: exit code {done.returncode}, expected "
                     f"{expect}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def submit(self, name, *words, expect=0):
        return self.run("submit", "sharpen", "--set", name, "--from", self.folder + "/in/", "--to",
                        self.folder + "/out/", *words, expect=expect)

    def status(self, name, *words, expect=0):
        lines = self.run("status", "--set", name, "--json", *words, expect=expect).splitlines()
        return json.loads(lines[-1])

    def ask(self, name, *words):
        done = subprocess.run([self.probe, self.server.url, name, *words], capture_output=True,
                              text=True, timeout=120)
        if done.returncode != 0:
            fail(f"queue_probe {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def jobs(self, name):
        return [json.loads(line) for line in self.ask(name, "jobs").splitlines()]

    def identity(self, name):
        return fleet_run.identity(self.server.url, name)

    def make(self, names, size=10):
        for name in names:
            path = os.path.join(self.folder, "in", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.truncate(size)


def fail(text):
    print("FAILED " + text, flush=True)
    sys.exit(1)


def keys_of(jobs):
    """All keys, after checking that equal ids have equal keys."""
    by_id = {}
    for job in jobs:
        if by_id.setdefault(job["id"], job["keys"]) != job["keys"]:
            fail(f"two jobs {job['id']} differ: {by_id[job['id']]} and {job['keys']}")
    if sorted(by_id) != list(range(len(by_id))):
        fail(f"ids are not dense: {sorted(by_id)[:10]}")
    return [key for number in sorted(by_id) for key in by_id[number]]


def equal(what, found, expected):
    if found != expected:
        fail(f"{what}: {found}, expected {expected}")


def contains(text, part):
    if part not in text:
        fail(f"'{part}' is missing in: {text}")


def check_submit(fleet):
    names = [f"{i % 7}/image {i:05}.jpg" for i in range(12345)] + ["é\"\\.png"]
    fleet.make(names)
    fleet.make(["big.tif"], 100 << 20)
    names.append("big.tif")
    contains(fleet.submit("s1", "--dry-run"), "12347 images (104981060 bytes), 10")
    contains(fleet.submit("s1"), "submitted 105 jobs with 12347 images")
    contains(fleet.submit("s1"), "nothing to submit: all 105 jobs with 12347 images were submitted")
    state = fleet.status("s1")
    jobs = fleet.jobs("s1")
    equal("keys", keys_of(jobs), sorted(names, key=os.fsencode))
    equal("jobs", state["jobs"], len(jobs))
    equal("waiting", state["waiting"], len(jobs))
    equal("first jobs", len(jobs[0]["keys"]), 100)
    equal("later jobs", len(jobs[100]["keys"]), 1000)
    equal("large image alone", [job["keys"] for job in jobs if "big.tif" in job["keys"]],
          [["big.tif"]])


def check_differences(fleet):
    fleet.make(["a.jpg", "b.jpg"])
    fleet.submit("s1", "--format", "jpeg", "--quality", "80")
    fleet.submit("s1", "--format", "jpg", "--quality", "80")
    contains(fleet.submit("s1", expect=2), 'write.format is "jpeg", not null')
    text = fleet.submit("s1", "--format", "jpeg", "--quality", "90", expect=2)
    contains(text, "write.quality is 80, not 90")
    contains(fleet.submit("s2", "--format", "png", "--quality", "90", expect=2), "does not apply")
    contains(fleet.submit("s2", "--format", "jpgg", expect=2), "did you mean 'jpeg'?")
    contains(fleet.submit("s2", "--attempts", "0", expect=2), "1 to 1000")
    contains(fleet.submit("s2", "--border", "wrp", expect=2), "did you mean 'wrap'?")
    contains(fleet.submit("s2", "--alpha", "copy", expect=2), "keep filter")
    contains(fleet.submit("s2", "--nodata", "blob", expect=2), "must be a number, nan or mask")
    contains(fleet.run("submit", "sharpn", "--set", "s2", "--from", fleet.folder + "/in/", "--to",
                       "/out/", expect=2), "sharpen")
    contains(fleet.run("submit", "sharpen", "--set", "s2", "--from", fleet.folder + "/in/", "--to",
                       fleet.folder + "/in/out/", expect=2), "inside")
    contains(fleet.run("submit", "sharpen", "--set", "s2", "--from", fleet.folder + "/on/", "--to",
                       fleet.folder + "/out/", expect=5), "No such file")
    contains(fleet.run("status", "--set", "s2", expect=2), "no set 's2'")
    for command, *words in (("status",), ("worker", "--allow", "/"), ("retry",), ("drain",),
                            ("audit", "--audit", "1%"), ("cancel",)):
        contains(fleet.run(command, "--set", "none", *words, expect=2), "no set 'none'")
    fleet.make(["c.jpg.x.png", "c.jpg.x.tif", "a.png"])
    contains(fleet.submit("s3", "--format", "webp", expect=2), "would have the same result")
    fleet.submit("s4")


def check_wrong_address(fleet):
    done = subprocess.run([fleet.program, "status", "--set", "s1", "--queue", "nats://127.0.0.1:1"],
                          capture_output=True, text=True, timeout=60)
    equal("exit code", done.returncode, 5)
    equal("text", done.stderr,
          "swathe-fleet: queue: nats://127.0.0.1:1: No server available for connection\n")


def check_users(fleet):
    """With the users of deploy/nats.conf, messages say which name and credentials are needed."""
    with open(DEPLOY + "/nats.conf", encoding="utf-8") as file:
        accounts = re.sub(r"\$SWATHE_\w+_PASSWORD", "secret", file.read().partition("accounts {")[2])
    fleet.make(["a.jpg"])
    with nats_fixture.NatsServer("accounts {" + accounts) as server:
        own = Fleet(fleet.program, fleet.probe, server, fleet.folder)
        contains(own.submit("s1", expect=5), "$SWATHE_NATS_USER")
        own.log_in("admin", "secret")
        own.submit("s1")
        own.log_in("worker-1", "secret")
        contains(own.run("status", "--set", "s1", expect=5), "such as admin of deploy/nats.conf")
        worker = ["worker", "--set", "s1", "--allow", fleet.folder, "--idle", "1s"]
        contains(own.run(*worker, expect=5), "--name must be the name of the user")
        contains(own.run(*worker, "--name", "worker-2", expect=5), "to worker 'worker-2'")
        own.run(*worker, "--name", "worker-1")
        own.log_in("worker-1", "wrong")
        contains(own.run(*worker, "--name", "worker-1", expect=5), "$SWATHE_NATS_PASSWORD")


def check_man(fleet):
    """Manual pages have all commands and options, and are valid troff."""
    def run(*words):
        return subprocess.run([fleet.program, *words], capture_output=True, text=True,
                              check=True).stdout
    pages = {"": run("man")}
    for command in re.findall(r"^  ([a-z]+) ", run("--help"), re.M):
        contains(pages[""], f"\n.B {command}\n")
        pages[command] = run("man", command)
        for option in re.findall(r"^  (--[a-z-]+)", run(command, "--help"), re.M):
            contains(pages[command], "\n.B " + option.replace("-", "\\-"))
    equal("pages", len(pages), 8)
    equal("exit code", subprocess.run([fleet.program, "man", "sumbit"], check=False).returncode, 2)
    if not shutil.which("groff"):
        return
    for command, page in pages.items():
        done_ = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True,
                               text=True, check=True)
        equal(f"warnings of the page of {command}", done_.stderr, "")


def check_terminal(fleet):
    """A line longer than the terminal must not wrap, or it could not be replaced."""
    fleet.make(["a.jpg"])
    fleet.submit("s1")
    outside, inside = pty.openpty()
    process = subprocess.Popen([fleet.program, "status", "--set", "s1", "--queue",
                                fleet.server.url], stdout=inside)
    text = b""
    while b"images/s" not in text or not text.endswith(b"\x1b[?7h"):
        if not select.select([outside], [], [], 20)[0]:
            fail(f"the live line is not between codes for no wrapping: {text!r}")
        text += os.read(outside, 4096)
    process.terminate()
    process.wait()
    os.close(inside)
    os.close(outside)
    contains(text.decode(), "\r\x1b[K\x1b[?7ls1: 0.0 %, 0 of 1 job, 0.00 images/s, 1 waiting")


def check_empty(fleet):
    """A source without images is an error, and takes no name."""
    fleet.make(["dir/a.jpg"])
    os.remove(fleet.folder + "/in/dir/a.jpg")
    contains(fleet.submit("s1", expect=3), "in/: has no images, so nothing is submitted")
    contains(fleet.submit("s1", "--dry-run", expect=3), "has no images")
    with open(fleet.folder + "/list", "w", encoding="utf-8") as file:
        file.write("\n\n")
    contains(fleet.run("submit", "sharpen", "--set", "s1", "--from", fleet.folder + "/list", "--base",
                       fleet.folder + "/in/", "--to", "/out/", expect=3), "has no images")
    contains(fleet.run("status", "--set", "s1", expect=2), "no set 's1'")


def check_list(fleet):
    path = fleet.folder + "/list.txt"
    keys = [f"k{i}.png" for i in range(250)]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\r\n".join(keys[:100]) + "\n\n")
        file.write("".join(f"{fleet.folder}/in/{key}\n" for key in keys[100:]))
        file.write("../evil.png")
    os.makedirs(fleet.folder + "/in", exist_ok=True)
    common = ["submit", "sharpen", "--set", "l1", "--to", fleet.folder + "/out"]
    contains(fleet.run(*common, "--from", path, expect=2), "--base")
    contains(fleet.run(*common, "--from", path + "x", "--base", fleet.folder + "/in", expect=5),
             "No such file")
    contains(fleet.run("status", "--set", "l1", expect=2), "no set 'l1'")
    words = [*common, "--from", path, "--base", fleet.folder + "/in"]
    contains(fleet.run(*words, "--dry-run", expect=1), "250 images (size not known), 3 jobs")
    text = fleet.run(*words, expect=1)
    contains(text, "'../evil.png' is skipped")
    contains(text, "1 object was skipped")
    equal("keys", keys_of(fleet.jobs("l1")), keys)


def check_life(fleet):
    """Done, failed, dead, retried; quarantine; drain and cancel."""
    names = [f"{i:04}.jpg" for i in range(95)] + ["fail-1.jpg", "fail-2.jpg", "x-dead.jpg"]
    fleet.make(names)
    fleet.submit("s1", "--images-per-job", "10")
    equal("jobs", fleet.status("s1")["jobs"], 10)
    fleet.ask("s1", "work", "w1")
    state = fleet.status("s1", "--wait", expect=1)
    equal("state", (state["done"], state["dead"], state["images"]["failed"], state["ended"]),
          (9, 1, 0, True))
    text = fleet.run("status", "--set", "s1", "--failures")
    contains(text, "9 of 10 jobs done (90.0 %), 90 images, 0 failed, 1 job given up")
    contains(text, "job 9: the store is gone")
    contains(fleet.run("retry", "--set", "s1"), "submitted 1 job again")
    contains(fleet.run("retry", "--set", "s1"), "submitted 0 jobs again")  # on its way
    equal("ended", fleet.status("s1")["ended"], False)
    fleet.ask("s1", "work", "w1")
    state = fleet.status("s1", "--wait")
    equal("state", (state["done"], state["dead"], state["images"]["done"]), (10, 0, 98))
    fleet.ask("s1", "quarantine", "w1")
    state = fleet.status("s1")
    equal("state after quarantine", (state["done"], state["quarantined"]), (0, 1))
    contains(fleet.run("drain", "--set", "s1"), "draining")
    equal("state", fleet.status("s1")["state"], "draining")
    contains(fleet.run("drain", "--set", "s1", "--undo"), "active")
    fleet.submit("s2", "--images-per-job", "1")
    fleet.run("cancel", "--set", "s2")
    state = fleet.status("s2", "--wait", expect=1)
    equal("state", (state["state"], state["waiting"]), ("cancelled", 0))
    for text in (fleet.submit("s2", "--images-per-job", "1", expect=2),
                 fleet.run("retry", "--set", "s2", expect=2), fleet.run("drain", "--set", "s2", expect=2)):
        contains(text, "submit it again with another --set, or after 'swathe-fleet cancel --delete'")
    fleet.run("cancel", "--set", "s2", "--delete")
    fleet.run("status", "--set", "s2", expect=2)
    fleet.submit("s2", "--images-per-job", "1")


def check_failed_images(fleet):
    fleet.make(["a.jpg", "b-fail.jpg", "c-fail.jpg"])
    fleet.submit("s1", "--priority", "high")
    fleet.ask("s1", "work", "w1")
    state = fleet.status("s1", "--wait", expect=1)
    equal("images", (state["images"]["done"], state["images"]["failed"]), (1, 2))
    contains(fleet.run("status", "--set", "s1", "--failures"), "\nb-fail.jpg: damaged\n")
    lines = fleet.run("status", "--set", "s1", "--failures", "--json").splitlines()
    equal("failures", [json.loads(line) for line in lines[1:]],
          [{"job": 0, "key": f"{name}-fail.jpg", "error": "damaged"}
           for name in "bc"])
    contains(fleet.run("retry", "--set", "s1"), "submitted 1 job again, with 2 failed images")
    jobs_before = fleet.status("s1")
    equal("done", (jobs_before["done"], jobs_before["waiting"]), (0, 1))
    fleet.ask("s1", "work", "w1")
    state = fleet.status("s1", "--wait")
    equal("images", (state["images"]["done"], state["images"]["failed"]), (3, 0))


def delete_job(fleet, name, sequence):
    with nats_fixture.NatsClient(fleet.server.url) as client:
        client.publish(f"$JS.API.STREAM.MSG.DELETE.SWATHE_JOBS_{name}",
                       json.dumps({"seq": sequence}).encode())


def check_full_disk(fleet, name):
    """A temporary file that cannot be written is a failure, and not a source without jobs."""
    words = ["retry", "--set", name, "--queue", fleet.server.url]
    done = subprocess.run(["sh", "-c", 'ulimit -f 0 && exec "$@"', "sh", fleet.program, *words],
                          capture_output=True, text=True, timeout=120)
    equal("exit code", done.returncode, 5)
    contains(done.stderr, "temporary file: File too large")


def check_missing(fleet):
    """Jobs that the queue lost are submitted again, with the same images."""
    names = [f"{i:04}.jpg" for i in range(41)] + ["5fail.jpg", "6.jpg"]
    fleet.make(names)
    fleet.submit("s1", "--images-per-job", "10")
    delete_job(fleet, "s1", 2)
    contains(fleet.run("retry", "--set", "s1"), "submitted 0 jobs again")  # others are waiting
    equal("missing", fleet.status("s1")["missing"], 0)
    fleet.ask("s1", "work", "w1")
    state = fleet.status("s1")
    equal("state", (state["done"], state["missing"], state["ended"]), (4, 1, False))
    contains(fleet.run("status", "--set", "s1"), "1 job missing; retry submits missing jobs again")
    contains(fleet.run("retry", "--set", "s1"), "submitted 2 jobs again, with 1 failed image")
    state = fleet.status("s1")
    equal("state", (state["waiting"], state["missing"]), (2, 0))
    # Acknowledged without a result, as a hostile worker could.
    jobs = {job["id"]: job for job in fleet.jobs("s1")}
    equal("jobs", sorted(jobs), [1, 4])
    equal("keys", (jobs[1]["keys"], jobs[4]["keys"]), (sorted(names)[10:20], ["5fail.jpg"]))
    equal("missing", fleet.status("s1")["missing"], 2)
    check_full_disk(fleet, "s1")
    with subprocess.Popen([fleet.program, "status", "--wait", "--set", "s1", "--queue",
                           fleet.server.url], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as waiting:
        contains(waiting.stderr.readline(), "2 jobs of set 's1' have no outcome")
        contains(fleet.run("retry", "--set", "s1"), "submitted 2 jobs again, with 1 failed image")
        fleet.ask("s1", "work", "w1")
        contains(waiting.stdout.read(), "5 of 5 jobs done (100.0 %), 43 images, 0 failed;")
    equal("status --wait", waiting.returncode, 0)


def check_missing_all(fleet):
    """The queue lost everything, of a list and of a directory whose files have changed."""
    keys = [f"k{i}.png" for i in range(250)]
    fleet.make(keys)
    path = fleet.folder + "/list.txt"
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(keys) + "\n")
    fleet.run("submit", "sharpen", "--set", "l1", "--from", path, "--base", fleet.folder + "/in",
              "--to", fleet.folder + "/out")
    before = fleet.jobs("l1")
    contains(fleet.run("retry", "--set", "l1"), "submitted 3 jobs again")
    equal("keys", keys_of(fleet.jobs("l1")), keys)
    contains(fleet.run("retry", "--set", "l1"), "submitted 3 jobs again")
    again = fleet.jobs("l1")
    equal("generations", [job["generation"] for job in before + again], 3 * [0] + 3 * [2])
    fleet.submit("s1")
    fleet.jobs("s1")
    os.rename(fleet.folder + "/in/k7.png", fleet.folder + "/in/k7.jpg")
    contains(fleet.run("retry", "--set", "s1", expect=3), "has changed since the set was submitted")
    equal("jobs", fleet.jobs("s1"), [])


def publish_outcome(fleet, name, worker, **fields):
    """A message of a worker that may lie."""
    message = {"v": 1, "set": fleet.identity(name), "worker": worker, "generation": 0, "attempt": 1, **fields}
    if "images" in fields:
        message |= {"kind": "images", "seconds": 1.0}
    kind = "dead" if "reason" in fields else "results"
    with nats_fixture.NatsClient(fleet.server.url) as client:
        client.publish(f"swathe.{kind}.{name}.{worker}", json.dumps(message).encode())


def failed(key):
    return {"key": key, "status": 3, "error": "damaged"}


def done(key):
    return {"key": key, "samples": 64 * "a", "bytes": 64 * "b", "size": 1}


def check_rate(fleet):
    """status --wait states images per second and the time left."""
    fleet.make([f"{i:04}.jpg" for i in range(100)])
    fleet.submit("s1", "--images-per-job", "1")
    state = fleet.status("s1")
    equal("first look", (state["images_per_second"], state["seconds_left"]), (None, None))
    with subprocess.Popen([fleet.program, "status", "--set", "s1", "--json", "--wait", "--queue",
                           fleet.server.url], stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        start = time.monotonic()
        for i in range(20):
            publish_outcome(fleet, "s1", "w1", id=i, images=[done(f"{i:04}.jpg")])
            time.sleep(0.1)
        fastest = 20 / (time.monotonic() - start)
        time.sleep(1)
        fleet.run("cancel", "--set", "s1")
        lines = [json.loads(line) for line in process.stdout]
    last = [line for line in lines if not line["ended"]][-1]
    rate, left = last["images_per_second"], last["seconds_left"]
    if not fastest / 3 < rate < fastest * 1.5 or abs(left * rate - (100 - last["images"]["done"])) > 1:
        fail(f"{rate} images/s of at most {fastest}, {left} s left: {last}")
    equal("time left of a cancelled set", lines[-1]["seconds_left"], None)


def check_lies(fleet):
    """Images that a worker claims for a job are compared with those of the source."""
    names = [f"{i:04}.jpg" for i in range(30)]
    fleet.make(names)
    for name in ("s1", "s2"):
        fleet.submit(name, "--images-per-job", "10")
        jobs = fleet.jobs(name)
        publish_outcome(fleet, name, "good", id=2, images=[failed("0020.jpg"), done("0021.jpg")])
    publish_outcome(fleet, "s1", "evil", id=0, images=[failed("0015.jpg"), failed("0001.jpg")])
    publish_outcome(fleet, "s1", "evil", id=1, reason="gone", job={**jobs[1], "set": fleet.identity("s1"),
                                                                  "keys": ["0025.jpg"]})
    text = fleet.run("retry", "--set", "s1", expect=1)
    contains(text, "0015.jpg: not submitted: worker evil says that it is an image of job 0")
    contains(text, "submitted 3 jobs again, with 1 failed image")
    found = {job["id"]: job["keys"] for job in fleet.jobs("s1")}
    equal("jobs of lies", found, {0: names[:10], 1: names[10:20], 2: ["0020.jpg"]})
    # The source has changed: keys that it still has are submitted.
    publish_outcome(fleet, "s2", "evil", id=0, images=[failed("none.jpg"), failed("0001.jpg")])
    publish_outcome(fleet, "s2", "evil", id=1, reason="gone", job={**jobs[1], "set": fleet.identity("s2"),
                                                                  "keys": ["x.jpg", "0012.jpg"]})
    fleet.make(["0000a.jpg"])
    text = fleet.run("retry", "--set", "s2", expect=1)
    contains(text, "none.jpg: not submitted: worker evil")
    found = {job["id"]: job["keys"] for job in fleet.jobs("s2")}
    equal("jobs of lies", found, {0: ["0001.jpg"], 1: ["0012.jpg"], 2: ["0020.jpg"]})


def check_dead_repair(fleet):
    """A job that has a result, was submitted again and then given up, is not done."""
    fleet.make(["a.jpg", "b.jpg"])
    fleet.submit("s1", "--images-per-job", "1")
    jobs = fleet.jobs("s1")
    for number, key in enumerate(["a.jpg", "b.jpg"]):
        publish_outcome(fleet, "s1", "good", id=number, images=[done(key)])
    mark = {"v": 1, "set": fleet.identity("s1"), "id": 1, "generation": 1}
    with nats_fixture.NatsClient(fleet.server.url) as client:
        client.publish("swathe.retry.s1", json.dumps(mark).encode())
    publish_outcome(fleet, "s1", "good", id=1, generation=1, reason="gone",
                    job={**jobs[1], "generation": 1})
    state = fleet.status("s1", "--wait", expect=1)
    equal("done and dead", (state["done"], state["dead"]), (1, 1))
    contains(fleet.run("status", "--set", "s1", "--failures"), "gone")
    contains(fleet.run("retry", "--set", "s1"), "submitted 1 job again")
    equal("jobs", [(job["id"], job["generation"]) for job in fleet.jobs("s1")], [(1, 2)])


def check_delete(fleet):
    """A set that does not exist is not deleted, and an interrupted deletion can be repeated."""
    for words in ((), ("--delete",)):
        contains(fleet.run("cancel", "--set", "typo", *words, expect=2), "no set 'typo'")
    fleet.make(["a.jpg"])
    fleet.submit("s1")
    contains(fleet.run("cancel", "--delete", "--set", "typo", expect=2), "no set 'typo'")
    with nats_fixture.NatsClient(fleet.server.url) as client:
        client.request("$JS.API.STREAM.DELETE.SWATHE_JOBS_s1")
        contains(fleet.run("cancel", "--delete", "--set", "s1"), "deleted")
        fleet.submit("s2")
        client.publish("swathe.set.s2", b'{"v": 2}')
        fleet.run("cancel", "--delete", "--set", "s2", expect=3)
        equal("jobs that are left", client.info("SWATHE_JOBS_s2")["messages"], 1)
        purge = json.dumps({"filter": "swathe.set.s2"}).encode()
        client.request("$JS.API.STREAM.PURGE.SWATHE_SETS", purge)  # submit, before its record
        contains(fleet.run("cancel", "--delete", "--set", "s2"), "deleted")
        names = json.loads(client.request("$JS.API.STREAM.NAMES"))["streams"]
    equal("streams", names, ["SWATHE_SETS"])


def check_changed(fleet):
    """The source changes while submit is interrupted: no two jobs of one number."""
    names = [f"{i}.jpg" for i in range(6)]
    fleet.make(names)
    fleet.submit("s1", "--images-per-job", "2")
    jobs = fleet.jobs("s1")
    with nats_fixture.NatsClient(fleet.server.url) as client:
        old = json.loads(client.last("SWATHE_SETS", "swathe.progress.s1"))
        # As after an interruption before the jobs were recorded.
        begun = {**old, "jobs": 0, "images": 0, "last": "", "complete": False, "hash": 16 * "0"}
        client.publish("swathe.progress.s1", json.dumps(begun).encode())
    equal("promised", (old.get("promised"), old.get("promised_hash")), (3, old["hash"]))
    for change in (lambda: os.remove(fleet.folder + "/in/1.jpg"),
                   lambda: fleet.make(["1.jpg", "4a.jpg"])):
        change()
        contains(fleet.submit("s1", "--images-per-job", "2", expect=3),
                 "has changed since submit was interrupted")
        equal("jobs", fleet.jobs("s1"), [])
    os.remove(fleet.folder + "/in/4a.jpg")
    fleet.submit("s1", "--images-per-job", "2")
    equal("keys", keys_of(jobs + fleet.jobs("s1")), names)
    fleet.ask("s1", "work")
    equal("jobs", fleet.status("s1")["jobs"], 3)


def check_replaced(fleet):
    """Messages of a set that was deleted do not count for the next one of its name."""
    names = ["a.jpg", "b.jpg", "c.jpg"]
    fleet.make(names)
    fleet.submit("s1", "--images-per-job", "1")
    old = fleet.jobs("s1")
    fleet.run("cancel", "--delete", "--set", "s1")
    fleet.submit("s1", "--images-per-job", "1")
    publish_outcome(fleet, "s1", "late", set=old[0]["set"], id=0, images=[done(names[0])])
    publish_outcome(fleet, "s1", "late", set=old[1]["set"], id=1, reason="gone", job=old[1])
    state = fleet.status("s1")
    equal("what counts", (state["done"], state["dead"], state["waiting"]), (0, 0, 3))
    fleet.ask("s1", "work")
    equal("done", fleet.status("s1", "--wait")["done"], 3)
    fleet.submit("s1", "--images-per-job", "1")  # the same arguments: nothing to do
    contains(fleet.submit("s1", expect=2), "images_per_job is 1, not 0")


def check_server_kills(fleet):
    """The server is killed while jobs are published: none that was acknowledged is lost."""
    count, kills = 20000, 5
    with subprocess.Popen([fleet.probe, fleet.server.url, "k1", "publish", str(count)],
                          stdout=subprocess.PIPE, text=True) as publisher:
        for i in range(kills):
            publisher.stdout.readline()
            time.sleep(0.02 * (i + 1))
            fleet.server.restart()
        publisher.stdout.read()
    equal("publisher", publisher.returncode, 0)
    ids = {job["id"] for job in fleet.jobs("k1")}
    equal("jobs after kills", len(ids), count)
    print(f"{count} jobs, {kills} kills of the server: none lost")


def check_submit_kills(fleet):
    """submit and the server are killed; submit is run again until it ends."""
    names = [f"{i % 11}/{i:06}.jpg" for i in range(30000)]
    fleet.make(names, 0)
    words = [fleet.program, "submit", "sharpen", "--queue", fleet.server.url, "--set", "r1",
             "--from", fleet.folder + "/in/", "--to", fleet.folder + "/out/", "--images-per-job", "2"]
    kills = 0
    for pause in (0.3, 0.6, 0.9, 1.2):
        with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
            time.sleep(pause)
            if pause == 0.6:
                fleet.server.restart()
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    equal("submit", done.returncode, 0)
    jobs = fleet.jobs("r1")
    equal("keys", keys_of(jobs), sorted(names))
    print(f"submit killed {kills} times: {len(jobs)} jobs for {len(names) // 2}, all keys once")


def check_submits_at_once(fleet):
    """Several submits of one new set: all of their jobs belong to the set that is recorded."""
    fleet.make(["a.jpg", "b.jpg"])
    for name in (f"a{i}" for i in range(4)):
        words = [fleet.program, "submit", "sharpen", "--queue", fleet.server.url, "--set", name,
                 "--from", fleet.folder + "/in/", "--to", fleet.folder + "/out/"]
        with contextlib.ExitStack() as stack:
            submits = [stack.enter_context(subprocess.Popen(words, stdout=subprocess.DEVNULL))
                       for _ in range(6)]
            equal("exit codes", [submit.wait() for submit in submits], [0] * 6)
        equal("sets of jobs", {job["set"] for job in fleet.jobs(name)}, {fleet.identity(name)})


CHECKS = [check_submit, check_submits_at_once, check_differences, check_wrong_address, check_users,
          check_man, check_terminal, check_empty, check_list, check_life, check_failed_images, check_missing,
          check_missing_all, check_rate, check_lies, check_dead_repair, check_delete,
          check_changed, check_replaced, check_server_kills, check_submit_kills]


def main():
    program, probe = sys.argv[1:3]
    for check in CHECKS:
        if len(sys.argv) > 3 and check.__name__ != sys.argv[3]:
            continue
        start = time.monotonic()
        print(f"{check.__name__}; rerun alone: fleet_commands.py {program} {probe} "
              f"{check.__name__}", flush=True)
        with nats_fixture.NatsServer() as server, tempfile.TemporaryDirectory() as folder:
            check(Fleet(program, probe, server, folder))
        print(f"    {time.monotonic() - start:.1f} s", flush=True)
    print("the commands do what they say")


if __name__ == "__main__":
    main()
