"""Sample types of the library, and NumPy's."""
from __future__ import annotations

from typing import Any

import numpy as np

CODES: dict[np.dtype[Any], int] = {np.dtype(name): code for code, name in enumerate(
    ("uint8", "uint16", "int16", "float32", "uint32", "int32", "float64"), 1)}
DTYPES = {code: dtype for dtype, code in CODES.items()}
GREY, RGB = 1, 2


def code_of(dtype: Any) -> int:
    """The number of a sample type."""
    code = CODES.get(np.dtype(dtype))
    if code is None:
        known = ", ".join(str(dtype) for dtype in CODES)
        raise TypeError(f"samples of type {np.dtype(dtype)} are not supported; convert the array "
                        f"to one of {known}")
    return code


def color_of(colors: int) -> int:
    """What images with this number of channels, without alpha, usually are."""
    return {1: GREY, 3: RGB}.get(colors, 0)
