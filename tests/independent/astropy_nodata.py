#!/usr/bin/env python3
"""Compares means of images with NaN holes with astropy.convolution.

    astropy_nodata.py BUILD_DIR [--count N] [--seed S] [--only INDEX] [--self-test]

astropy leaves NaN out and divides by the sum of the other taps, as nodata=nan:fill does; with
preserve_nan holes stay holes, as with nodata=nan. No result may differ by more than the plan states,
and the same results must be NaN. --self-test compares with NaN as 0, which must be found.
"""
import random
import sys
import warnings

import numpy
from astropy.convolution import convolve

import command
from swathe_ctypes import DTYPES, TYPES, Library, PlanOptions, Shape

BORDERS = {"replicate": ("extend", 0.0), "wrap": ("wrap", 0.0), "zero": ("fill", 0.0),
           "missing": ("fill", numpy.nan), "constant": ("fill", 0.75)}


def draw_chain(rng):
    """Returns a filter whose taps are positive and whose width and height are odd."""
    odd = rng.choice((1, 3, 5)), rng.choice((3, 5, 7))
    kind = rng.choice(("gaussian", "dense", "box", "disk", "motion", "mask", "mask"))
    if kind in ("gaussian", "dense"):
        chain = f"gaussian:sigma={rng.choice((0.5, 1.0, 1.7))}:truncate=3"
        return chain + ":dense" * (kind == "dense")
    if kind == "box":
        return f"box:{odd[0]}x{odd[1]}"
    if kind != "mask":
        return rng.choice(("disk:2.5", "disk:1.2", "motion:7:angle=30", "motion:5"))
    rows = [" ".join(f"{rng.random():.6g}" for _ in range(odd[0])) for _ in range(odd[1])]
    return f"mask:({';'.join(rows)}):normalise"


def draw_image(rng, kind):
    maker = numpy.random.default_rng(rng.randrange(2**32))
    size = maker.integers(1, 40, 2)
    image = maker.uniform(-1, 1, size).astype(DTYPES[kind])
    image[maker.random(size) < maker.choice((0.0, 0.1, 0.5, 0.9))] = numpy.nan
    return image


def filtered(library, chain, image, kind, border, fill, exact):
    """Returns the library's result and its stated error."""
    shape = Shape(width=image.shape[1], height=image.shape[0], channels=1, type=TYPES[kind])
    options = PlanOptions(border=(border, BORDERS[border][1]),
                          nodata="nan:fill" if fill else "nan", exact=int(exact))
    plan = library.plan(chain, shape, options)
    try:
        return plan.run(image[:, :, None])[:, :, 0], plan.info.error_bound
    finally:
        plan.close()


def by_astropy(taps, image, border, fill, treatment):
    boundary, value = BORDERS[border]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of NaN where a mask meets nothing else
        return convolve(image.astype(float), taps[::-1, ::-1], boundary=boundary, fill_value=value,
                        nan_treatment=treatment, normalize_kernel=True, preserve_nan=not fill)


def check(library, seed, index, treatment="interpolate", quiet=False):
    rng = random.Random(f"astropy {seed}/{index}")
    chain, kind, border = draw_chain(rng), rng.choice(("f32", "f64")), rng.choice(list(BORDERS))
    fill, exact, image = rng.random() < 0.7, rng.random() < 0.5, draw_image(rng, kind)
    taps = library.mask(chain)[0]
    got, bound = filtered(library, chain, image, kind, border, fill, exact)
    want = by_astropy(taps, image, border, fill, treatment)
    bound += (4 * taps.size + 16) * 2.0**-52  # astropy's own error
    wrong = ~((numpy.abs(got - want) <= bound) | (numpy.isnan(got) & numpy.isnan(want)))
    if not wrong.any():
        return True
    at = tuple(int(i[0]) for i in numpy.nonzero(wrong))
    if not quiet:
        print(f"FAILED --seed {seed} --only {index}: {got[at]!r} at (y, x) {at}, astropy has "
              f"{want[at]!r}, allowed {bound:.3g}\n    {chain} {kind} "
              f"{image.shape[1]}x{image.shape[0]} border={border} fill={fill} exact={exact}")
    return False


def main():
    given = command.options(600)
    library = Library(given.build)
    if given.self_test:
        good = command.is_found("NaN as 0", lambda i: check(library, given.seed, i, "fill", True), 50)
    else:
        good = command.all_pass(given, lambda i: check(library, given.seed, i))
    library.close()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
