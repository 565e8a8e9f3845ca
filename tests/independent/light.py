#!/usr/bin/env python3
"""Checks linear light against tables from decimals and fractions.

light.py BUILD [--count N] [--seed S] [--only INDEX] [--self-test]

The rules are those of "Linear light" in docs/numerics.md, written again here. First the tables of
sRGB: the light of every sample of u8 and u16, rounded correctly to f32, and the samples of the light
on both sides of every threshold. Then random problems with curves of several kinds, whose chains are
identity or a row of taps, summed by emulated fused multiply-add.
"""
import bisect
import decimal
import math
import random
import sys
from decimal import Decimal
from fractions import Fraction

import numpy

import command
import swathe_ctypes
from swathe_ctypes import Curves, Library, PlanOptions, Refused, RunOptions, Shape

MOST = {"u8": 255, "u16": 65535}
decimal.getcontext().prec = 30
planted = set()


# ---- The rules ---------------------------------------------------------------------------------

def single(value):
    """Rounds a fraction or a decimal to f32, once: halves to even."""
    exact = Fraction(value)
    if exact == 0:
        return numpy.float32(0)
    near = numpy.float32(float(exact))
    candidates = [numpy.nextafter(near, numpy.float32(-math.inf), dtype=numpy.float32), near,
                  numpy.nextafter(near, numpy.float32(math.inf), dtype=numpy.float32)]
    return min(candidates, key=lambda f: (abs(Fraction(float(f)) - exact),
                                          f.view(numpy.uint32).item() & 1))


def srgb(n, d):
    t = Decimal(n) / Decimal(d)
    if t <= Decimal("0.04045"):
        return t / Decimal("12.92")
    return ((t + Decimal("0.055")) / Decimal("1.055")) ** Decimal("2.4")


def table_at(values, n, d):
    """A table's value at n / d: the position is exact, and the sum is rounded once to a double."""
    i, rest = divmod(n * (len(values) - 1), d)
    if i == len(values) - 1:
        return Fraction(values[i])
    share = Fraction(rest / d) * Fraction(values[i + 1] - values[i])
    return Fraction(float(share + Fraction(values[i])))


def next_after(value):
    return numpy.nextafter(value, numpy.float32(math.inf), dtype=numpy.float32)


class Table:
    """The light of each sample, and the least light that becomes a sample."""

    made = {}

    def __init__(self, curve, kind):
        most = MOST[kind]
        at = srgb if curve is None else lambda n, d: table_at(curve, n, d)
        self.decode, self.least = [], []
        for i in range(most + 1):
            light = single(at(i, most))
            if i > 0:
                after = next_after(self.decode[-1])
                light = max(light, after)
                shift = 0 if "threshold" in planted else 1
                edge = single(at(2 * i - shift, 2 * most))
                self.least.append(float(min(max(edge, after), light)))
            self.decode.append(light)
        if "table" in planted:
            self.decode = self.decode[1:] + self.decode[-1:]

    @classmethod
    def get(cls, curve, kind):
        key = (curve, kind, tuple(planted))
        if key not in cls.made:
            cls.made[key] = cls(curve, kind)
        return cls.made[key]

    def encode(self, light):
        return 0 if math.isnan(light) else bisect.bisect_right(self.least, float(light))


def fused(a, b, c):
    """a·b + c in f32, rounded once."""
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    return single(exact) if exact else numpy.float32(0)


def decode(problem, samples, channel):
    if channel == problem["alpha"] - 1:
        most = MOST[problem["source"]]
        return [single(Fraction(int(s) / most)) for s in samples]
    table = Table.get(problem["curves"][channel % len(problem["curves"])], problem["source"])
    return [table.decode[s] for s in samples]


def encode(problem, light, channel):
    to = problem["type"] or problem["source"]
    if to not in MOST:
        return [float(x) for x in light]
    if channel == problem["alpha"] - 1 and "alpha" not in planted:
        return [math.floor(Fraction(min(max(float(x), 0.0), 1.0)) * MOST[to] + Fraction(1, 2))
                for x in light]
    curves = problem["curves"]
    table = Table.get(curves[min(channel, len(curves) - 1)], to)
    return [table.encode(x) for x in light]


