"""Halide for u8 photographs: 16-bit arithmetic, and a whole chain fused into one pipeline."""
import halide as hl

from halide_schedules import (BYTE, CHANNELS, GUARD, LANES, ROUND_UP, SHIFT, compile_for_host,
                              parameter, replicated,
                              replicated_columns, whole_sum, x, y, yi, yt)

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
    total = mirrored_sum(lambda i: columns[x + CHANNELS * i, y], taps)
    return hl.cast(BYTE, hl.clamp((total + (1 << (KEPT - 1))) >> KEPT, 0, 255))


def function(name, value):
    made = hl.Func(name)
    made[x, y] = value
    return made


def gaussian(taps, parallel):
    """Compiles two passes with arguments (source, out). The intermediate rows stay in the cache."""
    source = parameter(BYTE, 2, "source")
    columns, rows = source.dim(0).extent(), source.dim(1).extent()
    lines = function("lines", source[x, hl.clamp(y, 0, rows - 1)])
    down = function("down", pass_down(lines, taps))
    wide = function("wide", replicated_columns(down, columns, y))
    out = function("out", pass_across(wide, taps))
    out.split(y, yt, yi, HIGH, SHIFT).vectorize(x, BYTE_LANES, SHIFT)
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
    reach = CHANNELS * (sum(stage.size // 2 for stage in stages) + 1)

    def between(samples, i, made):
        value = replicated(samples, columns, rows, reach if i else None)
        made.append((function(f"samples{i}", value), BYTE_LANES))
        return made[-1][0]
    out, made = staged(source, stages, between)
    for part, lanes in made:
        part.compute_root().vectorize(x, lanes, GUARD)
    return compile_for_host(out, [source])
