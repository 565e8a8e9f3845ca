"""Medians of measured times, intervals, and tests of differences.

The model: sample = true median + offset of its visit + noise. The usual bootstrap draws visits and then
samples in them. With two or three visits it underestimates their variation by half, and with one it has
none. Here, offsets are drawn from a normal distribution. Its variance is itself drawn from the
distribution that is compatible with the observed visits (a scaled inverse χ²). Each visit also has an
offset that no observed visit may show, for example because the next process has other pages and another
clock frequency: one percent, or the drift of the whole run if that is larger. Noise is drawn from the
samples themselves, because it is seldom normal.
"""
import bisect
import itertools
import math
import random
from statistics import fmean, median, stdev

RUNS_LEAST, FACTOR_MOST = 5, 2  # no interval for fewer runs, or beyond this factor in either direction
FEW, WIDE = "too few runs", "runs differ too much"  # the reasons in these two cases
PAIRS, DRIFT_SAMPLES = 240, 6
KNOWN_LEAST = 2  # two visits give one difference, which alone would allow offsets of nearly any size
EXPECTED_OFFSET = 0.01  # of the median
FACTOR_LEAST = 0.05  # limits a replicate, so that its logarithm exists
NOISE_MOST = 0.1  # of the median, or of the samples
OUTLIER_SDS, OUTLIER_LEAST = 3, 0.01  # standard deviations from the MAD, which may be 0; of the median
SD_PER_MAD, MEDIAN_VARIANCE = 1.4826, math.pi / 2  # of normal noise
ROUNDING = 1e-12  # differences this close are equal


class Visits:
    """Samples of one contender, split into visits; equal numbers in `visit` are adjacent. `of_run` is
    the drift of the whole run."""

    def __init__(self, samples, visit=None, of_run=0.0):
        pairs = zip(visit or itertools.repeat(0), samples)
        self.samples, self.median = samples, median(samples)
        self.parts = [[sample for _, sample in part]
                      for _, part in itertools.groupby(pairs, lambda pair: pair[0])]
        self.centres = [median(part) for part in self.parts]
        self.of_run = of_run
        self.known = max(len(self.parts) - 1, KNOWN_LEAST)
        self.squares = self.variation()
        self.noise = [self.noise_of(part, centre) for part, centre in zip(self.parts, self.centres)]

    def variation(self):
        """Returns the sum of squares between visits beyond what noise explains."""
        if len(self.parts) < 2:
            return 0.0
        away = [abs(sample - centre) for part, centre in zip(self.parts, self.centres)
                for sample in part]
        sd = SD_PER_MAD * median(away)
        by_noise = MEDIAN_VARIANCE * sd * sd * fmean(1 / len(part) for part in self.parts)
        seen = stdev(self.centres) ** 2
        return (len(self.parts) - 1) * max(0.0, seen - by_noise)

    @staticmethod
    def noise_of(part, centre):
        """Returns the differences from the centre, wider because few samples underestimate the
        variation."""
        wider = math.sqrt((len(part) + 1) / (len(part) - 1)) if len(part) > 1 else 1
        return [wider * (sample - centre) for sample in part]

    def draw_offset(self, rng):
        """Returns a possible standard deviation of the offsets of visits."""
        chi = sum(rng.gauss(0, 1) ** 2 for _ in range(self.known))
        expected = (max(EXPECTED_OFFSET, self.of_run) * self.median) ** 2
        return math.sqrt(expected + self.squares / max(chi, 1e-9))

    def draw_logarithm(self, offset, rng):
        """Returns the logarithm of the ratio of another run's median to this one's: noise grows with
        the time."""
        drawn = []
        for part in self.parts:
            shift = offset * rng.gauss(0, 1)
            drawn += [shift + one for one in rng.choices(rng.choice(self.noise), k=len(part))]
        return math.log(max(1 + median(drawn) / self.median, FACTOR_LEAST))

    def drift(self):
        """Returns the standard deviation of the visits beyond what noise explains, as a share of the
        median; None: too few visits."""
        if len(self.samples) < DRIFT_SAMPLES or len(self.parts) < 2:
            return None
        return math.sqrt(self.squares / (len(self.parts) - 1)) / self.median


