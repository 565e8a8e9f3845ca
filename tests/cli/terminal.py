#!/usr/bin/env python3
"""Runs the command with a pseudo-terminal as standard error and prints what it showed."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
import time

ROWS, COLUMNS = 400, 300


def header():
    return f"P6\n{COLUMNS} {ROWS}\n255\n".encode()


def feed(pipe, pause):
    """Writes the image to a pipe, with a pause after three quarters."""
    pixels = bytes(range(250)) * (COLUMNS * ROWS * 3 // 250)
    cut = len(pixels) * 3 // 4
    pipe.write(header() + pixels[:cut])
    pipe.flush()
    time.sleep(pause)
    pipe.write(pixels[cut:])
    pipe.close()


def drain(terminal, chunks):
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            return
        if not chunk:
            return
        chunks.append(chunk)


def shown(swathe, width, pause, *options):
    """Returns the output on a terminal of that width."""
    terminal, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    run = subprocess.Popen([swathe, "apply", "sharpen", "-", "out.ppm", "--overwrite",
                            "--threads", "1", "--cell-rows", "8", *options],
                           stdin=subprocess.PIPE, stderr=side)
    os.close(side)
    chunks = []
    reader = threading.Thread(target=drain, args=(terminal, chunks))
    reader.start()
    feed(run.stdin, pause)
    code = run.wait()
    reader.join()
    os.close(terminal)
    return code, b"".join(chunks).decode()


def screen(text):
    """Returns the last line of a terminal after the text."""
    line = []
    at = 0
    for character in text.replace("\r\n", "\n"):
        if character == "\r":
            at = 0
        else:
            line[at:at + 1] = character
            at += 1
    return "".join(line).rstrip()


def main(swathe):
    code, text = shown(swathe, 80, 0, "--no-progress")
    print("fast or not requested:", code, repr(text))
    code, text = shown(swathe, 80, 1)
    print("slow:", code, "bar" if "standard input [" in text and " %" in text else repr(text))
    print("fits:", all(len(part) < 80 for part in text.split("\r")))
    print("afterwards:", repr(screen(text)))
    code, text = shown(swathe, 20, 1)
    print("narrow:", code, "percent" if " %" in text and "[" not in text else repr(text))
    print("fits:", all(len(part) < 20 for part in text.split("\r")))
    print("afterwards:", repr(screen(text)))
    code, text = shown(swathe, 80, 1, "--quiet")
    print("quiet:", code, repr(text))
    code, text = shown(swathe, 80, 0, "--progress")
    print("requested:", code, "bar" if "[" in text else repr(text))


main(sys.argv[1])
