"""Looks for cliffs: measures Swathe alone at every odd mask size, on one thread. A size must not
take longer than the next larger one, and that one must not take longer than its number of taps
explains. Every result is checked before it is timed (at the top, in the middle and at the bottom).
Sizes run interleaved. Suspicious pairs are measured again several times, interleaved."""
import json
import os
import random
import sys

import numpy

import expected
import tasks
from contender import Problem, Way
from swathe_contender import Swathe, folder
from table import number
from timing import Entry, check, measure

SIZES = range(3, 130, 2)
SERIES = [(type_name, kind) for type_name in ("u8", "f32") for kind in ("dense", "gaussian")]
SLACK, RECHECKS = 1.15, 5


def cliff(small, large, smaller_ms, larger_ms):
    """Returns a description of the cliff between two neighbouring sizes, or None."""
    if smaller_ms > SLACK * larger_ms:
        return f"time({small}) = {smaller_ms / larger_ms:.2f} · time({large}), allowed {SLACK}"
    most = SLACK * (large / small) ** 2
    if larger_ms > most * smaller_ms:
        return f"time({large}) = {larger_ms / smaller_ms:.2f} · time({small}), allowed {most:.2f}"
    return None


def prepare(swathe, task, image, out):
    """Returns the entry of a size, with its result checked."""
    problem = Problem(task, image, out, 1)
    entry = Entry(Way("Swathe", "", lambda: swathe.prepare(problem)))
    check(entry, problem, expected.expected(task, image), None)
    return entry


def suspects(entries):
    """Returns {(small, large): description of the cliff}, according to the best times so far."""
    found = {}
    for small, large in zip(SIZES, SIZES[1:]):
        if entries[small].run and entries[large].run:
            text = cliff(small, large, entries[small].best, entries[large].best)
            if text:
                found[small, large] = text
    return found


def measure_again(pair, seconds, generator):
    """Adds more times to both entries of a pair, measured interleaved."""
    fresh = [entry.again() for entry in pair]
    measure(fresh, seconds, generator)
    for entry, more in zip(pair, fresh):
        for time in more.times:
            entry.add(time)


def find_cliffs(entries, seconds, generator):
    """Returns {size: description of the cliff between it and the next}. If another program
    disturbed a measurement, repeating it gives shorter times; a real cliff remains."""
    measure(list(entries.values()), seconds, generator)
    for turn in range(RECHECKS):
        for sizes in suspects(entries):
            measure_again([entries[size] for size in sizes], (turn + 1) * seconds, generator)
    return {small: text for (small, _), text in suspects(entries).items()}


def run_series(swathe, type_name, kind, seconds):
    """Yields one row per size."""
    made = {size: tasks.make(type_name, 3, "1000x1000", kind, size, in_bands=True)
            for size in SIZES}
    image = tasks.picture(made[SIZES[0]])
    out = numpy.empty_like(image)
    entries = {size: prepare(swathe, task, image, out) for size, task in made.items()}
    cliffs = find_cliffs(entries, seconds, random.Random(f"{type_name} {kind}"))
    for size, entry in entries.items():
        yield {"work": made[size].name, "threads": 1, "size": size, "swathe_ms": entry.best,
               "swathe_median_ms": entry.median, "swathe_how": entry.note, "ok": entry.ok,
               "reason": entry.reason, "cliff": cliffs.get(size)}
        if hasattr(entry.run, "close"):
            entry.run.close()


def show(rows, as_json):
    if as_json:
        for row in rows:
            print(json.dumps(row), flush=True)
        return
    print("| task | ms | algorithm | ok |\n|---|---|---|---|")
    for row in rows:
        remark = row["cliff"] or ("yes" if row["ok"] else row["reason"])
        print(f"| {row['work']} | {number(row['swathe_ms'])} | {row['swathe_how'] or '–'} "
              f"| {remark} |")
    print(flush=True)


def main(build, only, seconds, as_json):
    swathe = Swathe(folder(build))
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rows = []
    for type_name, kind in SERIES:
        name = f"{type_name}x3-1000x1000-{kind}"
        if only and not any(part in name for part in only):
            continue
        fresh = list(run_series(swathe, type_name, kind, seconds))
        show(fresh, as_json)
        rows += fresh
    if not rows:
        print(f"peers: no sweep name contains {' or '.join(only)}; the names are like "
              "u8x3-1000x1000-dense", file=sys.stderr)
        return 2
    cliffs = sum(row["cliff"] is not None for row in rows)
    wrong = sum(not row["ok"] for row in rows)
    print(f"peers: {len(rows)} sizes, {cliffs} cliffs, {wrong} wrong results", file=sys.stderr)
    return 1 if cliffs or wrong else 0
