"""The tasks: each is a filter or chain on an image of a given size and type."""
from dataclasses import dataclass
from functools import lru_cache

import numpy

from stages import FIXED, bell  # formulas of the named filters, not the library's
from swathe_ctypes import DTYPES

BORDER = "replicate"  # supported by all peers
FLOATS = "f32", "f64"
TILE = 997, 1009  # rows and columns after which the test image repeats: primes, so that no
                  # contender's block size divides them


@dataclass(frozen=True)
class Stage:
    kind: str  # "named": small integer taps; "dense": real-valued taps; "gaussian", "box"
    name: str  # of a "named" filter
    size: int

    @property
    def taps(self):
        """The taps of one pass of a Gaussian or box filter."""
        return bell(self.size) if self.kind == "gaussian" else numpy.full(self.size,
                                                                          1 / self.size)

    @property
    def mask(self):
        if self.kind == "named":
            return numpy.array(FIXED[self.name], numpy.float64)
        if self.kind == "dense":
            return dense_mask(self.size)
        return numpy.outer(self.taps, self.taps)

    @property
    def text(self):
        """The stage as text of a chain."""
        if self.kind == "named":
            return self.name
        if self.kind == "dense":
            rows = ("; ".join(" ".join(map(repr, row.tolist())) for row in self.mask))
            return f"mask:({rows})"
        return f"{self.kind}:{self.size}"


@dataclass(frozen=True)
class Task:
    name: str
    type: str
    channels: int
    width: int
    height: int
    stages: tuple
    quick: bool = False
    on_request: bool = False  # takes too long for a run of all tasks
    in_bands: bool = False    # only some rows are checked, as for large images

    @property
    def shape(self):
        return self.height, self.width, self.channels

    @property
    def samples(self):
        return self.height * self.width * self.channels

    @property
    def chain(self):
        return ",".join(stage.text for stage in self.stages)

    @property
    def floats_peak(self):
        """Whether to show the share of the FMA peak."""
        return self.type == "f32" and self.stages[0].kind == "dense" and self.stages[0].size <= 9


@lru_cache(maxsize=4)
def dense_mask(size):
    """Returns a seeded, real-valued mask with sum 1. It has full rank, so that no contender gains
    by factoring it."""
    mask = numpy.random.default_rng(size).random((size, size)) - 0.2
    mask /= mask.sum()
    if numpy.linalg.matrix_rank(mask) != size:
        raise SystemExit(f"peers: the dense mask of size {size} does not have full rank")
    return mask


def limits(type_name):
    if type_name in FLOATS:
        return 0.0, 1.0
    info = numpy.iinfo(DTYPES[type_name])
    return float(info.min), float(info.max)