def correlate(problem, light):
    """A row of taps with border reflect."""
    taps, n = [single(Fraction(tap)) for tap in problem["taps"]], len(light)
    result = []
    for x in range(n):
        total = numpy.float32(0)
        for i, tap in enumerate(taps):
            at = (x + i - len(taps) // 2) % (2 * n)
            if tap != 0:
                total = fused(tap, light[at if at < n else 2 * n - 1 - at], total)
        result.append(total)
    return result


def expected(problem, samples, channel):
    light = decode(problem, samples, channel)
    copied = channel == problem["alpha"] - 1 and problem["alpha_mode"] != "filter"
    return encode(problem, light if copied else correlate(problem, light), channel)


# ---- Problems ----------------------------------------------------------------------------------

CURVES = [None, None, (0.0, 1.0), (0.0, 0.0, 0.25, 0.7, 1.0, 1.0), (0.0, 1e-9, 0.5, 0.9),
          tuple((i / 63) ** 2 for i in range(64))]


def draw(rng):
    source = rng.choice(("u8", "u8", "u16"))
    channels = rng.randint(1, 4)
    alpha = rng.randint(1, channels) if rng.random() < 0.4 else 0
    colours = channels - (alpha > 0)
    # Alpha last, so that the index of a channel is that of its curve.
    alpha = channels if alpha else 0
    curves = (rng.choice(CURVES),)
    if colours in (2, 3) and rng.random() < 0.3:
        square = tuple((i / 5) ** 2 for i in range(6))
        curves = (square, (0.0, 0.1, 0.3, 0.5, 0.8, 1.0), square)[:colours]
    taps = rng.choice(([1.0], [0.25, 0.5, 0.25], [-0.5, 2.0, -0.5],
                       [rng.uniform(-0.5, 1) for _ in range(rng.randint(1, 6))]))
    return {"source": source, "channels": channels, "width": rng.randint(1, 60), "alpha": alpha,
            "alpha_mode": rng.choice(("keep", "filter")), "curves": curves, "taps": taps,
            "type": rng.choice((None, None, "u8", "u16", "f32")),
            "algorithm": "reference" if rng.random() < 0.1 else None,
            "threads": rng.randint(1, 2)}


def make_options(problem):
    curves, values = problem["curves"], None
    if curves[0] is not None:
        flat = [value for curve in curves for value in curve]
        values = (swathe_ctypes.c_double * len(flat))(*flat)
    given = Curves(values=values, count=len(curves), size=len(curves[0] or ())) if values else None
    options = PlanOptions(type=problem["type"], light="linear", alpha=problem["alpha_mode"],
                          algorithm=problem["algorithm"])
    if given:
        options.curves = swathe_ctypes.ctypes.pointer(given)
    return options, (values, given)


def run(library, problem, samples):
    taps = problem["taps"]
    chain = "mask:(" + " ".join(repr(tap) for tap in taps) + ")"
    height, width, channels = samples.shape
    shape = Shape(width=width, height=height, channels=channels,
                  type=swathe_ctypes.TYPES[problem["source"]], alpha=problem["alpha"])
    options, kept = make_options(problem)
    plan = library.plan(chain, shape, options)
    try:
        return plan.run(samples, problem["alpha"], False, RunOptions(threads=problem["threads"]))
    finally:
        plan.close()
        del kept


def check(library, seed, index, quiet):
    rng = random.Random(f"{seed} {index}")
    problem = draw(rng)
    most = MOST[problem["source"]]
    size = (1, problem["width"], problem["channels"])
    few = rng.random() < 0.3
    drawn = [rng.choice((0, 1, 2, most, most - 1)) if few else rng.randint(0, most)
             for _ in range(size[1] * size[2])]
    samples = numpy.array(drawn, swathe_ctypes.DTYPES[problem["source"]]).reshape(size)
    try:
        result = run(library, problem, samples)
    except Refused as refusal:
        print(f"FAILED --seed {seed} --only {index}: refused: {refusal}\n    {problem}")
        return False
    for channel in range(problem["channels"]):
        want = expected(problem, samples[0, :, channel].tolist(), channel)
        got = result[0, :, channel].tolist()
        if got != want:
            if not quiet:
                print(f"FAILED --seed {seed} --only {index}: channel {channel} is {got}, must be "
                      f"{want}\n    {problem}")
            return False
    return True


def check_tables(library):
    """The light of all samples, and the samples of all of u8's thresholds and the light below."""
    good = True
    for kind, most in MOST.items():
        problem = {"curves": (None,), "alpha_mode": None, "algorithm": None, "type": "f32",
                   "source": kind, "alpha": 0, "taps": [1.0], "threads": 1}
        samples = numpy.arange(most + 1, dtype=swathe_ctypes.DTYPES[kind]).reshape(1, -1, 1)
        got = run(library, problem, samples).reshape(-1)
        want = numpy.array([single(srgb(i, most)) for i in range(most + 1)], numpy.float32)
        if not numpy.array_equal(got, want):
            print(f"FAILED: light of {kind}: {numpy.flatnonzero(got != want)[:5]}")
            good = False
    return good and check_thresholds(library)


def check_thresholds(library):
    """Light is made from two samples of u16: where their mean crosses a threshold of u8, the result
    changes."""
    table, wide = Table.get(None, "u8"), Table.get(None, "u16")
    pairs = []
    for least in table.least:
        at = bisect.bisect_left([float(x) for x in wide.decode], least) if not pairs else \
            bisect.bisect_left(wide.decode, numpy.float32(least))
        pairs += [(max(at - 1, 0), at), (at, at), (max(at - 1, 0), max(at - 1, 0))]
    samples = numpy.array(pairs, numpy.uint16).reshape(1, -1, 1)
    problem = {"curves": (None,), "alpha_mode": None, "algorithm": None, "type": "u8",
               "source": "u16", "alpha": 0, "taps": [0.5, 0.5], "threads": 1}
    got = run(library, problem, samples).reshape(-1).tolist()
    want = expected(problem, samples.reshape(-1).tolist(), 0)
    if got != want:
        print("FAILED: samples at the thresholds of u8")
    return got == want


def self_test(library, seed):
    return command.all_found(planted, ("table", "threshold", "alpha"),
                                  lambda i: check(library, seed, i, True), 100)


def main():
    given = command.options(600)
    library = Library(given.build)
    if given.self_test:
        good = self_test(library, given.seed)
    else:
        good = given.only is not None or check_tables(library)
        good &= command.all_pass(given, lambda i: check(library, given.seed, i, False))
    library.close()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
