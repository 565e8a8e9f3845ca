#!/usr/bin/env python3
"""Runs the command on damaged videos.

    video_mangle.py SWATHE [COUNT [SEED]]

Random bytes of small videos are changed, removed or repeated, mostly in their lines. No run may be
ended by a signal or hang. A run that succeeds writes lines and frames of the same size as its
input. One that fails prints one message, has an exit code for bad input, a limit or something
unsupported, and leaves no file.
"""
import os
import random
import subprocess
import sys
import tempfile

import y4m_file

PIECES = (b"FRAME\n", b"\n", b" ", b"W", b"H9", b"C444p16", b"It", b"99999999999", b"\0", b"\xff", b"YUV4MPEG2 ")
CODES = {3, 4, 7}


def mangle(rng, data):
    data = bytearray(data)
    head = data.index(b"\n") + 8
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(head if rng.random() < 0.6 and len(data) > head else max(1, len(data)))
        way = rng.randrange(4)
        if way == 0:
            data[at:at + 1] = bytes([rng.randrange(256)])
        elif way == 1:
            data[at:at + rng.randint(1, 9)] = b""
        elif way == 2:
            data[at:at] = rng.choice(PIECES)
        else:
            del data[at:]
    return bytes(data)


def judge(done, data, result):
    """Returns what is wrong, or None; `result` is None if there is no file."""
    text = done.stderr.decode("utf-8", "replace")
    if done.returncode == 0:
        return None if len(result or b"") == len(data) else "the size has changed"
    if not data.startswith(b"YUV4MPEG2"):
        return None if done.returncode > 0 else "ended by a signal"
    if done.returncode not in CODES:
        return f"exit code {done.returncode}"
    if result is not None:
        return "left a file"
    return None if text.startswith("swathe: ") and text.count("\n") == 1 else f"message {text!r}"


def run(swathe, data, folder, to_file):
    """Returns the finished process, and the bytes of the file or, after success, of the pipe."""
    out = os.path.join(folder, "out.y4m")
    done = subprocess.run([swathe, "apply", "sharpen", "-", out if to_file else "-", "--quiet",
                           "--max-memory", "64M"], input=data, capture_output=True, timeout=60,
                          check=False)
    if not to_file:
        return done, done.stdout if done.returncode == 0 else None
    if not os.path.exists(out):
        return done, None
    with open(out, "rb") as file:
        result = file.read()
    os.remove(out)
    return done, result


def main(arguments):
    swathe = os.path.abspath(arguments[0])
    count = int(arguments[1]) if len(arguments) > 1 else 300
    seed = int(arguments[2]) if len(arguments) > 2 else 1
    failed = accepted = 0
    with tempfile.TemporaryDirectory(prefix="swathe-mangle-") as folder:
        for i in range(count):
            rng = random.Random(seed * 1000003 + i)
            kind = rng.choice(list(y4m_file.KINDS))
            video = y4m_file.random_video(i, kind, rng.randint(1, 9), rng.randint(1, 9), 3)
            data = mangle(rng, video.encode())
            done, result = run(swathe, data, folder, i % 2)
            wrong = judge(done, data, result)
            accepted += done.returncode == 0
            if wrong:
                failed += 1
                print(f"FAILED {i}: {wrong}: {data[:120]!r}")
    print(f"{count} damaged videos, {accepted} still valid, {failed} failed")
    return 1 if failed or accepted in (0, count) else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
