"""Checks every way of doing a work, then times them interleaved, in an order drawn anew for every
round, so that whatever else happens on the machine meets all of them alike."""
import os
import random
import time

import numpy

import expected
from contender import Skip

FEWEST, HOPELESS = 3, 4.0  # rounds at least; this much slower than the best needs no more rounds
BEHIND = 12.0  # and this much slower need not be tried again with more threads
BURST = 1e-3   # seconds that a turn lasts at least: what takes microseconds is seen warm
SLOW = 0.05    # of a first run in seconds: no start of threads or caches takes that long
LIMITS = ("memcpy", "nt-copy")
POISON = {"u8": 0xA5, "u16": 0xA5A5, "s16": -23131, "f32": float("nan")}


class Entry:
    """One way, its verdict and its times."""

    def __init__(self, way):
        self.way, self.run, self.times = way, None, []
        self.used, self.least, self.first = 0.0, float("inf"), float("inf")
        self.ok, self.error, self.reason, self.note = False, None, None, None

    def again(self):
        """The same, without times."""
        fresh = Entry(self.way)
        fresh.run, fresh.ok = self.run, self.ok
        return fresh

    def add(self, seconds):
        self.times.append(seconds)
        self.used += seconds
        self.least = min(self.least, seconds)

    def turn(self):
        """A run, and more while they are short."""
        end = time.perf_counter() + BURST
        now = 0.0
        while now < end:
            start = time.perf_counter()
            self.run()
            now = time.perf_counter()
            self.add(now - start)

    @property
    def best(self):
        return self.least * 1e3 if self.times else None

    @property
    def median(self):
        return float(numpy.median(self.times)) * 1e3 if self.times else None

    def record(self):
        shown = {"contender": self.way.contender, "way": self.way.label, "best_ms": self.best,
                 "median_ms": self.median, "runs": len(self.times), "ok": self.ok,
                 "error": self.error, "reason": self.reason, "note": self.note}
        return {key: value for key, value in shown.items() if value is not None}


def verdict(entry, problem, right):
    """Whether the result is right, and by how much it is off."""
    work = problem.work
    if entry.way.contender in LIMITS:
        return bool(numpy.array_equal(problem.out, problem.image)), 0.0
    error = expected.distance(work, problem.out, right)
    allowed = expected.tolerance(work, entry.way.contender == "Swathe")
    return bool(error <= allowed), float(error) if numpy.isfinite(error) else None


def check(entry, problem, right, plant):
    """Prepares a way and runs it once on a poisoned output. `plant` spoils the result of the
    contender of that name, or ends the process in its place; both must be noticed."""
    problem.out.fill(POISON[problem.work.type])
    if plant == f"crash {entry.way.contender}":
        os.abort()
    try:
        entry.run = entry.way.prepare()
        start = time.perf_counter()
        entry.run()
        entry.first = time.perf_counter() - start
    except (Skip, RuntimeError, ValueError) as refusal:
        entry.run, entry.reason = None, f"skipped: {refusal}"
        return
    except Exception as refusal:  # each library has errors of its own
        entry.run, entry.reason = None, f"skipped: {type(refusal).__name__}: {refusal}"
        return
    if plant == entry.way.contender:
        problem.out[-1, -1, -1] += 13
    entry.ok, entry.error = verdict(entry, problem, right)
    entry.note = getattr(entry.run, "note", None)
    if not entry.ok:
        entry.reason = "wrong result"


def is_peer(entry):
    return entry.way.contender not in (*LIMITS, "Swathe")


def behind(entry, entries):
    """How many times slower than the best peer that is right; 0 for what is not a peer."""
    if not entry.times or not is_peer(entry):
        return 0.0
    right = [other.least for other in entries if other.times and other.ok and is_peer(other)]
    return entry.least / min(right) if right else 0.0


def far_behind(entries):
    """Ways that more threads cannot save, and why: {name: reason}."""
    return {entry.way.name: f"{behind(entry, entries):.0f} times slower on fewer threads"
            for entry in entries if behind(entry, entries) > BEHIND}


def is_done(entry, entries, seconds):
    if entry.used > 4 * seconds:
        return True
    enough = entry.used > seconds or behind(entry, entries) > HOPELESS
    return len(entry.times) >= FEWEST and enough


def take_first_runs(entries):
    """Peers whose run of the check was slow beyond hope keep that time and get no other."""
    best = min((entry.first for entry in entries if entry.ok and is_peer(entry)), default=0.0)
    for entry in entries:
        if is_peer(entry) and entry.run and entry.first > max(SLOW, BEHIND * best):
            entry.add(entry.first)
            entry.run = None


def measure(entries, seconds, generator, until=float("inf")):
    """Until every way has had its seconds, or the clock says so; all have one turn at least."""
    live = [entry for entry in entries if entry.run]
    while live:
        generator.shuffle(live)
        for entry in live:
            entry.turn()
        live = [entry for entry in live if not is_done(entry, entries, seconds)
                and time.monotonic() < until]


def run_work(contenders, problem, right, job, announce, avoid, until):
    """All ways of all contenders on one problem. announce(name) is called before anything that
    could end the process; `avoid` says which names did so before. `until` is when time is up."""
    entries = []
    for contender in contenders:
        for way in contender.ways(problem):
            entry = Entry(way)
            entries.append(entry)
            if way.name in avoid:
                entry.reason = f"skipped: {avoid[way.name]}"
                continue
            announce(way.name)
            check(entry, problem, right, job["plant"])
    announce("")
    close = [entry.run.close for entry in entries if hasattr(entry.run, "close")]
    take_first_runs(entries)
    measure(entries, job["seconds"], random.Random(f"{problem.work.name} {problem.threads}"), until)
    for release in close:
        release()
    return entries
