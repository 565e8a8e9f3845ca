#!/usr/bin/env python3
"""Compares a batch of JPEGs with a bare loop of libjpeg's decoder and encoder.

    compare_loops.py BUILD DIRECTORY [IMAGES [ROUNDS [CHAIN...]]]

The images are written to DIRECTORY and reused next time. Both programs run interleaved. The output
has images per second of wall-clock time and of CPU time of all threads, best and median of the
rounds, and the ratios of the batch to the bare loop. CPU time is more reliable if other programs
run, and the best of many short rounds is more reliable than the best of a few long ones. Results
are removed at the end, because file systems reuse freshly removed space slowly.
"""
import os
import resource
import shutil
import subprocess
import sys
import time


def timed(command, names):
    """Returns wall-clock time and CPU time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    with open(names, encoding="utf-8") as file:
        subprocess.run(command, stdin=file, check=True, stderr=subprocess.DEVNULL)
    clock = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def make_images(build, folder, count):
    images = os.path.join(folder, f"images-{count}")
    names = images + ".txt"
    if not os.path.exists(names):
        os.makedirs(images, exist_ok=True)
        subprocess.run([os.path.join(build, "tests/batch/make_images"), images, str(count)],
                       check=True)
        with open(names, "w", encoding="utf-8") as file:
            file.writelines(os.path.join(images, name) + "\n" for name in sorted(os.listdir(images)))
    return names


def show(chain, threads, count, bare, batch):
    print(f"{chain}, {threads} thread{'s' * (threads > 1)}:")
    for which, what in enumerate(("clock", "CPU")):
        a, b = sorted(t[which] for t in bare), sorted(t[which] for t in batch)
        middle = len(a) // 2
        print(f"  {what:5}  bare {count / a[0]:6.0f}/s best {count / a[middle]:6.0f}/s median"
              f"  batch {count / b[0]:6.0f}/s best {count / b[middle]:6.0f}/s median"
              f"  ratio {a[0] / b[0]:.3f} best {a[middle] / b[middle]:.3f} median", flush=True)


def rounds_of(build, names, out, rounds, chain, threads):
    bare, batch = [], []
    for i in range(rounds):
        to = os.path.join(out, f"{chain}-{threads}-{i}-")
        os.makedirs(to + "bare")
        bare.append(timed([os.path.join(build, "tests/batch/bare_loop"), to + "bare",
                           str(threads)], names))
        batch.append(timed([os.path.join(build, "cli/swathe"), "batch", chain, "--from", "-",
                            "--out", to + "batch", "--threads", str(threads)], names))
    return bare, batch


def main(build, folder, count=500, rounds=20, *chains):
    names = make_images(build, folder, int(count))
    out = os.path.join(folder, f"results-{os.getpid()}")
    for chain in chains or ("identity", "sharpen"):
        for threads in (1, 2):
            show(chain, threads, int(count),
                 *rounds_of(build, names, out, int(rounds), chain, threads))
    shutil.rmtree(out)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
