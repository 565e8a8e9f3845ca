#!/usr/bin/env python3
"""Writes a bench.json like `swathe bench --suite reports`, with invented figures: to test the
plots, and to view them without an hour of measuring.

    sample_report.py DIR

Some results are wrong, refused or omitted, and some fields are null.
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
SPEED = {"sequential": (1.6, 0.0), "sequential-padded": (1.7, 0.0), "sequential-products": (0.9, 0.0),
         "openmp-products": (1.7, 0.02), "naive": (6.0, 0.1), "naive-down": (2.0, 0.1), "constant": (7.0, 0.1),
         "shared": (4.0, 0.1), "shared-constant": (4.6, 0.1), "cached-down": (5.2, 0.1), "quad": (4.4, 0.1),
         "quad-constant": (4.9, 0.1), "tiled": (5.0, 0.1), "tiled-planar": (5.5, 0.1), "tiled-interleaved": (5.1, 0.1),
         "1channel-noconst": (3.3, 0.2), "1channel": (3.9, 0.2), "3channel": (4.4, 0.1), "3channel-grid": (2.1, 0.1),
         "3channel-3": (5.7, 0.1), "global": (2.9, 0.1), "global-constant": (3.0, 0.1), "best": (95.0, 0.004)}
# Report: its loop on the CPU, then strategies of GPUs, each with the report's name or None.
VARIANTS = {
    "report-000": {"sequential": "CPU Algorithm", "naive-down:runtime": "GPU Naive",
                   "shared:runtime": "GPU Shared Memory", "naive": None, "best": None,
                   "shared-constant:runtime": "GPU Shared Memory using Constant Memory",
                   "cached-down:runtime": "GPU Shared Memory using Cache"},
    "report-001": {"sequential-padded": "Seq", "1channel-noconst:runtime": "1channel_noConst",
                   "1channel:runtime": "1channel", "3channel:runtime": "3channel",
                   "3channel-grid:runtime": "3channel_grid", "3channel-3:runtime": "3channel_3", "best": None},
    "report-002": {"sequential-products": "Sequential", "global": "Global", "quad": "Shared",
                   "global-constant": "Global+Constant", "quad-constant": "Shared+Constant",
                   "best": None},
    "report-003": {"sequential": "Sequential", "best": None},
    "report-004": {"sequential": "CPU", "naive": "Naive", "constant": "Constant Mask Cache",
                   "tiled-planar": "Tiled with Constant Cache",
                   "tiled-interleaved": "Interleaved Tiled with Constant Cache", "best": None}}
ARITHMETICS = {"report-001": "report-001", "report-002": "report-002"}
# Shares of what a call takes beyond its kernels.
PHASES = {"plan": 0.1, "result": 0.1, "allocate": 0.05, "gather": 0.15, "upload": 0.25, "kernels": 0.0,
          "download": 0.2, "scatter": 0.1, "release": 0.05}


def mask_size(text):
    """Returns the mask size of a filter, or None for a chain."""
    return None if "," in text else int((text.split(":") + ["3"])[1])


class Maker:
    """Generates times from a fixed seed, so that every run writes the same file."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.results, self.groups = [], {}

    def scope(self, time):
        noise = 0.01 + 0.05 * self.random.random()
        drawn = [time * (1 + noise * abs(self.random.gauss(0, 1))) for _ in range(12)]
        return {"samples": drawn, "visit": [0] * 6 + [1] * 6, "cpu": drawn}

    def kernel_time(self, result):
        speed, fixed = SPEED[result["strategy"].split(":")[0]]
        if result["device"] == "cpu" and result["strategy"] == "best":
            speed *= (1.0 + 0.9 * (result["threads"] - 1)) * max(1.0, result["k"] / 4)
            fixed += result["bytes"] / 1e9 / (17 + 8 * (result["threads"] - 1)) * 1e3
        elif result["strategy"] == "best":
            speed = 18.0
        if result["block"]:
            speed *= 1.0 - abs(result["block"] - 18) / 60
        return fixed + result["flop"] / speed / 1e6

    def phases(self, scope, kernels, names):
        """Adds phases that take nearly all of each sample."""
        rest = [0.98 * sample - kernels for sample in scope["samples"]]
        whole = sum(PHASES[name] for name in names)
        scope["phases"] = {name: [kernels if name == "kernels" else max(0.0, one) * PHASES[name] / whole
                                  for one in rest] for name in names}
        return scope

    def scopes(self, result):
        time, gpu = self.kernel_time(result), result["device"] != "cpu"
        found = {"kernel": self.scope(time)}
        if gpu:
            moved = time + 0.05 + result["bytes"] / 8e6
            found["transfer"] = self.scope(moved)
            names = [name for name in PHASES if name not in ("plan", "result")]
            self.phases(found["kernel"], time, names)
            found["kernel"]["phases"]["kernels"] = [1.1 * one for one in found["kernel"]["samples"]]
        if not result["baseline"]:
            call = self.scope(1.02 * time + 0.08 + result["bytes"] / (4e6 if gpu else 2e7))
            found["call"] = self.phases(call, 1.02 * time, list(PHASES) if gpu else ["plan", "result"])
            found["first"] = self.scope(call["samples"][0] + 40)
        return found

    def result(self, experiment, filter_text, size, **more):
        taps = sum(mask_size(name) ** 2 for name in filter_text.split(","))
        report = experiment.split("/")[0]
        result = {"experiment": experiment, "problem": "", "contender": "", "filter": filter_text,
                  "k": round(taps ** 0.5), "width": size[0], "height": size[1], "channels": 3, "type": "f32",
                  "layout": "interleaved", "border": "constant(0)", "device": "cpu", "strategy": "best",
                  "variant": None, "ran": None, "arithmetic": "contract", "held": None, "block": None,
                  "threads": 1, "algorithm": None, "status": "ok", "why": None,
                  "verified": "every sample", "checksum": "0123456789abcdef"}
        result.update(more)
        name = result["strategy"] + (f" ({result['variant']})" if result["variant"] else "")
        loop = result["strategy"].split("-")[0]
        result.update(problem=f"{filter_text} {size[0]}x{size[1]}x3 {result['type']} {result['layout']}",
                      contender=f"{name} on {result['device']}",
                      baseline={"sequential": "sequential", "openmp": "parallel"}.get(loop))
        if result["variant"]:
            result["arithmetic"] = ARITHMETICS.get(report, "contract")
        samples = size[0] * size[1] * 3
        result.update(bytes=2 * samples * BYTES[result["type"]], flop=2 * taps * samples)
        result["effective"] = result["strategy"] == "best" and result["k"] > 3
        result["scopes"] = self.scopes(result)
        result["group"] = self.groups.setdefault((experiment, result["problem"]), len(self.groups))
        self.results.append(result)
        return result

    def contenders(self, experiment, filter_text, size, openmp=None, **more):
        """Adds the loop of the report, Swathe's best on the CPU, and the strategies of GPUs."""
        (loop, name), *strategies = VARIANTS[experiment.split("/")[0]].items()
        self.result(experiment, filter_text, size, strategy=loop, variant=name, **more)
        if openmp:
            self.result(experiment, filter_text, size, strategy=openmp, variant="OpenMP", threads=2, **more)
        for count in (1, 2):
            self.result(experiment, filter_text, size, threads=count, algorithm="two-pass", **more)
        for strategy, name in strategies:
            self.result(experiment, filter_text, size, strategy=strategy, variant=name, device="opencl:0", **more)


