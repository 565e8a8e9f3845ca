#!/usr/bin/env python3
"""Frames per second of swathe beside ffmpeg's own filters, on 1080p video from pipe to pipe.

    video_speed.py SWATHE [--frames N] [--rounds N] [--size WxH] [--directory DIR]

Both programs read Y4M from standard input, redirected from a file in DIR (default: memory, in
/dev/shm), and write Y4M to a pipe that `cat` empties. Rounds are interleaved: each runs every
contender once, in random order. A table has the best and the median rate, and the least CPU time
(user and system, of the contender alone) per frame. On a busy machine compare CPU times.

What is computed: `convolution` and swathe's `mask` sum the same products; 8-bit results are equal
except at the edges. `gblur` is a recursive filter in floats that approximates a Gaussian, at a
cost that does not depend on sigma; swathe's `gaussian` sums all taps of the sampled Gaussian. Both
filter each plane at its own size. `copy` filters nothing: what remains is reading and writing.
"""
import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

DENSE = [[1, 4, 6, 4, 1], [4, 16, 24, 16, 4], [6, 24, 36, 24, 6], [4, 16, 24, 16, 4], [1, 4, 6, 4, 1]]


def own_mask(rows):
    total = sum(map(sum, rows))
    taps = " ".join(str(tap) for row in rows for tap in row)
    return "convolution=" + ":".join([taps] * 4 + [f"1/{total}"] * 4)


def chain(rows):
    return "mask:(" + "; ".join(" ".join(map(str, row)) for row in rows) + "):normalise"


# A mask of 5 x 5 numbers that is not a product of a column and a row.
UNEVEN = [[(3 * x + 5 * y + x * y * 7) % 11 for x in range(5)] for y in range(5)]
# Task, swathe's chain, ffmpeg's filter.
TASKS = [
    ("copy", "identity", "null"),
    ("3 x 3 mask", chain([row[1:4] for row in DENSE[1:4]]), own_mask([row[1:4] for row in DENSE[1:4]])),
    ("5 x 5 binomial mask", chain(DENSE), own_mask(DENSE)),
    ("5 x 5 mask, uneven", chain(UNEVEN), own_mask(UNEVEN)),
    ("Gaussian, sigma 2", "gaussian:sigma=2", "gblur=sigma=2"),
    ("Gaussian, sigma 8", "gaussian:sigma=8", "gblur=sigma=8"),
]
FORMATS = {"8 bits": "yuv420p", "10 bits": "yuv420p10le"}


def make_video(path, size, frames, pixels):
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
                    f"testsrc2=s={size}:r=30", "-frames:v", str(frames), "-pix_fmt", pixels, "-strict",
                    "-1", "-f", "yuv4mpegpipe", path], check=True)


def contenders(swathe):
    for task, own, other in TASKS:
        yield (task, "swathe"), [swathe, "apply", own, "-", "-", "--quiet"]
        yield (task, "ffmpeg"), ["ffmpeg", "-v", "error", "-nostdin", "-f", "yuv4mpegpipe", "-i", "-",
                                 "-vf", other, "-strict", "-1", "-f", "yuv4mpegpipe", "-"]


def run(words, path):
    """Returns seconds of wall time, and of CPU time of the program alone."""
    with open(path, "rb") as source:
        start = time.monotonic()
        program = subprocess.Popen(words, stdin=source, stdout=subprocess.PIPE)
        sink = subprocess.Popen(["cat"], stdin=program.stdout, stdout=subprocess.DEVNULL)
        program.stdout.close()
        _, status, used = os.wait4(program.pid, 0)
        sink.wait()
    program.returncode = os.waitstatus_to_exitcode(status)
    if program.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit code {program.returncode}")
    return time.monotonic() - start, used.ru_utime + used.ru_stime


def measure(swathe, path, rounds):
    found = {}
    for _ in range(rounds):
        order = list(contenders(swathe))
        random.shuffle(order)
        for name, words in order:
            found.setdefault(name, []).append(run(words, path))
    return found


def report(title, found, frames):
    print(f"\n{title}\n\n| task | swathe, frames/s: best, median | ffmpeg: best, median "
          "| CPU ms per frame: swathe | ffmpeg |\n|---|---|---|---|---|")
    for task, _, _ in TASKS:
        rates, costs = [], []
        for who in ("swathe", "ffmpeg"):
            runs = found[task, who]
            rates.append(f"{frames / min(wall for wall, _ in runs):.0f}, "
                         f"{frames / statistics.median(wall for wall, _ in runs):.0f}")
            costs.append(f"{1000 * min(cpu for _, cpu in runs) / frames:.1f}")
        print(f"| {task} | {' | '.join(rates + costs)} |")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("swathe", type=os.path.abspath, help="the swathe command")
    parser.add_argument("--frames", type=int, default=120, help="of each video; default 120")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each contender; default 7")
    parser.add_argument("--size", default="1920x1080", help="default 1920x1080")
    parser.add_argument("--directory", default="/dev/shm", help="for the videos; default /dev/shm")
    return parser.parse_args()


def main():
    asked = parse()
    print(f"{asked.size}, {asked.frames} frames, {asked.rounds} rounds, load "
          f"{os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} CPUs")
    with tempfile.TemporaryDirectory(prefix="swathe-video-", dir=asked.directory) as folder:
        path = os.path.join(folder, "in.y4m")
        for title, pixels in FORMATS.items():
            make_video(path, asked.size, asked.frames, pixels)
            report(f"{title} ({pixels})", measure(asked.swathe, path, asked.rounds), asked.frames)
    print(f"\nload at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
