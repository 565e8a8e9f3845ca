"""The meaning of a stage: taps from independent formulas, its options, and the plan that must
result.

Nothing here comes from the library: the formulas are those of docs/filters.md in numpy, borders are
index maps from numpy.pad, and resolve() follows docs/numerics.md.
"""
import math
from dataclasses import dataclass, field

import numpy

RANGES = {"u8": (0.0, 255.0), "u16": (0.0, 65535.0), "s16": (-32768.0, 32767.0),
          "f32": (-math.inf, math.inf), "u32": (0.0, 2.0**32 - 1), "s32": (-2.0**31, 2.0**31 - 1),
          "f64": (-math.inf, math.inf)}
FLOATS, WIDE = ("f32", "f64"), ("u32", "s32")
FLOAT_MAX = float(numpy.finfo(numpy.float32).max)
PAD_MODES = {"reflect": "symmetric", "reflect101": "reflect", "replicate": "edge", "wrap": "wrap"}

planted = set()  # bugs that the self-test must find; see FINDERS of independent.py


class Refusal(Exception):
    """Raised if the plan must be refused."""


@dataclass
class Stage:
    text: str = ""
    kind: str = "dense"  # or "two-pass", "mean"
    masks: list = field(default_factory=list)  # k as float64 arrays, one or one per channel
    anchors: list = field(default_factory=list)
    terms: list = field(default_factory=list)  # "two-pass": (column, row), which are added
    bells: list = field(default_factory=list)  # (size, sigma) of the Gaussians of the terms
    make_terms: object = None  # of these Gaussians
    dilate: tuple = (1, 1)
    border: tuple = None  # (name, value)
    type: str = None
    clamp: tuple = None
    bias: float = 0.0


@dataclass(eq=False)
class Op:
    """A stage bound to an image."""
    stage: Stage
    input: str
    output: str
    border: tuple
    low: float
    high: float
    width: int  # of the input
    height: int
    channels: int
    copied: int  # index of the alpha channel that is copied, or -1
    left: int = 0
    right: int = 0
    above: int = 0
    below: int = 0
    form: str = "integer"  # between integers of 8 and 16 bits; or "f32", "f64": sums in order

    @property
    def has_wide(self):
        return self.input in WIDE or self.output in WIDE

    @property
    def integer(self):
        """Returns whether the arithmetic is that of integers: always for a mean, and usually for
        masks of 8 and 16 bits."""
        return not self.has_float and (self.stage.kind == "mean" or (
            not self.has_wide and self.form == "integer"))

    @property
    def has_float(self):
        return self.input in FLOATS or self.output in FLOATS

    @property
    def real(self):
        """Returns the type of the arithmetic if it is not that of integers."""
        return "f64" if self.has_wide or "f64" in (self.input, self.output, self.form) else "f32"

    @property
    def arithmetic(self):
        """Returns "integer", "f32", "f64", "32-bit" for integers that are summed in doubles, or
        "ordered f32" and "ordered f64" for those of 8 and 16 bits that have a real form."""
        if self.integer:
            return "integer"
        if self.has_float:
            return self.real
        return "32-bit" if self.has_wide else f"ordered {self.real}"

    @property
    def label(self):
        """Returns the arithmetic, and whether its results are rounded to another type."""
        if not self.has_float or self.real == self.output:
            return self.arithmetic
        return f"{self.real} to {'f32' if self.output == 'f32' else 'integer'}"

    @property
    def kind(self):
        """Returns the kind of the stage. Floats have no exact mean: box is a dense mask for
        them. Integers have no sums of terms."""
        if self.stage.kind == "mean" and not self.integer:
            return "dense"
        return "dense" if self.integer and len(self.stage.terms) > 1 else self.stage.kind

    @property
    def size(self):
        if self.border[0] != "valid":
            return self.width, self.height
        return self.width - self.left - self.right, self.height - self.above - self.below

    @property
    def most(self):
        """Returns the largest |sample| of an integer input."""
        return max(abs(limit) for limit in RANGES[self.input])

    def mask(self, channel):
        index = channel if len(self.stage.masks) > 1 else 0
        return self.stage.masks[index], self.stage.anchors[index]


# ---- Formulas ----------------------------------------------------------------------------------

FIXED = {
    "identity": [[1]],
    "sharpen": [[0, -1, 0], [-1, 5, -1], [0, -1, 0]],
    "edge": [[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]],
    "sobel-x": [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]],
    "sobel-y": [[-1, -2, -1], [0, 0, 0], [1, 2, 1]],
    "scharr-x": [[-3, 0, 3], [-10, 0, 10], [-3, 0, 3]],
    "scharr-y": [[-3, -10, -3], [0, 0, 0], [3, 10, 3]],
    "prewitt-x": [[-1, 0, 1], [-1, 0, 1], [-1, 0, 1]],
    "prewitt-y": [[-1, -1, -1], [0, 0, 0], [1, 1, 1]],
    "emboss": [[-2, -1, 0], [-1, 1, 1], [0, 1, 2]],
    "laplacian:4": [[0, 1, 0], [1, -4, 1], [0, 1, 0]],
    "laplacian:8": [[1, 1, 1], [1, -8, 1], [1, 1, 1]],
}


