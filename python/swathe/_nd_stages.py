"""Passes as chains, and the first of several chains that is accurate enough."""
from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from . import _swathe
from ._nd_layout import Frame
from ._nd_recipes import Dense, Pass
from ._types import CODES

_NAMES = {"float32": "f32", "float64": "f64"}
_SMALL = 9   # taps up to which one mask over two axes is faster than two passes
# |result - rint(exact)| is below 2, so at most 1, if the bound is below this.
_BOUND = 1.5


def work_dtype(source: np.dtype[Any], result: np.dtype[Any]) -> np.dtype[Any]:
    """The type of intermediate results."""
    narrow = source.itemsize <= 2 or source == np.float32
    return np.dtype(np.float32 if narrow and result != np.float64 else np.float64)


def plan_of(chains: Iterable[str], frame: Frame, source: np.dtype[Any],
            result: np.dtype[Any]) -> tuple[_swathe.Plan, float]:
    """The plan of the first chain that the library takes, and its error bound.

    The library refuses integer arithmetic that could overflow or has no such border value; the
    last chain computes in float64.
    """
    width, height, channels = frame.size
    shape = (width, height, channels, CODES[source], 0, 0)
    options = {"type": CODES[result], "values": "keep"}
    *others, last = chains
    for chain in others:
        try:
            plan = _swathe.Plan(chain, shape, options)
        except (_swathe.ArgumentError, _swathe.UnsupportedError):
            continue
        bound = float(plan.info()["error_bound"])
        if result.kind == "f" or bound < _BOUND:
            return plan, bound
    plan = _swathe.Plan(last, shape, options)
    return plan, float(plan.info()["error_bound"])


def _numbers(rows: Iterable[Iterable[float]]) -> str:
    return "(" + "; ".join(" ".join(map(repr, row)) for row in rows) + ")"


def _mask(rows: Sequence[Sequence[float]], anchor: tuple[int, int], border: str) -> str:
    return f"mask:{_numbers(rows)}:anchor={anchor[0]}x{anchor[1]}:border={border}"


def _line(step: Pass, across: bool) -> str:
    if across:
        return _mask([step.taps], (step.anchor, 0), step.border)
    return _mask([(tap,) for tap in step.taps], (0, step.anchor), step.border)


def _uniform(border: str, passes: Sequence[Pass]) -> bool:
    """Whether passes with this border are one mask: outside, all but the last sum to 1."""
    return (not border.startswith("constant")
            or all(step.kind in ("box", "gaussian") for step in passes[:-1]))


def _whole(passes: Sequence[Pass], frame: Frame, source: np.dtype[Any],
           result: np.dtype[Any]) -> Iterator[str]:
    """One stage for passes along one or both axes, if there is such a stage."""
    ends = [1, 1]
    anchor = [0, 0]
    for step in passes:
        ends[step.axis != frame.across] = len(step.taps)
        anchor[step.axis != frame.across] = step.anchor
    options = f":anchor={anchor[0]}x{anchor[1]}:border={passes[0].border}"
    integers = source.kind != "f" and result.kind != "f"
    if integers and all(step.kind == "box" for step in passes):
        yield f"box:{ends[0]}x{ends[1]}{options}"
    if len(passes) == 2 and {step.kind for step in passes} == {"gaussian"} \
            and passes[0].sigma == passes[1].sigma:
        name = f"gaussian:{ends[0]}x{ends[1]}:sigma={passes[0].sigma!r}{options}"
        # Of 16-bit integers, floats are faster, and their taps are more accurate.
        yield name if not integers or source.itemsize != 2 else f"{name}:type=f32,identity"
    if len(passes) == 2 and math.prod(ends) <= _SMALL:
        across, down = sorted(passes, key=lambda step: step.axis != frame.across)
        rows = [[a * b for a in across.taps] for b in down.taps]
        yield _mask(rows, (anchor[0], anchor[1]), passes[0].border)


def pass_chains(passes: Sequence[Pass], frame: Frame, source: np.dtype[Any], result: np.dtype[Any],
                end: str) -> Iterator[str]:
    """Chains for passes along one or both axes, best first; `end` is for the last stage."""
    borders = {step.border for step in passes}
    if len(borders) == 1 and _uniform(passes[0].border, passes):
        for chain in _whole(passes, frame, source, result):
            yield chain + end
    first, *rest = [_line(step, step.axis == frame.across) for step in passes]
    if rest:
        yield f"{first}:type={_NAMES[work_dtype(source, result).name]},{rest[0]}{end}"
        yield f"{first}:type=f64,{rest[0]}{end}"
    else:
        yield first + end
    yield ",".join(["identity:type=f64", first, *rest]) + end


def dense_chains(dense: Dense, frame: Frame, end: str) -> Iterator[str]:
    """Chains for a mask over two axes."""
    rows: Sequence[Sequence[float]] = dense.rows
    down, across = dense.anchors
    if dense.axes[1] != frame.across:
        rows, down, across = list(zip(*rows)), across, down
    stage = _mask(rows, (across, down), dense.border) + end
    yield stage
    yield f"identity:type=f64,{stage}"


def _odd(taps: Sequence[float], size: int) -> tuple[float, ...]:
    """Taps around the middle one, with zeros outside."""
    zeros = (0.0,) * ((size - len(taps)) // 2)
    return (*zeros, *taps, *zeros)


def sum_chains(terms: Sequence[Sequence[Pass]], frame: Frame, source: np.dtype[Any],
               result: np.dtype[Any], end: str) -> Iterator[str]:
    """Chains for the sum of terms with passes along two axes, in the same order in each term.

    The first stage makes a channel of each term, the last one adds them.
    """
    order = max(terms, key=len)
    axes = [step.axis for step in order] if len(order) == 2 else \
        [step.axis for term in terms for step in term]
    found = [[next((step for step in term if step.axis == axis), None) for term in terms]
             for axis in axes]
    borders = [{step.border for step in steps if step} for steps in found]
    if len(axes) != 2 or any(len(border) != 1 for border in borders):
        return
    sizes = [max(len(step.taps) for step in steps if step) for steps in found]
    taps = [[_odd(step.taps if step else (1.0,), size) for step in steps]
            for steps, size in zip(found, sizes)]
    if len(order) == 1 and borders[0] == borders[1] and math.prod(sizes) <= _SMALL:
        pairs = zip(*taps) if axes[1] == frame.across else zip(*reversed(taps))
        rows = np.add.reduce([np.outer(down, across) for down, across in pairs]).tolist()
        middle = sizes[0] // 2, sizes[1] // 2
        yield _mask(rows, middle if axes[0] == frame.across else middle[::-1],
                    borders[0].copy().pop()) + end
    stages = []
    for axis, masks, border in zip(axes, taps, borders):
        across = axis == frame.across
        texts = ":".join(_numbers([row] if across else [(tap,) for tap in row]) for row in masks)
        stages.append(f"mask:{texts}:border={border.copy().pop()}")
    stages[0] += ":join=stack"
    ones = f"mix:({' '.join(['1'] * len(terms))}){end}"
    yield f"{stages[0]}:type={_NAMES[work_dtype(source, result).name]},{stages[1]},{ones}"
    yield f"identity:type=f64,{stages[0]},{stages[1]},{ones}"
