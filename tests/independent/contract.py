"""An independent implementation of the contract's arithmetic (docs/numerics.md), equal to the
bit for integers and floats. Integer sums are below 2^62 by the contract's bounds, so int64 holds
them exactly. Fused multiply-add is in fused.py."""
from fractions import Fraction
from functools import lru_cache

import numpy

from fused import fused
from stages import FLOATS, Refusal, inner, padded, plain_sum, planted, tap_views
from swathe_ctypes import DTYPES

U8_TAP, U16_TAP = 32639, 2**23 - 1


# ---- Integers ----------------------------------------------------------------------------------

def half_away(value, bits=0):
    """Returns round(value·2^bits) of a double, halves away from zero, computed in integers."""
    over, under = float(value).as_integer_ratio()
    whole = (2 * abs(over) * (1 << bits) + under) // (2 * under)
    return whole if over >= 0 else -whole


def half(q):
    if "rounding" in planted:
        return 0
    return 1 << (q - 1) if q > 0 else 0


def integer_taps(k, anchor, q):
    """Returns w = round(k·2^q), with the remainder of the sum added to the tap at the index
    `anchor`."""
    w = [half_away(tap, q) for tap in k.flat]
    if "remainder" not in planted:
        w[anchor] += half_away(plain_sum(k), q) - sum(w)
    return w


def fits(w, q, bias, op):
    total = sum(map(abs, w)) * int(op.most) + abs(bias) + (1 << (q - 1) if q else 0)
    most, limit = (U8_TAP, 2**31) if op.input == "u8" else (U16_TAP, 2**62)
    return max(map(abs, w)) <= most and total < limit


@lru_cache(maxsize=64)
def quantise(op, index):
    """Returns (w, q, B) of a dense mask, with the largest q within its bounds."""
    k, anchor = op.mask(index)
    at = anchor[1] * k.shape[1] + anchor[0]
    for q in range(24, -1, -1):
        bias = half_away(op.stage.bias, q)
        w = integer_taps(k, at, q)
        if fits(w, q, bias, op):
            return numpy.array(w, numpy.int64).reshape(k.shape), q, bias
    raise Refusal("no q fits")


