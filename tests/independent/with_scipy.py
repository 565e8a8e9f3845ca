"""Computes the same stage with scipy.ndimage in doubles, for the border modes that both have."""
import math

import numpy
from scipy import ndimage

MODES = {"reflect": "reflect", "reflect101": "mirror", "replicate": "nearest",
         "wrap": "grid-wrap", "zero": "constant", "constant": "constant", "valid": "nearest"}


def spread(k, dilate):
    """Returns a dilated mask, filled with zeros."""
    dx, dy = dilate
    wide = numpy.zeros(((k.shape[0] - 1) * dy + 1, (k.shape[1] - 1) * dx + 1))
    wide[::dy, ::dx] = k
    return wide


def cropped(op, plane):
    if op.border[0] != "valid":
        return plane
    width, height = op.size
    return plane[op.above:op.above + height, op.left:op.left + width]


def is_broken(op):
    """Returns whether correlate reads before the row: in mode 'reflect' at -4n, -6n … (scipy
    1.17.1)."""
    return op.border[0] == "reflect" and (op.left >= 4 * op.width or op.above >= 4 * op.height)


def seen(k):
    """Returns a power of two that scales all taps above 2^-52, because correlate skips smaller
    ones."""
    least = numpy.abs(k[k != 0]).min(initial=1.0)
    return 2.0 ** min(max(0, math.ceil(-math.log2(least)) - 20), 1020)


def correlated(op, plane, channel, flipped):
    """Calls correlate, or convolve with the mask before it was flipped."""
    k, (x, y) = op.mask(channel)
    dx, dy = op.stage.dilate
    wide, anchor = spread(k, op.stage.dilate), (y * dy, x * dx)
    call = ndimage.correlate
    if flipped:
        anchor = (wide.shape[0] - 1 - anchor[0], wide.shape[1] - 1 - anchor[1])
        wide, call = wide[::-1, ::-1], ndimage.convolve
    factor = seen(k)
    origin = (anchor[0] - wide.shape[0] // 2, anchor[1] - wide.shape[1] // 2)
    keys = {"mode": MODES[op.border[0]], "cval": op.border[1], "origin": origin}
    return call(plane, wide * factor, **keys) / factor


def by_name(op, plane, name, values):
    """Returns scipy's filter of that name, or None."""
    keys = {"mode": MODES[op.border[0]], "cval": op.border[1]}
    if name.startswith(("sobel", "prewitt")) and op.border[1] != 0:
        return None  # its second pass uses the constant value where the first pass would give 0
    if name == "sobel-x":
        return ndimage.sobel(plane, axis=1, **keys)
    if name == "sobel-y":
        return ndimage.sobel(plane, axis=0, **keys)
    if name == "prewitt-x":
        return ndimage.prewitt(plane, axis=1, **keys)
    if name == "prewitt-y":
        return ndimage.prewitt(plane, axis=0, **keys)
    if name == "laplacian:4":
        return ndimage.laplace(plane, **keys)
    if name == "gaussian-sigma":
        return ndimage.gaussian_filter(plane, values["sigma"], truncate=values["truncate"], **keys)
    if name == "gaussian-size" and op.stage.masks[0].shape[0] % 2 == 1:
        size = op.stage.masks[0].shape[0]
        sigma = 0.3 * ((size - 1) / 2 - 1) + 0.8
        return ndimage.gaussian_filter(plane, sigma, radius=(size - 1) // 2, **keys)
    if name == "box":
        (height, width), (x, y) = op.stage.masks[0].shape, op.stage.anchors[0]
        return ndimage.uniform_filter(plane, (height, width), origin=(y - height // 2,
                                                                      x - width // 2), **keys)
    return None


def answers(op, image, flipped, name, values):
    """Returns pairs (function called, its result), clamped like ours, with NaN for copied
    channels."""
    found = {}
    for channel in range(op.channels):
        plane = numpy.ascontiguousarray(image[:, :, channel])
        nothing = numpy.full(plane.shape, numpy.nan) if channel == op.copied else None
        results = {}
        if not is_broken(op):
            results["ndimage.convolve" if flipped else "ndimage.correlate"] = (
                correlated(op, plane, channel, flipped) if nothing is None else nothing)
        if name:
            result = by_name(op, plane, name, values)
            if result is not None:
                result = result if nothing is None else nothing
                results[f"ndimage for {name}"] = result
        for call, result in results.items():
            found.setdefault(call, []).append(
                numpy.clip(cropped(op, result) + op.stage.bias, op.low, op.high))
    return [(call, numpy.stack(planes, axis=2)) for call, planes in found.items()
            if len(planes) == op.channels]
