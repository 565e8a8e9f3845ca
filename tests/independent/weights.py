#!/usr/bin/env python3
"""Checks weights of samples (alpha, missing data) against integers and emulated doubles.

    weights.py BUILD_DIR [--count N] [--seed S] [--only INDEX] [--self-test]

The rules are those of "Weights: alpha and missing data" in docs/numerics.md, written again here.
Results must be equal to the bit, and a plan is refused exactly where it must be. --self-test breaks
the rules here, one at a time, and must find every difference.
"""
import dataclasses

import numpy

import banks
import contract
import problem_maker
import stages
import values
import weights_maker
from stages import FLOATS, RANGES, Op, Refusal, planted
from swathe_ctypes import ERROR_ARGUMENT, Refused
from weights_maker import by_value
from weights_rules import State, distances, misses, missing_value, present, rule_in, run_weighted

BUGS = ("row", "undivided", "centre", "outside", "beside", "share", "fill", "least", "quotient",
        "masks", "fused", "rounding", "bound")


# ---- Other stages ------------------------------------------------------------------------------

def copied_of(state):
    return -1 if state.filtered else state.alpha


def hide_missing(state, missing, results, kind):
    """Returns results of which some are missing."""
    none = missing_value(state.rule, kind)
    results = present(state.rule, none, results, kind)
    return numpy.where(missing, numpy.array(none).astype(results.dtype), results)


def run_plain(bank, output, border, state):
    """Runs a stage without weights."""
    copied, channels = copied_of(state), state.image.shape[2]
    if bank.join or bank.kind == "mix":
        image, copied = banks.run_masks(bank, state.type, output, border, state.image, copied)
    elif len(bank.masks) not in (1, channels):
        raise Refusal("masks for channels")
    else:
        op = banks.bind(bank, state.type, output, border, state.image, copied)
        image = contract.run_stage(op, state.image, RANGES[output])
    if state.filtered and state.alpha >= 0:
        copied = state.alpha if bank.kind != "mix" and image.shape[2] == channels else -1
    return dataclasses.replace(state, image=image, type=output, alpha=copied)


def run_join(bank, output, state):
    """Runs the second half of a stage whose masks' results are joined."""
    height, width, channels = state.image.shape
    low, high = stages.clamp_range(bank, output)
    op = Op(bank, state.type, output, ("zero", 0.0), low, high, width, height, channels,
            copied_of(state))
    each = len(banks.colour_planes(op)) // len(bank.masks)
    planes = []
    for c, results in enumerate(banks.join_results(op, state.image)):
        parts = [state.image[:, :, p].astype(float) for p in banks.colour_planes(op)[c::each]]
        missing = numpy.any([misses(state.rule, part) for part in parts], axis=0)
        planes.append(hide_missing(state, missing, results, output))
    image, copied = banks.with_alpha(op, state.image, planes, True)
    if state.filtered:
        copied = state.alpha if image.shape == state.image.shape else -1
    return dataclasses.replace(state, image=image, type=output, alpha=copied,
                               rule=rule_in(state.rule, output))


def run_abs(output, state):
    planes = []
    for c in range(state.image.shape[2]):
        plane = state.image[:, :, c].astype(float)
        copied = c == copied_of(state)
        results = contract.store_real(plane if copied else numpy.abs(plane) + 0.0, output,
                                      *RANGES[output])
        planes.append(results if copied else
                      hide_missing(state, misses(state.rule, plane), results, output))
    return dataclasses.replace(state, image=numpy.stack(planes, axis=2), type=output,
                               rule=rule_in(state.rule, output))


def run_range(problem, to, state):
    """Maps a range to the whole range of the type `to`."""
    ends = values.whole(state.type) if problem.values == "scale" else problem.values
    most = (0, values.whole(to)[1])

    def mapped(sample):
        return values.stretch(sample, state.type, ends, to, values.whole(to))
    rule = rule_in(state.rule, to)
    if state.rule.kind == "value":
        rule = dataclasses.replace(rule, none=float(mapped(state.rule.none)))
    image = numpy.zeros(state.image.shape, values.FORMATS[to])
    for at in numpy.ndindex(*image.shape):
        sample = state.image[at].item()
        if at[2] == state.alpha:
            image[at] = values.stretch(sample, state.type, (0, state.top), to, most)
        elif bool(misses(state.rule, numpy.array(sample))):
            image[at] = missing_value(rule, to)
        else:
            result = values.FORMATS[to](mapped(sample))
            image[at] = present(state.rule, missing_value(rule, to), result, to)
    return dataclasses.replace(state, image=image, type=to, rule=rule)


# ---- Chains ------------------------------------------------------------------------------------

def has_weights(bank, border, rule):
    if bank.kind == "mix":
        return False
    is_point = all(k.size == 1 for k in bank.masks)
    if rule.kind == "none":
        return border[0] == "missing" and not is_point
    return by_value(rule) or not is_point


