"""Plans: a chain prepared for arrays of one shape and type."""
from __future__ import annotations

import difflib
import operator
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from . import _swathe
from ._chain import Chain
from ._swathe import ArgumentError
from ._types import DTYPES, code_of, color_of

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

Progress = Callable[[int, int], object]
_CPUS = len(os.sched_getaffinity(0))
_MANY = 16  # channels, from which on the array is more likely a stack of images


class _Last(int):
    """The default of channel_axis. It is not an argument: nobody has said what the axis is."""


LAST: int = _Last(-1)


class Options(TypedDict, total=False):
    """Options of ``apply`` and ``Plan``; None means the default."""

    border: str | None
    dtype: DTypeLike | None
    intermediate: DTypeLike | None
    device: str | None
    exact: bool | None
    accuracy: float | None
    alpha: str | None
    light: str | None
    nodata: float | str | None
    values: str | None
    algorithm: str | None
    strategy: str | None
    isa: str | None
    tune: bool | None
    max_memory: int | None
    device_memory: int | None


def axes_of(ndim: int, channel_axis: int | None) -> tuple[int, int, int]:
    """The dimensions of rows, columns and channels (-1: none)."""
    if ndim < 2:
        raise ValueError(f"an image has at least two dimensions, not {ndim}")
    if ndim == 2 or channel_axis is None:
        return ndim - 2, ndim - 1, -1
    channel = operator.index(channel_axis)
    if not -ndim <= channel < ndim:
        raise ValueError(f"channel_axis={channel_axis} is not a dimension of an array with {ndim}")
    channel %= ndim
    row, column = (axis for axis in range(ndim - 3, ndim) if axis != channel) \
        if channel >= ndim - 3 else (ndim - 2, ndim - 1)
    return row, column, channel


def said_axis(shape: Sequence[int], channel_axis: int | None) -> int | None:
    """The argument; warns if it is the default, and the last dimension is long for channels."""
    if channel_axis is not LAST:
        return channel_axis
    if len(shape) > 2 and shape[-1] > _MANY:
        frame, level = sys._getframe(), 1
        while frame.f_back and frame.f_globals.get("__package__") == __package__:
            frame, level = frame.f_back, level + 1
        warnings.warn(f"the shape {tuple(shape)} means {shape[-1]} channels, the last dimension; "
                      "pass channel_axis=None for a stack of images without channels, or "
                      "channel_axis=-1 to say that these are channels", UserWarning, level)
    return -1


def c_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as the extension module takes them."""
    for name in options:
        if name not in Options.__annotations__:
            near = difflib.get_close_matches(name, Options.__annotations__, 1)
            advice = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"unexpected keyword argument {name!r}{advice}")
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    for name, field in ("dtype", "type"), ("intermediate", "intermediate"):
        if name in given:
            given[field] = code_of(given.pop(name))
    for name in "exact", "tune":
        if name in given:
            given[name] = int(given[name])
    if "nodata" in given and not isinstance(given["nodata"], str):
        given["nodata"] = repr(float(given["nodata"])).removesuffix(".0")
    return given


def check_batch(image: NDArray[Any], out: NDArray[Any]) -> None:
    """Images of a batch are filtered one after another, so that none may overlap a result.

    Results must not overlap each other either. As in the library, each stride has to step over all
    samples of smaller strides.
    """
    if np.may_share_memory(image, out):
        raise ArgumentError("image and out overlap; write the result to other memory")
    span = out.itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in
                               zip(out.strides, out.shape, strict=True) if size > 1):
        if stride < span:
            raise ArgumentError(f"samples of out overlap each other: a stride is {stride} bytes, and "
                                f"at least {span} are needed; pass an array with memory for every "
                                "image")
        span += (size - 1) * stride


def check_out(out: NDArray[Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """An array for a result must have its shape and type, and take it."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    if out.shape != shape or out.dtype != dtype:
        raise ValueError(f"the result is a {dtype} array of shape {shape}, but out is {out.dtype} "
                         f"of {out.shape}")


