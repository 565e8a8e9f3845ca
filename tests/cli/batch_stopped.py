#!/usr/bin/env python3
"""Stops a batch in the middle, resumes it, and checks its progress line on a terminal."""
import os
import pty
import re
import signal
import subprocess
import sys
import time

IMAGES = 400


def make_images():
    """Writes images that are large enough for the batch to take a while on any machine."""
    header = b"P6\n300 300\n255\n"
    with open("list.txt", "w", encoding="ascii") as names:
        for i in range(IMAGES):
            with open(f"in/big{i}.ppm", "wb") as file:
                file.write(header + bytes([i % 256]) * (300 * 300 * 3))
            names.write(f"in/big{i}.ppm\n")


def results(folder):
    names = os.listdir(folder)
    return sum(name.endswith(".ppm") for name in names), [name for name in names
                                                         if name.startswith(".swathe-")]


def call(swathe, folder, *options):
    return [swathe, "batch", "gaussian:sigma=8", "--from", "list.txt", "--out", folder,
            "--threads", "1", *options]


def without_numbers(text):
    return re.sub(r"\d[\d.]*", "N", text)


def stop(swathe, number, folder):
    run = subprocess.Popen(call(swathe, folder), stderr=subprocess.PIPE, text=True)
    while not os.path.isdir(folder) or results(folder)[0] < 5:
        time.sleep(0.005)
    run.send_signal(number)
    _, said = run.communicate()
    count, hidden = results(folder)
    print(f"exit {run.returncode}, some are missing: {count < IMAGES}, hidden: {hidden}")
    print(without_numbers(said), end="")
    run = subprocess.run(call(swathe, folder, "--resume"), stderr=subprocess.PIPE, text=True)
    done = re.search(r"(\d+) done before, (\d+) done", run.stderr)
    print(f"resumed: exit {run.returncode}, all results: {results(folder)[0] == IMAGES},",
          "nothing twice:", int(done.group(1)) == count)


def stop_without_journal(swathe):
    """Stops a batch that --resume cannot continue, and prints its advice."""
    run = subprocess.Popen(call(swathe, "unrecorded", "--journal", "/dev/null", "--quiet"),
                           stderr=subprocess.PIPE, text=True)
    while not os.path.isdir("unrecorded") or results("unrecorded")[0] < 5:
        time.sleep(0.005)
    run.send_signal(signal.SIGINT)
    print(run.communicate()[1], end="")


def terminal(swathe):
    """Checks the progress line as a terminal shows it; it must be erased at the end."""
    ours, side = pty.openpty()
    run = subprocess.Popen(call(swathe, "shown", "--progress"), stderr=side)
    os.close(side)
    text = b""
    try:
        while chunk := os.read(ours, 65536):
            text += chunk
    except OSError: # the other side was closed
        pass
    shown = re.findall(r"\d+ of 400  \d+ %  [\d.]+/s", text.decode())
    last = re.sub(r".*\r(?!\n)", "", text.decode().rstrip())
    print(f"exit {run.wait()}, line shown: {bool(shown)}, last:", without_numbers(last))
    os.close(ours)


make_images()
stop(sys.argv[1], signal.SIGINT, "first")
stop(sys.argv[1], signal.SIGTERM, "second")
stop_without_journal(sys.argv[1])
terminal(sys.argv[1])
