"""Recipes prepared for arrays of one shape, type and layout, and run."""
from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _nd_stages as stages
from ._nd_layout import Frame, Layout, creator, memory_order, new_strides
from ._nd_recipes import Pass, Recipe, gain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Make = Callable[[], NDArray[Any]]


class Step(NamedTuple):
    """One plan, and how it sees arrays."""

    run: Callable[..., None]
    frame: Frame
    bound: float  # for samples within ±1 if they are floats, otherwise for all samples
    floats: bool
    half: float   # part of the bound that is for rounding to integers
    gain: float
    make: Make    # an array for the result

    def __call__(self, source: NDArray[Any], result: NDArray[Any]) -> None:
        frame = self.frame
        self.run(frame.view(source), frame.view(result), frame.row, frame.column, frame.channel)


class Arrays(NamedTuple):
    """What a recipe is prepared for; the types are those of the library."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    source: np.dtype[Any]
    result: np.dtype[Any]
    clamp: str                            # range of the result within its type, or ""
    result_strides: tuple[int, ...] | None  # None: a new array


class _Builder:
    """Makes steps, the last of which has the result's type and layout."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self.order = memory_order(arrays.shape, arrays.strides)
        self.work = stages.work_dtype(arrays.source, arrays.result)
        if arrays.source.kind != "f" and arrays.source.itemsize == 2:
            self.work = np.dtype(np.float64)  # float32 could be off by more than a half

    def made(self, dtype: np.dtype[Any]) -> tuple[int, ...]:
        """Strides of arrays that this builder makes."""
        return new_strides(self.arrays.shape, self.order, dtype.itemsize)

    def maker(self, dtype: np.dtype[Any]) -> Make:
        return creator(self.arrays.shape, self.order, dtype)

    def layout(self, first: bool, last: bool) -> tuple[Layout, np.dtype[Any], np.dtype[Any], str]:
        """The layout, types and options of a step at either end or between."""
        arrays = self.arrays
        source = arrays.source if first else self.work
        result = arrays.result if last else self.work
        strides = (arrays.strides if first else self.made(source),
                   arrays.result_strides if last and arrays.result_strides is not None
                   else self.made(result))
        end = f":clamp={arrays.clamp}" if last and arrays.clamp else ""
        return Layout(arrays.shape, self.order, strides), source, result, end

    def step(self, chains: Any, frame: Frame, source: np.dtype[Any], result: np.dtype[Any],
             factor: float) -> Step:
        plan, bound = stages.plan_of(chains, frame, source, result)
        half = min(bound, 0.5) if result.kind != "f" else 0.0
        return Step(plan.run, frame, bound, source.kind == "f", half, factor, self.maker(result))

    def copy(self, first: bool, last: bool) -> list[Step]:
        """A change of type."""
        layout, source, result, end = self.layout(first, last)
        frame = layout.line(self.order[-1])
        return [self.step(["identity" + end], frame, source, result, 1.0)]

    def passes(self, term: tuple[Pass, ...], last: bool = True) -> list[Step]:
        """A term: two passes by one plan where that is faster."""
        if not term:
            return self.copy(True, last)
        if not any(step.border.startswith("constant") for step in term):
            term = tuple(sorted(term, key=lambda step: self.order.index(step.axis)))
        steps: list[Step] = []
        while term:
            first = not steps
            probe = self.layout(first, False)[0]
            count = 2 if len(term) > 1 and probe.joins(term[0].axis, term[1].axis) else 1
            part, term = term[:count], term[count:]
            layout, source, result, end = self.layout(first, last and not term)
            frame = layout.plane(part[0].axis, part[1].axis) if count == 2 \
                else layout.line(part[0].axis)
            chains = stages.pass_chains(part, frame, source, result, end)
            steps.append(self.step(chains, frame, source, result, gain(Recipe((part,)))))
        return steps

    def dense(self, recipe: Recipe) -> list[Step]:
        """A mask over two axes."""
        assert recipe.dense
        layout, source, result, end = self.layout(True, True)
        frame = layout.plane(*recipe.dense.axes)
        chains = stages.dense_chains(recipe.dense, frame, end)
        return [self.step(chains, frame, source, result, gain(recipe))]

    def sum(self, recipe: Recipe) -> list[Step] | None:
        """A sum over two axes by one plan, if there is one."""
        axes = sorted({step.axis for term in recipe.terms for step in term})
        layout, source, result, end = self.layout(True, True)
        if len(axes) != 2 or not layout.joins(*axes):
            return None
        frame = layout.plane(*axes)
        chains = list(stages.sum_chains(recipe.terms, frame, source, result, end)) \
            if frame.channel < 0 else []
        return [self.step(chains, frame, source, result, gain(recipe))] if chains else None


