"""The tables of the report, as rows of text."""
import statistics

import against
import bench_data
import number_words

AGAINST_NOTE = ("Our fastest CPU time against the fastest variant that a report published for its "
                "GPU, on the same problem. The hardware is another one, so this compares systems, "
                "not programs; below 1 we are faster, above 1 behind. A CPU has no transfers: "
                "where the report's time holds them, ours is the kernel's. † marks published "
                "figures that are doubtful: report 001's mask of 121 × 121 does not fit into its "
                "constant array, and its 32-bit indices overflow on its largest image.")
ROOF_NOTE = ("The line is what this machine was measured to do: copies of images that no cache holds, and "
             "multiply-adds of f32 in registers. Small images stay in a cache and integers are narrower, "
             "so that points may stand above it.")
RESULTS_NOTE = ("Times in ms: median and its interval, mean ± standard deviation, best. GFLOP/s "
                "marked (e) is effective: what a direct sum would need, not what was executed. "
                "Shares are of the peak measured on the spot with as many threads.")
RESULT_HEADERS = ("problem", "device", "strategy", "threads", "algorithm", "kernel", "interval",
                  "runs", "mean ± sd", "best", "CPU time", "with transfers", "whole call", "first call",
                  "GB/s", "GFLOP/s", "of copy", "of FMA", "× sequential", "× single", "checked")
MACHINE_WORDS = {"cpu": "CPU", "cpus": "CPUs", "memory_bytes": "memory, bytes",
                 "mhz_before": "MHz before", "mhz_after": "MHz after", "huge_pages": "huge pages",
                 "baseline_flags": "flags of the sequential baseline", "min_runs": "least runs",
                 "seconds": "seconds per contender"}
short = number_words.short


def about(bench):
    document = bench.document
    taken = bench_data.number(document.get("seconds"))
    budget = bench_data.number(document.get("budget_s"))
    words = [str(document.get("command") or ""), str(document.get("started") or ""),
             f"{taken:.0f} s" + (f" of {budget:.0f} s" if budget else "") if taken else ""]
    return "; ".join(word for word in words if word)


def share(value):
    value = bench_data.number(value)
    return "–" if value is None else f"{100 * value:.0f} %"


def median(row, name):
    entry = bench_data.scope(row, name)
    return short(entry["median"]) if entry else "–"


def strategy(row):
    return f"{row.get('strategy')}:{row['block']}" if row.get("block") else str(row.get("strategy"))


def problem_text(row):
    channels = f" × {row['channels']}" if row.get("channels") else ""
    words = [row.get("filter"), row.get("image"), bench_data.size_text(row) + channels, row.get("type"),
             row.get("layout"), row.get("border")]
    return " ".join(str(word) for word in words if word)


# ---- Results ---------------------------------------------------------------------------------------

def result_cells(row):
    entry = bench_data.scope(row, "kernel")
    mean, deviation = bench_data.number(entry.get("mean")), bench_data.number(entry.get("sd"))
    gflops = short(bench_data.number(row.get("gflops"))) + (" (e)" if row.get("effective") else "")
    noisy = " noisy" if entry.get("noisy") else ""
    return (problem_text(row), str(row.get("device")), strategy(row), str(row.get("threads")),
            str(row.get("algorithm") or "–"), short(entry["median"]) + noisy,
            bench_data.interval_text(entry), bench_data.runs_text(row, entry),
            "–" if mean is None or deviation is None else f"{short(mean)} ± {short(deviation)}",
            short(bench_data.number(entry.get("best"))),
            short(bench_data.number(entry.get("cpu_median"))), median(row, "transfer"),
            median(row, "call"), median(row, "first"), short(bench_data.number(row.get("gbs"))),
            gflops, share(row.get("copy_share")), share(row.get("fma_share")),
            short(bench_data.number(row.get("speedup_sequential"))),
            short(bench_data.number(row.get("speedup_single"))), str(row.get("verified") or "–"))


def results(bench, experiment):
    """Headers, rows, and which rows are not ok."""
    lines, bad = [], []
    for i, row in enumerate(bench.rows_of(experiment)):
        if bench_data.is_good(row):
            lines.append(result_cells(row))
        else:
            bad.append(i)
            lines.append((problem_text(row), str(row.get("device")), strategy(row),
                          str(row.get("threads")), f"{row.get('status')}: {row.get('why') or ''}")
                         + ("",) * (len(RESULT_HEADERS) - 5))
    loop = str(experiment.get("loop") or "sequential")
    headers = tuple(head.replace("× sequential", "× " + loop) for head in RESULT_HEADERS)
    return headers, lines, bad


# ---- In short --------------------------------------------------------------------------------------

def best_times(bench, experiment):
    """Of each problem the fastest row of our best on the CPU."""
    found = {}
    for row in bench.good_rows(experiment):
        if row.get("device") == "cpu" and row.get("strategy") == "best":
            key = problem_text(row)
            if key not in found or bench_data.scope(row, "kernel")["median"] < \
                    bench_data.scope(found[key], "kernel")["median"]:
                found[key] = row
    return list(found.values())


