"""Halide: hand-written schedules for the same masks and borders, compiled before the timing."""
import halide as hl
import numpy

import halide_schedules
from contender import Way

FRAMED_SIZE = {"f32": 9, "f64": 9}  # dense masks up to this size also run without a copy of the image,
FRAMED_USUAL = 5          # for other types up to this size
LARGE = 1 << 31  # bytes; larger images need 64-bit offsets
BYTE_SIZE = 17   # Gaussians on u8 up to this size also run in 16-bit arithmetic


def plane(array):
    """Returns an interleaved image as a Halide buffer with channels·width columns."""
    return hl.Buffer(array.reshape(array.shape[0], -1))


def parts(columns, rows, radius):
    """Returns the inner rectangle and the four of the frame around it, as (x, y, width, height)."""
    side = halide_schedules.Target.channels * radius
    high = rows - 2 * radius
    return [(side, radius, columns - 2 * side, high), (0, 0, columns, radius),
            (0, rows - radius, columns, radius), (0, radius, side, high),
            (columns - side, radius, side, high)]


def cropped(buffer, part):
    left, top, width, height = part
    return buffer.cropped(0, left, width).cropped(1, top, height)


class Halide:
    def version(self):
        return "Halide 21"

    def beyond_avx2(self):
        features = str(halide_schedules.host_target()).split("-")
        return next((name for name in features if name.startswith(("avx5", "avx1", "avxv"))), None)

    def ways(self, problem):
        stages, kind = problem.task.stages, problem.task.type
        if len(stages) > 1:
            makers = {"fused": self.chain}
        elif stages[0].kind == "named":
            makers = {"16 bits": self.named}
        elif stages[0].kind == "dense":
            makers = {"dense": self.dense}
            if stages[0].size <= FRAMED_SIZE.get(kind, FRAMED_USUAL):
                makers["framed"] = self.framed
        else:
            makers = {"separable": self.separable}
            if kind == "u8" and stages[0].size <= BYTE_SIZE:
                makers["16 bits"] = self.gaussian
        return [Way("Halide", label, lambda make=make: self.prepare(problem, make))
                for label, make in makers.items()]

    def prepare(self, problem, make):
        halide_schedules.Target.large = problem.image.nbytes >= LARGE
        halide_schedules.Target.channels = problem.task.channels
        return make(problem)

    def bind(self, problem, call, *arguments):
        source, out = plane(problem.image), plane(problem.out)
        return lambda: call(source, *arguments, out)

    def dense(self, problem):
        stage, (height, width, channels) = problem.task.stages[0], problem.image.shape
        call = halide_schedules.dense(problem.task.type, stage.size, width * channels, height,
                                      problem.threads > 1)
        return self.bind(problem, call, self.mask(problem, stage.mask))

    def separable(self, problem):
        stage, (height, width, channels) = problem.task.stages[0], problem.image.shape
        call = halide_schedules.separable(problem.task.type, stage.size, width * channels, height,
                                          problem.threads > 1)
        return self.bind(problem, call, self.mask(problem, stage.taps))

    def gaussian(self, problem):
        taps, columns = problem.task.stages[0].taps, problem.image[0].size
        return self.bind(problem, halide_schedules.gaussian(taps, columns, len(problem.image),
                                                            problem.threads > 1))

    def chain(self, problem):
        stages = problem.task.stages
        return self.in_parts(problem, halide_schedules.chain_inner(stages, problem.threads > 1),
                             halide_schedules.chain_frame(stages))

    def named(self, problem):
        mask, parallel = problem.task.stages[0].mask, problem.threads > 1
        return self.in_parts(problem, halide_schedules.named(mask, parallel, True),
                             halide_schedules.named(mask, parallel, False))

    def framed(self, problem):
        stage, kind = problem.task.stages[0], problem.task.type
        return self.in_parts(problem,
                             halide_schedules.dense_inner(kind, stage.size, problem.threads > 1),
                             halide_schedules.dense_frame(kind, stage.size),
                             self.mask(problem, stage.mask))

    def in_parts(self, problem, inner, frame, *arguments):
        """Returns a function that runs one pipeline on the inner rectangle, which needs no border,
        and another on the frame."""
        source, out = plane(problem.image), plane(problem.out)
        rows, columns = problem.image.shape[0], problem.image[0].size
        radius = sum(stage.size // 2 for stage in problem.task.stages)
        targets = [cropped(out, part) for part in parts(columns, rows, radius)]

        def run():
            inner(source, *arguments, targets[0])
            for target in targets[1:]:
                frame(source, *arguments, target)
        return run

    def mask(self, problem, taps):
        kind = numpy.float64 if problem.task.type == "f64" else numpy.float32
        return hl.Buffer(numpy.ascontiguousarray(taps, kind))
