#!/usr/bin/env python3
"""Compares Swathe with OpenCV, IPP, Halide, libvips and SciPy, and with a copy of the same bytes.

Every result is checked before it is timed. A wrong result is marked and never counts as the best
peer. Contenders run interleaved, in random order, on the same CPUs, and reuse their output buffers.
The first run installs the peers into a virtual environment. docs/performance.md explains the
method and the figures.

Exit status: 0 if every result is ok, 1 if one is not (or --sweep found a cliff), 2 if nothing could
be measured, 3 if the virtual environment could not be created.
"""
import argparse
import json
import os
import subprocess
import sys
import time

import environment

QUICK_SECONDS, QUICK_DEADLINE, USUAL_SECONDS, SWEEP_SECONDS = 0.1, 28.0, 1.0, 0.3
MOST_CRASHES = 40


def thread_counts(text):
    values = [int(part) for part in text.split(",")]
    if not values or min(values) < 1 or max(values) > 64:
        raise argparse.ArgumentTypeError(f"{text}: thread counts range from 1 to 64")
    return values


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="TASK", action="append", default=[],
                        help="measure tasks whose name contains TASK; may be repeated")
    parser.add_argument("--list", action="store_true", help="print the names of all tasks")
    parser.add_argument("--quick", action="store_true", help="measure a few tasks, under 45 s")
    parser.add_argument("--threads", type=thread_counts, default=[1, 2], metavar="N[,N]",
                        help="thread counts; default 1,2")
    parser.add_argument("--seconds", type=float, metavar="S",
                        help="measuring time of each contender per result; default "
                             f"{USUAL_SECONDS}, --quick {QUICK_SECONDS}, --sweep {SWEEP_SECONDS}")
    parser.add_argument("--hold", choices=environment.HOLDS, metavar="SET",
                        help="hold every contender to avx2, or to avx512 without matrix units")
    parser.add_argument("--json", action="store_true",
                        help="print one JSON object per line and result")
    parser.add_argument("--build", metavar="DIR",
                        help="directory with libswathe.so, if SWATHE_PREFIX is not set")
    parser.add_argument("--sweep", action="store_true",
                        help="measure Swathe alone at every mask size and look for cliffs")
    parser.add_argument("--self-test", action="store_true",
                        help="check that wrong results and crashes of contenders are detected")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


# ---- The measuring process and its parent --------------------------------------------------------

def worker_environment(job):
    """Returns environment variables, including those that the libraries read when loaded. In the
    self-test, `plant` can be "free": the switches are left out."""
    most = str(max(job["threads"]))
    libraries = os.path.join(environment.folder(), "lib")
    switches = {} if job["plant"] == "free" else environment.switches(job["held"])
    return dict(os.environ, HL_NUM_THREADS=most, OMP_NUM_THREADS=most, OPENBLAS_NUM_THREADS="1",
                PYTHONDONTWRITEBYTECODE="1", LD_LIBRARY_PATH=libraries, **switches)


def start_worker(job):
    reader, writer = os.pipe()
    process = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--worker",
                                str(writer)], stdin=subprocess.PIPE, stdout=sys.stderr,
                               pass_fds=[writer], env=worker_environment(job))
    os.close(writer)
    process.stdin.write(json.dumps(job).encode())
    process.stdin.close()
    return process, os.fdopen(reader, encoding="utf-8")


class Run:
    """Measures a list of tasks. If a contender crashes the measuring process, starts another one
    without that contender."""

    def __init__(self, job, show):
        self.job, self.show = job, show
        self.rows, self.versions, self.skipped = [], [], {}
        self.at, self.pending, self.left = ["", ""], [], []

    def receive(self, message):
        if "row" in message:
            self.pending.append(message["row"])
        elif "at" in message:
            self.at = message["at"]
        elif "version" in message and message["version"] not in self.versions:
            self.versions.append(message["version"])
        elif "skipped" in message and message["skipped"] not in self.skipped:
            self.skipped[message["skipped"]] = message["reason"]
            print(f"peers: skipped: {message['skipped']} ({message['reason']})", file=sys.stderr)
        elif "done" in message:
            self.left.remove(message["done"])
            for row in self.pending:
                self.rows.append(row)
                self.show(row)
            self.pending = []

    def once(self):
        process, pipe = start_worker(dict(self.job, tasks=self.left))
        with pipe:
            for line in pipe:
                self.receive(json.loads(line))
        return process.wait()

    def all(self):
        """Returns whether all tasks were measured."""
        self.left, started = list(self.job["tasks"]), time.monotonic()
        for _ in range(MOST_CRASHES):
            if self.job["deadline"] is not None:
                self.job["left"] = self.job["deadline"] - (time.monotonic() - started)
            status = self.once()
            if status == 0:
                return True
            if not self.at[1]:
                return False
            self.avoid(status)
        return False

    def avoid(self, status):
        """Excludes the implementation that crashed from its task."""
        task, name = self.at
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        reason = f"crashed ({how})"
        print(f"peers: {task}: {name} {reason}", file=sys.stderr)
        self.job["avoid"].setdefault(task, {})[name] = reason
        self.pending = []


def possible(threads):
    """Returns the thread counts for which there are enough CPUs."""
    cpus = len(os.sched_getaffinity(0))
    fitting = [count for count in threads if count <= cpus]
    if len(fitting) < len(threads):
        print(f"peers: skipped: runs with more than {cpus} threads (this process may use {cpus} "
              "CPUs)", file=sys.stderr)
    return fitting or [cpus]


def make_job(options, names):
    import swathe_contender
    usual = QUICK_SECONDS if options.quick else USUAL_SECONDS
    return {"tasks": names, "threads": possible(options.threads),
            "folder": swathe_contender.folder(options.build), "plant": None, "avoid": {},
            "seconds": usual if options.seconds is None else options.seconds,
            "deadline": QUICK_DEADLINE if options.quick else None, "left": None,
            "held": options.hold, "row_seconds": None, "stop_after": None}


def run_worker(descriptor):
    import worker
    job = json.load(sys.stdin)
    with os.fdopen(descriptor, "w", encoding="utf-8") as pipe:
        worker.main(job, pipe)


def measure(options):
    import table
    import tasks
    names = [task.name for task in tasks.select(options.only, options.quick)]
    if not names:
        print(f"peers: no task name contains {' or '.join(options.only)}; --list prints the names",
              file=sys.stderr)
        return 2
    show = table.show_json if options.json else table.show_progress
    run = Run(make_job(options, names), show)
    complete = run.all()
    if run.rows and not options.json:
        print(table.markdown(run.rows, run.versions, run.skipped))
    if not complete or not run.rows:
        print("peers: the measuring process failed", file=sys.stderr)
        return 2
    return 0 if all(row["ok"] for row in run.rows) else 1


def main():
    options = arguments()
    environment.enter()
    if options.worker is not None:
        return run_worker(options.worker)
    if options.list:
        import tasks
        for task in tasks.all_tasks():
            marks = [mark for mark, on in (("quick", task.quick), ("on request", task.on_request))
                     if on]
            print(task.name + (f"  ({', '.join(marks)})" if marks else ""))
        return 0
    if options.sweep:
        import sweep
        return sweep.main(options.build, options.only, options.seconds or SWEEP_SECONDS,
                          options.json)
    if options.self_test:
        import self_test
        return self_test.main(make_job(options, []), Run)
    return measure(options)


if __name__ == "__main__":
    sys.exit(main())
