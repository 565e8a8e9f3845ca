"""libvips: conv and convsep, in whole numbers and in floats; the pipeline is built before, and its
evaluation into the reused output is timed."""
import numpy
import pyvips

from contender import Skip, Way

FORMATS = {"u8": "uchar", "u16": "ushort", "s16": "short", "f32": "float"}
LARGEST_FLOAT = 5e9  # multiply-adds; its float path takes a nanosecond for each
DENSE_SCALE, LINE_SCALE = 1 << 14, 1 << 10  # what the sums of whole taps are near to


def matrix(taps, scale=1.0):
    return pyvips.Image.new_from_array(numpy.atleast_2d(taps).tolist(), scale=scale)


def whole(taps, scale):
    """libvips rounds to whole taps; it divides by their sum, as its documentation asks for."""
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

    def use_threads(self, threads):
        pyvips.vips_lib.vips_concurrency_set(threads)

    def ways(self, problem):
        labels = ["float"] if problem.work.type == "f32" else ["integer", "float"]
        return [Way("libvips", label, lambda label=label: self.prepare(problem, label))
                for label in labels]

    def prepare(self, problem, precision):
        work = problem.work
        cost = work.samples * sum(stage.size**2 if stage.kind == "dense" else 2 * stage.size
                                  for stage in work.stages)
        if precision == "float" and cost > LARGEST_FLOAT:
            raise Skip("its float path would take too long")
        image = self.image(problem, problem.image)
        for stage in work.stages:
            image = add_stage(image, stage, precision)
            if precision == "float" and work.type != "f32":
                image = image.rint().cast(FORMATS[work.type])
        target = self.image(problem, problem.out)
        return lambda: image.write(target)

    def image(self, problem, array):
        work = problem.work
        return pyvips.Image.new_from_memory(array.data, work.width, work.height, 3,
                                            FORMATS[work.type])
