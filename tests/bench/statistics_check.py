#!/usr/bin/env python3
"""The statistics of `swathe bench` on known noise: how often the median of a repetition is in the stated
interval, how often the permutation test raises a false alarm, and whether it finds a planted difference.

    statistics_check.py REPORT [TRIALS]
"""
import itertools
import math
import random
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
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


def main():
    for check in (check_drift, check_single, check_marks, check_coverage, check_permutation_exactly,
                  check_permutation, check_ratio):
        check()
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
