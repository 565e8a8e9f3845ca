"""Random filters over the whole ranges of their parameters (docs/filters.md), for neighbours.py.

Most masks are small, so that many can be drawn; some have 401 × 401 taps or 600 in one direction.
"""
from dataclasses import dataclass

import numpy

from problem_maker import number

DENSE_MOST, SEPARABLE_MOST, STACK_MOST = 401, 600, 300_000
SMALL, WIDE = ("u8", "u16", "s16"), ("u32", "s32")
FIXED = ("identity", "edge", "sobel-x", "sobel-y", "scharr-x", "scharr-y", "prewitt-x", "prewitt-y",
         "emboss")
WITHOUT_MASK = {"abs"}


@dataclass
class Drawn:
    name: str
    text: str
    masks: int = 1  # their number
    mixes: bool = False  # taps are factors of channels, not of pixels
    width: int = 0  # of masks whose anchor may be moved
    height: int = 0


# ---- Numbers -----------------------------------------------------------------------------------

def log_uniform(rng, low, high):
    return low * (high / low) ** rng.random()


def side(rng, most):
    """Returns the length of a side; most are small."""
    return 1 + int((most - 1) * rng.random() ** rng.choice((1, 4, 8, 8)))


def key(rng, name, value, share=0.8):
    """Returns the text of a parameter, which is sometimes left at its default."""
    return f":{name}={number(value)}" if rng.random() < share else ""