def quantise_pass(op, k):
    """Returns (w, q) of one pass of a Gaussian; the remainder is added to the middle tap."""
    q = 15 if op.input == "u8" else 18
    w = integer_taps(k, len(k) // 2, q)
    if op.input == "u8" and w[len(k) // 2] > U8_TAP:
        q = 14
        w = integer_taps(k, len(k) // 2, q)
    return numpy.array(w, numpy.int64), q


def two_pass_scales(op):
    """Returns taps and bits of both passes, and the bias at the end: (down, across, first, last,
    B)."""
    limit = 256 if op.input == "u8" else 65535
    if abs(op.stage.bias) > limit:
        raise Refusal("bias of a gaussian")
    down, q_down = quantise_pass(op, op.stage.down)
    across, q_across = quantise_pass(op, op.stage.across)
    kept = 7 if op.input == "u8" else q_down
    last = q_across + kept
    return down, across, q_down - kept, last, half_away(op.stage.bias, last)


def mean_add(op):
    if abs(op.stage.bias) > (2**32 if op.has_wide else 65536):
        raise Refusal("bias of a box")
    count = op.stage.masks[0].size
    add = half_away(op.stage.bias * count)
    if count * int(op.most) + abs(add) >= 2**49:
        raise Refusal("sum of a box")
    return add


def integer_sum(op, wide, w, anchor):
    width, height = op.size
    total = numpy.zeros((height, width), numpy.int64)
    for tap, samples in tap_views(op, wide, w, anchor):
        total += tap * samples
    return total


def integer_two_pass(op, wide):
    down, across, first, last, bias = two_pass_scales(op)
    (x, y), (dx, dy) = op.stage.anchors[0], op.stage.dilate
    width, height = op.size
    columns = numpy.zeros((height, width + op.left + op.right), numpy.int64)
    for j, tap in enumerate(down):
        top = op.above + (j - y) * dy
        columns += tap * wide[top:top + height]
    columns = (columns + half(first)) >> first
    total = numpy.full((height, width), bias + half(last), numpy.int64)
    for i, tap in enumerate(across):
        start = op.left + (i - x) * dx
        total += tap * columns[:, start:start + width]
    return total >> last


def integer_channel(op, wide, channel):
    if op.kind == "two-pass":
        return integer_two_pass(op, wide)
    k, anchor = op.mask(channel)
    if op.kind == "mean":
        total = integer_sum(op, wide, numpy.ones(k.shape, numpy.int64), anchor) + mean_add(op)
        return (2 * total + (0 if "rounding" in planted else k.size)) // (2 * k.size)
    w, q, bias = quantise(op, channel)
    return (integer_sum(op, wide, w, anchor) + bias + half(q)) >> q


# ---- Floats ------------------------------------------------------------------------------------

def real_taps(op, k):
    """Returns taps in the type of the arithmetic; callers skip those that become 0."""
    return k.astype(DTYPES[op.real])


def real_sum(op, wide, f, anchor):
    width, height = op.size
    total = numpy.zeros((height, width), f.dtype)
    views = list(tap_views(op, wide, f, anchor))
    for tap, samples in views[::-1] if "order" in planted else views:
        total = fused(tap, samples, total)
    return total


def real_two_pass(op, wide):
    (x, y), (dx, dy) = op.stage.anchors[0], op.stage.dilate
    width, height = op.size
    columns = numpy.zeros((height, width + op.left + op.right), wide.dtype)
    for j, tap in enumerate(real_taps(op, op.stage.down)):
        top = op.above + (j - y) * dy
        if tap != 0:
            columns = fused(tap, wide[top:top + height], columns)
    total = numpy.zeros((height, width), wide.dtype)
    for i, tap in enumerate(real_taps(op, op.stage.across)):
        start = op.left + (i - x) * dx
        if tap != 0:
            total = fused(tap, columns[:, start:start + width], total)
    return total


def real_channel(op, wide, channel):
    if op.kind == "two-pass":
        total = real_two_pass(op, wide)
    else:
        k, anchor = op.mask(channel)
        total = real_sum(op, wide, real_taps(op, k), anchor)
    return total + DTYPES[op.real](op.stage.bias)


def store_real(values, output, low, high):
    """Rounds to the output type and clamps. Integers are rounded half up; NaN becomes 0."""
    if output in FLOATS:
        values = values.astype(DTYPES[output])
        low, high = DTYPES[output](low), DTYPES[output](high)
        values = numpy.where(values < low, low, values)
        return numpy.where(values > high, high, values)
    half_unit = 0.0 if "rounding" in planted else 0.5
    # 64 bits hold the sum of 0.5 and a double, except for doubles so small that it does not matter.
    whole = numpy.floor(values.astype(numpy.longdouble) + half_unit)
    whole = numpy.where(numpy.isnan(values), 0.0, whole)
    return numpy.clip(whole, low, high).astype(DTYPES[output])


def check_sums(op):
    """Refuses 32-bit integers whose sums doubles may not hold; the margin is the contract's."""
    def size(taps):
        return sum(Fraction(abs(float(tap))) for tap in taps.flat)
    if op.kind == "two-pass":
        most = size(op.stage.down) * size(op.stage.across)
    else:
        most = max(size(k) for k in op.stage.masks)
    most *= 1 + Fraction(1, 2**40)
    if most * int(op.most) + Fraction(abs(op.stage.bias)) >= 2**53:
        raise Refusal("sums of 32-bit samples")


# ---- Stages ------------------------------------------------------------------------------------

def copied_channel(op, plane, limits):
    """Returns an alpha channel: the sample itself in the type of the result. clamp= applies to
    colours only."""
    plane = inner(op, plane)
    if op.integer:
        return numpy.clip(plane, *limits).astype(DTYPES[op.output])
    return store_real(plane, op.output, *limits)


def run_stage(op, image, limits):
    """Runs one stage over height × width × channels; `limits` is the range of the output type."""
    kind = numpy.int64 if op.integer else DTYPES[op.real]
    planes = []
    for channel in range(op.channels):
        plane = image[:, :, channel].astype(kind)
        if channel == op.copied:
            planes.append(copied_channel(op, plane, limits))
        elif op.integer:
            whole = integer_channel(op, padded(op, plane), channel)
            planes.append(numpy.clip(whole, op.low, op.high).astype(DTYPES[op.output]))
        else:
            planes.append(store_real(real_channel(op, padded(op, plane), channel), op.output,
                                      op.low, op.high))
    return numpy.stack(planes, axis=2)


def settle(op):
    """Refuses ops that cannot be computed exactly; returns q of each mask (None for floats and for
    integers that are summed in doubles)."""
    if op.arithmetic == "32-bit":
        check_sums(op)
    if not op.integer:
        return None
    if op.kind == "two-pass":
        two_pass_scales(op)
        return [quantise_pass(op, op.stage.down)[1]]
    if op.kind == "mean":
        mean_add(op)
        return [0]
    return [quantise(op, index)[1] for index in range(len(op.stage.masks))]
