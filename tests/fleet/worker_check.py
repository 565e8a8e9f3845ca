#!/usr/bin/env python3
"""Checks what a worker does with good, bad and hostile jobs, on a queue of its own and directories.

    worker_check.py SWATHE SWATHE_FLEET [CASE...]
"""
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import fleet_run
from nats_fixture import NatsClient, NatsServer, free_ports

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
from images import geotiff
CHAIN = "sharpen,gaussian:3"
OTHER = "other.0123456789abcdef"


class Case:
    """A directory with images and what a case needs to make sets of them."""

    def __init__(self, swathe, program, nats, folder, name, checks):
        self.swathe, self.nats, self.checks = swathe, nats, checks
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder)
        self.source, self.target = self.folder + "/in/", self.folder + "/out/"
        self.fleet = fleet_run.Fleet(program, nats, name)

    def images(self, count, **sizes):
        return fleet_run.make_images(self.swathe, self.source.rstrip("/"), count, **sizes)

    def submit(self, *more):
        self.fleet.submit(CHAIN, self.source, self.target, *more)

    def worker(self, name, *more, **environment):
        return self.fleet.start_worker(name, "--allow", self.folder, *more, **environment)

    def job(self, number, **fields):
        return {"v": 1, "set": self.fleet.identity(), "id": number, "generation": 0,
                "kind": "images", **fields}

    def drain(self, worker, seconds=60):
        """Lets the worker finish all jobs; returns its exit code."""
        self.fleet.run("drain")
        return worker.wait(seconds)

    def expected(self, *more):
        target = self.folder + "/expected"
        fleet_run.batch(self.swathe, CHAIN, self.source, target, "--exact", *more)
        return fleet_run.contents(target)


def case_results(case):
    """Outputs are those of 'swathe batch'; results state their checksums."""
    raw = case.source.rstrip("/") + ".raw"
    case.images(12)
    shutil.rmtree(case.source)
    os.rename(raw, case.source)
    case.submit("--images-per-job", "5")
    code = case.drain(case.worker("one"))
    outputs, images = fleet_run.contents(case.target), case.fleet.images()
    case.checks.that(code == 0, "a drained worker exits with 0")
    case.checks.that(outputs == case.expected(), "outputs equal those of 'swathe batch'")
    case.checks.that(len(images) == 12 and all(
        images[name]["samples"] == fleet_run.samples_of_ppm(data)
        for name, data in outputs.items()), "results state the checksum of the samples")
    case.checks.that(all(images[name]["bytes"] == fleet_run.digest(data) and
                         images[name]["size"] == len(data) for name, data in outputs.items()),
                     "results state checksum and size of the file")


def case_formats(case):
    """Tiles, pages and floats: other ways through the library, the same files."""
    os.makedirs(case.source)
    fleet_run.make_images(case.swathe, case.folder + "/jpeg", 2, sizes=((300, 200),))
    jpeg = sorted(os.listdir(case.folder + "/jpeg"))[0]
    for name, words in {"strips.tif": (), "tiles.tif": ("--tile", "64"), "floats.pfm": ("--type", "f32"),
                        "doubles.tif": ("--type", "f64", "--compression", "none"),
                        "wide.tif": ("--type", "s32", "--compression", "none"),
                        "a.png": (), "b.bmp": (), "c.webp": ()}.items():
        fleet_run.run([case.swathe, "apply", "identity", f"{case.folder}/jpeg/{jpeg}",
                       case.source + name, *words])
    with open(case.source + "pages.tif", "wb") as file:
        file.write(subprocess.run([sys.executable, os.path.join(HERE, "../cli/images.py"), "tiff",
                                   "20x10", "30x5"], check=True, capture_output=True).stdout)
    case.submit()
    case.drain(case.worker("one"))
    outputs, images = fleet_run.contents(case.target), case.fleet.images()
    case.checks.that(outputs == case.expected(),
                     "files of several formats equal those of 'swathe batch'")
    case.checks.that(all(images[name]["samples"] == fleet_run.samples_of_tiff(
        outputs[name], (300, 200, 3, kind, size))
        for name, kind, size in (("doubles.tif", "f64", 8), ("wide.tif", "s32", 4))),
                     "results state the checksums of wide samples")


