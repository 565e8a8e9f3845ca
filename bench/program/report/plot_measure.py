"""What the y axis can show: for a row its value and interval, for a published row its value."""
from collections import Counter

import bench_data
from bench_data import SCOPE_WORDS, SCOPES


class Measure:
    """`value` maps a row to (middle, low, high) or None; `published` a published row to a number."""

    def __init__(self, label, bars, value, published=lambda row: None):
        self.label, self.bars, self.value, self.published = label, bars, value, published
        self.one = None  # where to draw a line: that is as fast as the baseline


def published_scope(rows):
    """Our scope that answers most of the published times of GPUs; the kernel's if there is none."""
    counts = Counter(SCOPES.get(row.get("scope")) for row in rows if row.get("gpu"))
    return "kernel" if counts["kernel"] or not counts else counts.most_common(1)[0][0]


def answers(row, scope):
    """Whether a published row may stand beside our times of a scope."""
    return not row.get("gpu") or SCOPES.get(row.get("scope")) == scope


def scope_or_kernel(row, scope):
    """Baselines have no scope but the kernel: there is nothing else to their call."""
    baseline = row.get("strategy") in bench_data.BASELINES
    return bench_data.scope_of(row, scope) or (bench_data.scope(row, "kernel") if baseline else None)


def time(scope):
    def value(row):
        entry = scope_or_kernel(row, scope)
        return bench_data.interval(entry) if entry else None

    def published(row):
        return bench_data.positive(row.get("ms")) if answers(row, scope) else None
    return Measure(f"time ({SCOPE_WORDS[scope]}), ms", "bars: interval of the median", value,
                   published)


def speedup(published_rows, scope):
    """Over the sequential baseline; published ones over their own sequential times."""
    sequential = {}
    for row in published_rows:
        if not row.get("gpu") and str(row.get("variant")).lower().startswith("seq"):
            sequential.setdefault(bench_data.problem(row), bench_data.positive(row.get("ms")))

    def value(row):
        factor = bench_data.positive(row.get("speedup_sequential"))
        entry = scope_or_kernel(row, scope)
        if not factor or not entry:
            return None
        base = factor * bench_data.scope(row, "kernel")["median"]
        median, low, high = bench_data.interval(entry)
        return base / median, base / high, base / low

    def published(row):
        base, own = sequential.get(bench_data.problem(row)), bench_data.positive(row.get("ms"))
        return base / own if base and own and answers(row, scope) else None
    made = Measure("speed-up over sequential, ×",
                   f"{SCOPE_WORDS[scope]}; bars: interval of the median", value, published)
    made.one = 1.0
    return made


def rate(amount, label):
    def value(row):
        found = bench_data.rates(row, amount)
        if not found:
            return None
        mean, deviation = found
        return mean, max(mean - deviation, mean * 0.02), mean + deviation
    return Measure(label, "kernel alone; mean ± standard deviation", value)


def throughput(scope):
    def value(row):
        found, entry = bench_data.pixels(row), bench_data.scope_of(row, scope)
        if not found or not entry:
            return None
        median, low, high = bench_data.interval(entry)
        return found / median / 1e3, found / high / 1e3, found / low / 1e3

    def published(row):
        found, own = bench_data.pixels(row), bench_data.positive(row.get("ms"))
        return found / own / 1e3 if found and own and answers(row, scope) else None
    return Measure("throughput, Mpixel/s", f"{SCOPE_WORDS[scope]}; bars: interval of the median", value,
                   published)
