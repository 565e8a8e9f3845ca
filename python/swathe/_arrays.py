"""Objects of other libraries as NumPy arrays, and types that the library has not."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def as_array(image: Any) -> NDArray[Any]:
    """A view of an object's memory; lists of numbers become an array of their own."""
    if isinstance(image, np.ndarray):
        return image.view(np.ndarray)
    if isinstance(image, (str, os.PathLike)):
        raise TypeError(f"{image!r} is a path; read the file with swathe.imread, or filter it with "
                        "swathe.open(path).apply(chain)")
    if hasattr(image, "__dlpack__") and not hasattr(image, "__array_interface__"):
        return np.from_dlpack(image)
    return np.asarray(image)


def in_type(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The array in the type in which it is computed, aligned; a copy only if it must be."""
    if array.dtype == np.bool_ and array.flags.aligned:
        return array.view(np.uint8)
    return array if array.dtype == dtype and array.flags.aligned else array.astype(dtype)


def stored(made: NDArray[Any], dtype: np.dtype[Any],
           result: NDArray[Any] | None = None) -> NDArray[Any]:
    """What was computed, which may be changed, as the caller's type: rounded half up, clamped."""
    if made.dtype.kind == "f" and dtype.kind == "b":
        made = made >= 0.5
    elif made.dtype.kind == "f" and dtype.kind in "iu":
        made = _rounded(made, dtype.newbyteorder("="))
    elif dtype == np.int8:
        made = made.clip(-128, 127)
    if result is None:
        with np.errstate(over="ignore"):
            return made.astype(dtype, copy=False)
    with np.errstate(over="ignore"):
        np.copyto(result, made, casting="unsafe")
    return result


def _rounded(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Doubles, which may be changed, as integers, rounded half up and clamped; NaN is 0."""
    info = np.iinfo(dtype)
    low, high = (values.min(), values.max()) if values.size else (0, 0)
    if low >= max(info.min, -2.0 ** 52) and high <= min(info.max, 2.0 ** 52):
        down = np.floor(values, np.empty_like(values))
        np.add(down, values - down >= 0.5, down)
        fits: NDArray[Any] = down.astype(dtype)
        return fits
    # From 2^52 on doubles are whole, and adding 0.5 would round them.
    whole = np.where(np.abs(values) < 2.0 ** 52, np.floor(values + 0.5), values)
    whole[np.isnan(whole)] = 0
    above, below = whole >= float(info.max), whole < float(info.min)
    whole[above | below] = 0
    result: NDArray[Any] = whole.astype(dtype)
    result[above], result[below] = info.max, info.min
    return result
