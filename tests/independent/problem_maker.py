"""Random problems: the text passed to the library and an independent description of its meaning."""
import random
from dataclasses import dataclass, field

import numpy

import stages
from stages import FLOATS, RANGES, Stage
from swathe_ctypes import DTYPES

TYPES = ("u8", "u16", "s16", "f32", "u32", "s32", "f64")
LARGE_DENSE = 25  # taps of a side: the sums here are slow
BORDERS = ("reflect", "reflect101", "replicate", "wrap", "zero", "constant", "valid")


@dataclass
class Problem:
    index: int
    width: int
    height: int
    channels: int
    type: str
    border: tuple
    alpha: int = 0
    alpha_mode: str = None
    result_type: str = None
    intermediate: str = None
    exact: bool = True
    isa: str = None
    algorithm: str = None
    threads: int = 1
    planar: bool = False
    scale: float = 1.0  # of float samples
    fill: str = "noise"
    special: bool = False  # include NaN, infinities, denormals
    stages: list = field(default_factory=list)
    names: list = field(default_factory=list)  # per stage: scipy's filter, its values, flip

    @property
    def chain(self):
        return ",".join(stage.text for stage in self.stages)


def number(value):
    """Returns the shortest text that parses to the same double."""
    return repr(float(value)) if value != int(value) else str(int(value))


def skewed(rng, low, high):
    """Returns a random number; small values are more likely."""
    return low + int((high - low + 1) * rng.random() ** 2)


def border_text(border):
    return f"constant({number(border[1])})" if border[0] == "constant" else border[0]


def make_border(rng):
    name = rng.choice(BORDERS)
    if name != "constant":
        return name, 0.0
    return name, float(rng.choice((1, 7, 100, 255, 0.1, -3, 300, 3e9, 1e39)) if rng.random() < 0.8
                       else rng.randint(-1, 1))


# ---- Masks -------------------------------------------------------------------------------------

def tap_maker(rng, count):
    """Returns a function that generates taps, as text and value."""
    def decimal(scale, low):
        digits = rng.choice((2, 6, 15))

        def make():
            text = f"{scale * rng.uniform(low, 1):.{digits}g}"
            return text, float(text)
        return make

    def fraction():
        over, under = rng.randint(-40, 40), rng.choice((3, 16, 17, 64, 256))
        return f"{over}/{under}", over / under

    def whole():
        value = rng.randint(-4, 4)
        return str(value), float(value)

    def halves():  # ties of round(k·2^q) for small q
        value = rng.randint(-41, 41) / 2
        return number(value), value

    large = rng.choice((150, 9000, 60000, 3e6))
    return rng.choice((decimal(1 / count, 0), decimal(1 / count, -1), decimal(4, -1), decimal(3, -1), fraction,
                       whole, whole, halves, decimal(large, -1), decimal(1e-3, -1),
                       decimal(rng.choice((1e-310, 1e-44, 1e-30, 1e-9)), -1)))


def make_mask(rng, width, height):
    make = tap_maker(rng, width * height)
    rows, values = [], []
    for _ in range(height):
        row = [("0", 0.0) if rng.random() < 0.15 else make() for _ in range(width)]
        rows.append(rng.choice((" ", ", ")).join(text for text, _ in row))
        values.append([value for _, value in row])
    return ";".join(rows), numpy.array(values)


def mask_stage(rng, channels):
    most = 15 if rng.random() < 0.2 else 9
    stage, size = Stage(text="mask"), (skewed(rng, 1, most), skewed(rng, 1, most))
    if rng.random() < 0.03:
        size = (rng.randint(15, 24), rng.randint(15, 24))
    for _ in range(channels if rng.random() < 0.15 else 1):
        if rng.random() < 0.2:  # masks of different channels may differ in size
            size = (skewed(rng, 1, 9), skewed(rng, 1, 9))
        text, values = make_mask(rng, *size)
        stage.text += f":({text})"
        stage.masks.append(values)
    return stage, None, {}


# ---- Named filters -----------------------------------------------------------------------------

