"""opencv_script.py CHAIN KIND IN OUT THREADS: filters a file as a typical OpenCV script would."""
import sys

import cv2
import numpy

import rivals

SAVE = {"png": [], "jpeg": [cv2.IMWRITE_JPEG_QUALITY, rivals.QUALITY],
        "tiff": [cv2.IMWRITE_TIFF_COMPRESSION, 50000, cv2.IMWRITE_TIFF_PREDICTOR, 2]}


def apply(image, stage):
    border = cv2.BORDER_REPLICATE
    if stage in ("g5", "g9"):
        line = numpy.array([v / 16 for v in rivals.BINOMIAL5] if stage == "g5"
                           else rivals.gaussian9(), numpy.float32)
        return cv2.sepFilter2D(image, -1, line, line, borderType=border)
    return cv2.filter2D(image, -1, numpy.array(rivals.mask(stage), numpy.float32),
                        borderType=border)


def main():
    chain, kind, source, target, threads = sys.argv[1:]
    cv2.setNumThreads(int(threads))
    image = cv2.imread(source, cv2.IMREAD_UNCHANGED)
    for stage in rivals.CHAINS[chain]:
        image = apply(image, stage)
    if not cv2.imwrite(target, image, SAVE[kind]):
        sys.exit(f"opencv_script: cannot write {target}")


main()
