#!/usr/bin/env python3
"""Checks stages with several masks, joins and mixes against Python integers and emulated floats.

    banks.py BUILD_DIR [--count N] [--seed S] [--only INDEX] [--self-test]

The rules are those of "Several masks, and mixes" in docs/numerics.md, written again here. Results in
exact mode must be equal to the bit, and a plan is refused exactly where it must be. --self-test
breaks the rules here, one at a time, and must find every difference.
"""
import dataclasses
import math
import random
import sys
from ctypes import byref

import numpy

import command
import contract
import forms
import fused
import problem_maker
import stages
from problem_maker import argument, number
from stages import RANGES, Op, Refusal, Stage, planted
from swathe_ctypes import (DTYPES, ERROR_ARGUMENT, TYPE_NAMES, TYPES, Library, PlanOptions, Refused,
                           RunOptions, Shape, image_view)

NAMES = {"gradient", "gabor", "grey", "mix"}  # independent.py checks the other filters
JOINS = ("stack", "hypot", "max", "sum")
CHANNELS_MOST = 4096
BUGS = ("masks", "channels", "alpha", "between", "early", "bias", "fused", "rounding")


@dataclasses.dataclass
class Bank(Stage):
    join: str = None


# ---- Formulas ----------------------------------------------------------------------------------

def gradient(kind):
    """Returns the masks across and down."""
    side, middle = {"sobel": (1, 2), "scharr": (3, 10), "prewitt": (1, 1)}[kind]
    across = numpy.outer([side, middle, side], [-1, 0, 1]).astype(float)
    return [across, across.T.copy()]


def gabor(sigma, wave, angle, aspect, truncate):
    size = stages.bell_size(sigma / min(aspect, 1.0), truncate)
    x = numpy.arange(size)[None, :] - size // 2.0
    y = size // 2.0 - numpy.arange(size)[:, None]
    turn = math.radians(angle)
    u, v = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
    bell = numpy.exp(-(u**2 + aspect**2 * v**2) / (2 * sigma**2))
    wavy = bell * numpy.cos(2 * math.pi * u / wave)
    return (wavy - wavy.mean()) / bell.sum()


# ---- Random stages -----------------------------------------------------------------------------

def join_text(rng, usual):
    join = rng.choice(JOINS) if rng.random() < 0.7 else None
    return (f":join={join}" if join else ""), join or usual


def gradient_bank(rng, _):
    kind = rng.choice((None, "sobel", "scharr", "prewitt"))
    text, join = join_text(rng, "hypot")
    return Bank(text=f"gradient{':' + kind if kind else ''}{text}", masks=gradient(kind or "sobel"),
                join=join)


def gabor_bank(rng, _):
    sigma = rng.choice((0.5, 0.8, 1.0))
    wave = argument(rng, "wave", 2 * sigma, (1.3, 2.0, 5.5))
    angle = argument(rng, "angle", 0.0, (30, 90, -17.5, 200))
    angles = argument(rng, "angles", 1, (1, 2, 3, 4))
    aspect = argument(rng, "aspect", 0.5, (0.7, 1.0, 2.5))
    truncate = argument(rng, "truncate", 3.0, (1.0, 1.6, 2.0))
    text, join = join_text(rng, "max" if angles[1] > 1 else "stack")
    masks = [gabor(sigma, wave[1], angle[1] + 180 * i / angles[1], aspect[1], truncate[1])
             for i in range(angles[1])]
    words = "".join(part[0] for part in (wave, angle, angles, aspect, truncate))
    return Bank(text=f"gabor:sigma={number(sigma)}{words}{text}", masks=masks, join=join)


def mask_bank(rng, _):
    bank = Bank(text="mask", join=rng.choice(JOINS))
    for _ in range(rng.randint(1, 4)):
        text, values = problem_maker.make_mask(rng, rng.randint(1, 4), rng.randint(1, 4))
        bank.text += f":({text})"
        bank.masks.append(values)
    bank.text += f":join={bank.join}"
    return bank


def mix_bank(rng, channels):
    wrong = rng.random() < 0.03
    text, values = problem_maker.make_mask(rng, max(1, channels) + wrong, rng.randint(1, 5))
    return Bank(text=f"mix:({text})", kind="mix", masks=[row[None, :] for row in values])


def grey_bank(_, __):
    return Bank(text="grey", kind="mix", masks=[numpy.array([[0.2126, 0.7152, 0.0722]])])


def fixed_bank(rng, _):
    """A stage of one mask, between the others."""
    name = rng.choice(("identity", "edge", "emboss"))
    return Bank(text=name, masks=[numpy.array(stages.FIXED[name], float)])