def fixed_stage(rng, name):
    if name != "laplacian":
        return Stage(text=name, masks=[numpy.array(stages.FIXED[name], float)]), name, {}
    kind = rng.choice(("", ":4", ":8"))
    full = f"laplacian{kind or ':4'}"
    return Stage(text=f"laplacian{kind}", masks=[numpy.array(stages.FIXED[full], float)]), full, {}


def size_text(rng):
    """Returns (text, width, height)."""
    if rng.random() < 0.4:
        size = skewed(rng, 1, 9)
        return f":{size}", size, size
    if rng.random() < 0.06:
        size = rng.choice((31, 64, 101, 151))
        return f":{size}", size, size
    width, height = skewed(rng, 1, 9), skewed(rng, 1, 9)
    return f":{width}x{height}", width, height


def box_stage(rng, _):
    text, width, height = size_text(rng) if rng.random() < 0.7 else ("", 3, 3)
    mask = numpy.full((height, width), 1.0 / (width * height))
    return Stage(text=f"box{text}", kind="mean", masks=[mask]), "box", {}


def gaussian_stage(rng, _):
    text, width, height = size_text(rng) if rng.random() < 0.5 else ("", 0, 0)
    sigma, values, name = None, {"truncate": 4.0}, None
    if rng.random() < 0.5:
        sigma = rng.choice((0.3, 0.5, 0.84, 1.0, 1.5, 2.0))
        text += f":sigma={number(sigma)}"
    if rng.random() < 0.3:
        values["truncate"] = rng.choice((1.0, 2.5, 3.0))
        text += f":truncate={number(values['truncate'])}"
    if not width:
        width = height = stages.bell_size(sigma, values["truncate"]) if sigma else 5
        name = "gaussian-sigma" if sigma else None
    elif not sigma and width == height and width not in (3, 5):
        name = "gaussian-size"
    values["sigma"] = sigma
    stage = Stage(text=f"gaussian{text}",
                  masks=[numpy.outer(stages.bell(height, sigma), stages.bell(width, sigma))])
    set_terms(rng, stage, [(height, sigma), (width, sigma)],
              lambda down, across: [(down, across)])
    return stage, name, values


def argument(rng, key, usual, choices):
    """Returns (text, value) of an argument that may be omitted."""
    if rng.random() < 0.5:
        return "", usual
    value = rng.choice(choices)
    return f":{key}={number(value)}", value


def set_terms(rng, stage, bells, make_terms):
    """Makes the stage a sum of terms of Gaussians, unless it is dense."""
    stage.bells, stage.make_terms = bells, make_terms
    stage.terms = make_terms(*(stages.bell(*bell) for bell in bells))
    stage.kind = "two-pass"
    if max(bell[0] for bell in bells) <= LARGE_DENSE and rng.random() < 0.25:
        stage.text, stage.kind, stage.terms = stage.text + ":dense", "dense", []
    return stage, None, {}


def library_terms(library, stage):
    """Returns the terms of a stage with the library's Gaussians."""
    def taps(size, sigma):
        text = f":sigma={sigma!r}" if sigma else ""
        return library.mask(f"gaussian:1x{size}{text}")[0].ravel()
    return stage.make_terms(*(taps(*bell) for bell in stage.bells))


def wide_sigma(rng, usual, choices):
    """Returns (text, value) of a sigma, which is large in some problems, and of truncate."""
    if rng.random() < 0.1:
        sigma, truncate = rng.choice((4.0, 7.5, 12.0, 20.0)), rng.choice((1.0, 1.5))
        return (f":sigma={number(sigma)}", sigma), (f":truncate={number(truncate)}", truncate)
    return (argument(rng, "sigma", usual, choices), argument(rng, "truncate", 4.0, (1.0, 1.5, 3.0)))


def unsharp_stage(rng, _):
    sigma, truncate = wide_sigma(rng, 1.0, (0.4, 0.7, 1.2))
    amount = argument(rng, "amount", 1.0, (0.3, 2.5, -1.0, 9.0, 30.0, 30.0, 0.0))
    bell, strength = (stages.bell_size(sigma[1], truncate[1]), sigma[1]), amount[1]
    stage = Stage(text=f"unsharp{sigma[0]}{amount[0]}{truncate[0]}",
                  masks=[stages.unsharp(stages.bell(*bell), strength)])
    return set_terms(rng, stage, [bell], lambda taps: stages.unsharp_terms(taps, strength))


