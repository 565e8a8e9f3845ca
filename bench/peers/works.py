"""The works: which filter over which image. Names are for --only, which selects by substring."""
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy

from stages import FIXED, bell  # formulas of the named filters, not the library's
from swathe_ctypes import DTYPES

BORDER = "replicate"  # the one that all peers have
CHANNELS = 3
DENSE_SIZES = (3, 5, 9, 17, 33, 63, 121)
BLUR_SIZES = (3, 5, 7, 9, 11, 17, 25, 33, 47, 63, 91, 121)
BOX_SIZES = (3, 5, 9, 17, 31, 63, 121)
NO_AMX_SIZE = 17  # up to here dense masks are measured without matrix units, too
TILE = 997, 1009  # rows and columns after which a picture repeats: no multiples of any block


@dataclass(frozen=True)
class Stage:
    kind: str  # "named": small whole taps; "dense": real ones; "gaussian", "box"
    name: str  # of the named
    size: int

    @property
    def taps(self):
        """Of one direction of a gaussian or a box."""
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
        """In the grammar of a chain."""
        if self.kind == "named":
            return self.name
        if self.kind == "dense":
            rows = ("; ".join(" ".join(map(repr, row.tolist())) for row in self.mask))
            return f"mask:({rows})"
        return f"{self.kind}:{self.size}"


@dataclass(frozen=True)
class Work:
    name: str
    type: str
    width: int
    height: int
    stages: tuple
    without_amx: bool = False
    floats_peak: bool = False  # show the share of the FMA peak
    quick: bool = False
    on_request: bool = False  # too long for a run of everything
    in_bands: bool = False    # checked in some rows only, as large images are

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
    """Seeded, real-valued, of sum 1 and full rank: nothing that a low-rank trick could use."""
    mask = numpy.random.default_rng(size).random((size, size)) - 0.2
    mask /= mask.sum()
    if numpy.linalg.matrix_rank(mask) != size:
        raise SystemExit(f"peers: the dense mask of {size} is not of full rank")
    return mask


def limits(type_name):
    if type_name == "f32":
        return 0.0, 1.0
    info = numpy.iinfo(DTYPES[type_name])
    return float(info.min), float(info.max)


def picture(work):
    """Slow waves with noise on them, over the whole range of the type; seeded."""
    low, high = limits(work.type)
    rows = numpy.arange(TILE[0])[:, None, None]
    columns = numpy.arange(TILE[1])[None, :, None]
    channels = numpy.arange(CHANNELS)[None, None, :]
    waves = numpy.sin(rows / (31 + channels)) * numpy.cos(columns / (47 - 3 * channels))
    noise = numpy.random.default_rng(7).random((*TILE, CHANNELS))
    tile = low + (high - low) * (0.5 + 0.25 * waves + 0.5 * (noise - 0.5))
    tile = tile.astype(DTYPES[work.type])
    across = -(-work.width // TILE[1])
    strip = numpy.tile(tile, (1, across, 1))[:, :work.width]
    image = numpy.empty(work.shape, DTYPES[work.type])
    for y in range(0, work.height, TILE[0]):
        image[y:y + TILE[0]] = strip[:work.height - y]
    return image


# ---- The list ----------------------------------------------------------------------------------

def named(name):
    return Stage("named", name, 3)


def single(type_name, width, height, kind, sizes, **flags):
    return [Work(f"{type_name}x3-{width}x{height}-{kind}-{size}x{size}", type_name, width, height,
                 (Stage(kind, "", size),), **flags) for size in sizes]


def photo_works():
    head = "u8x3-6000x4000"
    chain = named("sharpen"), Stage("gaussian", "", 5), named("edge"), Stage("gaussian", "", 9)
    return [Work(f"{head}-sharpen", "u8", 6000, 4000, (named("sharpen"),), quick=True),
            Work(f"{head}-edge", "u8", 6000, 4000, (named("edge"),)),
            *single("u8", 6000, 4000, "gaussian", (5, 9)),
            Work(f"{head}-chain", "u8", 6000, 4000, chain),
            *single("u8", 6000, 4000, "box", BOX_SIZES)]


def dense_works():
    made = []
    for size in DENSE_SIZES:
        made += single("u8", 1000, 1000, "dense", (size,), quick=size == 9)
    held = [replace(work, name=work.name + "-no-amx", without_amx=True, quick=False)
            for work in made if work.stages[0].size <= NO_AMX_SIZE]
    return made + held


def blur_works():
    made = []
    for type_name in ("u8", "f32"):
        for size in BLUR_SIZES:
            made += single(type_name, 1000, 1000, "gaussian", (size,), quick=size == 9)
    return made


def all_works():
    return [*photo_works(), *dense_works(), *blur_works(),
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


def select(only, quick):
    """Those that --only names: exactly, or else by substring; without it the usual ones. What is
    measured on request only must be named exactly."""
    works = all_works()
    if quick:
        works.sort(key=lambda work: work.samples)
    if not only:
        return [work for work in works if (work.quick if quick else not work.on_request)]
    exact = {work.name for work in works}.intersection(only)
    parts = set(only) - exact
    return [work for work in works if work.name in exact
            or not work.on_request and any(part in work.name for part in parts)]
