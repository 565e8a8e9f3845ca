"""Random calls of swathe.ndimage against scipy.ndimage.

    ndimage_random.py [COUNT] [SEED]     COUNT calls (1000), the first with this seed (1)
    ndimage_random.py --call SEED        one call
    ndimage_random.py --self-test        planted bugs must be found

What is expected is SciPy's result for the same samples as float64, which is rounded and clamped
for integers. Floats must be within the bound of the plans that ran, integers, too, and at most 1
from the rounded value.
"""
from __future__ import annotations

import sys
from typing import Any
from unittest import mock

import numpy as np
import scipy.ndimage

import swathe.ndimage
from swathe import _arrays, _nd_call, _nd_recipes

TYPES = ("uint8", "uint16", "int16", "uint32", "int32", "float32", "float64", "bool", "int8",
         "int64", "uint64", "float16")
MODES = ("reflect", "mirror", "nearest", "wrap", "constant", "grid-mirror", "grid-wrap",
         "grid-constant")
EPSILON = 2.0 ** -52


class Failure(Exception):
    """A result that is not SciPy's."""


class Call:
    """A function, an array and its arguments, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.name = str(self.rng.choice(swathe.ndimage.__all__))
        self.arguments: dict[str, Any] = {}
        self.positional: list[Any] = []
        self.array = self.laid_out(self.samples(self.shape()))
        getattr(self, "draw_" + self.name)()
        self.draw_output()

    # ---- Arrays ----

    def pick(self, *choices: Any) -> Any:
        return choices[self.rng.integers(len(choices))]

    def shape(self) -> tuple[int, ...]:
        ndim = self.pick(1, 2, 2, 2, 3, 3, 4)
        most = {1: 40, 2: 40, 3: 40, 4: 12}[ndim]
        shape = tuple(int(n) for n in self.rng.integers(1, most + 1, ndim))
        return tuple(min(n, 9) if self.rng.random() < 0.3 else n for n in shape)

    def samples(self, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        dtype = np.dtype(self.pick(*TYPES))
        if dtype.kind == "f":
            scale = self.pick(1, 1, 1000)
            return (self.rng.standard_normal(shape) * scale).astype(dtype)
        if dtype.kind == "b":
            return self.rng.random(shape) < 0.5
        info = np.iinfo(dtype)
        low, high = max(info.min, -2 ** 40), min(info.max, 2 ** 40)
        if self.rng.random() < 0.3:
            low, high = low // 16, high // 16
        return self.rng.integers(low, high, shape, dtype, endpoint=True)

    def laid_out(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The same samples with other strides, byte order or flags."""
        kind = self.pick("C", "C", "F", "axes", "steps", "negative", "swapped", "fixed", "row")
        if kind == "F":
            return np.asfortranarray(array)
        if kind == "axes":
            axes = self.rng.permutation(array.ndim)
            return np.ascontiguousarray(array.transpose(axes)).transpose(np.argsort(axes))
        if kind == "steps":
            large = np.zeros([2 * n + 1 for n in array.shape], array.dtype)
            part = large[tuple(slice(1, None, 2) for _ in array.shape)]
            part[...] = array
            return part
        if kind == "negative":
            return array[tuple(slice(None, None, self.pick(-1, 1)) for _ in array.shape)]
        if kind == "swapped":
            return array.astype(array.dtype.newbyteorder())
        if kind == "row":
            return np.broadcast_to(array[:1], array.shape)
        array.flags.writeable = kind != "fixed"
        return array

    # ---- Arguments ----

    def maybe(self, name: str, value: Any, chance: float = 0.5) -> None:
        if self.rng.random() < chance:
            self.arguments[name] = value

    def draw_axes(self, chance: float = 0.4) -> int:
        """The number of axes that other arguments are for."""
        ndim = self.array.ndim
        if self.rng.random() >= chance:
            return ndim
        count = int(self.rng.integers(1, ndim + 1))
        axes = self.rng.permutation(ndim)[:count]
        self.arguments["axes"] = tuple(int(axis - ndim * self.pick(0, 1)) for axis in axes)
        return count

    def draw_modes(self, count: int) -> None:
        self.maybe("cval", self.pick(0.0, 1, 5, -3.0, 2.5, 0.1, 300), 0.6)
        if count and self.rng.random() < 0.3:
            self.arguments["mode"] = [self.pick(*MODES) for _ in range(count)]
        else:
            self.maybe("mode", self.pick(*MODES), 0.8)

    def draw_origin(self, size: int, flipped: bool = False) -> int:
        low, high = -(size // 2), (size - 1) // 2
        if flipped:
            low, high = -high - (size % 2 == 0), -low - (size % 2 == 0)
        return int(self.rng.integers(low, high + 1))

    def taps(self, shape: tuple[int, ...]) -> Any:
        if self.rng.random() < 0.3:
            return self.rng.integers(-3, 4, shape)
        taps = self.rng.standard_normal(shape)
        return taps / np.abs(taps).sum() if self.rng.random() < 0.5 else taps

    def draw_mask(self, flipped: bool) -> None:
        count = self.draw_axes(0.6 if self.array.ndim < 3 else 1)
        long = self.rng.permutation(count)[:2]
        shape = tuple(int(self.rng.integers(1, self.pick(5, 12, 50) if count == 1 else 12))
                      if axis in long else 1 for axis in range(count))
        self.positional = [self.taps(shape)]
        if self.rng.random() < 0.5:
            # Of SciPy's axes, the order counts for origins only, and only if some are left out.
            axes = self.arguments.get("axes", ()) if count < self.array.ndim else ()
            ranks = np.argsort(np.argsort([axis % self.array.ndim for axis in axes]))
            self.arguments["origin"] = [self.draw_origin(size, flipped) for size in (
                [shape[rank] for rank in ranks] if axes else shape)]
        self.draw_modes(0)

    def draw_correlate(self) -> None:
        self.draw_mask(False)

    def draw_convolve(self) -> None:
        self.draw_mask(True)

    def draw_line(self, flipped: bool) -> None:
        size = int(self.rng.integers(1, self.pick(5, 20, 60)))
        self.positional = [self.taps((size,))]
        self.draw_axis()
        if self.rng.random() < 0.5:
            self.arguments["origin"] = self.draw_origin(size, flipped)
        self.draw_modes(0)

    def draw_axis(self) -> None:
        self.maybe("axis", int(self.rng.integers(-self.array.ndim, self.array.ndim)), 0.7)

    def draw_correlate1d(self) -> None:
        self.draw_line(False)

    def draw_convolve1d(self) -> None:
        self.draw_line(True)

    def sigma(self) -> float:
        return float(self.pick(0.3, 0.5, 1, 1, 2, 3.7, 0.0))

    def draw_gaussian_filter1d(self) -> None:
        self.positional = [max(self.sigma(), 0.3)]
        self.draw_axis()
        self.draw_modes(0)
        self.maybe("order", int(self.rng.integers(0, 4)), 0.3)
        self.maybe("radius", int(self.rng.integers(0, 9)), 0.3)
        self.maybe("truncate", self.pick(2, 3.5), 0.3)

    def several(self, count: int, draw: Any) -> Any:
        return [draw() for _ in range(count)] if self.rng.random() < 0.4 else draw()

    def draw_gaussian_filter(self) -> None:
        count = self.draw_axes()
        self.positional = [self.several(count, self.sigma)]
        self.draw_modes(count)
        self.maybe("order", self.several(count, lambda: int(self.rng.integers(0, 3))), 0.3)
        self.maybe("radius", self.several(count, lambda: int(self.rng.integers(0, 6))), 0.3)
        self.maybe("truncate", self.pick(2, 3.5), 0.3)

    def draw_gaussian_laplace(self) -> None:
        count = self.draw_axes()
        self.positional = [self.several(count, lambda: max(self.sigma(), 0.3))]
        self.draw_modes(count)
        self.maybe("truncate", self.pick(2, 3.5), 0.3)
        self.maybe("radius", self.several(self.array.ndim, lambda: int(self.rng.integers(1, 6))),
                   0.2)

    def draw_gaussian_gradient_magnitude(self) -> None:
        count = self.draw_axes()
        self.positional = [self.several(self.array.ndim, lambda: max(self.sigma(), 0.3))]
        self.draw_modes(count)

    def draw_uniform_filter1d(self) -> None:
        size = int(self.rng.integers(1, self.pick(5, 20, 60)))
        self.positional = [size]
        self.draw_axis()
        self.maybe("origin", self.draw_origin(size))
        self.draw_modes(0)

    def draw_uniform_filter(self) -> None:
        count = self.draw_axes()
        sizes = [int(n) for n in self.rng.integers(1, self.pick(5, 12), count)]
        self.positional = [sizes]
        if self.rng.random() < 0.5:
            self.arguments["origin"] = [self.draw_origin(size) for size in sizes]
        self.draw_modes(count)

    def draw_sobel(self) -> None:
        self.draw_axis()
        self.draw_modes(self.array.ndim)

    draw_prewitt = draw_sobel

    def draw_laplace(self) -> None:
        self.draw_modes(self.draw_axes())

    def draw_output(self) -> None:
        kind = self.pick("none", "none", "type", "array", "input")
        if kind == "type":
            self.arguments["output"] = np.dtype(self.pick(*TYPES))
        elif kind == "array":
            made = self.laid_out(np.full(self.array.shape, 77).astype(self.pick(*TYPES)))
            self.arguments["output"] = made if made.flags.writeable else made.copy()
        elif kind == "input" and self.array.flags.writeable:
            self.arguments["output"] = self.array

    def __str__(self) -> str:
        array = self.array
        given = ", ".join([f"<{array.dtype} {array.shape} strides {array.strides}>",
                           *(str(np.asarray(value).tolist()) for value in self.positional),
                           *(f"{name}=<{value.dtype} strides {value.strides}>"
                             if isinstance(value, np.ndarray) else f"{name}={value!r}"
                             for name, value in self.arguments.items())])
        return f"{self.name}({given})"


def recorded(call: Call) -> tuple[np.ndarray[Any, Any], list[Any]]:
    """The result, and the work that was done."""
    works = []
    cached = _nd_call.cached

    def record(*arguments: Any) -> Any:
        works.append((cached(*arguments), arguments[0], arguments[7:]))
        return works[-1][0]

    with mock.patch.object(_nd_call, "cached", record):
        function = getattr(swathe.ndimage, call.name)
        return function(call.array, *call.positional, **call.arguments), works


def expected(call: Call, samples: np.ndarray[Any, Any],
             arguments: dict[str, Any]) -> np.ndarray[Any, Any]:
    """SciPy's result for doubles."""
    function = getattr(scipy.ndimage, call.name)
    mode = arguments.get("mode", "reflect")
    if call.name not in ("correlate", "convolve") or mode not in ("reflect", "grid-mirror"):
        return function(samples, *call.positional, **arguments)
    # SciPy reads outside the array if such a mask reaches twice its size: NumPy pads it.
    axes = sorted(axis % samples.ndim for axis in arguments.get("axes", range(samples.ndim)))
    sizes = dict(zip(axes, np.shape(call.positional[0])))
    if all(size <= 2 * samples.shape[axis] for axis, size in sizes.items()):
        return function(samples, *call.positional, **arguments)
    reach = [sizes.get(axis, 1) - 1 for axis in range(samples.ndim)]
    result = function(np.pad(samples, [(r, r) for r in reach], "symmetric"), *call.positional,
                      **arguments)
    return result[tuple(slice(r, r + size) for r, size in zip(reach, samples.shape))]


def check(call: Call) -> None:
    """Compares a call with SciPy."""
    samples = call.array.astype(np.float64)
    arguments = {key: value for key, value in call.arguments.items() if key != "output"}
    exact = expected(call, samples, arguments)
    output = call.arguments.get("output")
    result, works = recorded(call)
    if isinstance(output, np.ndarray) and result is not output:
        raise Failure("the result is not the output array")
    dtype = output if isinstance(output, np.dtype) else \
        call.array.dtype.newbyteorder("=") if output is None else output.dtype
    if result.dtype != dtype or result.shape != call.array.shape:
        raise Failure(f"the result is {result.dtype} {result.shape}")
    peak = max(float(np.abs(samples).max()), abs(float(arguments.get("cval", 0))))
    work, recipe, given = works[0]
    top = max(_nd_recipes.gain(recipe(*given)), 1) * peak
    # SciPy's own error: it has running sums over whole lines.
    slack = EPSILON * (max(samples.shape) + 200) * top
    # float32 rounds the value outside, too.
    slack += 2.0 ** -24 * top if float(np.float32(arguments.get("cval", 0))) \
        != arguments.get("cval", 0) else 0
    compare(result, exact, work.bound(peak), slack)


def compare(result: np.ndarray[Any, Any], exact: np.ndarray[Any, Any], bound: float,
            slack: float) -> None:
    """Raises if a result is too far from the exact one."""
    if result.dtype.kind == "f":
        values = result.astype(np.float64)
        if result.dtype.itemsize == 2:
            slack = slack + 2.0 ** -11 * np.abs(exact) + 2.0 ** -24
        with np.errstate(invalid="ignore"):
            far = ~(np.abs(values - exact) <= bound + slack)
        if result.dtype.itemsize == 2:  # beyond the largest
            large = np.abs(exact) + bound + slack > 65519
            far &= ~(large & (values == np.copysign(np.inf, exact)))
    else:
        low, high = (0, 1) if result.dtype == np.bool_ else \
            (np.iinfo(result.dtype).min, np.iinfo(result.dtype).max)
        clipped = np.clip(exact, low, high)
        if result.dtype.itemsize == 8:
            bound += 0.5
        values = result.astype(np.float64)
        far = (np.abs(values - clipped) > bound + slack) \
            | (np.abs(values - np.rint(clipped)) > 1 + 2 * slack)
    if far.any():
        at = tuple(int(i) for i in np.argwhere(far)[0])
        raise Failure(f"{int(far.sum())} of {far.size} differ; at {at}: {result[at]!r}, expected "
                      f"{exact[at]!r}, bound {bound:g}")


def run(count: int, seed: int) -> int:
    """The number of calls that fail."""
    failures = 0
    for at in range(seed, seed + count):
        call = None
        try:
            call = Call(at)
            check(call)
        except Exception as error:  # noqa: BLE001 - every error is a failure of this call
            failures += 1
            print(f"{type(error).__name__}: {error}\n  {call}\n  again: {sys.argv[0]} --call {at}")
            if failures == 20:
                break
    return failures


def self_test() -> int:
    """Planted bugs that calls must find."""
    anchor, each = _nd_recipes.anchor_of, _nd_recipes.each
    bugs = {
        "origin of even sizes": mock.patch.object(
            _nd_recipes, "anchor_of", lambda size, origin, flip=False: min(
                size - 1, anchor(size, origin, flip) + (flip and size % 2 == 0))),
        "modes in reverse": mock.patch.object(
            _nd_recipes, "each", lambda value, count: each(value, count)[::-1]),
        "mirror is reflect": mock.patch.dict(_nd_recipes._BORDERS, mirror="reflect"),
        "64-bit integers truncated": mock.patch.object(_arrays, "_rounded",
                                              lambda values, dtype: values.astype(dtype)),
    }
    for name, bug in bugs.items():
        _nd_call.cached.cache_clear()
        with bug, mock.patch("builtins.print"):
            found = run(300, 1)
        _nd_call.cached.cache_clear()
        if not found:
            print(f"not found: {name}")
            return 1
    print(f"{len(bugs)} planted bugs found")
    return 0


def main(arguments: list[str]) -> int:
    """The command."""
    if arguments[:1] == ["--self-test"]:
        return self_test()
    if arguments[:1] == ["--call"]:
        print(Call(int(arguments[1])))
        return run(1, int(arguments[1])) > 0
    count, seed = (int(given) for given in (arguments + ["1000", "1"][len(arguments):])[:2])
    failures = run(count, seed)
    print(f"{count} random calls, {failures} failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