def truncation(rng, sigma, usual, most, side_most):
    """Returns truncate= such that a radius of about truncate·sigma makes a mask of at most
    side_most, or the smallest that there is."""
    limit = max(0.1, min(most, (side(rng, side_most) // 2) / sigma))
    if usual < limit and rng.random() < 0.5:
        return ""
    return f":truncate={number(min(limit, max(0.1, log_uniform(rng, 0.1, 10 * usual))))}"


# ---- Named filters -----------------------------------------------------------------------------

def size_text(rng, most):
    width, height = side(rng, most), side(rng, most)
    return f":{width}" if rng.random() < 0.5 else f":{width}x{height}"


def box(rng):
    return Drawn("box", "box" + size_text(rng, SEPARABLE_MOST))


def gaussian(rng):
    dense = rng.random() < 0.2
    most = DENSE_MOST if dense else SEPARABLE_MOST
    sigma = log_uniform(rng, 0.001, 1000)
    pick = rng.random()
    if pick < 0.35:
        text = size_text(rng, most)
    elif pick < 0.65:
        text = f"{size_text(rng, most)}:sigma={number(sigma)}"
    else:
        text = f":sigma={number(sigma)}{truncation(rng, sigma, 4.0, 100, most)}"
    return Drawn("gaussian", f"gaussian{text}{':dense' if dense else ''}")


def sharpen(rng):
    amount = rng.choice((1, -1)) * (rng.uniform(0, 100) if rng.random() < 0.5
                                    else log_uniform(rng, 1e-6, 100))
    return Drawn("sharpen", f"sharpen:{number(amount)}")


def dense_word(rng):
    return ":dense" if rng.random() < 0.2 else ""


def unsharp(rng):
    sigma = log_uniform(rng, 0.1, 200)
    amount = rng.uniform(-100, 100) if rng.random() < 0.4 else rng.uniform(-2, 2)
    return Drawn("unsharp", f"unsharp:sigma={number(sigma)}{key(rng, 'amount', amount)}"
                 f"{truncation(rng, sigma, 4.0, 100, DENSE_MOST)}{dense_word(rng)}")


def log(rng):
    sigma = log_uniform(rng, 0.1, 200)
    return Drawn("log", f"log:sigma={number(sigma)}"
                 f"{truncation(rng, sigma, 4.0, 100, DENSE_MOST)}{dense_word(rng)}")


def dog(rng):
    sigma, ratio = log_uniform(rng, 0.1, 100), log_uniform(rng, 1.01, 10)
    return Drawn("dog", f"dog:sigma={number(sigma)}:ratio={number(ratio)}"
                 f"{truncation(rng, sigma * ratio, 4.0, 100, DENSE_MOST)}{dense_word(rng)}")


def laplacian(rng):
    return Drawn("laplacian", "laplacian" + rng.choice(("", ":4", ":8")))


def gradient(rng):
    kind = rng.choice(("", ":sobel", ":scharr", ":prewitt"))
    return Drawn("gradient", f"gradient{kind}:join=stack", masks=2)


def gabor(rng):
    sigma, aspect = log_uniform(rng, 0.3, 100), log_uniform(rng, 0.05, 20)
    reach = sigma / min(aspect, 1.0)
    truncate = truncation(rng, reach, 3.0, 20, DENSE_MOST)
    radius = int(reach * float(truncate[10:] or 3.0) + 0.5)
    count = min(rng.choice((1, 1, 2, 3, 8, 64)), max(1, STACK_MOST // (2 * radius + 1)**2))
    return Drawn("gabor", f"gabor:sigma={number(sigma)}:aspect={number(aspect)}{truncate}"
                 f"{key(rng, 'wave', log_uniform(rng, 1, 1000))}"
                 f"{key(rng, 'angle', rng.uniform(-360, 360))}:angles={count}:join=stack",
                 masks=count)


def motion(rng):
    length = min(1001, side(rng, 1400))
    angle = rng.choice((0, 90)) if length > DENSE_MOST else rng.uniform(-360, 360)
    return Drawn("motion", f"motion:{length}{key(rng, 'angle', angle, 0.9)}")


def disk(rng):
    return Drawn("disk", f"disk:{number(log_uniform(rng, 0.1, side(rng, DENSE_MOST) / 2))}")


def scale(rng):
    factor = rng.choice((1, -1)) * log_uniform(rng, 1e-9, 1e9 if rng.random() < 0.1 else 100)
    return Drawn("scale", f"scale:{number(factor)}")


def grey(_):
    return Drawn("grey", "grey", mixes=True)


def mix(rng):
    rows = rng.randint(1, 4)
    return Drawn("mix", f"mix:{rows_text(random_taps(rng, rng.randint(1, 12), rows))}", masks=rows,
                 mixes=True)


# ---- Masks -------------------------------------------------------------------------------------

def random_taps(rng, width, height):
    """Returns taps of a random kind, on about the scale of a mean or of 1."""
    source = numpy.random.default_rng(rng.getrandbits(64))
    size = (height, width)
    positive, signed = source.random(size), source.uniform(-1, 1, size)
    kind = rng.randrange(8)
    if kind == 0:
        return positive / positive.sum()
    if kind == 1:
        return signed
    if kind == 2:
        return signed * (source.random(size) < 0.1)
    if kind == 3:  # a huge dynamic range
        return signed * 10.0 ** source.uniform(-rng.choice((3, 12, 300)), 0, size)
    if kind == 4:
        return source.integers(-9, 10, size).astype(float)
    if kind == 5:
        return signed / signed.size
    taps = signed * log_uniform(rng, 1e-9, 0.1)
    taps.flat[rng.randrange(taps.size)] = rng.choice((1, -1)) * log_uniform(rng, 0.5, 1000)
    return taps if kind == 6 else signed * log_uniform(rng, 1e-6, 1e6)


def rows_text(taps):
    return "(" + ";".join(" ".join(map(repr, row)) for row in taps.tolist()) + ")"


def mask(rng):
    most = DENSE_MOST if rng.random() < 0.02 else 60
    width, height = side(rng, most), side(rng, most)
    count = rng.choice((1, 1, 1, 1, 3)) if width * height < 400 else 1
    taps = ":".join(rows_text(random_taps(rng, width, height)) for _ in range(count))
    return Drawn("mask", f"mask:{taps}:join=stack", count, False, width, height)


MAKERS = {"box": (box, 2), "gaussian": (gaussian, 12), "sharpen": (sharpen, 3), "disk": (disk, 5),
          "unsharp": (unsharp, 10), "log": (log, 6), "dog": (dog, 6), "gabor": (gabor, 6),
          "laplacian": (laplacian, 1), "gradient": (gradient, 1), "motion": (motion, 5),
          "scale": (scale, 3), "grey": (grey, 1), "mix": (mix, 4), "mask": (mask, 20)}
MAKERS |= {name: (lambda _, name=name: Drawn(name, name), 0.3) for name in FIXED}


# ---- Options -----------------------------------------------------------------------------------

def options_text(rng, drawn):
    """Returns options that change taps or their places."""
    text = ""
    if not drawn.mixes and rng.random() < 0.15:
        text += ":flip"
    if drawn.width and rng.random() < 0.2:
        text += f":anchor={rng.randrange(drawn.width)}x{rng.randrange(drawn.height)}"
    if drawn.name in ("mask", "sharpen", "disk", "motion") and rng.random() < 0.15:
        text += ":normalise"
    return text


def draw_bias(rng, low, high):
    if rng.random() < 0.6:
        return 0.0
    return rng.choice((rng.uniform(-3, 3), rng.uniform(low, high), rng.randint(-200, 200) / 2))


def draw_types(rng):
    """Returns the types of the input and the output."""
    pick = rng.random()
    if pick < 0.75:
        return (rng.choice(SMALL),) * 2
    if pick < 0.9:
        return rng.choice(SMALL), rng.choice(SMALL)
    return rng.choice(SMALL + WIDE), rng.choice(SMALL + WIDE)


def draw(rng):
    names = list(MAKERS)
    name = rng.choices(names, [MAKERS[name][1] for name in names])[0]
    return MAKERS[name][0](rng)
