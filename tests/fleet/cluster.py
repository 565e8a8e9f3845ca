#!/usr/bin/env python3
"""Three NATS servers, each in a network namespace of its own, hold a set with three copies. The
leader of its jobs is killed, later a leader is cut off by taking its link down. Meanwhile jobs are
published and done: none that was acknowledged may be lost, and no pause may exceed 30 s. Alone, pauses
take 7 to 11 s; beside other tests they have taken 22 s.

    cluster.py SWATHE SWATHE_FLEET [--replicas N]

Exits with 77 if network namespaces are not allowed. --replicas 1 must fail.
"""
import argparse
import contextlib
import datetime
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time

import fleet_run
import nats_fixture

SET = "cluster"
PAUSE = 30.0
DOWN = 33  # seconds that a server is away: without copies the test must fail
NODES = (1, 2, 3)
INSIDE = "SWATHE_CLUSTER_INSIDE"


def address(number):
    return f"10.77.0.{number}"


def command(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def enter_namespace():
    """Runs this program again in a network namespace, which ends with it."""
    words = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--net"]
    try:
        command(*words, "sh", "-c", "ip link add probe0 type bridge && ip link add probe1 type veth")
    except (OSError, subprocess.CalledProcessError) as error:
        why = (getattr(error, "stderr", "") or str(error)).strip().replace("\n", " ")
        print(f"skipped: a cluster of queues (network namespaces are not allowed: {why})")
        sys.exit(77)
    os.environ[INSIDE] = "1"
    os.execvp(words[0], words + [sys.executable] + sys.argv)


class Node:
    """A server and its namespace, which a sleeping process keeps."""

    def __init__(self, number, folder, binary):
        self.number, self.binary, self.process = number, binary, None
        self.folder = f"{folder}/n{number}"
        os.mkdir(self.folder)
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "1000"])
        own = os.readlink("/proc/self/ns/net")
        fleet_run.wait_until("a namespace", lambda: os.readlink(
            f"/proc/{self.holder.pid}/ns/net") != own, 20, 0.02)
        self.enter = ["nsenter", "--net", "--target", str(self.holder.pid)]
        self.link = f"link{number}"
        command("ip", "link", "add", self.link, "type", "veth", "peer", "name", "eth0", "netns",
                str(self.holder.pid))
        command("ip", "link", "set", self.link, "master", "bridge0", "up")
        command(*self.enter, "ip", "address", "add", address(number) + "/24", "dev", "eth0")
        command(*self.enter, "ip", "link", "set", "eth0", "up")
        command(*self.enter, "ip", "link", "set", "lo", "up")
        routes = ", ".join(f'"nats://{address(one)}:6222"' for one in NODES)
        with open(self.folder + "/nats.conf", "w", encoding="utf-8") as file:
            file.write(f'server_name: n{number}\nlisten: "{address(number)}:4222"\n'
                       f'jetstream {{ store_dir: "{self.folder}/store" }}\n'
                       f'cluster {{ name: C, listen: "{address(number)}:6222", '
                       f'routes: [{routes}] }}\n')

    def start(self):
        with open(self.folder + "/log", "ab") as log:
            self.process = subprocess.Popen(self.enter + [self.binary, "-c",
                                                          self.folder + "/nats.conf"],
                                            stdout=log, stderr=log)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def set_link(self, state):
        command("ip", "link", "set", self.link, state)

    def end(self):
        for process in (self.process, self.holder):
            if process and process.poll() is None:
                process.kill()
                process.wait()


class Cluster:
    def __init__(self, folder):
        command("ip", "link", "set", "lo", "up")
        command("ip", "link", "add", "bridge0", "type", "bridge")
        command("ip", "address", "add", address(100) + "/24", "dev", "bridge0")
        command("ip", "link", "set", "bridge0", "up")
        binary = nats_fixture.find_server()
        self.nodes = {f"n{number}": Node(number, folder, binary) for number in NODES}
        self.urls = [f"nats://{address(number)}:4222" for number in NODES]
        self.url = ",".join(self.urls)

    def __enter__(self):
        for node in self.nodes.values():
            node.start()
        return self

    def __exit__(self, *_):
        for node in self.nodes.values():
            node.end()

    @contextlib.contextmanager
    def client(self, timeout=3):
        """A connection to a server that answers."""
        for url in itertools.islice(itertools.cycle(self.urls), 30):
            try:
                client = nats_fixture.NatsClient(url, timeout)
            except OSError:
                time.sleep(0.2)
                continue
            with client:
                yield client
            return
        raise ConnectionError("no server answers")

    def details(self, stream):
        """What a server knows of the copies of a stream; None if there is no answer now."""
        try:
            with self.client() as client:
                return json.loads(client.request(f"$JS.API.STREAM.INFO.{stream}")).get("cluster")
        except (OSError, ValueError):
            return None

    def leader(self, stream):
        return fleet_run.wait_until("a leader", lambda: (self.details(stream) or {}).get("leader"))

    def is_whole(self):
        """True if every copy of the streams is up to date."""
        for stream in (f"SWATHE_JOBS_{SET}", f"SWATHE_RESULTS_{SET}", "SWATHE_SETS"):
            known = self.details(stream) or {}
            copies = known.get("replicas", [])
            if not known.get("leader") or not all(
                    one["current"] and not one.get("offline") for one in copies):
                return False
        return True