def case_plan_options(case):
    """--border and --alpha of the set."""
    os.makedirs(case.source)
    with open(case.source + "a.pam", "wb") as file:
        file.write(b"P7\nWIDTH 30\nHEIGHT 20\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n" +
                   bytes(i * i % 251 for i in range(30 * 20 * 4)))
    plain = case.expected()
    case.submit("--border", "wrap", "--alpha", "filter")
    case.drain(case.worker("one"))
    outputs = fleet_run.contents(case.target)
    shutil.rmtree(case.folder + "/expected")
    wrapped = case.expected("--border", "wrap")
    shutil.rmtree(case.folder + "/expected")
    case.checks.that(outputs == case.expected("--border", "wrap", "--alpha", "filter"),
                     "outputs have the border and alpha of the set")
    case.checks.that(outputs not in (plain, wrapped), "which are not the default ones")


def case_nodata(case):
    """Missing data: the tag of each image, of images of one shape, too."""
    os.makedirs(case.source)
    levels = [i * i % 97 for i in range(30 * 20)]
    for name, text in ("a.tif", "7"), ("b.tif", "8"), ("c.tif", None):
        geotiff(case.source + name, 30, 20, "u8", levels, text)
    case.submit()
    case.drain(case.worker("one"))
    outputs = fleet_run.contents(case.target)
    case.checks.that(outputs == case.expected(), "outputs have the missing data of their images")
    case.checks.that(len(set(outputs.values())) == 3, "which differ")


def case_large(case):
    """An image of more than 64 MiB is read by ranges and written as it is made."""
    os.makedirs(case.source)
    row = bytes(range(256)) * 59
    with open(case.source + "large.ppm", "wb") as file:
        file.write(b"P6\n5000 4600\n255\n" + b"".join(row[y % 97:][:15000] for y in range(4600)))
    case.submit()
    case.drain(case.worker("one"))
    outputs, images = fleet_run.contents(case.target), case.fleet.images()
    case.checks.that(outputs == case.expected(), "its output is that of 'swathe batch'")
    data = outputs.get("large.ppm", b"P6\n0 0\n255\n")
    case.checks.that(images["large.ppm"].get("samples") == fleet_run.samples_of_ppm(data) and
                     images["large.ppm"].get("bytes") == fleet_run.digest(data),
                     "and its checksums are right")


def case_bad_images(case):
    """A cut, a missing and a text file fail alone."""
    names = case.images(8)
    with open(case.source + names[1], "r+b") as file:
        file.truncate(300)
    with open(case.source + names[2], "wb") as file:
        file.write(b"not an image")
    case.submit("--images-per-job", "8")
    os.unlink(case.source + names[3])
    code = case.drain(case.worker("one"))
    images, outputs = case.fleet.images(), fleet_run.contents(case.target)
    bad = {name for name in names if images[name].get("status")}
    case.checks.that(code == 0 and bad == set(names[1:4]), "three bad images fail, five succeed")
    case.checks.that(set(outputs) == set(names) - bad, "and only they have no output")
    case.checks.that(all(images[name]["error"] for name in bad), "results say why")


def case_list(case):
    """A list that is a file belongs to submit: workers need not see it."""
    names = case.images(3)
    with open(case.folder + "/list", "w", encoding="utf-8") as file:
        file.write("\n".join(names[:2]))
    case.fleet.submit(CHAIN, case.folder + "/list", case.target, "--base", case.source)
    os.unlink(case.folder + "/list")
    worker = case.fleet.start_worker("one", "--allow", case.source, "--allow", case.target)
    code = case.drain(worker)
    case.checks.that(code == 0 and set(fleet_run.contents(case.target)) == set(names[:2]),
                     "a worker does a list's images without access to the list")


def case_limits(case):
    """The worker's limits on images hold whatever the set allows."""
    names = case.images(3)
    case.submit()
    worker = case.worker("one", "--max-pixels", "100")
    case.drain(worker)
    images = case.fleet.images()
    case.checks.that([images[name].get("status") for name in names] == [4, 4, 4],
                     "images above --max-pixels fail with status 4")
    case.checks.that(not os.path.exists(case.target) or not os.listdir(case.target),
                     "and have no output")


