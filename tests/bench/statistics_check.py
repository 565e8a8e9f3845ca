#!/usr/bin/env python3
"""The figures of `swathe bench`. Statistics on known noise: how often the median of a repetition is in the stated
interval, how often the permutation test raises a false alarm, and whether it finds a planted difference. On known
times: the phases of a call, shares of peaks, and our results beside those of the reports.

    statistics_check.py REPORT [TRIALS]
"""
import copy
import itertools
import math
import random
import statistics
import sys

import sample_report

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import bench_data  # noqa: E402
import beside  # noqa: E402
import beside_tables  # noqa: E402
import derive  # noqa: E402
import estimates  # noqa: E402

TRIALS = int(sys.argv[2]) if len(sys.argv) > 2 else 300
failures = []


def verdict(good, words):
    print(f"{'passed' if good else 'FAILED'}: {words}")
    if not good:
        failures.append(words)


class Noise:
    """`within` and `between` visits are standard deviations, relative to the median; `spikes` is the
    fraction of samples that were disturbed."""

    def __init__(self, name, visits, each, within, between=0.0, spikes=0.0, lognormal=False):
        self.name, self.visits, self.each, self.within = name, visits, each, within
        self.between, self.spikes, self.lognormal = between, spikes, lognormal

    def draw(self, rng, slower=1.0):
        """Returns Visits of one run."""
        samples, visit = [], []
        for number in range(self.visits):
            offset = self.between * rng.gauss(0, 1)
            for _ in range(self.each):
                x = self.within * rng.gauss(0, 1)
                time = (math.exp(x) if self.lognormal else 1 + x) * (1 + offset)
                if rng.random() < self.spikes:
                    time *= 1.2 + rng.random()
                samples.append(5 * slower * time)
                visit.append(number)
        return estimates.Visits(samples, visit)


def slack(share):
    """The deviation that this many trials allow by chance."""
    return 2 * math.sqrt(share * (1 - share) / TRIALS)


# ---- Coverage --------------------------------------------------------------------------------------

NORMAL = Noise("normal 5 %", 1, 10, 0.05)
NOISES = (
    NORMAL, Noise("normal 5 %", 2, 10, 0.05), Noise("normal 5 %", 3, 40, 0.05),
    Noise("normal 0.1 %", 2, 10, 0.001), Noise("lognormal 30 %", 1, 10, 0.3, lognormal=True),
    Noise("lognormal 30 %", 2, 20, 0.3, lognormal=True), Noise("one in ten disturbed", 2, 10, 0.02, 0, 0.1),
    Noise("drift 1 %", 1, 20, 0.01, 0.01), Noise("drift 1 %", 2, 10, 0.01, 0.01),
    Noise("drift 2 %", 3, 20, 0.01, 0.02), Noise("drift 5 %", 5, 10, 0.02, 0.05))


def coverage(noise, power, rng):
    """Returns how often the interval contains the median of another run, and how often one is stated.
    `power` narrows the intervals, to verify that the check would notice."""
    hits = stated = 0
    for seed in range(TRIALS):
        found, again = estimates.summarise(noise.draw(rng), seed), noise.draw(rng).median
        if not found["no_interval"]:
            stated += 1
            hits += abs(math.log(again / found["median"])) <= \
                power * math.log(found["high"] / found["median"])
    return hits / max(stated, 1), stated / TRIALS


def check_coverage():
    rng = random.Random(1)
    for noise in NOISES:
        found, share = coverage(noise, 1, rng)
        verdict(share > 0.95 and found >= 0.9 - slack(0.9),
                f"{noise.name:22} {noise.visits} x {noise.each}: holds another median {100 * found:.1f} %")
    found, _ = coverage(NORMAL, math.sqrt(0.5), rng)
    verdict(found < 0.9 - slack(0.9), "an interval for the true median only is noticed to be too narrow")


# ---- The permutation test --------------------------------------------------------------------------

def alarms(noise, slower):
    """Returns how often it reports "different" at 5 percent if the second run is slower."""
    rng = random.Random(3)
    return sum(estimates.permutation(noise.draw(rng).samples, noise.draw(rng, slower).samples) < 0.05
               for _ in range(TRIALS)) / TRIALS


def check_permutation():
    quiet, spiky = Noise("", 2, 10, 0.03), Noise("", 2, 25, 0.05, 0, 0.1, True)
    for noise in (quiet, spiky):
        wrong, right = alarms(noise, 1), alarms(noise, 1.1)
        verdict(wrong < 0.05 + slack(0.05), f"equal times are called different {100 * wrong:.1f} %")
        verdict(right > 0.95, f"10 % slower is found {100 * right:.1f} % of the time")


