"""Masked arrays: masked samples are missing data."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._chain import Chain


def _rounded(result: NDArray[Any], missing: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Doubles as integers: halves up and clamped, as integer images are."""
    limits = np.iinfo(dtype)
    whole = np.floor(np.where(missing, 0.0, result) + 0.5)
    return np.clip(whole, limits.min, limits.max).astype(dtype)


def apply_masked(image: np.ma.MaskedArray[Any, Any], chain: str | Chain, *,
                 out: NDArray[Any] | None = None, **options: Any) -> Any:
    """Filters what is there; a result is masked where its centre is (see `nodata`).

    NaN marks what is missing, so that integers are computed in doubles and rounded at the end.
    """
    from ._apply import apply  # which imports this file

    if out is not None:
        raise ValueError("out= is not possible with a masked array; assign the result to it")
    fill = options.pop("nodata", None) or ""
    if fill and not str(fill).startswith(":"):
        raise ValueError(f"nodata={fill!r}: a masked array has its mask; only ':fill' and "
                         "':least=…' may be added")
    wanted = np.dtype(options.pop("dtype", None) or image.dtype)
    inner = image.dtype if image.dtype.kind == "f" else np.dtype("float64")
    data = image.data.view(np.ndarray).astype(inner)
    data[np.ma.getmaskarray(image)] = np.nan
    result = apply(data, chain, nodata=f"nan{fill}", dtype=wanted if wanted.kind == "f" else inner,
                   **options)
    missing = np.isnan(result)
    if wanted.kind != "f":
        result = _rounded(result, missing, wanted)
    return np.ma.MaskedArray(result, missing)
