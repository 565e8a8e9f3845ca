"""The rules of weights: what a sample weighs, sums of samples and of weights, their quotients."""
import dataclasses
import math

import numpy

import contract
import stages
import values
from fused import fused, fused_floats
from stages import FLOATS, RANGES, Op, Refusal, planted
from weights_maker import by_value


@dataclasses.dataclass
class State:
    """What a stage finds."""
    image: numpy.ndarray
    type: str
    rule: object
    alpha: int  # index, or -1
    filtered: bool  # alpha is filtered like a colour
    top: float  # the largest alpha


# ---- Weights -----------------------------------------------------------------------------------

def value_in(value, kind):
    """Returns a value as the nearest one of a type; NaN is 0 in integers."""
    return float(values.keep(value, kind))


def lowest(kind):
    """Returns the lowest value of an integer type."""
    return -2.0 ** (int(kind[1:]) - 1) if kind.startswith("s") else 0.0


def rule_in(rule, kind):
    """Returns the rule for results of this type."""
    if rule.kind == "nan" and kind not in FLOATS:
        rule = dataclasses.replace(rule, kind="value", none=lowest(kind))
    if rule.kind == "value":
        rule = dataclasses.replace(rule, none=value_in(rule.none, kind))
    return rule


def missing_value(rule, kind):
    rule = rule_in(rule, kind)
    return {"value": rule.none, "nan": math.nan}.get(rule.kind, 0.0)


def weight_of(rule, samples, most):
    if rule.kind == "alpha":
        return numpy.where(samples > 0, numpy.minimum(samples, most), 0.0)
    if rule.kind == "mask":
        return ((samples > 0) | (samples < 0)).astype(float)
    return (~misses(rule, samples)).astype(float)


def misses(rule, samples):
    if rule.kind == "nan":
        return numpy.isnan(samples)
    return samples == rule.none if rule.kind == "value" else numpy.zeros(samples.shape, bool)


def product(samples, weights):
    return numpy.where(weights == 0, 0.0, samples * weights)


def beside(none, kind):
    """Returns the value next to `none`, towards 0; next to 0 the one above."""
    to = 1.0 if none == 0 else 0.0
    if kind in FLOATS:
        dtype = numpy.float32 if kind == "f32" else numpy.float64
        return float(numpy.nextafter(dtype(none), dtype(to)))
    return none - 1 if none > 0 else none + 1


def present(rule, none, results, kind):
    """Returns results that are present, none of which may be the value of missing ones."""
    if not by_value(rule) or math.isnan(none) or "beside" in planted:
        return results
    return numpy.where(results == none, beside(none, kind), results).astype(results.dtype)


# ---- Sums --------------------------------------------------------------------------------------

@dataclasses.dataclass
class Summer:
    """Sums of a stage's masks over planes of doubles."""
    op: Op
    single: bool  # sums are floats
    real: bool = False  # sums are long doubles, for distances

    def terms(self):
        """Returns columns and rows: taps of 1 for a box."""
        if self.op.stage.kind == "mean":
            height, width = self.op.stage.masks[0].shape
            return [(numpy.ones(height), numpy.ones(width))]
        kind = numpy.float32 if self.single and not self.real else numpy.float64
        return [(down.astype(kind), across.astype(kind)) for down, across in self.op.stage.terms]

    def unit(self):
        """Returns what stands for a tap of 1."""
        return float(self.op.stage.masks[0].size) if self.op.stage.kind == "mean" else 1.0

    def add(self, tap, samples, total):
        if self.real:
            return numpy.longdouble(tap) * samples + total
        if self.single:
            return fused_floats(tap, samples, total)
        return fused(float(tap), samples, total)

    def two_passes(self, wide):
        op = self.op
        (x, y), (dx, dy), (width, height) = op.stage.anchors[0], op.stage.dilate, op.size
        total = numpy.zeros((height, width), wide.dtype)
        for down, across in self.terms():
            columns = numpy.zeros((height, width + op.left + op.right), wide.dtype)
            for j in numpy.flatnonzero(down):
                top = op.above + (j - y) * dy
                columns = self.add(down[j], wide[top:top + height], columns)
            for i in numpy.flatnonzero(across):
                start = op.left + (i - x) * dx
                total = self.add(across[i], columns[:, start:start + width], total)
        return total

    def sums(self, plane, outside, index):
        """Returns the sums over a plane whose samples outside have the value `outside`."""
        op = self.op
        if op.border[0] in ("zero", "constant", "missing"):
            op = dataclasses.replace(op, border=("constant", outside))
        kind = numpy.float32 if self.single else numpy.float64
        wide = stages.padded(op, plane).astype(numpy.longdouble if self.real else kind)
        if op.stage.kind != "dense":
            return self.two_passes(wide).astype(numpy.longdouble if self.real else float)
        width, height = op.size
        taps, anchor = op.mask(index)
        total = numpy.zeros((height, width), wide.dtype)
        for tap, samples in stages.tap_views(op, wide, taps, anchor):
            total = self.add(tap, samples, total)
        return total

    def all(self, most, index):
        """Returns the sum if every weight is the largest."""
        flat = numpy.full((self.op.height, self.op.width), most)
        return self.sums(flat, most, index)[0, 0]


