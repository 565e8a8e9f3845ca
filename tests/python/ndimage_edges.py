"""Calls of swathe.ndimage that random ones do not make: errors, empty arrays, odd values outside.

Each call runs with SciPy and with swathe: both must raise errors of the same class, or give results
of the same type, shape and, up to rounding, values.
"""
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.ndimage

import swathe.ndimage

X = np.arange(12.0).reshape(3, 4)
NAN = float("nan")


class Sub(np.ndarray[Any, Any]):
    """A subclass."""


CALLS: dict[str, Callable[[Any], Any]] = {
    "mode": lambda n: n.gaussian_filter(X, 1, mode="foo"),
    "modes": lambda n: n.gaussian_filter(X, 1, mode=["wrap"]),
    "modes of correlate": lambda n: n.correlate(X, np.ones((1, 1)), mode=["wrap", "wrap"]),
    "axis": lambda n: n.correlate1d(X, [1], axis=2),
    "axes": lambda n: n.gaussian_filter(X, 1, axes=(0, 2)),
    "same axes": lambda n: n.gaussian_filter(X, 1, axes=(0, -2)),
    "float axes": lambda n: n.gaussian_filter(X, 1, axes=(0.5,)),
    "one axis": lambda n: n.gaussian_filter(X, 1, axes=-1),
    "no axes": lambda n: n.gaussian_filter(X, 1, axes=()),
    "no axes of laplace": lambda n: n.laplace(X, axes=()),
    "no axes of magnitude": lambda n: n.gaussian_gradient_magnitude(X, 1, axes=()),
    "origin": lambda n: n.correlate1d(X, [1, 2], origin=1),
    "origin of convolve": lambda n: n.convolve(X, np.ones((2, 2)), origin=(1, 0)),
    "origin of uniform": lambda n: n.uniform_filter(X, 3, origin=2),
    "no weights": lambda n: n.correlate1d(X, []),
    "flat weights": lambda n: n.correlate(X, [1, 2]),
    "empty weights": lambda n: n.correlate(X, np.ones((0, 1))),
    "size 0": lambda n: n.uniform_filter1d(X, 0),
    "size 0 of uniform_filter": lambda n: n.uniform_filter(X, 0),
    "float size": lambda n: n.uniform_filter1d(X, 2.5),
    "order": lambda n: n.gaussian_filter1d(X, 1, order=-1),
    "radius": lambda n: n.gaussian_filter1d(X, 1, radius=1.5),
    "sigma 0": lambda n: n.gaussian_filter1d(X, 0.0),
    "negative sigma": lambda n: n.gaussian_filter(X, -1),
    "output shape": lambda n: n.sobel(X, output=np.zeros((4, 3))),
    "output text": lambda n: n.sobel(X, output="bool"),
    "output float": lambda n: n.sobel(X, output=float),
    "fixed output": lambda n: n.sobel(X, output=np.broadcast_to(0.0, X.shape)),
    "cval": lambda n: n.sobel(X, cval="a"),
    "keyword": lambda n: n.gaussian_laplace(X, 1, foo=1),
    "objects": lambda n: n.sobel(X.astype(object)),
    "0-d": lambda n: n.gaussian_filter(np.array(3.0), 1),
    "0-d correlate": lambda n: n.correlate(np.array(3.0), np.array(2.0)),
    "0-d laplace": lambda n: n.laplace(3),
    "0-d sobel": lambda n: n.sobel(3),
    "empty": lambda n: n.gaussian_filter(np.zeros((0, 3), np.float32), 1),
    "empty, axis": lambda n: n.sobel(np.zeros((0, 3)), axis=4),
    "list": lambda n: n.gaussian_filter([[1.0, 2.0], [3.0, 5.0]], [1, 2]),
    "subclass": lambda n: n.sobel(X.view(Sub)),
    "matrix": lambda n: n.sobel(np.asmatrix(X)),
    "masked": lambda n: n.sobel(np.ma.masked_greater(X, 5)),
    "field": lambda n: n.sobel(np.zeros((4, 5), "u1,f4,f8")["f1"]),
    "large integers": lambda n: n.correlate1d(np.array([2 ** 62, 2 ** 53 - 1, 5]), [1.0]),
    "NaN outside": lambda n: n.gaussian_filter(np.ones((9, 9)), 0.5, mode="constant", cval=NAN),
    "NaN outside, modes": lambda n: n.gaussian_filter(
        np.ones((9, 9)), 0.5, mode=["constant", "wrap"], cval=NAN),
    "infinity outside": lambda n: n.correlate(
        np.ones((6, 5), np.float32), np.ones((2, 3)), mode="constant", cval=np.inf, origin=(0, 1)),
    "NaN outside, sum": lambda n: n.gaussian_laplace(np.eye(15), 0.5, mode="constant", cval=NAN),
    "large cval": lambda n: n.correlate1d(np.ones(5, np.float32), [1, 1e-3, 1e-40],
                                          mode="constant", cval=1e40),
    "NaN": lambda n: n.gaussian_filter(np.where(X == 5, NAN, X), 0.3),
    "large weights": lambda n: n.correlate1d(np.arange(5, dtype=np.uint8), [1e7, 0, 0],
                                             output=np.float64),
    "very large weights": lambda n: n.correlate1d(np.arange(5, dtype=np.float32), [1e300, 0, 0],
                                                  output=np.float64),
}
# Errors and results that differ on purpose.
OURS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "three axes": (lambda n: n.correlate(np.ones((2, 2, 2)), np.ones((2, 2, 2))),
                   NotImplementedError),
    "complex": (lambda n: n.sobel(X + 1j), TypeError),
    "complex weights": (lambda n: n.correlate1d(X, [1j]), TypeError),
    "complex output": (lambda n: n.sobel(X, output=complex), TypeError),
    "bool": (lambda n: n.uniform_filter1d(np.array([True, False, False, True, True]), 3).tolist(),
             [True, False, False, True, True]),
    "clamped": (lambda n: n.correlate1d(np.array([1, 200], np.uint8), [2]).tolist(), [2, 255]),
    "clamped int64": (lambda n: n.correlate1d(np.array([2 ** 62, -2 ** 62]), [4]).tolist(),
                      [2 ** 63 - 1, -2 ** 63]),
    "clamped int8": (lambda n: n.correlate1d(np.array([100, -100], np.int8), [3]).tolist(),
                     [127, -128]),
}


