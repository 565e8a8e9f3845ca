#!/usr/bin/env python3
"""Runs `swathe bench` on small problems and checks the files that it writes.

    bench_run.py SWATHE PLANTED [--sanitized]

PLANTED is a swathe-bench whose two-pass algorithm is wrong: bench must refuse to time it. The
OpenCL device is used if there is one, but not in sanitized builds, because drivers leak; nor are
time limits checked there.
"""
import json
import os
import pty
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import sample_report

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/program/report"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
import bench_data  # noqa: E402
import derive  # noqa: E402
from processes import catches  # noqa: E402

problems = []


def expect(holds, what):
    if not holds:
        problems.append(what)
        print("FAILED", what)


def bench(swathe, folder, *words, status=0, command=("bench",), output=False):
    """Runs the benchmark, which must end with this status, and returns its JSON with all figures that the
    report computes. Writes tables to folder/out if `output` is set."""
    out = os.path.join(folder, "out")
    to = ("--output", out, "--overwrite", "--no-plots") if output else ("--json",)
    got = subprocess.run([swathe, *command, *words, *to], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, env=dict(os.environ, TMPDIR=folder, SWATHE_WISDOM="off"), timeout=300)
    expect(got.returncode == status, f"{words}: status {got.returncode}\n{got.stdout[-1000:]}{got.stderr}")
    if not output:
        return filled(json.loads(got.stdout)), got
    with open(os.path.join(out, "bench.json"), encoding="utf-8") as file:
        return filled(json.load(file)), got


def filled(document):
    found = derive.fill(bench_data.Bench(document))
    return {**document, "warnings": found.warnings, "published": found.published}


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-300)


def check_scope(name, scope):
    samples = scope["samples"]
    expect(len(samples) == len(scope["visit"]) == len(scope["cpu"]) == scope["runs"], name + " lists")
    expect(near(scope["median"], statistics.median(samples)), name + " median")
    expect(near(scope["mean"], statistics.fmean(samples)), name + " mean")
    expect(near(scope["best"], min(samples)), name + " best")
    if len(samples) < 5:
        expect(scope["low"] is scope["high"] is None and scope["no_interval"] == "too few runs",
               name + " has too few runs")
    elif not scope["no_interval"]:
        expect(scope["low"] <= scope["median"] <= scope["high"], name + " interval")
    expect(min(samples) > 0, name + " takes time")


def check_result(result):
    name = f"{result['filter']} {result['strategy']} on {result['device']}"
    expect(result["status"] == "ok", f"{name}: {result['status']} {result['why']}")
    for scope in result["scopes"]:
        check_scope(f"{name} {scope}", result["scopes"][scope])
    gpu = result["device"] != "cpu"
    expect(("transfer" in result["scopes"]) == gpu, name + " has transfers")
    expect({"kernel", "call"} <= set(result["scopes"]), name + " scopes")
    samples = result["width"] * result["height"] * result["channels"]
    size = {"u8": 1, "u16": 2, "s16": 2, "f32": 4}[result["type"]]
    expect(result["bytes"] == 2 * samples * size, name + " bytes")
    if result["k"]:
        expect(result["flop"] == 2 * result["k"] ** 2 * samples, name + " flop")
    kernel = result["scopes"]["kernel"]["median"]
    expect(near(result["gbs"], result["bytes"] / kernel * 1e-6), name + " GB/s")
    if gpu:
        expect(result["scopes"]["transfer"]["median"] >= kernel, name + " transfers take time")


def check_speedups(results):
    """Speed-ups are relative to the sequential loop and to one thread on the same problem."""
    for result in results:
        same = [other for other in results
                if all(other[key] == result[key] for key in ("filter", "width", "type", "layout"))]
        for strategy, name in (("sequential", "speedup_sequential"), ("best", "speedup_single")):
            base = [other["scopes"]["kernel"]["median"] for other in same
                    if (other["device"], other["strategy"], other["threads"]) == ("cpu", strategy, 1)]
            wanted = base[0] / result["scopes"]["kernel"]["median"]
            expect(near(result[name], wanted), f"{name} of {result['strategy']}")


def has_opencl(swathe):
    if "--sanitized" in sys.argv:
        return False
    listing = subprocess.run([swathe, "devices"], stdout=subprocess.PIPE, text=True, check=True)
    return "opencl:0" in listing.stdout


