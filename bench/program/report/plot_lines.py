"""Line plots with error bars over mask size, image size or tile size."""
import math

from matplotlib import ticker

import bench_data
import plot_series
import plot_style
from plot_style import Page

X_LABELS = {"pixels": "image size, megapixels", "k": "mask size k, pixels (k × k taps)",
            "block": "tile edge, pixels (threads per side)"}
RINGED = "Grey ring: no interval, because there are too few runs or they differ too much"
OTHER_HARDWARE = "Hollow markers, dashed: published by the report, measured on other hardware"
MOST_PANELS, MOST_ROWS = 6, 3
MOST_TICKS = {1: 12, 2: 8}  # by columns of panels
FEWEST_TICKS = 6


def software_note(results, software):
    names = sorted({result.get("device") for result in results} & software)
    return [f"Dotted or hatched: {name} is software that runs on the CPU; its times do not rank "
            "strategies for a GPU" for name in names]


def is_open(point):
    """True if the point has no interval."""
    return point[2] == point[3]


def draw_series(axes, points, style, published=False):
    points.sort()
    x, middle = [p[0] for p in points], [p[1] for p in points]
    ringed = [] if published else [p for p in points if is_open(p)]
    axes.plot([p[0] for p in ringed], [p[1] for p in ringed], linestyle="", marker="o", markersize=10,
              markerfacecolor="none", markeredgecolor=plot_style.GREY, markeredgewidth=0.8)
    # NaN omits the error bar of points without an interval.
    errors = [[p[1] - p[2] or math.nan for p in points], [p[3] - p[1] or math.nan for p in points]]
    bars = not all(math.isnan(error) for error in errors[0] + errors[1])
    return axes.errorbar(x, middle, yerr=errors if bars else None, capsize=2, elinewidth=0.9,
                         **style)


def points_of(series, x, measure, facet):
    """Returns (x, middle, low, high) of the results in a facet."""
    found = []
    for result in series.results:
        if series.published:
            y = measure.published(result) if facet.holds_published(result) else None
            value = (y, y, y) if y else None
        else:
            value = measure.value(result) if facet.holds(result) else None
        place = plot_series.x_value(result, x)
        if value and place:
            found.append((place, *value))
    return found


class Lines:
    """One experiment and one measure, on one or more pages."""

    def __init__(self, bench, experiment, measure):
        self.bench, self.experiment, self.measure = bench, experiment, measure
        self.ringed = False  # some point has no interval
        self.x = plot_series.x_of(experiment)
        results = [result for result in bench.good_results(experiment)
                if measure.value(result) and plot_series.x_value(result, self.x)]
        others = [result for result in bench.published_of(experiment)
                  if measure.published(result) and plot_series.x_value(result, self.x)]
        self.results, self.ours = results, plot_series.collect(results, self.x)
        self.published = plot_series.collect_published(others, self.x)
        self.facets = plot_series.facets(results, self.x)

    def pages(self):
        """Returns (words for the file name, facets) of each page."""
        columns = len(plot_series.split(self.ours, self.published))
        most = MOST_PANELS if columns == 1 else MOST_ROWS
        if len(self.facets) <= most:
            return [("", self.facets)]
        first = next(iter(self.facets[0].values))
        by_first = {}
        for facet in self.facets:
            by_first.setdefault(plot_series.Facet({first: facet.values[first]}).text(),
                                []).append(facet)
        return [page for word, facets in by_first.items()
                for page in self.chunks(word, facets, most)]

    def chunks(self, word, facets, most):
        parts = [facets[i:i + most] for i in range(0, len(facets), most)]
        return [(word if len(parts) == 1 else f"{word} {i + 1}", part)
                for i, part in enumerate(parts)]

    def reference(self):
        """Returns our fastest CPU line, to show it next to published lines."""
        best = [series for series in self.ours
                if series.group == "cpu" and series.results[0].get("strategy") == "best"]
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
            axes.set_title(self.panel_title(facet, facets, group, groups))
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
        drawn = []
        for series in group:
            points = points_of(series, self.x, self.measure, facet)
            if points:
                draw_series(axes, points, self.style(series), series.published)
            drawn += points
            self.ringed |= not series.published and any(map(is_open, points))
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
            across = 1 if len(groups) > 1 else min(3, len(group))
            page.legend(handles, labels, across, column if len(groups) > 1 else None)

    def short_name(self, series, group, groups):
        """Omits the device if it is in the title of the panel."""
        alone = len(groups) > 1 and len({one.group for one in group}) == 1
        return series.name.split(" ", 1)[1] if alone and not series.published else series.name

    def notes(self):
        drawn = ([OTHER_HARDWARE] if self.published else []) + ([RINGED] if self.ringed else [])
        return drawn + software_note(self.results, self.bench.software)

    def draw(self, subtitle):
        """Yields (words for the file name, figure) of each page."""
        if self.ours:
            for word, facets in self.pages():
                yield word, self.figure(facets, subtitle + (f"; {word}" if word else ""))


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
    scope = plot_series.published_scope(bench.published_of(experiment))
    measure = plot_series.time(scope)
    return Lines(bench, experiment, measure).draw(f"Time, {bench_data.SCOPE_WORDS[scope]}; "
                                                  f"lower is better; {measure.bars}")


