#!/usr/bin/env python3
"""Compares results of integer images with exact arithmetic: they must be one of the two integers
next to it.

    neighbours.py BUILD [--count N] [--seed S] [--only INDEX] [--self-test]

Each random mask (neighbours_maker.py) filters a photo, noise, a flat area, extremes, and samples
chosen so that the errors of rounded taps add up at one pixel: the channels of one image. A result
may be 0.75 from the exact one, or as far as the plan states if a type has 32 bits, and never farther
than the plan states. The exact taps are those of swathe_chain_mask; independent.py and banks.py
check their formulas.
"""
import collections
import math
import random
import re
import sys
from fractions import Fraction

import numpy

import command
import neighbours_images
import neighbours_maker
from neighbours_images import plain_images, rounded, tap_errors, type_range, worst_patches
from problem_maker import number
from swathe_ctypes import (DTYPES, ERROR_ARGUMENT, TYPES, Library, PlanOptions, Refused, RunOptions,
                           Shape)

LIMIT = 0.75
SURE = 2**49  # |taps| × their number × samples, below which doubles are close enough
PLAIN, WORST = 4, 6  # numbers of images: ordinary ones, and for each kind of errors
BUGS = ("16 bits", "moved", "limit", "stated")

planted = set()


# ---- Sums of products without rounding errors ----------------------------------------------------

def exact_terms(taps, samples):
    """Returns numbers whose sum is Σ k·p. A double k is an integer M of 53 bits times a power of 2.
    M = a·2^32 + b·2^16 + c, and a has 21 bits, so its product with a sample of up to 32 bits has at
    most 53, and a double holds it; b and c are shorter. Scaling by a power of 2 loses no bits, as
    no term has bits below the last one of its tap."""
    used = taps != 0
    fraction, exponent = numpy.frexp(taps[used])
    whole = numpy.ldexp(fraction, 53).astype(numpy.int64)
    samples = samples[used].astype(numpy.int64)
    parts = ((whole >> 32, 32), ((whole >> 16) & 0xFFFF, 16), (whole & 0xFFFF, 0))
    return [term for part, bits in parts for term in
            numpy.ldexp((part * samples).astype(float), exponent - 53 + bits).tolist()]


def exact_distance(taps, samples, bias, got, limits):
    """Returns |got − clamp(Σ k·p + bias)|. fsum computes the exact sum of its terms and rounds it
    once: here, the distance itself."""
    terms = exact_terms(taps, samples) + [bias]
    value = math.fsum(terms)
    if not limits[0] < value < limits[1]:
        return abs(got - min(max(value, limits[0]), limits[1]))
    return abs(math.fsum(terms + [-got]))


def equals_fractions(taps, samples, bias):
    """Does the same sum in fractions have the same value?"""
    total = Fraction(bias)
    for tap, sample in zip(taps.flat, samples.flat):
        total += Fraction(float(tap)) * int(sample)
    return math.fsum(exact_terms(taps, samples) + [bias]) == float(total)


# ---- Cases -------------------------------------------------------------------------------------

class Case:
    """A random filter, its types and its border."""

    def __init__(self, seed, index):
        self.index = index
        self.rng = rng = random.Random(f"{seed} {index}")
        self.drawn = neighbours_maker.draw(rng)
        self.source, self.result = neighbours_maker.draw_types(rng)
        self.limits = type_range(self.result)
        self.bias = neighbours_maker.draw_bias(rng, *self.limits)
        self.border = rng.choice(("valid", "valid", "zero", "replicate"))
        self.more = (rng.randint(0, 3), rng.randint(0, 3))  # rows and columns beyond the mask's
        self.text = (self.drawn.text + neighbours_maker.options_text(rng, self.drawn)
                     + f":border={self.border}:type={self.result}:bias={number(self.bias)}")
        self.types = self.source if self.source == self.result else f"{self.source}->{self.result}"

    @property
    def is_wide(self):
        return self.source in neighbours_maker.WIDE or self.result in neighbours_maker.WIDE

    def plan(self, library, taps):
        """Plans an image with room for the mask, and as many channels as there are images."""
        images = PLAIN + WORST * (2 if self.drawn.name == "gaussian" else 1)
        height, width = (n + more for n, more in zip(taps.shape, self.more))
        size = (1, images, taps.size) if self.drawn.mixes else (height, width, images)
        shape = Shape(height=size[0], width=size[1], channels=size[2], type=TYPES[self.source])
        return library.plan(self.text, shape, PlanOptions())