def log_stage(rng, _):
    sigma, truncate = wide_sigma(rng, 1.4, (0.2, 0.3, 0.5, 0.8, 1.1))
    bell = (stages.bell_size(sigma[1], truncate[1]), sigma[1])
    stage = Stage(text=f"log{sigma[0]}{truncate[0]}",
                  masks=[stages.log(stages.bell(*bell), sigma[1])])
    return set_terms(rng, stage, [bell], lambda taps: stages.log_terms(taps, bell[1]))


def dog_stage(rng, _):
    sigma, truncate = wide_sigma(rng, 1.0, (0.5, 0.8, 1.3))
    ratio = argument(rng, "ratio", 1.6, (1.01, 1.25, 2.0))
    wider = sigma[1] * ratio[1]
    size = stages.bell_size(wider, truncate[1])
    bells = [(size, sigma[1]), (size, wider)]
    stage = Stage(text=f"dog{sigma[0]}{ratio[0]}{truncate[0]}",
                  masks=[stages.dog(*(stages.bell(*bell) for bell in bells))])
    return set_terms(rng, stage, bells, stages.dog_terms)


def sharpen_stage(rng, name):
    if rng.random() < 0.5:
        return fixed_stage(rng, name)
    amount = rng.choice((0.5, 1.0, 0.3, 2.5, -1.0, 100.0, 0.0))
    mask = numpy.array(stages.FIXED["laplacian:4"]) * -amount
    mask[1, 1] += 1.0
    return Stage(text=f"sharpen:{number(amount)}", masks=[mask]), None, {}


def scale_stage(rng, _):
    factor = rng.choice((0.5, 2.0, -1.0, 0.1, 1 / 3, 257.0, 1e-3, 65537.0, 0.0))
    return Stage(text=f"scale:{number(factor)}", masks=[numpy.array([[factor]])]), None, {}


def motion_stage(rng, _):
    length = rng.choice((None, 1, 2, 4, 7, 11))
    angle = argument(rng, "angle", 0.0, (90, 45, -30, 17.5, 180, 262, -360))
    text = f"motion{'' if length is None else f':{length}'}{angle[0]}"
    return Stage(text=text, masks=[stages.motion(length or 9, angle[1])]), None, {}


def disk_stage(rng, _):
    radius = rng.choice((None, 0.1, 0.5, 1.0, 1.7, 2.5, 4.2, 8.7, 11.0))
    text = f"disk{'' if radius is None else f':{number(radius)}'}"
    return Stage(text=text, masks=[stages.disk(radius or 3.0)]), None, {}


MAKERS = {name: fixed_stage for name in stages.FIXED if not name.startswith("laplacian")}
MAKERS |= {"laplacian": fixed_stage, "box": box_stage, "gaussian": gaussian_stage,
           "unsharp": unsharp_stage, "log": log_stage, "motion": motion_stage, "disk": disk_stage,
           "dog": dog_stage, "sharpen": sharpen_stage, "scale": scale_stage}


# ---- Stages and problems -----------------------------------------------------------------------

def add_type_options(rng, stage):
    if rng.random() < 0.2:
        stage.type = rng.choice(TYPES)
        stage.text += f":type={stage.type}"
    if rng.random() < 0.3:
        stage.bias = rng.choice((1.0, -0.5, 0.1, 12.34567, -100.0, 128.0, 400.0, 1e-3, 2e9))
        stage.text += f":bias={number(stage.bias)}"
    if rng.random() < 0.2:
        low = rng.choice((0.0, -1.0, -0.3, 10.5, 20.0, -2000.0, -1e9))
        stage.clamp = (low, low + rng.choice((0.0, 1.0, 0.5, 99.9, 235.0, 30000.0, 3e9)))
        stage.text += f":clamp={number(stage.clamp[0])}..{number(stage.clamp[1])}"


