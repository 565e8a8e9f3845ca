#!/usr/bin/env python3
"""Runs commands repeatedly, each time with another failing call of the C library, and checks the
outcome.

    fail_every_call.py SHIM SWATHE [--points N [--seed S]] [--command NAME] [--kind KIND]
                       [--how HOW] [--at N [--forever]] [--timeout S] [--directory DIR]

SHIM is the library built from fail_nth_call.c. Each call of each kind fails once, and then together
with all later ones; --points selects an even sample of these. No run may be ended by a signal or
hang. With exit code 0 it must have written the same bytes as a run without failures (WebP: the same
pixels). Otherwise it must print the reason, leave no new file, and leave existing files unchanged;
the exit code is 6 for a failed allocation, 5 for another call. A batch may also exit with 1 if
images failed; resuming it must then complete all results. After a failed sync a complete file may
remain. Short reads and writes are not failures: the run must succeed.

Each failure is printed with a command line that reproduces it; the inputs are then kept in DIR.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

import fault_commands

KINDS = ("memory", "open", "read", "write", "sync", "name", "map", "thread", "stat")
SHORT_KINDS = ("read", "write")
CODES = {"memory": {6}, "map": {5, 6}, "thread": {5, 6}}
PLANTED = ("alter", "leave", "crash", "hang")
# libwebp 1.2.4 frees a table that it could not allocate, so commands that decode lossless WebP may
# crash at a few points. These are counted and printed, but are not failures.
KNOWN = {("lossless webp, 1 thread", "memory", "signal"), ("lossless webp, 2 threads", "memory", "signal")}
VERDICTS = ("signal", "hang", "partial", "wrong", "code", "silent", "left")

Point = collections.namedtuple("Point", "command kind how at forever")
Run = collections.namedtuple("Run", "code stdout stderr files")


class Stage:
    """The directory of all runs, the command, and the library that makes calls fail."""

    def __init__(self, shim, swathe, root, timeout):
        self.shim = os.path.abspath(shim)
        self.swathe = os.path.abspath(swathe)
        self.root = root
        self.timeout = timeout
        self.numbers = itertools.count()

    def folder(self, command):
        """Creates and returns a directory for one run, with the files that the command expects."""
        path = f"{self.root}/run-{next(self.numbers)}"
        if command.folder:
            shutil.copytree(command.folder, path)
        else:
            os.mkdir(path)
        return path

    def settings(self, point):
        return {"LD_PRELOAD": self.shim, "FAIL_KINDS": point.kind, "FAIL_AT": str(point.at),
                "FAIL_HOW": point.how, "FAIL_FOREVER": "1" if point.forever else "0"}

    def start(self, command, arguments, folder, settings):
        """Returns the finished run, or None if it timed out."""
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "SWATHE_WISDOM": "off", **settings}
        stdin = open(f"{self.root}/in/{command.stdin}", "rb") if command.stdin else subprocess.DEVNULL
        try:
            done = subprocess.run([self.swathe, *arguments], cwd=folder, env=environment, stdin=stdin,
                                  capture_output=True, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if command.stdin:
                stdin.close()
        return Run(done.returncode, done.stdout, done.stderr, files_of(folder))

    def line(self, point):
        """Returns a shell command that reproduces a point; the result stays in the directory."""
        command = point.command
        folder = f"{self.root}/again"
        prepare = f"cp -r {command.folder} {folder}" if command.folder else f"mkdir {folder}"
        settings = {"SWATHE_WISDOM": "off", **self.settings(point)}
        words = ["env", *(f"{name}={value}" for name, value in settings.items()), self.swathe,
                 *command.arguments]
        stdin = f" < {self.root}/in/{command.stdin}" if command.stdin else ""
        return f"rm -rf {folder}; {prepare}; cd {folder} && {shlex.join(words)}{stdin}"


def files_of(folder):
    """Returns every file below the directory with its bytes. A batch's journal contains times, so
    only its name is compared."""
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as file:
                journal = name == fault_commands.JOURNAL
                found[os.path.relpath(path, folder)] = b"" if journal else file.read()
    return found


# ---- Judging a run ----------------------------------------------------------------------------------

def judge_files(command, kind, run, good, before):
    """Checks that a failed run keeps existing files; a batch also keeps complete results and its
    journal."""
    for name, data in run.files.items():
        if before.get(name) == data:
            continue
        complete = good.files.get(name) == data
        if command.batch and (name.endswith(fault_commands.JOURNAL) or complete):
            continue
        if complete and kind == "sync":  # it was renamed already; a power failure may undo that
            continue
        if name in good.files:
            return "partial", f"{name} has {len(data)} bytes"
        if kind != "name":  # otherwise it may be a file that could not be removed
            return "left", name
    missing = [name for name in before if name not in run.files]
    return ("partial", f"{missing[0]} is missing") if missing else None


def same_pixels(stage, run, good):
    """Returns whether two runs wrote the same WebP images. With less memory, libwebp searches less
    and writes another file of the same image."""
    if run.files.keys() != good.files.keys() or not all(x.endswith(".webp") for x in good.files):
        return False
    with tempfile.TemporaryDirectory(dir=stage.root) as folder:
        for name in good.files:
            for side, files in (("good", good.files), ("run", run.files)):
                fault_commands.write(f"{folder}/{side}.webp", files[name])
            if subprocess.run([stage.swathe, "compare", "--quiet", "good.webp", "run.webp"],
                              cwd=folder).returncode != 0:
                return False
    return True


def judge(stage, point, run, good, before):
    """Returns (verdict, details), or None if there is no problem."""
    if run is None:
        return "hang", "timed out"
    if run.code < 0:
        return "signal", signal.Signals(-run.code).name
    if run.code == 0:
        if run.files != good.files and not same_pixels(stage, run, good):
            return "wrong", "the files differ from those of a run without failures"
        return ("wrong", "the output differs") if run.stdout != good.stdout else None
    allowed = CODES.get(point.kind, {5}) | ({1} if point.command.batch else set())
    if point.how == "short":
        allowed = {0}
    text = run.stderr.decode("utf-8", "replace").strip()
    found = judge_files(point.command, point.kind, run, good, before)
    if found:
        return found
    if run.code not in allowed:
        return "code", f"exit code {run.code}: {text[:200]}"
    return None if text else ("silent", f"exit code {run.code} without a message")


def judge_resumed(stage, point, folder, good):
    """Checks that a batch that failed can be resumed."""
    run = stage.start(point.command, point.command.resume, folder, {})
    if run is None or run.code != 0:
        return "wrong", "cannot be resumed: " + (run.stderr.decode()[:200] if run else "hangs")
    return ("wrong", "the results after resuming differ") if run.files != good.files else None


def try_point(stage, point, good):
    folder = stage.folder(point.command)
    try:
        before = files_of(folder)
        run = stage.start(point.command, point.command.arguments, folder, stage.settings(point))
        found = judge(stage, point, run, good, before)
        if not found and run.code != 0 and point.command.resume:
            found = judge_resumed(stage, point, folder, good)
        return found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# ---- Points -------------------------------------------------------------------------------------------

def count_calls(stage, command, kind):
    """Returns (calls, run) of a run without failures."""
    folder = stage.folder(command)
    count = f"{folder}-count"
    settings = {**stage.settings(Point(command, kind, "fail", 0, False)), "FAIL_COUNT": count}
    run = stage.start(command, command.arguments, folder, settings)
    shutil.rmtree(folder)
    if run is None or run.code != 0:
        sys.exit(f"fail_every_call: {command.name} fails without a failing call: {run and run.stderr.decode()}")
    with open(count, encoding="ascii") as file:
        return int(file.read()), run


def points_of(stage, command, asked):
    """Returns (points, run without failures)."""
    points, good = [], None
    for kind in [asked.kind] if asked.kind else KINDS:
        calls, run = count_calls(stage, command, kind)
        good = good or run
        if (run.files, run.stdout) != (good.files, good.stdout):
            sys.exit(f"fail_every_call: {command.name} gives different results in two runs")
        hows = [asked.how] if asked.how else ["fail", "short"] if kind in SHORT_KINDS else ["fail"]
        points += [Point(command, kind, how, at, forever) for how in hows
                   for at in range(1, calls + 1) for forever in (False, True)]
    return points, good


def sample(points, wanted, seed):
    """Returns evenly spaced points, so that every command is covered."""
    if not wanted or wanted >= len(points):
        return points
    step = len(points) / wanted
    start = random.Random(seed).random() * step
    return [points[int(start + i * step)] for i in range(wanted) if start + i * step < len(points)]


# ---- The command ----------------------------------------------------------------------------------------

def choose_commands(stage, asked):
    text = subprocess.run([stage.swathe, "formats", "--json"], check=True, capture_output=True).stdout
    formats = {row["name"] for row in json.loads(text) if row["available"]}
    fault_commands.make_inputs(stage.swathe, formats, f"{stage.root}/in")
    half = fault_commands.half_done(stage.swathe, stage.root)
    commands = fault_commands.all_commands(stage.root, half)
    for command in commands:
        if not formats.issuperset(command.needs):
            print(f"skipped: {command.name} (not in this build: "
                  f"{' '.join(sorted(set(command.needs) - formats))})")
    commands = [command for command in commands if formats.issuperset(command.needs) and
                asked.command in (None, command.name)]
    if not commands:
        sys.exit(f"fail_every_call: unknown command '{asked.command}'; a run without --command "
                 "lists all commands")
    return commands


def run_points(stage, points, goods):
    """Returns [(point, verdict)] of all points, run two at a time."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda point: try_point(stage, point, goods[point.command]), points)
        return list(zip(points, found))


