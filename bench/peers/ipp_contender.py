"""Intel IPP through ipp_shim.c: FilterBorder, FilterGaussian, FilterBox, and for floats
FilterSeparable, which does not support u8."""
import ctypes
import glob
import math
import os
import re
from ctypes import POINTER, byref, c_float, c_int, c_int64, c_void_p

import numpy

import forms
import environment
import native
from contender import Skip, Way, in_turn

DENSE_64F, DENSE_32F, DENSE_16S, SEPARABLE_32F, GAUSSIAN, BOX = range(6)
TYPES = {"u8": 1, "u16": 5, "s16": 7, "f32": 13, "f64": 19}  # IppDataType
LIBRARIES = ("libippi.so.12", "libippcv.so.12", "libipps.so.12", "libippcore.so.12")
MOST_TAP, MOST_SUM = 32767, 2**31 / 255  # of integer taps: sums of u8 samples fit 32 bits


class Mask(ctypes.Structure):
    _fields_ = [("doubles", c_void_p), ("floats", c_void_p), ("shorts", c_void_p), ("divisor", c_int),
                ("sigma", c_float)]


def whole_taps(taps):
    """Returns (w, divisor): 16-bit integer taps, and the largest power of two as divisor for which
    they fit."""
    if numpy.array_equal(taps, numpy.rint(taps)):
        return taps.astype(numpy.int16), 1
    for bits in range(15, 0, -1):
        w = numpy.array(forms.integer_taps(taps, taps.size // 2, bits)).reshape(taps.shape)
        if abs(w).max() <= MOST_TAP and abs(w).sum() < MOST_SUM:
            return w.astype(numpy.int16), 1 << bits
    raise Skip("no integer taps fit")


def bell_sigma(size):
    """Returns the sigma of a Gaussian. Size 3 gives [1 2 1]/4; size 5 is the nearest to
    [1 4 6 4 1]/16."""
    if size == 3:
        return math.sqrt(0.5 / math.log(2))
    return 1.11 if size == 5 else 0.3 * ((size - 1) / 2 - 1) + 0.8


def chain_op(stage):
    """Returns the IPP function for a stage of a chain. No Gaussian of size 5 is [1 4 6 4 1]/16, so
    that size uses a dense mask."""
    return GAUSSIAN if stage.kind == "gaussian" and stage.size != 5 else DENSE_16S


def link_versions(prefix):
    """Creates symbolic links for the CPU-specific libraries: IPP loads them by names with the minor
    version, which are missing from the package."""
    with open(os.path.join(prefix, "include", "ipp", "ippversion.h"), encoding="utf-8") as file:
        minor = re.search(r"INTERFACE_VERSION_MINOR\s+(\d+)", file.read()).group(1)
    for path in glob.glob(os.path.join(prefix, "lib", "libipp*.so.[0-9][0-9]")):
        link = f"{path}.{minor}"
        if not os.path.lexists(link):
            os.symlink(os.path.basename(path), link)


class Ipp:
    def __init__(self):
        prefix = environment.folder()
        link_versions(prefix)
        flags = ["-I" + os.path.join(prefix, "include"),
                 "-I" + os.path.join(prefix, "include", "ipp"), "-L" + os.path.join(prefix, "lib"),
                 *(f"-l:{name}" for name in LIBRARIES),
                 "-Wl,-rpath," + os.path.join(prefix, "lib")]
        self.lib = native.load("ipp", ("ipp_shim.c", "split.h"), flags)
        self.lib.ipp_create.argtypes = [c_int, c_int, c_int, c_int64, c_int, c_int, POINTER(Mask), c_int,
                                        POINTER(c_int)]
        self.lib.ipp_create.restype = c_void_p
        self.lib.ipp_run.argtypes = [c_void_p, c_void_p, c_void_p]
        self.lib.ipp_destroy.argtypes = [c_void_p]
        self.lib.ipp_error.restype = self.lib.ipp_version.restype = ctypes.c_char_p
        self.lib.ipp_variant.restype = ctypes.c_char_p
        if environment.AVX2 and self.lib.ipp_hold_avx2() != 0:
            raise Skip("ippSetCpuFeatures failed")

    def beyond_avx2(self):
        variant = self.lib.ipp_variant().decode()
        return variant if "512" in variant else None

    def version(self):
        return f"IPP {self.lib.ipp_version().decode()}"

    def ways(self, problem):
        stages, whole = problem.task.stages, problem.task.type != "f32"
        if len(stages) > 1:
            ops = {"chain": None}
        elif problem.task.type == "f64":
            ops = {"Filter 64f": DENSE_64F}
        elif stages[0].kind == "gaussian":
            ops = {"Gaussian": GAUSSIAN}
            ops["Filter 16s" if whole else "Separable 32f"] = DENSE_16S if whole else SEPARABLE_32F
        elif stages[0].kind == "box":
            ops = {"Box": BOX}
        else:
            ops = {"Filter 32f": DENSE_32F}
            ops.update({"Filter 16s": DENSE_16S} if whole else {})
        return [Way("IPP", label, lambda op=op: self.prepare(problem, op))
                for label, op in ops.items()]

    def prepare(self, problem, op):
        handles = []

        def make(stage, source, target):
            chosen = op
            if chosen is None:
                chosen = chain_op(stage)
            handle = self.create(problem, chosen, stage)
            handles.append(handle)
            arguments = (handle, source.ctypes.data, target.ctypes.data)

            def run(keep=(source, target)):
                status = self.lib.ipp_run(*arguments)
                if status < 0:
                    raise RuntimeError(self.lib.ipp_error(status).decode())
            return run
        run = in_turn(problem, make)
        run.close = lambda: [self.lib.ipp_destroy(handle) for handle in handles]
        return run

    def create(self, problem, op, stage):
        taps = stage.mask if op in (DENSE_64F, DENSE_32F, DENSE_16S) else stage.taps
        mask, status = Mask(sigma=bell_sigma(stage.size), divisor=1), c_int()
        floats = numpy.ascontiguousarray(taps, numpy.float32)
        mask.floats = floats.ctypes.data
        doubles = numpy.ascontiguousarray(taps, numpy.float64)
        mask.doubles = doubles.ctypes.data
        if op == DENSE_16S:
            shorts, divisor = whole_taps(numpy.ascontiguousarray(taps))
            mask.shorts = shorts.ctypes.data
            mask.divisor = divisor
        task = problem.task
        handle = self.lib.ipp_create(op, TYPES[task.type], task.width, task.height,
                                     task.channels, stage.size,
                                     byref(mask), problem.threads, byref(status))
        if not handle:
            raise Skip(self.lib.ipp_error(status).decode())
        return handle