def make_images(case, photo, taps, bits, anchor):
    """Returns images of the size of the plan, and the place of the worst pixel's patch in them."""
    source = numpy.random.default_rng(case.rng.getrandbits(64))
    ends = type_range(case.source)
    size = [n + more for n, more in zip(taps.shape, (0, 0) if case.drawn.mixes else case.more)]
    y, x = (case.rng.randint(0, n - m) for n, m in zip(size, taps.shape))
    images = plain_images(case.rng, source, photo, size, case.source)
    for errors in tap_errors(case.drawn.name, taps, bits, anchor[::-1]):
        for patch in worst_patches(source, errors, taps, case.bias, ends, case.limits):
            images.append(source.integers(*ends, size, endpoint=True))
            images[-1][y:y + taps.shape[0], x:x + taps.shape[1]] = patch
    return images, (y, x)


def padded(case, image, shape, anchor):
    """Returns the image with its border, and the anchor's distance from the patch of a pixel."""
    if case.border == "valid":
        return image, (0, 0)
    before = (anchor[1], anchor[0])
    wide = [(n, m - 1 - n) for n, m in zip(before, shape)] + [(0, 0)]
    return numpy.pad(image, wide, "edge" if case.border == "replicate" else "constant"), before


def pixels(case, place, size):
    """Yields the worst pixel, corners and a few others."""
    yield place
    yield 0, 0
    yield size[0] - 1, size[1] - 1
    for _ in range(3):
        yield case.rng.randrange(size[0]), case.rng.randrange(size[1])


def run(case, plan, photo, masks, first):
    """Yields (taps, samples, results) with an axis for the images: for the worst pixel of the mask
    `first`, then for others."""
    taps, anchor = masks[first]
    images, place = make_images(case, photo, taps, plan.stages[0].fraction_bits, anchor)
    image = numpy.stack(images, axis=1 if case.drawn.mixes else 2)
    given = numpy.ascontiguousarray(image, DTYPES[case.source])
    result = plan.run(given, options=RunOptions(threads=1))
    order = [first] + [m for m in range(len(masks)) if m != first][:3]
    if case.drawn.mixes:
        for m in order:
            yield masks[m][0], image.swapaxes(1, 2), result[0, :, m]
        return
    for m in order:
        taps, anchor = masks[m]
        wide, before = padded(case, image, taps.shape, anchor)
        worst = (place[0] + before[0], place[1] + before[1])
        for y, x in pixels(case, worst, result.shape):
            samples = wide[y:y + taps.shape[0], x:x + taps.shape[1]]
            yield taps, samples, result[y, x, m * len(images):(m + 1) * len(images)]


# ---- Checks ------------------------------------------------------------------------------------

def old_result(case, taps, samples):
    """The planted bug: taps of 16 bits with one scale."""
    bits = 24
    while bits > 0 and numpy.abs(numpy.ldexp(taps, bits)).max() > 32639:
        bits -= 1
    value = (rounded(taps, bits, (0, 0)) * samples).sum() + case.bias
    return min(max(math.floor(value + 0.5), case.limits[0]), case.limits[1])


def candidates(case, looks):
    """Returns the farthest result of the worst pixel, and those three that are farthest of all:
    (taps, samples, result). Sums in doubles are exact enough to find them."""
    found = []
    for number_of_look, (taps, samples, results) in enumerate(looks):
        values = numpy.tensordot(taps, samples.astype(float), 2) + case.bias
        far = numpy.abs(results - numpy.clip(values, *case.limits))
        for i in numpy.argsort(-far)[:3]:
            first = number_of_look == 0 and far[i] == far.max()
            found.append((first, far[i], taps, samples[:, :, i], int(results[i])))
    found.sort(key=lambda one: one[:2], reverse=True)
    return [one[2:] for one in found[:4]]


def farthest(case, looks):
    """Returns the largest exact distance."""
    most = 0.0
    for taps, samples, got in candidates(case, looks):
        if taps.size <= 30 and not equals_fractions(taps, samples, case.bias):
            raise SystemExit(f"exact sums differ from fractions in case {case.index}")
        if "16 bits" in planted:
            got = old_result(case, taps, samples)
        bias = case.bias + (0.3 if "moved" in planted else 0.0)
        most = max(most, exact_distance(taps, samples, bias, got, case.limits))
    return most


