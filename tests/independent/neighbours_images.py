"""Images for neighbours.py: ordinary ones, and those for which errors of the taps add up."""
import math
import os
import subprocess
import tempfile

import numpy

from swathe_ctypes import DTYPES

PHOTO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/gallery/photo.jpg")


def type_range(kind):
    info = numpy.iinfo(DTYPES[kind])
    return int(info.min), int(info.max)


def read_photo(build):
    """Returns the photo in grey, decoded by the command."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "photo.pgm")
        command = os.path.join(build, "cli", "swathe")
        subprocess.run([command, "apply", "grey", PHOTO, path], check=True, capture_output=True)
        with open(path, "rb") as file:
            _, width, height, _ = (file.readline() + file.readline() + file.readline()).split()
            return numpy.frombuffer(file.read(), numpy.uint8).reshape(int(height), int(width))


def plain_images(rng, source, photo, size, kind):
    """Returns a part of the photo, noise, a flat area and a checkerboard."""
    low, high = type_range(kind)
    rows, columns = ((rng.randrange(n) + numpy.arange(m)) % n for n, m in zip(photo.shape, size))
    part = photo[numpy.ix_(rows, columns)].astype(numpy.int64) * ((high - low) // 255) + low
    noise = source.integers(low, high, size, endpoint=True)
    rows, columns = numpy.indices(size) // rng.choice((1, 1, 2, 7))
    board = numpy.where((rows + columns) % 2, high, low)
    return [part, noise, numpy.full(size, rng.randint(low, high)), board]


def rounded(taps, bits, anchor):
    """Returns the taps as the arithmetic has them: of `bits` fraction bits with the same sum, or
    f32."""
    if bits < 0:
        with numpy.errstate(over="ignore"):
            return taps.astype(numpy.float32).astype(float)
    scaled = numpy.rint(numpy.ldexp(taps, bits))
    scaled[anchor] += numpy.rint(math.ldexp(taps.sum(), bits)) - scaled.sum()
    return numpy.ldexp(scaled, -bits)


def tap_errors(name, taps, bits, anchor):
    """Yields possible errors of the taps: of each, and of products of a column and a row."""
    yield rounded(taps, bits, anchor) - taps
    if name == "gaussian":
        yield numpy.outer(*(rounded(line, bits, len(line) // 2)
                            for line in (taps.sum(axis=1), taps.sum(axis=0)))) - taps


def balance(taps, samples, bias, ends, limits):
    """Exchanges the ends of the range under the largest taps, the last one in part, until the
    result is in the middle half of its range."""
    value, quarter = float((taps * samples).sum()) + bias, (limits[1] - limits[0]) / 4
    excess = value - min(max(value, limits[0] + quarter), limits[1] - quarter)
    flat, taps = samples.reshape(-1), taps.reshape(-1)
    change = taps * (ends[0] + ends[1] - 2.0 * flat)
    order = numpy.argsort(-numpy.abs(change))
    order = order[change[order] * excess < 0]
    sums = numpy.cumsum(change[order])
    enough = int(numpy.searchsorted(numpy.abs(sums), abs(excess)))
    flat[order[:enough]] = ends[0] + ends[1] - flat[order[:enough]]
    if enough < len(order):
        rest = excess + (sums[enough - 1] if enough else 0.0)
        flat[order[enough]] -= round(rest / taps[order[enough]])


def variants(source, taps, errors, samples, bias, ends):
    """Returns the samples, and two of 200 images that differ from them at two pixels: those whose
    rounding adds most to the errors of the taps."""
    places = source.integers(0, taps.size, (200, 2))
    values = source.integers(ends[0], ends[1], places.shape, endpoint=True)
    change = values - samples.reshape(-1)[places]
    exact = (taps * samples).sum() + bias + (taps.reshape(-1)[places] * change).sum(axis=1)
    error = (errors * samples).sum() + (errors.reshape(-1)[places] * change).sum(axis=1)
    far = numpy.abs(numpy.floor(exact + error + 0.5) - exact)
    made = [samples]
    for best in numpy.argsort(-far)[:2]:
        made.append(samples.copy())
        made[-1].reshape(-1)[places[best]] = values[best]
    return made


def worst_patches(source, errors, taps, bias, ends, limits):
    """Returns samples under a mask for which the errors of the taps add up, up and down."""
    patches = []
    for sign in (1, -1):
        samples = numpy.where(sign * errors > 0, ends[1], ends[0])
        balance(taps, samples, bias, ends, limits)
        patches += variants(source, taps, errors, samples, bias, ends)
    return patches
