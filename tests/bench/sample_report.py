#!/usr/bin/env python3
"""Writes a bench.json like `swathe bench --suite reports`, with invented figures: to test the
plots, and to view them without an hour of measuring.

    sample_report.py DIR

The published times have the reports' order of magnitude. Some results are wrong, refused or
omitted, and some fields are null.
"""
import json
import os
import random
import sys

BYTES = {"u8": 1, "s16": 2, "f32": 4}
SIZES_000 = [(2 ** (n // 2), 2 ** (n - n // 2)) for n in range(10, 23, 2)]
SIZES_001 = [(100, 100), (500, 500), (1000, 1000), (1000, 10000), (10000, 10000)]
SIZES_002 = [(99, 99), (512, 512), (1080, 720), (1920, 1281), (4272, 2848), (5472, 3648),
             (6000, 4000)]
SIZES_004 = [(1600, 1067), (1616, 1080), (1920, 1080), (2238, 2446), (6000, 2908)]
MASKS_001 = (3, 9, 17, 33, 63, 121)
CHAIN = "sharpen,gaussian:5,edge,gaussian:9"
# GFLOP/s of a direct sum and fixed cost in ms; effective for "best".
SPEED = {"sequential": (1.6, 0.0), "openmp": (3.1, 0.02), "naive": (6.0, 0.1),
         "constant": (7.0, 0.1), "shared": (4.0, 0.1), "shared-constant": (4.6, 0.1),
         "cached": (5.2, 0.1), "quad": (4.4, 0.1), "quad-constant": (4.9, 0.1), "tiled": (5.0, 0.1),
         "tiled-planar": (5.5, 0.1), "tiled-interleaved": (5.1, 0.1), "1channel": (3.3, 0.2),
         "1channel-constant": (3.9, 0.2), "3channel": (4.4, 0.1), "3channel-grid": (2.1, 0.1),
         "3channel-planes": (5.7, 0.1), "global": (2.9, 0.1), "global-constant": (3.0, 0.1), "best": (95.0, 0.004)}
BASELINES = {"sequential": "sequential", "openmp": "parallel"}
GPU_002 = ("global", "quad", "global-constant", "quad-constant", "best")
GPU_001 = ("1channel", "1channel-constant", "3channel", "3channel-grid", "3channel-planes", "best")
GPU_004 = ("naive", "constant", "tiled-planar", "tiled-interleaved", "best")


def mask_size(text):
    """Returns the mask size of a filter, or None for a chain."""
    return None if "," in text else int((text.split(":") + ["3"])[1])


class Maker:
    """Generates times from a fixed seed, so that every run writes the same file."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.results, self.published = [], []
        self.base = {}  # sequential times by problem

    def scope(self, time):
        noise = 0.01 + 0.05 * self.random.random()
        drawn = [time * (1 + noise * abs(self.random.gauss(0, 1))) for _ in range(12)]
        ordered = sorted(drawn)
        mean = sum(drawn) / len(drawn)
        deviation = (sum((one - mean) ** 2 for one in drawn) / (len(drawn) - 1)) ** 0.5
        return {"median": ordered[6], "low": ordered[3], "high": ordered[9], "mean": mean,
                "sd": deviation, "best": ordered[0], "runs": len(drawn), "outliers": 0,
                "noisy": noise > 0.055, "cpu_median": ordered[6], "samples": drawn,
                "visit": [0] * 6 + [1] * 6, "cpu": drawn}

    def kernel_time(self, result):
        speed, fixed = SPEED[result["strategy"]]
        if result["device"] == "cpu" and result["strategy"] == "best":
            speed *= (1.0 + 0.9 * (result["threads"] - 1)) * max(1.0, result["k"] / 4)
            fixed += result["bytes"] / 1e9 / (17 + 8 * (result["threads"] - 1)) * 1e3
        elif result["strategy"] == "best":
            speed = 18.0
        if result["block"]:
            speed *= 1.0 - abs(result["block"] - 18) / 60
        return fixed + result["flop"] / speed / 1e6

    def scopes(self, result):
        time = self.kernel_time(result)
        found = {"kernel": self.scope(time)}
        if result["device"] != "cpu":
            found["transfer"] = self.scope(time + 0.05 + result["bytes"] / 8e6)
        if result["strategy"] not in ("sequential", "openmp"):
            moved = time + 0.08 + result["bytes"] / (4e6 if result["device"] != "cpu" else 2e7)
            found.update(call=self.scope(moved), first=self.scope(moved + 40))
        return found

    def result(self, experiment, filter_text, size, **more):
        taps = sum(mask_size(name) ** 2 for name in filter_text.split(","))
        result = {"experiment": experiment, "problem": "", "contender": "", "filter": filter_text, "k": round(taps ** 0.5),
               "width": size[0], "height": size[1], "channels": 3, "type": "f32",
               "layout": "interleaved", "border": "constant(0)", "device": "cpu",
               "strategy": "best", "block": None, "threads": 1, "algorithm": None, "status": "ok",
               "why": None, "verified": "every sample", "checksum": "0123456789abcdef"}
        result.update(more)
        result.update(problem=f"{filter_text} {size[0]}x{size[1]}x3 {result['type']} {result['layout']}",
                   contender=f"{result['strategy']} on {result['device']}",
                   baseline=BASELINES.get(result["strategy"]))
        samples = size[0] * size[1] * 3
        result.update(bytes=2 * samples * BYTES[result["type"]], flop=2 * taps * samples)
        result["effective"] = result["strategy"] == "best" and result["k"] > 3
        self.derive(result, self.scopes(result))
        self.results.append(result)
        return result

    def derive(self, result, scopes):
        time = scopes["kernel"]["median"]
        key = tuple(result[name] for name in ("experiment", "filter", "width", "layout"))
        if result["strategy"] == "sequential":
            self.base[key] = time
        result.update(scopes=scopes, gbs=result["bytes"] / time / 1e6, gflops=result["flop"] / time / 1e6)
        on_cpu = result["device"] == "cpu"
        result["copy_share"] = result["gbs"] / 17 if on_cpu else None
        result["fma_share"] = result["gflops"] / 170 if on_cpu and result["type"] == "f32" else None
        result["speedup_sequential"] = self.base[key] / time if key in self.base else None
        result["speedup_single"] = 1.8 if on_cpu and result["threads"] == 2 else None

    def contenders(self, experiment, filter_text, size, gpu, openmp=False, **more):
        self.result(experiment, filter_text, size, strategy="sequential", **more)
        if openmp:
            self.result(experiment, filter_text, size, strategy="openmp", threads=2, **more)
        for count in (1, 2):
            self.result(experiment, filter_text, size, threads=count,
                     algorithm="two-pass", **more)
        for strategy in gpu:
            self.result(experiment, filter_text, size, strategy=strategy, device="opencl:0", **more)

    def publish(self, experiment, filter_text, size, device, variant, scope, ms, **more):
        result = {"experiment": experiment, "device": device,
               "gpu": scope != "cpu", "variant": variant, "strategy": None, "scope": scope,
               "filter": filter_text, "k": mask_size(filter_text),
               "width": size[0], "height": size[1], "channels": 3, "block": None, "ms": ms,
               "doubtful": ms > 1e5, "our_scope": "call" if scope == "call" else "kernel"}
        result.update(more)
        self.published.append(result)


# ---- The experiments -------------------------------------------------------------------------------

def report_000(maker):
    for k in (3, 5, 7, 9):
        for size in SIZES_000:
            maker.contenders("report-000/bandwidth", f"gaussian:{k}", size,
                             ("naive", "shared", "shared-constant", "cached", "best"))


def report_001(maker):
    variants = {"1channel_noConst": ("1channel", 1.4), "1channel": ("1channel-constant", 1.3),
                "3channel": ("3channel", 1.1), "3channel_grid": ("3channel-grid", 3.4),
                "3channel_3": ("3channel-planes", 1.0)}
    problems = [("report-001/masks", k, (1000, 1000)) for k in MASKS_001]
    problems += [("report-001/sizes", 11, size) for size in SIZES_001]
    for name, k, size in problems:
        pixels = size[0] * size[1]
        maker.contenders(name, f"box:{k}", size, GPU_001, type="s16", layout="planar")
        maker.publish(name, f"box:{k}", size, "Intel Xeon Silver 4314 (1 thread)", "Seq", "cpu",
                      pixels * k * k * 3.5e-6)
        for variant, (strategy, factor) in variants.items():
            maker.publish(name, f"box:{k}", size, "NVIDIA RTX A2000", variant, "call",
                          factor * pixels * (2.4e-6 + k * k * 6e-9), strategy=strategy)


def report_002(maker):
    variants = {"Global": ("naive", 1.0), "Shared": ("quad", 0.9),
                "Global+Constant": ("constant", 0.5), "Shared+Constant": ("quad-constant", 0.45)}
    for name, mask, per_pixel in (("sharpen", "sharpen", 3e-4), ("gaussian", "gaussian:5", 7e-4)):
        name = f"report-002/{name}"
        for size in SIZES_002:
            pixels = size[0] * size[1]
            maker.contenders(name, mask, size, GPU_002, openmp=True)
            for variant, factor in (("Sequential", 1.0), ("OpenMP", 0.54)):
                maker.publish(name, mask, size, "Intel Core i7-3537U", variant, "cpu",
                              factor * pixels * per_pixel)
            for variant, (strategy, factor) in variants.items():
                maker.publish(name, mask, size, "NVIDIA GeForce GT 720M", variant, "kernel",
                              factor * pixels * per_pixel / 7, strategy=strategy)


def report_003(maker):
    size, cpu, gpu = (1333, 2000), "AMD Ryzen 7 3800X (1 thread)", "NVIDIA GeForce RTX 3070"
    maker.contenders("report-003/tiles", "gaussian:5", size, ("best",))
    for block in range(8, 33, 4):
        maker.result("report-003/tiles", "gaussian:5", size, device="opencl:0", strategy="tiled",
                  block=block)
        maker.publish("report-003/tiles", "gaussian:5", size, gpu, f"Tiled {block}", "total",
                      9.6 + abs(block - 16) / 40, block=block, strategy="tiled")
    for k in range(3, 16, 2):
        maker.contenders("report-003/masks", f"gaussian:{k}", size, ("best",))
        maker.result("report-003/masks", f"gaussian:{k}", size, device="opencl:0", strategy="tiled",
                  block=16)
        maker.publish("report-003/masks", f"gaussian:{k}", size, cpu, "Sequential (mask sweep)",
                      "cpu", 7.0 * k * k + 50)
        maker.publish("report-003/masks", f"gaussian:{k}", size, gpu, "Tiled 16 (mask sweep)",
                      "total", 9.8 + 0.7 * k, block=16, strategy="tiled")


def report_004(maker):
    cpu, gpu = "host CPU of the same system (1 thread)", "AMD Radeon 890M"
    for size in SIZES_004:
        pixels = size[0] * size[1]
        for mask, factor in (("sharpen", 1.0), ("edge", 1.1), ("gaussian:5", 2.7),
                             ("gaussian:9", 9.5)):
            for layout in ("interleaved", "planar"):
                maker.contenders("report-004/filters", mask, size, GPU_004, type="u8",
                                 layout=layout)
            for scope, device, variant, per_pixel in (
                    ("cpu", cpu, "Sequential", 1.5e-4), ("total", gpu, "Tiled interleaved", 1.7e-6),
                    ("kernel", gpu, "Tiled interleaved", 3.5e-7)):
                maker.publish("report-004/filters", mask, size, device, variant, scope,
                              factor * pixels * per_pixel, strategy="tiled-interleaved")
        maker.contenders("report-004/chain", CHAIN, size, GPU_004, type="u8")
        maker.publish("report-004/chain", CHAIN, size, gpu, "Tiled interleaved", "kernel",
                      pixels * 3e-6, strategy="tiled-interleaved")
        maker.publish("report-004/chain", CHAIN, size, cpu, "Sequential", "cpu", pixels * 2.2e-3)


EXPERIMENTS = [
    ("report-000/bandwidth", "Bandwidth and arithmetic, random f32 matrices × 3 channels", "pixels",
     ["bandwidth", "flops", "time"]),
    ("report-001/masks", "Blur over mask size, 1000 × 1000 × 3 s16, planar", "k",
     ["time", "speedup", "transfer"]),
    ("report-001/sizes", "Blur 11 × 11 over image size, s16, planar", "pixels",
     ["time", "speedup"]),
    ("report-002/sharpen", "Sharpen 3 × 3 over image size, f32", "pixels",
     ["time", "speedup", "strategies"]),
    ("report-002/gaussian", "Gaussian 5 × 5 over image size, f32", "pixels",
     ["time", "speedup", "strategies"]),
    ("report-003/tiles", "Tile size at k = 5, 1333 × 2000 × 3 f32", "block", ["tiles", "transfer"]),
    ("report-003/masks", "Mask size at tile 16, 1333 × 2000 × 3 f32", "k",
     ["time", "speedup", "transfer"]),
    ("report-004/filters", "Filters over image size, u8, interleaved and planar", "filter",
     ["time", "speedup", "strategies", "transfer"]),
    ("report-004/chain", "The chain sharpen, Gaussian 5, edge, Gaussian 9; u8", "pixels",
     ["chain", "time", "speedup", "transfer"]),
]


def add_failures(maker):
    """Makes some results not ok, and removes fields that do not apply."""
    def pick(**wanted):
        return next(result for result in maker.results
                    if all(result.get(name) == value for name, value in wanted.items()))
    for status, why, result in (
            ("wrong", "sample (3, 4): 17, not 12", pick(strategy="3channel-grid", k=17)),
            ("refused", "tiled:32 needs 1024 threads, the device has 512", pick(block=32)),
            ("left out", "needs 12 GiB, 6 GiB may be used", pick(strategy="quad", width=6000))):
        result.update(status=status, why=why, scopes=None, gbs=None, gflops=None, checksum=None)
    pick(strategy="shared", k=5)["scopes"]["first"] = None
    sparse = pick(strategy="cached", k=9)
    sparse["scopes"]["kernel"].update(samples=None, low=None, high=None, sd=None,
                                      no_interval="too few runs")


def pair(maker):
    """Assigns our fastest CPU result to each published one, as the program does."""
    for theirs in maker.published:
        def time(i, scope=theirs["our_scope"]):
            return maker.results[i]["scopes"][scope]["median"]
        fitting = [i for i, result in enumerate(maker.results) if result["status"] == "ok"
                   and (result["device"], result["strategy"]) == ("cpu", "best")
                   and all(result[name] == theirs[name]
                           for name in ("experiment", "filter", "width", "height"))]
        theirs["ours"] = min(fitting, key=time, default=None)


def document():
    maker = Maker(6)
    for report in (report_000, report_001, report_002, report_003, report_004):
        report(maker)
    add_failures(maker)
    pair(maker)
    return {
        "format": "swathe-bench 2", "command": "swathe bench --suite reports --budget 10m",
        "started": "2026-01-01T00:00:00Z", "seconds": 598.2, "budget_s": 600,
        "machine": {"cpu": "Invented CPU <sample> & co", "cpus": 2, "memory_bytes": 25e9,
                    "caches": "L1d 48 KiB, L2 2 MiB", "system": "Linux x86_64",
                    "governor": "not readable", "mhz_before": 2000.0, "mhz_after": None,
                    "affinity": "0-1", "huge_pages": "madvise"},
        "build": {"version": "0.1.0", "contract": 1, "compiler": "gcc 12.2.0", "flags": "-O3",
                  "baseline_flags": "-O2"},
        "devices": [{"back_end": "opencl", "devices": [
            {"device": "opencl:0", "gpu": False, "name": "pthread", "driver": "PoCL 3.1"}]}],
        "peaks": [{"threads": 1, "copy_gbs": 17.2, "fma_gflops": 170.0},
                  {"threads": 2, "copy_gbs": 25.1, "fma_gflops": 331.0}],
        "settings": {"seed": 1, "min_runs": 5, "seconds": 0.5, "visits": 2, "cache": "warm",
                     "memory": "reused", "transfer": "pinned"},
        "experiments": [{"id": name, "title": title, "x": x, "plots": plots,
                         "loop": "sequential",
                         "headline": "best is 9.5 times as fast as sequential (median over 7 problems)"}
                        for name, title, x, plots in EXPERIMENTS],
        "warnings": ["the figures of this file are invented"],
        "results": maker.results, "published": maker.published}


PEERS = [{"work": "u8x3-6000x4000-sharpen", "threads": count, "swathe_ms": 16.2 / count,
          "best_peer": "Halide 16 bits", "best_peer_ms": 15.4 / count, "memcpy_ms": 8.8,
          "speedup": 0.95, "over_memcpy": 1.8, "ok": True, "swathe_how": "direct/vnni",
          "nt_copy_ms": 6.5, "scaling": 1.0 * count,
          "peers": [{"contender": "OpenCV", "way": "filter2D", "best_ms": 54.3, "median_ms": 63.4,
                     "runs": 10, "ok": True, "error": 0.0},
                    {"contender": "SciPy", "way": "correlate", "ok": False,
                     "reason": "skipped: far behind"}]} for count in (1, 2)]


def write(folder, made, peers=None):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "bench.json"), "w", encoding="utf-8") as file:
        json.dump(made, file)
    if peers:
        with open(os.path.join(folder, "peers.jsonl"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(result) + "\n" for result in peers)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write(sys.argv[1], document(), PEERS)
