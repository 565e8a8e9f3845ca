#!/usr/bin/env python3
"""Checks inputs and options of `swathe bench`: chains that look like files, strategies, loops, a
report's numbers of runs, alpha, unusual names, and a signal while plots are drawn. Problems are
small; times do not matter here.

    bench_asked.py SWATHE [--sanitized]
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

from bench_run import bench, expect, has_opencl, near, problems

QUICK = ("--threads", "1", "--seconds", "0.005", "--runs", "1", "--visits", "1")


def text_of(folder, name):
    with open(os.path.join(folder, "out", name), encoding="utf-8") as file:
        return file.read()


def check_products(swathe, folder):
    """Every stage of a chain must fit the storage of report 002's loops, not only the first."""
    data, _ = bench(swathe, folder, "sharpen,gaussian:41:dense", "--strategy",
                    "best,sequential-products,openmp-products", "--size", "64", "--type", "f32",
                    "--threads", "1", "--seconds", "0.01")
    for result in data["results"]:
        wanted = "ok" if result["strategy"] == "best" else "refused"
        expect(result["status"] == wanted, f"a large second stage, {result['strategy']}: {result['status']}")


def check_stopped_plots(swathe, folder):
    """A signal while plots are drawn also stops the plotting process."""
    note, programs = os.path.join(folder, "plotter"), os.path.join(folder, "programs")
    os.mkdir(programs)
    fake = os.path.join(programs, "python3")
    with open(fake, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\necho $$ > "{note}.new"\nmv "{note}.new" "{note}"\nexec sleep 60\n')
    os.chmod(fake, 0o755)
    path = programs + os.pathsep + os.environ["PATH"]
    child = subprocess.Popen([swathe, "bench", "sharpen", "--size", "32", "--threads", "1", "--seconds",
                              "0.01", "--output", os.path.join(folder, "out"), "--overwrite"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             env=dict(os.environ, TMPDIR=folder, PATH=path))
    until = time.monotonic() + 60
    while not os.path.exists(note) and time.monotonic() < until:
        time.sleep(0.02)
    with open(note, encoding="utf-8") as file:
        plotter = int(file.read())
    child.send_signal(signal.SIGTERM)
    expect(child.wait(30) == -signal.SIGTERM, f"SIGTERM while plotting: {child.returncode}")
    try:
        os.kill(plotter, signal.SIGKILL)
        expect(False, "the plotter still runs after SIGTERM")
    except ProcessLookupError:
        pass
    for name in (note, fake):
        os.remove(name)
    os.rmdir(programs)


def check_files(swathe, folder):
    """A word that parses as a chain is a chain, even if a file has that name."""
    place = os.path.join(folder, "files")
    os.makedirs(os.path.join(place, "sharpen"))
    with open(os.path.join(place, "edge"), "wb") as file:
        file.write(b"P5 4 3 255\n0123456789ab")
    got = subprocess.run([swathe, "bench", "sharpen", "edge", "sharpen", "--size", "32", *QUICK],
                         cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                         env=dict(os.environ, TMPDIR=folder))
    expect(got.returncode == 0 and got.stdout.count("\n| edge 32x32x3") == 1 and
           got.stdout.count("\n| sharpen 32x32x3") == 2, f"chains, not files: {got.stdout}{got.stderr}")
    os.remove(os.path.join(place, "edge"))
    os.rmdir(os.path.join(place, "sharpen"))
    os.rmdir(place)


def check_stated(swathe, folder):
    """A report's numbers of runs apply to its own problems and to the programs that it ran."""
    words = ("--suite", "report-001/masks", "--budget", "1s", "--threads", "1")
    data, _ = bench(swathe, folder, *words)
    for result in data["results"]:
        expect((result["runs_stated"] is None) == (result["strategy"] == "best"),
               f"runs stated for {result['strategy']}: {result['runs_stated']}")
    for other in (("--scan", "k=3,5,7,9,11,13"), ("--size", "32"), ("--type", "u8")):
        data, _ = bench(swathe, folder, *words, *other)
        expect(all(result["runs_stated"] is None for result in data["results"]), f"{other}: the report's runs")


def check_loops(swathe, folder):
    """Speed-ups are relative to the named loop: the sequential one if it ran."""
    for loops, wanted in (("sequential-products,sequential", "sequential"),
                          ("sequential-products", "sequential-products")):
        data, got = bench(swathe, folder, "sharpen", "--strategy", loops + ",best", "--size", "64",
                          *QUICK, "--runs", "6", output=True)
        times = {result["strategy"]: result["scopes"]["kernel"]["median"] for result in data["results"]}
        for result in data["results"]:
            expect(near(result["speedup_sequential"], times[wanted] / times[result["strategy"]]),
                   f"{result['strategy']} over {wanted}")
        expect(data["experiments"][0]["loop"] == wanted, "the loop in JSON")
        expect(f"| over {wanted} |" in text_of(folder, "bench.md"), f"a column over {wanted}")
        expect(f" times as fast as {wanted} (" in got.stdout, f"a headline over {wanted}: {got.stdout}")


def check_alpha(swathe, folder):
    """Alpha is copied, as in apply; the loops, which filter it, are refused."""
    path = os.path.join(folder, "own.pam")
    with open(path, "wb") as file:
        file.write(b"P7\nWIDTH 8\nHEIGHT 6\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n" +
                   bytes(range(192)))
    data, _ = bench(swathe, folder, "sharpen", path, "--strategy", "best,sequential", *QUICK)
    best, loop = data["results"]
    expect(best["status"] == "ok" and best["alpha"] == 4, f"alpha: {best['status']} {best['why']}")
    expect(best["flop"] == 2 * 9 * 48 * 3, "alpha takes no operations")
    expect(loop["status"] == "refused" and "alpha" in loop["why"], f"the loop: {loop['status']}")
    os.remove(path)


def check_names(swathe, folder):
    """A file's name neither controls the terminal nor breaks the table."""
    path = os.path.join(folder, "a|\x1b[31mb.pgm")
    with open(path, "wb") as file:
        file.write(b"P5 4 3 255\n0123456789ab")
    bench(swathe, folder, "sharpen", path, *QUICK, output=True)
    expect("| sharpen a\\|?[31mb.pgm 4x3x1 " in text_of(folder, "bench.md"), "the name in the table")
    for name in ("bench.md", "bench.csv", "bench.json"):
        expect("\x1b" not in text_of(folder, name), f"no escape characters in {name}")
    os.remove(path)


def check_strategies(swathe, folder):
    """Strategies that the library accepts; results on interleaved pixels are labelled."""
    asked = "shared:planar,tiled:16:planar,best:16,quad"
    data, _ = bench(swathe, folder, "dense:3", "--device", "opencl:0", "--strategy", asked, "--size", "32",
                    "--layout", "interleaved,planar", *QUICK, output=True)
    for result in data["results"]:
        name = result["strategy"] + (f":{result['block']}" if result["block"] else "")
        expect(result["status"] == "ok", f"{name}: {result['status']} {result['why']}")
        expect(name in ("shared:planar", "tiled:planar:16", "best:16", "quad"), f"strategy {name}")
        expect(result["as_pixels"] == (name == "quad" and result["layout"] == "planar"), f"{name} as pixels")
    expect(len(data["results"]) == 8, f"{len(data['results'])} results")
    expect("| quad on opencl:0, as pixels " in text_of(folder, "bench.md"), "the label of quad")


def main():
    swathe = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for check in (check_products, check_stopped_plots, check_files, check_stated, check_loops,
                      check_alpha, check_names):
            check(swathe, folder)
        if has_opencl(swathe):
            check_strategies(swathe, folder)
        left = [name for name in os.listdir(folder) if name != "out"]
        expect(left == [], f"left behind: {left}")
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
