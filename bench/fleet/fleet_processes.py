"""Servers and workers as processes, and samples of what they used."""
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
for place in ("fleet", "store"):
    sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", place))

import nats_fixture  # noqa: E402
import weed_server  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")
# Lines of a worker's metrics; the names here are those of samples.
METRICS = {
    "images": 'images_total{outcome="done"}', "failed": 'images_total{outcome="failed"}',
    "jobs": 'jobs_total{outcome="done"}', "requests": "store_requests_total",
    "read": "store_read_bytes_total", "written": "store_written_bytes_total",
    "busy": "busy_slots", "held": "held_jobs", "ready": "ready",
}


def fetch(url):
    """The body of a loopback page; proxies of the environment are not for it."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=10) as page:
        return page.read().decode()


def cpu_seconds(pid):
    """CPU time of a process with all its threads. The scheduler's figures are in nanoseconds; those
    of /proc/PID/stat, in ticks, also include threads that have ended."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    ticks = (int(fields[11]) + int(fields[12])) / TICK
    exact = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/schedstat", encoding="utf-8") as file:
                exact += int(file.read().split()[0])
        except OSError:
            return ticks
    return exact * 1e-9 if abs(exact * 1e-9 - ticks) < 0.05 * ticks + 2 / TICK else ticks


def busy_seconds():
    """CPU time of the machine that was not idle."""
    with open("/proc/stat", encoding="utf-8") as file:
        fields = [int(word) for word in file.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / TICK


class Servers:
    """A NATS server with its monitoring port, and SeaweedFS with the bucket `swathe`."""

    def __init__(self, folder):
        self.folder = folder
        monitor = nats_fixture.free_port()
        self.monitor = f"http://127.0.0.1:{monitor}"
        self.nats = nats_fixture.NatsServer(f'http: "127.0.0.1:{monitor}"')
        weed_server.skip_unless_installed()
        self.store = weed_server.start("swathe")

    def __enter__(self):
        self.nats.__enter__()
        try:
            self.weed = self.store.__enter__()
        except BaseException:
            self.nats.__exit__()
            raise
        self.environment = {**os.environ, **self.weed.environment()}
        return self

    def __exit__(self, *_):
        self.store.__exit__(None, None, None)
        self.nats.__exit__()

    def store_images(self, prefix, contents, count):
        for number in range(count):
            self.weed.request("PUT", f"/swathe/{prefix}{number:07d}.jpg",
                              body=contents[number % len(contents)])

    def messages(self):
        page = json.loads(fetch(self.monitor + "/varz"))
        return {"messages": page["in_msgs"] + page["out_msgs"],
                "bytes": page["in_bytes"] + page["out_bytes"]}

    def stream_bytes(self, name):
        page = json.loads(fetch(self.monitor + "/jsz?streams=true"))
        return sum(stream["state"]["bytes"] for account in page.get("account_details", [])
                   for stream in account["stream_detail"] if stream["name"] == name)


def fleet_command(program, servers, *words):
    done = subprocess.run([program, *words, "--queue", servers.nats.url], env=servers.environment,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"swathe-fleet {words[0]}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class WorkerProcess:
    def __init__(self, program, servers, set_name, name, slots):
        port = nats_fixture.free_port()
        self.metrics = f"http://127.0.0.1:{port}/metrics"
        self.log = os.path.join(servers.folder, f"{set_name}-{name}.log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [program, "worker", "--queue", servers.nats.url, "--set", set_name, "--name", name,
                 "--allow", "s3://swathe/", "--slots", str(slots), "--metrics", f"127.0.0.1:{port}",
                 "--log", "json"], env=servers.environment, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL)

    def numbers(self):
        """Its metrics; zeros before its port is open."""
        if self.process.poll() is not None:
            with open(self.log, encoding="utf-8", errors="replace") as log:
                raise RuntimeError(f"a worker ended with {self.process.returncode}:\n{log.read()[-2000:]}")
        try:
            text = fetch(self.metrics)
        except OSError:
            return {name: 0.0 for name in METRICS}
        return {name: float(re.search(r"^swathe_fleet_" + re.escape(line) + r" (\S+)$", text,
                                      re.MULTILINE).group(1)) for name, line in METRICS.items()}

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(40)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Watch:
    """Takes samples of servers and workers."""

    def __init__(self, servers, workers):
        self.servers, self.workers = servers, workers

    def sample(self):
        numbers = [worker.numbers() for worker in self.workers]
        total = {name: sum(one[name] for one in numbers) for name in METRICS}
        if total["failed"]:
            raise RuntimeError(f"{total['failed']:.0f} images failed; see the logs in "
                               f"{self.servers.folder}")
        cpu = {"worker": sum(cpu_seconds(worker.process.pid) for worker in self.workers),
               "queue": cpu_seconds(self.servers.nats.process.pid),
               "store": cpu_seconds(self.servers.weed.process.pid)}
        return {"time": time.monotonic(), "worker": total, "cpu": cpu, "busy": busy_seconds(),
                "queue": self.servers.messages(), "ready": all(one["ready"] for one in numbers)}

    def wait_idle(self, seconds):
        """Waits until no worker holds a job."""
        end = time.monotonic() + seconds
        quiet = 0
        while quiet < 3 and time.monotonic() < end:
            worker = self.sample()["worker"]
            quiet = quiet + 1 if worker["held"] == 0 and worker["busy"] == 0 else 0
            time.sleep(0.5)
