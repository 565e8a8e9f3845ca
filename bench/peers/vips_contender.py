"""libvips: conv and convsep, with integer and float precision. Only the evaluation into the reused
output is timed: the pipeline is built before."""
import ctypes

import numpy
import pyvips

import environment
from contender import Skip, Way
from tasks import FLOATS

FORMATS = {"u8": "uchar", "u16": "ushort", "s16": "short", "f32": "float", "f64": "double"}
LARGEST_FLOAT = 1e9  # multiply-adds; the float path takes a nanosecond for each
DENSE_SCALE, LINE_SCALE = 1 << 14, 1 << 10  # integer taps are the taps times this, rounded


def matrix(taps, scale=1.0):
    return pyvips.Image.new_from_array(numpy.atleast_2d(taps).tolist(), scale=scale)


def whole(taps, scale):
    """Returns integer taps with their sum as the scale, as the libvips documentation asks for."""
    if numpy.array_equal(taps, numpy.rint(taps)):
        return matrix(taps)
    rounded = numpy.rint(taps * scale)
    return matrix(rounded, float(rounded.sum()))


def add_stage(image, stage, precision):
    if stage.kind in ("gaussian", "box"):
        taps = whole(stage.taps, LINE_SCALE) if precision == "integer" else matrix(stage.taps)
        return image.convsep(taps, precision=precision)
    mask = whole(stage.mask, DENSE_SCALE) if precision == "integer" else matrix(stage.mask)
    return image.conv(mask, precision=precision)


class Vips:
    def __init__(self):
        pyvips.cache_set_max(0)

    def version(self):
        return "libvips " + ".".join(str(pyvips.version(i)) for i in range(3))

    def beyond_avx2(self):
        with open("/proc/self/maps", encoding="utf-8") as file:
            path = next(line.split()[-1] for line in file if "libvips" in line)
        library = ctypes.CDLL(path)
        library.vips_vector_get_supported_targets.restype = ctypes.c_int64
        above = library.vips_vector_get_supported_targets() & environment.ABOVE_AVX2
        return f"the targets {above:#x} of Highway" if above else None

    def use_threads(self, threads):
        pyvips.vips_lib.vips_concurrency_set(threads)

    def ways(self, problem):
        labels = ["float"] if problem.task.type in FLOATS else ["integer", "float"]
        return [Way("libvips", label, lambda label=label: self.prepare(problem, label))
                for label in labels]

    def prepare(self, problem, precision):
        task = problem.task
        cost = task.samples * sum(stage.size**2 if stage.kind == "dense" else 2 * stage.size
                                  for stage in task.stages)
        if precision == "float" and cost > LARGEST_FLOAT:
            raise Skip("the float path would take too long")
        image = self.image(problem, problem.image)
        for stage in task.stages:
            image = add_stage(image, stage, precision)
            if precision == "float" and task.type not in FLOATS:
                image = image.rint().cast(FORMATS[task.type])
        target = self.image(problem, problem.out)
        return lambda: image.write(target)

    def image(self, problem, array):
        task = problem.task
        return pyvips.Image.new_from_memory(array.data, task.width, task.height, task.channels,
                                            FORMATS[task.type])
