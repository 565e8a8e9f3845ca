#!/usr/bin/env python3
"""Checks the built library against arithmetic that shares no code with it.

    independent.py BUILD_DIR [--count N] [--seed S] [--only INDEX] [--plant [BUG]] [--self-test]

Every random problem is filtered by the library and then
  real      compared with the mathematical filter in real arithmetic: no result may differ by more
            than the plan states, for the whole chain and for each stage alone;
  scipy     compared with scipy.ndimage, if it has the mode or a filter of that name;
  contract  compared with an independent implementation of the contract: equal to the bit, for
            integers and for exact floats;
  plan      compared with types, sizes, reach, q, gain, error bound and refusals computed here.
--only runs a single problem. --plant breaks the model on purpose and must fail; --self-test does so
with every known bug, and checks the emulation of fused multiply-add.
"""
import argparse
import collections
import math
import os
import sys
import tempfile

import numpy

import banks
import contract
import forms
import fused
import problem_maker
import real
import stages
import with_scipy
from swathe_ctypes import (ERROR_ARGUMENT, TYPE_NAMES, TYPES, Library, PlanOptions, Refused,
                           RunOptions, Shape, check_layout)

CHECKS = ("plan", "contract", "real", "scipy")
# The checks that must find each planted bug, and the arithmetics in which "contract" and "real"
# must.
FINDERS = {"tap": ("contract", "real", "scipy"), "border": ("contract", "real"),
           "anchor": ("contract", "real", "scipy"), "rounding": ("contract",),
           "remainder": ("contract",), "order": ("contract",), "fused": ("contract",),
           "bound": ("real", "scipy")}
ORDERED = ("ordered f32", "ordered f64")
ARITHMETICS = {"rounding": ("integer", "32-bit", "f32 to integer", "f64 to integer") + ORDERED,
               "bound": ("integer", "f32", "f64", "32-bit", "f64 to f32") + ORDERED,
               "remainder": ("integer",), "order": ("f32", "f64", "32-bit") + ORDERED,
               "fused": ("f32", "f64", "32-bit") + ORDERED}
ALL_ARITHMETICS = ("integer", "f32", "f64", "32-bit") + ORDERED
LOOSE = 1e-6  # relative tolerance for a stated bound


class Bench:
    """The library, and the counters."""

    def __init__(self, build, seed):
        self.library, self.seed = Library(build), seed
        self.isas = [row["name"] for row in self.library.table("isas") if row["available"]]
        self.done, self.failed = collections.Counter(), 0
        self.nearest = collections.defaultdict(float)  # largest |error| / bound
        self.quiet, self.checks = False, CHECKS
        self.arithmetic = None  # run only the problems all of whose stages have this one

    def fail(self, problem, what, plan=None):
        self.failed += 1
        if not self.quiet:
            line = plan.problem() if plan else f"chain={{{problem.chain}}}"
            print(f"FAILED --seed {self.seed} --only {problem.index}: {what}\n    {line}")
        return False


def shape_of(problem):
    return Shape(width=problem.width, height=problem.height, channels=problem.channels,
                 type=TYPES[problem.type], alpha=problem.alpha)


def options_of(problem, whole=True):
    return PlanOptions(border=problem.border, type=problem.result_type if whole else None,
                       intermediate=problem.intermediate,
                       values="keep",  # values.py checks the other rules
                       exact=int(problem.exact), alpha=problem.alpha_mode,
                       algorithm=problem.algorithm, isa=problem.isa)


def run(bench, problem, count, image, ops):
    """Runs the first `count` stages and returns (plan, result)."""
    texts, whole = [stage.text for stage in problem.stages[:count]], count == len(ops)
    if not whole and not problem.stages[count - 1].type:
        # A shortened chain must end in the type that its next stage would have as input.
        texts[-1] += f":type={ops[count - 1].output}"
    plan = bench.library.plan(",".join(texts), shape_of(problem), options_of(problem, whole))
    if problem.planar:
        image = numpy.ascontiguousarray(image.transpose(2, 0, 1)).transpose(1, 2, 0)
    result = plan.run(image, problem.alpha, problem.planar, RunOptions(threads=problem.threads))
    return plan, result


def expected_ops(problem):
    """Returns the ops and their q; raises Refusal if the plan must be refused."""
    ops = stages.resolve(problem)
    return ops, [contract.settle(op) for op in ops]


# ---- Checks ------------------------------------------------------------------------------------

