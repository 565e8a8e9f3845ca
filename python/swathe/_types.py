"""Sample types of the library, and NumPy's."""
from __future__ import annotations

import re
from typing import Any

import numpy as np

CODES: dict[np.dtype[Any], int] = {np.dtype(name): code for code, name in enumerate(
    ("uint8", "uint16", "int16", "float32", "uint32", "int32", "float64"), 1)}
DTYPES = {code: dtype for dtype, code in CODES.items()}
_NAMES = dict(zip(("u8", "u16", "s16", "f32", "u32", "s32", "f64"), CODES, strict=True))
# Other types are computed in one that holds all their values (64-bit integers: in float64, as
# SciPy does), and the result is limited to their range.
_OTHERS: dict[np.dtype[Any], tuple[np.dtype[Any], str]] = {
    np.dtype(name): (np.dtype(inner), clamp) for name, inner, clamp in (
        ("bool", "uint8", "0..1"), ("int8", "int16", "-128..127"), ("float16", "float32", ""),
        ("int64", "float64", ""), ("uint64", "float64", ""), ("longdouble", "float64", ""),
        ("longlong", "float64", ""), ("ulonglong", "float64", ""))
    if np.dtype(name) not in CODES}
GREY, RGB = 1, 2


def code_of(dtype: Any) -> int:
    """The number of a sample type."""
    code = CODES.get(np.dtype(dtype))
    if code is None:
        raise unsupported(np.dtype(dtype))
    return code


def unsupported(dtype: np.dtype[Any], why: str = "not supported") -> TypeError:
    """The error that names the types of the library."""
    return TypeError(f"samples of type {dtype} are {why}; convert the array to one of "
                     f"{', '.join(map(str, CODES))}")


def inner_of(dtype: np.dtype[Any]) -> tuple[np.dtype[Any], str] | None:
    """The type in which samples are computed, and the range of theirs if it is smaller."""
    native = dtype.newbyteorder("=")
    return (native, "") if native in CODES else _OTHERS.get(native)


def result_of(image: np.dtype[Any], chain: object, dtype: Any) -> np.dtype[Any]:
    """The type of a result: `dtype`, otherwise the chain's last, otherwise the image's."""
    named = re.findall(r":type=(\w+)", str(chain)) if dtype is None else []
    return np.dtype(dtype) if dtype is not None else \
        _NAMES.get(named[-1], image) if named else image.newbyteorder("=")


def color_of(colors: int) -> int:
    """What images with this number of channels, without alpha, usually are."""
    return {1: GREY, 3: RGB}.get(colors, 0)
