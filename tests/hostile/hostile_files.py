#!/usr/bin/env python3
"""Runs the command on files that claim more than they contain, and measures time and memory.

    hostile_files.py SWATHE [DIRECTORY] [--milliseconds N] [--slack N] [--mebibytes N] [--only NAME]

The files are those of DIRECTORY, if it exists, and those of bombs.py. With default limits each must
be refused or read within 100 ms of CPU time and 64 MiB of resident memory. --slack multiplies the
time limit on slow machines; memory has no slack. Exit code 0 is a failure for a file that lacks
samples. No run may be ended by a signal, fail without a message, or leave a file after an error.
"""
import argparse
import collections
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

import bombs

TIMEOUT = 10  # seconds
LARGEST_FILE = 64 << 20
Cost = collections.namedtuple("Cost", "code wall cpu memory text")


def limit_files():
    """Limits the size of files in the new process, as on a nearly full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))


def measure(words, folder, stdin=subprocess.DEVNULL):
    start = time.monotonic()
    environment = {**os.environ, "SWATHE_WISDOM": "off", "TMPDIR": folder}
    environment.pop("MALLOC_PERTURB_", None)  # it would touch memory that is only reserved
    with tempfile.TemporaryFile() as message:
        child = subprocess.Popen(words, cwd=folder, stdin=stdin, stdout=subprocess.DEVNULL,
                                 stderr=message, env=environment, preexec_fn=limit_files)
        timer = threading.Timer(TIMEOUT, child.kill)
        timer.start()
        _, status, used = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        message.seek(0)
        text = message.read().decode("utf-8", "replace").strip().replace("\n", " ")
    return Cost(child.returncode, 1000 * (time.monotonic() - start),
                1000 * (used.ru_utime + used.ru_stime), used.ru_maxrss / 1024, text)


# ---- What is run ------------------------------------------------------------------------------------

class Case:
    """`arguments` for the command; `whole`: exit code 0 is correct; None: it is allowed."""

    def __init__(self, name, arguments, whole, stdin=None):
        self.name = name
        self.arguments = arguments
        self.whole = whole
        self.stdin = stdin


def of_file(path, name, whole, outputs):
    yield Case(f"info {name}", ["info", path], None)
    yield Case(f"batch of {name}", ["batch", "identity", path, "--out", "out"], whole)
    for output in outputs:
        yield Case(f"{name} to {output}", ["apply", "identity", path, f"out.{output}"], whole)


def of_folder(folder, outputs):
    """Yields cases for third-party files; some are complete images with unusual directories."""
    whole = {"tif_exifloop.tif", "tif_icc2g.tif", "tif_loop.tif", "tif_subifdloop.tif"}
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".md"):
            yield from of_file(os.path.join(folder, name), name, None if name in whole else False,
                               outputs)


def of_bombs(folder, outputs):
    """Yields cases for generated files. Another process generates them, because the memory of this
    process would count for the processes that it starts."""
    os.mkdir(folder)
    maker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bombs.py")
    subprocess.run([sys.executable, maker, folder], check=True)
    for name in sorted(os.listdir(folder)):
        yield from of_file(os.path.join(folder, name), name, None if name in bombs.READABLE else False,
                           outputs)


def of_commands():
    yield Case("mask of /dev/zero", ["explain", "mask:@/dev/zero", "9x9"], False)
    yield Case("mask of an endless pipe", ["explain", "mask:@/dev/stdin", "9x9"], False, "yes 1")
    yield Case("mask of one endless row", ["explain", "mask:@/dev/stdin", "9x9"], False, "yes 1 | tr '\\n' ' '")
    yield Case("mask of an endless comment", ["explain", "mask:@/dev/stdin", "9x9"], False, "yes '# 1'")
    yield Case("256 large stages", ["explain", ",".join(["disk:100"] * 256), "90x90"], None)
    yield Case("many stages", ["explain", ",".join(["sharpen"] * 15000), "90x90"], False)
    yield Case("a large mask", ["explain", "mask:(" + "1 " * 60000 + ")", "90x90"], None)
    yield Case("a deep chain", ["explain", "mask:" + "(" * 100000, "90x90"], False)
    yield Case("a large shape", ["explain", "disk:100", "9000000000x9000000000x4:f32"], None)
    yield Case("endless tiff on a pipe", ["info", "-"], False,
               "{ printf 'II*\\0\\010\\0\\0\\200'; cat /dev/zero; }")
    yield Case("endless zeros on a pipe", ["info", "-"], False, "cat /dev/zero")
    yield Case("a long pnm comment on a pipe", ["info", "-"], False,
               "{ printf 'P5\\n#'; head -c 20000000 /dev/zero; }")
    video = ["apply", "gaussian:5", "-", "-"]
    yield Case("a video without an end of line", video, False, "{ printf 'YUV4MPEG2 W4 H4 X'; yes x | tr -d '\\n'; }")
    yield Case("a video of endless parameters", video, False, "{ printf YUV4MPEG2; yes ' X' | tr -d '\\n'; }")
    yield Case("a frame of 2^60 pixels", video, False, "printf 'YUV4MPEG2 W1073741824 H1073741824\\nFRAME\\nabc'")
    yield Case("a frame of 2^28 pixels", video, False, "printf 'YUV4MPEG2 W16384 H16384 C444p16\\nFRAME\\nabc'")
    yield Case("a row of 2^28 pixels", video, False, "printf 'YUV4MPEG2 W268435456 H1\\nFRAME\\nabc'")
    yield Case("a column of 2^28 pixels", video, False, "printf 'YUV4MPEG2 W1 H268435456\\nFRAME\\nabc'")
    yield Case("a frame without an end of line", video, False,
               "{ printf 'YUV4MPEG2 W4 H4\\nFRAME X'; yes x | tr -d '\\n'; }")
    yield Case("a list of zeros", ["batch", "sharpen", "--from", "/dev/zero", "--out", "out"], False)


def all_cases(asked, folder):
    text = subprocess.run([asked.swathe, "formats", "--json"], capture_output=True).stdout or "[]"
    formats = {row["name"] for row in json.loads(text) if row["available"]}
    outputs = [end for end, name in (("png", "png"), ("tif", "tiff")) if name in formats] or ["ppm"]
    if asked.folder and os.path.isdir(asked.folder):
        yield from of_folder(os.path.abspath(asked.folder), outputs)
    else:
        print("skipped: hostile files beside the project (no such directory)")
    yield from of_bombs(os.path.join(folder, "bombs"), outputs)
    yield from of_commands()


# ---- Judging ----------------------------------------------------------------------------------------

def judge(case, cost, asked, left):
    """Returns the problem, or None."""
    if cost.memory > asked.mebibytes:
        return f"memory: {cost.memory:.0f} MiB, limit {asked.mebibytes}"
    if cost.cpu > asked.milliseconds * asked.slack:
        return f"time: {cost.cpu:.0f} ms of CPU, limit {asked.milliseconds * asked.slack:.0f}"
    if cost.code < 0:
        return f"signal: {signal.Signals(-cost.code).name}"
    if cost.code == 0:
        return "exit code 0, but the file lacks samples" if case.whole is False else None
    says = bombs.SAYS.get(case.name.split()[0])
    if says and says not in cost.text:
        return f"the message does not contain '{says}'"
    if left:
        return f"file left over: {left[0]}"
    return None if cost.text else f"no message with exit code {cost.code}"


def run_case(case, asked, root):
    with tempfile.TemporaryDirectory(dir=root) as folder:
        words = [asked.swathe, *case.arguments]
        if case.stdin:
            with subprocess.Popen(["sh", "-c", f"exec 2> /dev/null; {case.stdin}"],
                                  stdout=subprocess.PIPE) as source:
                cost = measure(words, folder, source.stdout)
                source.stdout.close()
                source.kill()
        else:
            cost = measure(words, folder)
        left = [name for name in os.listdir(folder) if name != "out"]  # of a batch
        return cost, judge(case, cost, asked, left)


def main():
    asked = parse()
    failed, slow = [], 0
    with tempfile.TemporaryDirectory(prefix="swathe-hostile-") as root:
        print(f"{'':36}{'exit':>5}{'ms':>8}{'CPU ms':>8}{'MiB':>7}")
        for case in all_cases(asked, root):
            if asked.only and asked.only not in case.name:
                continue
            cost, wrong = run_case(case, asked, root)
            slow += cost.cpu > asked.milliseconds
            print(f"{case.name:36}{cost.code:5}{cost.wall:8.0f}{cost.cpu:8.0f}{cost.memory:7.0f}"
                  f"  {cost.text.replace(root, '')[:90]}", flush=True)
            if wrong:
                failed.append(f"FAILED {case.name}: {wrong}\n  {cost.text[:200]}")
    print("\n".join(failed))
    print(f"{len(failed)} failed; {slow} took more than {asked.milliseconds} ms of CPU time")
    return 1 if failed else 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("swathe", type=os.path.abspath, help="the swathe command")
    parser.add_argument("folder", nargs="?", metavar="directory", help="with further files")
    parser.add_argument("--milliseconds", type=float, default=100, metavar="N",
                        help="limit of CPU time; default 100")
    parser.add_argument("--slack", type=float, default=5, metavar="N",
                        help="factor of the time limit; default 5")
    parser.add_argument("--mebibytes", type=float, default=64, metavar="N",
                        help="limit of resident memory; default 64")
    parser.add_argument("--only", metavar="NAME", help="run cases whose name contains this")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