def bell(size, sigma=None):
    """Returns the sampled Gaussian, normalised; without sigma, with the default sigma of the
    size."""
    if sigma is None and size in (3, 5):
        return numpy.array({3: [1, 2, 1], 5: [1, 4, 6, 4, 1]}[size]) / 2.0 ** (size - 1)
    if sigma is None:
        sigma = 0.3 * ((size - 1) / 2 - 1) + 0.8
    taps = numpy.exp(-0.5 * ((numpy.arange(size) - (size - 1) / 2) / sigma) ** 2)
    return taps / taps.sum()


def bell_size(sigma, truncate=4.0):
    return 2 * math.floor(truncate * sigma + 0.5) + 1


def unsharp(taps, amount):
    """Returns the mask for the taps of a Gaussian."""
    mask = -amount * numpy.outer(taps, taps)
    mask[len(taps) // 2, len(taps) // 2] += 1.0 + amount
    return mask


def unsharp_terms(taps, amount):
    """Returns columns and rows whose products add up to the mask."""
    middle = (numpy.arange(len(taps)) == len(taps) // 2) * 1.0
    return [(taps, -amount * taps), (middle, (1.0 + amount) * middle)]


def raw_log(taps, sigma):
    """Returns the mask and its mean, which is not yet subtracted."""
    x = numpy.arange(len(taps)) - float(len(taps) // 2)
    square, both = sigma * sigma, x[None, :] * x[None, :] + x[:, None] * x[:, None]
    mask = numpy.outer(taps, taps) * ((both - 2.0 * square) / (square * square))
    return mask, plain_sum(mask) / mask.size


def log(taps, sigma):
    mask, mean = raw_log(taps, sigma)
    return mask - mean


def log_terms(taps, sigma):
    x, square = numpy.arange(len(taps)) - float(len(taps) // 2), sigma * sigma
    second, mean = taps * ((x * x - square) / (square * square)), raw_log(taps, sigma)[1]
    return [(second, taps), (taps, second),
            (numpy.ones(len(taps)), numpy.full(len(taps), -mean))]


def dog(inside, around):
    return numpy.outer(inside, inside) - numpy.outer(around, around)


def dog_terms(inside, around):
    return [(inside, inside), (around, -around)]


def motion(length, angle):
    """Returns the mask 1 − the distance from a segment of length − 1, clipped at 0 and
    normalised."""
    half = (length - 1) / 2
    tip = numpy.array([math.cos(math.radians(angle)), math.sin(math.radians(angle))])
    across, up = (math.ceil(abs(part) * half - 1e-9) for part in tip)
    x = numpy.arange(-across, across + 1.0)[None, :]
    y = -numpy.arange(-up, up + 1.0)[:, None]
    along = numpy.clip(x * tip[0] + y * tip[1], -half, half)
    distance = numpy.hypot(x - along * tip[0], y - along * tip[1])
    mask = numpy.maximum(0.0, 1.0 - distance)
    return mask / mask.sum()


def disk(radius):
    """Returns the fraction of 16 × 16 sub-pixels within the radius."""
    reach = math.ceil(radius - 0.5)
    at = (numpy.arange((2 * reach + 1) * 16) + 0.5) / 16 - reach - 0.5
    inside = at[None, :] ** 2 + at[:, None] ** 2 <= radius * radius
    mask = inside.reshape(2 * reach + 1, 16, 2 * reach + 1, 16).mean(axis=(1, 3))
    return mask / mask.sum()


# ---- Options -----------------------------------------------------------------------------------

def plain_sum(taps):
    """Returns the sum in double, added row by row, one addition after another."""
    total = 0.0
    for tap in taps.flat:
        total += float(tap)
    return total


def finish(stage, anchor=None, normalise=False, flip=False):
    """Applies anchors, then normalise, then flip to a stage with its taps."""
    stage.anchors = [anchor or (k.shape[1] // 2, k.shape[0] // 2) for k in stage.masks]
    if "anchor" in planted:
        stage.anchors = [anchor or ((k.shape[1] - 1) // 2, (k.shape[0] - 1) // 2)
                         for k in stage.masks]
    if normalise and len(stage.terms) > 1:
        stage.kind = "dense"
    if normalise and stage.kind == "dense":
        stage.masks = [k / plain_sum(k) for k in stage.masks]
    if flip:
        stage.masks = [k[::-1, ::-1].copy() for k in stage.masks]
        stage.anchors = [(k.shape[1] - 1 - x, k.shape[0] - 1 - y)
                         for k, (x, y) in zip(stage.masks, stage.anchors)]
    if "tap" in planted:
        stage.masks = [k.copy() for k in stage.masks]
        stage.masks[0][0, 0] += 1 / 64
        stage.terms = [(down + (numpy.arange(len(down)) == 0) / 64, across)
                       for down, across in stage.terms]


# ---- Binding to an image -----------------------------------------------------------------------

def output_type(problem, i, given):
    """Returns the type of stage i's result: the plan's for the last stage, the stage's own, or the
    type between stages."""
    last = i == len(problem.stages) - 1
    own = problem.stages[i].type
    if last and problem.result_type:
        return problem.result_type
    if own or not problem.intermediate:
        return own or given
    return problem.type if last else problem.intermediate


def clamp_range(stage, output):
    low, high = RANGES[output]
    if stage.clamp is None:
        return low, high
    first, last = stage.clamp
    if output == "f32":
        return float(numpy.float32(first)), float(numpy.float32(last))
    if output == "f64":
        return first, last
    low, high = max(low, math.ceil(first)), min(high, math.floor(last))
    if low > high:
        raise Refusal("clamp contains no value of the type")
    return float(low), float(high)


def reach(op):
    for k, (x, y) in zip(op.stage.masks, op.stage.anchors):
        dx, dy = op.stage.dilate
        op.left, op.above = max(op.left, x * dx), max(op.above, y * dy)
        op.right = max(op.right, (k.shape[1] - 1 - x) * dx)
        op.below = max(op.below, (k.shape[0] - 1 - y) * dy)


def check(op):
    if len(op.stage.masks) not in (1, op.channels):
        raise Refusal("masks for channels")
    if min(op.size) < 1:
        raise Refusal("valid: smaller than the mask")
    if not op.integer and op.real == "f32" and \
            max(numpy.abs(k).max() for k in op.stage.masks) > FLOAT_MAX:
        raise Refusal("a tap outside the float range")


def border_of(border, given):
    """Returns the border with its value rounded to the type of the input."""
    name, value = border
    low, high = (-FLOAT_MAX, FLOAT_MAX) if given == "f32" else RANGES[given]
    if name == "constant" and not (low <= value <= high
                                   and (given in FLOATS or value == int(value))):
        raise Refusal("constant is not a value of the type")
    return name, float(numpy.float32(value)) if given == "f32" else value


def resolve(problem):
    """Returns the ops of a problem, or raises Refusal."""
    ops, given = [], problem.type
    width, height = problem.width, problem.height
    copied = -1 if problem.alpha_mode == "filter" else problem.alpha - 1
    for i, stage in enumerate(problem.stages):
        output = output_type(problem, i, given)
        low, high = clamp_range(stage, output)
        border = border_of(stage.border or problem.border, given)
        op = Op(stage, given, output, border, low, high, width, height, problem.channels, copied)
        reach(op)
        check(op)
        ops.append(op)
        given, (width, height) = output, op.size
    return ops


# ---- Borders -----------------------------------------------------------------------------------

def index_map(border, size, before, after):
    """Returns for coordinates -before … size-1+after the index of the sample, or -1 for the
    constant value."""
    if "border" in planted and border == "reflect":
        border = "reflect101"
    if border in PAD_MODES:
        return numpy.pad(numpy.arange(size), (before, after), mode=PAD_MODES[border])
    return numpy.pad(numpy.arange(size), (before, after), constant_values=-1)


def padded(op, image):
    """Returns the input extended by the reach of the mask; unchanged for `valid`."""
    if op.border[0] == "valid":
        return image
    rows = index_map(op.border[0], op.height, op.above, op.below)
    columns = index_map(op.border[0], op.width, op.left, op.right)
    wide = image[rows][:, columns]
    wide[rows < 0] = op.border[1]
    wide[:, columns < 0] = op.border[1]
    return wide


def tap_views(op, wide, mask, anchor):
    """Yields (tap, the samples under it for all output pixels) in the order of the mask, without
    zeros."""
    width, height = op.size
    dx, dy = op.stage.dilate
    for j, i in zip(*numpy.nonzero(mask)):
        y, x = op.above + (j - anchor[1]) * dy, op.left + (i - anchor[0]) * dx
        yield mask[j, i], wide[y:y + height, x:x + width]


def inner(op, image):
    """Returns the samples at the output pixels: the result of a copied channel."""
    if op.border[0] != "valid":
        return image
    width, height = op.size
    return image[op.above:op.above + height, op.left:op.left + width]
