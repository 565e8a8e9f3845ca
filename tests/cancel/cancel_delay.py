#!/usr/bin/env python3
"""Sends SIGINT or SIGTERM to commands at random moments and measures how long they take to end:

    cancel_delay.py [--runs N] [--limit SECONDS] [--longest SECONDS] [--seed N] [--case NAME]...
                    SWATHE DIRECTORY

A command must end within the limit, with the exit code of the signal, and leave no output. Prints the
longest delay of each case. Moments are within the first --longest seconds. DIRECTORY keeps the
images, which take a minute to make."""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import time

WIDE, HIGH = 6000, 4000


class Images:
    """Makes the inputs, each at its first use."""

    def __init__(self, swathe, directory):
        self.swathe = swathe
        self.directory = directory

    def path(self, name):
        path = os.path.join(self.directory, name)
        if not os.path.exists(path):
            getattr(self, name.replace(".", "_"))(path)
        return path

    def convert(self, source, path, *options):
        subprocess.run([self.swathe, "apply", "identity", self.path(source), path, "--quiet",
                        "--max-memory", "4G", *options], check=True)

    def magick(self, source, path, *options):
        subprocess.run(["convert", self.path(source), *options, path], check=True)

    @staticmethod
    def noise(path, width, height, channels=3, most=255):
        magic = b"P6" if channels == 3 else b"P5"
        with open(path, "wb") as file:
            file.write(magic + b"\n%d %d\n%d\n" % (width, height, most))
            file.write(random.Random(1).randbytes(width * height * channels * (1 + (most > 255))))

    def big_ppm(self, path):
        self.noise(path, WIDE, HIGH)

    def deep_pgm(self, path):
        self.noise(path, 3000, 2000, 1, 65535)

    def small_ppm(self, path):
        self.noise(path, 2000, 1500)

    def big_png(self, path):
        self.convert("big.ppm", path, "--compression", "1")

    def interlaced_png(self, path):
        self.magick("big.ppm", path, "-interlace", "PNG", "-quality", "10")

    def big_jpg(self, path):
        self.convert("big.ppm", path)

    def progressive_jpg(self, path):
        self.magick("big.ppm", path, "-interlace", "JPEG", "-quality", "90")

    def strip_tif(self, path):
        self.magick("big.ppm", path, "-compress", "zip", "-define", f"tiff:rows-per-strip={HIGH}")

    def lzw_tif(self, path):
        self.magick("big.ppm", path, "-compress", "lzw", "-define", f"tiff:rows-per-strip={HIGH}")

    def big_webp(self, path):
        self.convert("small.ppm", path, "--quality", "lossless")

    def lossy_webp(self, path):
        self.convert("big.ppm", path, "--quality", "90")

    def run_tga(self, path):
        self.magick("big.ppm", path, "-compress", "RLE")

    def mask_txt(self, path):
        draw = random.Random(2)
        with open(path, "w", encoding="ascii") as file:
            for _ in range(701):
                print(*(f"{draw.uniform(-1, 2):.6f}" for _ in range(701)), file=file)

    def many(self, path):
        os.mkdir(path)
        for i in range(24):
            self.noise(os.path.join(path, f"{i}.ppm"), 1500, 1000)


CASES = {
    "large mask": ["apply", "mask:@{mask.txt}:normalise", "{deep.pgm}", "OUT.tif"],
    "large mask, direct": ["apply", "mask:@{mask.txt}:normalise", "{deep.pgm}", "OUT.tif",
                           "--algorithm", "direct"],
    "reference": ["apply", "disk:20", "{deep.pgm}", "OUT.tif", "--algorithm", "reference"],
    "unsharp": ["apply", "unsharp:sigma=50", "{big.ppm}", "OUT.ppm"],
    "chain": ["apply", "gaussian:sigma=80,disk:60,unsharp:sigma=30", "{small.ppm}", "OUT.png"],
    "scalar": ["apply", "disk:30", "{big.ppm}", "OUT.ppm", "--isa", "scalar"],
    "read PNG": ["apply", "sharpen", "{big.png}", "OUT.ppm"],
    "read interlaced PNG": ["apply", "sharpen", "{interlaced.png}", "OUT.ppm"],
    "read JPEG": ["apply", "sharpen", "{big.jpg}", "OUT.ppm"],
    "read progressive JPEG": ["apply", "sharpen", "{progressive.jpg}", "OUT.ppm"],
    "read TIFF of one strip": ["apply", "sharpen", "{strip.tif}", "OUT.ppm"],
    "read LZW of one strip": ["apply", "sharpen", "{lzw.tif}", "OUT.ppm"],
    "read WebP": ["apply", "sharpen", "{big.webp}", "OUT.ppm"],
    "read lossy WebP": ["apply", "sharpen", "{lossy.webp}", "OUT.ppm"],
    "read TGA": ["apply", "sharpen", "{run.tga}", "OUT.ppm"],
    "write PNG": ["apply", "sharpen", "{big.ppm}", "OUT.png", "--compression", "9"],
    "write JPEG": ["apply", "sharpen", "{big.ppm}", "OUT.jpg"],
    "write small JPEG": ["apply", "sharpen", "{big.ppm}", "OUT.jpg", "--compression", "small"],
    "write TIFF": ["apply", "sharpen", "{big.ppm}", "OUT.tif", "--compression", "deflate"],
    "write WebP": ["apply", "sharpen", "{big.ppm}", "OUT.webp"],
    "write lossless WebP": ["apply", "sharpen", "{small.ppm}", "OUT.webp", "--quality", "lossless"],
    "fit": ["apply", "log:sigma=20", "{big.ppm}", "OUT.png", "--values", "fit"],
    "batch": ["batch", "unsharp:sigma=40", "{many}", "--out", "OUT", "--quiet"],
    "batch of large masks": ["batch", "mask:@{mask.txt}:normalise", "{many}", "--out", "OUT",
                             "--quiet"],
    "explain": ["explain", "mask:@{mask.txt}:normalise", "{deep.pgm}"],
    "compare": ["compare", "{big.ppm}", "{big.png}"],
    "tune": ["tune"],
    "bench": ["bench", "unsharp:sigma=30", "--size", "3000x2000"],
}


