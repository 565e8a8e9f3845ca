"""OpenCV: filter2D (which uses the DFT for large masks), GaussianBlur, sepFilter2D, blur."""
import cv2
import numpy

from contender import Way, in_turn

EDGE = cv2.BORDER_REPLICATE


def taps_type(problem):
    return numpy.float64 if problem.task.type == "f64" else numpy.float32


def dense(stage, kind):
    mask = stage.mask.astype(kind)
    return lambda source, target: cv2.filter2D(source, -1, mask, dst=target, borderType=EDGE)


def separable(stage, kind):
    taps = stage.taps.astype(kind)
    return lambda source, target: cv2.sepFilter2D(source, -1, taps, taps, dst=target,
                                                  borderType=EDGE)


def gaussian(stage, _):
    size = (stage.size, stage.size)
    return lambda source, target: cv2.GaussianBlur(source, size, 0, dst=target, borderType=EDGE)


def gaussian_approximate(stage, _):
    size, hint = (stage.size, stage.size), cv2.ALGO_HINT_APPROX
    return lambda source, target: cv2.GaussianBlur(source, size, 0, dst=target, borderType=EDGE,
                                                   hint=hint)


def box(stage, _):
    size = (stage.size, stage.size)
    return lambda source, target: cv2.blur(source, size, dst=target, borderType=EDGE)


WAYS = {"named": {"filter2D": dense}, "dense": {"filter2D": dense},
        "gaussian": {"GaussianBlur": gaussian, "GaussianBlur approx": gaussian_approximate,
                     "sepFilter2D": separable},
        "box": {"blur": box}}
CHAINS = {"chain": gaussian, "chain approx": gaussian_approximate, "chain sep": separable}


class OpenCV:
    def version(self):
        return f"OpenCV {cv2.__version__}"

    def beyond_avx2(self):
        used = cv2.getCPUFeaturesLine().split()  # "*" is dispatched, "?" was disabled
        used += cv2.ipp.getIppVersion().split()
        return next((name for name in used if "AVX512" in name.replace("-", "", 1)
                     and not name.endswith("?")), None)

    def use_threads(self, threads):
        cv2.setNumThreads(threads)

    def ways(self, problem):
        stages = problem.task.stages
        if len(stages) == 1:
            labels = {label: (lambda stage, how=how: how)
                      for label, how in WAYS[stages[0].kind].items()}
        else:
            labels = {label: (lambda stage, how=how: how if stage.kind == "gaussian" else dense)
                      for label, how in CHAINS.items()}
        return [Way("OpenCV", label, lambda choose=choose: self.prepare(problem, choose))
                for label, choose in labels.items()]

    def prepare(self, problem, choose):
        def make(stage, source, target):
            call = choose(stage)(stage, taps_type(problem))

            def run():
                if call(source, target) is not target:
                    raise RuntimeError("OpenCV did not write to the given output")
            return run
        return in_turn(problem, make)
