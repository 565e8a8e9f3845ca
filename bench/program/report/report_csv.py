"""bench.csv: one line for each contender and scope."""
import csv
import io

import bench_data

WHAT = ("experiment", "filter", "runs", "k", "width", "height", "channels", "type", "layout", "border",
        "device", "strategy", "block", "threads", "algorithm", "status", "image", "why", "verified")
# Column names and the fields of a scope.
TIMES = {"median_ms": "median", "low_ms": "low", "high_ms": "high", "no_interval": "no_interval",
         "mean_ms": "mean", "sd_ms": "sd", "best_ms": "best", "cpu_median_ms": "cpu_median",
         "samples": "runs", "outliers": "outliers", "noisy": "noisy"}
# For the kernel alone.
RATES = {"gb_per_s": "gbs", "gflop_per_s": "gflops", "effective": "effective",
         "copy_share": "copy_share", "fma_share": "fma_share",
         "speedup_sequential": "speedup_sequential", "speedup_single": "speedup_single"}


def cell(value):
    if isinstance(value, bool):
        return int(value)
    return f"{value:.6g}" if isinstance(value, float) else value


def lines(result):
    scopes = [(name, entry) for name in bench_data.SCOPE_WORDS if (entry := bench_data.scope(result, name))]
    what = [result.get(name) for name in WHAT]
    if result.get("status") != "ok":
        yield what
    for name, entry in scopes:
        yield what + [name] + [entry.get(field) for field in TIMES.values()] + \
            [result.get(field) if name == "kernel" else None for field in RATES.values()]


def table(bench):
    out, header = io.StringIO(), [*WHAT, "scope", *TIMES, *RATES]
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for result in bench.results:
        for line in lines(result):
            writer.writerow([cell(value) for value in line] + [None] * (len(header) - len(line)))
    return out.getvalue()
