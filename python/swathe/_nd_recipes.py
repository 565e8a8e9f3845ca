"""What the functions of SciPy compute: passes along axes, checked as SciPy checks its arguments."""
from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

_BORDERS = {"reflect": "reflect", "grid-mirror": "reflect", "mirror": "reflect101",
            "nearest": "replicate", "wrap": "wrap", "grid-wrap": "wrap",
            "constant": "constant", "grid-constant": "constant"}


class Pass(NamedTuple):
    """Correlation with taps along an axis: out[i] = sum(taps[j] * in[i + j - anchor])."""

    axis: int
    taps: tuple[float, ...]
    anchor: int
    border: str
    kind: str = "mask"  # "box": a mean; "gaussian": sigma is its width
    sigma: float = 0.0


class Dense(NamedTuple):
    """Correlation with a mask over two axes."""

    axes: tuple[int, int]
    rows: tuple[tuple[float, ...], ...]
    anchors: tuple[int, int]
    border: str


class Recipe(NamedTuple):
    """A mask over two axes, or the join of terms, each of which is a sequence of passes."""

    terms: tuple[tuple[Pass, ...], ...]
    join: str = ""  # of several terms: "sum" or "hypot"
    dense: Dense | None = None


# ---- Arguments ----------------------------------------------------------------------------------


def border_of(mode: Any, cval: Any) -> str:
    """SciPy's mode as a border."""
    if isinstance(cval, str):
        raise TypeError(f"cval must be a number, not {cval!r}")
    value = float(cval)
    border = _BORDERS.get(mode) if isinstance(mode, str) else None
    if border is None:
        raise RuntimeError(f"boundary mode not supported: {mode!r} is not one of "
                           f"{', '.join(_BORDERS)}")
    if border == "constant":
        return f"constant({value!r})" if value else "zero"
    return border


def each(value: Any, count: int) -> list[Any]:
    """A value for each axis."""
    if isinstance(value, str) or not np.iterable(value):
        return [value] * count
    values = list(value)
    if len(values) != count:
        raise RuntimeError("sequence argument must have length equal to input rank or number of "
                           f"axes, {count}, not {len(values)}")
    return values


def axis_of(axis: Any, ndim: int) -> int:
    """An axis, counted from 0."""
    index = operator.index(axis)
    if not -ndim <= index < ndim:
        raise np.exceptions.AxisError(index, ndim)
    return index % ndim


def axes_of(axes: Any, ndim: int) -> tuple[int, ...]:
    """The axes to filter."""
    if axes is None:
        return tuple(range(ndim))
    given: Any = (axes,) if np.isscalar(axes) else axes
    if not isinstance(given, Iterable):
        raise ValueError("axes must be an integer, integers, or None")
    found = [operator.index(axis) for axis in given]
    for axis in found:
        if not -ndim <= axis < ndim:
            raise ValueError(f"axis {axis} is out of range: the array has {ndim}")
    normal = tuple(axis % ndim for axis in found)
    if len(set(normal)) != len(normal):
        raise ValueError("axes must be unique")
    return normal