def case_refusals(case):
    """A worker refuses sets that it would compute differently, or may not touch."""
    case.images(1)
    case.submit()
    outside = case.fleet.start_worker("outside", "--allow", "/nonexistent/")
    case.checks.that(outside.wait() == 7 and "outside" in outside.log()[-1]["text"],
                     "a set outside --allow is refused with exit code 7")
    beside = case.fleet.start_worker("beside", "--allow", case.folder[:-1])
    case.checks.that(beside.wait() == 7, "a prefix covers whole names only")
    with NatsClient(case.nats.url) as client:
        records = dict(client.stream("SWATHE_SETS"))
        subject = f"swathe.set.{case.fleet.name}"
        record = json.loads(records[subject])
        for field, value in (("contract", 99), ("version", "9.9.9")):
            client.publish(subject, json.dumps({**record, field: value}).encode())
            worker = case.worker("other-" + field)
            case.checks.that(worker.wait() == 7 and str(value) in worker.log()[-1]["text"],
                             f"another {field} is refused with exit code 7")
        for field in ("from", "to"):
            client.publish(subject, json.dumps({**record, field: case.folder + "/../up/"}).encode())
            worker = case.worker("up-" + field)
            case.checks.that(worker.wait() == 7 and "'..'" in worker.log()[-1]["text"],
                             f"'{field}' with '..' is refused with exit code 7")
        bucket = {"from": "s3://bucket/in/", "to": "s3://bucket/out/"}
        client.publish(subject, json.dumps({**record, **bucket}).encode())
        worker = case.fleet.start_worker("region", "--allow", "s3://bucket/", AWS_REGION="?",
                                         AWS_ACCESS_KEY_ID="id", AWS_SECRET_ACCESS_KEY="secret")
        case.checks.that(worker.wait() == 2 and "AWS_REGION" in worker.log()[-1]["text"],
                         "wrong settings of the store end the worker, not the images")
        codecs = json.loads(json.dumps(record["codecs"]).replace("1", "7"))
        client.publish(subject, json.dumps({**record, "codecs": codecs}).encode())
        case.checks.that(case.worker("other-codecs").wait() == 7, "other codecs are refused")


def case_hostile(case):
    """Hostile jobs end as dead letters; the worker goes on."""
    names = case.images(2)
    secret = case.folder + "/secret.jpg"
    shutil.copy(case.source + names[0], secret)
    case.submit()
    hostile = [b"{", b"", b"[]", b"\xff\xfe", b'{"v":1}', b'{"v":2}', b"9" * 300,
               case.job(1000, keys=["../secret.jpg"]), case.job(1001, keys=["/etc/passwd"]),
               case.job(1002, keys=["a//b.jpg"]), case.job(1003, keys=[]),
               case.job(1004, keys=["a\nb"]), case.job(-1, keys=["a"]),
               case.job(1005, keys=["x" * 5000]), {**case.job(1006, keys=["a"]), "set": OTHER},
               {**case.job(1007), "kind": "manifest", "offset": 0, "size": 10},
               {**case.job(1008), "kind": "tiles", "offset": 0, "size": 1},
               {**case.job(1009), "kind": "part", "offset": 0, "size": 1},
               {**case.job(1010), "kind": "finish"}, {**case.job(1011), "kind": "format disk"}]
    for job in hostile:
        case.fleet.publish_job(job)
    with NatsClient(case.nats.url) as client:  # it looks like an answer of the server
        client.publish(f"swathe.jobs.{case.fleet.name}.1", b"", "id\r\nStatus: 404")
    hostile.append("an answer")
    worker = case.worker("one")
    code = case.drain(worker)
    letters = case.fleet.dead_letters()
    case.checks.that(code == 0, "the worker lives through hostile jobs")
    for letter in letters:
        print("   ", letter["id"], letter["reason"])
    case.checks.that(len(letters) == len(hostile) and all(letter["reason"] for letter in letters),
                     f"{len(letters)} dead letters for {len(hostile)} hostile jobs, with reasons")
    case.checks.that(set(fleet_run.contents(case.target)) == set(names), "and does the good ones")


def case_dead_letter(case):
    """A job that fails in every attempt becomes a dead letter."""
    case.images(2)
    case.fleet.submit(CHAIN, case.source, "/proc/swathe-no-such/", "--attempts", "2")
    worker = case.fleet.start_worker("one", "--allow", case.folder, "--allow", "/proc/swathe-no-such/")
    code = case.drain(worker)
    letters = case.fleet.dead_letters()
    case.checks.that(code == 0 and len(letters) == 1 and letters[0]["attempt"] == 2,
                     "a job is given up after --attempts deliveries")
    case.checks.that("attempt 2 of 2" in letters[0]["reason"], "and the dead letter says why")