def run_stage(bank, output, border, state):
    if bank.kind == "abs":
        return run_abs(output, state)
    if bank.kind == "mix" and (state.rule.kind == "value" or
                               (state.rule.kind == "nan" and output not in FLOATS)):
        raise Refusal("a mix of missing samples")
    joined = bank.join not in (None, "stack")
    first, between = bank, output
    if joined:
        first = dataclasses.replace(bank, bias=0.0, clamp=None)
        between = banks.between(bank, state.type)
    if has_weights(bank, border, state.rule):
        after = run_weighted(first, between, border, state)
    else:
        if joined and state.type in stages.WIDE:
            raise weights_maker.Skipped  # banks.py checks it
        after = run_plain(first, between, border, state)
    return run_join(bank, output, after) if joined else after


def needs_range(problem, own, to):
    if problem.values in (None, "keep"):
        return False
    return problem.values != "scale" or (own != to and not (own in FLOATS and to in FLOATS))


def own_type(problem):
    """Returns the type of the chain's result without the plan's."""
    own, alone = problem.type, dataclasses.replace(problem, result_type=None)
    for i in range(len(problem.stages)):
        own = stages.output_type(alone, i, own)
    return own


def expected(problem, image):
    """Returns the state after the chain."""
    own = own_type(problem)
    to = problem.result_type or own
    ranged = needs_range(problem, own, to)
    bound = dataclasses.replace(problem, result_type=None) if ranged else problem
    state = State(image, problem.type, rule_in(problem.rule, problem.type), problem.alpha - 1,
                  problem.alpha_mode == "filter", values.whole(problem.type)[1])
    for i, bank in enumerate(problem.stages):
        output = stages.output_type(bound, i, state.type)
        state = run_stage(bank, output, bank.border or problem.border, state)
        if problem.type not in FLOATS and output not in FLOATS:
            state.top = min(state.top, RANGES[output][1])
    return run_range(problem, to, state) if ranged else state


# ---- Checks ------------------------------------------------------------------------------------

def adopt_taps(library, problem):
    """Replaces taps by the library's, which may differ in the last bits; independent.py and
    banks.py check them."""
    for bank in problem.stages:
        if bank.kind == "abs":
            continue
        bank.masks = [library.mask(bank.text, i)[0] for i in range(len(bank.masks))]
        if bank.kind == "two-pass":
            bank.terms = problem_maker.library_terms(library, bank)


def compare(plan, problem, image, want):
    if plan.info.result.alpha != want.alpha + 1:
        return f"alpha is channel {plan.info.result.alpha} of the result, must be {want.alpha + 1}"
    got = banks.run(plan, problem, image)
    return banks.unequal(got, want.image) or too_far(plan, problem)


def too_far(plan, problem):
    """Compares the distance of a single stage's results from real arithmetic with its bound."""
    bank, bound = problem.stages[0], plan.info.error_bound * (0.5 if "bound" in planted else 1.0)
    far = numpy.max(distances, initial=0.0)  # NaN if one is
    if len(problem.stages) > 1 or bank.join not in (None, "stack") or problem.type in FLOATS or \
            problem.values not in (None, "keep") or far <= bound * (1 + 1e-9):
        return None
    return f"{far} from real arithmetic, the bound is {bound}"


def difference(library, problem, image):
    """Returns what is wrong, or None; and whether the problem was run."""
    adopt_taps(library, problem)
    distances.clear()
    try:
        want, reason = expected(problem, image), None
    except Refusal as refusal:
        want, reason = None, str(refusal)
    except weights_maker.Skipped:
        return None, False
    try:
        plan = weights_maker.open_plan(library, problem)
    except Refused as refused:
        wrong = not reason or refused.status != ERROR_ARGUMENT
        return (f"refused: {refused}" if wrong else None), False
    try:
        return (f"must be refused: {reason}" if reason
                else compare(plan, problem, image, want)), True
    finally:
        plan.close()


def check(library, seed, index, isas, quiet=False):
    """Returns whether the problem passes, and whether it was run."""
    problem = weights_maker.make(seed, index, isas)
    wrong, was_run = difference(library, problem, weights_maker.pixels(seed, problem))
    if wrong and not quiet:
        print(f"FAILED --seed {seed} --only {index}: {wrong}\n    {problem.chain}\n    "
              f"{problem.type} {problem.width}x{problem.height}x{problem.channels} "
              f"type={problem.result_type} intermediate={problem.intermediate} "
              f"values={problem.values} border={problem.border} alpha={problem.alpha} "
              f"{problem.alpha_mode} nodata={problem.nodata} isa={problem.isa} "
              f"algorithm={problem.algorithm}")
    return not wrong, was_run


if __name__ == "__main__":
    banks.main(check, BUGS, 1500)
