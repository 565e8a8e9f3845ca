"""The tables of the report, and its sections in any format: a title and its parts.

A part is a tuple: ("text", words), ("list", items), ("table", headers, rows, indices of bad rows),
("figures", stems) or ("folded", title, parts).
"""
import statistics

import beside_tables
import bench_data
import derive
from bench_data import PHASES, SCOPE_SHORT, SCOPE_WORDS, short

AGAINST_NOTE = ("Systems, not variants: our fastest CPU time and the fastest GPU time of any variant that a "
                "report published for the same problem, on other hardware. Below 1 we are faster, above 1 "
                "slower. A CPU has no transfers: if the published time includes "
                "them, our time is that of the kernel. † marks doubtful published times.")
ROOF_NOTE = ("The lines show the measured peaks of the CPU and of each device: copies of images larger than all "
             "caches, and f32 multiply-adds in registers. Points can be above them, because small images fit "
             "into a cache and integers are narrower.")
RESULTS_NOTE = ("Times are in ms. The interval contains the median of a repetition in 9 of 10 cases. "
                "GFLOP/s marked (e) are effective: they count the operations of a direct sum, not those "
                "executed. Runs are those of the kernel, followed by the number in the report. \"of copy\" "
                "and \"of FMA\" are shares of the peaks of the device, or of as many CPU threads. Every "
                "result was verified before it was timed. Times contain: " +
                "; ".join(f"{SCOPE_SHORT[name]}: {words}" for name, words in SCOPE_WORDS.items()) +
                "; kernels, host's clock: all launches of a run with copies.")
PHASES_NOTE = ("Medians of each phase of a whole call, in ms by the host's clock. Their sum need not be the median "
               "of the call.")
RESULT_HEADERS = ("problem", "contender", "algorithm", "kernel, ms", "interval", "runs", "mean ± sd",
                  "best", "CPU time", "kernels, host's clock", SCOPE_SHORT["transfer"], SCOPE_SHORT["work"],
                  SCOPE_SHORT["call"], SCOPE_SHORT["first"], "GB/s", "GFLOP/s",
                  "of copy", "of FMA", "over LOOP", "over one thread", "verified")
MACHINE_WORDS = {"cpu": "CPU", "cpus": "CPUs", "memory_bytes": "memory, bytes",
                 "mhz_before": "MHz before", "mhz_after": "MHz after", "huge_pages": "huge pages",
                 "baseline_flags": "flags of the baseline loops", "min_runs": "minimum runs",
                 "seconds": "seconds per contender"}


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
            short(bench_data.number(entry.get("cpu_median"))), short(entry["phase_medians"].get("kernels")),
            *(median(result, name) for name in ("transfer", "work", "call", "first")),
            short(bench_data.number(result.get("gbs"))),
            gflops + (" (e)" if result.get("effective") else ""), share(result.get("copy_share")),
            share(result.get("fma_share")), short(bench_data.number(result.get("speedup_sequential"))),
            short(bench_data.number(result.get("speedup_single"))), text(result, "verified"))


def results(bench, experiment):
    """Returns headers, rows, and the indices of rows that are not ok."""
    lines, bad = [], []
    for i, result in enumerate(bench.results_of(experiment)):
        cells = (text(result, "problem"), text(result, "contender"))
        if bench_data.is_good(result):
            lines.append(cells + result_cells(result))
        else:
            bad.append(i)
            cells += (bench_data.not_timed(result),)
            lines.append(cells + ("",) * (len(RESULT_HEADERS) - len(cells)))
    loop = str(experiment.get("loop") or "sequential")
    return tuple(head.replace("LOOP", loop) for head in RESULT_HEADERS), lines, bad


def phases(bench, experiment):
    """Returns the phases of whole calls on GPUs, their sum, and the call. `best` runs without them."""
    lines = []
    for result in bench.good_results(experiment):
        call = bench_data.scope(result, "call")
        if call and bench_data.on_gpu(result) and "kernels" in call["phase_medians"]:
            each, whole = call["phase_medians"], call["median"]
            lines.append((text(result, "problem"), text(result, "contender"),
                          *(short(each.get(name)) for name in PHASES), short(sum(each.values())), short(whole),
                          share(sum(each.values()) / whole)))
    return ("problem", "contender", *PHASES, "sum of the phases", "whole call", "sum ÷ call"), lines


def left_out(bench):
    return ("experiment", "problem", "contender", "why"), [
        (text(result, "experiment"), text(result, "problem"), text(result, "contender"),
         bench_data.not_timed(result))
        for result in bench.results if result.get("status") != "ok"]


def headlines(bench):
    return [f"{experiment.get('id')}: {experiment['headline']}" for experiment in bench.experiments
            if experiment.get("headline")]


# ---- Summary ---------------------------------------------------------------------------------------

def summary(bench):
    headers = ("experiment", "title", "results", "ok", "wrong", "refused", "left out",
               "largest speed-up over the loop", "over one thread")
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


# ---- Published times -------------------------------------------------------------------------------

def cores(bench):
    count = max((entry.threads for entry in derive.against(bench)), default=0)
    return {1: "one CPU thread", 2: "two CPU cores"}.get(count, f"{count} CPU threads")


def against_title(bench):
    return f"Systems: {cores(bench)} compared with the reports' hardware"


