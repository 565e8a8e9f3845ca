#!/usr/bin/env python3
"""Checks that swathe.dask gives the bytes of one run.

    dask_check.py [--size N] [--count N] [--seed S] [--no-cluster] [--speed] [--self-test]

Random small cases first; then an image of N x N on a cluster of two processes, in five chunkings
and with four borders, one worker being killed in the middle. --speed compares times with the same
graph that copies, and with map_overlap; nothing depends on them. --self-test plants bugs, each of
which the random cases must find.
"""
from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest import mock

import dask
import dask.array as da
import numpy as np

import swathe
import swathe.dask


# ---- Random small arrays, chunks, chains and borders ----------------------------------------------

CHAINS = ("sharpen,gaussian:9", "gaussian:5,gaussian:sigma=2:border=wrap", "gradient:join=stack",
          "box:4x7,mask:(1 2 3):normalise:border=reflect101", "sobel-x:border=wrap,box:1x9",
          "motion:21:angle=30,disk:3", "mask:(1 2; 3 5; 7 9):anchor=0x2:normalise,sharpen",
          "box:91x3,gaussian:3", "mask:(1 2 3):(3 2 1):join=stack:normalise:border=wrap,"
          "box:3:border=constant(3),sharpen:border=(wrap)")
BORDERS = ("reflect", "wrap", "wrap", "constant(7)", "replicate", "reflect101", "valid", "missing")
TYPES = ("uint8", "uint16", "float32", "float64")


def draw_chunks(rng: np.random.Generator, size: int) -> tuple[int, ...]:
    """Sizes that add up to `size`; some are much smaller than masks reach."""
    most = int(rng.choice([3, 20, 60]))
    chunks: list[int] = []
    while sum(chunks) < size:
        chunks.append(min(size - sum(chunks), int(rng.integers(1, most + 1))))
    return tuple(chunks)


def draw(seed: int) -> tuple[np.ndarray[Any, Any], Any, str, dict[str, Any]]:
    """An image, chunks, a chain and options."""
    rng = np.random.default_rng(seed)
    height, width = (int(size) for size in rng.integers(8, 70, 2))
    shape, axis = [((height, width), -1), ((height, width, 3), -1), ((3, height, width), 0),
                   ((2, 3, height, width), None), ((2, height, width, 4), -1)][rng.integers(5)]
    options = {"border": str(rng.choice(BORDERS)), "channel_axis": axis}
    dtype = str(rng.choice(TYPES))
    if shape[-1] == 4 and rng.random() < 0.5:
        options["alpha"] = str(rng.choice(["premultiply", "keep"]))
    elif rng.random() < 0.2:
        options["nodata"] = 7
    if rng.random() < 0.2:
        options["dtype"] = str(rng.choice(TYPES))
    image = (rng.random(shape) * (200 if dtype[0] == "u" else 1)).astype(dtype)
    chunks = tuple(draw_chunks(rng, size) for size in shape)
    return image, chunks, str(rng.choice(CHAINS)), options


def differs(seed: int, scheduler: str) -> str | None:
    """What is wrong with a case; None: nothing; "refused": one run refuses it, too."""
    image, chunks, chain, options = draw(seed)
    what = f"seed {seed}: {chain} {options} on {image.dtype} {image.shape} in {chunks}"
    try:
        want = swathe.apply(image, chain, exact=True, **options)
    except swathe.Error:
        return "refused"
    try:
        lazy = swathe.dask.apply(da.from_array(image, chunks=chunks), chain, **options)
        got = lazy.compute(scheduler=scheduler)
    except (swathe.Error, ValueError) as error:
        return f"{what}: {error}"
    if (lazy.shape, lazy.dtype) != (want.shape, want.dtype):
        return f"{what}: {lazy} instead of {want.dtype} {want.shape}"
    rows = axis_chunks(image, chunks, options["channel_axis"])
    if options["border"] != "valid" and "valid" not in chain and rows != axis_chunks(
            image, lazy.chunks, options["channel_axis"]):
        return f"{what}: the chunks became {lazy.chunks}"
    same = got.tobytes() == want.tobytes()
    return None if same else f"{what}: {np.sum(got != want)} of {want.size} samples differ"


def axis_chunks(image: np.ndarray[Any, Any], chunks: Any, channel_axis: int | None) -> list[Any]:
    """The chunks of all dimensions except that of channels."""
    channel = image.ndim if channel_axis is None or image.ndim == 2 else channel_axis % image.ndim
    return [chunks[axis] for axis in range(image.ndim) if axis != channel]


