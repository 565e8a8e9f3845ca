"""Masked arrays: masked samples are missing data."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import stored
from ._types import inner_of, result_of, unsupported

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._chain import Chain


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
    wanted = result_of(image.dtype, chain, options.pop("dtype", None))
    for dtype in image.dtype, wanted:
        if inner_of(dtype) is None:
            raise unsupported(dtype)
    inner = np.result_type(image.dtype, np.float32) if image.dtype.kind == "f" else \
        np.dtype("float64")
    data = image.data.view(np.ndarray).astype(inner)
    data[np.ma.getmaskarray(image)] = np.nan
    result = apply(data, chain, nodata=f"nan{fill}", dtype=wanted if wanted.kind == "f" else inner,
                   **options)
    missing = np.isnan(result)
    return np.ma.MaskedArray(stored(result, wanted), missing)
