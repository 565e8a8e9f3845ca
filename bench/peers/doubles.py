#!/usr/bin/env python3
"""Compares filters of f64 images with SciPy and OpenCV: 1000 x 1000, one channel, one thread.

    doubles.py [--build DIR] [--seconds S] [SIZE ...]

Every result is checked against SciPy's, which is summed in doubles too: the two may differ by twice
the bound that the plan states. The contenders run in turn. Times are CPU times, so that other load
affects them little; the table has the best ones, and the ratios of the best and of the medians.

Exit status: 0 if every result is within the bound, SciPy takes at least 4 times as long and OpenCV
at least as long in every row; 1 if not.
"""
import argparse
import os
import sys
import time

import environment

SIZES = (3, 5, 7, 9, 11, 15, 21, 31, 41, 51, 61, 81, 101, 121)
SIDE, LEAST_RUNS, MOST_RUNS = 1000, 2, 80
LEAST_SCIPY, LEAST_OPENCV = 4.0, 1.0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, metavar="SIZE",
                        help="mask sizes; default " + " ".join(map(str, SIZES)))
    parser.add_argument("--seconds", type=float, default=1.0,
                        help="CPU time of each contender per row; default 1")
    parser.add_argument("--build", metavar="DIR", help="directory with libswathe.so")
    return parser.parse_args()


# ---- Contenders ----------------------------------------------------------------------------------

def gaussian_calls(image, target, stage):
    import cv2
    import scipy.ndimage
    taps, middle, size = stage.taps, image * 0.0, (stage.size, stage.size)

    def scipy_lines():
        scipy.ndimage.correlate1d(image, taps, axis=0, output=middle, mode="nearest")
        scipy.ndimage.correlate1d(middle, taps, axis=1, output=target, mode="nearest")
    border = cv2.BORDER_REPLICATE
    return {"SciPy": [scipy_lines],
            "OpenCV": [lambda: cv2.GaussianBlur(image, size, 0, dst=target, borderType=border),
                       lambda: cv2.sepFilter2D(image, cv2.CV_64F, taps, taps, dst=target,
                                               borderType=border)]}


def dense_calls(image, target, stage):
    import cv2
    import scipy.ndimage
    mask = stage.mask
    return {"SciPy": [lambda: scipy.ndimage.correlate(image, mask, output=target, mode="nearest")],
            "OpenCV": [lambda: cv2.filter2D(image, cv2.CV_64F, mask, dst=target,
                                            borderType=cv2.BORDER_REPLICATE)]}


def swathe_call(library, image, target, stage):
    """Returns a call and its plan."""
    from swathe_ctypes import TYPES, PlanOptions, RunOptions, Shape, byref, image_view
    shape = Shape(width=SIDE, height=SIDE, channels=1, type=TYPES["f64"])
    plan = library.plan(stage.text, shape, PlanOptions(border=("replicate", 0)))
    source, result = (image_view(a.reshape(SIDE, SIDE, 1), "f64") for a in (image, target))
    options = RunOptions(threads=1)
    return lambda: library.call("run", library.context, plan.handle, byref(source), byref(result),
                                byref(options)), plan


# ---- Measuring -----------------------------------------------------------------------------------

def in_turns(calls, seconds):
    """Returns the CPU times of every call."""
    times = [[] for _ in calls]
    left = list(zip(calls, times))
    while left:
        for call, used in left:
            start = time.process_time()
            call()
            used.append(time.process_time() - start)
        left = [(call, used) for call, used in left if len(used) < LEAST_RUNS
                or (sum(used) < seconds and len(used) < MOST_RUNS)]
    return times


def measure(library, image, stage, seconds):
    import numpy
    ours, theirs = image * 0.0, image * 0.0
    run, plan = swathe_call(library, image, ours, stage)
    make = gaussian_calls if stage.kind == "gaussian" else dense_calls
    peers = make(image, theirs, stage)
    run()
    peers["SciPy"][0]()
    error, bound = float(abs(ours - theirs).max()), plan.info.error_bound
    owners = ["Swathe"] + [name for name, calls in peers.items() for _ in calls]
    times = in_turns([run] + [call for calls in peers.values() for call in calls], seconds)
    row = {"error": error, "bound": bound, "algorithm": plan.stages[0].algorithm.decode()}
    for name in ("Swathe", "SciPy", "OpenCV"):
        own = [used for owner, used in zip(owners, times) if owner == name]
        row[name] = (min(map(min, own)) * 1e3, min(float(numpy.median(t)) for t in own) * 1e3)
    plan.close()
    return row


def show(stage, row):
    """Prints a line of the table; returns whether it is as it should be."""
    ratios = {name: [theirs / ours for theirs, ours in zip(row[name], row["Swathe"])]
              for name in ("SciPy", "OpenCV")}
    cells = [f"{stage.kind} {stage.size}", f"{row['Swathe'][0]:.2f}"]
    for name, both in ratios.items():
        cells += [f"{row[name][0]:.1f}", f"{both[0]:.1f}, {both[1]:.1f}"]
    cells += [f"{row['error']:.1e}", f"{row['bound']:.1e}", row["algorithm"]]
    print("| " + " | ".join(cells) + " |", flush=True)
    return row["error"] <= 2 * row["bound"] and ratios["SciPy"][0] >= LEAST_SCIPY and \
        ratios["OpenCV"][0] >= LEAST_OPENCV


def main():
    options = arguments()
    environment.enter()
    os.environ["SWATHE_WISDOM"] = "off"
    import cv2
    import numpy
    import scipy
    import swathe_contender
    from swathe_ctypes import Library
    from tasks import Stage
    cv2.setNumThreads(1)
    library = Library(swathe_contender.folder(options.build), threads=1)
    image = numpy.random.default_rng(7).random((SIDE, SIDE))
    print(f"SciPy {scipy.__version__}, OpenCV {cv2.__version__}; CPU times in ms\n\n"
          "| filter | Swathe | SciPy | ratio: best, median | OpenCV | ratio | differs from SciPy by | "
          "bound | algorithm |\n|---|---|---|---|---|---|---|---|---|")
    good = [show(stage, measure(library, image, stage, options.seconds))
            for stage in (Stage(kind, "", size) for kind in ("gaussian", "dense")
                          for size in options.sizes)]
    library.close()
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
