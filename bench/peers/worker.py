"""The measuring process. It writes JSON lines to a pipe, and announces each implementation before
running it: if a peer crashes the process, the parent knows which one and restarts without it."""
import json
import os
import sys
import time

import numpy

import expected
import tasks
from contender import Problem
from native import Copy, float_peak
from swathe_contender import Swathe
from timing import checked, far_behind, is_peer, time_entries

MODULES = {"OpenCV": "opencv_contender", "IPP": "ipp_contender", "Halide": "halide_contender",
           "libvips": "vips_contender", "SciPy": "scipy_contender"}
CLASSES = {"OpenCV": "OpenCV", "IPP": "Ipp", "Halide": "Halide", "libvips": "Vips",
           "SciPy": "SciPy"}
LOADING = "loading"


def load_peers(send, avoid, held):
    """Returns the peers that can be loaded (and held to AVX2), and reports why others are skipped."""
    loaded = []
    for name, module in MODULES.items():
        if name in avoid:
            send({"skipped": name, "reason": avoid[name]})
            continue
        send({"at": [LOADING, name]})
        try:
            peer = getattr(__import__(module), CLASSES[name])()
        except Exception as error:  # an import can raise anything
            send({"skipped": name, "reason": f"{type(error).__name__}: {error}"})
            continue
        beyond = peer.beyond_avx2() if held == "avx2" else None
        if beyond:
            send({"skipped": f"{name} held to AVX2", "reason": f"it uses {beyond}"})
            continue
        send({"version": getattr(peer, "version", lambda name=name: name)()})
        loaded.append(peer)
    return loaded


def pin(cpus):
    """Pins every thread of the process to some CPUs."""
    for thread in os.listdir("/proc/self/task"):
        try:
            os.sched_setaffinity(int(thread), cpus)
        except ProcessLookupError:
            pass


def use_threads(contenders, threads):
    for contender in contenders:
        if hasattr(contender, "use_threads"):
            contender.use_threads(threads)


def why_not(own, first):
    """Returns why a row is not ok, or None."""
    if own.reason or not own.ok:
        return own.reason or "wrong result"
    return None if first else "no peer had a correct result"


def make_row(task, threads, entries, peak, held):
    """Returns the object that --json prints."""
    by_name = {entry.way.name: entry for entry in entries}
    own, copy = by_name["Swathe"], by_name["memcpy"]
    peers = [entry for entry in entries if is_peer(entry)]
    right = [entry for entry in peers if entry.ok and entry.times]
    first = min(right, key=lambda entry: entry.best) if right else None
    row = {"work": task.name, "threads": threads, "held": held, "swathe_ms": own.best,
           "best_peer": first.way.name if first else None,
           "best_peer_ms": first.best if first else None, "memcpy_ms": copy.best,
           "speedup": first.best / own.best if first and own.times else None,
           "over_memcpy": own.best / copy.best if own.times else None,
           "ok": why_not(own, first) is None,
           "swathe_median_ms": own.median, "swathe_how": own.note, "swathe_error": own.error,
           "best_peer_median_ms": first.median if first else None,
           "nt_copy_ms": by_name["nt-copy"].best, "memcpy_median_ms": copy.median,
           "peers": [entry.record() for entry in peers]}
    if not row["ok"]:
        row["reason"] = why_not(own, first)
    if peak and own.times:
        operations = 2 * task.samples * task.stages[0].size**2
        row["fma_peak_gflops"] = peak / 1e9
        row["fma_share"] = operations / (own.best / 1e3) / peak
    return row


class Session:
    """The loaded contenders, the job and the time limit."""

    def __init__(self, job, send):
        self.job, self.send = job, send
        self.cpus = sorted(os.sched_getaffinity(0))
        self.end = time.monotonic() + (float("inf") if job["left"] is None else job["left"])
        swathe = Swathe(job["folder"])
        send({"version": swathe.version()})
        self.contenders = [swathe, Copy(),
                           *load_peers(send, job["avoid"].get(LOADING, {}), job["held"])]

    def time_left(self):
        return self.end - time.monotonic()

    def run_task(self, task, rows_left):
        """Sends one row per thread count. The remaining time is divided among `rows_left` rows,
        including these."""
        image = tasks.picture(task)
        out, right = numpy.empty_like(image), expected.expected(task, image)
        avoid, alone = dict(self.job["avoid"].get(task.name, {})), None
        for threads in sorted(self.job["threads"]):
            use_threads(self.contenders, threads)
            problem = Problem(task, image, out, threads)
            entries = checked(self.contenders, problem, right, self.job["plant"],
                              lambda name: self.send({"at": [task.name, name]}), avoid)
            pin(self.cpus[-threads:])  # one thread means one CPU for the whole process
            row = self.time(problem, entries, rows_left)
            pin(self.cpus)
            avoid.update(far_behind(entries))
            alone = row["swathe_ms"] if threads == 1 else alone
            row["scaling"] = alone / row["swathe_ms"] if alone and row["swathe_ms"] else None
            self.send({"row": row})
            rows_left -= 1

    def time(self, problem, entries, rows_left):
        left = self.time_left() / rows_left
        if self.job["row_seconds"] is not None:
            left = min(left, self.job["row_seconds"])
        peak = float_peak(problem.threads) if problem.task.floats_peak else None
        time_entries(entries, problem, self.job["seconds"], left)
        return make_row(problem.task, problem.threads, entries, peak, self.job["held"])


def main(job, pipe):
    def send(message):
        pipe.write(json.dumps(message) + "\n")
        pipe.flush()

    session, started = Session(job, send), time.monotonic()
    by_name = {task.name: task for task in tasks.all_tasks()}
    for i, name in enumerate(job["tasks"]):
        if session.time_left() <= 0:
            print(f"peers: no time left for {name}", file=sys.stderr)
            continue
        send({"at": [name, ""]})
        session.run_task(by_name[name], (len(job["tasks"]) - i) * len(job["threads"]))
        send({"done": name})
        if job["stop_after"] is not None and time.monotonic() - started > job["stop_after"]:
            break
