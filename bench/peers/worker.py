"""The process that measures. It answers on a pipe, line by line, and names each way before trying
it: where a peer takes the process down, the parent knows which, and starts another without it."""
import json
import os
import sys
import time

import numpy

import expected
import works
from contender import Problem
from copy_contender import Copy, float_peak
from swathe_contender import Swathe
from timing import far_behind, is_peer, run_work

MODULES = {"OpenCV": "opencv_contender", "IPP": "ipp_contender", "Halide": "halide_contender",
           "libvips": "vips_contender", "SciPy": "scipy_contender"}
CLASSES = {"OpenCV": "OpenCV", "IPP": "Ipp", "Halide": "Halide", "libvips": "Vips",
           "SciPy": "SciPy"}
LOADING = "loading"


def load_peers(say, avoid):
    """The peers that can be used here; the others are said to be skipped, and why."""
    loaded = []
    for name, module in MODULES.items():
        if name in avoid:
            say({"skipped": name, "reason": avoid[name]})
            continue
        say({"at": [LOADING, name]})
        try:
            peer = getattr(__import__(module), CLASSES[name])()
        except Exception as error:  # whatever an import can end in
            say({"skipped": name, "reason": f"{type(error).__name__}: {error}"})
            continue
        say({"version": getattr(peer, "version", lambda name=name: name)()})
        loaded.append(peer)
    return loaded


def use_threads(contenders, threads, cpus):
    """The same CPUs for every thread of the process: the last `threads` that it may use."""
    chosen = cpus[-threads:]
    for task in os.listdir("/proc/self/task"):
        try:
            os.sched_setaffinity(int(task), chosen)
        except ProcessLookupError:
            pass
    for contender in contenders:
        if hasattr(contender, "use_threads"):
            contender.use_threads(threads)


def why_not(own, first):
    """What keeps a row from being ok."""
    if own.reason or not own.ok:
        return own.reason or "wrong result"
    return None if first else "no peer's result was right"


def make_row(work, threads, entries, peak):
    """What --json prints."""
    by_name = {entry.way.name: entry for entry in entries}
    own, copy = by_name["Swathe"], by_name["memcpy"]
    peers = [entry for entry in entries if is_peer(entry)]
    right = [entry for entry in peers if entry.ok and entry.times]
    first = min(right, key=lambda entry: entry.best) if right else None
    row = {"work": work.name, "threads": threads, "swathe_ms": own.best,
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
        operations = 2 * work.samples * work.stages[0].size**2
        row["fma_peak_gflops"] = peak / 1e9
        row["fma_share"] = operations / (own.best / 1e3) / peak
    return row


class Session:
    """The loaded contenders, and the works that they are put through."""

    def __init__(self, job, say):
        self.job, self.say = job, say
        self.cpus = sorted(os.sched_getaffinity(0))
        self.end = time.monotonic() + (float("inf") if job["left"] is None else job["left"])
        swathe = Swathe(job["folder"])
        say({"version": swathe.version()})
        self.contenders = [swathe, Copy(), *load_peers(say, job["avoid"].get(LOADING, {}))]

    def time_left(self):
        return self.end - time.monotonic()

    def run_work(self, work, rows_left):
        """One row per number of threads. `rows_left`, these among them, share the time left."""
        image = works.picture(work)
        out, right = numpy.empty_like(image), expected.expected(work, image)
        avoid, alone = dict(self.job["avoid"].get(work.name, {})), None
        for threads in sorted(self.job["threads"]):
            use_threads(self.contenders, threads, self.cpus)
            peak = float_peak(threads) if work.floats_peak else None
            entries = run_work(self.contenders, Problem(work, image, out, threads), right,
                               self.job, lambda name: self.say({"at": [work.name, name]}), avoid,
                               time.monotonic() + self.time_left() / rows_left)
            avoid.update(far_behind(entries))
            row = make_row(work, threads, entries, peak)
            alone = row["swathe_ms"] if threads == 1 else alone
            row["scaling"] = alone / row["swathe_ms"] if alone and row["swathe_ms"] else None
            self.say({"row": row})
            rows_left -= 1


def main(job, pipe):
    def say(message):
        pipe.write(json.dumps(message) + "\n")
        pipe.flush()

    session = Session(job, say)
    by_name = {work.name: work for work in works.all_works()}
    for i, name in enumerate(job["works"]):
        if session.time_left() <= 0:
            print(f"peers: no time left for {name}", file=sys.stderr)
            continue
        say({"at": [name, ""]})
        session.run_work(by_name[name], (len(job["works"]) - i) * len(job["threads"]))
        say({"done": name})