def has_both_signs(bank):
    """Returns whether a mask, or the products of a sum of several, have taps of both signs."""
    if bank.kind == "two-pass":
        signs = [numpy.sign(down)[:, None] * numpy.sign(across) for down, across in bank.terms]
        return any((sign > 0).any() for sign in signs) and any((sign < 0).any() for sign in signs)
    return any((k > 0).any() and (k < 0).any() for k in bank.masks)


# ---- A stage with weights ----------------------------------------------------------------------

distances = []  # of the colours of stages that were run


@dataclasses.dataclass
class Weighing:
    """One stage, bound to an image."""
    op: Op
    rule: object
    state: State
    summer: Summer
    most: float
    centred: bool
    outside: float  # the weight of samples outside the image

    def plane(self, channel):
        return self.state.image[:, :, channel].astype(float)

    def own_weights(self, channel):
        """Returns the weights of a channel's samples."""
        from_alpha = self.rule.kind in ("alpha", "mask")
        weights = weight_of(self.rule, self.plane(self.state.alpha if from_alpha else channel),
                            self.most)
        return numpy.roll(weights, 1, axis=0) if "row" in planted else weights

    def store(self, results, low, high):
        return contract.store_real(results, self.op.output, low, high)

    def is_present(self, weights, total, whole):
        """Returns where there is a result: by the weights, their sum, and their sum if all are
        present."""
        stays = self.rule.kind in ("mask", "value", "nan") and (
            not self.rule.fill or "fill" in planted)
        here = numpy.ones(total.shape, bool)
        if stays or self.centred:
            here &= stages.inner(self.op, weights) != 0
        if not self.centred:
            least = 0.0 if "least" in planted else self.rule.least
            here &= (total != 0) & (numpy.abs(total) >= least * abs(whole))
        return here

    def alpha(self, index):
        """Returns the new alpha."""
        weights = self.own_weights(self.state.alpha)
        total, whole = (self.summer.sums(weights, self.outside, index),
                        self.summer.all(self.most, index))
        if self.rule.kind == "mask":
            share = numpy.where(self.is_present(weights, total, whole), self.state.top, 0.0)
        elif self.centred:
            share = stages.inner(self.op, weights)
        else:
            share = total / (self.summer.unit() if "share" in planted else whole / self.most)
            share = share if whole != 0 else numpy.zeros(share.shape)
        return self.store(share, 0.0, min(self.state.top, RANGES[self.op.output][1]))

    def distance(self, channel, index, results, here):
        """Returns how far results are from real arithmetic, at most."""
        op, summer = self.op, dataclasses.replace(self.summer, real=True)
        weights = self.own_weights(channel).astype(numpy.longdouble)
        samples = self.plane(channel).astype(numpy.longdouble)
        edge = 0.0 if self.outside == 0 else numpy.longdouble(op.border[1]) * self.outside
        over = summer.sums(product(samples, weights), edge, index)
        under = summer.sums(weights, self.outside, index)
        whole, unit = summer.all(self.most, index), summer.unit() * self.most
        exact = ((whole - under) * stages.inner(op, samples) + over) / unit if self.centred else \
            over / under * (whole / unit)
        exact = numpy.where(under == whole, over / unit, exact) + op.stage.bias
        far = numpy.abs(numpy.clip(exact, op.low, op.high) - results.astype(numpy.longdouble))
        return float(numpy.max(numpy.where(here, far, 0.0)))

    def colour(self, channel, index, alpha):
        op, sums = self.op, self.summer.sums
        weights, samples = self.own_weights(channel), self.plane(channel)
        edge = 0.0 if self.outside == 0 else op.border[1] * self.outside
        over = sums(product(samples, weights), edge, index)
        under = sums(weights, self.outside, index)
        whole, unit = self.summer.all(self.most, index), self.summer.unit() * self.most
        here = self.is_present(weights, under, whole)
        if self.rule.kind == "alpha":
            here &= alpha != 0
        if self.centred and "centre" not in planted:
            centre = numpy.where(here, stages.inner(op, samples), 0.0)
            results = fused(whole - under, centre, over) / unit
        elif "quotient" in planted:
            results = over * (whole / unit) / under
        else:
            results = over / under * (whole / unit)
        results = numpy.where((under == whole) | ("undivided" in planted), over / unit, results)
        results = self.store(results + op.stage.bias, op.low, op.high)
        none = missing_value(self.rule, op.output)
        results = present(self.rule, none, results, op.output)
        distances.append(self.distance(channel, index, results, here))
        return numpy.where(here, results, numpy.array(none).astype(results.dtype))