def print_failures(stage, failed):
    shown = collections.Counter()
    for point, (verdict, details) in failed:
        shown[point.command, point.kind, verdict] += 1
        if shown[point.command, point.kind, verdict] > 3:
            continue
        print(f"FAILED {point.command.name}: {verdict}: {point.kind} call {point.at}"
              f"{' and later' if point.forever else ''} ({point.how}): {details}\n"
              f"  {stage.line(point)}")


def print_table(commands, results):
    counts = collections.Counter()
    for point, found in results:
        counts[point.command.name, "points"] += 1
        if found:
            counts[point.command.name, found[0]] += 1
    columns = ("points",) + VERDICTS
    print(f"{'command':28}" + "".join(f"{column:>9}" for column in columns))
    for command in commands:
        print(f"{command.name:28}" + "".join(f"{counts[command.name, c]:9}" for c in columns))
    print(f"{'all':28}" + "".join(f"{sum(counts[x.name, c] for x in commands):9}" for c in columns))


def known(point, verdict, asked):
    return asked.how is None and (point.command.name, point.kind, verdict[0]) in KNOWN


def check(stage, asked):
    commands = choose_commands(stage, asked)
    points, goods = [], {}
    for command in commands:
        more, goods[command] = points_of(stage, command, asked)
        points += more
    if asked.at:
        points = [x for x in points if x.at == asked.at and x.forever == asked.forever]
    results = run_points(stage, sample(points, asked.points, asked.seed), goods)
    found = [(point, verdict) for point, verdict in results if verdict]
    failed = [(point, verdict) for point, verdict in found if not known(point, verdict, asked)]
    print_failures(stage, failed)
    print_table(commands, results)
    print(f"{len(results)} of {len(points)} points, {len(failed)} failed, {len(found) - len(failed)} "
          "known bugs of libraries")
    return bool(failed) or not results


