"""The way from a call to prepared work: types that the library has not, and results."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import in_type, stored
from ._nd_recipes import Recipe, Taps
from ._nd_work import PaddedWork, Work, cached
from ._types import CODES, inner_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def filtered(recipe: Callable[..., Recipe], input: Any, output: Any,
             *arguments: Any) -> NDArray[Any]:
    """The result of a recipe with these arguments."""
    array = input if type(input) is np.ndarray else np.asarray(input)
    dtype = array.dtype
    if output is None and dtype in CODES and array.size and array.ndim and array.flags.aligned:
        work = _work(recipe, array, dtype, "", None, array.ndim, arguments)
        result = work.make()
        work(array, result)
        return result
    return _general(recipe, array, output, arguments)


def _work(recipe: Callable[..., Recipe], array: NDArray[Any], dtype: np.dtype[Any], clamp: str,
          strides: tuple[int, ...] | None, ndim: int,
          arguments: tuple[Any, ...]) -> Work | PaddedWork:
    try:
        return cached(recipe, array.shape, array.strides, array.dtype, dtype, clamp, strides, ndim,
                      *arguments)
    except TypeError:  # lists have no hash; other errors come again
        pass
    return cached(recipe, array.shape, array.strides, array.dtype, dtype, clamp, strides, ndim,
                  *map(_frozen, arguments))


def _frozen(value: Any) -> Any:
    """An argument that can be a key."""
    if isinstance(value, str) or not np.iterable(value):
        return value.item() if isinstance(value, np.ndarray) else value
    if isinstance(value, Taps):
        return value
    return tuple(map(_frozen, value))


def _inner(dtype: np.dtype[Any]) -> tuple[np.dtype[Any], str]:
    """The type that stands for another one, and the range of the other one."""
    if dtype.kind == "c":
        raise TypeError("complex arrays are not supported; use scipy.ndimage, or filter real and "
                        "imaginary part")
    found = inner_of(dtype)
    if found is None:
        raise RuntimeError(f"array type {dtype} is not supported")
    return found


def _result_of(output: Any, array: NDArray[Any]) -> tuple[np.dtype[Any], NDArray[Any] | None]:
    """The type of the result, and the caller's array for it."""
    if output is None:
        return array.dtype.newbyteorder("="), None
    if isinstance(output, (type, np.dtype)):
        return np.dtype(output), None
    if isinstance(output, str):
        dtype = np.dtype(output)
        if not issubclass(dtype.type, np.number):
            raise RuntimeError(f"output must have a numeric type, not {dtype}")
        return dtype, None
    result = np.asarray(output)
    if result.shape != array.shape:
        raise RuntimeError(f"output shape not correct: it is {result.shape}, and the array's "
                           f"{array.shape}")
    return result.dtype, result


def _general(recipe: Callable[..., Recipe], array: NDArray[Any], output: Any,
             arguments: tuple[Any, ...]) -> NDArray[Any]:
    """Any array, any output."""
    dtype, result = _result_of(output, array)
    source = _inner(array.dtype)[0]
    inner, clamp = _inner(dtype)
    if result is not None and not result.flags.writeable:
        raise ValueError("the output array is read-only")
    ndim = array.ndim
    if not array.size:
        recipe(ndim, *arguments)
        return np.zeros(array.shape, dtype) if result is None else result
    if result is not None and np.may_share_memory(array, result):
        array = array.copy()
    array = in_type(array, source)
    if ndim == 0:
        array = array.reshape(1)
    direct = _direct(result, inner) if ndim else None
    work = _work(recipe, array, inner, clamp, None if direct is None else direct.strides, ndim,
                 arguments)
    made = work.make() if direct is None else direct
    work(array, made)
    if direct is not None and result is not None:
        return result
    return stored(made.reshape(()) if ndim == 0 else made, dtype, result)


def _direct(result: NDArray[Any] | None, inner: np.dtype[Any]) -> NDArray[Any] | None:
    """The caller's array, if the library can write to it."""
    if result is None or not result.flags.aligned:
        return None
    if result.dtype == np.bool_:
        return result.view(np.uint8)
    return result if result.dtype == inner and result.dtype in CODES else None