def headlines(bench):
    """A sentence for each experiment in which our best was timed."""
    lines = []
    for experiment in bench.experiments:
        rows = best_times(bench, experiment)
        if not rows:
            continue
        times = sorted(bench_data.scope(row, "kernel")["median"] for row in rows)
        words = f"{experiment.get('id')}: best takes {short(times[0])} to {short(times[-1])} ms" \
            if len(times) > 1 else f"{experiment.get('id')}: best takes {short(times[0])} ms"
        factors = [factor for row in rows
                   if (factor := bench_data.positive(row.get("speedup_sequential")))]
        if factors:
            words += f", and is {short(statistics.median(factors))} times as fast as the plain " \
                     f"loop {experiment.get('loop') or 'sequential'} (median over {len(factors)} problem" \
                     f"{'s' if len(factors) > 1 else ''})"
        lines.append(words)
    return lines


# ---- Summary ---------------------------------------------------------------------------------------

def summary(bench):
    headers = ("experiment", "title", "rows", "ok", "wrong", "refused", "left out",
               "most × sequential", "most × single")
    lines = []
    for experiment in bench.experiments:
        rows = bench.rows_of(experiment)
        counts = [sum(1 for row in rows if row.get("status") == status)
                  for status in ("ok", "wrong", "refused", "left out")]
        good = bench.good_rows(experiment)
        most = [max((bench_data.number(row.get(name)) or 0 for row in good), default=0)
                for name in ("speedup_sequential", "speedup_single")]
        lines.append((str(experiment.get("id")), str(experiment.get("title") or ""),
                      str(len(rows)), *map(str, counts), *(short(one or None) for one in most)))
    return headers, lines


# ---- Against what was published --------------------------------------------------------------------

def cores(bench):
    count = max((entry.threads for entry in against.entries(bench)), default=0)
    return {1: "One CPU thread", 2: "Two CPU cores"}.get(count, f"{count} CPU threads")


def against_title(bench):
    return f"{cores(bench)} against the reports' hardware"


def against_published(bench):
    """Headers, rows, rows where we are behind, and a table with one row per experiment."""
    headers = ("experiment", "filter", "image", "scope", "their hardware", "their variant",
               "theirs, ms", "ours, ms", "threads", "ours ÷ theirs", "")
    found = against.entries(bench)
    lines = [(entry.experiment, str(entry.theirs.get("filter")), bench_data.size_text(entry.theirs),
              entry.scope_words, entry.hardware, str(entry.theirs.get("variant")),
              short(entry.their_ms), short(entry.our_ms), str(entry.threads), short(entry.ratio),
              ("behind" if entry.ratio > 1 else "faster") + (" †" if entry.doubtful else ""))
             for entry in found]
    bad = [i for i, entry in enumerate(found) if entry.ratio > 1]
    return headers, lines, bad, against_summary(found)


def against_summary(found):
    groups = {}
    for entry in found:
        groups.setdefault((entry.experiment, entry.scope_words, entry.hardware), []).append(
            entry.ratio)
    lines = [(*key, str(len(ratios)), str(sum(1 for ratio in ratios if ratio > 1)),
              short(min(ratios)), short(statistics.median(ratios)), short(max(ratios)))
             for key, ratios in groups.items()]
    return ("experiment", "scope", "their hardware", "problems", "we are behind in",
            "ours ÷ theirs, least", "median", "most"), lines


# ---- The rest --------------------------------------------------------------------------------------

def machine(bench):
    lines = []
    for part in ("machine", "build", "settings"):
        for name, value in bench.part(part).items():
            lines.append((part, MACHINE_WORDS.get(name, name), "–" if value is None else str(value)))
    for device in bench.devices:
        words = [device.get("name"), device.get("driver"), "software" if device.get("software")
                 else None]
        lines.append(("device", str(device.get("id")), ", ".join(str(w) for w in words if w)))
    for peak in bench.peaks:
        lines.append(("measured peak", f"{peak.get('threads')} threads",
                      f"copy {short(bench_data.number(peak.get('copy_gbs')))} GB/s, "
                      f"{short(bench_data.number(peak.get('fma_gflops')))} GFLOP/s"))
    return ("part", "what", "value"), lines


def peers(rows):
    headers = ("work", "threads", "Swathe, ms", "best peer", "ms", "speed-up", "memcpy, ms",
               "× memcpy", "our way", "ok")
    lines = [(str(row.get("work")), str(row.get("threads")),
              short(bench_data.number(row.get("swathe_ms"))), str(row.get("best_peer") or "–"),
              *(short(bench_data.number(row.get(name))) for name in
                ("best_peer_ms", "speedup", "memcpy_ms", "over_memcpy")),
              str(row.get("swathe_how") or "–"),
              "yes" if row.get("ok") else str(row.get("reason") or "no")) for row in rows]
    return headers, lines