def outcome(call: Callable[[Any], Any], module: Any) -> Any:
    """The result, or the class of the error."""
    try:
        with np.errstate(all="ignore"):
            return call(module)
    except Exception as error:  # noqa: BLE001 - the class is what is compared
        return type(error)


def same(ours: Any, theirs: Any) -> bool:
    """Whether two outcomes agree."""
    if isinstance(theirs, type) or isinstance(ours, type):
        return isinstance(ours, type) and isinstance(theirs, type) and (
            issubclass(ours, theirs) or issubclass(theirs, ours) and theirs is not object)
    return (type(ours) is type(theirs) and ours.dtype == theirs.dtype
            and np.allclose(ours, theirs, rtol=1e-6, atol=1e-9, equal_nan=True))


def in_place() -> bool:
    """Whether output=input, and one that overlaps it, give the same as another output."""
    good = True
    for dtype in "u1", "f4", "i8", "?":
        for part in slice(None), slice(None, None, -1):
            array = (np.arange(200) % 7).astype(dtype).reshape(10, 20)
            wanted = swathe.ndimage.gaussian_filter(array, 1)
            good &= swathe.ndimage.gaussian_filter(array, 1, output=array[part]) is not None
            good &= bool((array[part] == wanted).all())
    return good


def main() -> int:
    """Runs all."""
    failures = 0
    for name, call in CALLS.items():
        ours, theirs = outcome(call, swathe.ndimage), outcome(call, scipy.ndimage)
        if not same(ours, theirs):
            failures += 1
            print(f"{name}: {ours!r}, but SciPy: {theirs!r}")
    for name, (call, wanted) in OURS.items():
        found = outcome(call, swathe.ndimage)
        if found != wanted:
            failures += 1
            print(f"{name}: {found!r}, not {wanted!r}")
    if same(np.zeros(2), np.ones(2)) or same(ValueError, RuntimeError) or same(X, ValueError):
        failures += 1
        print("the comparison does not see differences")
    if not in_place():
        failures += 1
        print("output=input differs")
    print(f"{len(CALLS) + len(OURS) + 1} calls, {failures} failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