def check_scan(swathe, folder):
    devices = "cpu,opencl:0" if has_opencl(swathe) else "cpu"
    data, _ = bench(swathe, folder, "dense:{k}", "--scan", "k=3,5", "--size", "40x30", "--type", "u8,f32",
                    "--border", "constant(0)", "--layout", "interleaved,planar", "--device", devices,
                    "--strategy", "best,sequential,naive", "--threads", "1,2", "--seconds", "0.02",
                    "--runs", "4", "--visits", "2")
    expect(data["format"] == bench_data.FORMAT, "format")
    results = data["results"]
    contenders = 3 + 2 * ("opencl" in devices)
    expect(len(results) == 8 * contenders, f"{len(results)} results")
    for result in results:
        check_result(result)
        expect(result["verified"] == "every sample", "verified by " + result["verified"])
        expect(result["scopes"]["kernel"]["runs"] >= 4, "runs")
        expect(set(result["scopes"]["kernel"]["visit"]) == {0, 1}, "visits")
    check_speedups(results)
    exact = [result for result in results if result["strategy"] != "sequential" and result["type"] == "u8"
             and result["k"] == 3 and result["layout"] == "planar"]
    expect(len({result["checksum"] for result in exact}) == 1, "equal results have equal checksums")
    if "opencl" in devices:
        names = [device["device"] for entry in data["devices"] for device in entry["devices"]]
        expect("opencl:0" in names, f"devices: {names}")
    else:
        expect(data["devices"] == [], "no driver is loaded for the CPU")
    expect(data["peaks"][0]["copy_gbs"] > 0 and data["peaks"][0]["fma_gflops"] > 0, "peaks")


def check_few(swathe, folder):
    """Two runs are too few for an interval: no table, list or file has one."""
    data, _ = bench(swathe, folder, "sharpen", "--size", "32", "--threads", "1", "--seconds", "0",
                    "--runs", "2", "--visits", "2", output=True)
    kernel = data["results"][0]["scopes"]["kernel"]
    expect(kernel["runs"] == 2 and kernel["low"] is None and kernel["high"] is None, "few: JSON")
    expect(kernel["no_interval"] == "too few runs", "few: the reason")
    expect(any("too few runs" in text for text in data["warnings"]), "few: a warning")
    expect(data["experiments"][0]["headline"] == "too few runs for a headline", "few: the headline")
    for name, words in (("bench.md", "| too few runs |"), ("bench.csv", ",,,too few runs,")):
        with open(os.path.join(folder, "out", name), encoding="utf-8") as file:
            expect(words in file.read(), f"few: {name}")


def check_output(swathe, folder):
    """The last lines state the result in a sentence, and the path of the file to read."""
    _, got = bench(swathe, folder, "dense:3", "dense:5", "--size", "64", "--threads", "1", "--seconds",
                   "0.01", "--strategy", "best,sequential", output=True)
    lines = got.stdout.splitlines()
    expect(re.match(r"scan: best is [0-9.]+ times as fast as sequential \(median over 2 problems\)",
                    lines[0]) is not None, "headline: " + lines[0])
    expect(lines[-1] == os.path.join(folder, "out", "bench.md"), "path: " + lines[-1])


def check_terminal(swathe, columns):
    """On a terminal, tables are at most as wide as the terminal; in a pipe they contain every
    column."""
    words = [swathe, "bench", "dense:3", "sharpen,gaussian:5", "--size", "64", "--threads", "1",
             "--seconds", "0.01", "--strategy", "best,sequential-products"]
    shown = []

    def read(descriptor):
        shown.append(os.read(descriptor, 4096))
        return shown[-1]
    os.environ["COLUMNS"] = str(columns)
    saved = os.dup(1)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        pty.spawn(words, read, lambda _: b"")
        os.dup2(saved, 1)
    lines = [line for line in b"".join(shown).decode().replace("\r", "\n").splitlines()
             if line.startswith("|")]
    expect(len(lines) == 6 and max(map(len, lines)) <= columns, f"{columns} columns: {lines}")
    piped = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
    expect("| over one thread |" in piped, "a pipe gets all columns")


def check_without_python(swathe, folder):
    """Without Python there are medians and bench.json, and an error for a comparison."""
    words, hidden = ("sharpen", "--size", "32", "--threads", "1", "--seconds", "0.01"), {"PATH": folder, "TMPDIR": folder}
    out = os.path.join(folder, "out")
    for more in ((), ("--output", out, "--overwrite")):
        got = subprocess.run([swathe, "bench", *words, *more], capture_output=True, text=True, env=hidden,
                             check=False)
        expect(got.returncode == 0 and re.match(r"sharpen 32x32x3 .* best on cpu, 1 thread: [0-9.e-]+ ms, median",
                                                got.stdout), f"without python3: {got}")
        expect("python3 is needed" in got.stderr, f"without python3: {got.stderr}")
    path = os.path.join(out, "bench.json")
    got = subprocess.run([swathe, "bench", "compare", path, path], capture_output=True, text=True, env=hidden,
                         check=False)
    expect(got.returncode == 7 and "python3" in got.stderr, f"compare without python3: {got}")


