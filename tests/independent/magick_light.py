#!/usr/bin/env python3
"""Compares blurs in linear light with ImageMagick and with SciPy.

    magick_light.py SWATHE [--count N] [--seed S] [--only INDEX] [--self-test]

ImageMagick converts an RGB image of 8 bits to linear light and back (-colorspace RGB, then sRGB); no
sample may differ by more than one level. It cuts fractions off, so that even images that it does not
filter differ from their source. SciPy filters doubles, and only samples whose exact value is within
0.01 of a half may differ. --self-test filters samples as they are, which must be found.
"""
import os
import random
import subprocess
import sys
import tempfile

import numpy
from scipy import ndimage

import command


def draw_image(rng):
    """Soft shapes with a few points of light."""
    maker = numpy.random.default_rng(rng.randrange(2**32))
    height, width = maker.integers(20, 70, 2)
    image = ndimage.zoom(maker.uniform(0, 255, (4, 4, 3)), (height / 4, width / 4, 1), order=1)
    image[maker.random(image.shape[:2]) < 0.03] = 255
    image[maker.random(image.shape[:2]) < 0.03] = 0
    return numpy.clip(image, 0, 255).astype(numpy.uint8)


def write_ppm(path, image):
    with open(path, "wb") as file:
        file.write(f"P6\n{image.shape[1]} {image.shape[0]}\n255\n".encode() + image.tobytes())


def by_swathe(swathe, folder, sigma, image, light):
    source, result = os.path.join(folder, "in.ppm"), os.path.join(folder, "out.ppm")
    subprocess.run([swathe, "apply", f"gaussian:sigma={sigma}:truncate=4", source, result, "--border",
                    "replicate", "--light", light], check=True)
    with open(result, "rb") as file:
        return numpy.frombuffer(file.read()[-image.size:], numpy.uint8).reshape(image.shape)


def by_magick(folder, sigma, image):
    done = subprocess.run(["convert", os.path.join(folder, "in.ppm"), "-virtual-pixel", "edge",
                           "-colorspace", "RGB", "-gaussian-blur", f"{int(4 * sigma + 0.5)}x{sigma}",
                           "-colorspace", "sRGB", "-depth", "8", "rgb:-"],
                          check=True, capture_output=True)
    return numpy.frombuffer(done.stdout, numpy.uint8).reshape(image.shape)


def by_scipy(sigma, image):
    """Returns samples that are not rounded."""
    t = image / 255.0
    light = numpy.where(t <= 0.04045, t / 12.92, ((t + 0.055) / 1.055) ** 2.4)
    for axis in (0, 1):
        light = ndimage.gaussian_filter1d(light, sigma, axis, truncate=4, mode="nearest")
    low = light <= 0.04045 / 12.92
    return 255.0 * numpy.where(low, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def check(swathe, seed, index, light="linear", quiet=False):
    rng = random.Random(f"light {seed}/{index}")
    sigma, image = rng.choice((0.75, 1, 1.5, 2, 3)), draw_image(rng)
    with tempfile.TemporaryDirectory() as folder:
        write_ppm(os.path.join(folder, "in.ppm"), image)
        got = by_swathe(swathe, folder, sigma, image, light).astype(int)
        magick = by_magick(folder, sigma, image).astype(int)
    exact = by_scipy(sigma, image)
    wrong = (numpy.abs(got - magick) > 1) | (numpy.abs(got - exact) > 0.51)
    if not wrong.any():
        return True
    at = tuple(int(i[0]) for i in numpy.nonzero(wrong))
    if not quiet:
        print(f"FAILED --seed {seed} --only {index}: {got[at]} at (y, x, channel) {at}, ImageMagick "
              f"has {magick[at]}, SciPy {exact[at]:.3f}; sigma {sigma}")
    return False


def main():
    given = command.options(60, "swathe")
    if given.self_test:
        good = command.is_found("samples as they are",
                                lambda i: check(given.swathe, given.seed, i, "keep", True), 5)
    else:
        good = command.all_pass(given, lambda i: check(given.swathe, given.seed, i))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
