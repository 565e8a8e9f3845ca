"""The section of each report: its published figures, and ours of the same variants."""
import bench_data
import beside
import published
from bench_data import short

NOTE = ("One row for each figure of the report, and beside it our time of the same variant, problem and phase, on "
        "the device that ran. Hardware and year differ; compare the columns \"over\", which relate both to the "
        "report's sequential loop on the same machine, and the ranks. "
        "A rank counts the variants of the same problem, table and phase. The row of Swathe's best is an addition "
        "and has no rank. † marks doubtful published times: the 121 × 121 mask of report 001 does not fit into "
        "its constant array, and its 32-bit indices overflow for its largest image.")
TIMES = {"kernel": "kernel alone", "total": "kernel and copies", "cpu": "loop on the CPU",
         "call": "whole call: allocation, gather, copies, kernels, scatter"}
HEADERS = ("problem", "table", "variant", "time contains", "their hardware", "theirs, ms", "our strategy, device",
           "ours, ms", "over LOOP, theirs", "over LOOP, ours", "rank, theirs", "rank, ours", "same order",
           "what is missing, and why")


def multiple(value):
    return short(value, " ×") if value else "–"


def problem_text(theirs):
    return f"{theirs['filter']}, {bench_data.size_text(theirs)}"


def ours_text(bench, row):
    if not row.ours:
        return bench.device_words(row.device) if row.device else "–"
    threads = bench_data.threads(row.ours)
    words = [str(row.ours.get("strategy")), bench.device_words(row.device)]
    return ", ".join(words + ([f"{threads} threads"] if threads > 1 else []))


def cells(bench, row, order="–"):
    theirs = row.theirs
    variant = theirs["variant"] + (f", block {theirs['block']}" if theirs["block"] else "")
    hardware = bench_data.hardware(theirs["device"]) if row.their_ms else "–"
    return (problem_text(theirs), theirs["table"], variant, TIMES[theirs["scope"]], hardware,
            short(row.their_ms) + (" †" if row.their_ms and theirs["doubtful"] else ""), ours_text(bench, row),
            short(row.our_ms), multiple(row.their_over), multiple(row.our_over), str(row.their_rank or "–"),
            str(row.our_rank or "–"), order, row.why or "")


def experiment_table(bench, experiment):
    """Returns headers and rows; after each problem, Swathe's best."""
    best, lines, last = beside.best_rows(bench, experiment), [], None
    for group in beside.groups(bench, experiment):
        problem = bench_data.problem(group.rows[0].theirs)
        if problem != last:
            lines += [cells(bench, row) for row in best.get(last, [])]
            last = problem
        lines += [cells(bench, row, group.order_words()) for row in group.rows]
    lines += [cells(bench, row) for row in best.get(last, [])]
    loop = str(published.loop(experiment.get("id")))
    return tuple(head.replace("LOOP", loop) for head in HEADERS), lines, ()


# ---- Report 000 states two rates, report 004 both speed-ups in one line ------------------------------------

def of_peak(value, peak, unit):
    share = f" of {short(peak)}" if peak else ""
    return f"{short(value)}{share} {unit}" + (f", {100 * value / peak:.0f} %" if peak else "") if value else "–"


def claims_table(bench, experiment):
    hardware, _ = published.RATES.get(experiment.get("id"), ("", ()))
    lines = []
    for claim in beside.claims(bench, experiment):
        ours, device = claim.result or {}, claim.device
        lines.append((claim.what, bench_data.hardware(hardware),
                      of_peak(claim.theirs, claim.their_peak, claim.unit) if claim.who != beside.BEST else "–",
                      claim.who, bench.device_words(device) if device else "–",
                      of_peak(claim.ours, claim.our_peak, claim.unit),
                      str(ours.get("variant") or ours.get("strategy") or "–"), str(ours.get("problem") or "–"),
                      claim.why or ("" if claim.our_peak else "no peak of this device was measured")))
    return ("best", "their hardware", "theirs", "ours of", "device", "ours", "variant", "problem",
            "what is missing"), lines, ()


def pairs(rows, value):
    """Returns theirs and ours of a row, or two dashes."""
    row = rows[0] if rows else None
    return value(row, "their") if row else "–", value(row, "our") if row else "–"


def speedups_table(bench, experiment):
    """Returns table 1 of report 004: for each filter the CPU, the GPU with and without copies, and both
    speed-ups, K and T."""
    def over(row, who):
        return multiple(getattr(row, f"{who}_over"))

    def time(row, who):
        return short(getattr(row, f"{who}_ms"))
    rows = [row for group in beside.groups(bench, experiment) for row in group.rows]
    lines = []
    for device in beside.devices_of(bench, experiment):
        for theirs in (row.theirs for row in rows if row.theirs["scope"] == "cpu"):
            cpu, total, kernel = ([row for row in rows if row.theirs["scope"] == scope
                                   and bench_data.problem(row.theirs) == bench_data.problem(theirs)
                                   and row.device in (device, "cpu")] for scope in ("cpu", "total", "kernel"))
            lines.append((bench_data.size_text(theirs), str(theirs["filter"]),
                          bench.device_words(device) if device else "–", *pairs(cpu, time),
                          *pairs(total, time), *pairs(kernel, time), *pairs(kernel, over), *pairs(total, over)))
    names = ("CPU, ms", "GPU with copies, ms", "GPU kernel, ms", "speed-up K", "speed-up T")
    return ("resolution", "filter", "our device",
            *(f"{name}: {who}" for name in names for who in ("theirs", "ours"))), lines, ()


# ---- Sections ------------------------------------------------------------------------------------------

def experiment_parts(bench, experiment):
    """Returns the parts of an experiment; those that fold are long."""
    lines = experiment_table(bench, experiment)
    stated = claims_table(bench, experiment)
    parts = [("text", "The report prints no times, only these rates; the values of its figures 5 and 6 are not in "
                      "its text."), ("table", *stated)] if stated[1] else []
    count = len(bench.published_of(experiment))
    if count and experiment["id"] == "report-004/filters":
        parts.append(("folded", f"{experiment['id']}: table 1 of the report", [
            ("table", *speedups_table(bench, experiment))]))
    if lines[1]:
        parts.append(("folded", f"{experiment['id']}: all {count} figures", [("table", *lines)]))
    return parts


def sections(bench):
    """Returns (title, parts) for each report with published figures."""
    found = {}
    for experiment in bench.experiments:
        parts = experiment_parts(bench, experiment)
        if parts:
            report = found.setdefault(str(experiment["id"]).split("/", maxsplit=1)[0], ([], []))
            report[0].extend(beside.short_lines(bench, experiment))
            report[1].extend(parts)
    return [(f"{report} beside the report", [("text", NOTE)] + ([("list", items)] if items else []) + parts)
            for report, (items, parts) in found.items()]
