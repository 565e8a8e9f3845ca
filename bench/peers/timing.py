"""Checks every implementation of a task, then times them interleaved. Each round has a new random
order, so that other load on the machine affects all of them equally."""
import os
import random
import time

import numpy

import expected
from contender import Skip

LEAST_RUNS = 3
SLOW_RATIO = 4.0       # an entry this much slower than the best peer gets only LEAST_RUNS
HOPELESS_RATIO = 6.0  # and one this much slower is not tried with more threads
SAMPLE_SECONDS = 1e-3  # least duration of a sample, so that short runs are timed with warm caches
SLOW_FIRST_RUN = 0.05  # seconds; starting threads and filling caches takes less
LIMITS = ("memcpy", "nt-copy")
POISON = {"u8": 0xA5, "u16": 0xA5A5, "s16": -23131, "f32": float("nan"),
          "f64": float("nan")}


class Entry:
    """An implementation with its verdict and its times."""

    def __init__(self, way):
        self.way, self.run, self.times = way, None, []
        self.used, self.least, self.first = 0.0, float("inf"), float("inf")
        self.ok, self.error, self.reason, self.note = False, None, None, None

    def again(self):
        """Returns a copy without times."""
        fresh = Entry(self.way)
        fresh.run, fresh.ok = self.run, self.ok
        return fresh

    def add(self, seconds):
        self.times.append(seconds)
        self.used += seconds
        self.least = min(self.least, seconds)

    def sample(self):
        """Times runs for at least SAMPLE_SECONDS."""
        end = time.perf_counter() + SAMPLE_SECONDS
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
    """Returns whether the result is correct, and its error."""
    task = problem.task
    if entry.way.contender in LIMITS:
        return bool(numpy.array_equal(problem.out, problem.image)), 0.0
    error = expected.distance(task, problem.out, right)
    allowed = expected.tolerance(task, entry.way.contender == "Swathe")
    return bool(error <= allowed), float(error) if numpy.isfinite(error) else None


def check(entry, problem, right, plant):
    """Prepares an implementation, fills the output with garbage, runs it once and checks the
    result. In the self-test, `plant` names a contender whose result is changed or that crashes."""
    problem.out.fill(POISON[problem.task.type])
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
    except Exception as refusal:  # each library has its own exceptions
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
    """Returns the time of a peer relative to the best peer with a correct result, or 0 if the entry
    is not a peer."""
    if not entry.times or not is_peer(entry):
        return 0.0
    right = [other.least for other in entries if other.times and other.ok and is_peer(other)]
    return entry.least / min(right) if right else 0.0


def far_behind(entries):
    """Returns the implementations that need not be tried with more threads: {name: reason}."""
    return {entry.way.name: f"{behind(entry, entries):.0f} times slower on fewer threads"
            for entry in entries if behind(entry, entries) > HOPELESS_RATIO}


def is_done(entry, entries, seconds):
    if entry.used > 4 * seconds:
        return True
    enough = entry.used > seconds or behind(entry, entries) > SLOW_RATIO
    return len(entry.times) >= LEAST_RUNS and enough


def take_first_runs(entries):
    """Keeps only the time of the checked run for peers that are far slower than the best."""
    best = min((entry.first for entry in entries if entry.ok and is_peer(entry)), default=0.0)
    for entry in entries:
        if is_peer(entry) and entry.run and entry.first > max(SLOW_FIRST_RUN,
                                                              HOPELESS_RATIO * best):
            entry.add(entry.first)
            entry.run = None


def measure(entries, seconds, generator, until=float("inf")):
    """Samples every entry for `seconds`, interleaved, but ends at the time `until`. Every entry
    gets at least one sample."""
    active = [entry for entry in entries if entry.run]
    while active:
        generator.shuffle(active)
        for entry in active:
            entry.sample()
        active = [entry for entry in active if not is_done(entry, entries, seconds)
                  and time.monotonic() < until]


def checked(contenders, problem, right, plant, announce, avoid):
    """Prepares and checks all implementations of all contenders on one problem, and returns their
    entries. announce(name) is called before a step that could crash; `avoid` has the names to skip,
    with reasons."""
    entries = []
    for contender in contenders:
        for way in contender.ways(problem):
            entry = Entry(way)
            entries.append(entry)
            if way.name in avoid:
                entry.reason = f"skipped: {avoid[way.name]}"
                continue
            announce(way.name)
            check(entry, problem, right, plant)
    announce("")
    return entries


def time_entries(entries, problem, seconds, left):
    """Times checked entries, each for some seconds, but all of them at most until `left` seconds are
    over. They cannot run again then."""
    close = [entry.run.close for entry in entries if hasattr(entry.run, "close")]
    take_first_runs(entries)
    measure(entries, seconds, random.Random(f"{problem.task.name} {problem.threads}"),
            time.monotonic() + left)
    for release in close:
        release()
    for entry in entries:
        entry.run = None