def add_options(rng, stage, symmetric):
    """Adds options to the text and to the stage; returns whether it was flipped."""
    width, height = min(k.shape[1] for k in stage.masks), min(k.shape[0] for k in stage.masks)
    anchor, flip = None, rng.random() < 0.2
    if rng.random() < 0.3:
        anchor = (rng.randrange(width), rng.randrange(height))
        stage.text += f":anchor={anchor[0]}x{anchor[1]}"
    if rng.random() < 0.2:
        stage.dilate = (rng.randint(1, 3), rng.randint(1, 3))
        stage.text += ":dilate={}x{}".format(*stage.dilate)
    sums = [abs(stages.plain_sum(k)) > 1e-3 * numpy.abs(k).max() for k in stage.masks]
    normalise = all(sums) and rng.random() < 0.15
    stage.text += (":normalise" if normalise else "") + (":flip" if flip else "")
    add_type_options(rng, stage)
    if rng.random() < 0.4:
        stage.border = make_border(rng)
        stage.text += f":border={border_text(stage.border)}"
    stages.finish(stage, anchor, normalise, flip)
    plain = stage.dilate == (1, 1) and not (anchor and symmetric) and not normalise
    return flip, plain and not flip


def steep_stage(rng, _):
    """A mask with a large gain."""
    stage = Stage(text="mask")
    width, height = rng.randint(7, 15), rng.randint(7, 15)
    rows = [[f"{rng.uniform(-3, 3):.6g}" for _ in range(width)] for _ in range(height)]
    stage.text += f":({';'.join(' '.join(row) for row in rows)})"
    stage.masks = [numpy.array([[float(tap) for tap in row] for row in rows])]
    return stage, None, {}


def long_stage(rng, _):
    """A Gaussian of so many taps that the usual scales are too coarse."""
    width, height = rng.randint(60, 151), rng.randint(60, 151)
    bells = [stages.bell(height), stages.bell(width)]
    stage = Stage(text=f"gaussian:{width}x{height}", masks=[numpy.outer(*bells)])
    return set_terms(rng, stage, [(height, None), (width, None)],
                     lambda down, across: [(down, across)])


HARD = (gaussian_stage, gaussian_stage, long_stage, unsharp_stage, log_stage, dog_stage, disk_stage,
        steep_stage, steep_stage)


def make_stage(rng, problem, hard=False):
    names = sorted(MAKERS)
    if hard:
        stage, name, values = rng.choice(HARD)(rng, None)
    elif rng.random() < 0.45:
        stage, name, values = mask_stage(rng, problem.channels)
    else:
        name = rng.choice(names)
        stage, name, values = MAKERS[name](rng, name)
    flip, plain = add_options(rng, stage, name != "box")
    problem.stages.append(stage)
    problem.names.append((name if plain else None, values, flip))


def make_size(rng):
    if rng.random() < 0.08:  # long enough for whole vectors of every instruction set
        return rng.randint(70, 200), skewed(rng, 1, 5)
    width, height = skewed(rng, 1, 22), skewed(rng, 1, 22)
    return (1 if rng.random() < 0.1 else width), (1 if rng.random() < 0.1 else height)


def make(seed, index, isas):
    if index < 0:
        return corners()[-1 - index]
    rng = random.Random(f"{seed}/{index}")
    width, height = make_size(rng)
    problem = Problem(index, width, height, rng.randint(1, 4), rng.choice(TYPES), make_border(rng))
    if rng.random() < 0.2:
        problem.alpha = rng.randint(1, problem.channels)
        problem.alpha_mode = rng.choice(("keep", "keep", "filter"))  # weights.py: premultiply
    if rng.random() < 0.12:
        problem.intermediate = rng.choice(("f32", "f64", "f32", "f64", "u16", "s32"))
    problem.exact = rng.random() < 0.7
    problem.isa = rng.choice([None] + isas)
    problem.algorithm = "reference" if rng.random() < 0.05 else None
    problem.threads = rng.randint(1, 3)
    problem.planar = rng.random() < 0.3
    problem.scale = rng.choice((1.0, 1.0, 255.0, 1e4))
    problem.fill = rng.choice(("noise", "noise", "extremes", "ramp", "flat"))
    problem.special = problem.type in FLOATS and problem.exact and rng.random() < 0.15
    hard = rng.random() < 0.12  # many taps and large ones between small integers: all forms
    if hard:
        problem.type, problem.intermediate, problem.special = rng.choice(TYPES[:3]), None, False
    for _ in range(1 if hard else rng.choice((1, 1, 1, 2, 3))):
        make_stage(rng, problem, hard)
    if rng.random() < 0.2:
        problem.result_type = rng.choice(TYPES)
    return problem


