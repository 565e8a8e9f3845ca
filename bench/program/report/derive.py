"""All figures that are computed from samples: statistics, rates, speed-ups, headlines, warnings, and the
comparison with published times. They become fields of the results and experiments."""
import math
from statistics import median

import bench_data
import estimates
import published
from bench_data import PHASES, SCOPE_SHORT, SCOPES, number, positive


def fill(bench):
    """Adds the figures to a Bench."""
    bench.drift = fill_scopes(bench)
    for experiment in bench.experiments:
        results = bench.results_of(experiment)
        experiment["loop"] = loop_of(results)
        groups = groups_of(results)
        for group in groups:
            for result in group:
                fill_rates(bench, group, result, experiment["loop"])
        experiment["headline"] = headline(groups, experiment["loop"])
        if experiment.get("published"):
            bench.published += [pair(times, results) for times in published.times(experiment["id"])]
    bench.warnings += warnings(bench)
    return bench


# ---- Statistics ------------------------------------------------------------------------------------

def scopes_of(result):
    """Returns the scopes that have times; those of a damaged file may have others."""
    scopes = result.get("scopes")
    scopes = scopes if result.get("status") == "ok" and isinstance(scopes, dict) else {}
    return {name: entry for name, entry in scopes.items()
            if isinstance(entry, dict) and isinstance(entry.get("samples"), list)
            and entry["samples"] and all(map(positive, entry["samples"]))}


def phases_of(entry):
    """Returns the phases of a scope that have a time for each sample, in their order."""
    phases = entry.get("phases")
    phases = phases if isinstance(phases, dict) else {}
    return {name: phases[name] for name in PHASES if isinstance(phases.get(name), list)
            and len(phases[name]) == len(entry["samples"])
            and all((number(one) if number(one) is not None else -1) >= 0 for one in phases[name])}


def without_planning(call):
    """Returns the scope `work`, the call without its phase `plan`, or None if that is unknown. Phases that
    take no time are not listed. CPU time remains that of the whole call."""
    nothing = isinstance(call.get("phases"), dict) and "plan" not in call["phases"]
    plans = phases_of(call).get("plan") or ([0] * len(call["samples"]) if nothing else [])
    samples = [whole - plan for whole, plan in zip(call["samples"], plans)]
    if not samples or min(samples) <= 0:
        return None
    return {"samples": samples, "visit": call.get("visit"), "cpu": call.get("cpu")}


def add_phases(result):
    """Adds the scope `work` and the median of each phase."""
    scopes = result["scopes"]
    if "call" in scopes and (work := without_planning(scopes["call"])):
        scopes["work"] = work
    for entry in scopes.values():
        entry["phase_medians"] = {name: median(each) for name, each in phases_of(entry).items()}


def samples_of(entry):
    visit = entry.get("visit")
    fits = isinstance(visit, list) and len(visit) == len(entry["samples"])
    return estimates.Visits(entry["samples"], visit if fits else None)


def fill_scopes(bench):
    """Adds the statistics to each scope. Returns the drift of the run."""
    seed = bench.part("settings").get("seed")
    seed = seed if isinstance(seed, int) else 1
    found = []
    for result in bench.results:
        result["scopes"] = scopes_of(result)
        add_phases(result)
        found += [(name, entry, samples_of(entry)) for name, entry in result["scopes"].items()]
    drift = estimates.drift_of_all([visits for name, _, visits in found if name == "kernel"])
    for _, entry, visits in found:
        visits.of_run = drift
        entry.update(estimates.summarise(visits, seed))
        cpu = entry.get("cpu")
        cpu = [number(one) for one in cpu] if isinstance(cpu, list) else []
        entry["cpu_median"] = median(cpu) if cpu and None not in cpu else None
    return drift


# ---- Rates and speed-ups ---------------------------------------------------------------------------

def groups_of(results):
    """Returns lists of the results with the same problem."""
    groups = {}
    for result in results:
        groups.setdefault(str(result.get("group")), []).append(result)
    return list(groups.values())


def loop_of(results):
    """Returns the baseline of speed-ups: `sequential`, or the first sequential loop that was timed; None:
    none was."""
    loops = [result.get("strategy") for result in results
             if bench_data.is_good(result) and result.get("baseline") == "sequential"]
    return "sequential" if "sequential" in loops else next(iter(loops), None)


def kernel(result):
    return bench_data.scope(result, "kernel")["median"]


def on_one_thread(group, strategy):
    """Returns the kernel's time of this CPU strategy with one thread, or None."""
    return next((kernel(result) for result in group if bench_data.is_good(result)
                 and not bench_data.on_gpu(result) and result.get("threads") == 1
                 and result.get("strategy") == strategy), None)


def fill_rates(bench, group, result, loop):
    """Adds rates, shares of the peaks of the device or of as many CPU threads, and speed-ups."""
    names = ("gbs", "gflops", "copy_share", "fma_share", "speedup_sequential", "speedup_single")
    result.update(dict.fromkeys(names))
    if not bench_data.is_good(result):
        return
    ms, moved, done = kernel(result), positive(result.get("bytes")), positive(result.get("flop"))
    result["gbs"], result["gflops"] = moved and moved / ms * 1e-6, done and done / ms * 1e-6
    for name, strategy in (("speedup_sequential", loop), ("speedup_single", "best")):
        base = on_one_thread(group, strategy)
        result[name] = base and base / ms
    peak = bench.peak_of(result.get("device"), result.get("threads"))
    copy, fma = positive(peak.get("copy_gbs")), positive(peak.get("fma_gflops"))
    result["copy_share"] = copy and moved and result["gbs"] / copy
    if bench_data.sums_floats(result):
        result["fma_share"] = fma and done and result["gflops"] / fma