def words_of(case, images, out):
    """Returns the arguments, with images and the output in place of their names."""
    words = []
    for word in CASES[case]:
        first, brace, rest = word.partition("{")
        if brace:
            name, _, rest = rest.partition("}")
            word = first + images.path(name) + rest
        words.append(word.replace("OUT", out))
    return words


def start(swathe, words):
    memory = ["--max-memory", "4G"] if words[0] in ("apply", "batch") else []
    return subprocess.Popen([swathe, *words, *memory], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE)


def remove(out):
    """Removes what a run has written, and returns whether there was a complete or partial result."""
    found = False
    folder = os.path.dirname(out)
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            shutil.rmtree(path)
        else:
            found = True
            os.remove(path)
    return found


def duration(swathe, words, most):
    """Returns the seconds of the command, or `most` if it takes longer."""
    begin = time.monotonic()
    run = start(swathe, words)
    try:
        _, text = run.communicate(timeout=most)
    except subprocess.TimeoutExpired:
        run.kill()
        run.communicate()
        return most
    if run.returncode != 0:
        sys.exit(f"cancel_delay.py: {' '.join(words)}: {text.decode()}")
    return time.monotonic() - begin


def cancel(swathe, words, moment, number):
    """Returns the seconds from the signal to the end, and the exit code; None if it ended before."""
    run = start(swathe, words)
    try:
        run.communicate(timeout=moment)
        return None
    except subprocess.TimeoutExpired:
        pass
    begin = time.monotonic()
    run.send_signal(number)
    run.wait()
    delay = time.monotonic() - begin
    run.communicate()
    return delay, run.returncode


def check_case(args, case, images, draw):
    """Returns the delays of a case, after printing its failures."""
    folder = os.path.join(args.directory, "out")
    os.makedirs(folder, exist_ok=True)
    out = os.path.join(folder, "result")
    words = words_of(case, images, out)
    seconds = duration(args.swathe, words, args.longest)
    remove(out)
    delays = []
    for _ in range(args.runs):
        number = draw.choice([signal.SIGINT, signal.SIGTERM])
        moment = draw.uniform(0.01, seconds)
        ended = cancel(args.swathe, words, moment, number)
        left = remove(out) and words[0] == "apply"
        if ended is None:
            continue
        delay, code = ended
        delays.append(delay)
        good = code in (128 + number, -number)
        if delay > args.limit or (not good and code != 0) or (left and code != 0):
            print(f"FAILED: {case}: {number.name} after {moment:.2f} of {seconds:.2f} s: "
                  f"{delay:.3f} s, exit code {code}{', left a file' if left else ''}")
            args.failures += 1
    longest = max(delays, default=0)
    print(f"{case}: {seconds:.1f} s, {len(delays)} stopped, longest delay {longest:.3f} s", flush=True)
    return delays


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=0.2)
    parser.add_argument("--longest", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", action="append", choices=list(CASES))
    parser.add_argument("swathe", type=os.path.abspath)
    parser.add_argument("directory", type=os.path.abspath)
    args = parser.parse_args()
    args.failures = 0
    os.makedirs(args.directory, exist_ok=True)
    os.environ["SWATHE_WISDOM"] = os.path.join(args.directory, "wisdom")
    images = Images(args.swathe, args.directory)
    draw = random.Random(args.seed)
    delays = [delay for case in args.case or CASES for delay in check_case(args, case, images, draw)]
    print(f"{len(delays)} runs stopped, longest delay {max(delays):.3f} s, {args.failures} failed")
    return args.failures > 0


if __name__ == "__main__":
    sys.exit(main())
