#!/usr/bin/env python3
"""Swathe against OpenCV, IPP, Halide, libvips and SciPy, and against a copy of the same bytes.

Every result is checked before it is timed; a contender whose result is wrong is shown as such and
never counts as the best peer. Contenders are interleaved in random order on the same CPUs, outputs
are reused, and the best and the median run are kept. The virtual environment with the peers is made
at first use. docs/performance.md says how to read the figures. The exit status is 0 when every row
is ok, 1 when one is not (or --sweep found a cliff), 2 when nothing could be measured, 3 when the
virtual environment could not be made.
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


def numbers(text):
    values = [int(part) for part in text.split(",")]
    if not values or min(values) < 1 or max(values) > 64:
        raise argparse.ArgumentTypeError(f"{text}: numbers of threads are 1 to 64")
    return values


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="WORK", action="append", default=[],
                        help="works whose name contains this, or is this; may be repeated")
    parser.add_argument("--list", action="store_true", help="print the names of the works")
    parser.add_argument("--quick", action="store_true", help="a few works, under 45 s")
    parser.add_argument("--threads", type=numbers, default=[1, 2], metavar="N[,N]",
                        help="numbers of threads; default 1,2")
    parser.add_argument("--seconds", type=float, metavar="S",
                        help=f"for each contender in each row; default {USUAL_SECONDS}, "
                             f"--quick {QUICK_SECONDS}, --sweep {SWEEP_SECONDS}")
    parser.add_argument("--json", action="store_true", help="one JSON object per line and row")
    parser.add_argument("--build", metavar="DIR",
                        help="where libswathe.so is, when SWATHE_PREFIX is not set")
    parser.add_argument("--sweep", action="store_true",
                        help="Swathe alone at every size of mask: no size may be a cliff")
    parser.add_argument("--self-test", action="store_true",
                        help="spoil results and take down contenders: all must be noticed")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


# ---- The process that measures, seen from outside ------------------------------------------------

def surroundings(threads):
    """Variables that the libraries read when they are loaded."""
    most = str(max(threads))
    libraries = os.path.join(environment.folder(), "lib")
    return dict(os.environ, HL_NUM_THREADS=most, OMP_NUM_THREADS=most, OPENBLAS_NUM_THREADS="1",
                PYTHONDONTWRITEBYTECODE="1", LD_LIBRARY_PATH=libraries)


def start_worker(job):
    reader, writer = os.pipe()
    process = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--worker",
                                str(writer)], stdin=subprocess.PIPE, stdout=sys.stderr,
                               pass_fds=[writer], env=surroundings(job["threads"]))
    os.close(writer)
    process.stdin.write(json.dumps(job).encode())
    process.stdin.close()
    return process, os.fdopen(reader, encoding="utf-8")


class Run:
    """Works through a list of works, and starts again where a contender took the process down."""

    def __init__(self, job, show):
        self.job, self.show = job, show
        self.rows, self.versions, self.skipped = [], [], {}
        self.at, self.pending = ["", ""], []

    def hear(self, message):
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
            self.job["works"].remove(message["done"])
            for row in self.pending:
                self.rows.append(row)
                self.show(row)
            self.pending = []

    def once(self):
        process, pipe = start_worker(self.job)
        with pipe:
            for line in pipe:
                self.hear(json.loads(line))
        return process.wait()

    def all(self):
        """Whether all works were done."""
        started = time.monotonic()
        for _ in range(MOST_CRASHES):
            if self.job["deadline"] is not None:
                self.job["left"] = self.job["deadline"] - (time.monotonic() - started)
            status = self.once()
            if status == 0:
                return True
            if not self.at[1]:
                return False
            work, name = self.at
            reason = f"took the process down (status {status})"
            print(f"peers: {work}: {name} {reason}", file=sys.stderr)
            self.job["avoid"].setdefault(work, {})[name] = reason
            self.pending = []
        return False


def possible(threads):
    """Numbers of threads that there are CPUs for."""
    cpus = len(os.sched_getaffinity(0))
    fitting = [count for count in threads if count <= cpus]
    if len(fitting) < len(threads):
        print(f"peers: skipped: more than {cpus} threads (this process may use {cpus} CPUs)",
              file=sys.stderr)
    return fitting or [cpus]


def make_job(options, names):
    import swathe_contender
    usual = QUICK_SECONDS if options.quick else USUAL_SECONDS
    return {"works": names, "threads": possible(options.threads),
            "folder": swathe_contender.folder(options.build), "plant": None, "avoid": {},
            "seconds": usual if options.seconds is None else options.seconds,
            "deadline": QUICK_DEADLINE if options.quick else None, "left": None}


def work_inside(descriptor):
    import worker
    job = json.load(sys.stdin)
    with os.fdopen(descriptor, "w", encoding="utf-8") as pipe:
        worker.main(job, pipe)


def measure(options):
    import table
    import works
    names = [work.name for work in works.select(options.only, options.quick)]
    if not names:
        print(f"peers: no work is named {' or '.join(options.only)}; --list names them",
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
        return work_inside(options.worker)
    if options.list:
        import works
        for work in works.all_works():
            marks = [mark for mark, on in (("quick", work.quick), ("on request", work.on_request))
                     if on]
            print(work.name + (f"  ({', '.join(marks)})" if marks else ""))
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