class Publisher(threading.Thread):
    """Publishes jobs of one image, one after the other; remembers which were acknowledged."""

    def __init__(self, cluster, names, first):
        super().__init__()
        self.cluster, self.names, self.next = cluster, names, first
        self.identity, self.ended = None, threading.Event()
        self.acknowledged, self.times, self.repeated = set(), [], 0

    def publish(self, client):
        if not self.identity:
            record = json.loads(client.last("SWATHE_SETS", f"swathe.set.{SET}"))
            self.identity = f"{SET}.{record['instance']}"
        while not self.ended.is_set():
            job = {"v": 1, "set": self.identity, "id": self.next, "generation": 0, "kind": "images",
                   "keys": [self.names[self.next % len(self.names)]]}
            client.publish(f"swathe.jobs.{SET}.1", json.dumps(job).encode(),
                           f"{SET}.{self.next}.0")
            self.acknowledged.add(self.next)
            self.times.append(time.time())
            self.next += 1
            time.sleep(0.02)

    def run(self):
        while not self.ended.is_set():
            try:
                with self.cluster.client(2) as client:
                    self.publish(client)
            except (OSError, RuntimeError, ValueError):
                self.repeated += 1
                time.sleep(0.1)

    def stop(self):
        self.ended.set()
        self.join()


def longest_gap(times):
    times = sorted(times)
    return max((after - before for before, after in zip(times, times[1:])), default=0.0)


def seconds_of(text):
    """The time of a message, which has nanoseconds."""
    return datetime.datetime.fromisoformat(text[:19] + "+00:00").timestamp() + float(
        "0." + text[20:].rstrip("Z"))


def read_results(cluster):
    """The ids that have a result, and the times of all results."""
    done, times = set(), []
    with cluster.client(10) as client:
        for subject, data, when in client.messages(f"SWATHE_RESULTS_{SET}"):
            if subject.startswith("swathe.results."):
                done.add(json.loads(data)["id"])
                times.append(seconds_of(when))
    return done, times


def disturb(cluster, publisher):
    """The two failures. Returns what was done and when, as (text, start, end)."""
    phases = []
    for what, fail, repair in (
            ("the leader was killed", Node.kill, Node.start),
            ("the leader's link was down", lambda node: node.set_link("down"),
             lambda node: node.set_link("up"))):
        time.sleep(3)
        name = cluster.leader(f"SWATHE_JOBS_{SET}")
        start, before = time.time(), len(publisher.acknowledged)
        fail(cluster.nodes[name])
        time.sleep(DOWN)
        repair(cluster.nodes[name])
        fleet_run.wait_until("copies that are up to date", cluster.is_whole, 90, 0.5)
        phases.append((f"{what} ({name})", start, time.time()))
        print(f"  {phases[-1][0]}: {len(publisher.acknowledged) - before} jobs acknowledged in "
              f"{phases[-1][2] - start:.1f} s", flush=True)
    return phases


def within(times, start, end):
    """Times of a phase, its start, and the first time after it or its end."""
    times = sorted(times)
    after = [one for one in times if one > end][:1] or [end]
    return [start] + [one for one in times if start <= one <= end] + after


def check(checks, options, cluster, folder):
    names = fleet_run.make_images(options.swathe, folder + "/in", 5, sizes=((64, 64),))
    fleet_run.wait_until("a cluster", lambda: submit_probe(cluster), 60, 0.5)
    with fleet_run.Fleet(options.program, cluster, SET) as fleet:
        # The first set has one copy; its records share a stream with those of the other one.
        fleet_run.Fleet(options.program, cluster, "single").submit(
            "gaussian:3", folder + "/in/", folder + "/single/")
        fleet.submit("gaussian:3", folder + "/in/", folder + "/out/", "--replicas",
                     str(options.replicas), "--attempts", "100")
        copies = 1 + len(cluster.details("SWATHE_SETS").get("replicas", []))
        checks.that(copies == options.replicas, f"{copies} copies of the records of sets")
        workers = [fleet.start_worker(f"w{number}", "--allow", folder) for number in NODES]
        publisher = Publisher(cluster, names, 1000)
        publisher.start()
        try:
            phases = disturb(cluster, publisher)
        finally:
            publisher.stop()
        acknowledged = publisher.acknowledged
        with contextlib.suppress(TimeoutError):
            fleet_run.wait_until("all results", lambda: acknowledged <= read_results(cluster)[0],
                                 90, 2)
        done, times = read_results(cluster)
        alive = [worker.process.poll() is None for worker in workers]
    checks.that(len(acknowledged) > 200, f"{len(acknowledged)} jobs were acknowledged, "
                f"{publisher.repeated} connections or requests failed")
    checks.that(not acknowledged - done, f"each has a result; lost: {len(acknowledged - done)}")
    checks.that(all(alive), "all workers live")
    for what, start, end in phases:
        for who, when in (("publishing", publisher.times), ("results", times)):
            gap = longest_gap(within(when, start, end))
            checks.that(gap <= PAUSE, f"{what}: longest pause of {who} {gap:.1f} s, limit {PAUSE} s")
    checks.that((acknowledged | {-1}) - done == {-1}, "planted: a lost job is found")


def submit_probe(cluster):
    """True if the cluster has chosen a leader for its streams."""
    try:
        with cluster.client() as client:
            answer = json.loads(client.request("$JS.API.INFO"))
            return "error" not in answer and "streams" in answer
    except (OSError, ValueError):
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("swathe")
    parser.add_argument("program", help="swathe-fleet")
    parser.add_argument("--replicas", type=int, default=3)
    options = parser.parse_args()
    nats_fixture.find_server()
    if not os.environ.get(INSIDE):
        enter_namespace()
    checks = fleet_run.Checks(" ".join(sys.argv))
    with fleet_run.scratch("cluster") as folder:
        with Cluster(folder) as cluster:
            check(checks, options, cluster, folder)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
