"""Objects of other libraries as NumPy arrays, without a copy."""
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