def against_published(bench):
    """Returns headers, rows, indices of rows where we are slower, and a table of experiments."""
    headers = ("experiment", "filter", "image", "scope", "their hardware", "their variant",
               "theirs, ms", "ours, ms", "threads", "ours ÷ theirs", "")
    found = derive.against(bench)
    lines = [(entry.experiment, str(entry.theirs.get("filter")), bench_data.size_text(entry.theirs),
              entry.scope_words, entry.hardware, str(entry.theirs.get("variant")),
              short(entry.their_ms), short(entry.our_ms), str(entry.threads), short(entry.ratio),
              ("slower" if entry.ratio > 1 else "faster") + (" †" if entry.doubtful else ""))
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
    return ("experiment", "scope", "their hardware", "problems", "we are slower in",
            "ours ÷ theirs, minimum", "median", "maximum"), lines


# ---- The rest --------------------------------------------------------------------------------------

def machine(bench):
    lines = []
    for part in ("machine", "build", "settings"):
        for name, value in bench.part(part).items():
            lines.append((part, MACHINE_WORDS.get(name, name), "–" if value is None else str(value)))
    for name, device in bench.asked.items():
        words = [device.get("name"), device.get("driver"), "software" if name in bench.software else None]
        lines.append(("device", str(name), ", ".join(str(word) for word in words if word)))
    lines += [("measured peak", *line) for line in peak_lines(bench)]
    return ("part", "what", "value"), lines


def peak_lines(bench):
    """Returns the name of a device and its peaks."""
    found = []
    for peak in bench.peaks:
        device = peak.get("device") or "cpu"
        threads = f"cpu, {peak.get('threads')} thread" + ("" if peak.get("threads") == 1 else "s")
        found.append((threads if device == "cpu" else bench.device_words(device),
                      f"copy {short(bench_data.number(peak.get('copy_gbs')))} GB/s, "
                      f"{short(bench_data.number(peak.get('fma_gflops')))} GFLOP/s"))
    return found


def peers_table(rows):
    headers = ("work", "threads", "Swathe, ms", "best peer", "ms", "speed-up", "memcpy, ms",
               "× memcpy", "our algorithm", "ok")
    lines = [(str(row.get("work")), str(row.get("threads")),
              short(bench_data.number(row.get("swathe_ms"))), str(row.get("best_peer") or "–"),
              *(short(bench_data.number(row.get(name))) for name in
                ("best_peer_ms", "speedup", "memcpy_ms", "over_memcpy")),
              str(row.get("swathe_how") or "–"),
              "yes" if row.get("ok") else str(row.get("reason") or "no")) for row in rows]
    return headers, lines


# ---- Sections ---------------------------------------------------------------------------------------

def table(headers, rows, bad=()):
    return [("table", headers, rows, bad)] if rows else []


def listing(items):
    return [("list", items)] if items else []


def figures(stems):
    return [("figures", stems)] if stems else []


def take_lead(bench, drawn):
    """Removes and returns the first plot of an experiment."""
    stems = next((stems for one in bench.experiments if (stems := drawn.get(one["id"]))), [])
    return [stems.pop(0)] if stems else []


def of_run(drawn, start):
    """Returns plots of the whole run by the start of their names."""
    return figures([stem for stem in drawn.get(None, []) if stem.startswith(start)])


def overview_part(bench, lead):
    return listing(headlines(bench)) + figures(lead) + listing(
        [f"{name} is software that runs on the CPU: its times do not rank strategies for a GPU."
         for name in sorted(map(str, bench.software))])


def against_part(bench, drawn):
    headers, rows, bad, groups = against_published(bench)
    if not rows:
        return []
    return [("text", AGAINST_NOTE)] + of_run(drawn, "against") + table(*groups) + \
        [("folded", f"All {len(rows)} problems", table(headers, rows, bad))]


def experiment_part(bench, experiment, drawn):
    headers, rows, bad = results(bench, experiment)
    plots = assumptions(experiment) + figures(drawn.get(experiment["id"], []))
    if not rows:
        return plots or [("text", "Nothing was measured.")]
    kinds = f"Results, {len(rows)}" + (f", {len(bad)} of them not ok" if bad else "")
    parts = phases(bench, experiment)
    folded = [("folded", f"Phases of a call, {len(parts[1])}", [("text", PHASES_NOTE)] + table(*parts))]
    return plots + [("folded", kinds, [("text", RESULTS_NOTE)] +
                        table(headers, rows, bad))] + (folded if parts[1] else [])


def assumptions(experiment):
    """Returns what the report does not state."""
    assumed = experiment.get("assumed")
    words = [str(one) for one in assumed] if isinstance(assumed, list) else []
    return [("text", "The report does not state this; assumed:"), ("list", words)] if words else []


def rates_part(bench, drawn):
    peaks = listing([f"{name}: {words}" for name, words in peak_lines(bench)])
    return peaks and [("text", ROOF_NOTE)] + peaks + of_run(drawn, "roofline")


def peers_part(peers):
    return peers and table(*peers_table(peers)) + [
        ("text", "Times are those of the best run. Peers with wrong results are excluded.")]


def sections(bench, peers, drawn):
    """Returns (title, parts) of all sections that have parts."""
    drawn = {name: list(stems) for name, stems in drawn.items()}
    made = [("In short", overview_part(bench, take_lead(bench, drawn))),
            ("Warnings", listing(bench.warnings)), *beside_tables.sections(bench)]
    for experiment in bench.experiments:
        title = f"{experiment.get('id')}: {experiment.get('title') or ''}".strip(": ")
        made.append((title, experiment_part(bench, experiment, drawn)))
    made += [("Bandwidth and arithmetic", rates_part(bench, drawn)),
             (against_title(bench), against_part(bench, drawn)),
             ("Other libraries on this machine", peers_part(peers)),
             ("Numbers of results", table(*summary(bench))),
             ("Not measured", table(*left_out(bench))),
             ("Machine, build and settings", table(*machine(bench)))]
    return [(title, parts) for title, parts in made if parts]
