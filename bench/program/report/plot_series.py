"""Sorts the results of an experiment into series (one line each) and facets (one panel each), and measures
them for the y axis."""
from collections import Counter

import bench_data
import derive
from bench_data import SCOPE_WORDS, SCOPES

MOST_SERIES, MOST_PUBLISHED = 8, 2  # in one panel; with more, each device has its own panel
BASELINE_ORDER = {"sequential": 0, "parallel": 1}

# What may differ between results at the same x.
DIMENSIONS = {
    "type": lambda result: result.get("type"),
    "layout": lambda result: result.get("layout"),
    "border": lambda result: result.get("border"),
    "channels": lambda result: result.get("channels"),
    "filter": lambda result: result.get("filter"),
    "family": bench_data.family,
    "size": lambda result: (result.get("width"), result.get("height")),
}
HELD = {  # dimensions that have separate panels, for each x axis
    "pixels": ("type", "layout", "border", "channels", "filter"),
    "k": ("type", "layout", "border", "channels", "family", "size"),
    "block": ("type", "layout", "border", "channels", "filter", "size"),
}
IN_PUBLISHED = ("filter", "family", "size", "channels")


def x_value(result, x):
    if x == "pixels":
        found = bench_data.pixels(result)
        return found / 1e6 if found else None
    return bench_data.positive(result.get(x))


def series_name(result, with_block, with_threads):
    name = str(result.get("strategy"))
    if with_block and result.get("block") and str(result["block"]) not in name:
        name += f":{result['block']}"
    if result.get("device") == "cpu" and with_threads and \
            result.get("baseline") != "sequential":
        count = bench_data.threads(result)
        name += f", {count} thread" + ("s" if count > 1 else "")
    return f"{result.get('device')} {name}"


def published_name(result, with_block):
    variant = str(result.get("variant") or result.get("strategy")).replace(" (mask sweep)", "")
    if not with_block:
        variant = variant.rsplit(" ", 1)[0] if variant.split(" ")[-1].isdigit() else variant
    return f"{bench_data.hardware(result.get('device'))}: {variant.replace(' (tile sweep)', '')}"


def series_order(result):
    gpu = bench_data.on_gpu(result)
    own = 2 if result.get("strategy") == "best" else 3 if gpu else 1
    return (gpu, str(result.get("device")), BASELINE_ORDER.get(result.get("baseline"), own),
            bench_data.threads(result))


class Series:
    """Results that form one line."""

    def __init__(self, name, group, published):
        self.name, self.group, self.published = name, group, published
        self.results = []


def collect(results, x):
    found = {}
    for result in sorted(results, key=series_order):
        name = series_name(result, x != "block", True)
        series = found.setdefault(name, Series(name, result.get("device"), False))
        series.results.append(result)
    return list(found.values())


def collect_published(results, x):
    found = {}
    for result in sorted(results, key=lambda result: bool(result.get("gpu"))):
        name = published_name(result, x != "block")
        found.setdefault(name, Series(name, "published", True)).results.append(result)
    return list(found.values())


# ---- Facets -------------------------------------------------------------------------------------------

class Facet:
    """The values of the varying dimensions that one panel shows."""

    def __init__(self, values):
        self.values = values  # dimension → value

    def holds(self, result):
        return all(DIMENSIONS[name](result) == value for name, value in self.values.items())

    def holds_published(self, result):
        return all(DIMENSIONS[name](result) == value for name, value in self.values.items()
                   if name in IN_PUBLISHED)

    def text(self, but=()):
        words = []
        for name, value in self.values.items():
            if name in but:
                continue
            if name == "size":
                words.append(f"{value[0]} × {value[1]}")
            else:
                words.append(f"{value} channels" if name == "channels" else str(value))
        return ", ".join(words)


def facets(results, x):
    """Returns a facet for each combination of varying dimensions, or one for all results."""
    varying = [name for name in HELD[x]
               if len({DIMENSIONS[name](result) for result in results}) > 1]
    keys = dict.fromkeys(tuple(DIMENSIONS[name](result) for name in varying) for result in results)
    return [Facet(dict(zip(varying, key))) for key in keys]


def x_of(experiment):
    """Returns the x axis. Filters have separate panels, over the image size."""
    x = experiment.get("x")
    return x if x in HELD else "pixels"


def page_words(facets_of_page, all_facets):
    """Returns the dimensions that have only one value on a page."""
    return [name for name in all_facets[0].values
            if len({facet.values[name] for facet in facets_of_page}) == 1]


def split(ours, published):
    """Returns the series of each column of panels."""
    groups = list(dict.fromkeys(series.group for series in ours))
    if len(ours) <= MOST_SERIES and len(published) <= MOST_PUBLISHED:
        return [ours + published]
    if len(ours) <= MOST_SERIES:
        return [ours, published]
    columns = [[series for series in ours if series.group == group] for group in groups]
    return columns + ([published] if published else [])


# ---- Measures ---------------------------------------------------------------------------------------

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
        found = derive.rates(result, amount)
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