def check_plan(bench, problem, plan, ops, bits):
    """Compares the plan's figures with those computed here."""
    error, copied, magnitude, own_bounds = 0.0, 0.0, 1.0, False
    for i, (op, info) in enumerate(zip(ops, plan.stages)):
        if op.copied >= 0:
            copied += real.copied_error(op, real.magnitude_of(op, magnitude))
        own, magnitude = real.stage_bound(op, magnitude)
        gain = real.gain(op)
        error = (error * gain if error < math.inf else error) + info.error_bound
        stated = (TYPE_NAMES[info.input], TYPE_NAMES[info.output], (info.width, info.height),
                  (info.left, info.right, info.above, info.below), info.fraction_bits)
        computed = (op.input, op.output, op.size, (op.left, op.right, op.above, op.below),
                    bits[i][0] if bits[i] else -1)
        if stated != computed:
            return bench.fail(problem, f"stage {i + 1} states {stated}, expected {computed}", plan)
        if not math.isclose(info.gain, gain, rel_tol=1e-9):
            return bench.fail(problem, f"stage {i + 1}: gain {info.gain}, expected {gain}", plan)
        # A product of floats, or several, are chosen by the stage; not worse than all taps. A Fourier
        # stage of floats states its own bound, which later stages build on; results are within it.
        transformed = info.algorithm == b"fourier" and op.has_float
        products = op.has_float and info.algorithm in (b"factored", b"low-rank")
        least = 0.0 if products or transformed else own
        own_bounds |= transformed
        most = math.inf if own_bounds else own
        # Underflow of floats remains in the magnitudes of later stages.
        underflow = 1e-30 if any("f32" in (each.real, each.output) for each in ops[:i + 1]) else 1e-300
        if not least <= info.error_bound * (1 + LOOSE) or not info.error_bound <= most * (1 + LOOSE) \
                + underflow:
            return bench.fail(problem, f"stage {i + 1}: bound {info.error_bound}, expected {own}",
                              plan)
    error = max(error, copied)
    if not math.isclose(error, plan.info.error_bound, rel_tol=LOOSE):
        return bench.fail(problem, f"bound {plan.info.error_bound} of the chain, expected {error}",
                          plan)
    if plan.info.exact != (problem.exact or always_same(ops)):
        return bench.fail(problem, f"exact is {plan.info.exact}, expected the opposite", plan)
    return True


def always_same(ops):
    """Returns whether the result has the same bytes without exact mode, too."""
    return not any(op.has_float for op in ops)


def same(a, b):
    """Returns whether arrays are equal to the bit; all NaNs are equal."""
    if a.dtype not in (numpy.float32, numpy.float64):
        return a == b
    bits = f"u{a.itemsize}"
    return (a.view(bits) == b.view(bits)) | (numpy.isnan(a) & numpy.isnan(b))


def where(mask):
    y, x, channel = (int(at[0]) for at in numpy.nonzero(mask))
    return y, x, channel


def check_contract(bench, problem, plan, ops, results):
    """Compares bits. Fast floats may differ; only their bounds are checked."""
    if not problem.exact and not always_same(ops):
        return True
    image, result = results[0], results[-1]
    for op in ops:
        image = contract.run_stage(op, image, stages.RANGES[op.output])
    wrong = ~same(numpy.ascontiguousarray(result), numpy.ascontiguousarray(image))
    for label in {op.label for op in ops}:
        bench.done[f"contract, {label} stages"] += 1
    if not wrong.any():
        return True
    at = where(wrong)
    return bench.fail(problem, f"contract: {result[at]!r} at (y, x, channel) {at}, expected "
                      f"{image[at]!r}", plan)


def check_distance(bench, problem, plan, what, result, expected, bound):
    """Checks |result − expected| ≤ bound wherever expected is known."""
    if "bound" in stages.planted:
        bound *= 0.5
    away = numpy.abs(result.astype(real.REAL) - expected)
    wrong = away > bound
    bench.done[what] += 1
    if bound > 0:
        bench.nearest[what] = max(bench.nearest[what], float(numpy.nanmax(away, initial=0)) / bound)
    if not wrong.any():
        return True
    at = where(wrong)
    return bench.fail(problem, f"{what}: {result[at]!r} at (y, x, channel) {at} differs by {away[at]:.6g} "
                      f"from {expected[at]:.9g}, allowed {bound:.6g}", plan)


def widen(problem, bound):
    """Scales the error bounds of floats, which hold for samples within ±1, to these samples."""
    return bound * max(1.0, problem.scale) if problem.type in stages.FLOATS else bound


def check_chain(bench, problem, plan, ops, results):
    expected, lost = results[0].astype(real.REAL), 0.0
    for op in ops:
        lost = real.own_error(op, expected, lost)
        expected = real.run_stage(op, expected)
    bound = widen(problem, plan.info.error_bound) + lost
    what = "real, chain" if len(ops) > 1 else f"real, one {ops[0].label} stage"
    return check_distance(bench, problem, plan, what, results[-1], expected, bound)


