"""Exact, fast image filtering by 2D convolution.

>>> import numpy as np, swathe
>>> image = np.random.default_rng(1).integers(0, 256, (480, 640, 3), np.uint8)
>>> swathe.apply(image, "sharpen,gaussian:5").shape
(480, 640, 3)

`apply` filters arrays, `open` reads files larger than memory, and `swathe.ndimage` has the calls of
SciPy. Every filter of a chain is a function, too: ``swathe.gaussian(9) | swathe.mask(array)``.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _swathe
from ._apply import apply
from ._chain import Chain, stage_functions
from ._image import Image, imread, imwrite, open
from ._plan import Options, Plan
from ._swathe import (ArgumentError, CancelledError, Error, InputError, InternalError, LimitError,
                      UnsupportedError)

__version__: str = _swathe.version
contract: int = _swathe.contract
"""The version of the rules that define all results: the same number means the same bytes."""

_functions = stage_functions()
globals().update(_functions)

if TYPE_CHECKING:
    from . import dask as dask, ndimage as ndimage
    from ._filters import *
else:
    def __getattr__(name):
        """Modules that are imported when they are used."""
        if name in ("dask", "ndimage"):
            return importlib.import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

__all__ = ["ArgumentError", "CancelledError", "Chain", "Error", "Image", "InputError",
           "InternalError", "LimitError", "Options", "Plan", "UnsupportedError", "apply",
           "contract", "filters", "formats", "imread", "imwrite", "open"]


def __dir__() -> list[str]:
    return sorted([*__all__, *_functions, "__version__", "dask", "ndimage"])


def filters() -> list[dict[str, Any]]:
    """The filters of chains: name, syntax, summary, detail and example of each."""
    return _swathe.table_rows(0)


def formats() -> list[dict[str, Any]]:
    """The file formats, and whether this build has them."""
    return _swathe.table_rows(6)