# ---- The experiments -------------------------------------------------------------------------------

def report_000(maker):
    for k in (3, 5, 7, 9):
        for size in SIZES_000:
            maker.contenders("report-000/matrices", f"dense:{k}", size)


def report_001(maker):
    held = {"type": "s16", "layout": "planar", "held": "padded"}
    for k in MASKS_001:
        maker.contenders("report-001/masks", f"box:{k}", (1000, 1000), **held)
    for size in SIZES_001:
        maker.contenders("report-001/sizes", "box:11", size, **held)


def report_002(maker):
    for size in SIZES_002:
        for experiment, text in (("sharpen", "sharpen"), ("gaussian", "gaussian:5")):
            maker.contenders(f"report-002/{experiment}", text, size, openmp="openmp-products")


def report_003(maker):
    size, tiled = (1333, 2000), {"device": "opencl:0", "strategy": "tiled:runtime", "variant": "Parallel"}
    maker.contenders("report-003/tiles", "dense:5", size)
    for block in range(8, 33, 4):
        maker.result("report-003/tiles", "dense:5", size, block=block, **tiled)
    for k in range(3, 16, 2):
        maker.contenders("report-003/masks", f"dense:{k}", size)
        maker.result("report-003/masks", f"dense:{k}", size, block=16, **tiled)