def parse():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("shim", help="the library built from fail_nth_call.c")
    parser.add_argument("swathe", help="the swathe command")
    parser.add_argument("--points", type=int, metavar="N", help="try N evenly spaced points")
    parser.add_argument("--seed", type=int, default=1, metavar="S",
                        help="seed of their random offset; default 1")
    parser.add_argument("--command", metavar="NAME", help="run only this command")
    parser.add_argument("--kind", choices=KINDS, help="make only calls of this kind fail")
    parser.add_argument("--how", help="fail, short, or a planted bug: alter, leave, crash, hang")
    parser.add_argument("--at", type=int, metavar="N", help="make only call N fail")
    parser.add_argument("--forever", action="store_true", help="with --at: and all later calls")
    parser.add_argument("--timeout", type=float, default=30, metavar="S",
                        help="seconds after which a run counts as hanging; default 30")
    parser.add_argument("--directory", metavar="DIR",
                        help="working directory; default: a new one, kept on failures")
    return parser.parse_args()


def main():
    asked = parse()
    root = os.path.abspath(asked.directory or tempfile.mkdtemp(prefix="swathe-faults-"))
    os.makedirs(root, exist_ok=True)
    failed = check(Stage(asked.shim, asked.swathe, root, asked.timeout), asked)
    if not asked.directory and (not failed or asked.how in PLANTED):
        shutil.rmtree(root)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