def corner(index, chain, masks, **fields):
    """Returns a problem with given masks, one stage each, on an image of 4 × 3."""
    usual = {"width": 4, "height": 3, "channels": 1, "type": "f32", "border": ("reflect", 0.0)}
    problem = Problem(index, **(usual | fields))
    for text, mask in zip(chain.split(","), masks):
        kind = "mean" if text.startswith("box") else "dense"
        stage = Stage(text=text, kind=kind, masks=[numpy.array(mask, float)])
        for option in text.split(":"):
            if option.startswith("type="):
                stage.type = option[5:]
            if option.startswith("clamp="):
                stage.clamp = tuple(float(end) for end in option[6:].split(".."))
        stages.finish(stage)
        problem.stages.append(stage)
        problem.names.append((None, {}, False))
    return problem


def lost_taps(small):
    """Returns a mask of 1 and 40 small taps, which are half a unit in the last place of 1."""
    return f"mask:(1{f' {small!r}' * 40})", [[[1.0] + [small] * 40]]


def corners():
    """Returns problems that random generation rarely produces; --only -1, -2 … runs them."""
    wide = [[1.0] * 9] * 9
    spelled = "mask:(" + ";".join([" ".join(["1"] * 9)] * 9) + ")"
    made = [
        # The rounding of a copied channel remains, however small the gain of later stages.
        ("identity:type=u8,mask:(0.001):type=f32", [[[1]], [[0.001]]],
         {"channels": 2, "alpha": 2, "alpha_mode": "keep"}),
        # A copied channel is not clamped, and may then be rounded.
        ("identity:type=f64:clamp=1..2,identity:type=f32", [[[1]], [[1]]],
         {"type": "u32", "channels": 2, "alpha": 2, "alpha_mode": "keep"}),
        # Taps and results at both ends of the float range.
        ("mask:(1e-45):type=f32", [[[1e-45]]], {"type": "u16"}),
        ("mask:(1e-46 3e-46):type=f32", [[[1e-46, 3e-46]]], {"type": "u16"}),
        ("mask:(1e39)", [[[1e39]]], {}),
        ("mask:(1e30),mask:(1e30)", [[[1e30]], [[1e30]]], {}),
        # The bounds of q.
        ("mask:(32639)", [[[32639]]], {"type": "u8"}),
        ("mask:(32640)", [[[32640]]], {"type": "u8"}),
        ("mask:(8388607)", [[[8388607]]], {"type": "s16"}),
        ("mask:(8388608)", [[[8388608]]], {"type": "u16"}),
        # The last form: close enough, not close enough, and whole sums that doubles do not hold.
        ("mask:(1e10 0.5)", [[[1e10, 0.5]]], {"type": "u16"}),
        ("mask:(1e12 0.5)", [[[1e12, 0.5]]], {"type": "u16"}),
        ("mask:(1e12 1)", [[[1e12, 1]]], {"type": "u8"}),
        ("mask:(1e15 1 -1e15)", [[[1e15, 1, -1e15]]], {"type": "u8"}),
        ("mask:(0.4999999999999999)", [[[0.4999999999999999]]], {"type": "u8"}),
        ("mask:(127.498046875 127.498046875)", [[[127.498046875] * 2]], {"type": "u8"}),
        # The limits of 32-bit sums, below and at 2^53.
        ("mask:(4194303)", [[[4194303]]], {"type": "s32"}),
        ("mask:(4194304)", [[[4194304]]], {"type": "s32"}),
        ("mask:(2097151 1)", [[[2097151, 1]]], {"type": "u32"}),
        ("box:363x362", [numpy.full((362, 363), 1 / (362 * 363))], {"type": "u32"}),  # 2^49
        ("mask:(2097151 2)", [[[2097151, 2]]], {"type": "u32"}),
        # The largest errors: every tap but the first is lost, or the result lies between two f32.
        (*lost_taps(2.0**-24), {"type": "f32", "fill": "one"}),
        (*lost_taps(2.0**-53), {"type": "f64", "fill": "one"}),
        ("mask:(1.00000005960464):type=f32", [[[1.00000005960464]]],
         {"type": "f64", "fill": "one"}),
        # All taps of a row on one sample: parts that cancel leave the rounding errors of doubles.
        ("mask:(70000.1 -70000.3 0.7)", [[[70000.1, -70000.3, 0.7]]],
         {"type": "u32", "width": 1, "height": 200}),
        ("mask:(70000.1 -70000.3 0.7)", [[[70000.1, -70000.3, 0.7]]],
         {"type": "u16", "width": 1, "height": 200}),
        # Doubles between small integers: the first sample, doubled by the border, cancels.
        ("mask:(70000.1 -70000.1 0.5)", [[[70000.1, -70000.1, 0.5]]], {"type": "u16"}),
        # One more rounding, from doubles to floats or to integers.
        ("mask:(1.0001):type=f32", [[[1.0001]]], {"type": "u32"}),
        ("mask:(0.001):type=f32", [[[0.001]]], {"type": "s32", "channels": 2, "alpha": 1, "alpha_mode": "keep"}),
        ("mask:(0.001):type=f32", [[[0.001]]], {"type": "f64", "channels": 2, "alpha": 1, "alpha_mode": "keep"}),
        ("mask:(0.49999999999999994):type=s32", [[[0.49999999999999994]]],
         {"type": "f64", "fill": "one"}),
        ("mask:(-0.5):type=s32", [[[-0.5]]], {"type": "f64", "fill": "one"}),
        ("mask:(1e39)", [[[1e39]]], {"type": "f64"}),
        ("mask:(1e300),mask:(1e300)", [[[1e300]], [[1e300]]], {"type": "f64"}),
        ("mask:(1e-320):type=f64", [[[1e-320]]], {"type": "u16"}),
    ]
    for border in BORDERS[:5]:  # a single pixel with a large mask
        for type_name in TYPES:
            made.append((spelled, [wide], {"width": 1, "height": 1, "type": type_name,
                                           "border": (border, 0.0)}))
    return [corner(-1 - i, chain, masks, **fields)
            for i, (chain, masks, fields) in enumerate(made)]


