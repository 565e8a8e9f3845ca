"""Our results beside every published figure: of the same variant, problem, phase and tile, on each device that
ran."""
import math
from collections import Counter
from itertools import combinations
from statistics import median

import bench_data
import derive
import published
from bench_data import SCOPES, positive

BEST = "Swathe's best"
SAME, OTHER, OPEN = "same", "not the same", "open: our intervals overlap"
LAYOUTS = {"report-001": "planar"}  # the others are interleaved
# Unit of a stated rate: our field, that of our peak, and how many of our units it is.
RATE_FIELDS = {"GB/s": ("gbs", "copy_gbs", 1), "TFLOP/s": ("gflops", "fma_gflops", 1000)}


def published_scope(times):
    """Returns our scope for most of the published GPU times, or the kernel if there are none."""
    counts = Counter(SCOPES.get(one.get("scope")) for one in times if one.get("gpu"))
    return "kernel" if counts["kernel"] or not counts else counts.most_common(1)[0][0]


# ---- One figure --------------------------------------------------------------------------------------

class Row:
    """A published figure on one of our devices. `ours` is our result, or None because of `why`. For
    Swathe's best, `theirs` has no time."""

    def __init__(self, theirs, device, found, base):
        self.theirs, self.device, self.scope = theirs, device, SCOPES[theirs["scope"]]
        usable = [one for one in found if entry_of(one, self.scope)]
        self.ours = usable[0] if usable else None
        self.why = None if usable else reason(device, found, self.scope)
        self.entry = entry_of(self.ours, self.scope) if usable else None
        self.our_ms = self.entry["median"] if usable else None
        self.their_ms = theirs["ms"]
        their_base, our_base = base
        self.their_over = their_base and self.their_ms and their_base / self.their_ms
        self.our_over = our_base and self.our_ms and our_base / self.our_ms
        if self.our_ms and not self.our_over:
            self.why = f"our {published.loop(theirs['experiment'])} has no time"
        self.their_rank = self.our_rank = None


def entry_of(result, scope):
    """Returns the scope of a result that was timed and ran the strategy that it names, or None."""
    good = bench_data.is_good(result) and not result.get("ran")
    return bench_data.scope_of(result, scope) if good else None


def reason(device, found, scope):
    if device is None:
        return bench_data.NO_GPU
    if not found:
        return "not among the contenders of this run"
    if found[0].get("status") != "ok":
        return bench_data.not_timed(found[0])
    if found[0].get("ran"):
        return f"{found[0]['ran']} ran instead"
    return f"no time of: {bench_data.SCOPE_SHORT[scope]}"


def of_variant(results, theirs, device, variant):
    """Returns our results of a variant, those of the report's layout and of the most threads first."""
    layout = LAYOUTS.get(theirs["experiment"].split("/")[0], "interleaved")
    found = [one for one in results if one.get("variant") == variant and one.get("device") == device
             and bench_data.problem(one) == bench_data.problem(theirs)
             and theirs["block"] in (None, one.get("block"))]
    return sorted(found, key=lambda one: (one.get("layout") != layout, -bench_data.threads(one)))


def bases(times, results, theirs):
    """Returns the times of the report's sequential loop for this problem: theirs, if possible of the same
    table, and ours."""
    loop = published.loop(theirs["experiment"])
    same = [one for one in times if one["variant"] == loop
            and bench_data.problem(one) == bench_data.problem(theirs)]
    same.sort(key=lambda one: one["table"] != theirs["table"])
    ours = [entry for one in of_variant(results, {**theirs, "block": None}, "cpu", loop)
            if (entry := entry_of(one, "kernel"))]
    return same[0]["ms"] if same else None, ours[0]["median"] if ours else None


# ---- The variants of one problem, table, phase and device ---------------------------------------------

class Group:
    """Rows whose times rank the variants."""

    def __init__(self, rows):
        self.rows = rows
        for row in rows:
            row.their_rank = rank(row.their_ms, [one.their_ms for one in rows])
            row.our_rank = rank(row.our_ms, [one.our_ms for one in rows])
        self.order = order_of(rows)
        self.timed = sum(1 for row in rows if row.our_ms)

    def order_words(self):
        some = f" ({self.timed} of {len(self.rows)} variants)" if self.timed < len(self.rows) else ""
        return self.order + some if self.order else "–"


def rank(value, values):
    return value and 1 + sum(one < value for one in values if one)


def order_of(rows):
    """Returns whether our times have the order of the published ones; None: fewer than two variants were
    published or timed. Equal published times may have any order."""
    timed = sorted((row for row in rows if row.our_ms), key=lambda row: row.their_ms)
    if len(timed) < 2:
        return None
    swapped = [(a, b) for a, b in combinations(timed, 2)
               if a.their_ms < b.their_ms and a.our_ms > b.our_ms]
    if not swapped:
        return SAME
    clear = [1 for a, b in swapped
             if bench_data.interval(a.entry)[1] > bench_data.interval(b.entry)[2]]
    return OTHER if clear else OPEN


def devices_of(bench, experiment):
    """Returns the GPUs that an experiment was asked for, or [None]."""
    asked = {one.get("device") for one in bench.results_of(experiment)}
    return [name for name in bench.asked if name in asked] or [None]


def groups(bench, experiment):
    """Returns the groups of all published figures of an experiment, problem by problem."""
    times, results = bench.published_of(experiment), bench.results_of(experiment)
    problems = {}
    for theirs in times:
        base = bases(times, results, theirs)
        for device in devices_of(bench, experiment) if theirs["gpu"] else ["cpu"]:
            found = of_variant(results, theirs, device, theirs["variant"])
            key = theirs["table"], theirs["scope"], str(device)
            of_problem = problems.setdefault(bench_data.problem(theirs), {})
            of_problem.setdefault(key, []).append(Row(theirs, device, found, base))
    return [Group(rows) for of_problem in problems.values() for rows in of_problem.values()]


