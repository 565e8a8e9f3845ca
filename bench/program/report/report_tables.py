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
RESULTS_NOTE = ("Times in ms: median and its interval, in which a repetition's median falls 9 times of "
                "10, mean ± standard deviation, best. GFLOP/s marked (e) is effective: what a direct "
                "sum would need, not what was executed. Runs are of the kernel, beside those that the "
                "report states. Shares are of the peak measured on the spot with as many threads. "
                "Every result was verified before it was timed.")
RESULT_HEADERS = ("problem", "contender", "algorithm", "kernel, ms", "interval", "runs", "mean ± sd",
                  "best", "CPU time", "with transfers", "whole call", "first call", "GB/s", "GFLOP/s",
                  "of copy", "of FMA", "over LOOP", "over one thread", "verified")
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


def median(result, name):
    entry = bench_data.scope(result, name)
    return short(entry["median"]) if entry else "–"


def text(result, name):
    return str(result.get(name) or "–")


# ---- Results ---------------------------------------------------------------------------------------

def result_cells(result):
    entry = bench_data.scope(result, "kernel")
    mean, deviation = bench_data.number(entry.get("mean")), bench_data.number(entry.get("sd"))
    gflops = short(bench_data.number(result.get("gflops")))
    return (text(result, "algorithm"), short(entry["median"]) + (" ~" if entry.get("noisy") else ""),
            bench_data.interval_text(entry), bench_data.runs_text(result, entry),
            "–" if mean is None or deviation is None else f"{short(mean)} ± {short(deviation)}",
            short(bench_data.number(entry.get("best"))),
            short(bench_data.number(entry.get("cpu_median"))), median(result, "transfer"),
            median(result, "call"), median(result, "first"), short(bench_data.number(result.get("gbs"))),
            gflops + (" (e)" if result.get("effective") else ""), share(result.get("copy_share")),
            share(result.get("fma_share")), short(bench_data.number(result.get("speedup_sequential"))),
            short(bench_data.number(result.get("speedup_single"))), text(result, "verified"))


def results(bench, experiment):
    """Headers, rows, and which rows are not ok."""
    lines, bad = [], []
    for i, result in enumerate(bench.results_of(experiment)):
        cells = (text(result, "problem"), text(result, "contender"))
        if bench_data.is_good(result):
            lines.append(cells + result_cells(result))
        else:
            bad.append(i)
            cells += (f"{result.get('status')}: {result.get('why') or ''}",)
            lines.append(cells + ("",) * (len(RESULT_HEADERS) - len(cells)))
    loop = str(experiment.get("loop") or "sequential")
    return tuple(head.replace("LOOP", loop) for head in RESULT_HEADERS), lines, bad


def left_out(bench):
    return ("experiment", "problem", "contender", "why"), [
        (text(result, "experiment"), text(result, "problem"), text(result, "contender"),
         f"{result.get('status')}: {result.get('why') or ''}")
        for result in bench.results if result.get("status") != "ok"]


def headlines(bench):
    return [f"{experiment.get('id')}: {experiment['headline']}" for experiment in bench.experiments
            if experiment.get("headline")]


# ---- Summary ---------------------------------------------------------------------------------------

def summary(bench):
    headers = ("experiment", "title", "results", "ok", "wrong", "refused", "left out",
               "most over the loop", "most over one thread")
    lines = []
    for experiment in bench.experiments:
        results_here = bench.results_of(experiment)
        counts = [sum(1 for result in results_here if result.get("status") == status)
                  for status in ("ok", "wrong", "refused", "left out")]
        good = bench.good_results(experiment)
        most = [max((bench_data.number(result.get(name)) or 0 for result in good), default=0)
                for name in ("speedup_sequential", "speedup_single")]
        lines.append((str(experiment.get("id")), str(experiment.get("title") or ""),
                      str(len(results_here)), *map(str, counts), *(short(one or None) for one in most)))
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
    for name, device in bench.asked.items():
        words = [device.get("name"), device.get("driver"), "software" if name in bench.software else None]
        lines.append(("device", str(name), ", ".join(str(word) for word in words if word)))
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
