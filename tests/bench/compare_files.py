#!/usr/bin/env python3
"""Tests `swathe bench compare` on generated files: equal ones, one with a planted slow-down, files
from other machines, and damaged files.

    compare_files.py SWATHE_BENCH REPORT

REPORT is the directory of the Python program, whose functions most cases call directly.
"""
import contextlib
import copy
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[2])
import compare  # noqa: E402

OK, SLOWER, INPUT, LIMIT, IO = 0, 1, 3, 4, 5
ODD = [None, True, 7, -7, 1.5, 1e308, 10 ** 18, "", "text", "\x1b[2J\n", [], [1, "a"], {}, [[]]]
failures, checks = [], 0


def check(good, what):
    global checks
    checks += 1
    if not good:
        failures.append(what)
        print(f"FAILED: {what}")


# ---- Files ------------------------------------------------------------------------------------------


def noisy(rng, ms, visits, runs, noise):
    samples, visit = [], []
    for number in range(visits):
        offset = rng.gauss(0, 0.005)
        for _ in range(runs):
            spike = 1.3 if rng.random() < 0.03 else 1
            samples.append(ms * spike * (1 + offset + abs(rng.gauss(0, noise))))
            visit.append(number)
    return {"samples": samples, "visit": visit}


def row(rng, number, visits=2, runs=15, noise=0.02):
    size = 100 * (1 + number // 8)
    return {"experiment": "report-001/masks", "status": "ok", "contender": "best on cpu, 1 thread",
            "problem": f"box:{3 + 2 * (number % 8)} {size}x{size}x3 s16 planar constant(0)",
            "scopes": {"kernel": noisy(rng, 1 + number, visits, runs, noise),
                       "call": noisy(rng, 2 + number, visits, runs, noise)}}


def document(seed, rows=40, **options):
    rng = random.Random(seed)
    return {"format": "swathe-bench 4", "machine": {"cpu": "A", "cpus": 2},
            "build": {"version": "0.1.0", "compiler": "gcc 12.2.0", "flags": "-O3"},
            "settings": {"seed": 1, "min_runs": 5, "visits": 2, "cache": "warm"},
            "results": [row(rng, number, **options) for number in range(rows)]}


def slow_down(run, number, factor):
    for scope in run["results"][number]["scopes"].values():
        scope["samples"] = [factor * sample for sample in scope["samples"]]
    return run


class Done:
    """What subprocess.run would return."""

    def __init__(self, *paths_and_options):
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            self.returncode = compare.main([str(word) for word in paths_and_options])
        self.stdout, self.stderr = out.getvalue(), errors.getvalue()


class Bench:
    """The comparison, with a directory for its files."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def run(self, before, after, *options):
        paths = []
        for name, content in (("before", before), ("after", after)):
            path = self.folder / f"{name}.json"
            text = content if isinstance(content, bytes) else json.dumps(content).encode()
            path.write_bytes(text)
            paths.append(path)
        return Done(*paths, *options)


# ---- Cases ------------------------------------------------------------------------------------------


def check_equal(bench):
    """Runs of the same code: the correction allows at most about one false alarm in twenty runs."""
    alarms = 0
    for seed in range(10):
        rows = 300 if seed == 0 else 40
        done = bench.run(document(2 * seed, rows), document(2 * seed + 1, rows))
        check(done.returncode in (OK, SLOWER), f"equal: exit status {done.returncode}")
        alarms += " 0 slower, 0 faster" not in " " + done.stdout.replace("\n", " ")
    check(alarms <= 1, f"equal: {alarms} of 10 comparisons found a difference")
    check("doubtful" not in done.stdout, "equal: no warnings")
    same = document(1)
    check("0 slower, 0 faster, 40 with" in bench.run(same, same).stdout, "a file compared with itself")


def check_few(bench):
    """Few runs give no interval. A file compared with itself never differs, however few or noisy
    its runs."""
    before, after = document(1, 3, runs=1), document(2, 3, runs=1)
    text = bench.run(before, after).stdout
    check("0 with no difference seen, 3 with too few runs" in text, "few: counted\n" + text)
    rows = [line for line in text.splitlines() if "(kernel)" in line]
    check(all(line.count("too few runs") == 1 and " to " not in line for line in rows),
          "few: no interval")
    told = json.loads(bench.run(before, after, "--json").stdout)
    check(told["too_few_runs"] == 3 and told["changes"][0]["low_percent"] is None, "few: JSON")
    before, after = document(1, 3, runs=8), document(2, 3, runs=8)
    for row in before["results"] + after["results"]:
        row["scopes"]["kernel"]["samples"][::2] = [50 * one for one in
                                                   row["scopes"]["kernel"]["samples"][::2]]
    told = json.loads(bench.run(before, after, "--json").stdout)
    check(told["runs_differ_too_much"] == 3 and told["too_few_runs"] == 0, f"wide: JSON {told}")
    check(told["changes"][0]["verdict"] == "runs differ too much", "wide: the verdict")
    for factor in (1, 50):
        wild = document(1, 2, runs=2)
        for row in wild["results"]:
            row["scopes"]["kernel"]["samples"][0] *= factor
        told = json.loads(bench.run(wild, wild, "--json").stdout)
        check(told["no_difference_seen"] == 2 and told["changes"][0]["verdict"] == "no difference seen",
              "itself: no difference")
        check(all(change["low_percent"] == change["high_percent"] == 0 for change in told["changes"]),
              "itself: not by any amount")


def check_slower(bench, rows, times):
    found = 0
    for seed in range(times):
        after = slow_down(document(100 + seed, rows), 5, 1.1)
        before = document(200 + seed, rows)
        done = bench.run(before, after)
        first = done.stdout.splitlines()[1]
        found += done.returncode == SLOWER and "1 slower, 0 faster" in done.stdout and \
            "slower" in first and before["results"][5]["problem"] in first
        back = bench.run(after, before)
        check(back.returncode == OK and "slower " not in back.stdout.splitlines()[1],
              "it is not slower the other way round")
    check(found == times, f"10 % in one of {rows} results: found {found} times of {times}")


def check_json(bench):
    done = bench.run(document(1), slow_down(document(2), 5, 1.3), "--json")
    told = json.loads(done.stdout)
    worst = told["changes"][0]
    check(done.returncode == SLOWER and told["slower"] == 1, "JSON: the exit code and the count")
    check(worst["verdict"] == "slower" and 20 < worst["change_percent"] < 40, "JSON: the worst result")
    check(worst["low_percent"] < worst["change_percent"] < worst["high_percent"], "JSON: interval")
    check(worst["p"] <= worst["p_corrected"] < 0.05, "JSON: probabilities")
    order = [change["change_percent"] for change in told["changes"]]
    check(order == sorted(order, reverse=True), "JSON: sorted by change")


def check_doubts(bench):
    other = document(2)
    other["machine"]["cpu"] = "B"
    other["build"]["flags"] = "-O2"
    other["settings"]["visits"] = 3
    lines = bench.run(document(1), other).stdout.splitlines()
    for wanted in ("machine cpu differs: A before, B after", "build flags differs",
                   "settings visits differs"):
        check(any(line.startswith("doubtful: " + wanted) for line in lines), f"doubt: {wanted}")
    check(sum(line.startswith("doubtful") for line in lines) == 3, "no other warnings")
    other["settings"]["seed"], other["build"]["version"] = 2, "0.2.0"
    check(sum(line.startswith("doubtful") for line in
              bench.run(document(1), other).stdout.splitlines()) == 3, "versions give no warning")


def check_alone(bench):
    before, after = document(1, 6), document(2, 6)
    before["results"][0]["contender"] = "naive on cpu"
    after["results"][1].update(status="wrong", why="planted", scopes=None)
    del after["results"][2]["scopes"]["kernel"], before["results"][2]["scopes"]["kernel"]
    text = bench.run(before, after).stdout
    check("only timed before: report-001/masks box:3" in text and "naive" in text, "only before")
    check("only timed after: report-001/masks box:3" in text, "only after")
    check("only timed before: report-001/masks box:5" in text, "wrong in one of the files")
    check("1 thread (call)" in text and text.count("(kernel)") == 6, "scopes")
    after["results"] = []
    check(bench.run(before, after).returncode == INPUT, "nothing in common")


def check_truncated(bench):
    whole = json.dumps(document(1, 3, runs=3)).encode()
    for size in range(0, len(whole), max(1, len(whole) // 150)):
        for pair in ((whole[:size], whole), (whole, whole[:size])):
            done = bench.run(*pair)
            name = "before.json" if len(pair[0]) == size else "after.json"
            check(done.returncode == INPUT and name in done.stderr and not done.stdout,
                  f"cut at {size}: {done.returncode}, {done.stderr!r}")


def places(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) \
        if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, path + (key,))


def with_odd(run, path, odd):
    if not path:
        return odd
    changed = copy.deepcopy(run)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = odd
    return changed


def check_odd(bench):
    """Replaces each value of a small file in turn with others."""
    run = document(1, 2, visits=1, runs=2)
    for path in places(run):
        for odd in ODD:
            done = bench.run(run, with_odd(run, path, odd))
            what = f"{path} = {odd!r}: {done.returncode}, {done.stderr!r}"
            check(done.returncode in (OK, SLOWER, INPUT), what)
            check((done.returncode == INPUT) == done.stderr.startswith("swathe: "), what)
            check("\x1b" not in done.stdout + done.stderr, what)


def check_messages(bench):
    run = document(1, 3)
    for field in ("experiment", "problem", "contender", "status", "scopes"):
        bad = copy.deepcopy(run)
        del bad["results"][1][field]
        done = bench.run(run, bad)
        check(done.returncode == INPUT and f"after.json: result 2: \"{field}\"" in done.stderr,
              f"without {field}: {done.stderr!r}")
    for samples in ([], [1, 0], [1, -1], [1, "1"], [1, None]):
        bad = copy.deepcopy(run)
        bad["results"][2]["scopes"]["kernel"] = {"samples": samples, "visit": [0] * len(samples)}
        done = bench.run(bad, run)
        check(done.returncode == INPUT and "before.json: result 3: \"samples\"" in done.stderr,
              f"samples {samples}: {done.stderr!r}")
    for visit in ([0], [0, 0, 1], [0, 0.5], None):
        bad = copy.deepcopy(run)
        bad["results"][0]["scopes"]["kernel"] = {"samples": [1, 2], "visit": visit}
        done = bench.run(bad, run)
        check(done.returncode == INPUT and "before.json: result 1: \"visit\"" in done.stderr,
              f"visit {visit}: {done.stderr!r}")
    check(bench.run(run, b"[" * 100000).returncode == INPUT, "deep nesting")
    check(bench.run(run, b"\xff\xfe" + bytes(100)).returncode == INPUT, "no text")


def check_limits(bench):
    huge = bench.folder / "huge.json"
    with open(huge, "wb") as file:
        file.write(b" " * ((256 << 20) + 1))
    done = Done(huge, huge)
    check(done.returncode == LIMIT and "256 MiB" in done.stderr, "a file that is too large")
    done = Done("/nowhere.json", huge)
    check(done.returncode == IO and "/nowhere.json" in done.stderr, "no file")
    done = bench.run(document(1, 1), {**document(1, 1), "format": "swathe-bench 1"})
    check(done.returncode == INPUT and "swathe-bench 1" in done.stderr, "another format")


def check_program(bench, program):
    """The program itself, with the files of the last case and one that is damaged."""
    words = [program, "compare", bench.folder / "before.json", bench.folder / "after.json"]
    bench.run(document(1), slow_down(document(2), 5, 1.3))
    done = subprocess.run([*words, "--json"], capture_output=True, text=True, check=False)
    check(done.returncode == SLOWER and json.loads(done.stdout)["slower"] == 1, f"the program: {done}")
    bench.run(document(1), b"[")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    check(done.returncode == INPUT and done.stderr.startswith("swathe: "), f"the program: {done}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder)
        check_equal(bench)
        check_few(bench)
        check_slower(bench, 40, 4)
        check_slower(bench, 300, 2)
        for case in (check_json, check_doubts, check_alone, check_truncated, check_odd, check_messages,
                     check_limits):
            case(bench)
        check_program(bench, sys.argv[1])
    print(f"{checks - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
