"""Limits for every contender: copies of the same bytes, and the peak rate of multiply-adds."""
from ctypes import c_double, c_int, c_int32, c_int64, c_void_p

import native
from contender import Way

PEAK_SECONDS = 0.1
COPY = "copy_limit.c", "split.h"
FMA = tuple("../program/" + name for name in ("peak_fma.c", "team.c", "peak.h", "peak_fma_body.h", "team.h"))


class Copy:
    def __init__(self):
        try:
            self.lib = native.load("copy", COPY)
        except native.NoCompiler as error:
            raise SystemExit(f"peers: cannot build the copy loops: {error}") from error
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
    """Returns the best measured number of floating-point operations per second."""
    lib = native.load("fma", FMA)
    lib.peak_fma.argtypes, lib.peak_fma.restype = [c_int32, c_double], c_double
    return 1e9 * lib.peak_fma(threads, PEAK_SECONDS)
