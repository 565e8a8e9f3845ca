"""Random problems of weights.py: chains, images with holes, and what is missing."""
import dataclasses
import math
import random

import numpy

import banks
import problem_maker
from banks import Bank
from problem_maker import number
from stages import FLOATS, RANGES
from swathe_ctypes import TYPES, PlanOptions, Shape


class Skipped(Exception):
    """Raised for problems that another program checks."""


@dataclasses.dataclass
class Rule:
    kind: str = "none"  # or "alpha", "mask", "value", "nan", "border"
    none: float = 0.0
    fill: bool = False
    least: float = 0.0


@dataclasses.dataclass
class Problem(problem_maker.Problem):
    rule: Rule = None
    nodata: str = None
    values: object = None


def by_value(rule):
    return rule.kind in ("value", "nan")


# ---- Stages ------------------------------------------------------------------------------------

def positive_bank(rng, channels):
    """A mask, or one per channel, or several that are joined, whose taps have one sign."""
    bank, sign = Bank(text="mask"), rng.choice(("", "", "", "-"))
    join = rng.choice((None, None, None) + banks.JOINS)
    count = rng.randint(1, 3) if join else channels if rng.random() < 0.2 else 1
    for _ in range(count):
        make = problem_maker.tap_maker(rng, 9)
        rows = [["0" if rng.random() < 0.2 else sign + make()[0].lstrip("-") for _ in range(size)]
                for size in [rng.randint(1, 4)] for _ in range(rng.randint(1, 4))]
        bank.text += f":({';'.join(' '.join(row) for row in rows)})"
        bank.masks.append(numpy.array([[fraction(tap) for tap in row] for row in rows]))
    bank.text += f":join={join}" if join else ""
    bank.join = join
    return bank


def fraction(text):
    over, _, under = text.partition("/")
    return float(over) / float(under or 1)


def named_bank(rng, _):
    """One of the filters with a single mask."""
    name = rng.choice(("gaussian", "box", "sharpen", "edge", "laplacian", "unsharp", "disk",
                       "motion", "log", "sobel-x", "emboss", "identity", "scale"))
    stage = problem_maker.MAKERS[name](rng, name)[0]
    return Bank(**{field.name: getattr(stage, field.name) for field in dataclasses.fields(stage)})


def abs_bank(rng, _):
    bank = Bank(text="abs", kind="abs")
    if rng.random() < 0.4:
        bank.type = rng.choice(problem_maker.TYPES)
        bank.text += f":type={bank.type}"
    return bank


def make_bank(rng, channels, colours):
    pick = rng.random()
    if pick < 0.06:
        return abs_bank(rng, channels)
    if pick < 0.12:
        return banks.add_options(rng, banks.mix_bank(rng, colours))
    maker = rng.choice((positive_bank, positive_bank, named_bank, named_bank, named_bank,
                        banks.mask_bank, banks.gradient_bank))
    bank = banks.add_options(rng, maker(rng, channels))
    if bank.border is None and rng.random() < 0.1:
        bank.border = ("missing", 0.0)
        bank.text += ":border=missing"
    return bank


def make_chain(rng, problem):
    apart = problem.alpha > 0 and problem.alpha_mode != "filter"
    colours, count = problem.channels - apart, rng.choice((1, 1, 1, 2, 3))
    while len(problem.stages) < count and colours <= 12:
        bank = make_bank(rng, colours + apart, colours)
        if problem.stages and bank.kind != "mix" and rng.random() < 0.2:
            bank = problem.stages[-1]  # a repeated stage
        problem.stages.append(bank)
        colours = banks.colours_after(bank, colours) if bank.kind != "abs" else colours


# ---- What is missing ---------------------------------------------------------------------------

def nodata_text(rule):
    word = number(rule.none) if rule.kind == "value" else rule.kind
    return word + (":fill" if rule.fill else "") + (f":least={rule.least!r}" if rule.least else "")


def draw_none(rng, kind):
    if kind in FLOATS:
        return rng.choice((-9999.0, 0.0, -0.5, 1.0, 0.1 if kind == "f64" else 0.25))
    low, high = RANGES[kind]
    return float(rng.choice((low, high, 0, 1, rng.randint(int(low), int(high)))))