def add_options(rng, bank):
    if bank.kind != "mix":
        problem_maker.add_options(rng, bank, True)
        return bank
    problem_maker.add_type_options(rng, bank)
    if rng.random() < 0.3:
        bank.border = problem_maker.make_border(rng)
        bank.text += f":border={problem_maker.border_text(bank.border)}"
    bank.anchors = [(0, 0)] * len(bank.masks)
    return bank


def colours_after(bank, colours):
    if bank.kind == "mix":
        return len(bank.masks)
    return colours * len(bank.masks) if bank.join == "stack" else colours


def make_banks(rng, problem):
    kept = problem.alpha > 0 and problem.alpha_mode != "filter"
    colours, count = problem.channels - kept, rng.choice((1, 1, 1, 2, 3))
    while len(problem.stages) < count and colours <= 12:
        last = problem.stages[-1] if problem.stages else None
        if last and last.kind != "mix" and rng.random() < 0.2:
            bank = last  # a repeated stage
        else:
            makers = [gradient_bank, gabor_bank, mask_bank, mix_bank]
            makers += [grey_bank] * (colours == 3 or rng.random() < 0.02) + [fixed_bank] * bool(last)
            bank = add_options(rng, rng.choice(makers)(rng, colours))
        problem.stages.append(bank)
        colours = colours_after(bank, colours)


def make(seed, index, isas):
    rng = random.Random(f"banks {seed}/{index}")
    width, height = rng.randint(1, 14), rng.randint(1, 10)
    if rng.random() < 0.15:
        width, height = rng.randint(60, 150), rng.randint(1, 3)
    problem = problem_maker.Problem(index, width, height, rng.randint(1, 4),
                                    rng.choice(problem_maker.TYPES),
                                    problem_maker.make_border(rng))
    if rng.random() < 0.35:
        problem.alpha = rng.randint(1, problem.channels)
        problem.alpha_mode = rng.choice(("keep", "keep", "filter"))  # weights.py: premultiply
    if rng.random() < 0.1:
        problem.intermediate = rng.choice(("f32", "f64", "u16", "s32"))
    problem.isa = rng.choice([None] + isas)
    problem.algorithm = "reference" if rng.random() < 0.1 else None
    problem.threads, problem.planar = rng.randint(1, 3), rng.random() < 0.3
    problem.scale = rng.choice((1.0, 255.0, 1e4))
    problem.fill = rng.choice(("noise", "noise", "extremes", "ramp"))
    problem.special = rng.random() < 0.15
    make_banks(rng, problem)
    if rng.random() < 0.3:
        problem.result_type = rng.choice(problem_maker.TYPES)
    return problem


# ---- The rules ---------------------------------------------------------------------------------

def between(bank, given):
    """Returns the type of the masks' results before they are joined."""
    if given == "u8":
        most = max(stages.plain_sum(numpy.abs(k)) for k in bank.masks)
        return "s16" if most * 255 + 1 <= 32767 and "between" not in planted else "s32"
    return {"u16": "s32", "s16": "s32", "f32": "f32"}.get(given, "f64")


def colour_planes(op):
    return [c for c in range(op.channels) if c != op.copied]


def in_order(op):
    """Yields (mask, channel) for each colour of the result."""
    colours, masks = colour_planes(op), range(len(op.stage.masks))
    if op.stage.join is None:
        return [(0, c) for c in colours]
    if "masks" in planted:
        masks = masks[::-1]
    if "channels" in planted:
        return [(m, c) for c in colours for m in masks]
    return [(m, c) for m in masks for c in colours]


def mask_results(op, image):
    kind = numpy.int64 if op.integer else DTYPES[op.real]
    for mask, channel in in_order(op):
        wide = stages.padded(op, image[:, :, channel].astype(kind))
        if op.integer:
            whole = contract.integer_channel(op, wide, mask)
            yield numpy.clip(whole, op.low, op.high).astype(DTYPES[op.output])
        else:
            yield contract.store_real(contract.real_channel(op, wide, mask), op.output, op.low,
                                      op.high)


