"""Exact real arithmetic, up to the precision of long doubles: the mathematical filter, with an
estimate of its own error, and the allowed distance of a plan from it (docs/numerics.md, error
bounds)."""
import math

import numpy

import contract
from stages import FLOAT_MAX, FLOATS, RANGES, inner, padded, tap_views

REAL = numpy.longdouble  # doubles could not measure the errors of doubles
assert numpy.finfo(REAL).nmant >= 63, "long doubles of at least 64 bits are needed"
UNITS = {"f32": 2.0**-24, "f64": 2.0**-53}
DOUBLE_MAX = float(numpy.finfo(float).max)


def passes(op, wide):
    """Computes the pass down the columns, then the pass along the rows."""
    (x, y), (dx, dy) = op.stage.anchors[0], op.stage.dilate
    width, height = op.size
    columns = numpy.zeros((height, width + op.left + op.right), REAL)
    for j, tap in enumerate(op.stage.down.astype(REAL)):
        columns += tap * wide[op.above + (j - y) * dy:][:height]
    total = numpy.zeros((height, width), REAL)
    for i, tap in enumerate(op.stage.across.astype(REAL)):
        total += tap * columns[:, op.left + (i - x) * dx:][:, :width]
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
        return float(numpy.abs(op.stage.down).sum() * numpy.abs(op.stage.across).sum())
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

def distance(w, q, k):
    """Returns Σ|w/2^q − k|."""
    return float(numpy.abs(w / 2.0**q - k).sum())


def dense_bound(op):
    worst = 0.0
    for index, k in enumerate(op.stage.masks):
        w, q, bias = contract.quantise(op, index)
        rounds = bool((w % 2**q).any()) or bias % 2**q != 0  # otherwise all sums are multiples of 2^q
        worst = max(worst, distance(w, q, k) * op.most + abs(bias / 2**q - op.stage.bias)
                    + (0.5 if rounds else 0.0))
    return worst


def two_pass_bound(op):
    down, across, first, last, bias = contract.two_pass_scales(op)
    q_down = contract.quantise_pass(op, op.stage.down)[1]
    q_across = contract.quantise_pass(op, op.stage.across)[1]
    error = distance(down, q_down, op.stage.down) * op.most + (2.0**-8 if first else 0.0)
    error *= float(numpy.abs(across).sum()) / 2**q_across
    error += distance(across, q_across, op.stage.across) * op.most
    return error + abs(bias / 2**last - op.stage.bias) + 0.5


def is_whole(op):
    """Returns whether all sums of 32-bit integers are whole, so that doubles hold them."""
    values = numpy.concatenate([k.ravel() for k in op.stage.masks] + [[op.stage.bias]])
    return op.arithmetic == "32-bit" and op.kind == "dense" and bool(
        (values == numpy.floor(values)).all())


def float_bound(op, most):
    if is_whole(op):
        return 0.0
    if op.kind == "two-pass":
        taps = numpy.count_nonzero(contract.real_taps(op, op.stage.down))
        roundings = taps + numpy.count_nonzero(contract.real_taps(op, op.stage.across)) + 4
    else:
        roundings = max(numpy.count_nonzero(contract.real_taps(op, k)) for k in op.stage.masks) + 2
    growth, largest = math.expm1(roundings * UNITS[op.real]), gain(op) * most + abs(op.stage.bias)
    error = growth * (largest + abs(op.stage.bias))
    limit = DOUBLE_MAX
    if "f32" in (op.real, op.output):
        limit = FLOAT_MAX
    if (op.real, op.output) == ("f64", "f32"):  # one more rounding
        error += (largest + abs(op.stage.bias) + error) * UNITS["f32"]
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
    return most * UNITS["f32"] if op.output == "f32" and op.input in ("f64", "u32", "s32") else 0.0


def stage_bound(op, magnitude):
    """Returns (error bound of the stage, magnitude of its results) for float samples within
    ±magnitude."""
    most = magnitude_of(op, magnitude)
    if not op.integer:
        error = float_bound(op, most)
    elif op.kind == "two-pass":
        error = two_pass_bound(op)
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
