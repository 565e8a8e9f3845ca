"""Line plots with error bars over mask size, image size or tile size."""
import math
from collections import Counter

from matplotlib import ticker

import bench_data
import beside
import plot_series
import plot_style
from plot_style import Page

X_LABELS = {"pixels": "image size, megapixels", "k": "mask size k, pixels (k × k taps)",
            "block": "tile edge, pixels (threads per side)"}
RINGED = "Grey ring: no interval, because there are too few runs or they differ too much"
QUOTED = "In quotes: variants by the report's names; the tables have the names of our strategies"
OTHER_HARDWARE = "Hollow markers, dashed: published by the report, measured on other hardware"
MOST_PANELS, MOST_ROWS = 6, 3
MOST_TICKS = {1: 12, 2: 8}  # by columns of panels
FEWEST_TICKS = 6


def device_notes(results, software, marked=True):
    """Returns notes on names in quotes and on software."""
    quoted = [QUOTED] if any(result.get("variant") for result in results) else []
    return quoted + software_note(results, software, marked)


def software_note(results, software, marked):
    names = sorted({result.get("device") for result in results} & software)
    return [f"{name} is software that runs on the CPU{', dotted or hatched' if marked else ''}; its times do not "
            "rank strategies for a GPU" for name in names]


def is_open(point):
    """True if the point has no interval."""
    return point[2] == point[3]


def draw_series(axes, points, style, published=False):
    points = sorted(points)
    x, middle = [p[0] for p in points], [p[1] for p in points]
    ringed = [] if published else [p for p in points if is_open(p)]
    axes.plot([p[0] for p in ringed], [p[1] for p in ringed], linestyle="", marker="o", markersize=10,
              markerfacecolor="none", markeredgecolor=plot_style.GREY, markeredgewidth=0.8)
    # NaN omits the error bar of points without an interval.
    errors = [[p[1] - p[2] or math.nan for p in points], [p[3] - p[1] or math.nan for p in points]]
    bars = not all(math.isnan(error) for error in errors[0] + errors[1])
    return axes.errorbar(x, middle, yerr=errors if bars else None, capsize=2, elinewidth=0.9,
                         **style)


def points_of(results, x, measure):
    """Returns (x, middle, low, high) of our results."""
    return [(place, *value) for result in results
            if (value := measure.value(result)) and (place := plot_series.x_value(result, x))]


def published_points(times, x, measure):
    return [(plot_series.x_value(one, x), y, y, y) for one in times if (y := measure.published(one))]


