"""Halide algorithms and schedules, compiled at run time for the host CPU.

An interleaved image is a plane of channels·width columns here: the neighbour of a sample is as many
columns away as there are channels. Schedules were tuned by hand on a CPU with AVX-512; a vector has
16 floats, and 8 if held to AVX2. Planes smaller than a tile get smaller ones.
"""
import halide as hl

import environment
from tasks import FLOATS

LANES, UNROLLED = 8 if environment.AVX2 else 16, 17
FLOAT, WIDE, SHORT, BYTE = hl.Float(32), hl.Int(32), hl.UInt(16), hl.UInt(8)
TYPES = {"u8": BYTE, "u16": SHORT, "s16": hl.Int(16), "f32": FLOAT, "f64": hl.Float(64)}
SHIFT, GUARD, ROUND_UP = (hl.TailStrategy.ShiftInwards, hl.TailStrategy.GuardWithIf,
                          hl.TailStrategy.RoundUp)
x, y, xi, yi, xt, yt = (hl.Var(name) for name in ("x", "y", "xi", "yi", "xt", "yt"))


def parameter(kind, dimensions, name):
    made = hl.ImageParam(kind, dimensions, name)
    made.dim(0).set_stride(1).set_min(0)
    if dimensions > 1:
        made.dim(1).set_min(0)
    return made


def replicated(source, columns, rows, reach=None):
    """Returns the value at (x, y) with a replicated border. Halide splits loops over columns, so
    that the likely branch, a plain load inside the image, runs without a test. (If rows were marked
    likely as well, Halide would not split the columns.) `reach` is the largest distance of a
    requested column from the image; passing it keeps the source region of a tile small."""
    return replicated_columns(source, columns, hl.clamp(y, 0, rows - 1), reach)


def replicated_columns(source, columns, row, reach=None):
    channel = x % Target.channels
    nearest = hl.select(x < 0, channel, columns - Target.channels + channel)
    if reach is None:
        nearest = hl.clamp(nearest, 0, columns - 1)
    else:
        nearest = hl.clamp(nearest, x - reach, x + reach)
    inside = source[hl.clamp(hl.likely(x), 0, columns - 1), row]
    return hl.select((x < 0) | (x >= columns), source[nearest, row], hl.likely(inside))


def bordered(source):
    made = hl.Func("bordered")
    made[x, y] = replicated(source, source.dim(0).extent(), source.dim(1).extent())
    return made


def stored(value, type_name):
    """Returns a float, rounded and clamped to the sample type."""
    if type_name in FLOATS:
        return value
    low, high = {"u8": (0.0, 255.0), "u16": (0.0, 65535.0), "s16": (-32768.0, 32767.0)}[type_name]
    return hl.cast(TYPES[type_name], hl.clamp(hl.floor(value + 0.5), low, high))


class Target:
    """What compiled code is for: whether it needs 64-bit offsets for large images, and the number of
    channels."""
    large, channels = False, 3


def host_target():
    target = hl.get_host_target()
    if environment.AVX2:
        for name in dir(hl.TargetFeature):
            if name.startswith(("AVX512", "AVX10", "AVXVNNI")):
                target = target.without_feature(getattr(hl.TargetFeature, name))
    return target


def compile_for_host(out, arguments):
    target = host_target()
    if Target.large:
        target = target.with_feature(hl.TargetFeature.LargeBuffers)
    return out.compile_to_callable(arguments, target)


