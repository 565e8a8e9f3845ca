"""Exact real arithmetic, up to the precision of long doubles: the mathematical filter, with an
estimate of its own error, and the allowed distance of a plan from it (docs/numerics.md, error
bounds)."""
import math

import numpy

import contract
import forms
from stages import FLOAT_MAX, FLOATS, RANGES, inner, padded, tap_views

REAL = numpy.longdouble  # doubles could not measure the errors of doubles
assert numpy.finfo(REAL).nmant >= 63, "long doubles of at least 64 bits are needed"
DOUBLE_MAX = float(numpy.finfo(float).max)


def passes(op, wide):
    """Computes, for each term, the pass down the columns, then the pass along the rows."""
    (x, y), (dx, dy) = op.stage.anchors[0], op.stage.dilate
    width, height = op.size
    total = numpy.zeros((height, width), REAL)
    for down, across in op.stage.terms:
        columns = numpy.zeros((height, width + op.left + op.right), REAL)
        for j in numpy.flatnonzero(down):
            columns += REAL(down[j]) * wide[op.above + (j - y) * dy:][:height]
        for i in numpy.flatnonzero(across):
            total += REAL(across[i]) * columns[:, op.left + (i - x) * dx:][:, :width]
    return total


def dense(op, wide, channel):
    width, height = op.size
    total = numpy.zeros((height, width), REAL)
    mask, anchor = op.mask(channel)
    for tap, samples in tap_views(op, wide, mask.astype(REAL), anchor):
        total += tap * samples
    return total


def gain(op):
    """Returns Σ|k|, the maximum over all channels."""
    if op.stage.kind == "two-pass":
        return sum(float(numpy.abs(down).sum() * numpy.abs(across).sum())
                   for down, across in op.stage.terms)
    return max(float(numpy.abs(k).sum()) for k in op.stage.masks)


def run_stage(op, image):
    """Runs one stage over long doubles: filtered and clamped, but not rounded."""
    planes = []
    for channel in range(op.channels):
        plane = image[:, :, channel]
        if channel == op.copied:
            planes.append(numpy.clip(inner(op, plane), *RANGES[op.output]))
            continue
        wide = padded(op, plane)
        total = passes(op, wide) if op.kind == "two-pass" else dense(op, wide, channel)
        planes.append(numpy.clip(total + op.stage.bias, op.low, op.high))
    return numpy.stack(planes, axis=2)


def own_error(op, image, before=0.0, unit=None):
    """Returns the error of run_stage: products and sums, 2^-63 each, in double arithmetic, whose
    taps are the library's; otherwise 2^-52 for the taps from exp and sin, too."""
    if unit is None:
        unit = 2.0**-63 if op.arithmetic == "f64" else 2.0**-52
    taps = max(k.size for k in op.stage.masks)
    size = gain(op) * float(numpy.abs(image).max()) + abs(op.stage.bias)
    if op.border[0] == "constant":
        size += gain(op) * abs(op.border[1])
    return before * max(1.0, gain(op)) + (taps + 16) * unit * size


# ---- Bounds ------------------------------------------------------------------------------------

def dense_bound(op):
    return max(forms.mask_error(op, index, forms.quantise(op, index))
               for index in range(len(op.stage.masks)))


def float_bound(op, most):
    if op.kind == "two-pass":
        roundings = 4 + sum(numpy.count_nonzero(contract.real_taps(op, taps))
                            for term in op.stage.terms for taps in term)
    else:
        roundings = max(numpy.count_nonzero(contract.real_taps(op, k)) for k in op.stage.masks) + 2
    growth, largest = math.expm1(roundings * forms.UNITS[op.real]), gain(op) * most + abs(op.stage.bias)
    error = growth * (largest + abs(op.stage.bias))
    limit = DOUBLE_MAX
    if "f32" in (op.real, op.output):
        limit = FLOAT_MAX
    if (op.real, op.output) == ("f64", "f32"):  # one more rounding
        error += (largest + abs(op.stage.bias) + error) * forms.UNITS["f32"]
    if largest + error > limit:
        return math.inf
    return error + (0.0 if op.output in FLOATS else 0.5)


def magnitude_of(op, magnitude):
    """Returns the largest |sample| of the input, for float samples within ±magnitude."""
    return op.most if op.input not in FLOATS else max(magnitude, abs(op.border[1]))


def copied_error(op, most):
    """Returns the rounding error of an alpha channel that is copied."""
    if op.output not in FLOATS:
        return 0.5 if op.input in FLOATS else 0.0
    return most * forms.UNITS["f32"] if op.output == "f32" and op.input in ("f64", "u32", "s32") else 0.0


def stage_bound(op, magnitude):
    """Returns (error bound of the stage, magnitude of its results) for float samples within
    ±magnitude."""
    most = magnitude_of(op, magnitude)
    if op.has_float:
        error = float_bound(op, most)
    elif not op.integer:
        error = forms.ordered_error(op, op.real)
    elif op.kind == "two-pass":
        error = forms.passes_error(op, forms.two_pass_scales(op))
    elif op.kind == "dense":
        error = dense_bound(op)
    else:
        n = op.stage.masks[0].size
        error = (0.5 if n > 1 else 0.0) + abs(contract.mean_add(op) / n - op.stage.bias)
    if op.copied >= 0:
        error = max(error, copied_error(op, most))
    largest = gain(op) * most + abs(op.stage.bias) + error
    largest = max(min(largest, max(abs(op.low), abs(op.high))), op.low, -op.high)
    return error, max(largest, most) if op.copied >= 0 else largest  # alpha is not clamped
