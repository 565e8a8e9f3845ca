"""Generates a synthetic photograph: detail at all scales, hard edges and sensor noise. Codecs
compress it like a real photograph, unlike flat or purely random images."""
import numpy

SENSOR_NOISE = 2.0  # levels
DISCS = 400


def smooth(random, height, width, cell):
    """Returns random values on a grid of this cell size, interpolated linearly."""
    rows, columns = height // cell + 2, width // cell + 2
    grid = random.standard_normal((rows, columns), dtype=numpy.float32)
    y = numpy.arange(height, dtype=numpy.float32) / cell
    x = numpy.arange(width, dtype=numpy.float32) / cell
    top, left = y.astype(int), x.astype(int)
    down, right = (y - top)[:, None], (x - left)[None, :]
    upper = grid[top][:, left] * (1 - right) + grid[top][:, left + 1] * right
    lower = grid[top + 1][:, left] * (1 - right) + grid[top + 1][:, left + 1] * right
    return upper * (1 - down) + lower * down


def light(random, height, width):
    """Returns a sum of octaves whose amplitude decreases with their frequency."""
    total = numpy.zeros((height, width), numpy.float32)
    cell, strength = max(width, height) // 3, 20.0
    while cell >= 2:
        total += strength * smooth(random, height, width, cell)
        cell, strength = cell // 2, strength * 0.75
    return total


def add_discs(random, plane):
    """Adds discs with hard edges, brighter or darker than the background."""
    height, width = plane.shape
    for _ in range(DISCS):
        radius = int(random.integers(width // 400 + 2, width // 20 + 3))
        x, y = int(random.integers(0, width)), int(random.integers(0, height))
        top, bottom = max(y - radius, 0), min(y + radius, height)
        left, right = max(x - radius, 0), min(x + radius, width)
        rows, columns = numpy.ogrid[top:bottom, left:right]
        inside = (rows - y) ** 2 + (columns - x) ** 2 < radius**2
        plane[top:bottom, left:right] += inside * numpy.float32(random.uniform(-30, 30))


def make(width, height, seed=1):
    random = numpy.random.default_rng(seed)
    base = light(random, height, width)
    add_discs(random, base)
    image = numpy.empty((height, width, 3), numpy.uint8)
    for channel in range(3):
        tint = 12.0 * smooth(random, height, width, 400)
        noise = SENSOR_NOISE * random.standard_normal((height, width), dtype=numpy.float32)
        image[:, :, channel] = numpy.clip(base + tint + noise + 118.0, 0, 255)
    return image