def check_image(swathe, folder):
    """A user's image is measured unchanged, and a file that is not an image is refused."""
    path = os.path.join(folder, "own.ppm")
    with open(path, "wb") as file:
        file.write(b"P6 40 30 255\n" + bytes(range(240)) * 15)
    data, _ = bench(swathe, folder, "sharpen", "dense:{k}", path, "--scan", "k=3,5", "--threads", "1",
                    "--seconds", "0.01", "--strategy", "best,sequential", "--layout", "interleaved,planar")
    for result in data["results"]:
        expect((result["width"], result["height"], result["channels"], result["type"], result["image"]) ==
               (40, 30, 3, "u8", path), f"image: {result['image']}")
        check_result(result)
    other, _ = bench(swathe, folder, "sharpen", "--size", "40x30", "--threads", "1", "--seconds", "0.01")
    expect(other["results"][0]["checksum"] not in [result["checksum"] for result in data["results"]],
           "image: its samples are measured")
    os.remove(path)


def check_stated(swathe, folder):
    """The report's stated runs are listed beside the actual ones, and all its problems are in
    the tables."""
    data, _ = bench(swathe, folder, "--suite", "report-001", "--budget", "3s", "--threads", "1",
                    output=True)
    stated = {(result["experiment"], result["k"], result["height"]): result["runs_stated"] for result in data["results"]
              if result["strategy"] == "sequential-padded"}
    for wanted in ((("report-001/masks", 3, 1000), 1000), (("report-001/masks", 63, 1000), 5),
                   (("report-001/sizes", 11, 100000), 2), (("report-001/borders", 11, 1000), None)):
        expect(stated[wanted[0]] == wanted[1], f"runs that report 001 states: {wanted}, {stated}")
    with open(os.path.join(folder, "out", "bench.md"), encoding="utf-8") as file:
        text = file.read()
    expect("| box:63 1000x1000x3" in text and "| box:11 10000x100000x3" in text, "all problems are listed")
    expect(" of 1000 " in text, "actual runs beside stated ones")


def check_settings(swathe, folder):
    for words, name, value in ((["--cache", "cold"], "cache", "cold"),
                               (["--memory", "fresh"], "memory", "fresh"),
                               (["--memory", "huge"], "memory", "huge"),
                               (["--transfer", "pageable"], "transfer", "pageable")):
        data, _ = bench(swathe, folder, "sharpen", "--size", "32", "--threads", "1", "--seconds", "0.01",
                        "--runs", "2", *words)
        expect(data["settings"][name] == value, f"{name} is recorded")
        expect(data["results"][0]["status"] == "ok", f"runs with {name} {value}")


def check_windows(swathe, folder):
    """Large masks are verified in windows, and whole results against each other."""
    data, _ = bench(swathe, folder, "dense:151", "--size", "700", "--type", "u8", "--threads", "1,2",
                    "--seconds", "0.01", "--runs", "1", "--visits", "1")
    expect(all("windows" in result["verified"] for result in data["results"]), "verified in windows")
    expect(len({result["checksum"] for result in data["results"]}) == 1, "threads agree")


# Chains, and an image size for each at which the definition is computed in windows, if that is
# possible.
CUT = (("sharpen,gaussian:5,edge,gaussian:9", "1500x1100", True), ("box:8x6", "1500x1100", True),
       ("gaussian:7:dense:anchor=0x6", "1500x1100", True), ("gaussian:5:dense:dilate=9", "900x700", True),
       ("dense:151", "2000x60", True), ("gaussian:9:border=wrap", "300x200", False),
       ("gaussian:9:border=valid,sharpen", "300x200", False), ("sobel-x:type=s16", "1500x1100", True))


def check_cuts(swathe, folder):
    """A window computed for the definition equals that part of the whole image's result."""
    for border in ("reflect101", "constant(9)"):
        for chain, size, cut in CUT:
            data, _ = bench(swathe, folder, chain, "--size", size, "--threads", "1", "--border", border,
                            "--budget", "1s", "--visits", "1", "--seconds", "0.01")
            result = data["results"][0]
            name = f"{chain} {border}"
            expect(result["status"] == "ok", f"{name}: {result['status']} {result['why']}")
            expect(("windows" in result["verified"]) == cut, f"{name}: verified by {result['verified']}")


