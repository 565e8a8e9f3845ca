#!/usr/bin/env python3
"""Compares filters of images with alpha with ImageMagick, whose colours are weighted by alpha, too.

    magick_alpha.py SWATHE [--count N] [--seed S] [--only INDEX] [--self-test]

Both read the same RGBA image of 8 bits. Alpha may differ by one level, and so may colours where
neither result is transparent: colours of transparent pixels are 0 here.
--self-test filters colours without regard to alpha, which must be found.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

import numpy

import command

BORDERS = {"replicate": "edge", "wrap": "tile", "reflect": "mirror"}


def draw_mask(rng):
    """Returns rows of taps of one sign, odd in width and height."""
    width, height = rng.choice((1, 3, 5)), rng.choice((3, 5))
    return [[rng.randint(1, 9) for _ in range(width)] for _ in range(height)]


def draw_image(rng):
    maker = numpy.random.default_rng(rng.randrange(2**32))
    height, width = maker.integers(5, 30, 2)
    image = maker.integers(0, 256, (height, width, 4), numpy.uint8)
    image[maker.random((height, width)) < 0.3, 3] = 0
    image[maker.random((height, width)) < 0.4, 3] = 255
    return image


def write_pam(path, image):
    height, width, _ = image.shape
    with open(path, "wb") as file:
        file.write(f"P7\nWIDTH {width}\nHEIGHT {height}\nDEPTH 4\nMAXVAL 255\n"
                   "TUPLTYPE RGB_ALPHA\nENDHDR\n".encode() + image.tobytes())


def read_pam(path, shape):
    with open(path, "rb") as file:
        return numpy.frombuffer(file.read().partition(b"ENDHDR\n")[2], numpy.uint8).reshape(shape)


def by_swathe(swathe, folder, rows, border, image, alpha):
    source, result = os.path.join(folder, "in.pam"), os.path.join(folder, "out.pam")
    mask = ";".join(" ".join(map(str, row)) for row in rows)
    subprocess.run([swathe, "apply", f"mask:({mask}):normalise:flip", source, result, "--border",
                    border, "--alpha", alpha], check=True)
    return read_pam(result, image.shape)


def by_magick(folder, rows, border, image):
    source = os.path.join(folder, "in.pam")
    kernel = f"{len(rows[0])}x{len(rows)}: " + " ".join(",".join(map(str, row)) for row in rows)
    done = subprocess.run(["convert", source, "-virtual-pixel", BORDERS[border], "-define",
                           "convolve:scale=!", "-morphology", "Convolve", kernel, "-depth", "8",
                           "rgba:-"], check=True, capture_output=True)
    return numpy.frombuffer(done.stdout, numpy.uint8).reshape(image.shape)


def check(swathe, seed, index, alpha="premultiply", quiet=False):
    rng = random.Random(f"magick {seed}/{index}")
    rows, border, image = draw_mask(rng), rng.choice(list(BORDERS)), draw_image(rng)
    with tempfile.TemporaryDirectory() as folder:
        write_pam(os.path.join(folder, "in.pam"), image)
        got = by_swathe(swathe, folder, rows, border, image, alpha).astype(int)
        want = by_magick(folder, rows, border, image).astype(int)
    wrong = numpy.abs(got - want) > 1
    wrong[(got[:, :, 3] == 0) | (want[:, :, 3] == 0), :3] = False
    if not wrong.any():
        return True
    at = tuple(int(i[0]) for i in numpy.nonzero(wrong))
    if not quiet:
        print(f"FAILED --seed {seed} --only {index}: {got[at]} at (y, x, channel) {at}, ImageMagick "
              f"has {want[at]}; alpha {want[at[0], at[1], 3]}\n    {rows} {border}")
    return False


def main():
    given = command.options(60, "swathe")
    if not shutil.which("convert"):
        print("skipped: ImageMagick's convert is not installed")
        return
    if given.self_test:
        good = command.is_found("colours without alpha",
                                lambda i: check(given.swathe, given.seed, i, "filter", True), 5)
    else:
        good = command.all_pass(given, lambda i: check(given.swathe, given.seed, i))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
