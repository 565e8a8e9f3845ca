#!/usr/bin/env python3
"""Kills a batch with SIGKILL repeatedly, resumes it each time, and checks the results.

    kill_resume.py BUILD [IMAGES [KILLS [THREADS [SWATHE [WIDTH HEIGHT]]]]]

The output directory contains other files with the names of the results from the start, so that a
missing result is not mistaken for a finished one. At the end every result must have the bytes of an
uninterrupted run, and each kill may have caused at most THREADS images to be processed twice.
"""
import filecmp
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CHAIN = "sharpen"


class Batch:
    """The images, their list, and the command line."""

    def __init__(self, root, build, images, threads, swathe, size):
        self.inputs = os.path.join(root, "in")
        self.good = os.path.join(root, "good")
        self.out = os.path.join(root, "out")
        self.journal = os.path.join(root, "journal")
        self.names = os.path.join(root, "names.txt")
        self.threads = threads
        self.swathe = swathe
        os.mkdir(self.inputs)
        subprocess.run([os.path.join(build, "tests/batch/make_images"), self.inputs, str(images),
                        *size], check=True)
        with open(self.names, "w", encoding="utf-8") as file:
            file.writelines(f"{self.inputs}/{name}\n" for name in sorted(os.listdir(self.inputs)))

    def start(self, out, *options):
        return subprocess.Popen([self.swathe, "batch", CHAIN, "--from", self.names, "--out", out,
                                 "--journal", self.journal, "--threads", str(self.threads),
                                 "--quiet", *options])

    def state(self):
        """Returns the inode number and time of each result, which change if the file is
        replaced."""
        found = {}
        for entry in os.scandir(self.out):
            info = entry.stat()
            found[entry.name] = (info.st_ino, info.st_mtime_ns)
        return found


def size_of(path):
    return os.path.getsize(path) if os.path.exists(path) else 0


def kill_after(run, journal, growth, pause):
    """Kills the run once the journal has grown by this much. Returns whether it was still
    running."""
    target = size_of(journal) + growth
    while size_of(journal) < target and run.poll() is None:
        time.sleep(0.0005)
    time.sleep(pause)
    run.send_signal(signal.SIGKILL)
    return run.wait() == -signal.SIGKILL


def count_changes(before, after):
    return sum(before.get(name) != what for name, what in after.items())


def disturb(folder, images, kills, draw):
    """Runs and kills the batch repeatedly. Returns the number of results written by all runs, the
    number of kills that came in time, and whether the last run, which is not killed, succeeded."""
    written = hits = 0
    record = 30 + len(folder.inputs) + 2 * len("/000000.jpg")
    options = ["--overwrite"]
    before = folder.state()
    for _ in range(kills):
        growth = draw.randrange(2 * images * record // (kills + 1))
        run = folder.start(folder.out, *options)
        hits += kill_after(run, folder.journal, growth, draw.random() * 0.003)
        after = folder.state()
        written += count_changes(before, after)
        before = after
        options = ["--overwrite", "--resume"]
    ended = folder.start(folder.out, *options).wait() == 0
    return written + count_changes(before, folder.state()), hits, ended


def wrong_results(folder):
    names = os.listdir(folder.good)
    return [name for name in names
            if not os.path.exists(os.path.join(folder.out, name)) or
            not filecmp.cmp(os.path.join(folder.good, name), os.path.join(folder.out, name),
                            shallow=False)]


def done_records(folder):
    with open(folder.journal, "rb") as file:
        return sum(line.split(b"\t")[1] == b"done" for line in file)


def check(folder, images, kills, seed):
    if folder.start(folder.good).wait() != 0:
        print("FAILED: the uninterrupted run failed")
        return 1
    os.remove(folder.journal)
    shutil.copytree(folder.inputs, folder.out)
    written, hits, ended = disturb(folder, images, kills, random.Random(seed))
    wrong = wrong_results(folder)
    allowed = images + hits * folder.threads
    print(f"{images} images, {kills} kills, {hits} of them in time, {folder.threads} threads: "
          f"{written} results written, {allowed} allowed, {done_records(folder)} done records, "
          f"{len(wrong)} wrong results")
    if wrong:
        print(f"FAILED: wrong results: {' '.join(sorted(wrong)[:5])} ...")
    if written > allowed:
        print(f"FAILED: {written - images} images were processed twice, {allowed - images} allowed")
    if not ended:
        print("FAILED: the last run, which was not killed, failed")
    if hits == 0 and not wrong and written <= allowed:  # a bug that was found needs no kill
        print("FAILED: no kill was in time, so nothing was tested; use more images")
    return 1 if wrong or written > allowed or written < images or not ended or not hits else 0


def main(build, images=300, kills=8, threads=2, swathe=None, *size):
    with tempfile.TemporaryDirectory(prefix="swathe-kill-") as root:
        folder = Batch(root, build, int(images), int(threads),
                        swathe or os.path.join(build, "cli/swathe"), size or ("64", "48"))
        return check(folder, int(images), int(kills), 1)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
