"""An independent implementation of the contract's arithmetic (docs/numerics.md), equal to the
bit for integers and floats. Integer sums are below 2^62 by the contract's bounds, so int64 holds
them exactly. Fused multiply-add is in fused.py."""
from fractions import Fraction

import numpy

import forms
from fused import fused
from stages import FLOATS, Refusal, inner, padded, planted, tap_views
from swathe_ctypes import DTYPES


# ---- Integers ----------------------------------------------------------------------------------

def half(q):
    return 0 if "rounding" in planted else forms.half_of(q)


def mean_add(op):
    if abs(op.stage.bias) > (2**32 if op.has_wide else 65536):
        raise Refusal("bias of a box")
    count = op.stage.masks[0].size
    add = forms.half_away(op.stage.bias * count)
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
    passes = forms.two_pass_scales(op)
    (x, y), (dx, dy) = op.stage.anchors[0], op.stage.dilate
    width, height = op.size
    columns = numpy.zeros((height, width + op.left + op.right), numpy.int64)
    for j, tap in enumerate(passes.down):
        top = op.above + (j - y) * dy
        columns += tap * wide[top:top + height]
    columns = (columns + half(passes.first)) >> passes.first
    total = numpy.full((height, width), passes.bias + half(passes.last), numpy.int64)
    for i, tap in enumerate(passes.across):
        start = op.left + (i - x) * dx
        total += tap * columns[:, start:start + width]
    return total >> passes.last


def index_of(op, channel):
    return channel if len(op.stage.masks) > 1 else 0


def integer_channel(op, wide, channel):
    if op.kind == "two-pass":
        return integer_two_pass(op, wide)
    k, anchor = op.mask(channel)
    if op.kind == "mean":
        total = integer_sum(op, wide, numpy.ones(k.shape, numpy.int64), anchor) + mean_add(op)
        return (2 * total + (0 if "rounding" in planted else k.size)) // (2 * k.size)
    w, q, bias = forms.quantise(op, index_of(op, channel))
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


def column_sums(op, wide, down):
    y, dy = op.stage.anchors[0][1], op.stage.dilate[1]
    width, height = op.size
    columns = numpy.zeros((height, width + op.left + op.right), wide.dtype)
    for j in in_order(down):
        top = op.above + (j - y) * dy
        columns = fused(down[j], wide[top:top + height], columns)
    return columns


def in_order(taps):
    """Returns the indices of the taps that are not 0."""
    return numpy.flatnonzero(taps)[::-1 if "order" in planted else 1]


def real_terms(op, wide):
    """Adds the terms: the rows of each continue the sum of the term before."""
    x, dx = op.stage.anchors[0][0], op.stage.dilate[0]
    width, height = op.size
    total = numpy.zeros((height, width), wide.dtype)
    for down, across in op.stage.terms:
        columns, across = column_sums(op, wide, real_taps(op, down)), real_taps(op, across)
        for i in in_order(across):
            start = op.left + (i - x) * dx
            total = fused(across[i], columns[:, start:start + width], total)
    return total


def real_channel(op, wide, channel):
    if op.kind == "two-pass":
        total = real_terms(op, wide)
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
    """Refuses integers whose sums doubles may not hold; the margin is the contract's."""
    def size(taps):
        return sum(Fraction(abs(float(tap))) for tap in taps.flat)
    if op.kind == "two-pass":
        most = sum(size(down) * size(across) for down, across in op.stage.terms)
    else:
        most = max(size(k) for k in op.stage.masks)
    most *= 1 + Fraction(1, 2**40)
    if most * int(op.most) + Fraction(abs(op.stage.bias)) >= 2**53:
        raise Refusal("sums of integers in doubles")


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
    """Chooses the form, and refuses ops that cannot be computed exactly; returns q of each mask
    (None for floats and for integers that are summed in them)."""
    if op.arithmetic == "32-bit":
        check_sums(op)
        forms.check_ordered(op)
    if op.kind == "mean":
        mean_add(op)
        return [0]
    if op.integer:
        forms.choose(op)
        if not op.integer:
            check_sums(op)  # whole taps, whose error is otherwise 0
    if not op.integer:
        return None
    if op.kind == "two-pass":
        return [forms.two_pass_scales(op).q_down]
    return [forms.quantise(op, index)[1] for index in range(len(op.stage.masks))]
