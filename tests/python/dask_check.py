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
import sys

import dask
import dask.array as da
import numpy as np

import dask_random
import swathe
import swathe.dask


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


def self_test(seed: int) -> int:
    for bug in dask_random.PLANTED:
        with dask_random.planted(bug):
            found = dask_random.check(60, seed)
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
    wrong = dask_random.check(given.count, given.seed)
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