class Work:
    """A recipe for arrays of one shape, type and layout."""

    def __init__(self, recipe: Recipe, arrays: Arrays) -> None:
        builder = _Builder(arrays)
        self.join, self.terms = recipe.join, [list[Step]()]
        self.last: list[Step] = []
        found = None
        if recipe.dense:
            found = builder.dense(recipe)
        elif len(recipe.terms) == 1 and recipe.join != "hypot":
            found = builder.passes(recipe.terms[0])
        elif recipe.join == "sum":
            found = builder.sum(recipe)
        if found is not None:
            self.join, self.terms = "", [found]
        else:
            self.terms = [builder.passes(term, False) for term in recipe.terms]
            self.last = builder.copy(False, True)
        self.make = builder.maker(arrays.result)
        only = self.terms[0][0] if found and len(found) == 1 else None
        self.only = only
        # The usual case without a detour: one plan, and arrays as they are.
        self.plain = (only.run, *only.frame[2:5]) if only and only.frame[:2] == (None, None) \
            else None

    def __call__(self, source: NDArray[Any], result: NDArray[Any]) -> None:
        if self.plain:
            run, row, column, channel = self.plain
            run(source, result, row, column, channel)
        elif not self.join:
            _run(self.terms[0], source, result)
        else:
            self._joined(source, result)

    def _joined(self, source: NDArray[Any], result: NDArray[Any]) -> None:
        total = _run(self.terms[0], source, None)
        square = self.join == "hypot"
        if square:
            np.multiply(total, total, total)
        for term in self.terms[1:]:
            more = _run(term, source, None)
            if square:
                np.multiply(more, more, more)
            np.add(total, more, total)
        if square:
            np.sqrt(total, total)
        _run(self.last, total, result)

    def bound(self, peak: float) -> float:
        """Largest distance of results from real arithmetic, for samples within ±peak."""
        errors, tops = zip(*(_bound(term, peak) for term in self.terms))
        if not self.join:
            return float(errors[0])
        unit = 2.0 ** -24 if self.terms[0][-1].make().dtype == np.float32 else 2.0 ** -53
        total = sum(errors) + (len(errors) + 2) * unit * sum(tops)
        return float(total + _bound(self.last, sum(tops))[0])


def _bound(term: list[Step], peak: float) -> tuple[float, float]:
    """Bound and largest magnitude of a term."""
    error = 0.0
    for step in term:
        scale = max(peak, 1) if step.floats else 1
        error = error * step.gain + (step.bound - step.half) * scale + step.half
        peak *= step.gain
    return error, peak


def _run(steps: list[Step], source: NDArray[Any], result: NDArray[Any] | None) -> NDArray[Any]:
    for step in steps[:-1]:
        between = step.make()
        step(source, between)
        source = between
    if result is None:
        result = steps[-1].make()
    steps[-1](source, result)
    return result


# ---- Values outside that are not finite ---------------------------------------------------------


class PaddedWork:
    """A recipe whose samples outside are NaN or infinite, which the library has no border for."""

    def __init__(self, recipe: Recipe, arrays: Arrays) -> None:
        self.recipe, self.arrays = recipe, arrays
        self.dtype = stages.work_dtype(arrays.source, arrays.result)
        order = memory_order(arrays.shape, arrays.strides)
        self.make = creator(arrays.shape, order, arrays.result)

    def __call__(self, source: NDArray[Any], result: NDArray[Any]) -> None:
        recipe = self.recipe
        start = source.astype(self.dtype)
        if recipe.dense:
            sizes = len(recipe.dense.rows), len(recipe.dense.rows[0])
            reach = dict(zip(recipe.dense.axes, zip(recipe.dense.anchors, sizes)))
            inner = recipe._replace(dense=recipe.dense._replace(border="replicate"))
            total = self._padded(start, inner, reach, _outside(recipe.dense.border))
        else:
            terms = [self._term(start, term) for term in recipe.terms]
            total = sum(terms[1:], terms[0]) if recipe.join != "hypot" \
                else np.sqrt(sum(term * term for term in terms))
        total = np.ascontiguousarray(total)
        last = Arrays(total.shape, total.strides, self.dtype, self.arrays.result,
                      self.arrays.clamp, result.strides)
        made(Recipe(((),)), last)(total, result)

    def _term(self, array: NDArray[Any], term: tuple[Pass, ...]) -> NDArray[Any]:
        for step in term:
            value = _outside(step.border)
            inner = step if value is None else step._replace(border="replicate")
            array = self._padded(array, Recipe(((inner,),)),
                                 {step.axis: (step.anchor, len(step.taps))}, value)
        return array

    def _padded(self, array: NDArray[Any], inner: Recipe, reach: dict[int, tuple[int, int]],
                value: float | None) -> NDArray[Any]:
        """The filter on an array with samples around it, of which the result is cut out."""
        before = [reach.get(axis, (0, 1)) for axis in range(array.ndim)]
        if value is not None:
            array = np.pad(array, [(anchor, size - 1 - anchor) for anchor, size in before],
                           constant_values=value)
        work = made(inner, Arrays(array.shape, array.strides, array.dtype, array.dtype, "", None))
        result = work.make()
        work(array, result)
        if value is None:
            return result
        return result[tuple(slice(anchor, anchor + length)
                            for (anchor, _), length in zip(before, self.arrays.shape))]


def _outside(border: str) -> float | None:
    """The value of a border that is not finite."""
    value = float(border[9:-1]) if border.startswith("constant(") else 0.0
    return None if math.isfinite(value) else value


def made(recipe: Recipe, arrays: Arrays) -> Work | PaddedWork:
    """A recipe, prepared."""
    borders = {step.border for term in recipe.terms for step in term}
    if recipe.dense:
        borders.add(recipe.dense.border)
    odd = any(_outside(border) is not None for border in borders)
    return (PaddedWork if odd else Work)(recipe, arrays)


@lru_cache(maxsize=256, typed=True)
def cached(recipe: Callable[..., Recipe], shape: tuple[int, ...], strides: tuple[int, ...],
           source: np.dtype[Any], result: np.dtype[Any], clamp: str,
           result_strides: tuple[int, ...] | None, ndim: int, *arguments: Any) -> Work | PaddedWork:
    """A recipe, prepared once for calls with the same arguments."""
    return made(recipe(ndim, *arguments), Arrays(shape, strides, source, result, clamp,
                                                 result_strides))