def draw_speedup(bench, experiment):
    results = bench.published_of(experiment)
    measure = plot_series.speedup(results, plot_series.published_scope(results))
    return Lines(bench, experiment, measure).draw(
        f"Speed-up over one sequential thread, {measure.bars}; published: over their own CPU")


def draw_bandwidth(bench, experiment):
    measure = plot_series.rate("bytes", "effective bandwidth, GB/s")
    return Lines(bench, experiment, measure).draw(
        f"Bytes of input and output, each counted once, per second; {measure.bars}")


def draw_flops(bench, experiment):
    measure = plot_series.rate("flop", "arithmetic, GFLOP/s")
    effective = any(result.get("effective") for result in bench.good_results(experiment))
    words = "; effective where an algorithm needs fewer (two passes, box, Fourier)" \
        if effective else ""
    return Lines(bench, experiment, measure).draw(
        f"2 · taps · samples per second{words}; {measure.bars}")


def draw_chain(bench, experiment):
    scope = plot_series.published_scope(bench.published_of(experiment))
    measure = plot_series.throughput(scope)
    return Lines(bench, experiment, measure).draw(
        f"Pixels per second through the whole chain; higher is better; {measure.bars}")


# ---- Tiles: a panel for the kernel alone and one with transfers -------------------------------------

TILE_SCOPES = ("kernel", "transfer")


def level_lines(axes, results, measure, software):
    """Draws a horizontal line for each contender without tiles."""
    drawn = []
    for series in plot_series.collect([result for result in results if not result.get("block")], "block"):
        value = measure.value(series.results[0])
        if value:
            style = plot_style.look(series.results[0], software)
            line = axes.axhline(value[0], linewidth=1.3, color=style["color"], linestyle=style["linestyle"])
            drawn.append((line, series.name, value))
    return drawn


def tile_lines(axes, series_list, measure, styles):
    drawn = []
    for series, style in zip(series_list, styles):
        points = points_of(series, "block", measure, plot_series.Facet({}))
        if points:
            handle = draw_series(axes, points, style, series.published)
            drawn.append((handle, series.name, [y for point in points for y in point[1:]]))
    return drawn


def tile_panel(bench, experiment, axes, scope):
    measure = plot_series.time(scope)
    results = bench.good_results(experiment)
    ours = plot_series.collect([result for result in results if result.get("block")], "block")
    published = plot_series.collect_published(
        [result for result in bench.published_of(experiment) if result.get("block")], "block")
    styles = [plot_style.look(series.results[0], bench.software) for series in ours]
    styles += [plot_style.published_look(series.results[0], i) for i, series in enumerate(published)]
    drawn = tile_lines(axes, ours + published, measure, styles)
    return drawn + level_lines(axes, results, measure, bench.software)


def tile_scales(page, drawn, blocks):
    values = [y for _, _, ys in drawn for y in ys]
    for axes in page.panels():
        plot_style.log_axis(axes.yaxis, values)
        axes.xaxis.set_major_locator(ticker.FixedLocator(thinned(blocks, 2, float)))
        axes.set_xlim(blocks[0] - 1.5, blocks[-1] + 1.5)
    page.label(X_LABELS["block"], "time, ms", len(page.panels()))


def draw_tiles(bench, experiment):
    results = bench.good_results(experiment)
    if not any(result.get("block") for result in results):
        return
    blocks = sorted({plot_series.x_value(result, "block")
                     for result in results + bench.published_of(experiment) if result.get("block")})
    page, drawn = Page(1, len(TILE_SCOPES), 3.2), []
    for axes, scope in zip(page.panels(), TILE_SCOPES):
        drawn += tile_panel(bench, experiment, axes, scope)
        axes.set_title(bench_data.SCOPE_WORDS[scope])
    tile_scales(page, drawn, blocks)
    unique = {name: handle for handle, name, _ in reversed(drawn)}
    names = list(dict.fromkeys(name for _, name, _ in drawn))
    page.legend([unique[name] for name in names], names, 2)
    notes = [OTHER_HARDWARE] if bench.published_of(experiment) else []
    notes += [RINGED] if any(
        not bench_data.has_interval(result, TILE_SCOPES) for result in results) else []
    yield "", page.finish(experiment.get("title") or experiment["id"],
                          "Time over tile size; horizontal lines: without tiles; lower is better; "
                          "bars: interval of the median",
                          notes + software_note(results, bench.software))