def draw_rule(rng, problem):
    """Sets what is missing, and how alpha is used."""
    kinds = ["value", "value", "none"] + ["nan", "nan"] * (problem.type in FLOATS)
    kinds += ["alpha", "alpha", "alpha", "mask"] * (problem.alpha > 0)
    rule = problem.rule = Rule(rng.choice(kinds))
    if rule.kind == "alpha":
        problem.alpha_mode = rng.choice((None, "premultiply"))
        return
    usual = [None] if rule.kind in ("mask", "value", "nan") else ["keep"]
    problem.alpha_mode = rng.choice(usual + ["keep"] + ["filter"] * (rule.kind != "mask"))
    if rule.kind == "none":
        return
    rule.fill, rule.least = rng.random() < 0.5, rng.choice((0.0,) * 8 + (0.3, 0.5, 0.99, 1.0))
    rule.none = draw_none(rng, problem.type) if rule.kind == "value" else 0.0
    problem.nodata = nodata_text(rule)


def draw_values(rng):
    pick = rng.random()
    if pick < 0.7:
        return "keep"
    if pick < 0.85:
        return "scale"
    low = rng.choice((-2.0, 0.0, 0.25, 10.0))
    return low, low + rng.choice((1.0, 0.7, 200.0, 70000.0))


def make(seed, index, isas):
    rng = random.Random(f"weights {seed}/{index}")
    width, height = rng.randint(1, 12), rng.randint(1, 9)
    if rng.random() < 0.1:
        width, height = rng.randint(40, 90), rng.randint(1, 3)
    problem = Problem(index, width, height, rng.randint(1, 4), rng.choice(problem_maker.TYPES),
                      problem_maker.make_border(rng))
    if rng.random() < 0.25:
        problem.border = ("missing", 0.0)
    if rng.random() < 0.5:
        problem.alpha = rng.randint(1, problem.channels)
    draw_rule(rng, problem)
    if rng.random() < 0.1:
        problem.intermediate = rng.choice(("f32", "f64", "u16", "s32"))
    problem.isa = rng.choice([None] + isas)
    problem.algorithm = "reference" if rng.random() < 0.1 else None
    problem.threads, problem.planar = rng.randint(1, 3), rng.random() < 0.3
    problem.scale = rng.choice((1.0, 1.0, 255.0, 1e4))
    problem.fill = rng.choice(("noise", "noise", "extremes", "ramp", "flat"))
    problem.special = rng.random() < 0.1
    make_chain(rng, problem)
    if rng.random() < 0.3:
        problem.result_type = rng.choice(problem_maker.TYPES)
    problem.values = draw_values(rng)
    return problem


def pixels(seed, problem):
    """Returns the image of a problem, with holes."""
    image = problem_maker.pixels(seed, problem)
    rng = numpy.random.default_rng([seed, problem.index + 2**20])
    share = rng.choice((0.0, 0.1, 0.5, 0.9, 1.0))
    holes = rng.random(image.shape) < share
    if problem.alpha > 0:
        make_alpha(rng, image[:, :, problem.alpha - 1], problem.type, holes[:, :, 0])
    if by_value(problem.rule):
        none = math.nan if problem.rule.kind == "nan" else problem.rule.none
        image[holes] = numpy.array(none).astype(image.dtype)
    return image


def make_alpha(rng, alpha, kind, holes):
    """Fills an alpha channel: some of it transparent, some opaque."""
    if kind in FLOATS and rng.random() < 0.9:
        alpha[:] = rng.random(alpha.shape)
    most = RANGES[kind][1] if kind not in FLOATS else 1.0
    alpha[rng.random(alpha.shape) < rng.choice((0.0, 0.5, 1.0))] = most
    alpha[holes] = 0


def open_plan(library, problem):
    shape = Shape(width=problem.width, height=problem.height, channels=problem.channels,
                  type=TYPES[problem.type], alpha=problem.alpha)
    options = PlanOptions(border=problem.border, type=problem.result_type,
                          intermediate=problem.intermediate, values=problem.values, exact=1,
                          alpha=problem.alpha_mode, nodata=problem.nodata,
                          algorithm=problem.algorithm, isa=problem.isa)
    return library.plan(problem.chain, shape, options)