def check_random(count: int, seed: int, scheduler: str = "threads") -> list[str]:
    """Messages of the cases that are wrong. Cases that one run refuses do not count."""
    wrong: list[str] = []
    while count > 0:
        message = differs(seed, scheduler)
        seed, count = seed + 1, count - (message != "refused")
        if message and message != "refused":
            wrong.append(message)
    return wrong


# ---- Chosen cases ---------------------------------------------------------------------------------

def check_map_overlap() -> list[str]:
    """The reason for swathe.dask: map_overlap pads the image once, not before each filter."""
    chain, halo, wrong = "sharpen,gaussian:9", 5, []
    image = np.random.default_rng(5).integers(0, 256, (60, 70), np.uint8)
    lazy = da.from_array(image, chunks=(30, 35))
    for border, boundary in ("replicate", "nearest"), ("constant(200)", 200):
        want = swathe.apply(image, chain, border=border)
        other = lazy.map_overlap(swathe.apply, depth=halo, boundary=boundary, dtype="uint8",
                                 chain=chain, border=border).compute()
        own = swathe.dask.apply(lazy, chain, border=border).compute()
        print(f"{chain}, border {border}: map_overlap gets {np.sum(other != want)} of {want.size} "
              f"pixels wrong, swathe.dask {np.sum(own != want)}")
        if np.array_equal(other, want):
            wrong.append("map_overlap has become right: say so in docs/python-clusters.md")
        if not np.array_equal(own, want):
            wrong.append(f"swathe.dask differs for border {border}")
    return wrong


def check_little() -> list[str]:
    """A part of a huge result needs few blocks, whatever the borders are."""
    wrong, huge = [], da.zeros((100_000, 100_000), dtype="uint8", chunks=4096)
    for chain in "sharpen,gaussian:9", "sharpen:border=reflect,gaussian:9":
        result = swathe.dask.apply(huge, chain, border="wrap")
        (part,) = dask.optimize(result[:5, -5:])
        if len(part.dask) > 100 or part.compute().shape != (5, 5):
            wrong.append(f"{chain}: {len(part.dask)} tasks for one corner")
    return wrong


def check_refusals() -> list[str]:
    """Arrays that cannot be filtered are errors at once, not in a task."""
    image = da.zeros((20, 30), dtype="uint8", chunks=10)
    wrong = []
    for array, error in ((da.ma.masked_equal(image, 3), TypeError),
                         (image[image[:, 0] > 3], ValueError), (image[0], ValueError),
                         (image.astype("int64"), TypeError)):
        try:
            wrong.append(f"accepted: {swathe.dask.apply(array, 'box:3')}")
        except error:
            pass
    return wrong


# ---- Planted bugs --------------------------------------------------------------------------------

def _smaller_halo(span: Any) -> Any:
    """A tile without its last row or column, where it has a halo."""
    if span.source_size <= span.size:
        return span
    last = span.pieces[-1]
    pieces = (*span.pieces[:-1], replace(last, stop=last.stop - 1))
    return replace(span, source_size=span.source_size - 1, pieces=pieces)


@contextlib.contextmanager
def planted(name: str) -> Iterator[None]:
    """swathe.dask with a bug."""
    module: Any = swathe.dask
    repeats, pieces, span = module._repeats, module._pieces, module._Layout._span
    bugs = {
        "halo one smaller": mock.patch.object(
            module._Layout, "_span", lambda self, *place: _smaller_halo(span(self, *place))),
        "neighbours shifted by one": mock.patch.object(
            module, "_pieces", lambda chunks, first, size: pieces(chunks, first + 1, size)),
        "wrapped halo one smaller": mock.patch.object(
            module, "_repeats", lambda *given: tuple(max(0, n - 1) for n in repeats(*given) or ())),
    }
    with bugs[name]:
        yield


PLANTED = ("halo one smaller", "neighbours shifted by one", "wrapped halo one smaller")


def self_test(seed: int) -> int:
    for bug in PLANTED:
        with planted(bug):
            found = check_random(60, seed)
        print(f"planted, {bug}: {len(found)} of 60 cases find it")
        if not found:
            return 1
    return 0


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--size", type=int, default=8000)
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--no-cluster", action="store_true")
    options.add_argument("--speed", action="store_true")
    options.add_argument("--self-test", action="store_true")
    given = options.parse_args()
    if given.self_test:
        return self_test(given.seed)
    wrong = check_random(given.count, given.seed)
    print(f"{given.count} random cases: {len(wrong)} wrong")
    wrong += check_map_overlap() + check_little() + check_refusals()
    if not given.no_cluster:
        import dask_cluster

        wrong += dask_cluster.check(given.size, given.seed)
        if given.speed:
            dask_cluster.print_speed()
    for message in wrong[:20]:
        print(message, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