def drift_of_all(rows):
    """Returns the drift of a run, over all its rows that can show it; 0: it is unknown."""
    known = [drift for drift in (row.drift() for row in rows) if drift is not None]
    return median(known) if known else 0.0


def distance(a, b, probability, seed):
    """Returns the factor within which the medians of two runs stay with this probability. Both are
    drawn, because a repetition is as uncertain as the original run."""
    rng, found = random.Random(seed), []
    for _ in range(PAIRS):
        offset_a = a.draw_offset(rng)
        offset_b = offset_a if a is b else b.draw_offset(rng)
        found.append(abs(a.draw_logarithm(offset_a, rng) - b.draw_logarithm(offset_b, rng)))
    return math.exp(sorted(found)[int(probability * PAIRS)])


def count_outliers(samples, middle):
    away = [abs(sample - middle) for sample in samples]
    most = max(OUTLIER_SDS * SD_PER_MAD * median(away), OUTLIER_LEAST * middle)
    return sum(one > most for one in away)


def summarise(visits, seed):
    """Returns the figures of a scope. `low` and `high` contain the median of a repetition in 9 of 10
    cases; both are None if `no_interval` gives a reason. It is noisy if the interval is wider than a
    tenth of the median, with more than a tenth of outliers, if visits are a tenth apart, or without an
    interval."""
    samples, middle = visits.samples, visits.median
    factor = distance(visits, visits, 0.9, seed) if len(samples) >= RUNS_LEAST else 1
    reason = FEW if len(samples) < RUNS_LEAST else WIDE if factor > FACTOR_MOST else None
    outliers = count_outliers(samples, middle)
    noisy = bool(reason) or factor - 1 / factor > NOISE_MOST or outliers > NOISE_MOST * len(samples) or \
        max(visits.centres) - min(visits.centres) > NOISE_MOST * middle
    return {"median": middle, "low": None if reason else middle / factor,
            "high": None if reason else middle * factor, "no_interval": reason,
            "mean": fmean(samples), "sd": stdev(samples) if len(samples) > 1 else 0.0,
            "best": min(samples), "runs": len(samples), "outliers": outliers, "noisy": noisy}


def compare_medians(a, b, seed):
    """Returns median(b) / median(a), and an interval that contains it in 19 of 20 cases."""
    factor, ratio = distance(a, b, 0.95, seed), b.median / a.median
    return ratio, ratio / factor, ratio * factor


def permutation(a, b):
    """Returns the probability of a difference of medians at least as large as that of the logarithms of
    a and b, if both have the same distribution: all divisions of the samples into two such lists are
    counted. Of an even number of samples, the median is the lower middle one."""
    values = sorted(map(math.log, a + b))
    below_a, below_b = (len(a) - 1) // 2, (len(b) - 1) // 2
    seen = abs(math.log(sorted(a)[below_a]) - math.log(sorted(b)[below_b])) - ROUNDING
    factorials = [0.0, *itertools.accumulate(math.log(n) for n in range(1, len(values) + 1))]

    def log_choose(n, k):
        return factorials[n] - factorials[k] - factorials[n - k]

    def share(below, other_below, other):
        """Divisions in which the median of a list with `below` smaller values is at i, and that of the
        other list further up, at k."""
        found, above = 0.0, other - other_below - 1
        for i in range(below, below + other_below + 1):
            between = other_below - (i - below)  # values of the other list from i to k
            first = max(i + 1 + between, bisect.bisect_left(values, values[i] + seen))
            for k in range(first, len(values) - above):
                found += math.exp(log_choose(i, below) + log_choose(k - i - 1, between) +
                                  log_choose(len(values) - k - 1, above) - every)
        return found
    every = log_choose(len(values), len(a))
    return min(1.0, share(below_a, below_b, len(b)) + share(below_b, below_a, len(a)))