def anchor_of(size: int, origin: Any, convolution: bool = False) -> int:
    """The tap that is aligned with the output sample, after a convolution's flip."""
    shift = operator.index(-origin - (1 - size % 2) if convolution else origin)
    if not -(size // 2) <= shift <= (size - 1) // 2:
        raise ValueError(f"invalid origin {origin}: the filter of size {size} would not contain "
                         "the sample itself")
    return size // 2 + shift


def _floats(taps: Any) -> tuple[float, ...]:
    return tuple(np.asarray(taps, np.float64).tolist())


# ---- Masks --------------------------------------------------------------------------------------


class Taps(NamedTuple):
    """Weights as a key of caches."""

    shape: tuple[int, ...]
    data: bytes

    def array(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The weights."""
        return np.frombuffer(self.data).reshape(self.shape)


def taps_of(weights: Any) -> Taps:
    """Weights, converted as SciPy converts them."""
    array = np.asarray(weights)
    if array.dtype.kind == "c":
        raise TypeError("complex weights are not supported; use scipy.ndimage")
    array = np.asarray(array, np.float64)
    return Taps(array.shape, array.tobytes())


def line(ndim: int, taps: Taps, convolution: bool, axis: Any, mode: Any, cval: Any,
         origin: Any) -> Recipe:
    """correlate1d and convolve1d."""
    if len(taps.shape) != 1 or taps.shape[0] < 1:
        raise RuntimeError("no filter weights given: they need one dimension, and not the shape "
                           f"{taps.shape}")
    weights = taps.array()[::-1] if convolution else taps.array()
    found = axis_of(axis, ndim)
    anchor = anchor_of(len(weights), origin, convolution)
    return Recipe(((Pass(found, _floats(weights), anchor, border_of(mode, cval)),),))


def mask(ndim: int, taps: Taps, convolution: bool, mode: Any, cval: Any, origin: Any,
         axes: Any) -> Recipe:
    """correlate and convolve."""
    found = axes_of(axes, ndim)
    if len(taps.shape) != len(found) or 0 in taps.shape:
        given = len(taps.shape) - taps.shape.count(0)
        raise RuntimeError(f"weights.ndim ({given}) must match len(axes) ({len(found)})")
    origins = each(origin, len(found))
    # As in SciPy, weights have the order of the array's axes, whatever that of `axes`, and so have
    # the origins if these are all axes.
    if len(found) < ndim:
        origins = [start for _, start in sorted(zip(found, origins), key=lambda pair: pair[0])]
    found = tuple(sorted(found))
    weights = taps.array()
    if convolution:
        weights = np.flip(weights)
    anchors = [anchor_of(*pair, convolution) for pair in zip(taps.shape, origins)]
    if not isinstance(mode, str) and isinstance(mode, Iterable):
        raise RuntimeError("a sequence of modes is not supported by correlate and convolve")
    border = border_of(mode, cval)
    long = [(axis, i) for i, axis in enumerate(found) if taps.shape[i] > 1]
    if len(long) > 2:
        name = "convolve" if convolution else "correlate"
        raise NotImplementedError(f"weights over {len(long)} axes are not supported, only over "
                                  f"two: use scipy.ndimage.{name}, or separable filters")
    weights = weights.reshape([taps.shape[i] for _, i in long])
    if len(long) < 2:
        axis, anchor = (long[0][0], anchors[long[0][1]]) if long else (max(ndim - 1, 0), 0)
        return Recipe(((Pass(axis, _floats(weights.reshape(-1)), anchor, border),),))
    (first, i), (second, j) = long
    return Recipe((), "", Dense((first, second), tuple(map(_floats, weights)),
                                (anchors[i], anchors[j]), border))


# ---- Gaussians ----------------------------------------------------------------------------------


def gaussian_taps(sigma: Any, order: int, radius: int) -> tuple[float, ...]:
    """The taps of a derivative of a sampled Gaussian, for correlation."""
    if order < 0:
        raise ValueError(f"order must be non-negative, not {order}")
    variance = sigma * sigma
    x = np.arange(-radius, radius + 1)
    bell = np.exp(-0.5 / variance * x ** 2)
    bell = bell / bell.sum()
    # The derivative of p(x) g(x) is (p'(x) - p(x) x / variance) g(x).
    factor = np.polynomial.Polynomial([1.0])
    for _ in range(order):
        factor = factor.deriv() - factor * np.polynomial.Polynomial([0.0, 1.0 / variance])
    return _floats((factor(x) * bell)[::-1] if order else bell)


def gaussian_pass(axis: int, sigma: Any, order: Any, border: str, truncate: Any,
                  radius: Any) -> Pass:
    """gaussian_filter1d."""
    reach = int(truncate * float(sigma) + 0.5) if radius is None else radius
    if not isinstance(reach, numbers.Integral) or reach < 0:
        raise ValueError(f"Radius must be a nonnegative integer, not {reach}")
    reach = int(reach)
    taps = gaussian_taps(sigma, order, reach)
    kind = "gaussian" if order == 0 and 0.05 <= sigma <= 1000 else "mask"
    return Pass(axis, taps, reach, border, kind, float(sigma))


def gaussian_line(ndim: int, sigma: Any, axis: Any, order: Any, mode: Any, cval: Any,
                  truncate: Any, radius: Any) -> Recipe:
    """gaussian_filter1d."""
    found = axis_of(axis, ndim)
    return Recipe(((gaussian_pass(found, sigma, order, border_of(mode, cval), truncate,
                                  radius),),))


def _gaussian_term(axes: tuple[int, ...], sigma: Any, order: Any, mode: Any, cval: Any,
                   truncate: Any = 4.0, radius: Any = None) -> tuple[Pass, ...]:
    lists = [each(value, len(axes)) for value in (sigma, order, mode, radius)]
    return tuple(gaussian_pass(axis, width, degree, border_of(name, cval), truncate, reach)
                 for axis, width, degree, name, reach in zip(axes, *lists) if width > 1e-15)


def gaussian(ndim: int, sigma: Any, order: Any, mode: Any, cval: Any, truncate: Any, radius: Any,
             axes: Any) -> Recipe:
    """gaussian_filter."""
    return Recipe((_gaussian_term(axes_of(axes, ndim), sigma, order, mode, cval, truncate,
                                  radius),))


def _derivatives(ndim: int, degree: int, sigma: Any, mode: Any, cval: Any, axes: tuple[int, ...],
                 keywords: tuple[tuple[str, Any], ...]) -> tuple[tuple[Pass, ...], ...]:
    """A term for each axis. As in SciPy, its mode is used along all axes of the term."""
    terms = []
    for axis, name in zip(axes, each(mode, len(axes))):
        orders = [degree if i == axis else 0 for i in range(ndim)]
        terms.append(_gaussian_term(tuple(range(ndim)), sigma, orders, name, cval,
                                    **dict(keywords)))
    return tuple(terms) or ((),)


def gaussian_sum(ndim: int, sigma: Any, mode: Any, cval: Any, axes: Any,
                 keywords: tuple[tuple[str, Any], ...]) -> Recipe:
    """gaussian_laplace."""
    found = axes_of(axes, ndim)
    widths = each(sigma, len(found))
    if len(found) < ndim:  # as in SciPy, the order of `axes` does not count if it has all
        given = dict(zip(found, widths))
        widths = [given.get(axis, 0) for axis in range(ndim)]
    return Recipe(_derivatives(ndim, 2, widths, mode, cval, found, keywords),
                  "sum" if found else "")


def gaussian_magnitude(ndim: int, sigma: Any, mode: Any, cval: Any, axes: Any,
                       keywords: tuple[tuple[str, Any], ...]) -> Recipe:
    """gaussian_gradient_magnitude. As in SciPy, sigma is of all axes, also with `axes`."""
    found = axes_of(axes, ndim)
    return Recipe(_derivatives(ndim, 1, sigma, mode, cval, found, keywords),
                  "hypot" if found else "")


# ---- Means and derivatives ----------------------------------------------------------------------


def _mean(axis: int, size: int, origin: Any, border: str) -> Pass:
    if not 0 <= size // 2 + origin < size:
        raise ValueError(f"invalid origin {origin}: the filter of size {size} would not contain "
                         "the sample itself")
    return Pass(axis, (1 / size,) * size, size // 2 + operator.index(origin), border, "box")


def mean_line(ndim: int, size: Any, axis: Any, mode: Any, cval: Any, origin: Any) -> Recipe:
    """uniform_filter1d."""
    found = axis_of(axis, ndim)
    if size < 1:
        raise RuntimeError(f"incorrect filter size {size}")
    return Recipe(((_mean(found, operator.index(size), origin, border_of(mode, cval)),),))


def mean(ndim: int, size: Any, mode: Any, cval: Any, origin: Any, axes: Any) -> Recipe:
    """uniform_filter."""
    found = axes_of(axes, ndim)
    lists = [each(value, len(found)) for value in (size, origin, mode)]
    return Recipe((tuple(_mean(axis, int(length), start, border_of(name, cval))
                         for axis, length, start, name in zip(found, *lists) if length > 1),))


def gradient(ndim: int, middle: float, axis: Any, mode: Any, cval: Any) -> Recipe:
    """sobel and prewitt."""
    found = axis_of(axis, ndim)
    borders = [border_of(name, cval) for name in each(mode, ndim)]
    passes = [Pass(found, (-1.0, 0.0, 1.0), 1, borders[found])]
    passes += [Pass(other, (1.0, middle, 1.0), 1, borders[other])
               for other in range(ndim) if other != found]
    return Recipe((tuple(passes),))


def laplacian(ndim: int, mode: Any, cval: Any, axes: Any) -> Recipe:
    """laplace."""
    found = axes_of(axes, ndim)
    terms = tuple((Pass(axis, (1.0, -2.0, 1.0), 1, border_of(name, cval)),)
                  for axis, name in zip(found, each(mode, len(found))))
    return Recipe(terms or ((),), "sum" if terms else "")


def gain(recipe: Recipe) -> float:
    """The largest result for samples within ±1."""
    if recipe.dense:
        return math.fsum(abs(tap) for row in recipe.dense.rows for tap in row)
    return math.fsum(math.prod(math.fsum(map(abs, step.taps)) for step in term)
                     for term in recipe.terms)
