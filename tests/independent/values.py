#!/usr/bin/env python3
"""Checks what becomes of numbers between types, and abs, against Python integers and fractions.

values.py BUILD [--count N] [--seed S] [--self-test]

The rules are those of "Between types" in docs/numerics.md, written again here. Chains consist of
identity and abs, whose results follow from the conversion of a single sample.
"""
import math
import random
import sys
from fractions import Fraction

import numpy

import command
import swathe_ctypes
from swathe_ctypes import Library, PlanOptions, Refused, RunOptions, Shape

NUMBERS = {"u8": 1, "u16": 2, "s16": 3, "f32": 4, "u32": 5, "s32": 6, "f64": 7}
FORMATS = {"u8": numpy.uint8, "u16": numpy.uint16, "s16": numpy.int16, "f32": numpy.float32,
           "u32": numpy.uint32, "s32": numpy.int32, "f64": numpy.float64}
RANGES = {"u8": (0, 255), "u16": (0, 65535), "s16": (-32768, 32767), "u32": (0, 2**32 - 1),
          "s32": (-2**31, 2**31 - 1)}
UNSIGNED = ("u8", "u16", "u32")

planted = set()


# ---- The rules ---------------------------------------------------------------------------------

def half_up(value):
    return math.floor(Fraction(value) + (0 if "rounding" in planted else Fraction(1, 2)))


def single(value):
    """Rounds a double to f32."""
    with numpy.errstate(over="ignore"):
        return float(numpy.float32(value))


def keep(value, to):
    """The same number in another type."""
    if to == "f32":
        return single(value)
    if to == "f64":
        return float(value)
    low, high = RANGES[to]
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return low if value < 0 else high
    return min(max(half_up(value), low), high)


def whole(kind):
    return RANGES.get(kind, (0, 1))


def is_exact(given, ends, to):
    """Is the range mapped in integers?"""
    return given in RANGES and to in RANGES and all(
        float(end).is_integer() and RANGES[given][0] <= end <= RANGES[given][1] for end in ends)


def stretch(value, given, ends, to, to_ends):
    """Maps the range `ends` of a type to the range `to_ends` of another."""
    if value <= ends[0]:
        return to_ends[0]
    if value >= ends[1]:
        return to_ends[1]
    if math.isnan(value):
        return value if to not in RANGES else 0
    size = to_ends[1] - to_ends[0]
    if is_exact(given, ends, to):
        steps = int(ends[1]) - int(ends[0])
        return to_ends[0] + ((int(value) - int(ends[0])) * size * 2 + steps) // (2 * steps)
    share = (float(value) - ends[0]) / (ends[1] - ends[0])
    if to not in RANGES:
        return keep(share, to)
    return min(to_ends[0] + half_up(share * float(size)), to_ends[1])


def rule_of(problem, own):
    """Returns the rule in force and the type of the result."""
    to = problem["type"] or own
    values = problem["values"]
    if values is None:
        scales = own != to and own in UNSIGNED and to in UNSIGNED
        values = "scale" if scales != ("default" in planted) else "keep"
    return values, to


def expected(problem, value, is_alpha):
    """Returns the result for one sample."""
    kind, most = problem["source"], whole(problem["source"])[1]
    stages = list(problem["stages"])
    own = kind
    for _, after in stages:
        own = after or own
    values, to = rule_of(problem, own)
    appended = values not in ("keep", "scale") or (
        values == "scale" and own != to and (own in RANGES or to in RANGES))
    for i, (name, after) in enumerate(stages):
        after = after or kind
        if i == len(stages) - 1 and not appended:
            after = to
        copied = is_alpha and problem["alpha_mode"] != "filter"
        value = keep(abs(value) if name == "abs" and not copied else value, after)
        kind = after
        if after in RANGES and problem["source"] in RANGES:
            most = min(most, RANGES[after][1])
    if not appended:
        return value
    if is_alpha and "alpha" not in planted:
        return stretch(value, kind, (0, most), to, (0, whole(to)[1]))
    ends = whole(kind) if values == "scale" else values
    return stretch(value, kind, ends, to, whole(to))


# ---- Problems ----------------------------------------------------------------------------------