def picture(task):
    """Returns the test image: smooth waves plus seeded noise, over the full range of the type."""
    low, high = limits(task.type)
    rows = numpy.arange(TILE[0])[:, None, None]
    columns = numpy.arange(TILE[1])[None, :, None]
    channels = numpy.arange(task.channels)[None, None, :]
    waves = numpy.sin(rows / (31 + channels)) * numpy.cos(columns / (47 - 3 * channels))
    noise = numpy.random.default_rng(7).random((*TILE, task.channels))
    tile = low + (high - low) * (0.5 + 0.25 * waves + 0.5 * (noise - 0.5))
    tile = tile.astype(DTYPES[task.type])
    across = -(-task.width // TILE[1])
    strip = numpy.tile(tile, (1, across, 1))[:, :task.width]
    image = numpy.empty(task.shape, DTYPES[task.type])
    for y in range(0, task.height, TILE[0]):
        image[y:y + TILE[0]] = strip[:task.height - y]
    return image


# ---- List of tasks -----------------------------------------------------------------------------

BLURS = "3 5 7 9 11 17 25 33 47 63 91 121"
# (sample types, channels, images, kind or names of filters, mask sizes): a task for each combination
TABLE = (
    ("u8", 3, "6000x4000", "sharpen edge chain", None),
    ("u8", 3, "6000x4000", "gaussian", "5 9"),
    ("u8", 3, "6000x4000", "box", "3 5 9 17 31 63 121"),
    ("u8", 1, "6000x4000", "sharpen", None),
    ("u8", 1, "6000x4000", "gaussian box", "5"),
    ("u8", 4, "6000x4000", "gaussian", "5"),
    ("u8", 3, "1000x1000", "dense", "3 5 7 9 17 33 63 121"),
    ("u8", 3, "1000x1000", "gaussian", BLURS),
    ("u8", 1, "1000x1000", "dense", "3 5 9"),
    ("u8", 1, "1000x1000", "gaussian", "3 5 9 17"),
    ("u8", 1, "1000x1000", "box", "3 9 31"),
    ("u8", 4, "1000x1000", "dense gaussian", "3 9"),
    ("u8", 4, "1000x1000", "box", "9"),
    ("f32", 3, "6000x4000", "dense", "3"),
    ("f32", 3, "6000x4000", "gaussian", "5 9"),
    ("f32", 3, "6000x4000", "box", "9"),
    ("f32", 3, "4096x4096", "dense", "3 9"),
    ("f32", 3, "1000x1000", "dense", "3 5 7 9 17 33 63 121"),
    ("f32", 3, "1000x1000", "gaussian", BLURS),
    ("f32", 3, "1000x1000", "box", "3 9 31"),
    ("f32", 1, "1000x1000", "dense", "3 9"),
    ("f32", 1, "1000x1000", "gaussian", "3 5 9"),
    ("f32", 4, "1000x1000", "dense", "3"),
    ("f32", 4, "1000x1000", "gaussian", "5"),
    ("s16 u16", 3, "1000x1000", "dense", "3 5 9 33"),
    ("s16 u16", 3, "1000x1000", "gaussian", "3 5 9 17 33"),
    ("s16 u16", 3, "1000x1000", "box", "3 9 31"),
    ("u16", 1, "1000x1000", "dense gaussian", "3 5"),
    ("f64", 1, "1000x1000", "dense", "3 9 31"),
    ("f64", 1, "1000x1000", "gaussian", "3 9 31"),
    ("f64", 3, "1000x1000", "dense gaussian", "5"),
    ("f64", 1, "1000x1000", "box", "9"),
    ("u8", 3, "32x32 64x64 100x100 300x300", "dense gaussian", "3 11"),
    ("u8", 1, "32x32 100x100 300x300", "gaussian", "5"),
    ("u8", 3, "100x100 300x300", "box", "5"),
    ("u8", 3, "300x300", "sharpen", None),
    ("f32", 1, "32x32 100x100 300x300", "dense", "3"),
    ("f32", 3, "100x100 300x300", "gaussian", "5"),
    ("u16", 3, "100x100", "dense gaussian", "3"),
    ("u8", 3, "10000x10000", "dense gaussian", "11"),
    ("u8", 3, "10000x100000", "gaussian", "11"))
QUICK = {"u8x3-6000x4000-sharpen", "u8x3-1000x1000-dense-9x9", "u8x3-1000x1000-gaussian-9x9",
         "f32x3-1000x1000-gaussian-9x9", "f32x3-1000x1000-dense-9x9", "u8x3-100x100-dense-11x11"}
ON_REQUEST = {"u8x3-10000x10000-dense-11x11", "u8x3-10000x10000-gaussian-11x11",
              "u8x3-10000x100000-gaussian-11x11"}
CHAIN = (Stage("named", "sharpen", 3), Stage("gaussian", "", 5), Stage("named", "edge", 3),
         Stage("gaussian", "", 9))


def stages_of(word, size):
    """Returns the text in the name of a task, and its stages."""
    if word == "chain":
        return word, CHAIN
    if size is None:
        return word, (Stage("named", word, 3),)
    return f"{word}-{size}x{size}", (Stage(word, "", size),)


def make(type_name, channels, image, word, size, **flags):
    text, stages = stages_of(word, size)
    name = f"{type_name}x{channels}-{image}-{text}"
    width, height = map(int, image.split("x"))
    return Task(name, type_name, channels, width, height, stages, quick=name in QUICK,
                on_request=name in ON_REQUEST, **flags)


def all_tasks():
    return [make(type_name, channels, image, word, size)
            for types, channels, images, words, sizes in TABLE
            for type_name in types.split() for image in images.split() for word in words.split()
            for size in (map(int, sizes.split()) if sizes else [None])]


def select(only, quick):
    """Returns the tasks that --only selects, by full name or by substring, or the default tasks.
    Tasks with `on_request` are selected only by their full name."""
    tasks = all_tasks()
    if quick:
        tasks.sort(key=lambda task: task.samples)
    if not only:
        return [task for task in tasks if (task.quick if quick else not task.on_request)]
    exact = {task.name for task in tasks}.intersection(only)
    parts = set(only) - exact
    return [task for task in tasks if task.name in exact
            or not task.on_request and any(part in task.name for part in parts)]
