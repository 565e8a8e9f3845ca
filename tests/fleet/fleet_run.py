"""What tests of the fleet share: images, sets, and workers as processes."""
import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))

import nats_fixture


@contextlib.contextmanager
def scratch(name, where=None):
    """A temporary directory, which stays if $SWATHE_KEEP is set."""
    folder = tempfile.mkdtemp(prefix=f"swathe-{name}-", dir=where)
    try:
        yield folder
    finally:
        if not os.environ.get("SWATHE_KEEP"):
            shutil.rmtree(folder, ignore_errors=True)


def make_images(swathe, folder, count, seed=1, sizes=((96, 80), (128, 64), (75, 101))):
    """Writes `count` small JPEG files NNNN.jpg; the same for the same seed."""
    draw = random.Random(seed)
    raw = folder + ".raw"
    os.makedirs(raw, exist_ok=True)
    os.makedirs(folder, exist_ok=True)
    for number in range(count):
        width, height = draw.choice(sizes)
        rows = [b"".join(8 * draw.randbytes(3) for _ in range(width // 8 + 1))[:3 * width]
                for _ in range(height // 12 + 1)]
        data = b"".join(12 * row for row in rows)[:3 * width * height]
        with open(f"{raw}/{number:04d}.ppm", "wb") as file:
            file.write(b"P6 %d %d 255\n" % (width, height) + data)
    batch(swathe, "identity", raw, folder, "--format", "jpeg")
    return sorted(name for name in os.listdir(folder) if name.endswith(".jpg"))


def batch(swathe, chain, source, target, *more):
    """Filters all files of a directory with 'swathe batch'."""
    names = sorted(os.path.join(source, name) for name in os.listdir(source)
                   if not name.startswith("."))
    subprocess.run([swathe, "batch", chain, *names, "--out", target, "--no-progress",
                    "--journal", "/dev/null", *more], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def contents(folder):
    """Returns the bytes of every file below a directory, by relative path."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def run(words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def digest(data):
    return hashlib.sha256(data).hexdigest()


def identity(url, name):
    """NAME.INSTANCE of a set, from its record."""
    with nats_fixture.NatsClient(url) as client:
        return f"{name}.{json.loads(client.last('SWATHE_SETS', f'swathe.set.{name}'))['instance']}"


class Fleet:
    """One set on one queue."""

    def __init__(self, program, nats, name, environment=None):
        self.program, self.url, self.name = program, nats.url, name
        self.environment = {**os.environ, **(environment or {})}
        self.workers = []

    def run(self, command, *words, check=True):
        done = subprocess.run([self.program, command, *words, "--queue", self.url, "--set",
                               self.name], env=self.environment, text=True, capture_output=True,
                              check=False)
        if check and done.returncode != 0:
            raise RuntimeError(f"swathe-fleet {command}: {done.returncode}\n{done.stdout}"
                               f"{done.stderr}")
        return done

    def submit(self, chain, source, target, *more, **keys):
        return self.run("submit", chain, "--from", source, "--to", target, *more, **keys)

    def status(self):
        """What 'status --json' prints; its exit code is 0 while jobs are left."""
        return json.loads(self.run("status", "--json", check=False).stdout)

    def identity(self):
        """What messages of the set call it."""
        return identity(self.url, self.name)

    def start_worker(self, name, *words, **environment):
        worker = Worker(self, name, words, environment)
        self.workers.append(worker)
        return worker

    def results(self):
        """All messages of the results stream, as (subject, object)."""
        with nats_fixture.NatsClient(self.url) as client:
            return [(subject, json.loads(data))
                    for subject, data in client.stream(f"SWATHE_RESULTS_{self.name}")]

    def dead_letters(self):
        return [letter for subject, letter in self.results() if subject.startswith("swathe.dead.")]

    def images(self):
        """The images of all results, by key; later results replace earlier ones."""
        return {image["key"]: image for subject, result in self.results()
                if subject.startswith("swathe.results.") for image in result["images"]}

    def publish_job(self, job, priority=1):
        data = job if isinstance(job, bytes) else json.dumps(job).encode()
        with nats_fixture.NatsClient(self.url) as client:
            client.publish(f"swathe.jobs.{self.name}.{priority}", data)

    def deliveries(self, priority):
        """How often the queue delivered jobs of this priority."""
        with nats_fixture.NatsClient(self.url) as client:
            return json.loads(client.request(
                f"$JS.API.CONSUMER.INFO.SWATHE_JOBS_{self.name}.p{priority}"))["delivered"]["consumer_seq"]

    def purge(self):
        """Removes all jobs from the queue."""
        with nats_fixture.NatsClient(self.url) as client:
            client.request(f"$JS.API.STREAM.PURGE.SWATHE_JOBS_{self.name}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in self.workers:
            worker.kill()


class Worker:
    def __init__(self, fleet, name, words, environment):
        self.log_path = f"{os.environ.get('TMPDIR', '/tmp')}/swathe-{os.getpid()}-{name}.log"
        self.log_file = open(self.log_path, "wb")
        self.process = subprocess.Popen(
            [fleet.program, "worker", "--queue", fleet.url, "--set", fleet.name, "--name", name,
             "--log", "json", *words], env={**fleet.environment, **environment},
            stderr=self.log_file, stdout=self.log_file, stdin=subprocess.DEVNULL)

    def log(self):
        """The lines of its log, as objects."""
        with open(self.log_path, encoding="utf-8") as file:
            return [json.loads(line) for line in file.read().splitlines() if line.startswith("{")]

    def events(self):
        return [line["event"] for line in self.log()]

    def wait(self, seconds=60):
        """Waits for its end; returns the exit code."""
        try:
            return self.process.wait(seconds)
        finally:
            self.log_file.close()

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def kill(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self.log_file.close()
        if os.path.exists(self.log_path):
            os.unlink(self.log_path)


def wait_until(what, check, seconds=60.0, pause=0.1):
    """Waits until `check` returns something true, and returns that."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        result = check()
        if result:
            return result
        time.sleep(pause)
    raise TimeoutError(f"{what}: not within {seconds} s")


def samples_of_tiff(data, shape):
    """The samples' checksum of an uncompressed little-endian TIFF file whose strips are adjacent."""
    at, = struct.unpack_from("<I", data, 4)
    for entry in range(at + 2, at + 2 + 12 * struct.unpack_from("<H", data, at)[0], 12):
        tag, _, count, value = struct.unpack_from("<HHII", data, entry)
        if tag == 273:  # StripOffsets: one value, or where they are
            start = value if count == 1 else struct.unpack_from("<I", data, value)[0]
    width, height, channels, kind, size = shape
    line = f"swathe samples {width} {height} {channels} {kind}\n".encode()
    return digest(line + data[start:start + width * height * channels * size])


def samples_of_ppm(data):
    """The samples' checksum of a binary PPM file, as results state it."""
    head, size, _, samples = data.split(b"\n", 3)
    if head != b"P6":
        raise ValueError("not a PPM file as swathe writes it")
    width, height = map(int, size.split())
    line = f"swathe samples {width} {height} 3 u8\n".encode()
    return digest(line + samples)


class Checks:
    """Counts failures; `rerun` is printed with them."""

    def __init__(self, rerun):
        self.rerun, self.failures = rerun, 0

    def that(self, condition, what):
        print(("ok: " if condition else "FAILED ") + what, flush=True)
        self.failures += not condition

    def finish(self):
        if self.failures:
            print("  run it alone:", self.rerun)
        return self.failures != 0