def case_signal(case):
    """SIGTERM: running images finish, the rest is given back, another worker does it."""
    names = case.images(60, sizes=((1500, 1200),))
    case.submit("--images-per-job", "60")
    first = case.worker("first")
    fleet_run.wait_until("the first output", lambda: os.path.isdir(case.target) and any(
        name.endswith(".jpg") for name in os.listdir(case.target)))
    start = time.monotonic()
    first.terminate()
    case.checks.that(first.wait() == 0, "exit code 0 after SIGTERM")
    case.checks.that(time.monotonic() - start < 10, "within seconds")
    case.checks.that("given-back" in first.events(), "and it gave its job back")
    case.drain(case.worker("second"))
    case.checks.that(fleet_run.contents(case.target) == case.expected() and len(names) == 60,
                     "another worker does the whole job at once")


def traffic(place):
    """Messages to and from each client of a queue."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    clients = json.load(opener.open(place + "/connz"))["connections"]
    return {client["name"]: client["in_msgs"] + client["out_msgs"] for client in clients}


def case_idle(case):
    """An idle worker asks the queue rarely, and ends soon."""
    port = free_ports(1)[0]
    with NatsServer(f'http: "127.0.0.1:{port}"') as nats:
        case.fleet = fleet_run.Fleet(case.fleet.program, nats, "idle")
        case.images(1)
        case.submit()
        with case.fleet:
            worker = case.worker("lazy")
            fleet_run.wait_until("a result", lambda: case.fleet.status()["ended"])
            time.sleep(16)  # it counts as idle after 10 s
            before, start = traffic(f"http://127.0.0.1:{port}")["lazy"], time.monotonic()
            time.sleep(15)
            count = traffic(f"http://127.0.0.1:{port}")["lazy"] - before
            rate = count / (time.monotonic() - start)
            case.checks.that(rate < 5, f"an idle worker exchanges {rate:.1f} messages a second")
            start = time.monotonic()
            worker.terminate()
            case.checks.that(worker.wait(30) == 0 and time.monotonic() - start < 2,
                             "and ends at once at SIGTERM")


def case_audit(case):
    """Audits: made again by another worker, without an output."""
    names = case.images(4)
    case.submit()
    case.drain(case.worker("first"))
    before, results = case.fleet.images(), len(case.fleet.results())
    shutil.rmtree(case.target)
    case.fleet.run("drain", "--undo")
    case.fleet.publish_job(case.job(500, kind="audit", of=0, key=names[0], **{"not": ["first"]}))
    first = case.worker("first")
    time.sleep(3)
    case.checks.that(len(case.fleet.results()) == results, "a worker does not audit itself")
    second = case.worker("second")
    fleet_run.wait_until("an audit", lambda: len(case.fleet.results()) > results)
    first.terminate()
    second.terminate()
    audit = case.fleet.results()[-1]
    case.checks.that(audit[0].endswith(".second") and audit[1]["kind"] == "audit",
                     "another one does")
    case.checks.that(audit[1]["images"][0]["samples"] == before[names[0]]["samples"],
                     "with the same checksum")
    case.checks.that(not os.path.exists(case.target), "and no output")


def case_states(case):
    """Cancelled sets and quarantined workers end; other sets are not touched."""
    case.images(1)
    case.submit()
    worker = case.worker("bad")
    fleet_run.wait_until("a start", lambda: "start" in worker.events())
    with NatsClient(case.nats.url) as client:
        client.publish(f"swathe.quarantine.{case.fleet.name}.bad", b'{"v":1}')
    case.checks.that(worker.wait(30) == 9, "a quarantined worker exits with 9")
    worker = case.worker("good")
    fleet_run.wait_until("a start", lambda: "start" in worker.events())
    case.fleet.run("cancel")
    case.checks.that(worker.wait(30) == 0, "a cancelled set ends its workers")


def case_replaced(case):
    """A worker of a deleted set does not apply its chain to another set of the same name."""
    case.images(3)
    case.submit()
    worker = case.worker("old")
    fleet_run.wait_until("results", lambda: case.fleet.status()["ended"])
    shutil.rmtree(case.target)
    case.fleet.run("cancel", "--delete")
    case.fleet.submit("box:5", case.source, case.folder + "/other/")
    case.checks.that(worker.wait(30) == 0, "a set that is replaced ends its workers")
    case.checks.that(not os.path.exists(case.target), "and the jobs of the other set are not done")
    case.checks.that(case.fleet.status()["done"] == 0, "nor reported")
    worker = case.worker("new", "--idle", "1s")
    case.checks.that(worker.wait(60) == 0 and len(os.listdir(case.folder + "/other")) == 3,
                     "a new worker does them")
    case.fleet.run("cancel", "--delete")
    case.checks.that("no set" in case.fleet.run("status", check=False).stderr, "the set is gone")


def case_metrics(case):
    """Metrics, health and readiness on a port."""
    case.images(3)
    case.submit()
    worker = case.worker("one", "--metrics", "0")
    line = fleet_run.wait_until("a port", lambda: [line for line in worker.log()
                                                   if line["event"] == "metrics"])[0]
    place = "http://127.0.0.1:" + line["text"].rsplit(":", 1)[1]
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def get(path):
        try:
            with opener.open(place + path, timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, ""

    fleet_run.wait_until("three images", lambda: 'images_total{outcome="done"} 3' in get("/metrics")[1])
    case.checks.that('jobs_total{outcome="done"} 1' in get("/metrics")[1], "metrics count")
    case.checks.that(get("/healthz")[0] == 200 and get("/readyz")[0] == 200, "healthy and ready")
    case.checks.that(get("/x")[0] == 404, "other pages do not exist")
    worker.terminate()
    case.checks.that(worker.wait() == 0, "ends")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def case_descriptors(case):
    """A worker without free file descriptors waits for one to serve metrics."""
    case.images(1)
    case.submit()
    worker = case.worker("one", "--metrics", "0")
    line = fleet_run.wait_until("a port", lambda: [line for line in worker.log()
                                                   if line["event"] == "metrics"])[0]
    fleet_run.wait_until("the image", lambda: case.fleet.status()["ended"])
    pid = worker.process.pid
    used = max(int(name) for name in os.listdir(f"/proc/{pid}/fd")) + 1
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (used, 1024))
    links = []
    for _ in range(used + 1):  # descriptors that are free below the highest one, and one more
        links.append(socket.create_connection(("127.0.0.1", int(line["text"].rsplit(":", 1)[1]))))
    before = cpu_seconds(pid)
    time.sleep(3)
    spent = cpu_seconds(pid) - before
    for link in links:
        link.close()
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (1024, 1024))
    case.checks.that(spent < 1, f"it spends {spent:.2f} s of CPU time in 3 s")
    worker.terminate()
    case.checks.that(worker.wait() == 0, "ends")


def case_foreign(case):
    """A job of another set is refused, and this set's job of the same number is not touched."""
    case.images(3)
    case.submit("--images-per-job", "1")
    same_name = case.fleet.name + ".0123456789abcdef"
    for other in (OTHER, same_name):
        case.fleet.publish_job({**case.job(1, keys=["0001.jpg"]), "set": other, "generation": 7}, 0)
    code = case.drain(case.worker("one"))
    letters = case.fleet.dead_letters()
    case.checks.that(code == 0 and [letter["id"] for letter in letters] == [None, None],
                     "the dead letters have no number")
    reasons = {letter["reason"] for letter in letters}
    case.checks.that(reasons == {f"the job is of set {OTHER}", f"the job is of set {same_name}"},
                     f"they say why: {reasons}")
    state = case.fleet.status()
    case.checks.that((state["done"], state["dead"], state["not_jobs"]) == (3, 0, 2),
                     "all jobs of the set are done")