def counted(a, b):
    """The same probability, by trying all divisions."""
    def apart(chosen):
        one = sorted(values[i] for i in chosen)
        other = sorted(values[i] for i in range(len(values)) if i not in chosen)
        return abs(math.log(one[(len(one) - 1) // 2] / other[(len(other) - 1) // 2]))
    values = a + b
    seen = apart(set(range(len(a)))) - 1e-12
    all_of_them = list(itertools.combinations(range(len(values)), len(a)))
    return sum(apart(set(chosen)) >= seen for chosen in all_of_them) / len(all_of_them)


def check_permutation_exactly():
    rng = random.Random(4)
    for count_a, count_b in ((1, 1), (2, 2), (1, 5), (3, 4), (5, 5), (4, 7), (6, 4)):
        for _ in range(4):
            a, b = ([rng.choice((1, 2, 3, 4, 5, 6.5, 7)) for _ in range(count)]
                    for count in (count_a, count_b))
            found, wanted = estimates.permutation(a, b), counted(a, b)
            if abs(found - wanted) > 1e-9:
                verdict(False, f"permutations of {a} and {b}: {found}, counted {wanted}")
    verdict(abs(estimates.permutation([1, 2], [3, 4]) - 2 / 6) < 1e-9, "the smallest case: 2 of 6")
    verdict(estimates.permutation([1, 2], [1, 2]) == 1, "a list does not differ from itself")


def check_ratio():
    noise, rng, hits, seen = Noise("", 3, 10, 0.03, 0.01), random.Random(4), 0, 0
    for seed in range(TRIALS):
        _, low, high = estimates.compare_medians(noise.draw(rng), noise.draw(rng, 1.1), seed)
        hits += low <= 1.1 <= high
        seen += low > 1
    verdict(hits >= (0.95 - slack(0.95)) * TRIALS, "the ratio's interval contains the true ratio")
    verdict(seen > 0.8 * TRIALS, "the ratio's interval mostly excludes 1 when 10 % slower")


def check_drift():
    """A result with one visit contains no information about drift; other results of the run do."""
    others, short = Noise("", 3, 10, 0.02, 0.15), Noise("", 1, 5, 0.02, 0.15)
    rng, hits = random.Random(5), 0
    for seed in range(TRIALS):
        row = short.draw(rng)
        row.of_run = estimates.drift_of_all([*(others.draw(rng) for _ in range(40)), row])
        found, again = estimates.summarise(row, seed), short.draw(rng).median
        hits += not found["no_interval"] and found["low"] <= again <= found["high"]
    verdict(hits > 0.8 * TRIALS, f"the drift of others, for a single visit: {100 * hits / TRIALS:.1f} %")
    verdict(estimates.drift_of_all([]) == 0, "without other results the drift is unknown")


# ---- Single lists ----------------------------------------------------------------------------------

def summary(samples, visit=None):
    return estimates.summarise(estimates.Visits(samples, visit), 7)


def check_single():
    one = summary([3])
    verdict(one["median"] == 3 and one["no_interval"] == "too few runs" and one["low"] is None and
            one["noisy"], "one sample is too few for an interval")
    wild = summary([1, 2, 40, 44, 46, 300, 900], [0, 0, 1, 1, 1, 2, 2])
    verdict(wild["no_interval"] == "runs differ too much" and wild["high"] is None,
            "visits that differ by orders of magnitude have no interval")
    five = summary([3, 3.1, 3, 2.9, 3])
    verdict(not five["no_interval"] and five["low"] < 3 < five["high"], "five samples have an interval")
    four = [4, 1, 3, 2]
    found = summary(four)
    verdict((found["median"], found["mean"], found["best"], found["runs"]) == (2.5, 2.5, 1, 4) and
            abs(found["sd"] - statistics.stdev(four)) < 1e-9, "median, mean, deviation and best of 4 1 3 2")


def check_marks():
    visit = [0] * 10 + [1] * 10
    flat = [1.0] * 20
    flat[7] = 1.5
    found = summary(flat, visit)
    verdict(found["outliers"] == 1 and not found["noisy"], "one outlier among equal times, and not noisy")
    verdict(found["low"] < 1 < found["high"], "equal times still have an interval")
    verdict(found == summary(flat, visit), "equal seeds give equal intervals")
    verdict(summary([1.2 if one else 1.0 for one in visit], visit)["noisy"], "visits 20 % apart are noisy")
    flat[8] = flat[9] = 1.5
    verdict(summary(flat, visit)["noisy"], "more than a tenth of outliers is noisy")


# ---- Phases, peaks ----------------------------------------------------------------------------------

def filled(results, experiment="report-001/masks", **more):
    """Returns a Bench of these results and its experiment, which may be compared with the report."""
    document = {**sample_report.document(), "results": results,
                "experiments": [{"id": experiment, "published": True}], **more}
    bench = derive.fill(bench_data.Bench(copy.deepcopy(document)))
    return bench, bench.experiments[0]


def of_ms(ms, experiment="report-001/masks", text="box:3", size=(1000, 1000), spread=0.0, **more):
    """Returns a result, all of whose scopes take `ms`, with samples up to this share away."""
    result = sample_report.Maker(1).result(experiment, text, size, **more)
    times = [ms * (1 + spread * (i % 5 - 2) / 2) for i in range(12)]
    plain = {"samples": times, "visit": [i % 2 for i in range(12)], "cpu": times, "phases": {}}
    result["scopes"] = {name: copy.deepcopy(plain) for name in ("kernel", "transfer", "call")}
    return result


def check_phases():
    result = of_ms(10.0, device="opencl:0", strategy="1channel:runtime", type="f32")
    result["scopes"]["call"]["phases"] = {"plan": [4.0] * 12, "kernels": [5.0] * 12, "upload": [0.5] * 12}
    result["scopes"]["kernel"]["phases"] = {"kernels": [8.0] * 12, "upload": "cut", "gather": [1.0]}
    bench, _ = filled([result])
    scopes = bench.results[0]["scopes"]
    verdict(scopes["work"]["median"] == 6, "a call of 10 ms without 4 ms of planning takes 6 ms")
    verdict(scopes["call"]["phase_medians"] == {"plan": 4, "upload": 0.5, "kernels": 5}, "phases, in their order")
    verdict(scopes["kernel"]["phase_medians"] == {"kernels": 8}, "damaged phases are left out")
    late = copy.deepcopy(result)
    late["scopes"]["call"]["phases"]["plan"] = [11.0] * 12
    verdict("work" not in filled([late])[0].results[0]["scopes"], "planning longer than the call is damage")
    kernel, peak = bench.results[0], bench.peak_of("opencl:0", 7)
    verdict(math.isclose(kernel["copy_share"], 24e6 / 10e-3 / 1e9 / 12.3) and peak["copy_gbs"] == 12.3 and
            math.isclose(kernel["fma_share"], kernel["gflops"] / 45), "shares of the peaks of a device")
    whole = filled([of_ms(10.0, device="opencl:0", type="s16")])[0].results[0]
    verdict(whole["fma_share"] is None and whole["copy_share"], "sums of integers have no share of multiply-adds")


# ---- Ours beside the report -------------------------------------------------------------------------

THEIRS = {"1channel_noConst": 1.89, "3channel_grid": 8.73, "3channel": 2.83, "3channel_3": 2.48, "1channel": 2.13}


def of_variants(times, **more):
    """Returns our times of the variants at a mask of 3, and a loop of 100 ms."""
    return [of_ms(100.0, strategy="sequential-padded", variant="Seq")] + [
        of_ms(ms, device="opencl:0", strategy="tiled", variant=name, **more) for name, ms in times.items()]


def orders(results):
    bench, experiment = filled(results)
    return [group.order for group in beside.groups(bench, experiment) if len(group.rows) > 1]


def check_orders():
    same = {name: 3 * ms for name, ms in THEIRS.items()}
    swapped = {**same, "1channel": 1.0}
    verdict(orders(of_variants(same))[0] == beside.SAME, "three times as long each: the same order")
    verdict(orders(of_variants(same))[1:] == [None] * 5, "problems that were not measured have no order")
    verdict(orders(of_variants(swapped))[0] == beside.OTHER, "one that became the fastest: not the same order")
    near = {**same, "1channel": 5.6}
    verdict(orders(of_variants(near, spread=0.2))[0] == beside.OPEN, "within the intervals it is open")
    verdict(orders(of_variants({"1channel": 5.0}))[0] is None, "one variant has no order")
    bench, experiment = filled(of_variants(swapped))
    lines = beside.short_lines(bench, experiment)
    verdict("same in 0 of 1 problems, not measured in 5" in lines[0] and "1channel 13.6 and 100" in lines[0],
            f"in short: {lines}")
    rows = beside.groups(bench, experiment)[0].rows
    verdict([(row.theirs["variant"], row.their_rank, row.our_rank) for row in rows][-1] == ("1channel", 2, 1),
            "ranks: the second of theirs is the first of ours")


def check_reasons():
    """Every figure without our time has the reason, and Swathe's best never takes its place."""
    refused = of_ms(1.0, device="opencl:0", strategy="tiled", variant="3channel")
    refused.update(status="refused", why="too large", scopes=None)
    other = of_ms(1.0, device="opencl:0", strategy="tiled", variant="3channel_3", ran="direct")
    short = of_ms(1.0, device="opencl:0", strategy="tiled", variant="3channel_grid")
    del short["scopes"]["call"]
    best = [of_ms(ms, strategy="best", threads=count) for ms, count in ((4.0, 1), (2.0, 2))]
    bench, experiment = filled([refused, other, short, *best])
    _, lines, _ = beside_tables.experiment_table(bench, experiment)
    said = {line[2]: line for line in lines if line[0] == "box:3, 1000 × 1000"}
    for variant, why in (("3channel", "refused: too large"), ("3channel_3", "direct ran instead"),
                         ("3channel_grid", "no time of: call without planning"),
                         ("1channel", "not among the contenders of this run")):
        verdict(said[variant][7] == "–" and said[variant][-1] == why, f"{variant}: {said[variant]}")
    mine = [line for line in lines if line[2] == beside.BEST and line[0] == "box:3, 1000 × 1000"]
    verdict([line[6:8] for line in mine] == [("best, cpu, 2 threads", "2.00"), ("opencl:0 (software)", "–")] and
            all(line[10] == line[11] == "–" for line in mine), f"the fastest best is an additional row: {mine}")
    alone, experiment = filled(best)
    groups = beside.groups(alone, experiment)
    verdict({row.why for group in groups for row in group.rows if row.theirs["gpu"]} == {bench_data.NO_GPU},
            "without a GPU the reason says how to measure one")


def check_claims():
    variant = of_ms(10.0, "report-000/matrices", "dense:3", device="opencl:0", strategy="shared", variant="GPU Naive")
    bench, experiment = filled([variant], "report-000/matrices")
    first, *_ = beside_tables.claims_table(bench, experiment)[1]
    verdict(first[2] == "400 of 933 GB/s, 43 %" and first[5] == "2.40 of 12.3 GB/s, 20 %", f"a stated rate: {first}")
    bench, experiment = filled([], "report-000/matrices")
    verdict(all(line[-1] for line in beside_tables.claims_table(bench, experiment)[1]),
            "a stated rate without ours has the reason")


def beside_problems(bench, experiment, groups):
    """Finds faults in our results beside the report, by recomputing them."""
    found, seen = [], 0
    for row in (row for group in groups for row in group.rows):
        seen += 1
        theirs, ours = row.theirs, row.ours
        if bool(ours and row.our_over) == bool(row.why):
            found.append("no reason")
        if ours and (ours["variant"], ours["filter"], ours["width"]) != tuple(
                theirs[name] for name in ("variant", "filter", "width")):
            found.append("another variant or problem")
        if ours and theirs["block"] not in (None, ours["block"]):
            found.append("another tile")
    if seen != sum(len(beside.devices_of(bench, experiment)) if one["gpu"] else 1
                   for one in bench.published_of(experiment)):
        found.append("a figure is missing")
    for group in groups:
        timed = [row for row in group.rows if row.our_ms]
        ranks = [row.our_rank for row in sorted(timed, key=lambda row: row.our_ms)]
        if ranks != list(range(1, len(timed) + 1)):
            found.append("ranks")
    return found


def plants(groups):
    """Plants a fault in turn, says which, and repairs it."""
    first, second = groups[0].rows[:2]
    for row, field, value, words in (
            (first, "ours", second.ours, "another variant"), (first, "ours", None, "no reason"),
            (first, "our_rank", second.our_rank, "ranks"), (groups[0], "rows", groups[0].rows[1:], "is missing")):
        right = getattr(row, field)
        setattr(row, field, value)
        yield words
        setattr(row, field, right)


def check_sample():
    bench, count = derive.fill(bench_data.Bench(sample_report.document())), 0
    for experiment in bench.experiments:
        groups = beside.groups(bench, experiment)
        count += sum(len(group.rows) for group in groups)
        verdict(beside_problems(bench, experiment, groups) == [], f"{experiment['id']} beside the report")
    verdict(count == 251, f"{count} of 251 published figures")
    experiment = bench.experiments[1]
    groups = [group for group in beside.groups(bench, experiment) if len(group.rows) > 1] + [
        group for group in beside.groups(bench, experiment) if len(group.rows) == 1]
    for words in plants(groups):
        found = beside_problems(bench, experiment, groups)
        verdict(any(words in problem for problem in found), f"planted, and found: {words}")


def main():
    for check in (check_phases, check_orders, check_reasons, check_claims, check_sample, check_drift,
                  check_single, check_marks, check_coverage, check_permutation_exactly,
                  check_permutation, check_ratio):
        check()
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