class Plan:
    """A chain prepared for arrays of one shape and type.

    Any number of threads may call a plan at once. Plans pickle: the receiver prepares the chain
    again.

    Parameters
    ----------
    chain : str or Chain
    shape : tuple of int
        Of the arrays. The last two dimensions except `channel_axis` are rows and columns; others
        are a batch.
    dtype : data type
        Of the arrays: one of the library's, which `apply` computes other types in.
    channel_axis : int or None
        The dimension of channels, if there are more than two; None: no channels. By default the
        last one, with a warning if it is longer than 16.
    out_dtype : data type, optional
        Of the results; by default the chain's, otherwise that of the arrays.
    alpha : str, optional
        The last channel is alpha: "premultiply", "keep" or "filter". By default there is no alpha.
    **options
        As in `apply`.

    Examples
    --------
    >>> import numpy as np, swathe
    >>> plan = swathe.Plan("gaussian:5", (480, 640, 3), "uint8")
    >>> plan(np.zeros((480, 640, 3), np.uint8)).shape
    (480, 640, 3)
    >>> plan.error_bound < 0.6
    True
    """

    def __init__(self, chain: str | Chain, shape: Sequence[int], dtype: DTypeLike = "uint8", *,
                 channel_axis: int | None = LAST, out_dtype: DTypeLike | None = None,
                 **options: Any) -> None:
        channel_axis = said_axis(shape, channel_axis)
        self._given = (Chain(chain), tuple(operator.index(size) for size in shape), np.dtype(dtype).str,
                       channel_axis, {**options, "out_dtype": out_dtype})
        self.chain, self.shape = self._given[:2]
        self.dtype = np.dtype(dtype)
        self.axes = axes_of(len(self.shape), channel_axis)
        row, column, channel = self.axes
        channels = self.shape[channel] if channel >= 0 else 1
        alpha = channels if options.get("alpha") is not None else 0
        if alpha and channel < 0:
            raise ValueError("alpha= needs channels, of which the last is alpha")
        shape_in = (self.shape[column], self.shape[row], channels, code_of(self.dtype),
                    color_of(channels - (alpha > 0)), alpha)
        self._plan = _swathe.Plan(self.chain.text, shape_in, c_options({**options, "dtype": out_dtype}))
        self.info = self._plan.info()
        width, height, channels, code = self.info["result"][:4]
        result = list(self.shape)
        result[row], result[column] = height, width
        # A single plane that becomes several gets a last dimension of channels.
        self._grows = channel < 0 and channels > 1
        if self._grows:
            result.append(channels)
            self.axes = (row, column, len(self.shape))
        elif channel >= 0:
            result[channel] = channels
        self.result_shape = tuple(result)
        self.result_dtype = DTYPES[code]
        self._run = self._plan.run
        self._batch = len(self.shape) > (2 if channel < 0 else 3)

    @property
    def error_bound(self) -> float:
        """Largest distance of a result from exact real arithmetic, if floats are within ±1."""
        return float(self.info["error_bound"])

    def explain(self, *, json: bool = False) -> str:
        """What the plan does, stage by stage, as a table or as JSON."""
        return self._plan.text(1 if json else 0)

    def empty(self, image: NDArray[Any]) -> NDArray[Any]:
        """An array for the result, with the memory order of the image if shape and type agree."""
        if self.result_shape == image.shape and self.result_dtype == image.dtype:
            return np.empty_like(image, subok=False)
        return np.empty(self.result_shape, self.result_dtype)

    def __call__(self, image: NDArray[Any], out: NDArray[Any] | None = None, *,
                 threads: int | None = None, progress: Progress | None = None) -> NDArray[Any]:
        """Filters an array of the plan's shape and type."""
        if not isinstance(image, np.ndarray) or isinstance(image, np.ma.MaskedArray):
            raise TypeError("a plan filters NumPy arrays; swathe.apply takes other objects and "
                            "masked arrays")
        if image.shape != self.shape or image.dtype != self.dtype:
            raise ValueError(f"the plan is for {self.dtype} arrays of shape {self.shape}, not for "
                             f"{image.dtype} of {image.shape}")
        if out is None:
            out = self.empty(image)
        else:
            check_out(out, self.result_shape, self.result_dtype)
        if self._batch:
            if not out.size:
                return out
            check_batch(image, out)
        if not image.flags.aligned or not out.flags.aligned:
            raise ValueError("samples are not aligned in memory; copy them with "
                             "np.require(image, requirements='A')")
        if self._grows:
            image = image[..., np.newaxis]
        if threads is None and progress is None:
            self._run(image, out, *self.axes)
        else:  # all CPUs: the library may use fewer for a small image
            limit = 0 if threads is None or operator.index(threads) >= _CPUS else threads
            self._run(image, out, *self.axes, limit, progress)
        return out

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, self._given

    def __repr__(self) -> str:
        return (f"<swathe.Plan {self.chain} for {self.dtype} {self.shape}, gives "
                f"{self.result_dtype} {self.result_shape}>")


def _again(chain: Chain, shape: tuple[int, ...], dtype: str, channel_axis: int | None,
           options: dict[str, Any]) -> Plan:
    return Plan(chain, shape, dtype, channel_axis=channel_axis, **options)