def case_relative(case):
    """--allow takes relative paths."""
    case.images(1)
    case.submit()
    before = os.getcwd()
    os.chdir(case.folder)
    try:
        worker = case.fleet.start_worker("one", "--allow", "in", "--allow", "./out/", "--idle", "1s")
    finally:
        os.chdir(before)
    case.checks.that(worker.wait(30) == 0 and len(os.listdir(case.target)) == 1,
                     "a worker may use directories below its own")


def core_of(case, name, *words):
    """Aborts a worker whose limit on core files is raised from outside. Returns the limit that it
    had, and whether a core file was written."""
    worker = case.worker(name, *words)
    fleet_run.wait_until("a start", lambda: "start" in worker.events())
    pid = worker.process.pid
    limit = resource.prlimit(pid, resource.RLIMIT_CORE)
    try:
        resource.prlimit(pid, resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)
    except PermissionError:
        pass  # not root
    os.kill(pid, signal.SIGABRT)
    return limit, os.WCOREDUMP(os.waitpid(pid, 0)[1])


def case_core(case):
    """A worker writes no core file, because it would contain credentials."""
    case.images(1)
    case.submit()
    before = os.getcwd()
    os.chdir(case.folder)  # where core files appear
    try:
        allowed = core_of(case, "allowed", "--allow-core")
        limit, dumped = core_of(case, "usual")
    finally:
        os.chdir(before)
    case.checks.that(limit == (0, 0), "the limit on core files is 0")
    if allowed[1]:
        case.checks.that(not dumped, "and a raised limit does not help; with --allow-core it does")
    else:
        print("skipped: core files (this system writes none, or the test is not run by root)")