def mix_results(op, image):
    planes = [image[:, :, c] for c in colour_planes(op)]
    for row in range(len(op.stage.masks)):
        if op.integer:
            w, q, bias = forms.quantise(op, row)
            total = sum(int(k) * p.astype(numpy.int64) for k, p in zip(w.flat, planes))
            whole = (total + bias + contract.half(q)) >> q
            yield numpy.clip(whole, op.low, op.high).astype(DTYPES[op.output])
            continue
        kind = DTYPES[op.real]
        total = numpy.zeros(planes[0].shape, kind)
        for k, p in zip(op.stage.masks[row].astype(kind).flat, planes):
            if k != 0:
                total = fused.fused(k, p.astype(kind), total)
        yield contract.store_real(total + kind(op.stage.bias), op.output, op.low, op.high)


def join_values(join, values):
    total = numpy.zeros(values[0].shape, values[0].dtype)
    for v in map(numpy.abs, values):
        if join == "max":
            total = numpy.where(numpy.isnan(v) | (v > total), v, total)
        else:
            total = total + v if join == "sum" else fused.fused(v, v, total)
    return numpy.sqrt(total) if join == "hypot" else total


def join_results(op, image):
    kind = numpy.float32 if op.input == "f32" else numpy.float64
    planes = [image[:, :, c].astype(kind) for c in colour_planes(op)]
    each = len(planes) // len(op.stage.masks)
    for c in range(each):
        total = join_values(op.stage.join, planes[c::each])
        bias = kind(0 if "bias" in planted else op.stage.bias)
        yield contract.store_real(total + bias, op.output, op.low, op.high)


def with_alpha(op, image, planes, moves):
    """Returns the image of the results and alpha, and the index of alpha."""
    if op.copied < 0:
        return numpy.stack(planes, axis=2), -1
    kind = numpy.int64 if op.integer else numpy.float64
    alpha = contract.copied_channel(op, image[:, :, op.copied].astype(kind), RANGES[op.output])
    at = op.copied
    if (moves or len(planes) != op.channels - 1) != ("alpha" in planted):
        at = len(planes)
    planes = planes[:at] + [alpha] + planes[at:]
    return numpy.stack(planes, axis=2), min(at, len(planes) - 1)


def bind(bank, given, output, border, image, copied):
    """Returns the op, or raises Refusal."""
    height, width, channels = image.shape
    low, high = stages.clamp_range(bank, output)
    border = ("zero", 0.0) if bank.kind == "mix" else stages.border_of(border, given)
    op = Op(bank, given, output, border, low, high, width, height, channels, copied)
    if bank.kind == "mix":
        if bank.masks[0].size != len(colour_planes(op)):
            raise Refusal("factors for channels")
    else:
        stages.reach(op)
    if colours_after(bank, len(colour_planes(op))) + (copied >= 0) > CHANNELS_MOST:
        raise Refusal("too many channels")
    stages.check(dataclasses.replace(op, channels=len(bank.masks)))
    contract.settle(op)
    return op


def run_masks(bank, given, output, border, image, copied):
    op = bind(bank, given, output, border, image, copied)
    if bank.join and given in stages.WIDE and output == "f64" and bank.join != "stack":
        contract.check_sums(op)  # what is joined may become integers again
    make_results = mix_results if bank.kind == "mix" else mask_results
    return with_alpha(op, image, list(make_results(op, image)), False)


def run_joined(bank, given, output, border, image, copied):
    """Runs a stage whose masks' results are joined: two halves."""
    middle = between(bank, given)
    early = bank.clamp if "early" in planted and middle not in stages.FLOATS else None
    first = dataclasses.replace(bank, bias=0.0, clamp=early)
    image, copied = run_masks(first, given, middle, border, image, copied)
    height, width, channels = image.shape
    low, high = stages.clamp_range(bank, output)
    op = Op(bank, middle, output, ("zero", 0.0), low, high, width, height, channels, copied)
    return with_alpha(op, image, list(join_results(op, image)), True)


def expected(problem, image):
    """Returns the result, and the index of alpha or -1."""
    given, copied = problem.type, problem.alpha - 1
    if problem.alpha_mode == "filter":
        copied = -1
    for i, bank in enumerate(problem.stages):
        output = stages.output_type(problem, i, given)
        run_stage = run_joined if bank.join not in (None, "stack") else run_masks
        image, copied = run_stage(bank, given, output, bank.border or problem.border, image, copied)
        given = output
    return image, copied


# ---- Checks ------------------------------------------------------------------------------------

def adopt_taps(library, bank):
    """Checks the taps and replaces them by the library's, which may differ in the last bits."""
    for i, own in enumerate(bank.masks):
        taps, anchor = library.mask(bank.text, i)
        exact = bank.text.startswith(("mask", "mix", "grey", "gradient")) and \
            ":normalise" not in bank.text
        if taps.shape != own.shape or anchor != bank.anchors[i] or \
                numpy.abs(taps - own).max() > (0 if exact else 1e-14 * (1 + numpy.abs(own).max())):
            return f"{bank.text}: mask {i} is {taps.tolist()} at {anchor}"
        bank.masks[i] = taps
    return None


