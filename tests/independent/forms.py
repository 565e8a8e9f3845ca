"""The forms of stages between integers of 8 and 16 bits: their taps, scales and errors, and the
choice of the first form that is close enough to exact arithmetic (docs/numerics.md)."""
import math
from dataclasses import dataclass
from functools import lru_cache

import numpy

from stages import Refusal, plain_sum, planted
from swathe_ctypes import DTYPES

U8_TAP, U16_TAP = 32639, 2**23 - 1
USUAL_BITS, MOST_BITS = 24, 60
MOST_DISTANCE = 0.75
UNITS = {"f32": 2.0**-24, "f64": 2.0**-53}


# ---- Integer taps ------------------------------------------------------------------------------

def half_away(value, bits=0):
    """Returns round(value·2^bits) of a double, halves away from zero, computed in integers."""
    over, under = float(value).as_integer_ratio()
    whole = (2 * abs(over) * (1 << bits) + under) // (2 * under)
    return whole if over >= 0 else -whole


def rounded(k, bits):
    """Returns half_away of all taps. Doubles hold the products unless these are very large."""
    sizes = numpy.ldexp(numpy.abs(k.ravel()), bits)
    if not sizes.max() < 2.0**40:
        return [half_away(tap, bits) for tap in k.flat]
    whole = numpy.floor(sizes)
    whole += sizes - whole >= 0.5
    return numpy.where(k.ravel() < 0, -whole, whole).astype(numpy.int64).tolist()


def integer_taps(k, anchor, q):
    """Returns w = round(k·2^q), with the remainder of the sum added to the tap at the index
    `anchor`."""
    w = rounded(k, q)
    if "remainder" not in planted:
        w[anchor] += half_away(plain_sum(k), q) - sum(w)
    return w


def distance(w, q, k):
    """Returns Σ|w/2^q − k|."""
    return float(numpy.abs(w / 2.0**q - k).sum())


def half_of(bits):
    return 1 << (bits - 1) if bits > 0 else 0


# ---- Integer masks -----------------------------------------------------------------------------

def fits(w, q, bias, op):
    total = sum(map(abs, w)) * int(op.most) + abs(bias) + half_of(q)
    most, limit = (U8_TAP, 2**31) if op.input == "u8" else (U16_TAP, 2**62)
    return max(map(abs, w)) <= most and total < limit


def scaled(op, index, q):
    """Returns (w, q, B) of a mask, or None if they exceed their bounds."""
    k, anchor = op.mask(index)
    w, bias = integer_taps(k, anchor[1] * k.shape[1] + anchor[0], q), half_away(op.stage.bias, q)
    if not fits(w, q, bias, op):
        return None
    return numpy.array(w, numpy.int64).reshape(k.shape), q, bias


def mask_error(op, index, taps):
    w, q, bias = taps
    k = op.mask(index)[0]
    rounds = bool((w % 2**q).any()) or bias % 2**q != 0  # otherwise all sums are multiples of 2^q
    return distance(w, q, k) * op.most + abs(bias / 2**q - op.stage.bias) + (0.5 if rounds else 0.0)


@lru_cache(maxsize=64)
def quantise(op, index):
    """Returns (w, q, B) of a dense mask, or None: with the usual number of bits if that is close
    enough, otherwise with the smallest number that is."""
    usual = next(filter(None, (scaled(op, index, q) for q in range(USUAL_BITS, -1, -1))), None)
    if usual and mask_error(op, index, usual) <= MOST_DISTANCE:
        return usual
    if op.stage.kind == "two-pass":  # a sum of terms
        return None
    for q in range(USUAL_BITS + 1, MOST_BITS + 1):
        taps = scaled(op, index, q)
        if taps is None:
            return None
        if mask_error(op, index, taps) <= MOST_DISTANCE:
            return taps
    return None


# ---- Integer Gaussians -------------------------------------------------------------------------

@dataclass
class Passes:
    """The integer taps of both passes; `kept` bits remain between them."""
    down: numpy.ndarray
    q_down: int
    across: numpy.ndarray
    q_across: int
    kept: int
    bias: int

    @property
    def first(self):
        return self.q_down - self.kept

    @property
    def last(self):
        return self.q_across + self.kept


def middle_size(down, q_down, kept):
    """Returns the largest sum between the passes."""
    return sum(map(abs, down)) * 255 * 2.0 ** (kept - q_down)


def end_passes(op, down, q_down, across, q_across, kept):
    """Returns the passes if all sums fit, otherwise None."""
    middle, last = middle_size(down, q_down, kept), q_across + kept
    bias = half_away(op.stage.bias, last)
    if middle > 32767 or q_down < kept or \
            (middle + 1) * sum(map(abs, across)) + abs(bias + half_of(last)) >= 2**31:
        return None
    return Passes(numpy.array(down, numpy.int64), q_down, numpy.array(across, numpy.int64),
                  q_across, kept, bias)


def usual_pass(k):
    q, middle = 15, len(k) // 2
    w = integer_taps(k, middle, q)
    return (w, q) if w[middle] <= U8_TAP else (integer_taps(k, middle, 14), 14)


