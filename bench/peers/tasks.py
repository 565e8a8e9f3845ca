"""The tasks: each is a filter or chain on an image of a given size and type."""
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy

from stages import FIXED, bell  # formulas of the named filters, not the library's
from swathe_ctypes import DTYPES

BORDER = "replicate"  # supported by all peers
CHANNELS = 3
DENSE_SIZES = (3, 5, 9, 17, 33, 63, 121)
BLUR_SIZES = (3, 5, 7, 9, 11, 17, 25, 33, 47, 63, 91, 121)
BOX_SIZES = (3, 5, 9, 17, 31, 63, 121)
HELD = ("u8x3-6000x4000-", "u8x3-1000x1000-dense-3x3", "u8x3-1000x1000-dense-9x9",
        "u8x3-1000x1000-gaussian-5x5", "u8x3-1000x1000-gaussian-9x9",
        "u8x3-1000x1000-gaussian-17x17", "u8x3-1000x1000-gaussian-33x33",
        "u8x3-1000x1000-gaussian-121x121", "f32x3-1000x1000-gaussian-3x3",
        "f32x3-1000x1000-gaussian-7x7", "f32x3-1000x1000-gaussian-17x17",
        "f32x3-1000x1000-dense-3x3", "f32x3-1000x1000-dense-9x9", "s16x3-1000x1000-dense-3x3",
        "s16x3-1000x1000-dense-9x9", "u8x3-100x100-")  # start of tasks that also run held to AVX2
NO_AMX_SIZE = 17  # dense masks up to this size are also measured without matrix units
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
    width: int
    height: int
    stages: tuple
    without_amx: bool = False
    held: bool = False         # to AVX2, in a process with environment.SWITCHES
    floats_peak: bool = False  # show the share of the FMA peak
    quick: bool = False
    on_request: bool = False  # takes too long for a run of all tasks
    in_bands: bool = False    # only some rows are checked, as for large images

    @property
    def shape(self):
        return self.height, self.width, CHANNELS

    @property
    def samples(self):
        return self.height * self.width * CHANNELS

    @property
    def chain(self):
        return ",".join(stage.text for stage in self.stages)


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
    if type_name == "f32":
        return 0.0, 1.0
    info = numpy.iinfo(DTYPES[type_name])
    return float(info.min), float(info.max)


def picture(task):
    """Returns the test image: smooth waves plus seeded noise, over the full range of the type."""
    low, high = limits(task.type)
    rows = numpy.arange(TILE[0])[:, None, None]
    columns = numpy.arange(TILE[1])[None, :, None]
    channels = numpy.arange(CHANNELS)[None, None, :]
    waves = numpy.sin(rows / (31 + channels)) * numpy.cos(columns / (47 - 3 * channels))
    noise = numpy.random.default_rng(7).random((*TILE, CHANNELS))
    tile = low + (high - low) * (0.5 + 0.25 * waves + 0.5 * (noise - 0.5))
    tile = tile.astype(DTYPES[task.type])
    across = -(-task.width // TILE[1])
    strip = numpy.tile(tile, (1, across, 1))[:, :task.width]
    image = numpy.empty(task.shape, DTYPES[task.type])
    for y in range(0, task.height, TILE[0]):
        image[y:y + TILE[0]] = strip[:task.height - y]
    return image


# ---- List of tasks -----------------------------------------------------------------------------

def named(name):
    return Stage("named", name, 3)


def single(type_name, width, height, kind, sizes, **flags):
    return [Task(f"{type_name}x3-{width}x{height}-{kind}-{size}x{size}", type_name, width, height,
                 (Stage(kind, "", size),), **flags) for size in sizes]


def photo_tasks():
    head = "u8x3-6000x4000"
    chain = named("sharpen"), Stage("gaussian", "", 5), named("edge"), Stage("gaussian", "", 9)
    return [Task(f"{head}-sharpen", "u8", 6000, 4000, (named("sharpen"),), quick=True),
            Task(f"{head}-edge", "u8", 6000, 4000, (named("edge"),)),
            *single("u8", 6000, 4000, "gaussian", (5, 9)),
            Task(f"{head}-chain", "u8", 6000, 4000, chain),
            *single("u8", 6000, 4000, "box", BOX_SIZES)]


def dense_tasks():
    made = []
    for size in DENSE_SIZES:
        made += single("u8", 1000, 1000, "dense", (size,), quick=size == 9)
    without_amx = [replace(task, name=task.name + "-no-amx", without_amx=True, quick=False)
                   for task in made if task.stages[0].size <= NO_AMX_SIZE]
    return made + without_amx


def blur_tasks():
    made = []
    for type_name in ("u8", "f32"):
        for size in BLUR_SIZES:
            made += single(type_name, 1000, 1000, "gaussian", (size,), quick=size == 9)
    return made


def held_tasks(made):
    return [replace(task, name=task.name + "-avx2", held=True, quick=False, floats_peak=False)
            for task in made if task.name.startswith(HELD) and not task.without_amx]


def free_tasks():
    return [*photo_tasks(), *dense_tasks(), *blur_tasks(),
            *single("f32", 4096, 4096, "dense", (3, 9), floats_peak=True),
            *single("f32", 1000, 1000, "dense", (3,), floats_peak=True),
            *single("f32", 1000, 1000, "dense", (9,), floats_peak=True, quick=True),
            *single("f32", 1000, 1000, "dense", (17, 33, 63, 121)),
            *single("s16", 1000, 1000, "dense", (3, 9, 33)),
            *single("u16", 1000, 1000, "dense", (3, 9, 33)),
            *single("u8", 100, 100, "dense", (11,), quick=True),
            *single("u8", 100, 100, "gaussian", (11,)),
            *single("u8", 10000, 10000, "dense", (11,)),
            *single("u8", 10000, 10000, "gaussian", (11,)),
            *single("u8", 10000, 100000, "gaussian", (11,), on_request=True)]


def all_tasks():
    free = free_tasks()
    return free + held_tasks(free)


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
