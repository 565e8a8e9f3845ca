"""Sorts the results of an experiment into series (one line each) and facets (one panel each), and measures
them for the y axis."""
from itertools import product

import bench_data
import derive
from bench_data import SCOPE_SHORT, SCOPES

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
    """Returns the strategy, or the report's name for it in quotes, and what ran instead."""
    variant = result.get("variant")
    name = f"“{variant}”" if variant else str(result.get("strategy"))
    if with_block and result.get("block") and str(result["block"]) not in name:
        name += f", block {result['block']}" if variant else f":{result['block']}"
    if result.get("device") == "cpu" and with_threads and \
            result.get("baseline") != "sequential":
        count = bench_data.threads(result)
        name += f", {count} thread" + ("s" if count > 1 else "")
    name += f" (ran {result['ran']})" if result.get("ran") else ""
    name += f", {result['way']}" if result.get("way") else ""
    return f"{result.get('device')} {name}"


def published_name(result, with_block, tables=()):
    """`tables` are those with times of this variant; the name says which if there are several."""
    name = f"{bench_data.hardware(result.get('device'))}: {result.get('variant')}"
    name += f", block {result['block']}" if with_block and result.get("block") else ""
    return name + (f" ({result['table']})" if len(tables) > 1 else "")


def series_order(result):
    gpu = bench_data.on_gpu(result)
    own = 2 if bench_data.is_best(result) else 3 if gpu else 1
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
    tables, found = {}, {}
    for result in results:
        tables.setdefault(result["variant"], set()).add(result["table"])
    for result in sorted(results, key=lambda result: bool(result.get("gpu"))):
        name = published_name(result, x != "block", tables[result["variant"]])
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


def values_of(name, results, published):
    """Returns the different values of a dimension, of ours first."""
    everything = results + (published if name in IN_PUBLISHED else [])
    return list(dict.fromkeys(DIMENSIONS[name](result) for result in everything))


def facets(results, published, x):
    """Returns a facet for each combination of varying dimensions, or one for all results. Those of a
    problem that was only published have the other dimensions of all of ours."""
    varying = [name for name in HELD[x] if len(values_of(name, results, published)) > 1]
    keys = list(dict.fromkeys(tuple(DIMENSIONS[name](one) for name in varying) for one in results))
    for one in published:
        choices = [[DIMENSIONS[name](one)] if name in IN_PUBLISHED else values_of(name, results, [])
                   for name in varying]
        keys += [key for key in product(*choices) if key not in keys]
    if "filter" in varying:  # those of a report in its order
        place, order = varying.index("filter"), [one["filter"] for one in published]
        keys.sort(key=lambda key: order.index(key[place]) if key[place] in order else len(order))
    return [Facet(dict(zip(varying, key))) for key in keys]


def constants(results, published, x):
    """Returns words for what is the same in all panels."""
    words = []
    for name in HELD[x]:
        values = values_of(name, results, published)
        known = len(values) == 1 and values[0] and not (name == "family" and "," in values[0])
        if known:
            text = Facet({name: values[0]}).text()
            words.append(f"border {text}" if name == "border" else text)
    masks = {result.get("k") for result in results + published}
    if x == "block" and len(masks) == 1:
        words.append(f"k = {masks.pop()}")
    return ", ".join(words)


def absent(results, facet, devices):
    """Returns why a panel has no times of ours on these devices."""
    here = [one for one in results if facet.holds(one) and one.get("device") in devices]
    if not here:
        return "not in this run"
    reasons = [bench_data.not_timed(one) for one in here if not bench_data.is_good(one)]
    return reasons[0] if reasons else "no such time was measured"


def x_of(experiment):
    """Returns the x axis. Filters have separate panels, over the image size."""
    x = experiment.get("x")
    return x if x in HELD else "pixels"


def chunks(items, most):
    """Divides a list into as few parts as possible, of nearly equal sizes up to `most`."""
    count = -(-len(items) // most)
    ends = [round(i * len(items) / count) for i in range(count + 1)]
    return [items[first:end] for first, end in zip(ends, ends[1:])]


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


def answers(result, scope):
    """True if a published result can be compared with our times of a scope."""
    return not result.get("gpu") or SCOPES.get(result.get("scope")) == scope


def scope_or_kernel(result, scope):
    """The reports measure their loops alone, so those have the scope of the kernel everywhere."""
    return bench_data.scope_of(result, "kernel" if result.get("baseline") else scope)


def time(scope):
    def value(result):
        entry = scope_or_kernel(result, scope)
        return bench_data.interval(entry) if entry else None

    def published(result):
        return bench_data.positive(result.get("ms")) if answers(result, scope) else None
    return Measure(f"time ({SCOPE_SHORT[scope]}), ms", "bars: interval of the median", value,
                   published)


def speedup(published_results, scope):
    """Over the sequential baseline; for published times, over the sequential times of the report."""
    sequential = {}
    for result in published_results:
        if result.get("baseline"):
            sequential[bench_data.problem(result), result["table"]] = result["ms"]
            sequential.setdefault(bench_data.problem(result), result["ms"])

    def value(result):
        factor = bench_data.positive(result.get("speedup_sequential"))
        entry = scope_or_kernel(result, scope)
        if not factor or not entry:
            return None
        base = factor * bench_data.scope(result, "kernel")["median"]
        median, low, high = bench_data.interval(entry)
        return base / median, base / high, base / low

    def published(result):
        problem = bench_data.problem(result)
        base = sequential.get((problem, result["table"])) or sequential.get(problem)
        return base / result["ms"] if base and answers(result, scope) else None
    made = Measure("speed-up over sequential, ×",
                   f"{SCOPE_SHORT[scope]}; bars: interval of the median", value, published)
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
    return Measure("throughput, Mpixel/s", f"{SCOPE_SHORT[scope]}; {times.bars}", value, published)
