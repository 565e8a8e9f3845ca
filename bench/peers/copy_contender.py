"""The limits: copies of the same bytes, and the FMA peak."""
import time

from ctypes import c_double, c_int, c_int64, c_void_p

import native
from contender import Way

PEAK_STEPS, PEAK_RUNS = 400_000, 12
SOURCES = ("copy_limit.c", "split.h"), ("fma_peak.c", "split.h")


class Copy:
    def __init__(self):
        try:
            self.lib = native.load("copy", SOURCES[0])
        except native.NoCompiler as error:
            raise SystemExit(f"peers: the copies to measure against: {error}") from error
        self.lib.copy_rows.argtypes = [c_void_p, c_void_p, c_int64, c_int64, c_int, c_int]

    def ways(self, problem):
        return [Way("memcpy", "", lambda: self.prepare(problem, 0)),
                Way("nt-copy", "", lambda: self.prepare(problem, 1))]

    def prepare(self, problem, streamed):
        image = problem.image
        arguments = (problem.out.ctypes.data, image.ctypes.data, image.strides[0], len(image),
                     problem.threads, streamed)
        return lambda: self.lib.copy_rows(*arguments)


def float_peak(threads):
    """Floating-point operations per second, at best."""
    lib = native.load("fma", SOURCES[1])
    lib.fma_run.argtypes, lib.fma_run.restype = [c_int64, c_int], c_double
    best = 0.0
    for _ in range(PEAK_RUNS):
        start = time.perf_counter()
        done = lib.fma_run(PEAK_STEPS, threads)
        best = max(best, done / (time.perf_counter() - start))
    return best