def draw_samples(rng, kind, count):
    if kind in RANGES:
        low, high = RANGES[kind]
        near = [low, low + 1, high, high - 1, (low + high) // 2, min(high, 200)]
        return [rng.choice(near) if rng.random() < 0.3 else rng.randint(low, high)
                for _ in range(count)]
    special = [math.nan, math.inf, -math.inf, -0.0, 1e-44, 0.5, 1.0, 1 / 510, -1.0]
    scale = rng.choice((1.0, 1.0, 300.0, 1e5, 1e10))
    values = [rng.choice(special) if rng.random() < 0.2 else rng.uniform(-0.3, 1.2) * scale
              for _ in range(count)]
    return [single(value) for value in values] if kind == "f32" else values


def draw_values(rng):
    pick = rng.random()
    if pick < 0.4:
        return None
    if pick < 0.6:
        return rng.choice(("keep", "scale"))
    if pick < 0.8:
        low = rng.randint(-300, 300)
        return low, low + rng.choice((0, 1, 2, 200, 255, 1000, 70000, 2**31))
    low = rng.uniform(-2, 2) * rng.choice((1e-3, 1.0, 100.0))
    return low, low + rng.uniform(0, 3) * rng.choice((1e-3, 1.0, 1e4))


def draw(rng):
    kinds = tuple(NUMBERS)
    channels = rng.randint(1, 4)
    return {"source": rng.choice(kinds), "channels": channels, "width": rng.randint(1, 300),
            "alpha": rng.randint(1, channels) if rng.random() < 0.3 else 0,
            "alpha_mode": rng.choice((None, "keep", "filter")),
            "type": rng.choice(kinds) if rng.random() < 0.8 else None,
            "values": draw_values(rng), "threads": rng.randint(1, 2),
            "algorithm": "reference" if rng.random() < 0.1 else None,
            "stages": [(rng.choice(("identity", "identity", "abs")),
                        rng.choice(kinds) if rng.random() < 0.3 else None)
                       for _ in range(rng.choice((1, 1, 1, 2)))]}


def run(library, problem, samples):
    chain = ",".join(name + (f":type={kind}" if kind else "") for name, kind in problem["stages"])
    shape = Shape(width=problem["width"], height=1, channels=problem["channels"],
                  type=NUMBERS[problem["source"]], alpha=problem["alpha"])
    options = PlanOptions(type=problem["type"], exact=1, alpha=problem["alpha_mode"],
                          algorithm=problem["algorithm"], values=problem["values"])
    plan = library.plan(chain, shape, options)
    try:
        return plan.run(samples, problem["alpha"], False, RunOptions(threads=problem["threads"]))
    finally:
        plan.close()


def same(got, want):
    return got == want or (math.isnan(got) and math.isnan(want))


def check(library, seed, index, quiet):
    rng = random.Random(f"{seed} {index}")
    problem = draw(rng)
    size = (1, problem["width"], problem["channels"])
    drawn = draw_samples(rng, problem["source"], problem["width"] * problem["channels"])
    samples = numpy.array(drawn, FORMATS[problem["source"]]).reshape(size)
    try:
        result = run(library, problem, samples)
    except Refused as refusal:
        print(f"FAILED --seed {seed} --only {index}: refused: {refusal}\n    {problem}")
        return False
    for i, value in enumerate(drawn):
        channel = i % problem["channels"]
        want = expected(problem, value, channel == problem["alpha"] - 1)
        got = result.reshape(-1)[i].item()
        if not same(got, want):
            if not quiet:
                print(f"FAILED --seed {seed} --only {index}: {value!r} in channel {channel} "
                      f"becomes {got!r}, must be {want!r}\n    {problem}")
            return False
    return True


def self_test(library, seed):
    return command.all_found(planted, ("rounding", "default", "alpha"),
                                  lambda i: check(library, seed, i, True), 300)


def main():
    given = command.options(2000)
    swathe_ctypes.TYPE_NAMES.update({number: name for name, number in NUMBERS.items()})
    swathe_ctypes.TYPES.update(NUMBERS)
    swathe_ctypes.DTYPES.update(FORMATS)
    library = Library(given.build)
    if given.self_test:
        good = self_test(library, given.seed)
    else:
        good = command.all_pass(given, lambda i: check(library, given.seed, i, False))
    library.close()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
