#!/usr/bin/env python3
"""Compares Swathe with libvips, ImageMagick, GraphicsMagick and OpenCV from file to file.

    files.py SWATHE [--width W --height H] [--rounds N] [--threads T] [--only PART] [--json FILE]

The input is a synthetic photograph (24 megapixels by default) as PNG, JPEG and TIFF with zstd. The
filters are gaussian:5 and sharpen,gaussian:5,edge,gaussian:9. Each contender runs as a separate
process, and its start-up time counts. Contenders run interleaved. The tables have best and median
wall-clock time, CPU time, peak resident memory and file size. All results are compared with
Swathe's first: lossless files may differ by the rounding of a tool, JPEGs also by the loss of their
quality setting. The last lines compare Swathe with each contender, using Swathe's fastest setting
whose file is not larger. Runs in the virtual environment of bench/peers.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "peers"))
import environment  # noqa: E402

PREDICTOR = 317  # TIFF tag; 2 is horizontal differencing
ENDINGS = {"png": "png", "jpeg": "jpg", "tiff": "tif"}
# Largest mean difference from Swathe's result, in levels: half a level for tools that truncate
# instead of rounding, plus some JPEG loss. A chain amplifies it, because edge sums nine pixels.
ALLOWED = {"gaussian": 0.75, "chain": 3.0}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("swathe", help="the swathe command")
    parser.add_argument("--width", type=int, default=6000, help="of the image; default 6000")
    parser.add_argument("--height", type=int, default=4000, help="of the image; default 4000")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each contender; default 5")
    parser.add_argument("--threads", type=int, default=2, help="per contender; default 2")
    parser.add_argument("--only", default="", metavar="PART",
                        help='measure tables whose name contains this, such as "png gaussian"')
    parser.add_argument("--json", metavar="FILE", help="write all measurements to this file")
    return parser.parse_args()


# ---- Inputs --------------------------------------------------------------------------------------

def make_inputs(options, folder):
    """Writes the same photograph in each format, with Pillow, which is not a contender."""
    import photo
    from PIL import Image
    image = Image.fromarray(photo.make(options.width, options.height))
    paths = {kind: os.path.join(folder, "in." + ending) for kind, ending in ENDINGS.items()}
    image.save(paths["png"])
    image.save(paths["jpeg"], quality=92)
    image.save(paths["tiff"], compression="zstd", tiffinfo={PREDICTOR: 2})
    return paths


# ---- Runs ----------------------------------------------------------------------------------------

class Launcher:
    """A small process that starts the contenders; launcher.py explains why."""

    def __init__(self, log):
        self.log = log
        self.process = subprocess.Popen([sys.executable, "-S", os.path.join(HERE, "launcher.py")],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, rival, words, threads):
        """Returns wall-clock seconds, CPU seconds and peak MiB, or None if the command failed."""
        print(json.dumps([words, rival.variables_for(threads), self.log]),
              file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())


class Row:
    """The measurements of all contenders for one format and one chain."""

    def __init__(self, kind, chain, folder):
        self.kind, self.chain, self.folder = kind, chain, folder
        self.samples, self.sizes, self.notes = {}, {}, {}

    def name(self):
        return f"{self.kind} {self.chain}"

    def target(self, rival):
        return os.path.join(self.folder, rival.name.replace(" ", "-") + "." + ENDINGS[self.kind])

    def turn(self, rival, source, options, launcher):
        words = rival.command(self.chain, self.kind, source, self.target(rival), options.threads)
        if words is None or rival.name in self.notes:
            return
        sample = launcher.run(rival, words, options.threads)
        if sample is None or not os.path.exists(self.target(rival)):
            self.notes[rival.name] = "failed; see the messages below"
            return
        self.samples.setdefault(rival.name, []).append(sample)
        self.sizes[rival.name] = os.path.getsize(self.target(rival))

    def check(self, rivals):
        import numpy
        from PIL import Image
        Image.MAX_IMAGE_PIXELS = None
        done = [rival for rival in rivals if rival.name in self.samples]
        with Image.open(self.target(done[0])) as image:
            ours = numpy.asarray(image.convert("RGB"), numpy.int16)
        for rival in done[1:]:
            with Image.open(self.target(rival)) as image:
                theirs = numpy.asarray(image.convert("RGB"), numpy.int16)
            if theirs.shape != ours.shape:
                self.notes[rival.name] = f"WRONG: the shape is {theirs.shape}, not {ours.shape}"
                continue
            mean = float(numpy.abs(theirs[16:-16, 16:-16] - ours[16:-16, 16:-16]).mean())
            note = f"mean difference {mean:.3f}"
            self.notes[rival.name] = note if mean <= ALLOWED[self.chain] else "WRONG: " + note


def measure(row, rivals, source, options, launcher):
    for turn in range(options.rounds):
        order = rivals[:]
        random.Random(turn).shuffle(order)
        for rival in order:
            row.turn(rival, source, options, launcher)
    row.check(rivals)


# ---- Output --------------------------------------------------------------------------------------

def summary(samples):
    walls = [sample[0] for sample in samples]
    return {"best": min(walls), "median": statistics.median(walls),
            "cpu": min(sample[1] for sample in samples), "rss": max(sample[2] for sample in samples)}


def print_row(row):
    print(f"\n{row.name()}\n  {'':16} {'best s':>8} {'median':>8} {'CPU s':>8} {'peak MiB':>9} "
          f"{'file MB':>9}")
    for name, samples in row.samples.items():
        figures = summary(samples)
        print(f"  {name:16} {figures['best']:8.3f} {figures['median']:8.3f} {figures['cpu']:8.2f} "
              f"{figures['rss']:9.1f} {row.sizes[name] / 1e6:9.3f}  {row.notes.get(name, '')}")
    for name, note in row.notes.items():
        if name not in row.samples:
            print(f"  {name:16} {note}")


def print_log(path):
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = sorted(set(file.read().splitlines()))
        print("\nMessages of the contenders:", *lines[:30], sep="\n  ")
    print()


def verdict(row):
    """Compares each contender with the fastest setting of Swathe whose file is not larger."""
    ours = [name for name in row.samples if name.startswith("swathe")]
    peers = [name for name in row.samples
             if name not in ours and not row.notes.get(name, "").startswith("WRONG")]
    lines, worst = [], None
    if not ours:
        print(f"{row.name()}: Swathe failed")
        return
    for peer in peers:
        smallest = min(ours, key=lambda name: row.sizes[name])
        fit = [name for name in ours if row.sizes[name] <= row.sizes[peer]] or [smallest]
        chosen = min(fit, key=lambda name: summary(row.samples[name])["best"])
        ratio = summary(row.samples[peer])["best"] / summary(row.samples[chosen])["best"]
        size = row.sizes[chosen] / row.sizes[peer]
        lines.append(f"{ratio:.2f} x {peer} ({chosen}, file size ratio {size:.4f})")
        worst = ratio if worst is None else min(worst, ratio)
    rss = min((summary(row.samples[name])["rss"] for name in peers), default=0)
    most = max(summary(row.samples[name])["rss"] for name in ours)
    print(f"{row.name()}: Swathe is at least {worst or 0:.2f} times as fast; it uses at most "
          f"{most:.0f} MiB, the others at least {rss:.0f} MiB; " + ", ".join(lines))


def main():
    options = arguments()
    environment.enter()
    import rivals as known
    with tempfile.TemporaryDirectory(prefix="swathe-files-") as folder:
        inputs = make_inputs(options, folder)
        rivals = known.all_rivals(os.path.abspath(options.swathe), folder)
        rows = [Row(kind, chain, folder) for kind in ENDINGS for chain in known.CHAINS]
        rows = [row for row in rows if options.only in row.name()]
        launcher = Launcher(os.path.join(folder, "log"))
        for row in rows:
            measure(row, rivals, inputs[row.kind], options, launcher)
            print_row(row)
        print_log(launcher.log)
        for row in rows:
            verdict(row)
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump([{"row": row.name(), "samples": row.samples, "sizes": row.sizes,
                            "notes": row.notes} for row in rows], file, indent=1)
    return any(note.startswith("WRONG") for row in rows for note in row.notes.values())


if __name__ == "__main__":
    sys.exit(main())