def check_stages(bench, problem, plan, ops, results):
    """Checks each stage of a chain alone, applied to the library's result of the stage before."""
    for op, info, before, after in zip(ops, plan.stages, results, results[1:]):
        values = before.astype(real.REAL)
        bound = widen(problem, info.error_bound) + real.own_error(op, values)
        if not check_distance(bench, problem, plan, f"real, {op.label} stage of a chain", after,
                              real.run_stage(op, values), bound):
            return False
    return True


def check_scipy(bench, problem, plan, ops, results):
    for i, (op, info) in enumerate(zip(ops, plan.stages)):
        values = results[i].astype(float)
        # scipy adds doubles, too
        bound = widen(problem, info.error_bound) + real.own_error(op, values, unit=2.0**-52)
        name, arguments, flipped = problem.names[i]
        for call, expected in with_scipy.answers(op, values, flipped, name, arguments):
            if not check_distance(bench, problem, plan, call, results[i + 1], expected, bound):
                return False
    return True


def check_refused(bench, problem):
    """Checks that the library refuses exactly the problems that it must refuse."""
    try:
        expected_ops(problem)
        reason = None
    except stages.Refusal as refusal:
        reason = str(refusal)
    try:
        bench.library.plan(problem.chain, shape_of(problem), options_of(problem)).close()
        if reason:
            return bench.fail(problem, f"accepted, must be refused: {reason}"), True
    except Refused as refused:
        if not reason or refused.status != ERROR_ARGUMENT:
            return bench.fail(problem, f"refused: {refused}"), True
        bench.done["refused, as expected"] += 1
        return True, True
    return True, False


def check_results(bench, problem, plan, ops, bits, results):
    """Runs all checks in turn, until one fails."""
    calls = {"plan": lambda: check_plan(bench, problem, plan, ops, bits),
             "contract": lambda: check_contract(bench, problem, plan, ops, results)}
    if not problem.special:
        calls["real"] = lambda: (check_chain(bench, problem, plan, ops, results) and
                                 (len(ops) == 1 or
                                  check_stages(bench, problem, plan, ops, results)))
        calls["scipy"] = lambda: check_scipy(bench, problem, plan, ops, results)
    return all(calls[check]() for check in bench.checks if check in calls)


def adopt_taps(bench, problem):
    """Replaces computed taps by the library's, which are within 1e-14 (see check_taps). Errors of
    double arithmetic are smaller than that. Planted taps stay."""
    def nearest(taps, own):
        return numpy.where(numpy.abs(taps - own) <= 1e-14 * (1 + numpy.abs(own).max()), taps, own)
    for stage in problem.stages:
        stage.masks = [nearest(bench.library.mask(stage.text, i)[0], own)
                       for i, own in enumerate(stage.masks)]
        if stage.kind == "two-pass":
            adopted = problem_maker.library_terms(bench.library, stage)
            stage.terms = [tuple(map(nearest, *pair)) for pair in zip(adopted, stage.terms)]


def check_problem(bench, problem):
    good, finished = check_refused(bench, problem)
    if finished:
        return good or bench.arithmetic is not None  # which is not known
    ops, bits = expected_ops(problem)
    if bench.arithmetic and {op.label for op in ops} != {bench.arithmetic}:
        return True
    if any(not op.integer and (op.real == "f64" or op.kind == "two-pass") for op in ops):
        adopt_taps(bench, problem)
    bench.done[f"all of a problem, from {problem.type}"] += 1
    image = problem_maker.pixels(bench.seed, problem)
    plans, results = [], [image]
    try:
        for count in range(1, len(ops) + 1):
            plan, result = run(bench, problem, count, image, ops)
            plans.append(plan)
            results.append(result)
        return check_results(bench, problem, plans[-1], ops, bits, results)
    except Refused as refused:
        return bench.fail(problem, f"refused at run time: {refused}")
    finally:
        for plan in plans:
            plan.close()


def check_filters(bench):
    """Every filter of the table has a formula here, and the library's taps equal those of the
    formula."""
    elsewhere = {"mask", "abs"} | banks.NAMES  # values.py checks abs, banks.py several masks
    names = {row["name"] for row in bench.library.table("filters")} - elsewhere
    if names != set(problem_maker.MAKERS):
        print(f"FAILED filters without a formula here: {names ^ set(problem_maker.MAKERS)}")
        return False
    return True