def pixels(seed, problem):
    """Returns the image of a problem: height × width × channels."""
    rng = numpy.random.default_rng([seed, problem.index + 2**16])
    size = (problem.height, problem.width, problem.channels)
    low, high = RANGES[problem.type] if problem.type not in FLOATS else (-problem.scale,
                                                                         problem.scale)
    if problem.fill == "extremes":
        unit = rng.integers(0, 2, size).astype(float)
    elif problem.fill == "ramp":
        unit = numpy.linspace(0, 1, size[0] * size[1] * size[2]).reshape(size)
    elif problem.fill == "flat":
        unit = numpy.full(size, rng.random())
    elif problem.fill == "one":
        unit = numpy.ones(size)
    else:
        unit = rng.random(size)
    values = low + unit * (high - low)
    if problem.type not in FLOATS:
        return numpy.rint(values).astype(DTYPES[problem.type])
    image = values.astype(DTYPES[problem.type])
    if problem.special:
        odd = [numpy.nan, numpy.inf, -numpy.inf, 1e-44, -1e-44, -0.0, 1e-30]
        if problem.type == "f64":
            odd += [5e-324, -1e-310, 1e-300, 1.7e308, -1e39, 3e38]
        at = rng.random(size) < 0.15
        image[at] = rng.choice(numpy.array(odd, image.dtype), int(at.sum()))
    return image
