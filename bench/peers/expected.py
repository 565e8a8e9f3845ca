"""Computes the expected result of every task, independently of all contenders.

Integer results follow the contract of docs/numerics.md to the bit: the independent model of the
tests quantises the taps, and the sums are computed here, fast enough for large images. Float
results are computed in double. Images of more than FULL samples are checked in bands: the first
rows, the last rows, and the rows around the middle, where the parts of two threads meet. A chain
is checked as a whole.
"""
from functools import lru_cache

import forms
import numpy
import scipy.fft
from fused import fused
from stages import Op, Stage as ModelStage
from tasks import BORDER, DTYPES, FLOATS, limits

FULL, BAND, CHUNK = 20_000_000, 96, 1_200_000  # samples, rows, samples: a chunk fits the cache
DIRECT_TAPS = 125  # masks with more taps use the FFT
PIECE = 4096       # taps are split at this power of two, so that FFT sums round to exact integers
FLOAT_TOLERANCE = {"f32": 1e-5, "f64": 1e-11}  # relative to the largest sum that the mask allows
CHAIN_LEVELS = 4  # a stage amplifies the rounding errors of the stage before it
LEVELS = 1


def bands(task):
    """Returns the rows to check as a list of (first, end)."""
    if len(task.stages) > 1 or task.samples <= FULL and not task.in_bands:
        step = max(CHUNK // (task.width * task.channels), 2 * max(stage.size for stage in task.stages))
        return [(y, min(y + step, task.height)) for y in range(0, task.height, step)]
    middle = task.height // 2
    return [(0, BAND), (middle - BAND // 2, middle + BAND // 2), (task.height - BAND, task.height)]


def clamped(first, end, size):
    return numpy.clip(numpy.arange(first, end), 0, size - 1)


def with_border(rows, radius):
    """Returns the rows with replicated columns added on the left and right."""
    return rows[:, clamped(-radius, rows.shape[1] + radius, rows.shape[1])]


# ---- Sums --------------------------------------------------------------------------------------

def direct_sum(wide, mask, kind):
    """Returns Σ mask·samples for a band that includes its border."""
    size = len(mask)
    height, width = wide.shape[0] - size + 1, wide.shape[1] - size + 1
    wide, total = wide.astype(kind), numpy.zeros((height, width, wide.shape[2]), kind)
    product = numpy.empty_like(total)
    for j in range(size):
        for i in range(size):
            if mask[j, i] != 0:
                numpy.multiply(wide[j:j + height, i:i + width], kind(mask[j, i]), out=product)
                total += product
    return total


def transformed_sum(wide, mask):
    """Returns the same sum, computed in double with the FFT."""
    size = len(mask)
    shape = [scipy.fft.next_fast_len(n, real=True) for n in wide.shape[:2]]
    other = scipy.fft.rfft2(mask[::-1, ::-1].astype(numpy.float64), shape)
    planes = []
    for channel in range(wide.shape[2]):
        plane = scipy.fft.rfft2(wide[:, :, channel].astype(numpy.float64), shape)
        full = scipy.fft.irfft2(plane * other, shape)
        planes.append(full[size - 1:wide.shape[0], size - 1:wide.shape[1]])
    return numpy.stack(planes, axis=2)


def whole_sum(wide, w):
    """Returns the exact sum for integer taps of at most 2^23. Large masks use the FFT, on two
    parts of the taps; the distance of each result from an integer is checked."""
    if w.size <= DIRECT_TAPS:
        return direct_sum(wide, w, numpy.int32 if wide.dtype == numpy.uint8 else numpy.int64)
    low = ((w + PIECE // 2) % PIECE) - PIECE // 2
    total = 0
    for piece, scale in ((low, 1), ((w - low) // PIECE, PIECE)):
        if numpy.any(piece):
            real = transformed_sum(wide, piece)
            whole = numpy.rint(real)
            if numpy.abs(real - whole).max() > 0.05:
                raise SystemExit("peers: the FFT is too inexact for the expected result")
            total = total + whole.astype(numpy.int64) * scale
    return total


def line_sum(lines, taps, axis, kind):
    """Returns Σ taps·samples along one axis."""
    length = lines.shape[axis] - len(taps) + 1
    total, product = None, None
    for i, tap in enumerate(taps):
        part = lines[i:i + length] if axis == 0 else lines[:, i:i + length]
        product = numpy.multiply(part, kind(tap), out=product, dtype=kind)
        total = product.copy() if total is None else numpy.add(total, product, out=total)
    return total


def running_sum(lines, size, axis):
    """Returns the integer sums of `size` neighbours along an axis."""
    sums = numpy.cumsum(lines, axis=axis, dtype=numpy.int64)
    last = numpy.take(sums, numpy.arange(size - 1, sums.shape[axis]), axis=axis)
    rest = numpy.take(sums, numpy.arange(0, sums.shape[axis] - size), axis=axis)
    first = (slice(1, None), slice(None)) if axis == 0 else (slice(None), slice(1, None))
    last[first] -= rest
    return last


# ---- Stages ------------------------------------------------------------------------------------

@lru_cache(maxsize=8)
def model(task, stage):
    """Returns the stage as an Op of the independent model of the tests."""
    middle = stage.size // 2
    low, high = limits(task.type)
    gaussian = stage.kind == "gaussian"
    made = ModelStage(kind="two-pass" if gaussian else "dense", masks=[stage.mask],
                      anchors=[(middle, middle)],
                      terms=[(stage.taps, stage.taps)] if gaussian else [])
    return Op(made, task.type, task.type, (BORDER, 0.0), low, high, task.width, task.height,
              task.channels, -1)


def integer_band(task, stage, wide):
    op = model(task, stage)
    if stage.kind == "box":
        count = stage.size ** 2
        total = running_sum(running_sum(wide, stage.size, 0), stage.size, 1)
        return (2 * total + count) // (2 * count)
    if stage.kind == "gaussian":
        passes = forms.two_pass_scales(op)
        if passes is None:
            return numpy.floor(ordered_band(op, stage, wide).astype(numpy.float64) + 0.5)
        columns = line_sum(wide, passes.down, 0, numpy.int32)
        columns = (columns + forms.half_of(passes.first)) >> passes.first
        total = line_sum(columns, passes.across, 1, numpy.int32)
        return (total + forms.half_of(passes.last)) >> passes.last
    if forms.quantise(op, 0) is None:  # sums of doubles
        return numpy.floor(float_band(stage, wide) + 0.5)
    w, q, _ = forms.quantise(op, 0)
    return (whole_sum(wide, w) + forms.half_of(q)) >> q


def ordered_line(lines, taps, axis):
    """Returns Σ taps·samples along one axis in the type of the samples, each tap fused."""
    length = lines.shape[axis] - len(taps) + 1
    parts = [lines[i:i + length] if axis == 0 else lines[:, i:i + length]
             for i in range(len(taps))]
    total = numpy.zeros_like(parts[0])
    for tap, part in zip(taps.astype(lines.dtype), parts):
        if tap != 0:
            total = fused(tap, part, total)
    return total


def ordered_band(op, stage, wide):
    """Returns the sums of both passes in floats or doubles, in the order of the contract."""
    forms.choose(op)
    if op.real == "f64":  # no sum of doubles is so close to a tie that its order matters
        return float_band(stage, wide)
    columns = ordered_line(wide.astype(numpy.float32), stage.taps, 0)
    return ordered_line(columns, stage.taps, 1)


def float_band(stage, wide):
    if stage.kind in ("gaussian", "box"):
        columns = line_sum(wide, stage.taps, 0, numpy.float64)
        return line_sum(columns, stage.taps, 1, numpy.float64)
    if stage.size ** 2 <= 9:
        return direct_sum(wide, stage.mask, numpy.float64)
    return transformed_sum(wide, stage.mask)


def one_stage(task, stage, image):
    """Returns the rows of bands(task), concatenated."""
    radius, parts = stage.size // 2, []
    for first, end in bands(task):
        rows = image[clamped(first - radius, end + radius, task.height)]
        wide = with_border(rows, radius)
        if task.type in FLOATS:
            parts.append(float_band(stage, wide))
        else:
            parts.append(numpy.clip(integer_band(task, stage, wide), *limits(task.type))
                         .astype(DTYPES[task.type]))
    return numpy.concatenate(parts)


def expected(task, image):
    for stage in task.stages:
        image = one_stage(task, stage, image)
    return image


# ---- Verdicts ----------------------------------------------------------------------------------

def float_scale(task):
    """Returns the largest |sum| that the mask allows. Errors of floats are relative to it."""
    return numpy.abs(task.stages[0].mask).sum() * limits(task.type)[1]


def largest_gap(part, good):
    if part.dtype.kind == "f":
        return float(numpy.abs(part - good).max())
    gap = numpy.maximum(part, good) - numpy.minimum(part, good)
    return float(gap.view(f"u{gap.itemsize}").max())


def distance(task, result, right):
    """Returns the largest error: in levels, or for floats relative to the largest sum."""
    worst, at = 0.0, 0
    for first, end in bands(task):
        error = largest_gap(result[first:end], right[at:at + end - first])
        at += end - first
        if numpy.isnan(error):
            return float("inf")
        worst = max(worst, error)
    return worst / float_scale(task) if task.type in FLOATS else worst


def tolerance(task, is_swathe):
    """Returns the largest allowed distance."""
    if task.type in FLOATS:
        return FLOAT_TOLERANCE[task.type]
    if is_swathe:
        return 0
    return CHAIN_LEVELS if len(task.stages) > 1 else LEVELS
