"""SciPy: ndimage, and signal.oaconvolve for large masks. Its integers are cut, not rounded, so it
computes in float32 and is rounded and clamped by numpy."""
import numpy
import scipy
import scipy.fft
import scipy.ndimage
import scipy.signal

from contender import Skip, Way
from works import limits

LARGEST = 1e9  # multiply-adds of ndimage; more would take minutes
LARGEST_IMAGE = 100_000_000  # samples that oaconvolve gets


def correlate(stage, source, target):
    mask = stage.mask[:, :, None]
    return lambda: scipy.ndimage.correlate(source, mask, output=target, mode="nearest")


def correlate_lines(stage, source, target):
    middle, taps = numpy.empty(source.shape, numpy.float32), stage.taps

    def run():
        scipy.ndimage.correlate1d(source, taps, axis=0, output=middle, mode="nearest")
        scipy.ndimage.correlate1d(middle, taps, axis=1, output=target, mode="nearest")
    return run


def running_mean(stage, source, target):
    size = (stage.size, stage.size, 1)
    return lambda: scipy.ndimage.uniform_filter(source, size, output=target, mode="nearest")


def overlap_add(stage, source, target):
    radius = stage.size // 2
    mask = stage.mask[::-1, ::-1, None].astype(numpy.float32)
    wide = ((radius, radius), (radius, radius), (0, 0))

    def run():
        padded = numpy.pad(source, wide, mode="edge").astype(numpy.float32, copy=False)
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

    def use_threads(self, threads):
        self.threads = threads

    def ways(self, problem):
        stages = problem.work.stages
        labels = WAYS[stages[0].kind] if len(stages) == 1 else {"chain": None}
        return [Way("SciPy", label, lambda how=how: self.prepare(problem, how))
                for label, how in labels.items()]

    def prepare(self, problem, how):
        work = problem.work
        if len(work.stages) > 1:
            raise Skip("its time would be the sum of its stages'")
        stage = work.stages[0]
        taps = {"dense": stage.size**2, "box": 6}.get(stage.kind, 2 * stage.size)
        if how is overlap_add and (work.samples > LARGEST_IMAGE or stage.size < 9):
            raise Skip("for large masks on images that fit")
        if how is not overlap_add and work.samples * taps > LARGEST:
            raise Skip("would take minutes")
        if work.type == "f32":
            call = how(stage, problem.image, problem.out)
        else:
            call = self.rounded(problem, how, stage)
        return self.with_workers(call)

    def rounded(self, problem, how, stage):
        floats = numpy.empty(problem.out.shape, numpy.float32)
        call, (low, high) = how(stage, problem.image, floats), limits(problem.work.type)

        def run():
            call()
            numpy.rint(floats, out=floats)
            numpy.clip(floats, low, high, out=floats)
            numpy.copyto(problem.out, floats, casting="unsafe")
        return run

    def with_workers(self, call):
        """Threads are those of its FFT; ndimage has none."""
        def run():
            with scipy.fft.set_workers(self.threads):
                call()
        return run
