#!/usr/bin/env python3
"""Checks the sums of reports (swathe_plan_options.arithmetic) against docs/numerics.md.

    arithmetics.py BUILD [--count N] [--seed S] [--only INDEX] [--self-test]
"""
import sys

import numpy

import command
from fused import fused_floats
from swathe_ctypes import DTYPES, TYPES, Library, PlanOptions, Shape

# Border: the mode of numpy.pad.
PADS = {"zero": "constant", "replicate": "edge", "reflect": "symmetric"}
planted = set()


def sum_001(taps, window, size):
    """Fused multiply-adds row by row; clamped to 0 ... 255 and truncated."""
    total = numpy.zeros(size, numpy.float32)
    for j, i in numpy.ndindex(taps.shape):
        total = fused_floats(taps[j, i], window(j, i), total)
    total = numpy.clip(total, 0, 32767 if "range" in planted else 255)
    return (numpy.rint(total) if "truncation" in planted else numpy.trunc(total)).astype(numpy.int16)


def sum_002(taps, window, size):
    """Products that are rounded, then added column by column."""
    total = numpy.zeros(size, numpy.float32)
    places = list(numpy.ndindex(taps.shape))
    for j, i in places if "order" in planted else sorted(places, key=lambda place: place[1]):
        total = total + fused_floats(taps[j, i], window(j, i), numpy.zeros(size, numpy.float32))
    return total


REPORTS = {"report-001": ("s16", sum_001), "report-002": ("f32", sum_002)}


def draw(rng):
    """Returns an arithmetic, a mask with taps of both signs, its text, samples and a border."""
    name = str(rng.choice(list(REPORTS)))
    height, width = (int(n) for n in rng.integers(1, 8, 2))
    taps = rng.normal(size=(height, width)).astype(numpy.float32) * numpy.float32(rng.choice((0.1, 1.0)))
    taps[rng.random(taps.shape) < 0.1] = 0
    taps[0, 0] = 0.5
    rows = "; ".join(" ".join(repr(float(tap)) for tap in row) for row in taps)
    size = (*(int(n) for n in rng.integers(1, 40, 2)), int(rng.integers(1, 5)))
    kind = REPORTS[name][0]
    samples = rng.integers(-300, 300, size) if kind == "s16" else rng.normal(size=size)
    return name, taps, f"mask:({rows})", samples.astype(DTYPES[kind]), str(rng.choice(list(PADS)))


def run(library, name, text, samples, border):
    height, width, channels = samples.shape
    shape = Shape(width=width, height=height, channels=channels, type=TYPES[REPORTS[name][0]])
    plan = library.plan(text, shape, PlanOptions(border=(border, 0), arithmetic=name, algorithm="reference"))
    try:
        return plan.run(samples)
    finally:
        plan.close()


def check(library, seed, index, quiet=False):
    name, taps, text, samples, border = draw(numpy.random.default_rng((seed, index)))
    (high, wide), size = taps.shape, samples.shape
    above, left = high // 2, wide // 2
    padded = numpy.pad(samples, ((above, high - 1 - above), (left, wide - 1 - left), (0, 0)), PADS[border])
    window = lambda j, i: padded[j:j + size[0], i:i + size[1]].astype(numpy.float32)  # noqa: E731
    want = REPORTS[name][1](taps, window, size)
    wrong = int((run(library, name, text, samples, border) != want).sum())
    if wrong and not quiet:
        print(f"FAILED --seed {seed} --only {index}: {name}, {text}, {border}: {wrong} of {want.size} samples differ")
    return not wrong


def main():
    given = command.options(300)
    library = Library(given.build)
    if given.self_test:
        good = command.all_found(planted, ("range", "truncation", "order"),
                                 lambda i: check(library, given.seed, i, True), 50)
    else:
        good = command.all_pass(given, lambda i: check(library, given.seed, i))
    library.close()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
