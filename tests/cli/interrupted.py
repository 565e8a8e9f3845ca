#!/usr/bin/env python3
"""Stops the command in the middle of a run and prints how it ended."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from processes import catches

SOON = 5  # seconds: far longer than a run takes, far shorter than the timeout
HEADER = b"P6\n300 400\n255\n"
PIXELS = bytes(300 * 400 * 3)


def wait_until_caught(run):
    try:
        for _ in range(1000):
            if catches(run.pid, signal.SIGTERM):
                break
            time.sleep(0.01)
    except OSError:  # without /proc
        time.sleep(0.5)


def start(swathe):
    run = subprocess.Popen([swathe, "apply", "sharpen,gaussian:5", "-", "out.ppm", "--overwrite",
                            "--threads", "1", "--cell-rows", "8"], stdin=subprocess.PIPE)
    run.stdin.write(HEADER + PIXELS[:len(PIXELS) // 2])
    run.stdin.flush()
    wait_until_caught(run)
    return run


def stop_politely(swathe, number):
    run = start(swathe)
    run.send_signal(number)
    time.sleep(0.1)
    try:
        run.stdin.write(PIXELS[len(PIXELS) // 2:])
        run.stdin.close()
    except BrokenPipeError:
        pass
    return run.wait()


def wait(run):
    try:
        return run.wait(SOON)
    except subprocess.TimeoutExpired:
        run.kill()
        run.wait()
        return "does not end"


def ends(run, number):
    """Returns the exit code after one signal during a long operation."""
    time.sleep(0.3)
    run.send_signal(number)
    return wait(run)


def stop_waiting(swathe):
    """Stops the command during blocking system calls, where one signal must suffice."""
    with open("in.ppm", "wb") as file:
        file.write(HEADER + PIXELS)
    os.mkfifo("fifo.ppm")
    calls = [("a pipe without bytes", start),
             ("a pipe without a reader", ["apply", "sharpen", "in.ppm", "-", "--format", "pnm"]),
             ("a FIFO without a reader", ["apply", "sharpen", "in.ppm", "fifo.ppm"]),
             ("a FIFO without a writer", ["batch", "sharpen", "fifo.ppm", "--out", "results",
                                            "--quiet"])]
    for what, call in calls:
        for number in (signal.SIGINT, signal.SIGTERM):
            run = call(swathe) if callable(call) else subprocess.Popen(
                [swathe] + call, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            wait_until_caught(run)
            print(f"{what}, {number.name}:", ends(run, number))
            shutil.rmtree("results", ignore_errors=True)
    os.remove("fifo.ppm")


def wait_until_blocked(run):
    """Waits until the process sleeps and needs no time of a CPU, however busy the machine is."""
    before = None
    for _ in range(200):
        with open(f"/proc/{run.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        state = fields[0], fields[11], fields[12]  # with the times in user mode and in the system
        if state == before and state[0] == "S":
            return
        before = state
        time.sleep(0.3)


def start_unread(swathe, number, *words):
    """Starts a run, waits until it blocks on writing its progress to a full pipe, and sends a
    signal. Returns the run and the other end of the pipe."""
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    try:
        while os.write(theirs, b"\n" * 4096):
            pass
    except BlockingIOError:
        os.set_blocking(theirs, True)
    run = subprocess.Popen([swathe, *words, "--threads", "1", f"--progress=json:{theirs}"],
                           pass_fds=[theirs], stderr=subprocess.DEVNULL)
    os.close(theirs)
    wait_until_caught(run)
    wait_until_blocked(run)
    run.send_signal(number)
    return run, ours


def stop_unread(swathe):
    """A line that is read late is not lost, and one that is never read does not block the exit."""
    apply = ["apply", "sharpen", "in.ppm", "unread.ppm"]
    batch = ["batch", "sharpen", "in.ppm", "--out", "results"]
    run, ours = start_unread(swathe, signal.SIGINT, *apply)
    time.sleep(0.3)
    with open(ours, encoding="ascii") as lines:
        events = [json.loads(line) for line in lines if line.strip()]
    print("progress is read late:", run.wait(SOON), [event["event"] for event in events])
    for words in (apply, batch):
        run, ours = start_unread(swathe, signal.SIGTERM, *words)
        print(f"{words[0]}, progress is not read:", wait(run))
        os.close(ours)
    shutil.rmtree("results", ignore_errors=True)


def stop_encoding(swathe):
    """Stops the command while it encodes noise as lossless WebP, which takes seconds."""
    noise = os.urandom(3 * 1500 * 2000)
    with open("noise.ppm", "wb") as file:
        file.write(b"P6\n1500 2000\n255\n" + noise)
    run = subprocess.Popen([swathe, "apply", "identity", "noise.ppm", "out.webp", "--quality",
                            "lossless", "--max-memory", "1G"])
    wait_until_caught(run)
    code = ends(run, signal.SIGINT)
    return code == -signal.SIGINT and not os.path.exists("out.webp")


def main(swathe):
    print("SIGINT:", stop_politely(swathe, signal.SIGINT))
    print("SIGTERM:", stop_politely(swathe, signal.SIGTERM))
    print("output:", os.path.exists("out.ppm"))
    with open("out.ppm", "w", encoding="ascii") as old:
        old.write("old")
    print("SIGINT:", stop_politely(swathe, signal.SIGINT))
    with open("out.ppm", encoding="ascii") as old:
        print("output:", old.read())
    stop_waiting(swathe)
    stop_unread(swathe)
    with open("out.ppm", encoding="ascii") as old:
        print("output:", old.read())


if sys.argv[2:] == ["webp"]:
    print("encoding ends:", stop_encoding(sys.argv[1]))
else:
    main(sys.argv[1])
