"""The function that most programs need."""
from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ._arrays import as_array
from ._chain import Chain
from ._masked import apply_masked
from ._plan import LAST, Options, Plan, Progress, said_axis
from ._progress import reported

if TYPE_CHECKING:
    from numpy.typing import NDArray


@lru_cache(maxsize=256)
def plan_for(chain: str | Chain, shape: tuple[int, ...], dtype: np.dtype[Any],
             channel_axis: int | None, options: tuple[tuple[str, Any], ...]) -> Plan:
    """A plan that calls with the same arguments share."""
    given = dict(options)
    return Plan(chain, shape, dtype, channel_axis=channel_axis,
                out_dtype=given.pop("dtype", None), **given)


def apply(image: Any, chain: str | Chain, *, out: NDArray[Any] | None = None,
          channel_axis: int | None = LAST, threads: int | None = None,
          progress: Progress | bool | None = None, **options: Unpack[Options]) -> NDArray[Any]:
    """Filters an image by a chain.

    Parameters
    ----------
    image : array
        Anything that NumPy can view: arrays with any strides, masked arrays (masked samples are
        missing data), objects with a buffer, ``__array_interface__`` or ``__dlpack__`` in the
        CPU's memory. The last two dimensions except `channel_axis` are rows and columns, others
        are a batch. Nothing is copied.
    chain : str or Chain
        Such as ``"sharpen,gaussian:5"``.
    out : array, optional
        Receives the result. It must not overlap the image.
    channel_axis : int or None
        The dimension of channels if there are more than two. None: no channels, so that all but
        the last two dimensions are a batch. By default the last one, with a warning if it is longer
        than 16, as that of a stack of images is.
    threads : int, optional
        At most this many; by default one per CPU. Never changes the result.
    progress : bool or callable, optional
        ``progress(done, total)`` is called with numbers of pixels; True draws a bar with tqdm.
    border : str, optional
        For filters that name none: "reflect" (default), "replicate", "wrap", "reflect101",
        "constant(7)", "valid", "missing".
    dtype : data type, optional
        Of the result; by default the chain's, otherwise the image's.
    device : str, optional
        "cpu" (default), "gpu", "auto", or a name such as "cuda:0".
    alpha : str, optional
        The last channel is alpha, and colours are weighted by it ("premultiply"), it is copied
        ("keep") or filtered like a colour ("filter"). By default there is no alpha channel.
    nodata : float or str, optional
        Samples with this value are missing, as in ``nodata=-9999`` or ``nodata="nan:fill"``.
    values : str, optional
        What becomes of the numbers if `dtype` is another type: "keep", "scale" or "fit(LO..HI)".
    exact, accuracy, light, intermediate, algorithm, strategy, isa, tune, max_memory, \
device_memory, transfer : optional
        As the fields of `swathe_plan_options` in the C header.

    Returns
    -------
    array
        `out`, or a new array.

    Examples
    --------
    >>> import numpy as np, swathe
    >>> image = np.zeros((5, 5), np.uint8)
    >>> image[2, 2] = 255
    >>> swathe.apply(image, "box:3")[1]
    array([ 0, 28, 28, 28,  0], dtype=uint8)
    >>> swathe.apply(image, "sobel-x", dtype="int16")[2]
    array([   0,  510,    0, -510,    0], dtype=int16)
    """
    if type(image) is not np.ndarray:
        if isinstance(image, np.ma.MaskedArray):
            masked: NDArray[Any] = apply_masked(image, chain, out=out, channel_axis=channel_axis,
                                                threads=threads, progress=progress, **options)
            return masked
        image = as_array(image)
    if channel_axis is LAST and image.ndim > 2:
        channel_axis = said_axis(image.shape, channel_axis)
    try:
        plan = plan_for(chain, image.shape, image.dtype, channel_axis,
                        tuple(options.items()) if options else ())
    except TypeError as error:
        if not isinstance(chain, (str, Chain)):
            raise TypeError("a chain is a str or a swathe.Chain, not "
                            f"{type(chain).__name__}; swathe.mask makes one of an array") from None
        if "unhashable" in str(error):
            raise TypeError(f"an option is not a single value: {options}") from None
        raise
    if progress is None or progress is False:
        return plan(image, out, threads=threads)
    with reported(progress) as report:
        return plan(image, out, threads=threads, progress=report)