def refusal_fault(case, refusal, masks):
    """Returns what is wrong with a refusal. Doubles are close enough for the sums of most masks."""
    most = max(abs(end) for end in type_range(case.source))
    largest = max((numpy.abs(taps).sum() * taps.size * most for taps, _ in masks), default=math.inf)
    if refusal.status != ERROR_ARGUMENT or not str(refusal):
        return f"refused without a reason: {refusal}"
    if largest + abs(case.bias) < SURE:
        return f"refused although sums are small: {refusal}"
    return None


def distance_fault(case, stage, distance):
    """Returns what is wrong with a distance. Taps are doubles, so a product of two lines of taps, or
    1/n, is known to a few units of its last bit."""
    stated = stage.error_bound * (0.5 if "stated" in planted else 1.0)
    limit = LIMIT * (0.5 if "limit" in planted else 1.0)
    slack = 1e-9 + stage.gain * max(abs(end) for end in type_range(case.source)) * 2**-50
    if not case.is_wide and not stated <= limit:
        return f"the plan states {stated:.6g}, the limit is {limit}"
    if not distance <= stated + slack:
        return f"{distance:.9g} from the exact result, the plan states {stated:.9g}"
    return None


class Bench:
    def __init__(self, build, seed):
        self.library, self.photo = Library(build), neighbours_images.read_photo(build)
        self.seed, self.quiet = seed, False
        self.rows = collections.defaultdict(lambda: [0, 0, 0, 0, 0.0, 0.0])
        self.reasons = collections.Counter()

    def count(self, case, column, distance=0.0, bound=0.0):
        """Counts a mask: 1 of integer taps, 2 of real ones, 3 refused."""
        for name in (case.drawn.name, "all"):
            row = self.rows[name, case.types]
            row[0] += 1
            row[column] += 1
            row[4:] = [max(row[4], distance), max(row[5], bound)]

    def refuse(self, case, refusal, masks):
        self.count(case, 3)
        self.reasons[re.sub(r"[-+0-9.e]*[0-9]", "#", str(refusal))[:150]] += 1
        return refusal_fault(case, refusal, masks)

    def measure(self, case, masks):
        """Returns what is wrong with a case, or None."""
        for channel in range(case.drawn.masks):
            masks.append(self.library.mask(case.text, channel))
            if not numpy.isfinite(masks[-1][0]).all():
                return "taps are not finite"
        plan = case.plan(self.library, masks[0][0])
        try:
            first = case.rng.randrange(len(masks))
            distance = farthest(case, run(case, plan, self.photo, masks, first))
        finally:
            plan.close()
        stage = plan.stages[0]
        self.count(case, 1 if stage.fraction_bits >= 0 else 2, distance, stage.error_bound)
        return distance_fault(case, stage, distance)

    def check(self, index):
        case, masks = Case(self.seed, index), []
        try:
            fault = self.measure(case, masks)
        except Refused as refusal:
            fault = self.refuse(case, refusal, masks)
        if fault and not self.quiet:
            print(f"FAILED --seed {self.seed} --only {index}: {fault}\n    {case.source} "
                  f"{case.text[:200]}{'...' if len(case.text) > 200 else ''}", flush=True)
        return fault is None

    def show(self):
        print("filter     types        masks integer    real refused distance    bound")
        for (name, types), row in sorted(self.rows.items()):
            print("%-10s %-10s %7d %7d %7d %7d  %7.4f  %7.4f" % (name, types, *row))
        for text, count in self.reasons.most_common():
            print(f"{count:6d} refused: {text}")


def check_filters(library):
    """Every filter with a mask is drawn."""
    names = {row["name"] for row in library.table("filters")} - neighbours_maker.WITHOUT_MASK
    if names != set(neighbours_maker.MAKERS):
        print(f"FAILED filters that are not drawn: {names ^ set(neighbours_maker.MAKERS)}")
    return names == set(neighbours_maker.MAKERS)


def self_test(bench):
    bench.quiet = True
    return command.all_found(planted, BUGS, bench.check, 300)


def run_many(bench, indices):
    good = check_filters(bench.library)
    failed = sum(not bench.check(index) for index in indices)
    bench.show()
    print(f"{len(indices) - failed} masks passed, {failed} failed")
    return good and failed == 0


def main():
    given = command.options(600)
    bench = Bench(given.build, given.seed)
    only = given.only
    good = (self_test(bench) if given.self_test else
            run_many(bench, range(given.count) if only is None else [only]))
    bench.library.close()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
