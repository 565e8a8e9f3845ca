#!/usr/bin/env python3
"""Times Swathe and other packages from Python, in one interleaved run.

    rows.py [--quick] [--images 100,1000] [--types uint8,float32] [--seconds S] [--output DIRECTORY]

Each row is an image, a filter and a number of threads. The contenders take turns, so that a change of
the machine's speed meets all of them. Before anything is timed, results are compared. Writes rows.csv and speedup.svg, and prints the medians of the ratios.
"""
import argparse
import csv
import os
import statistics
import time

import cv2
import numpy as np
import scipy.ndimage
import skimage.filters

import swathe

SIZES = {"100": (100, 100), "1000": (1000, 1000), "24 MP": (4000, 6000)}
TYPES = ("uint8", "uint16", "float32", "float64")
GAUSSIANS, DENSE = (3, 5, 9, 17, 31, 63, 121), (3, 5, 9, 17, 31)
SLOWEST = 6.0  # seconds of one call; slower ones are left out and listed


def sigma_of(size):
    return size / 6.0


def gaussian_taps(size):
    x = np.arange(size) - size // 2
    taps = np.exp(-0.5 * (x / sigma_of(size)) ** 2)
    return taps / taps.sum()


def contenders(kind, size, dtype, threads):
    """Functions of an image, by name. All mirror the image at its edges."""
    if kind == "gaussian":
        taps, sigma = gaussian_taps(size), sigma_of(size)
        chain = swathe.Chain(f"gaussian:{size}:sigma={sigma!r}")
        return {
            "swathe": lambda image: swathe.apply(image, chain, threads=threads),
            "scipy": lambda image: scipy.ndimage.gaussian_filter(image, sigma, radius=size // 2),
            "opencv": lambda image: cv2.sepFilter2D(image, -1, taps, taps,
                                                    borderType=cv2.BORDER_REFLECT),
            "scikit-image": lambda image: skimage.filters.gaussian(
                image, sigma, mode="reflect", truncate=(size // 2) / sigma, preserve_range=True),
        }
    mask = np.random.default_rng(size).random((size, size))  # negative results wrap in SciPy
    mask /= mask.sum()
    chain = swathe.mask(mask)
    return {
        "swathe": lambda image: swathe.apply(image, chain, threads=threads),
        "scipy": lambda image: scipy.ndimage.correlate(image, mask),
        "opencv": lambda image: cv2.filter2D(image, -1, mask, borderType=cv2.BORDER_REFLECT),
    }


def rows(quick, images, types):
    for name in images:
        for dtype in types:
            for kind, sizes in ("gaussian", GAUSSIANS), ("dense", DENSE):
                for size in sizes[::3] if quick or name == "24 MP" else sizes:
                    for threads in (1, 2):
                        yield name, dtype, kind, size, threads


def check(functions, name, image):
    """Results agree: SciPy truncates integers after each axis, which costs up to 2."""
    part = np.ascontiguousarray(image[:200, :200])
    own = functions["swathe"](part).astype(float)
    allowed = 1e-4 if image.dtype.kind == "f" else 2.01
    for peer, function in functions.items():
        apart = np.abs(function(part).astype(float) - own).max()
        if apart > allowed:
            raise SystemExit(f"{name}: {peer} differs by {apart:.3g}, more than {allowed}")


def once(function, image):
    start = time.perf_counter()
    function(image)
    return time.perf_counter() - start


def measure(functions, image, seconds):
    """Best and median time of each function; None: too slow."""
    times = {name: [once(function, image)] for name, function in functions.items()}
    live = [name for name in functions if times[name][0] < SLOWEST]
    stop = time.perf_counter() + seconds
    while time.perf_counter() < stop or len(times["swathe"]) < 3:
        for name in live:
            repeat = 1 if image.size > 20000 else 20
            times[name].append(sum(once(functions[name], image) for _ in range(repeat)) / repeat)
    return {name: (min(times[name]), statistics.median(times[name])) if name in live else None
            for name in functions}


def image_of(name, dtype):
    image = np.random.default_rng(1).integers(0, 256, SIZES[name], np.uint8)
    return (image / 255).astype(dtype) if dtype.startswith("f") else image.astype(dtype)


def run(arguments):
    made = []
    for name, dtype, kind, size, threads in rows(arguments.quick, arguments.images.split(","),
                                                 arguments.types.split(",")):
        cv2.setNumThreads(threads)
        functions = contenders(kind, size, dtype, threads)
        image = image_of(name, dtype)
        check(functions, f"{name} {dtype} {kind} {size}", image)
        result = measure(functions, image, arguments.seconds)
        own = result["swathe"]
        for peer, times in result.items():
            made.append({"image": name, "dtype": dtype, "filter": kind, "taps": size,
                         "threads": threads, "contender": peer,
                         "best_ms": times and round(1e3 * times[0], 4),
                         "median_ms": times and round(1e3 * times[1], 4),
                         "ratio": times and round(times[0] / own[0], 3)})
        print(name, dtype, kind, size, threads, *(f"{peer} {times[0] / own[0]:.2f}" if times else
              f"{peer} too slow" for peer, times in result.items() if peer != "swathe"), flush=True)
    return made


def draw(made, path):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    for axis, kind in zip(axes, ("gaussian", "dense"), strict=True):
        for peer in "scipy", "opencv", "scikit-image":
            found = {}
            for row in made:
                if row["filter"] == kind and row["contender"] == peer and row["ratio"]:
                    found.setdefault(row["taps"], []).append(row["ratio"])
            if found:
                sizes = sorted(found)
                axis.plot(sizes, [statistics.median(found[s]) for s in sizes], "o-", label=peer)
        axis.axhline(1, color="black", linewidth=1)
        axis.set(xscale="log", yscale="log", xlabel="mask size", title=f"{kind} masks")
        axis.set_xticks(sorted({r["taps"] for r in made if r["filter"] == kind}))
        axis.set_yticks([1, 2, 5, 10, 20, 50, 100])
        for side in axis.get_xaxis(), axis.get_yaxis():
            side.set_major_formatter(matplotlib.ticker.ScalarFormatter())
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("time / time of swathe")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip() + "\n" for line in file]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)  # without spaces at the ends


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--images", default=",".join(SIZES))
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--output", default=".")
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    made = run(arguments)
    with open(os.path.join(arguments.output, "rows.csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, made[0].keys())
        writer.writeheader()
        writer.writerows(made)
    draw(made, os.path.join(arguments.output, "speedup.svg"))
    for peer in "scipy", "opencv", "scikit-image":
        ratios = [row["ratio"] for row in made if row["contender"] == peer and row["ratio"]]
        slower = sum(ratio < 1 for ratio in ratios)
        print(f"{peer}: median {statistics.median(ratios):.2f}, least {min(ratios):.2f}, faster "
              f"than swathe in {slower} of {len(ratios)} rows")


if __name__ == "__main__":
    main()