def check_sample(data):
    """The sample report of the plots has only fields that the program writes."""
    made = sample_report.document()
    for key, value in made.items():
        expect(key in data, f"{key} of the sample is written")
        if key in ("results", "experiments", "peaks"):
            unknown = set(value[0]) - set(data[key][0])
            expect(not unknown, f"fields of {key} that only the sample has: {unknown}")


def check_ours(data):
    """Our fastest CPU result is listed beside every published figure of its problem."""
    names = ("experiment", "filter", "width", "height")
    for theirs in data["published"]:
        times = [result["scopes"][theirs["our_scope"]]["median"] for result in data["results"]
                 if result["status"] == "ok" and (result["device"], result["strategy"]) == ("cpu", "best")
                 and all(result[name] == theirs[name] for name in names)]
        ours = theirs["ours"]
        found = ours and ours["scopes"][theirs["our_scope"]]["median"]
        expect(found == min(times, default=None), f"ours beside {[theirs[name] for name in names]}")


def check_budget(swathe, folder):
    start = time.monotonic()
    data, _ = bench(swathe, folder, "--suite", "report-002", "--budget", "6s")
    taken = time.monotonic() - start
    expect(taken < 9 or "--sanitized" in sys.argv, f"a budget of 6 s took {taken:.1f} s")
    left = [result for result in data["results"] if result["status"] == "left out"]
    expect(left and all(result["why"] for result in left), "problems beyond the budget are listed, with the reason")
    reasons = [re.fullmatch(r"its 3 runs, .*, would take about (\S+) s, more than its share of the budget, (\S+) s",
                            result["why"]) for result in left]
    expect(any(reasons) and all(float(why[1]) > float(why[2]) for why in reasons if why),
           f"the reason compares what it needs with its share: {left[0]['why']}")
    expect(any(result["status"] == "ok" for result in data["results"]), "some results were measured")
    expect({result["experiment"] for result in data["results"]} == {"report-002/sharpen", "report-002/gaussian"},
           "the suite's experiments")
    expect(len(data["published"]) == 84, f"{len(data['published'])} published figures")
    check_sample(data)
    check_ours(data)
    data, _ = bench(swathe, folder, "--suite", "report-003/tiles", "--type", "u8", "--budget", "2s")
    expect(data["published"] == [], "figures of other types are not compared")


def catches_interrupts(child):
    """Signals are caught once the machine's peaks are known; before that there is nothing to write."""
    return catches(child.pid, signal.SIGINT)


def check_interrupt(swathe, folder):
    out = os.path.join(folder, "out")
    child = subprocess.Popen([swathe, "bench", "--suite", "report-002", "--output", out, "--overwrite",
                              "--no-plots"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             env=dict(os.environ, TMPDIR=folder))
    until = time.monotonic() + 60
    while not catches_interrupts(child) and time.monotonic() < until:
        time.sleep(0.1)
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    expect(child.wait(60) == -signal.SIGINT, f"Ctrl-C ends it: {child.returncode}")
    with open(os.path.join(out, "bench.json"), encoding="utf-8") as file:
        data = json.load(file)
    expect(any("interrupted" in text for text in data["warnings"]), "and it prints that")


def check_planted(planted, folder):
    """A wrong result is not timed; the others are."""
    data, got = bench(planted, folder, "gaussian:9", "--size", "64", "--threads", "1", "--strategy",
                      "two-pass,reference", "--seconds", "0.01", "--runs", "2", status=1, command=())
    by_strategy = {result["strategy"]: result for result in data["results"]}
    wrong, right = by_strategy["two-pass"], by_strategy["reference"]
    expect(wrong["status"] == "wrong", f"the wrong one is {wrong['status']}")
    expect(wrong["scopes"] == {}, "and has no times")
    expect("sample" in wrong["why"], "and where: " + wrong["why"])
    expect(right["status"] == "ok" and right["scopes"]["kernel"]["runs"] >= 2, "the right one is timed")
    expect("wrong result" in got.stderr, "the message")


def main():
    swathe = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for check in (check_scan, check_few, check_output, check_image, check_stated, check_settings,
                      check_windows, check_cuts, check_budget, check_interrupt, check_without_python):
            check(swathe, folder)
        for columns in (60, 80, 132):
            check_terminal(swathe, columns)
        check_planted(os.path.abspath(sys.argv[2]), folder)
        left = [name for name in os.listdir(folder) if name != "out"]
        expect(left == [], f"left behind: {left}")
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
