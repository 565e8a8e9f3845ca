"""The function that most programs need."""
from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ._arrays import as_array, in_type, stored
from ._chain import Chain
from ._masked import apply_masked
from ._plan import LAST, Options, Plan, Progress, check_out, said_axis
from ._progress import reported
from ._swathe import ArgumentError
from ._types import CODES, inner_of, result_of, unsupported

if TYPE_CHECKING:
    from numpy.typing import NDArray


@lru_cache(maxsize=256)
def plan_for(chain: str | Chain, shape: tuple[int, ...], dtype: np.dtype[Any],
             channel_axis: int | None, options: tuple[tuple[str, Any], ...]) -> Plan:
    """A plan that calls with the same arguments share."""
    given = dict(options)
    return Plan(chain, shape, dtype, channel_axis=channel_axis,
                out_dtype=given.pop("dtype", None), **given)


def _is_other(dtype: Any) -> bool:
    return dtype is not None and np.dtype(dtype) not in CODES


def _inner(dtype: np.dtype[Any], options: Options) -> np.dtype[Any]:
    """The type in which samples are computed; numbers of integers keep their meaning in it."""
    found = inner_of(dtype)
    if found is None or dtype.itemsize > 8:
        raise unsupported(dtype)
    inner = found[0]
    if dtype.kind in "biu" and inner != dtype.newbyteorder("="):
        for name in "light", "values":
            if options.get(name) not in (None, "keep"):
                raise unsupported(dtype, f"not supported with {name}=, which needs their range")
        options["values"] = "keep"
    return inner


def _apply_other(image: NDArray[Any], chain: str | Chain, out: NDArray[Any] | None,
                 options: Options, **run: Any) -> NDArray[Any]:
    """Types that the library has not: an image, a result or both are converted."""
    wanted = result_of(image.dtype, chain, options.get("dtype"))
    options["dtype"] = _inner(wanted, options)
    array = in_type(image, _inner(image.dtype, options))
    if image.dtype.itemsize == 8 and image.dtype.kind in "iu" and image.size and \
            (image.max() > 1 << 53 or image.min() < -1 << 53):
        raise ArgumentError(f"{image.dtype} is computed as float64, which does not hold integers "
                            "beyond 2^53; convert the array to float64 if they may be rounded")
    if wanted in CODES:
        return apply(array, chain, out=out, **run, **options)
    made = apply(array, chain, **run, **options)
    if out is not None:
        check_out(out, made.shape, wanted)
    return stored(made, wanted, out)


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
        are a batch. Nothing is copied if the samples are uint8, uint16, int16, uint32, int32,
        float32 or float64. bool is computed as uint8, int8 as int16, float16 as float32, int64 and
        uint64 as float64, and another byte order as the machine's.
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
        Of the result; by default the chain's, otherwise the image's in the byte order of the
        machine. Integers are rounded and clamped; a bool is True from 0.5.
    device : str, optional
        "cpu" (default), "gpu", "auto", or a name such as "cuda:0".
    alpha : str, optional
        The last channel is alpha, and colours are weighted by it ("premultiply"), it is copied
        ("keep") or filtered like a colour ("filter"). By default there is no alpha channel.
    nodata : float or str, optional
        Samples with this value are missing, as in ``nodata=-9999`` or ``nodata="nan:fill"``.
    values : str, optional
        What becomes of the numbers if `dtype` is another type: "keep", "scale" or "fit(LO..HI)".
        By default uint8, uint16 and uint32 are scaled from one range to the other, so that 255 as
        uint16 is 65535, and numbers of other types are kept.
    exact, accuracy, light, intermediate, algorithm, strategy, isa, tune, max_memory, \
device_memory : optional
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
    if image.dtype not in CODES or (options and _is_other(options.get("dtype"))):
        return _apply_other(image, chain, out, options, channel_axis=channel_axis, threads=threads,
                            progress=progress)
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
