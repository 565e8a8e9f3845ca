"""The right answer of every work, computed apart from all contenders.

Integers: the contract of docs/numerics.md to the bit; taps are quantised by the independent model
of the tests, and sums are taken here in a way that is fast enough for large images. Floats: in
double. Images of more than FULL samples are checked in bands: the first rows, the last, and those
around the middle, where two threads meet.
"""
from functools import lru_cache

import contract
import numpy
import scipy.fft
from stages import Op, Stage as ModelStage
from works import BORDER, CHANNELS, DTYPES, limits

FULL, BAND, CHUNK = 200_000_000, 96, 1_200_000  # samples, rows, samples: a chunk suits the cache
DIRECT_TAPS = 125  # more go through the FFT
PIECE = 4096       # what taps are cut by, so that sums through the FFT are whole for certain
FLOAT_TOLERANCE = 1e-5  # of the largest sum that the mask allows
CHAIN_LEVELS = 4  # a rounding of a peer between stages is amplified by the next stage
LEVELS = 1


def bands(work):
    """Which rows are checked, as (first, end)."""
    if work.samples <= FULL and not work.in_bands:
        step = max(CHUNK // (work.width * CHANNELS), 2 * max(stage.size for stage in work.stages))
        return [(y, min(y + step, work.height)) for y in range(0, work.height, step)]
    middle = work.height // 2
    return [(0, BAND), (middle - BAND // 2, middle + BAND // 2), (work.height - BAND, work.height)]


def clamped(first, end, size):
    return numpy.clip(numpy.arange(first, end), 0, size - 1)


def with_border(rows, radius):
    """Columns to the left and right, replicated; rows are whatever the caller took."""
    return rows[:, clamped(-radius, rows.shape[1] + radius, rows.shape[1])]


# ---- Sums --------------------------------------------------------------------------------------

def direct_sum(wide, mask, kind):
    """Σ mask·samples over a band that has its border."""
    size = len(mask)
    height, width = wide.shape[0] - size + 1, wide.shape[1] - size + 1
    wide, total = wide.astype(kind), numpy.zeros((height, width, CHANNELS), kind)
    product = numpy.empty_like(total)
    for j in range(size):
        for i in range(size):
            if mask[j, i] != 0:
                numpy.multiply(wide[j:j + height, i:i + width], kind(mask[j, i]), out=product)
                total += product
    return total


def transformed_sum(wide, mask):
    """The same in double through the FFT."""
    size = len(mask)
    shape = [scipy.fft.next_fast_len(n, real=True) for n in wide.shape[:2]]
    other = scipy.fft.rfft2(mask[::-1, ::-1].astype(numpy.float64), shape)
    planes = []
    for channel in range(CHANNELS):
        plane = scipy.fft.rfft2(wide[:, :, channel].astype(numpy.float64), shape)
        full = scipy.fft.irfft2(plane * other, shape)
        planes.append(full[size - 1:wide.shape[0], size - 1:wide.shape[1]])
    return numpy.stack(planes, axis=2)


def whole_sum(wide, w):
    """Exact, for integer taps of at most 2^23: through the FFT in pieces whose error is known to
    stay far below a half, because it is looked at."""
    if w.size <= DIRECT_TAPS:
        return direct_sum(wide, w, numpy.int32 if wide.dtype == numpy.uint8 else numpy.int64)
    low = ((w + PIECE // 2) % PIECE) - PIECE // 2
    total = 0
    for piece, scale in ((low, 1), ((w - low) // PIECE, PIECE)):
        if numpy.any(piece):
            real = transformed_sum(wide, piece)
            whole = numpy.rint(real)
            if numpy.abs(real - whole).max() > 0.05:
                raise SystemExit("peers: the expected result is not certain")
            total = total + whole.astype(numpy.int64) * scale
    return total


def line_sum(lines, taps, axis, kind):
    """Σ along one axis."""
    length = lines.shape[axis] - len(taps) + 1
    total, product = None, None
    for i, tap in enumerate(taps):
        part = lines[i:i + length] if axis == 0 else lines[:, i:i + length]
        product = numpy.multiply(part, kind(tap), out=product, dtype=kind)
        total = product.copy() if total is None else numpy.add(total, product, out=total)
    return total


def running_sum(lines, size, axis):
    """Sums of `size` neighbours along an axis, whole."""
    sums = numpy.cumsum(lines, axis=axis, dtype=numpy.int64)
    last = numpy.take(sums, numpy.arange(size - 1, sums.shape[axis]), axis=axis)
    rest = numpy.take(sums, numpy.arange(0, sums.shape[axis] - size), axis=axis)
    first = (slice(1, None), slice(None)) if axis == 0 else (slice(None), slice(1, None))
    last[first] -= rest
    return last


# ---- Stages ------------------------------------------------------------------------------------

@lru_cache(maxsize=8)
def model(work, stage):
    """The stage as the independent model of the tests knows it."""
    middle = stage.size // 2
    low, high = limits(work.type)
    made = ModelStage(masks=[stage.mask], anchors=[(middle, middle)])
    return Op(made, work.type, work.type, (BORDER, 0.0), low, high, work.width, work.height,
              CHANNELS, -1)


def integer_band(work, stage, wide):
    op = model(work, stage)
    if stage.kind == "box":
        count = stage.size ** 2
        total = running_sum(running_sum(wide, stage.size, 0), stage.size, 1)
        return (2 * total + count) // (2 * count)
    if stage.kind == "gaussian":
        w, q = contract.quantise_pass(op, stage.taps)
        kept = 7 if work.type == "u8" else q
        kind = numpy.int32 if work.type == "u8" else numpy.int64
        columns = line_sum(wide, w, 0, kind)
        columns = (columns + contract.half(q - kept)) >> (q - kept)
        return (line_sum(columns, w, 1, kind) + contract.half(q + kept)) >> (q + kept)
    w, q, _ = contract.quantise(op, 0)
    return (whole_sum(wide, w) + contract.half(q)) >> q


def float_band(stage, wide):
    if stage.kind == "gaussian":
        columns = line_sum(wide, stage.taps, 0, numpy.float64)
        return line_sum(columns, stage.taps, 1, numpy.float64)
    if stage.size ** 2 <= 9:
        return direct_sum(wide, stage.mask, numpy.float64)
    return transformed_sum(wide, stage.mask)


def one_stage(work, stage, image):
    """The rows of bands(work), one after the other."""
    radius, parts = stage.size // 2, []
    for first, end in bands(work):
        rows = image[clamped(first - radius, end + radius, work.height)]
        wide = with_border(rows, radius)
        if work.type == "f32":
            parts.append(float_band(stage, wide))
        else:
            parts.append(numpy.clip(integer_band(work, stage, wide), *limits(work.type))
                         .astype(DTYPES[work.type]))
    return numpy.concatenate(parts)


def expected(work, image):
    if len(work.stages) > 1 and work.samples > FULL:
        raise SystemExit(f"peers: {work.name}: chains are checked whole")
    for stage in work.stages:
        image = one_stage(work, stage, image)
    return image


# ---- Verdicts ----------------------------------------------------------------------------------

def float_scale(work):
    """The largest |sum| that the mask allows: what errors of floats are measured by."""
    return numpy.abs(work.stages[0].mask).sum() * limits(work.type)[1]


def largest_gap(part, good):
    if part.dtype.kind == "f":
        return float(numpy.abs(part - good).max())
    gap = numpy.maximum(part, good) - numpy.minimum(part, good)
    return float(gap.view(f"u{gap.itemsize}").max())


def distance(work, result, right):
    """Largest error: in levels, or for floats as a share of the largest sum."""
    worst, at = 0.0, 0
    for first, end in bands(work):
        error = largest_gap(result[first:end], right[at:at + end - first])
        at += end - first
        if numpy.isnan(error):
            return float("inf")
        worst = max(worst, error)
    return worst / float_scale(work) if work.type == "f32" else worst


def tolerance(work, is_swathe):
    """What the distance may be."""
    if work.type == "f32":
        return FLOAT_TOLERANCE
    if is_swathe:
        return 0
    return CHAIN_LEVELS if len(work.stages) > 1 else LEVELS