def bind(bank, output, border, state):
    """Returns the weighing of a stage, or raises Refusal."""
    height, width, channels = state.image.shape
    rule = state.rule if state.rule.kind != "none" else dataclasses.replace(state.rule,
                                                                            kind="border")
    if rule.kind == "mask" and state.alpha < 0:
        raise Refusal("no alpha channel")
    low, high = stages.clamp_range(bank, output)
    op = Op(bank, state.type, output, stages.border_of(border, state.type), low, high, width,
            height, channels, -1)
    stages.reach(op)
    most, centred = (state.top if rule.kind == "alpha" else 1.0), has_both_signs(bank)
    if centred and rule.least > 0:
        raise Refusal("least with taps of both signs")
    if not bank.join and len(bank.masks) not in (1, channels):
        raise Refusal("masks for channels")
    if min(op.size) < 1:
        raise Refusal("valid: smaller than the mask")
    single = ({state.type, op.output} == {"u8"} and rule.kind == "alpha"
              and bank.kind == "two-pass" and len(bank.terms) == 1)
    plain = dataclasses.replace(op, stage=dataclasses.replace(bank, bias=0.0))
    weighing = Weighing(op, rule, state, Summer(plain, single), most, centred, 0.0)
    if op.border[0] != "missing" or "outside" in planted:
        weighing.outside = float(weight_of(rule, numpy.array(op.border[1]), most))
    return weighing


def run_weighted(bank, output, border, state):
    """Runs one stage; several masks become a stack. Returns the next state."""
    weighing = bind(bank, output, border, state)
    by_channel = weighing.rule.kind in ("alpha", "mask")
    apart = state.alpha if by_channel or not state.filtered else -1
    colours = [c for c in range(state.image.shape[2]) if c != apart]
    index_of = {c: c if len(bank.masks) > 1 and not bank.join else 0
                for c in range(state.image.shape[2])}
    alpha = None
    if by_channel:
        alpha = weighing.alpha(index_of[apart])
    elif apart >= 0:
        alpha = weighing.store(stages.inner(weighing.op, weighing.plane(apart)), *RANGES[output])
    order = [(m, c) for m in range(len(bank.masks)) for c in colours] if bank.join else \
        [(index_of[c], c) for c in colours]
    if "masks" in planted:
        order = order[::-1]
    planes = [weighing.colour(c, m, alpha) for m, c in order]
    at = len(planes) if len(planes) != len(colours) else apart
    if alpha is not None:
        planes.insert(at, alpha)
    else:
        at = state.alpha if state.filtered and len(planes) == len(colours) else -1
    image = numpy.stack(planes, axis=2)
    return dataclasses.replace(state, image=image, type=output, alpha=at,
                               rule=rule_in(state.rule, output))
