"""The linear filters of ``scipy.ndimage``, with the same arguments.

Change ``from scipy import ndimage`` to ``from swathe import ndimage``. What differs:

- Integer results are the exact result, rounded once, halves up, and clamped to the type. SciPy
  truncates towards 0, after each axis, and wraps around. So are results of type bool: True from
  0.5.
- Masks over more than two axes and complex arrays raise an error that names SciPy.

`float32` is computed in float32, float64 in float64. Each plan has an error bound, and results are
within it. int8 is computed as int16, float16 as float32, 64-bit integers and long doubles as
float64; the result gets the array's type. The page docs/scipy.md of the source has the details.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _nd_recipes as recipes
from ._nd_call import filtered
from ._nd_recipes import taps_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = ["convolve", "convolve1d", "correlate", "correlate1d", "gaussian_filter",
           "gaussian_filter1d", "gaussian_gradient_magnitude", "gaussian_laplace", "laplace",
           "prewitt", "sobel", "uniform_filter", "uniform_filter1d"]

_Numbers = Any  # a number, or one for each axis


def correlate(input: ArrayLike, weights: ArrayLike, output: NDArray[Any] | DTypeLike | None = None,
              mode: str = "reflect", cval: float = 0.0, origin: _Numbers = 0, *,
              axes: _Numbers = None) -> NDArray[Any]:
    """Correlation with a mask over one or two axes.

    Integer results are rounded once, halves up, and clamped, where SciPy truncates and wraps.

    Parameters
    ----------
    input : array
        Real numbers, in any number of dimensions and with any strides.
    weights : array
        As many dimensions as there are `axes`, at most two of them longer than 1.
    output : array or data type, optional
        Receives the result, or is its type; by default that of the input. It may be the input
        itself, which is then copied first.
    mode : str
        Samples outside the array: "reflect" (or "grid-mirror", ``dcba|abcd|dcba``), "mirror"
        (``dcb|abcd|cba``), "nearest" (``aaaa|abcd|dddd``), "wrap" (or "grid-wrap",
        ``abcd|abcd|abcd``), "constant" (or "grid-constant": `cval`).
    cval : float
        Value outside the array for the mode "constant".
    origin : int or sequence of int
        Shifts the mask, for each of `axes`: 0 is its middle, and positive numbers shift it to the
        left.
    axes : int, tuple of int or None
        Axes to filter; None means all.

    Returns
    -------
    array
        `output`, or a new array with the memory order of the input.

    Raises
    ------
    NotImplementedError
        If weights extend over more than two axes.

    Examples
    --------
    >>> import numpy as np
    >>> from swathe import ndimage
    >>> ndimage.correlate(np.arange(9).reshape(3, 3), [[0, 1, 0], [1, 1, 1], [0, 1, 0]])
    array([[ 4,  8, 12],
           [16, 20, 24],
           [28, 32, 36]])
    """
    return filtered(recipes.mask, input, output, taps_of(weights), False, mode, cval, origin, axes)


def convolve(input: ArrayLike, weights: ArrayLike, output: NDArray[Any] | DTypeLike | None = None,
             mode: str = "reflect", cval: float = 0.0, origin: _Numbers = 0, *,
             axes: _Numbers = None) -> NDArray[Any]:
    """Convolution with a mask over one or two axes.

    Integer results are rounded once, halves up, and clamped, where SciPy truncates and wraps.
    The parameters are those of `correlate`; a positive origin shifts the mask to the right.

    Examples
    --------
    >>> from swathe import ndimage
    >>> ndimage.convolve([[2, 0, 0], [1, 0, 0], [0, 0, 0]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    array([[4, 2, 0],
           [3, 2, 0],
           [1, 1, 0]])
    """
    return filtered(recipes.mask, input, output, taps_of(weights), True, mode, cval, origin, axes)


def correlate1d(input: ArrayLike, weights: ArrayLike, axis: int = -1,
                output: NDArray[Any] | DTypeLike | None = None, mode: str = "reflect",
                cval: float = 0.0, origin: int = 0) -> NDArray[Any]:
    """Correlation along an axis.

    Integer results are rounded once, halves up, and clamped, where SciPy truncates and wraps.
    `weights` have one dimension; the other parameters are those of `correlate`.

    Examples
    --------
    >>> from swathe import ndimage
    >>> ndimage.correlate1d([2, 8, 0, 4, 1, 9, 9, 0], weights=[1, 3])
    array([ 8, 26,  8, 12,  7, 28, 36,  9])
    """
    return filtered(recipes.line, input, output, taps_of(weights), False, axis, mode, cval, origin)


def convolve1d(input: ArrayLike, weights: ArrayLike, axis: int = -1,
               output: NDArray[Any] | DTypeLike | None = None, mode: str = "reflect",
               cval: float = 0.0, origin: int = 0) -> NDArray[Any]:
    """Convolution along an axis.

    Integer results are rounded once, halves up, and clamped, where SciPy truncates and wraps.
    `weights` have one dimension; the other parameters are those of `convolve`.

    Examples
    --------
    >>> from swathe import ndimage
    >>> ndimage.convolve1d([2, 8, 0, 4, 1, 9, 9, 0], weights=[1, 3])
    array([14, 24,  4, 13, 12, 36, 27,  0])
    """
    return filtered(recipes.line, input, output, taps_of(weights), True, axis, mode, cval, origin)


def gaussian_filter(input: ArrayLike, sigma: _Numbers, order: _Numbers = 0,
                    output: NDArray[Any] | DTypeLike | None = None, mode: str | Any = "reflect",
                    cval: float = 0.0, truncate: float = 4.0, *, radius: _Numbers = None,
                    axes: _Numbers = None) -> NDArray[Any]:
    """Gaussian filter, or derivatives of it.

    Integer results are rounded once, halves up, and clamped, where SciPy truncates after each
    axis.

    Parameters
    ----------
    input, output, cval, axes
        As in `correlate`.
    sigma : float or sequence of float
        Standard deviation, for each of `axes`; axes with 0 are not filtered.
    order : int or sequence of int
        0 smooths; n is the derivative of order n.
    mode : str or sequence of str
        As in `correlate`, for each of `axes`.
    truncate : float
        The radius of the mask is ``round(truncate * sigma)``.
    radius : int or sequence of int, optional
        The radius of the mask, for each of `axes`.

    Examples
    --------
    >>> import numpy as np
    >>> from swathe import ndimage
    >>> ndimage.gaussian_filter(np.arange(50, step=2).reshape((5, 5)), sigma=1)
    array([[ 5,  6,  8, 10, 11],
           [12, 13, 15, 17, 18],
           [21, 22, 24, 26, 27],
           [30, 31, 33, 35, 36],
           [37, 38, 40, 42, 43]])
    """
    return filtered(recipes.gaussian, input, output, sigma, order, mode, cval, truncate, radius,
                    axes)


def gaussian_filter1d(input: ArrayLike, sigma: float, axis: int = -1, order: int = 0,
                      output: NDArray[Any] | DTypeLike | None = None, mode: str = "reflect",
                      cval: float = 0.0, truncate: float = 4.0, *,
                      radius: int | None = None) -> NDArray[Any]:
    """Gaussian filter along an axis, or a derivative of it.

    Integer results are rounded once, halves up, and clamped, where SciPy truncates.
    The parameters are those of `gaussian_filter`, for one axis.

    Examples
    --------
    >>> from swathe import ndimage
    >>> ndimage.gaussian_filter1d([1.0, 2.0, 3.0, 4.0, 5.0], 1).round(8).tolist()
    [1.42704095, 2.06782203, 3.0, 3.93217797, 4.57295905]
    """
    return filtered(recipes.gaussian_line, input, output, sigma, axis, order, mode, cval, truncate,
                    radius)


def uniform_filter(input: ArrayLike, size: _Numbers = 3,
                   output: NDArray[Any] | DTypeLike | None = None, mode: str | Any = "reflect",
                   cval: float = 0.0, origin: _Numbers = 0, *,
                   axes: _Numbers = None) -> NDArray[Any]:
    """Mean of a rectangle around each sample.

    Integer results are rounded once, halves up, where SciPy truncates after each axis. Each result
    is summed by itself, so NaN and rounding errors do not spread along a line as in SciPy.

    Parameters
    ----------
    input, output, cval, axes
        As in `correlate`.
    size : int or sequence of int
        Size of the rectangle, for each of `axes`.
    mode : str or sequence of str
        As in `correlate`, for each of `axes`.
    origin : int or sequence of int
        As in `correlate`.

    Examples
    --------
    >>> from swathe import ndimage
    >>> ndimage.uniform_filter([[9, 0, 0], [0, 0, 0], [0, 0, 0]], size=3)
    array([[4, 2, 0],
           [2, 1, 0],
           [0, 0, 0]])
    """
    return filtered(recipes.mean, input, output, size, mode, cval, origin, axes)


def uniform_filter1d(input: ArrayLike, size: int, axis: int = -1,
                     output: NDArray[Any] | DTypeLike | None = None, mode: str = "reflect",
                     cval: float = 0.0, origin: int = 0) -> NDArray[Any]:
    """Mean of samples along an axis.

    Integer results are rounded once, halves up, where SciPy truncates.
    The parameters are those of `uniform_filter`, for one axis.

    Examples
    --------
    >>> from swathe import ndimage
    >>> ndimage.uniform_filter1d([2, 8, 0, 4, 1, 9, 9, 0], size=3)
    array([4, 3, 4, 2, 5, 6, 6, 3])
    """
    return filtered(recipes.mean_line, input, output, size, axis, mode, cval, origin)


def sobel(input: ArrayLike, axis: int = -1, output: NDArray[Any] | DTypeLike | None = None,
          mode: str | Any = "reflect", cval: float = 0.0) -> NDArray[Any]:
    """Sobel filter: the derivative along `axis`, smoothed by 1 2 1 along all others.

    Integer results are clamped, where SciPy's wrap around: give uint8 images a signed `output`.
    `input`, `output` and `cval` are those of `correlate`, `mode` may be one for each axis.

    Examples
    --------
    >>> import numpy as np
    >>> from swathe import ndimage
    >>> image = np.tile(np.array([0, 0, 9, 9], np.uint8), (3, 1))
    >>> ndimage.sobel(image, output=np.int16)[1]
    array([ 0, 36, 36,  0], dtype=int16)
    """
    return filtered(recipes.gradient, input, output, 2.0, axis, mode, cval)


def prewitt(input: ArrayLike, axis: int = -1, output: NDArray[Any] | DTypeLike | None = None,
            mode: str | Any = "reflect", cval: float = 0.0) -> NDArray[Any]:
    """Prewitt filter: the derivative along `axis`, smoothed by 1 1 1 along all others.

    Integer results are clamped, where SciPy's wrap around: give uint8 images a signed `output`.
    `input`, `output` and `cval` are those of `correlate`, `mode` may be one for each axis.

    Examples
    --------
    >>> import numpy as np
    >>> from swathe import ndimage
    >>> image = np.tile(np.array([0, 0, 9, 9], np.uint8), (3, 1))
    >>> ndimage.prewitt(image, output=np.int16)[1]
    array([ 0, 27, 27,  0], dtype=int16)
    """
    return filtered(recipes.gradient, input, output, 1.0, axis, mode, cval)


def laplace(input: ArrayLike, output: NDArray[Any] | DTypeLike | None = None,
            mode: str | Any = "reflect", cval: float = 0.0, *,
            axes: _Numbers = None) -> NDArray[Any]:
    """Laplace filter: the sum of 1 -2 1 along each axis.

    Integer results are clamped, where SciPy's wrap around: give uint8 images a signed `output`.
    `input`, `output`, `cval` and `axes` are those of `correlate`, `mode` may be one for each of
    `axes`.

    Examples
    --------
    >>> from swathe import ndimage
    >>> ndimage.laplace([[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    array([[ 0,  1,  0],
           [ 1, -4,  1],
           [ 0,  1,  0]])
    """
    return filtered(recipes.laplacian, input, output, mode, cval, axes)


def gaussian_laplace(input: ArrayLike, sigma: _Numbers,
                     output: NDArray[Any] | DTypeLike | None = None, mode: str | Any = "reflect",
                     cval: float = 0.0, *, axes: _Numbers = None,
                     **keywords: Any) -> NDArray[Any]:
    """Laplace filter by second derivatives of a Gaussian.

    Integer results are rounded once, halves up, and clamped, where SciPy truncates after each axis
    and wraps around.

    Parameters
    ----------
    input, sigma, output, cval, axes
        As in `gaussian_filter`.
    mode : str or sequence of str
        As in `correlate`, for each of `axes`: the derivative along an axis has the axis's mode
        everywhere.
    truncate, radius : optional
        As in `gaussian_filter`; several radii are for all axes.

    Examples
    --------
    >>> import numpy as np
    >>> from swathe import ndimage
    >>> bool(ndimage.gaussian_laplace(np.eye(9), sigma=1)[4, 4] < 0)
    True
    """
    return filtered(recipes.gaussian_sum, input, output, sigma, mode, cval, axes,
                    _keywords(keywords))


def gaussian_gradient_magnitude(input: ArrayLike, sigma: _Numbers,
                                output: NDArray[Any] | DTypeLike | None = None,
                                mode: str | Any = "reflect", cval: float = 0.0, *,
                                axes: _Numbers = None, **keywords: Any) -> NDArray[Any]:
    """Magnitude of the gradient, by first derivatives of a Gaussian.

    Integer results are rounded once, halves up, and clamped, where SciPy truncates after each axis
    and squares integers, which wrap around.

    Parameters
    ----------
    input, output, cval, mode, truncate, radius
        As in `gaussian_laplace`.
    sigma : float or sequence of float
        Standard deviation, for each axis of the array.
    axes : int, tuple of int or None
        Axes along which to take derivatives. As in SciPy, all axes are smoothed.

    Examples
    --------
    >>> import numpy as np
    >>> from swathe import ndimage
    >>> ramp = np.tile(np.arange(20.0), (20, 1))
    >>> round(float(ndimage.gaussian_gradient_magnitude(ramp, sigma=1)[10, 10]), 3)
    1.0
    """
    return filtered(recipes.gaussian_magnitude, input, output, sigma, mode, cval, axes,
                    _keywords(keywords))


def _keywords(keywords: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Keyword arguments of gaussian_filter, as a key of caches."""
    for name in keywords:
        if name not in ("truncate", "radius"):
            raise TypeError(f"unexpected keyword argument {name!r}")
    return tuple(sorted(keywords.items()))
