"""The contenders as commands that filter a file.

All use the same masks and file formats and, if the format has one, the same quality setting."""
import math
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BINOMIAL5 = [1, 4, 6, 4, 1]
SHARPEN = [[0, -1, 0], [-1, 5, -1], [0, -1, 0]]
EDGE = [[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]]
QUALITY = 90


def outer(line):
    return [[a * b for b in line] for a in line]


def gaussian9():
    """Returns the taps of gaussian:9, with sum 1."""
    sigma = 0.3 * ((9 - 1) / 2 - 1) + 0.8
    line = [math.exp(-((i - 4) ** 2) / (2 * sigma * sigma)) for i in range(9)]
    return [value / sum(line) for value in line]


CHAINS = {"gaussian": ["g5"], "chain": ["sharpen", "g5", "edge", "g9"]}
SWATHE_CHAINS = {"gaussian": "gaussian:5", "chain": "sharpen,gaussian:5,edge,gaussian:9"}


def mask(stage):
    if stage == "g5":
        return outer([value / 16 for value in BINOMIAL5])
    if stage == "g9":
        return outer(gaussian9())
    return SHARPEN if stage == "sharpen" else EDGE


class Rival:
    """A contender. command(chain, kind, source, target, threads) returns its command line, or None
    if it does not support the format. `variables` are set to the number of threads."""

    def __init__(self, name, command, variables=()):
        self.name, self.command, self.variables = name, command, variables

    def variables_for(self, threads):
        return {name: str(threads) for name in self.variables}


SETTINGS = {"default": ["png", "jpeg"], "fast": ["png"], "small": ["png", "jpeg"],
            "zstd:1": ["tiff"], "zstd:9": ["tiff"], "zstd:10": ["tiff"]}  # of Swathe, with formats


def swathe(program, setting):
    def command(chain, kind, source, target, threads):
        if kind not in SETTINGS[setting]:
            return None
        options = ["--border", "replicate", "--threads", str(threads), "--overwrite", "--quiet",
                   "--compression", setting]
        if kind == "jpeg":
            options += ["--quality", str(QUALITY)]
        return [program, "apply", SWATHE_CHAINS[chain], source, target, *options]
    return command


def magick_kernel(stage):
    rows = mask(stage)
    return f"{len(rows)}x{len(rows)}:" + ",".join(f"{v:.9f}" for row in rows for v in row)


def save_options(kind):
    if kind == "jpeg":
        return ["-quality", str(QUALITY), "-sampling-factor", "2x2"]
    return ["-compress", "Zstd"] if kind == "tiff" else []


def image_magick(chain, kind, source, target, _threads):
    steps = [word for stage in CHAINS[chain]
             for word in ("-morphology", "Convolve", magick_kernel(stage))]
    return ["convert-im6.q16", source, "-virtual-pixel", "edge", *steps, *save_options(kind),
            target]


def graphics_magick(chain, kind, source, target, _threads):
    steps = [word for stage in CHAINS[chain] for word in
             ("-convolve", ",".join(f"{v:.9f}" for row in mask(stage) for v in row))]
    return ["gm", "convert", source, *steps, *save_options(kind), target]


def script(name):
    def command(chain, kind, source, target, threads):
        return [sys.executable, os.path.join(HERE, name), chain, kind, source, target,
                str(threads)]
    return command


def vips_save(kind, target):
    options = {"png": "", "jpeg": f"[Q={QUALITY},subsample-mode=on]",
               "tiff": "[compression=zstd,predictor=horizontal]"}
    return target + options[kind]


def vips_masks(folder):
    """Writes mask files for libvips: integer taps, with their sum as the scale."""
    lines = {"g5": [BINOMIAL5], "g9": [[round(v * 1024) for v in gaussian9()]],
             "sharpen": SHARPEN, "edge": EDGE}
    for name, rows in lines.items():
        total = sum(map(sum, rows)) or 1
        with open(os.path.join(folder, name + ".mat"), "w", encoding="ascii") as file:
            print(len(rows[0]), len(rows), total, 0, file=file)
            for row in rows:
                print(*row, file=file)


def vips_command(folder):
    """Runs one vips command per filter, with intermediate files in libvips' own format. The vector
    code of 8.14 returns only zeros for the edge mask, so chains run without it."""
    vips_masks(folder)

    def command(chain, kind, source, target, _threads):
        steps, here = [], source
        for number, stage in enumerate(CHAINS[chain], 1):
            last = number == len(CHAINS[chain])
            there = vips_save(kind, target) if last else os.path.join(folder, f"{number}.v")
            verb = "convsep" if stage.startswith("g") else "conv"
            steps.append(f"vips {verb} {here} '{there}' {folder}/{stage}.mat --precision integer")
            here = there
        novector = "export VIPS_NOVECTOR=1; " if "edge" in CHAINS[chain] else ""
        return ["sh", "-c", novector + " && ".join(steps)]
    return command


def all_rivals(program, folder):
    """Returns the contenders that are installed."""
    rivals = [Rival("swathe " + setting, swathe(program, setting)) for setting in SETTINGS]
    rivals += [Rival("libvips script", script("vips_script.py")),
               Rival("OpenCV script", script("opencv_script.py"))]
    if shutil.which("vips"):
        rivals.append(Rival("vips", vips_command(folder), ["VIPS_CONCURRENCY"]))
    if shutil.which("convert-im6.q16"):
        rivals.append(Rival("ImageMagick", image_magick, ["OMP_NUM_THREADS"]))
    if shutil.which("gm"):
        rivals.append(Rival("GraphicsMagick", graphics_magick, ["OMP_NUM_THREADS"]))
    return rivals