def best_rows(bench, experiment):
    """Returns {problem: rows of Swathe's best on the CPU and on each GPU}; layout and threads are those of
    the fastest."""
    times, results, found = bench.published_of(experiment), bench.results_of(experiment), {}
    scope = next(name for name, ours in SCOPES.items() if ours == published_scope(times))
    for theirs in times:
        problem = bench_data.problem(theirs)
        if problem in found:
            continue
        mine = {**theirs, "variant": BEST, "table": "–", "ms": None, "scope": scope, "block": None}
        found[problem] = []
        for device in ["cpu", *filter(None, devices_of(bench, experiment))]:
            fitting = [one for one in results if bench_data.problem(one) == problem
                       and bench_data.is_best(one) and one.get("device") == device]
            fitting.sort(key=lambda one: (entry_of(one, SCOPES[scope]) or {"median": math.inf})["median"])
            found[problem].append(Row(mine, device, fitting, bases(times, results, theirs)))
    return found


# ---- In short ------------------------------------------------------------------------------------------

def ranked(found, device):
    """Returns the groups of a device that rank at least two published variants."""
    return [group for group in found if len(group.rows) > 1 and group.rows[0].device == device]


def order_words(found):
    orders = [group.order for group in found if group.order]
    words = [f"order of the variants: same in {orders.count(SAME)} of {len(orders)} problems"] \
        if orders else []
    if OPEN in orders:
        words.append(f"open in {orders.count(OPEN)}, where our intervals overlap")
    partial = sum(1 for group in found if group.order and group.timed < len(group.rows))
    if partial:
        words.append(f"{partial} without every variant")
    if len(orders) < len(found):
        words.append(f"not measured in {len(found) - len(orders)}" if orders else "order of the variants: not measured")
    return ", ".join(words)


def over_words(found, device):
    """Returns the median speed-ups of each variant over the sequential loop, theirs and ours."""
    ratios, loop = {}, None
    for row in (row for group in found for row in group.rows):
        if row.device == device and row.our_over and not row.theirs["baseline"]:
            loop = published.loop(row.theirs["experiment"])
            name = row.theirs["variant"], bench_data.SCOPE_SHORT[row.scope]
            ratios.setdefault(name, []).append((row.their_over, row.our_over))
    many = len({scope for _, scope in ratios}) > 1
    each = [f"{variant}{f' ({scope})' if many else ''} {bench_data.short(median(one for one, _ in pairs))} and "
            f"{bench_data.short(median(one for _, one in pairs))}"
            for (variant, scope), pairs in ratios.items()]
    return f"over {loop}, medians, theirs and ours: " + ", ".join(each) if each else ""


def short_lines(bench, experiment):
    """Returns a line for each device of an experiment."""
    found, lines = groups(bench, experiment), []
    for device in ["cpu", *devices_of(bench, experiment)] if found else []:
        words = [order_words(ranked(found, device)), over_words(found, device)]
        if device is None:
            words = [bench_data.NO_GPU]
        if any(words):
            name = "" if device is None else f", {bench.device_words(device)}"
            lines.append(f"{experiment['id']} beside the report{name}: {'; '.join(filter(None, words))}")
    return lines


# ---- Rates that a report states, not times -------------------------------------------------------------

class Claim:
    """A rate of a report, its share of the peak, and our best rate of the same variants or of Swathe's
    best."""

    def __init__(self, bench, rate, device, who, results):
        self.what, self.unit, self.theirs, self.their_peak = rate
        field, of_peak, units = RATE_FIELDS[self.unit]
        self.device, self.who = device, who
        fitting = [one for one in results if positive(one.get(field)) and not one.get("effective")
                   and not one.get("ran")]
        self.result = max(fitting, key=lambda one: one[field], default=None)
        self.ours = self.result and self.result[field] / units
        peak = bench.peak_of(device, bench_data.threads(self.result)) if self.result else {}
        self.our_peak = positive(peak.get(of_peak)) and peak[of_peak] / units
        self.why = None if self.result else bench_data.NO_GPU if device is None else \
            "none of the variants was timed" if who != BEST else "best was not timed with a direct sum"


def rate_lines(bench, experiment):
    """Returns a line for each stated rate with ours."""
    lines = []
    for claim in claims(bench, experiment):
        ours = f"{bench_data.short(claim.ours)} of {bench_data.short(claim.our_peak)} {claim.unit} " \
            f"({claim.result.get('variant')})" if claim.ours else claim.why
        name = f", {bench.device_words(claim.device)}" if claim.device else ""
        if claim.who != BEST:
            lines.append(f"{experiment['id']} beside the report{name}: {claim.what}: theirs {claim.theirs} of "
                         f"{claim.their_peak} {claim.unit}, ours: {ours}")
    return lines


def claims(bench, experiment):
    """Returns the stated rates of an experiment, with ours."""
    found, good = [], bench.good_results(experiment)
    _, rates = published.RATES.get(experiment.get("id"), (None, ()))
    for rate in rates if experiment.get("published") else ():
        for device in devices_of(bench, experiment):
            variants = [one for one in good if one.get("variant") and one.get("device") == device]
            found.append(Claim(bench, rate, device, "its variants", variants))
        for device in ["cpu", *filter(None, devices_of(bench, experiment))]:
            found.append(Claim(bench, rate, device, BEST, [one for one in good if derive.is_best(one, device)]))
    return found