class Tiles:
    """Tile sizes for a plane: cache tiles, which consist of register tiles."""

    def __init__(self, lanes, columns, rows, vectors, lines, high):
        self.lanes, self.vectors = lanes, max(1, min(vectors, columns // lanes))
        self.lines = lines
        step = lanes * self.vectors
        self.wide = step * max(1, min(1024 // step, columns // step))
        self.high = lines * max(1, min(high // lines, rows // lines))

    def apply(self, out, parallel):
        out.tile(x, y, xt, yt, x, y, self.wide, self.high, SHIFT)
        out.tile(x, y, xi, yi, self.lanes * self.vectors, self.lines, SHIFT)
        out.vectorize(xi, self.lanes).unroll(xi).unroll(yi)
        if parallel:
            out.parallel(yt)


def arithmetic(type_name):
    """Returns the type of the sums, and how many of them a vector has."""
    return (hl.Float(64), LANES // 2) if type_name == "f64" else (FLOAT, LANES)


# ---- Dense masks -------------------------------------------------------------------------------

def sum_of_taps(samples, mask, size, real):
    near = hl.RDom([(0, size), (0, size)])
    total = hl.Func("total")
    total[x, y] = hl.cast(real, 0.0)
    total[x, y] += mask[near.x, near.y] * hl.cast(
        real, samples[x + Target.channels * (near.x - size // 2), y + near.y - size // 2])
    return total, near


def unrolled_rows(size):
    """Returns how many mask rows are unrolled: the largest divisor of `size` up to UNROLLED."""
    return max(rows for rows in range(1, UNROLLED + 1) if size % rows == 0)


def in_registers(total, out, near, size, lanes):
    """Keeps the sums of a register tile in registers for all taps. Mask rows are unrolled, so that
    one load serves several output rows."""
    total.compute_at(out, x).vectorize(x, lanes).unroll(x).unroll(y)
    block, row = hl.RVar("block"), hl.RVar("row")
    update = total.update().split(near.y, block, row, unrolled_rows(size))
    update.reorder(x, y, row, near.x, block).unroll(row)
    update.vectorize(x, lanes).unroll(x).unroll(y)


def in_floats(source, out, real, lanes):
    """Returns the samples of a tile as floats or doubles, and a function that schedules them. The border is
    added before, to a strip of full rows."""
    strip, samples = bordered(source), hl.Func("samples")
    samples[x, y] = hl.cast(real, strip[x, y])

    def schedule():
        strip.compute_at(out, yt).vectorize(x, 4 * lanes, GUARD)
        samples.compute_at(out, xt).vectorize(x, lanes, ROUND_UP)
    return samples, schedule


def dense(type_name, size, columns, rows, parallel):
    """Compiles a filter with arguments (source, mask, out). Each tile is first converted to floats,
    with its border."""
    real, lanes = arithmetic(type_name)
    source, mask = parameter(TYPES[type_name], 2, "source"), parameter(real, 2, "mask")
    out = hl.Func("out")
    samples, schedule = in_floats(source, out, real, lanes)
    total, near = sum_of_taps(samples, mask, size, real)
    out[x, y] = stored(total[x, y], type_name)
    Tiles(lanes, columns, rows, 2, 6, 36 if size <= 17 else 126).apply(out, parallel)
    in_registers(total, out, near, size, lanes)
    schedule()
    return compile_for_host(out, [source, mask])


def dense_inner(type_name, size, parallel):
    """Compiles a filter that reads the image directly, with arguments (source, mask, out). The mask
    must lie inside the image."""
    real, lanes = arithmetic(type_name)
    source, mask = parameter(TYPES[type_name], 2, "source"), parameter(real, 2, "mask")
    out = hl.Func("out")
    total, near = sum_of_taps(source, mask, size, real)
    out[x, y] = stored(total[x, y], type_name)
    out.tile(x, y, xi, yi, lanes * 2, 6, SHIFT).vectorize(xi, lanes).unroll(xi).unroll(yi)
    if parallel:
        out.split(y, yt, y, 32, GUARD).parallel(yt)
    in_registers(total, out, near, size, lanes)
    return compile_for_host(out, [source, mask])


def dense_frame(type_name, size):
    """Compiles the filter for the frame around it, with arguments (source, mask, out)."""
    real, lanes = arithmetic(type_name)
    source, mask = parameter(TYPES[type_name], 2, "source"), parameter(real, 2, "mask")
    out, samples = hl.Func("out"), bordered(source)
    total, _ = sum_of_taps(samples, mask, size, real)
    out[x, y] = stored(total[x, y], type_name)
    out.vectorize(x, lanes, GUARD)
    samples.compute_root().vectorize(x, lanes, GUARD)
    return compile_for_host(out, [source, mask])


# ---- Small integer masks on u8 -------------------------------------------------------------------

def whole_sum(samples, mask):
    """Returns Σ taps·samples in 16 bits. Samples with equal taps are added before multiplying."""
    half, groups = len(mask) // 2, {}
    for j, line in enumerate(mask):
        for i, tap in enumerate(line):
            if tap:
                sample = samples[x + Target.channels * (i - half), y + j - half]
                groups.setdefault(int(tap), []).append(hl.cast(hl.Int(16), sample))
    total = None
    for tap, members in sorted(groups.items(), reverse=True):
        part = members[0]
        for member in members[1:]:
            part = part + member
        part = part * hl.cast(hl.Int(16), abs(tap))
        total = (part if tap > 0 else -part) if total is None else \
            (total + part if tap > 0 else total - part)
    return hl.cast(BYTE, hl.clamp(total, 0, 255))


def named(mask, parallel, inner):
    """Compiles a mask of integer taps with arguments (source, out), for the inside of the image or
    (inner=False) for its edges."""
    source, out = parameter(BYTE, 2, "source"), hl.Func("out")
    samples = source if inner else bordered(source)
    out[x, y] = whole_sum(samples, mask)
    if inner:
        out.vectorize(x, 4 * LANES, SHIFT)
        out.split(y, yt, yi, 32, SHIFT)
        if parallel:
            out.parallel(yt)
    else:
        samples.compute_root()
    return compile_for_host(out, [source])


# ---- Two passes --------------------------------------------------------------------------------

def pass_sum(samples, taps, size, name, down, real):
    near, total = hl.RDom([(0, size)]), hl.Func(name)
    at = near.x - size // 2
    total[x, y] = hl.cast(real, 0.0)
    total[x, y] += taps[near.x] * (samples[x, y + at] if down else
                                   samples[x + Target.channels * at, y])
    return total, near


def separable(type_name, size, columns, rows, parallel):
    """Compiles two passes in floats with arguments (source, taps, out): down the columns into a
    tile that stays in the cache, then along the rows."""
    real, lanes = arithmetic(type_name)
    source, taps = parameter(TYPES[type_name], 2, "source"), parameter(real, 1, "taps")
    out = hl.Func("out")
    samples, schedule = in_floats(source, out, real, lanes)
    down, near_down = pass_sum(samples, taps, size, "down", True, real)
    kept = hl.Func("kept")
    kept[x, y] = down[x, y]
    across, near_across = pass_sum(kept, taps, size, "across", False, real)
    out[x, y] = stored(across[x, y], type_name)
    Tiles(lanes, columns, rows, 4, 2, 64 if size <= 33 else 128).apply(out, parallel)
    across.compute_at(out, x).vectorize(x, lanes).unroll(x).unroll(y)
    across.update().reorder(x, y, near_across.x).vectorize(x, lanes).unroll(x).unroll(y)
    kept.compute_at(out, xt).tile(x, y, xi, yi, 2 * lanes, 4, ROUND_UP)
    kept.vectorize(xi, lanes).unroll(xi).unroll(yi)
    down.compute_at(kept, x).vectorize(x, lanes).unroll(x).unroll(y)
    update = down.update().reorder(x, y, near_down.x).vectorize(x, lanes).unroll(x).unroll(y)
    if size <= 17:
        update.unroll(near_down.x)
        across.update().unroll(near_across.x)
    schedule()
    return compile_for_host(out, [source, taps])


# ---- Photographs of u8: 16-bit arithmetic, and a whole chain fused into one pipeline ----------------

SIGNED = hl.Int(16)
KEPT = 6          # fraction bits of a sample between the passes: a sum of two still fits 16 bits
TAP_BITS = 15
HIGH, CHAIN_HIGH = 64, 250  # rows of a strip
WIDE_LANES, BYTE_LANES = 2 * LANES, 4 * LANES


def mirrored_sum(at, taps):
    """Returns Σ taps·samples for symmetric taps. at(i) is the sample at distance i. Samples and sum
    have KEPT fraction bits."""
    half = len(taps) // 2
    total = None
    for i in range(half + 1):
        tap = hl.cast(SIGNED, round(float(taps[half + i]) * (1 << TAP_BITS)))
        samples = at(0) if i == 0 else at(-i) + at(i)
        part = hl.rounding_mul_shift_right(samples, tap, TAP_BITS)
        total = part if total is None else total + part
    return total


def pass_down(samples, taps):
    def at(i):
        return hl.cast(SIGNED, samples[x, y + i]) << KEPT
    return mirrored_sum(at, taps)


def pass_across(columns, taps):
    total = mirrored_sum(lambda i: columns[x + Target.channels * i, y], taps)
    return hl.cast(BYTE, hl.clamp((total + (1 << (KEPT - 1))) >> KEPT, 0, 255))


def function(name, value):
    made = hl.Func(name)
    made[x, y] = value
    return made


def gaussian(taps, width, height, parallel):
    """Compiles two passes with arguments (source, out). The intermediate rows stay in the cache."""
    source = parameter(BYTE, 2, "source")
    columns, rows = source.dim(0).extent(), source.dim(1).extent()
    lines = function("lines", source[x, hl.clamp(y, 0, rows - 1)])
    down = function("down", pass_down(lines, taps))
    wide = function("wide", replicated_columns(down, columns, y))
    out = function("out", pass_across(wide, taps))
    out.split(y, yt, yi, min(HIGH, height), SHIFT).vectorize(x, min(BYTE_LANES, width), SHIFT)
    if parallel:
        out.parallel(yt)
    wide.compute_at(out, yi).vectorize(x, WIDE_LANES, ROUND_UP)
    return compile_for_host(out, [source])


def staged(source, stages, between):
    """Returns the function of the last stage, and a list of (function, lanes) of all before it.
    between(samples, index, list) returns the input of a stage, given the output of the previous."""
    inner, made = source, []
    for i, stage in enumerate(stages):
        samples = between(inner, i, made)
        if stage.kind == "gaussian":
            down = function(f"down{i}", pass_down(samples, stage.taps))
            made.append((down, WIDE_LANES))
            value = pass_across(down, stage.taps)
        else:
            value = whole_sum(samples, stage.mask)
        inner = function(f"stage{i}", value)
        if i < len(stages) - 1:
            made.append((inner, BYTE_LANES))
    return inner, made


def chain_inner(stages, parallel):
    """Compiles all stages, fused row by row, with arguments (source, out). The output is far enough
    inside the image to need no border. Each stage keeps the rows that the next one still needs."""
    source = parameter(BYTE, 2, "source")
    out, made = staged(source, stages, lambda samples, i, made: samples)
    out.split(y, yt, yi, CHAIN_HIGH, SHIFT).vectorize(x, BYTE_LANES, SHIFT)
    if parallel:
        out.parallel(yt)
    for part, lanes in made:
        part.store_at(out, yt).compute_at(out, yi).vectorize(x, lanes, SHIFT)
    return compile_for_host(out, [source])


def chain_frame(stages):
    """Compiles the same with borders, with arguments (source, out). Every intermediate image is u8
    and gets its own border, so that the result equals that of separate runs."""
    source = parameter(BYTE, 2, "source")
    columns, rows = source.dim(0).extent(), source.dim(1).extent()
    reach = Target.channels * (sum(stage.size // 2 for stage in stages) + 1)

    def between(samples, i, made):
        value = replicated(samples, columns, rows, reach if i else None)
        made.append((function(f"samples{i}", value), BYTE_LANES))
        return made[-1][0]
    out, made = staged(source, stages, between)
    for part, lanes in made:
        part.compute_root().vectorize(x, lanes, GUARD)
    return compile_for_host(out, [source])
