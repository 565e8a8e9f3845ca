#!/usr/bin/env python3
"""Checks that every file system with results is synced, and no other.

    sync_volumes.py SWATHE SHIM

SHIM (sync_log.c) makes directories called "mounted" appear to be mount points.
"""
import os
import subprocess
import sys
import tempfile

IMAGE = b"P5\n8 8\n255\n" + bytes(range(64))


def synced(swathe, shim, names):
    """Returns the directories below --out for which a batch with these images called syncfs."""
    with tempfile.TemporaryDirectory(prefix="swathe-sync-") as folder:
        folder = os.path.realpath(folder)
        images = [os.path.join(folder, "in", name) for name in names]
        for image in images:
            os.makedirs(os.path.dirname(image), exist_ok=True)
            with open(image, "wb") as file:
                file.write(IMAGE)
        log, out = os.path.join(folder, "log"), os.path.join(folder, "out")
        environment = dict(os.environ, LD_PRELOAD=shim, SYNC_LOG=log)
        subprocess.run([swathe, "batch", "sharpen", *images, "--base", os.path.join(folder, "in"),
                        "--out", out, "--quiet", "--threads", "1"], env=environment, check=True)
        with open(log) as file:
            return sorted(os.path.relpath(line.rstrip("\n"), out) for line in file)


def main(swathe, shim):
    cases = {("1.pgm",): ["."],
             ("1.pgm", "a/2.pgm", "a/b/3.pgm"): ["."],
             ("1.pgm", "mounted/2.pgm", "mounted/3.pgm"): [".", "mounted"],
             ("mounted/2.pgm",): ["mounted"]}
    bad = 0
    for names, wanted in cases.items():
        got = synced(swathe, shim, names)
        print("ok" if got == wanted else "NOT OK", *names, "synced:", *got, "wanted:", *wanted)
        bad += got != wanted
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