def open_plan(library, problem):
    shape = Shape(width=problem.width, height=problem.height, channels=problem.channels,
                  type=TYPES[problem.type], alpha=problem.alpha)
    options = PlanOptions(border=problem.border, type=problem.result_type,
                          intermediate=problem.intermediate, values="keep", exact=1,
                          alpha=problem.alpha_mode, algorithm=problem.algorithm, isa=problem.isa)
    return library.plan(problem.chain, shape, options)


def run(plan, problem, image):
    if problem.planar:
        image = numpy.ascontiguousarray(image.transpose(2, 0, 1)).transpose(1, 2, 0)
    shape = plan.info.result
    result = numpy.zeros((shape.height, shape.width, shape.channels), DTYPES[TYPE_NAMES[shape.type]])
    views = (image_view(image, problem.type, problem.alpha),
             image_view(result, TYPE_NAMES[shape.type], shape.alpha))
    plan.library.call("run", plan.library.context, plan.handle, *map(byref, views),
                      byref(RunOptions(threads=problem.threads)))
    return result


def unequal(got, want):
    """Returns the first difference of two images, or None."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"the result is {got.shape} {got.dtype}, must be {want.shape} {want.dtype}"
    bits = f"u{got.itemsize}"
    wrong = got.view(bits) != numpy.ascontiguousarray(want).view(bits)
    wrong &= ~((got != got) & (want != want))  # all NaNs are equal
    if not wrong.any():
        return None
    at = tuple(int(index[0]) for index in numpy.nonzero(wrong))
    return f"{got[at]!r} at (y, x, channel) {at}, must be {want[at]!r}"


def compare(plan, problem, image, want, alpha):
    if problem.alpha_mode != "filter" and plan.info.result.alpha != alpha + 1:
        return f"alpha is channel {plan.info.result.alpha} of the result, must be {alpha + 1}"
    return unequal(run(plan, problem, image), want)


def difference(library, problem, image):
    """Returns what is wrong, or None; and whether the problem was run."""
    for bank in problem.stages:
        wrong = adopt_taps(library, bank)
        if wrong:
            return wrong, False
    try:
        want, reason = expected(problem, image), None
    except Refusal as refusal:
        want, reason = None, str(refusal)
    try:
        plan = open_plan(library, problem)
    except Refused as refused:
        wrong = not reason or refused.status != ERROR_ARGUMENT
        return (f"refused: {refused}" if wrong else None), False
    try:
        return (f"must be refused: {reason}" if reason
                else compare(plan, problem, image, *want)), True
    finally:
        plan.close()


def check(library, seed, index, isas, quiet=False):
    """Returns whether the problem passes, and whether it was run."""
    problem = make(seed, index, isas)
    wrong, was_run = difference(library, problem, problem_maker.pixels(seed, problem))
    if wrong and not quiet:
        print(f"FAILED --seed {seed} --only {index}: {wrong}\n    {problem.chain}\n    "
              f"{problem.type} {problem.width}x{problem.height}x{problem.channels} "
              f"type={problem.result_type} intermediate={problem.intermediate} "
              f"border={problem.border} alpha={problem.alpha} {problem.alpha_mode} "
              f"isa={problem.isa} algorithm={problem.algorithm}")
    return not wrong, was_run


def run_many(check, library, given, isas):
    """`check` returns whether a problem passed, and whether it was run."""
    if given.only is not None:
        return check(library, given.seed, given.only, isas)[0]
    done = [check(library, given.seed, i, isas) for i in range(given.count)]
    failed, was_run = sum(not good for good, _ in done), sum(ran for _, ran in done)
    print(f"{given.count - failed} passed, {failed} failed; {was_run} run, the others refused as "
          f"expected or skipped")
    return failed == 0 and 2 * was_run > given.count


def main(check, bugs, count):
    """Also the command of weights.py."""
    given = command.options(count)
    numpy.seterr(all="ignore")  # infinities and NaN are expected
    library = Library(given.build)
    isas = [row["name"] for row in library.table("isas") if row["available"]]
    if given.self_test:
        good = command.all_found(planted, bugs,
                                 lambda i: check(library, given.seed, i, isas, True)[0], 400)
    else:
        good = run_many(check, library, given, isas)
    library.close()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main(check, BUGS, 2000)