class Lines:
    """One experiment and one measure, on one or more pages."""

    def __init__(self, bench, experiment, measure):
        self.bench, self.experiment, self.measure = bench, experiment, measure
        self.ringed = False  # some point has no interval
        self.x = plot_series.x_of(experiment)
        self.asked = [result for result in bench.results_of(experiment)
                      if plot_series.x_value(result, self.x)]
        others = [result for result in bench.published_of(experiment)
                  if measure.published(result) and plot_series.x_value(result, self.x)]
        self.results = [result for result in self.asked
                        if bench_data.is_good(result) and measure.value(result)]
        self.ours = plot_series.collect(self.results, self.x)
        self.published = plot_series.collect_published(others, self.x)
        self.facets = plot_series.facets(self.asked, others, self.x)
        self.constants = plot_series.constants(self.asked, others, self.x)

    def pages(self):
        """Returns (words for the file name, facets) of each page."""
        columns = len(plot_series.split(self.ours, self.published))
        most = MOST_PANELS if columns == 1 else MOST_ROWS
        if len(self.facets) <= most:
            return [("", self.facets)]
        if len(self.facets[0].values) == 1:
            return self.chunks("", self.facets, most)
        first = next(iter(self.facets[0].values))
        by_first = {}
        for facet in self.facets:
            by_first.setdefault(plot_series.Facet({first: facet.values[first]}).text(),
                                []).append(facet)
        return [page for word, facets in by_first.items()
                for page in self.chunks(word, facets, most)]

    @staticmethod
    def chunks(word, facets, most):
        parts = plot_series.chunks(facets, most)
        return [(word if len(parts) == 1 else f"{word} page {i + 1}".strip(), part)
                for i, part in enumerate(parts)]

    def reference(self):
        """Returns our fastest CPU line, to show it next to published lines."""
        best = [series for series in self.ours
                if series.group == "cpu" and bench_data.is_best(series.results[0])]
        return best[-1:]

    def columns(self):
        groups = plot_series.split(self.ours, self.published)
        if len(groups) > 1 and groups[-1] and groups[-1][0].published:
            groups[-1] = groups[-1] + self.reference()
        return groups

    def figure(self, facets, subtitle):
        groups = self.columns()
        if len(groups) == 1:
            across = 1 if len(facets) == 1 else 2
            page = Page(-(-len(facets) // across), across, 3.4 if len(facets) == 1 else 2.3)
            panels = [(facet, groups[0]) for facet in facets]
        else:
            page = Page(len(facets), len(groups), 3.0 if len(facets) == 1 else 2.3)
            panels = [(facet, group) for facet in facets for group in groups]
        everything = []
        for axes, (facet, group) in zip(page.panels(), panels):
            everything += self.panel(axes, facet, group)
            axes.set_title(plot_style.wrap(self.panel_title(facet, facets, group, groups),
                                           96 // page.axes.shape[1]))
        self.scales(page, everything, len(panels))
        self.legends(page, groups)
        return page.finish(self.experiment.get("title") or self.experiment["id"], subtitle,
                           self.notes())

    def panel_title(self, facet, facets, group, groups):
        but = plot_series.page_words(facets, self.facets) if len(facets) > 1 else ()
        return ": ".join(word for word in (self.group_title(group, groups), facet.text(but))
                         if word)

    def group_title(self, group, groups):
        if len(groups) == 1:
            return ""
        if group[0].published:
            return "published, other hardware"
        if len({series.group for series in group}) > 1:
            return "this machine"
        return f"{group[0].group}{' (software)' if group[0].group in self.bench.software else ''}"

    def style(self, series):
        if series.published:
            return plot_style.published_look(series.results[0], self.published.index(series))
        return plot_style.look(series.results[0], self.bench.software)

    def panel(self, axes, facet, group):
        drawn, own = [], False
        for series in group:
            held = facet.holds_published if series.published else facet.holds
            points = (published_points if series.published else points_of)(
                filter(held, series.results), self.x, self.measure)
            if points:
                draw_series(axes, points, self.style(series), series.published)
            drawn += points
            own |= bool(points) and not series.published
            self.ringed |= not series.published and any(map(is_open, points))
        devices = {series.group for series in group if not series.published}
        if devices and not own:
            explain(axes, plot_series.absent(self.asked, facet, devices), drawn)
        if self.measure.one:
            axes.axhline(self.measure.one, color=plot_style.GREY, linewidth=0.8)
        return drawn

    def scales(self, page, points, used):
        xs = sorted({point[0] for point in points})
        ys = [y for point in points for y in point[1:]] + [self.measure.one]
        page.label(X_LABELS[self.x], self.measure.label, used)
        for axes in page.panels()[:used]:
            plot_style.log_axis(axes.yaxis, ys)
            if self.x != "block":
                plot_style.log_axis(axes.xaxis, xs)
            if self.x != "pixels":
                axes.xaxis.set_major_locator(ticker.FixedLocator(
                    thinned(xs, page.axes.shape[1], math.log if self.x == "k" else float)))
                axes.xaxis.set_major_formatter(ticker.FuncFormatter(plot_style.plain))
        page.hide_from(used)

    def legends(self, page, groups):
        for column, group in enumerate(groups):
            styles = [dict(self.style(series)) for series in group]
            handles = [page.panels()[0].plot([], [], **style)[0] for style in styles]
            labels = [plot_style.wrap(self.short_name(series, group, groups),
                                      94 // len(groups) - 4) for series in group]
            across = 1 if len(groups) > 1 else plot_style.columns_of(labels)
            page.legend(handles, labels, across, column if len(groups) > 1 else None)

    def short_name(self, series, group, groups):
        """Omits the device if it is in the title of the panel."""
        alone = len(groups) > 1 and len({one.group for one in group}) == 1
        return series.name.split(" ", 1)[1] if alone and not series.published else series.name

    def notes(self):
        drawn = ([OTHER_HARDWARE] if self.published else []) + ([RINGED] if self.ringed else [])
        counts = Counter(str(one.get("status")) for one in self.asked if not bench_data.is_good(one))
        if counts:
            drawn.append("Not timed and not drawn: " + ", ".join(
                f"{count} {status}" for status, count in counts.items()) + "; the table has the reasons")
        return drawn + device_notes(self.results, self.bench.software)

    def draw(self, subtitle):
        """Yields (words for the file name, figure) of each page."""
        if self.ours:
            same = f"{subtitle}; {self.constants}" if self.constants else subtitle
            for word, facets in self.pages():
                yield word, self.figure(facets, same + (f"; {word}" if word else ""))


def explain(axes, reason, drawn):
    """Writes why a panel has no times of ours: in its centre, or below published times and behind them."""
    axes.text(0.5, 0.3 if drawn else 0.5, plot_style.wrap(reason, 38), ha="center", va="center",
              transform=axes.transAxes, size=8.5, color=plot_style.GREY, style="italic", zorder=1,
              bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5})


def thinned(values, columns, place):
    """Returns values, including the last, whose tick labels do not overlap on the axis."""
    most = MOST_TICKS.get(columns, FEWEST_TICKS)
    least, kept = (place(values[-1]) - place(values[0])) / most, values[-1:]
    for value in reversed(values[:-1]):
        if place(kept[0]) - place(value) >= least:
            kept.insert(0, value)
    return kept


# ---- Kinds of plots ------------------------------------------------------------------------------

def draw_time(bench, experiment):
    scope = beside.published_scope(bench.published_of(experiment))
    measure = plot_series.time(scope)
    return Lines(bench, experiment, measure).draw(f"Time of {bench_data.SCOPE_WORDS[scope]}; "
                                                  f"lower is better; {measure.bars}")


def draw_speedup(bench, experiment):
    results = bench.published_of(experiment)
    measure = plot_series.speedup(results, beside.published_scope(results))
    return Lines(bench, experiment, measure).draw(
        f"Speed-up over one sequential thread, {measure.bars}; published: over their own CPU")


def draw_bandwidth(bench, experiment):
    measure = plot_series.rate("bytes", "effective bandwidth, GB/s")
    return Lines(bench, experiment, measure).draw(
        f"Bytes of input and output, each counted once, per second; {measure.bars}")


def draw_chain(bench, experiment):
    scope = beside.published_scope(bench.published_of(experiment))
    measure = plot_series.throughput(scope)
    return Lines(bench, experiment, measure).draw(
        f"Pixels per second through the whole chain; higher is better; {measure.bars}")