def flags_of_environment(pid):
    """What the kernel says about the memory of a process's environment."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        start = int(file.read().rsplit(")", 1)[1].split()[47])
    inside, flags = False, []
    with open(f"/proc/{pid}/smaps", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if "-" in words[0]:
                first, end = (int(number, 16) for number in words[0].split("-"))
                inside = end > start and first < start + 24
            elif words[0] == "VmFlags:" and inside:
                flags.append(words[1:])
    return flags


def case_environment(case):
    """Secrets of the environment are left out of core files, before a store is opened."""
    for name in ("AWS_SECRET_ACCESS_KEY", "SWATHE_NATS_PASSWORD"):
        with socket.create_server(("127.0.0.1", 0)) as silent, subprocess.Popen(
                [case.fleet.program, "status", "--set", "s", "--queue",
                 "nats://127.0.0.1:%d" % silent.getsockname()[1]], env={name: "secret"},
                stderr=subprocess.DEVNULL) as process:
            with silent.accept()[0]:
                flags = flags_of_environment(process.pid)
                process.kill()
        case.checks.that(flags and all("dd" in one for one in flags), f"{name}: {flags}")


def run_in_shell(case, setup):
    """Runs a worker to the end after a command of the shell; returns its exit code."""
    words = [case.fleet.program, "worker", "--queue", case.fleet.url, "--set", case.fleet.name,
             "--allow", case.folder, "--idle", "1s"]
    try:
        return subprocess.run(["sh", "-c", f'{setup}; exec "$@"', "sh", *words], timeout=30,
                              stderr=subprocess.DEVNULL, check=False).returncode
    except subprocess.TimeoutExpired:
        return "does not end"


def case_closed(case):
    """Standard files that are closed: no log line gets into a connection or an output."""
    case.images(6)
    case.submit("--images-per-job", "2")
    code = run_in_shell(case, "exec 2>&-")
    case.checks.that(code == 0 and fleet_run.contents(case.target) == case.expected(),
                     f"a worker without standard error: {code}")
    done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", case.fleet.program, "status", "--queue",
                           case.fleet.url, "--set", case.fleet.name], text=True,
                          capture_output=True, check=False)
    case.checks.that(done.returncode == 5 and "standard output" in done.stderr,
                     f"status without standard output: {done.returncode} {done.stderr}")


def case_file_limit(case):
    """An output above the limit of the process for files does not end the worker."""
    case.images(2, sizes=((96, 80), (96, 80)))
    case.submit("--attempts", "1")
    code = run_in_shell(case, "ulimit -f 1")
    reasons = str(case.fleet.results())
    case.checks.that(code == 0 and "File too large" in reasons, f"a limit of files: {code} {reasons}")


def case_restart(case):
    """The queue is killed while a worker holds jobs: results come after the reconnect."""
    case.images(40, sizes=((1000, 800),))
    case.submit("--images-per-job", "4")
    worker = case.worker("one")
    fleet_run.wait_until("outputs", lambda: os.path.isdir(case.target) and
                         len(os.listdir(case.target)) > 6)
    case.nats.restart(1.0)
    case.checks.that(case.drain(worker, 120) == 0, "the worker survives a restart of the queue")
    case.checks.that(fleet_run.contents(case.target) == case.expected(), "and loses nothing")
    case.checks.that(len(case.fleet.images()) == 40, "results of all images arrive")


CASES = {name[5:]: function for name, function in globals().items() if name.startswith("case_")}


def main():
    swathe, program, *wanted = sys.argv[1:]
    swathe, program = os.path.abspath(swathe), os.path.abspath(program)
    checks = fleet_run.Checks(" ".join(sys.argv[:3]) + " CASE")
    with fleet_run.scratch("worker") as folder:
        with NatsServer() as nats:
            for name in wanted or CASES:
                print(f"{name}: {CASES[name].__doc__}")
                case = Case(swathe, program, nats, folder, name, checks)
                with case.fleet:
                    CASES[name](case)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