def report_004(maker):
    for size in SIZES_004:
        for mask in ("sharpen", "edge", "gaussian:5", "gaussian:9"):
            for layout in ("interleaved", "planar"):
                maker.contenders("report-004/filters", mask, size, type="u8", layout=layout)
        maker.contenders("report-004/chain", CHAIN, size, type="u8")


EXPERIMENTS = [
    ("report-000/matrices", "Dense masks over image size, random f32 matrices × 3 channels", "pixels",
     "time bandwidth speedup roofline transfer figure5 figure6"),
    ("report-001/masks", "Blur over mask size, 1000 × 1000 × 3 s16, planar", "k", "time speedup strategies transfer"),
    ("report-001/sizes", "Blur 11 × 11 over image size, s16, planar", "pixels", "time speedup strategies transfer"),
    ("report-002/sharpen", "Sharpen 3 × 3 over image size, f32", "pixels", "time speedup strategies"),
    ("report-002/gaussian", "Gaussian 5 × 5 over image size, f32", "pixels", "time speedup strategies"),
    ("report-003/tiles", "Tile size at k = 5, 1333 × 2000 × 3 f32", "block", "tiles transfer"),
    ("report-003/masks", "Mask size at tile 16, 1333 × 2000 × 3 f32", "k", "time speedup transfer"),
    ("report-004/filters", "Filters over image size, u8, interleaved and planar", "filter",
     "time speedup strategies transfer figure1"),
    ("report-004/chain", "The chain sharpen, Gaussian 5, edge, Gaussian 9; u8", "pixels",
     "chain time speedup transfer"),
]


def add_failures(maker):
    """Makes some results not ok, and removes fields that do not apply."""
    def pick(**wanted):
        return next(result for result in maker.results
                    if all(result.get(name) == value for name, value in wanted.items()))
    for status, why, result in (
            ("wrong", "sample (3, 4): 17, not 12", pick(variant="3channel_grid", k=17)),
            ("refused", "tiled:32 needs 1024 threads, the device has 512", pick(block=32)),
            ("left out", "needs 12 GiB, 6 GiB may be used", pick(variant="Shared", width=6000))):
        result.update(status=status, why=why, scopes=None, checksum=None)
    pick(variant="GPU Shared Memory", k=5)["scopes"]["first"] = None
    kernel = pick(strategy="cached-down:runtime", k=9)["scopes"]["kernel"]
    kernel.update({name: values[:2] for name, values in kernel.items() if name != "phases"})
    pick(variant="Naive", filter="edge").update(
        ran="direct", contender="naive (ran direct) on opencl:0")


def document():
    maker = Maker(6)
    for report in (report_000, report_001, report_002, report_003, report_004):
        report(maker)
    add_failures(maker)
    return {
        "format": "swathe-bench 4", "command": "swathe bench --suite reports --budget 10m",
        "started": "2026-01-01T00:00:00Z", "seconds": 598.2, "budget_s": 600,
        "machine": {"cpu": "Invented CPU <sample> & co", "cpus": 2, "memory_bytes": 25e9,
                    "caches": "L1d 48 KiB, L2 2 MiB", "system": "Linux x86_64",
                    "governor": "not readable", "mhz_before": 2000.0, "mhz_after": None,
                    "affinity": "0-1", "huge_pages": "madvise"},
        "build": {"version": "0.1.0", "contract": 1, "compiler": "gcc 12.2.0", "flags": "-O3",
                  "baseline_flags": "-O2"},
        "devices": [{"back_end": "opencl", "devices": [
            {"device": "opencl:0", "gpu": False, "name": "pthread", "driver": "PoCL 3.1"}]}],
        "peaks": [{"device": "cpu", "threads": 1, "copy_gbs": 17.2, "fma_gflops": 170.0},
                  {"device": "cpu", "threads": 2, "copy_gbs": 25.1, "fma_gflops": 331.0},
                  {"device": "opencl:0", "threads": 1, "copy_gbs": 12.3, "fma_gflops": 45.0}],
        "settings": {"seed": 1, "min_runs": 5, "seconds": 0.5, "visits": 2, "cache": "warm",
                     "memory": "reused", "transfer": "default"},
        "experiments": [{"id": name, "title": title, "x": x, "plots": plots.split(), "published": True,
                         "assumed": ["its type is u8"] if "004" in name else []}
                        for name, title, x, plots in EXPERIMENTS],
        "warnings": ["the figures of this file are invented"],
        "results": maker.results}


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
