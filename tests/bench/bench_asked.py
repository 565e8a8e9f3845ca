#!/usr/bin/env python3
"""Checks inputs and options of `swathe bench`: chains that look like files, strategies, loops, a
report's numbers of runs, alpha, unusual names, and a signal while plots are drawn. Problems are
small; times do not matter here.

    bench_asked.py SWATHE [--sanitized]
"""
import os
import re
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


def refused(swathe, folder, *words):
    got = subprocess.run([swathe, "bench", *words, *QUICK], capture_output=True, text=True, check=False,
                         env=dict(os.environ, TMPDIR=folder))
    expect(got.returncode == 2, f"{words}: {got.returncode}")
    return got.stderr


def check_variants(swathe, folder):
    """Names of a report's variants are accepted as it prints them, and repeated in every output."""
    data, _ = bench(swathe, folder, "--suite", "report-002/sharpen", "--strategy", "Sequential,OpenMP", "--size", "32",
                    *QUICK, output=True)
    found = [(result["strategy"], result["variant"]) for result in data["results"]]
    expect(found == [("sequential-products", "Sequential"), ("openmp-products", "OpenMP")], f"report 002: {found}")
    expect("| sequential-products (Sequential) on cpu, 1 thread " in text_of(folder, "bench.md"), "the name beside ours")
    data, _ = bench(swathe, folder, "sharpen", "--strategy", "Seq,best", "--type", "s16", "--size", "32", *QUICK)
    found = [(result["strategy"], result["variant"]) for result in data["results"]]
    expect(found == [("sequential-padded", None), ("best", None)], f"a chain: {found}")
    told = refused(swathe, folder, "sharpen", "--strategy", "Sequential")
    expect("report-001" in told and "report-003" in told, f"an ambiguous name: {told}")
    expect("did you mean 1channel_noConst" in refused(swathe, folder, "sharpen", "--strategy", "1chanel_noConst"),
           "the nearest name")
    told = refused(swathe, folder, "--suite", "report-001", "--strategy", "Global")
    expect("'Global' is global in report-002, and report-001 has nothing" in told, f"another report's name: {told}")
    told = refused(swathe, folder, "sharpen", "--scan", "arithmetic=report-01")
    expect("no arithmetic 'report-01'" in told, f"an arithmetic that the CPU would ignore: {told}")


def check_negative_taps(swathe, folder):
    """Report 001's loop and its sums are clamped to 0 ... 255 and compared with their own definition."""
    data, _ = bench(swathe, folder, "edge", "sharpen", "--strategy", "sequential-padded,sequential", "--type", "s16",
                    "--size", "64", *QUICK)
    for result in data["results"]:
        expect(result["status"] == "ok", f"{result['contender']}: {result['status']} {result['why']}")
        expect(result["arithmetic"] == ("report-001" if "padded" in result["strategy"] else "contract"),
               f"arithmetic of {result['contender']}")
    expect(len({result["checksum"] for result in data["results"][:2]}) == 2, "the two sums differ")


def check_fallback(swathe, folder):
    """An algorithm that cannot run a filter is named together with the one that ran."""
    data, _ = bench(swathe, folder, "dense:5", "--strategy", "toeplitz,direct", "--type", "f32", "--size", "32",
                    *QUICK, output=True)
    found = [(result["ran"], result["contender"]) for result in data["results"]]
    expect(found == [("direct", "toeplitz (ran direct) on cpu, 1 thread"), (None, "direct on cpu, 1 thread")],
           f"what ran: {found}")
    expect("| toeplitz (ran direct) on cpu, 1 thread " in text_of(folder, "bench.md"), "what ran, in the table")


def check_memory(swathe, folder):
    """A contender that needs too much memory says how much, and for which image."""
    data, _ = bench(swathe, folder, "--suite", "report-001/sizes", "--size", "1000000x1000000", *QUICK,
                    status=7)
    for result in data["results"]:
        expect(re.search(r"needs up to \d+\.\d GiB of memory for an image of 5587\.9 GiB", result["why"]),
               f"memory: {result['why']}")
    needs = [float(re.search(r"up to (\S+) GiB", result["why"])[1]) for result in data["results"]]
    expect(abs(needs[0] / needs[-1] - 4 / 3) < 0.001, f"the padded source counts: {needs}")


def check_large(swathe, folder):
    """Large images are not made for contenders that are left out."""
    data, _ = bench(swathe, folder, "--suite", "report-001/sizes", "--strategy", "best", "--threads", "1",
                    "--budget", "2s")
    expect(data["seconds"] < 10 and data["results"][-1]["status"] == "left out", f"2 s took {data['seconds']} s")


def check_dropped(swathe, folder):
    """A budget for which experiments are too long leaves them out at once and says so."""
    data, got = bench(swathe, folder, "--suite", "report-002", "--budget", "2s")
    dropped = {result["experiment"] for result in data["results"] if "no room for this experiment" in result["why"]}
    expect(len(dropped) == 1 and f"no room for {dropped.pop()}; all need about " in got.stderr, f"dropped: {got.stderr}")
    expect(any(result["status"] == "ok" for result in data["results"]), "the other is measured")


def check_phases(swathe, folder):
    """Phases add up to the call; planes that are held padded are copied as they are, and joined ones are not."""
    data, _ = bench(swathe, folder, "--suite", "report-001/masks", "--scan", "k=9", "--size", "400", "--device",
                    "cpu,opencl:0", "--strategy", "1channel_noConst,3channel,3channel_3", "--seconds", "0.05")
    for result in data["results"]:
        name, call = result["variant"], result["scopes"]["call"]
        expect(result["status"] == "ok" and result["held"] == "padded", f"{name}: {result['status']} {result['why']}")
        for i, whole in enumerate(call["samples"]):
            parts = sum(times[i] for times in call["phases"].values())
            expect(0.8 * whole < parts <= whole, f"{name}: phases take {parts} of {whole} ms")
        gathered = max(call["phases"]["gather"]), max(call["phases"]["scatter"])
        expect((min(gathered) > 0.01) == (name == "3channel"), f"{name} gathers and scatters: {gathered}")
    peaks = {peak["device"]: peak for peak in data["peaks"]}
    expect(peaks["opencl:0"]["copy_gbs"] > 0.1 and peaks["opencl:0"]["fma_gflops"] > 0.1, f"peaks: {peaks}")


def main():
    swathe = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for check in (check_products, check_stopped_plots, check_files, check_stated, check_loops,
                      check_alpha, check_names, check_variants, check_negative_taps, check_fallback, check_memory,
                      check_large, check_dropped):
            check(swathe, folder)
        if has_opencl(swathe):
            check_strategies(swathe, folder)
            check_phases(swathe, folder)
        left = [name for name in os.listdir(folder) if name != "out"]
        expect(left == [], f"left behind: {left}")
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