def own_pass(k, most, bias, kept):
    """Returns (w, q) of a pass over numbers of at most `most`, with the largest q, or None."""
    for q in range(24, -1, -1):
        w = integer_taps(k, len(k) // 2, q)
        size = most * sum(map(abs, w)) + (abs(bias) + 0.5) * 2.0 ** (q + kept) + 1
        if max(map(abs, w)) <= U8_TAP and size < 2**31:
            return w, q
    return None


def own_passes(op, kept):
    """Returns the passes with a scale of its own for each, or None."""
    (down, across), = op.stage.terms
    first = own_pass(down, 255, 0.0, 0)
    if not first:
        return None
    middle = middle_size(*first, kept)
    second = own_pass(across, middle + 1, op.stage.bias, kept)
    return end_passes(op, *first, *second, kept) if second else None


def passes_error(op, passes):
    (down, across), = op.stage.terms
    error = distance(passes.down, passes.q_down, down) * op.most
    error += 2.0 ** -(passes.kept + 1) if passes.first > 0 else 0.0
    error *= float(numpy.abs(passes.across).sum()) / 2**passes.q_across
    error += (distance(passes.across, passes.q_across, across) * op.most
              * float(numpy.abs(down).sum()))
    return error + abs(passes.bias / 2**passes.last - op.stage.bias) + 0.5


@lru_cache(maxsize=64)
def two_pass_scales(op):
    """Returns the integer passes of a Gaussian, or None if there are none that are close enough."""
    if op.input != "u8":
        return None
    (down, across), = op.stage.terms
    usual = end_passes(op, *usual_pass(down), *usual_pass(across), 7)
    if usual and passes_error(op, usual) <= MOST_DISTANCE:
        return usual
    own = [passes for passes in (own_passes(op, kept) for kept in range(7, 0, -1)) if passes]
    best = min(own, key=lambda passes: passes_error(op, passes), default=None)
    return best if best and passes_error(op, best) <= MOST_DISTANCE else None


# ---- Ordered sums ------------------------------------------------------------------------------

@dataclass
class Sum:
    """What is known of a sum by fused multiply-add: its largest size, and the parts of its
    error."""
    unit: float
    size: float = 0.0
    sizes: float = 0.0  # the sum of the sizes after each tap
    taps: int = 0
    others: float = 0.0  # errors of the taps and of what is summed

    def add(self, taps, real, most, error):
        """Adds taps over numbers of at most `most` with errors of at most `error`."""
        rounded_taps = taps.astype(DTYPES[real])
        sizes = numpy.abs(rounded_taps[rounded_taps != 0].astype(float))
        self.sizes += float((self.size + numpy.cumsum(sizes) * most).sum())
        self.size += float(sizes.sum()) * most
        self.taps += len(sizes)
        self.others += float(numpy.abs(rounded_taps.astype(float) - taps).sum()) * most
        self.others += float(sizes.sum()) * error

    @property
    def error(self):
        return self.others + self.unit * (1 + 2 * self.taps * self.unit) * self.sizes


def has_whole_sums(op, real):
    """Returns whether doubles hold all sums of whole taps."""
    numbers = numpy.concatenate([k.ravel() for k in op.stage.masks] + [[op.stage.bias]])
    return real == "f64" and op.stage.kind != "two-pass" and bool(
        (numbers == numpy.floor(numbers)).all())


def ordered_sums(op, real):
    """Yields the sum of each mask, or the sum of all terms."""
    unit = UNITS[real]
    if op.stage.kind == "two-pass":
        total = Sum(unit)
        for down, across in op.stage.terms:
            column = Sum(unit)
            column.add(down, real, op.most, 0.0)
            total.add(across, real, column.size + column.error, column.error)
        yield total
        return
    for k in op.stage.masks:
        total = Sum(unit)
        total.add(k.ravel(), real, op.most, 0.0)
        yield total


def ordered_error(op, real):
    """Returns the error bound of a stage between integers that is summed in floats or doubles, in
    order."""
    if has_whole_sums(op, real):
        return 0.0
    worst, bias = 0.0, op.stage.bias
    for total in ordered_sums(op, real):
        error = total.error + UNITS[real] * (total.size + total.error + abs(bias))
        error += abs(float(DTYPES[real](bias)) - bias) + 0.5
        worst = max(worst, error if math.isfinite(error) else math.inf)
    return worst


# ---- The choice --------------------------------------------------------------------------------

def has_integers(op):
    if op.kind == "two-pass":
        return two_pass_scales(op) is not None
    return all(quantise(op, index) is not None for index in range(len(op.stage.masks)))


def choose(op):
    """Sets the form of a stage between integers of 8 and 16 bits; refuses it if none is close
    enough."""
    op.form = "integer"
    if has_integers(op):
        return
    for real in ("f32", "f64") if op.stage.kind == "two-pass" else ("f64",):
        if ordered_error(op, real) <= MOST_DISTANCE:
            op.form = real
            return
    raise Refusal("no form is close enough to exact arithmetic")


def check_ordered(op):
    """Refuses a stage of 32-bit integers that is not close enough."""
    if ordered_error(op, "f64") > MOST_DISTANCE:
        raise Refusal("sums of 32-bit integers are not close enough to exact arithmetic")


def forget():
    """Forgets taps that were computed with other planted bugs."""
    quantise.cache_clear()
    two_pass_scales.cache_clear()
