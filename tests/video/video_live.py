#!/usr/bin/env python3
"""Videos whose other end is slow: frames must not wait for later ones, and signals must end a run.
A terminal shows progress.

    video_live.py SWATHE
"""
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT = 64, 48
HEADER = f"YUV4MPEG2 W{WIDTH} H{HEIGHT} Cmono\n".encode()
FRAME = b"FRAME\n" + bytes(i % 251 for i in range(WIDTH * HEIGHT))
PATIENCE = 20  # seconds; a run that waits for something else never ends


class Live:
    """A run whose input stays open."""

    def __init__(self, swathe, *options, out="-", frames=2):
        self.process = subprocess.Popen([swathe, "apply", "identity", "-", out, "--threads", "3",
                                         *options],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.process.stdin.write(HEADER + frames * FRAME)
        self.process.stdin.flush()

    def end(self):
        """Returns the exit code and the message; the input stays open until then."""
        code = self.process.wait(PATIENCE)
        text = self.process.stderr.read().decode()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass
        return code, text


def check(good, what):
    print(f"{'ok' if good else 'NOT OK'}: {what}")
    return not good


def arrives_at_once(swathe):
    live = Live(swathe)
    got = live.process.stdout.read(len(HEADER) + 2 * len(FRAME))
    live.process.stdin.write(FRAME)
    live.process.stdin.close()
    got += live.process.stdout.read()
    return check(live.end() == (0, "") and got == HEADER + 3 * FRAME, "frames arrive before the next")


def interrupted_waiting(swathe, folder):
    out = os.path.join(folder, "out.y4m")
    live = Live(swathe, "--progress", out=out)
    line = live.process.stderr.readline()  # it has started
    live.process.send_signal(signal.SIGINT)
    code, _ = live.end()
    return check(b"frame" in line and code == -signal.SIGINT and not os.listdir(folder),
                 "Ctrl-C while the input waits")


def interrupted_full(swathe):
    live = Live(swathe, frames=35)  # more than the output holds, less than both pipes
    time.sleep(0.5)
    live.process.send_signal(signal.SIGTERM)
    return check(live.end() == (-signal.SIGTERM, ""), "SIGTERM while the output is full")


def closed_waiting(swathe):
    live = Live(swathe)
    live.process.stdout.read(len(HEADER) + 2 * len(FRAME))
    live.process.stdout.close()
    live.process.stdin.write(2 * FRAME)
    live.process.stdin.flush()
    return check(live.end() == (5, ""), "the reader ends while the input waits")


def unblocked(swathe):
    """Standard input that does not block is waited for, with a video and with an image."""
    codes = []
    for data, more in ((HEADER + FRAME, ()), (b"P5 64 48 255\n" + FRAME[6:], ("--format", "pnm"))):
        from_us, to_it = os.pipe()
        os.set_blocking(from_us, False)
        with subprocess.Popen([swathe, "apply", "identity", "-", "-", *more], stdin=from_us,
                              stdout=subprocess.PIPE) as process:
            os.close(from_us)
            time.sleep(0.3)
            for at in (0, 5, 1000):
                os.write(to_it, data[at:{0: 5, 5: 1000, 1000: len(data)}[at]])
                time.sleep(0.1)
            os.close(to_it)
            codes.append((process.stdout.read() == data or bool(more), process.wait(PATIENCE)))
    return check(codes == [(True, 0)] * 2, f"input that does not block: {codes}")


def shows_frames(swathe):
    """A terminal as standard error shows the number of frames, and nothing is left of it at the end."""
    ours, terminal = pty.openpty()
    process = subprocess.Popen([swathe, "apply", "identity", "-", "-", "--progress"], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    process.communicate(HEADER + 3 * FRAME, PATIENCE)
    shown = b""
    try:
        while more := os.read(ours, 4096):
            shown += more
    except OSError:  # the end of a terminal
        pass
    os.close(ours)
    lines = [line.strip() for line in shown.decode().split("\r")]
    return check(process.returncode == 0 and any(re.fullmatch(r"[123] frames?  [\d.]+/s", line) for line in lines)
                 and lines[-1] == "", "frames on a terminal")


def main(swathe):
    with tempfile.TemporaryDirectory(prefix="swathe-live-") as folder:
        failed = [arrives_at_once(swathe), interrupted_waiting(swathe, folder), interrupted_full(swathe),
                  closed_waiting(swathe), unblocked(swathe), shows_frames(swathe)]
    return 1 if any(failed) else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1])))
