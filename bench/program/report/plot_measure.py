"""Measures for the y axis: the value and interval of a result, the value of a published result."""
from collections import Counter

import bench_data
from bench_data import SCOPE_WORDS, SCOPES


class Measure:
    """`value` maps a result to (middle, low, high) or None; `published` a published result to a number."""

    def __init__(self, label, bars, value, published=lambda result: None):
        self.label, self.bars, self.value, self.published = label, bars, value, published
        self.one = None  # where to draw a line for the speed of the baseline


def published_scope(results):
    """Returns our scope for most of the published GPU times, or the kernel if there are none."""
    counts = Counter(SCOPES.get(result.get("scope")) for result in results if result.get("gpu"))
    return "kernel" if counts["kernel"] or not counts else counts.most_common(1)[0][0]


def answers(result, scope):
    """True if a published result can be compared with our times of a scope."""
    return not result.get("gpu") or SCOPES.get(result.get("scope")) == scope


def scope_or_kernel(result, scope):
    """Baselines may have no other scope than the kernel, because their call does nothing else."""
    return bench_data.scope_of(result, scope) or \
        (bench_data.scope(result, "kernel") if result.get("baseline") else None)


def time(scope):
    def value(result):
        entry = scope_or_kernel(result, scope)
        return bench_data.interval(entry) if entry else None

    def published(result):
        return bench_data.positive(result.get("ms")) if answers(result, scope) else None
    return Measure(f"time ({SCOPE_WORDS[scope]}), ms", "bars: interval of the median", value,
                   published)


def speedup(published_results, scope):
    """Over the sequential baseline; for published times, over the sequential times of the report."""
    sequential = {}
    for result in published_results:
        if not result.get("gpu") and str(result.get("variant")).lower().startswith("seq"):
            sequential.setdefault(bench_data.problem(result), bench_data.positive(result.get("ms")))

    def value(result):
        factor = bench_data.positive(result.get("speedup_sequential"))
        entry = scope_or_kernel(result, scope)
        if not factor or not entry:
            return None
        base = factor * bench_data.scope(result, "kernel")["median"]
        median, low, high = bench_data.interval(entry)
        return base / median, base / high, base / low

    def published(result):
        base, own = sequential.get(bench_data.problem(result)), bench_data.positive(result.get("ms"))
        return base / own if base and own and answers(result, scope) else None
    made = Measure("speed-up over sequential, ×",
                   f"{SCOPE_WORDS[scope]}; bars: interval of the median", value, published)
    made.one = 1.0
    return made


def rate(amount, label):
    def value(result):
        found = bench_data.rates(result, amount)
        if not found:
            return None
        mean, deviation = found
        return mean, max(mean - deviation, mean * 0.02), mean + deviation
    return Measure(label, "kernel alone; mean ± standard deviation", value)


def throughput(scope):
    times = time(scope)

    def value(result):
        size, found = bench_data.pixels(result), times.value(result)
        return size and found and tuple(size / 1e3 / found[i] for i in (0, 2, 1))

    def published(result):
        size, ms = bench_data.pixels(result), times.published(result)
        return size / 1e3 / ms if size and ms else None
    return Measure("throughput, Mpixel/s", f"{SCOPE_WORDS[scope]}; {times.bars}", value, published)
