#!/usr/bin/env python3
"""Stops the command in the middle of a run and says how it ended."""
import os
import signal
import subprocess
import sys
import time

HEADER = b"P6\n300 400\n255\n"
PIXELS = bytes(300 * 400 * 3)


def catches(pid, number):
    """Has the process a handler for the signal? Always, where there is no /proc to tell."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            caught = next(line for line in status if line.startswith("SigCgt:"))
    except OSError:
        time.sleep(0.5)
        return True
    return int(caught.split()[1], 16) >> (number - 1) & 1


def start(swathe):
    run = subprocess.Popen([swathe, "apply", "sharpen,gaussian:5", "-", "out.ppm", "--overwrite",
                            "--threads", "1", "--band-rows", "8"], stdin=subprocess.PIPE)
    run.stdin.write(HEADER + PIXELS[:len(PIXELS) // 2])
    run.stdin.flush()
    for _ in range(1000):
        if catches(run.pid, signal.SIGTERM):
            break
        time.sleep(0.01)
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


def stop_twice(swathe):
    """Waiting for input it cannot answer the first signal, so the second has to kill it."""
    run = start(swathe)
    time.sleep(0.3)
    run.send_signal(signal.SIGINT)
    time.sleep(0.1)
    run.send_signal(signal.SIGINT)
    return run.wait() in (-signal.SIGINT, 130)


def main(swathe):
    print("SIGINT:", stop_politely(swathe, signal.SIGINT))
    print("SIGTERM:", stop_politely(swathe, signal.SIGTERM))
    print("output:", os.path.exists("out.ppm"))
    with open("out.ppm", "w", encoding="ascii") as old:
        old.write("old")
    print("SIGINT:", stop_politely(swathe, signal.SIGINT))
    print("SIGINT twice:", stop_twice(swathe))
    with open("out.ppm", encoding="ascii") as old:
        print("output:", old.read())


main(sys.argv[1])
