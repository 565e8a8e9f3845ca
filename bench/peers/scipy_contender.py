"""SciPy: ndimage, and signal.oaconvolve for large masks. SciPy truncates integers instead of
rounding them, so it computes in float32 here, and NumPy rounds and clamps the results."""
import numpy
import scipy
import scipy.fft
import scipy.ndimage
import scipy.signal
from numpy._core._multiarray_umath import __cpu_features__ as numpy_features

import environment
from contender import Skip, Way
from tasks import FLOATS, limits

LARGEST = 4e8  # multiply-adds for ndimage; more would take minutes
LARGEST_IMAGE = 100_000_000  # samples for oaconvolve


def correlate(stage, source, target):
    mask = stage.mask[:, :, None]
    return lambda: scipy.ndimage.correlate(source, mask, output=target, mode="nearest")


def correlate_lines(stage, source, target):
    middle, taps = numpy.empty(source.shape, target.dtype), stage.taps

    def run():
        scipy.ndimage.correlate1d(source, taps, axis=0, output=middle, mode="nearest")
        scipy.ndimage.correlate1d(middle, taps, axis=1, output=target, mode="nearest")
    return run


def running_mean(stage, source, target):
    size = (stage.size, stage.size, 1)
    return lambda: scipy.ndimage.uniform_filter(source, size, output=target, mode="nearest")


def overlap_add(stage, source, target):
    radius = stage.size // 2
    kind = numpy.float64 if target.dtype == numpy.float64 else numpy.float32
    mask = stage.mask[::-1, ::-1, None].astype(kind)
    wide = ((radius, radius), (radius, radius), (0, 0))

    def run():
        padded = numpy.pad(source, wide, mode="edge").astype(kind, copy=False)
        target[...] = scipy.signal.oaconvolve(padded, mask, mode="valid", axes=(0, 1))
    return run


WAYS = {"named": {"correlate": correlate},
        "dense": {"correlate": correlate, "oaconvolve": overlap_add},
        "gaussian": {"correlate1d": correlate_lines}, "box": {"uniform_filter": running_mean}}


class SciPy:
    def __init__(self):
        self.threads = 1

    def version(self):
        return f"SciPy {scipy.__version__}"

    def beyond_avx2(self):
        return next((name for name in environment.SWITCHES["NPY_DISABLE_CPU_FEATURES"].split()
                     if numpy_features.get(name)), None)

    def use_threads(self, threads):
        self.threads = threads

    def ways(self, problem):
        stages = problem.task.stages
        labels = WAYS[stages[0].kind] if len(stages) == 1 else {"chain": None}
        return [Way("SciPy", label, lambda how=how: self.prepare(problem, how))
                for label, how in labels.items()]

    def prepare(self, problem, how):
        task = problem.task
        if len(task.stages) > 1:
            raise Skip("not measured: its time would be the sum of the times of the stages")
        stage = task.stages[0]
        taps = {"dense": stage.size**2, "box": 6}.get(stage.kind, 2 * stage.size)
        if how is overlap_add and (task.samples > LARGEST_IMAGE or stage.size < 9):
            raise Skip(f"only used for masks from 9x9 on images of up to {LARGEST_IMAGE} samples")
        if how is not overlap_add and task.samples * taps > LARGEST:
            raise Skip("would take minutes")
        if task.type in FLOATS:
            call = how(stage, problem.image, problem.out)
        else:
            call = self.rounded(problem, how, stage)
        return self.with_workers(call)

    def rounded(self, problem, how, stage):
        floats = numpy.empty(problem.out.shape, numpy.float32)
        call, (low, high) = how(stage, problem.image, floats), limits(problem.task.type)

        def run():
            call()
            numpy.rint(floats, out=floats)
            numpy.clip(floats, low, high, out=floats)
            numpy.copyto(problem.out, floats, casting="unsafe")
        return run

    def with_workers(self, call):
        """Sets the number of threads of the FFT; ndimage has only one thread."""
        def run():
            with scipy.fft.set_workers(self.threads):
                call()
        return run