def rates(result, amount):
    """Returns mean and standard deviation of `amount` per second, over the samples of the kernel."""
    amount, entry = positive(result.get(amount)), bench_data.scope(result, "kernel")
    if not amount or not entry:
        return None
    each = [amount / (1e6 * time) for time in entry["samples"]]
    return estimates.fmean(each), estimates.stdev(each) if len(each) > 1 else 0.0


# ---- Headlines and warnings ------------------------------------------------------------------------

def is_best(result, device="cpu"):
    """True for a time of the strategy that Swathe chooses itself on this device."""
    return bench_data.is_best(result) and result.get("device") == device and bench_data.is_good(result)


def headline(groups, loop):
    """Returns "best is 5.2 times as fast as sequential (median over 8 problems)", or None if best was
    not timed. Results with too few runs are omitted."""
    values, few = [], 0
    for group in groups:
        best = min(filter(is_best, group), key=kernel, default=None)
        base = next((result for result in group if bench_data.is_good(result)
                     and result.get("threads") == 1 and result.get("strategy") == loop), None)
        if best is None or (loop and base is None):
            continue
        used = [best, base] if loop else [best]
        if any(bench_data.scope(one, "kernel")["no_interval"] == estimates.FEW for one in used):
            few += 1
        else:
            values.append(kernel(base) / kernel(best) if loop else kernel(best))
    if not values:
        return f"{estimates.FEW} for a headline" if few else None
    over = f"(median over {len(values)} problem{'s' if len(values) > 1 else ''})"
    return f"best is {median(values):.3g} times as fast as {loop} {over}" if loop else \
        f"best takes {median(values):.3g} ms {over}"


def warnings(bench):
    """Returns reasons to doubt the figures."""
    timed = [entry for result in bench.results if (entry := bench_data.scope(result, "kernel"))]
    few, wide = (sum(entry["no_interval"] == reason for entry in timed)
                 for reason in (estimates.FEW, estimates.WIDE))
    noisy = sum(entry["noisy"] and not entry["no_interval"] for entry in timed)
    more = "allow more time with " + ("--budget" if positive(bench.document.get("budget_s"))
                                      else "--runs or --seconds")
    found = []
    if few:
        found.append(f"{few} of {len(timed)} contenders have too few runs for an interval; {more}")
    if wide:
        found.append(f"the runs of {wide} of {len(timed)} contenders differ too much for an interval; "
                     f"close other programs, or {more}")
    if 4 * noisy > len(timed):
        visits = f", and visits differ by {100 * bench.drift:.0f} %" if bench.drift >= 0.01 else ""
        found.append(f"{noisy} of {len(timed)} contenders are noisy{visits}: other programs may be running, "
                     f"or the CPU's clock frequency may change; close other programs, or {more}")
    before, after = (positive(bench.part("machine").get(name)) for name in ("mhz_before", "mhz_after"))
    if before and after and abs(after / before - 1) > 0.1:
        found.append(f"the CPU's clock frequency changed from {before:.0f} to {after:.0f} MHz")
    return found


# ---- Systems: our CPU and the hardware of the reports ------------------------------------------------

def pair(times, results):
    """Adds `ours` to a published time: our fastest CPU result of the same problem, or None. beside.py has
    our results of the same variant."""
    fitting = [result for result in results if is_best(result)
               and bench_data.scope(result, times["our_scope"])
               and bench_data.problem(result) == bench_data.problem(times)]
    times["ours"] = min(fitting, default=None,
                        key=lambda result: bench_data.scope(result, times["our_scope"])["median"])
    return times


class Against:
    """One problem: `theirs` is the fastest variant that a report published for a device and scope."""

    def __init__(self, theirs):
        self.theirs, self.experiment = theirs, theirs["experiment"]
        self.hardware = bench_data.hardware(theirs["device"])
        self.scope_words = SCOPE_SHORT[SCOPES[theirs["scope"]]]
        self.their_ms = theirs["ms"]
        self.our_ms = bench_data.scope(theirs["ours"], theirs["our_scope"])["median"]
        self.ratio = self.our_ms / self.their_ms
        self.threads = bench_data.threads(theirs["ours"])
        self.doubtful = theirs["doubtful"]


def against(bench):
    """Returns published GPU times and our best CPU times of the same problems."""
    found = {}
    for theirs in bench.published:
        key = (theirs["experiment"], bench_data.problem(theirs), theirs["device"], theirs["scope"])
        if theirs["gpu"] and theirs["ours"] and \
                (key not in found or theirs["ms"] < found[key].their_ms):
            found[key] = Against(theirs)
    return list(found.values())


def against_mean(entries):
    """Returns the geometric mean of ours ÷ theirs without doubtful times, in how many we are slower, and
    their number; or None."""
    ratios = [entry.ratio for entry in entries if not entry.doubtful]
    return ratios and (math.exp(estimates.fmean(map(math.log, ratios))),
                       sum(ratio > 1 for ratio in ratios), len(ratios))