def check_mask_file(bench):
    """A mask read from a file is used unchanged, and the text of the chain no longer names the
    file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a,b.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("# comment\n1 -2.5 1/3\n\n0, 1e-3 7; # the middle\n1 1 1")
        text = bench.library.spelled(f"mask:(@{path}):flip")
        taps = bench.library.mask(f"mask:(@{path}):flip")[0]
    own = numpy.array([[1, -2.5, 1 / 3], [0, 1e-3, 7], [1, 1, 1]])[::-1, ::-1]
    if (taps != own).any():
        print(f"FAILED mask file: {taps.tolist()}")
        return False
    if "@" in text or (bench.library.mask(text)[0] != own).any():
        print(f"FAILED mask file: its text is {text}")
        return False
    return True


def check_taps(bench, problem):
    """Checks the taps of every stage, in double. Planted bugs are found by the other checks."""
    if stages.planted:
        return True
    for stage in problem.stages:
        for channel, own in enumerate(stage.masks):
            taps, anchor = bench.library.mask(stage.text, channel)
            if taps.shape != own.shape or anchor != stage.anchors[channel]:
                return bench.fail(problem, f"{stage.text}: a mask of {taps.shape} at {anchor}, expected "
                                  f"{own.shape} at {stage.anchors[channel]}")
            spelled = stage.text.startswith("mask:") and ":normalise" not in stage.text
            if numpy.abs(taps - own).max() > (0 if spelled else 1e-14 * (1 + numpy.abs(own).max())):
                return bench.fail(problem, f"{stage.text}: taps differ by "
                                  f"{numpy.abs(taps - own).max():.3g}")
        bench.done["taps"] += 1
    return True


# ---- Runs --------------------------------------------------------------------------------------

def run_many(bench, count, only=None):
    good = check_filters(bench) and check_mask_file(bench)
    first = -len(problem_maker.corners())
    for index in range(first, count) if only is None else [only]:
        problem = problem_maker.make(bench.seed, index, bench.isas)
        good &= check_taps(bench, problem) and check_problem(bench, problem)
        if bench.failed >= 5 or (bench.quiet and not good):
            break
    return good


def report(bench, count):
    for what in sorted(bench.done):
        near = f", largest error / bound {bench.nearest[what]:.4f}" if what in bench.nearest else ""
        print(f"{bench.done[what]:7d} checks: {what}{near}")
    print(f"{count} problems, seed {bench.seed}, instruction sets {' '.join(bench.isas)}: "
          f"{bench.failed} failed")


def hunt(build, seed, bug, checks, arithmetic):
    """Returns whether a run with this bug, only these checks and only problems of this arithmetic
    fails."""
    stages.planted.clear()
    if bug:
        stages.planted.add(bug)
    forms.forget()
    bench = Bench(build, seed)
    bench.quiet, bench.checks, bench.arithmetic = bug is not None, checks, arithmetic
    clean = run_many(bench, 300 if not arithmetic else 1000)
    bench.library.close()
    stages.planted.clear()
    return not clean


def self_test(build, seed):
    good = fused.check(seed, numpy.float32) and fused.check(seed, numpy.float64)
    print(f"fused multiply-add: {'equal to fractions' if good else 'WRONG'}")
    if hunt(build, seed, None, CHECKS, None):
        print("fails without a planted bug")
        good = False
    for bug, finders in FINDERS.items():
        for check in finders:
            names = ARITHMETICS.get(bug, ALL_ARITHMETICS) if check != "scipy" else (None,)
            for arithmetic in names:
                found = hunt(build, seed, bug, (check,), arithmetic)
                print(f"planted bug '{bug}': {'found' if found else 'NOT FOUND'} by '{check}'"
                      + (f" in {arithmetic} arithmetic" if arithmetic else ""))
                good &= found
    return good


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--count", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--plant", nargs="?", const="tap", choices=list(FINDERS))
    parser.add_argument("--self-test", action="store_true")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    numpy.seterr(all="ignore")  # infinities and NaN are expected
    here = os.path.dirname(os.path.abspath(__file__))
    differences = check_layout(os.path.join(here, "..", "..", "include"))
    if differences:
        print("\n".join(["FAILED structs:"] + differences))
        return 1
    if arguments.self_test:
        return 0 if self_test(arguments.build, arguments.seed) else 1
    if arguments.plant:
        stages.planted.add(arguments.plant)
    bench = Bench(arguments.build, arguments.seed)
    good = run_many(bench, arguments.count, arguments.only)
    report(bench, arguments.count)
    bench.library.close()
    return 0 if good and not bench.failed else 1


if __name__ == "__main__":
    sys.exit(main())
