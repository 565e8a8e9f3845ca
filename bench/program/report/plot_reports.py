"""Plots as the reports draw them: figures 5 and 6 of report 000, tables 1 and 2 of report 003, figure 1 of report
004."""
from matplotlib import ticker

import bench_data
import plot_lines
import plot_series
import plot_style
from bench_data import SCOPE_SHORT
from plot_lines import points_of, published_points
from plot_style import Page

DASHES = ("-", (0, (6, 2)), (0, (3, 1, 1, 1)), (0, (1, 1)))
SCOPES_004 = (("cpu", "kernel"), ("kernel", "kernel"), ("total", "transfer"))
FIGURE_5 = "GPU Shared Memory using Constant Memory"
BARS = "bars: interval of the median"


class Line:
    """A line with its entry in the legend. `ours` is False for published times, and for levels, whose
    points need no rings."""

    def __init__(self, label, style, points, ours=True):
        self.label, self.style, self.points, self.ours = label, style, points, ours


def draw_grid(page, panels, absent="not measured in this run"):
    """Draws (title, lines) into each panel, and one legend. Returns the points of each panel."""
    handles = {}
    for axes, (title, lines) in zip(page.panels(), panels):
        axes.set_title(title)
        for line in lines:
            if line.points:
                plot_lines.draw_series(axes, line.points, line.style, not line.ours)
                handles.setdefault(line.label, line.style)
        if not any(line.points and line.ours for line in lines):
            plot_lines.explain(axes, absent, any(line.points for line in lines))
    used = [page.panels()[0].plot([], [], **style)[0] for style in handles.values()]
    page.legend(used, list(handles), plot_style.columns_of(list(handles)))
    return [[point for line in lines for point in line.points] for _, lines in panels]


def ringed(panels):
    return [plot_lines.RINGED] if any(line.ours and any(map(plot_lines.is_open, line.points))
                                      for _, lines in panels for line in lines) else []


def finish(page, experiment, words, notes):
    return page.finish(experiment.get("title") or experiment["id"], words, notes)


# ---- Report 000: bandwidth and arithmetic over the size of the matrix, with mean and deviation -------------------

RATES = (("bytes", "bandwidth, GB/s"), ("flop", "arithmetic, GFLOP/s"))


def rate_page(experiment, rows, subtitle, notes):
    """Returns a figure with a row for each (title, lines of each rate)."""
    measures = [plot_series.rate(*one) for one in RATES]
    page = Page(len(rows), len(RATES), 3.2 if len(rows) == 1 else 2.1, share_y=False)
    panels = [(title, [Line(label, style, points_of(results, "pixels", measure)) for label, style, results in lines])
              for title, lines in rows for measure in measures]
    points = draw_grid(page, panels)
    for column, measure in enumerate(measures):
        ys = [y for panel in points[column::len(RATES)] for point in panel for y in point[1:]]
        for axes in page.axes[:, column]:
            plot_style.log_axis(axes.yaxis, ys)
            plot_style.log_axis(axes.xaxis, [point[0] for panel in points for point in panel])
            axes.set_ylabel(measure.label)
        page.axes[-1][column].set_xlabel(plot_lines.X_LABELS["pixels"])
    return finish(page, experiment, f"{subtitle}; kernel alone; mean ± standard deviation", notes + ringed(panels))


def masks_of(results):
    return sorted({result["k"] for result in results if bench_data.positive(result.get("k"))})


def draw_figure5(bench, experiment):
    """One variant, all masks in one plot."""
    good = [one for one in bench.good_results(experiment) if one.get("variant") == FIGURE_5]
    masks = masks_of(bench.results_of(experiment))
    colours = (plot_style.BLUE, plot_style.ORANGE, plot_style.GREEN, plot_style.PINK)
    lines = [(f"k = {k} on {bench.device_words(device)}",
              {"color": colours[i % 4], "marker": "osv^"[i % 4], "linestyle": DASHES[i % 4]},
              [one for one in good if one["k"] == k and one["device"] == device])
             for device in dict.fromkeys(one["device"] for one in good) for i, k in enumerate(masks)]
    if lines:
        yield "", rate_page(experiment, [("", lines)], f"Figure 5 of report 000: {FIGURE_5}; the values of the "
                            "report are not in its text", plot_lines.software_note(good, bench.software, False))


def draw_figure6(bench, experiment):
    """For each mask all variants, and Swathe's best, on interleaved pixels as in the report."""
    good = [one for one in bench.good_results(experiment) if one.get("layout") == "interleaved"
            and (one.get("variant") or bench_data.is_best(one))]
    rows = []
    for k in masks_of(bench.results_of(experiment)):
        series = plot_series.collect([one for one in good if one["k"] == k], "pixels")
        rows.append((f"k = {k}", [(one.name, plot_style.look(one.results[0], bench.software), one.results)
                                  for one in series]))
    if good:
        effective = "; of best effective, if it needs fewer operations" if any(
            one.get("effective") for one in good) else ""
        yield "", rate_page(experiment, rows, "Figure 6 of report 000: all variants for each mask; the values of the "
                            f"report are not in its text{effective}", plot_lines.device_notes(good, bench.software))


# ---- Report 003: table 1 is tile 16 with and without copies, table 2 the tiles 8 to 32 with copies -----------------

TILE_SCOPES = ("kernel", "transfer")


def tile_lines(bench, experiment, scope, table):
    """Returns lines over tiles: ours, those of a table of the report, and levels without tiles."""
    measure, results = plot_series.time(scope), bench.good_results(experiment)
    lines = [Line(one.name, plot_style.look(one.results[0], bench.software), points_of(one.results, "block", measure))
             for one in plot_series.collect([one for one in results if one.get("block")], "block")]
    times = [one for one in bench.published_of(experiment) if one["table"] == table
             and measure.published(one)]
    tiled = plot_series.collect_published([one for one in times if one["block"]], "block")
    lines += [Line(one.name, plot_style.published_look(one.results[0], 0),
                   published_points(one.results, "block", measure), False) for one in tiled]
    return lines, levels(bench, results, times, measure)


def levels(bench, results, times, measure):
    """Returns (label, style, ms) of contenders without tiles."""
    found = [(one.name, plot_style.look(one.results[0], bench.software), value[0])
             for one in plot_series.collect([one for one in results if not one.get("block")], "block")
             if (value := measure.value(one.results[0]))]
    return found + [(plot_series.published_name(one, False), plot_style.published_look(one, 1), one["ms"])
                    for one in times if not one["block"]]


def with_levels(lines, flat, ends):
    return lines + [Line(label, style, [(x, ms, ms, ms) for x in ends], False) for label, style, ms in flat]


def table1_lines(bench, experiment):
    """Returns tile 16 over the two scopes, at 0 and 1."""
    merged = {}
    for place, scope in enumerate(TILE_SCOPES):
        lines, flat = tile_lines(bench, experiment, scope, "Table 1")
        for line in lines + [Line(*one[:2], [(16, *[one[2]] * 3)], False) for one in flat]:
            into = merged.setdefault(line.label, Line(line.label, line.style, [], line.ours))
            into.points += [(place, *point[1:]) for point in line.points if point[0] == 16]
    return list(merged.values())


def tile_panels(bench, experiment, blocks):
    ends = blocks[0], blocks[-1]
    return [("Table 1: tile 16", table1_lines(bench, experiment)),
            ("Table 2: with copies", with_levels(*tile_lines(bench, experiment, "transfer", "Table 2"), ends)),
            ("kernel alone", with_levels(*tile_lines(bench, experiment, "kernel", None), ends))]


def draw_tiles(bench, experiment):
    results = bench.good_results(experiment)
    blocks = sorted({one["block"] for one in results + bench.published_of(experiment)
                     if bench_data.positive(one.get("block"))})
    if not blocks or not results:
        return
    panels, page = tile_panels(bench, experiment, blocks), Page(1, 3, 3.4, share_x=False)
    points = draw_grid(page, panels, "no tiles were measured")
    for axes in page.panels():
        plot_style.log_axis(axes.yaxis, [y for panel in points for point in panel for y in point[1:]])
        axes.xaxis.set_major_locator(ticker.FixedLocator(plot_lines.thinned(blocks, 3, float)))
        axes.set_xlim(blocks[0] - 1.5, blocks[-1] + 1.5)
    page.label("tile edge, pixels", "time, ms", 3)
    first = page.panels()[0]
    first.set_xticks([0, 1], ["kernel", "with copies"])
    first.set(xlim=(-0.6, 1.6), xlabel="what is timed (scope name)")
    notes = [f"Not drawn: {plot_series.series_name(one, True, True)}, {bench_data.not_timed(one)}"
             for one in bench.results_of(experiment) if not bench_data.is_good(one)]
    notes += [plot_lines.OTHER_HARDWARE] if bench.published_of(experiment) else []
    words = plot_series.constants(bench.results_of(experiment), bench.published_of(experiment), "block")
    yield "", finish(page, experiment, "Time over tile size; horizontal lines: without tiles; lower is better; "
                     f"{BARS}; {words}", notes + ringed(panels) + plot_lines.device_notes(results, bench.software))


# ---- Report 004: figure 1, CPU, GPU kernel and GPU with copies over pixels -----------------------------------------

def figure1_lines(bench, ours, times):
    """Returns the lines of one filter: the report's variant on each device, with and without copies."""
    lines, looks = [], dict(zip(("cpu", "kernel", "total"), (plot_style.INK, plot_style.INDIGO, plot_style.ORANGE)))
    for place, (theirs, scope) in enumerate(SCOPES_004):
        published = [one for one in times if one["scope"] == theirs]
        words = "CPU" if theirs == "cpu" else f"GPU, {SCOPE_SHORT[scope]}"
        look = {**plot_style.published_look(published[0], place), "markeredgecolor": looks[theirs]} \
            if published else {}
        lines.append(Line(f"{bench_data.hardware(published[0]['device']) if published else ''}: {words}", look,
                          published_points(published, "pixels", plot_series.time(scope)), False))
        fitting = [one for one in ours if bench_data.on_gpu(one) == (theirs != "cpu")]
        for device in dict.fromkeys(one["device"] for one in fitting):
            style = {"color": looks[theirs], "marker": plot_style.PUBLISHED_MARKERS[place],
                     "linestyle": ":" if device in bench.software else "-"}
            lines.append(Line(f"{device}: {words}", style, points_of(
                [one for one in fitting if one["device"] == device], "pixels", plot_series.time(scope))))
    return lines


def draw_figure1(bench, experiment):
    times = bench.published_of(experiment)
    variants = {one["variant"] for one in times}
    ours = [one for one in bench.good_results(experiment) if one.get("variant") in variants and not one.get("ran")
            and one.get("layout") == "interleaved"]
    filters = list(dict.fromkeys(one["filter"] for one in times))
    if not ours or not filters:
        return
    panels = [(name, figure1_lines(bench, [one for one in ours if one.get("filter") == name],
                                   [one for one in times if one["filter"] == name])) for name in filters]
    page = Page(-(-len(panels) // 2), 2, 2.6)
    points = [point for panel in draw_grid(page, panels) for point in panel]
    for axes in page.panels()[:len(panels)]:
        plot_style.log_axis(axes.xaxis, [point[0] for point in points])
        plot_style.log_axis(axes.yaxis, [y for point in points for y in point[1:]])
    page.label(plot_lines.X_LABELS["pixels"], "time, ms", len(panels))
    page.hide_from(len(panels))
    variant = next(one["variant"] for one in times if one["gpu"])
    yield "", finish(page, experiment, f"Figure 1 of report 004: its loop on the CPU, and {variant} with and without "
                     f"copies; lower is better; {BARS}", [plot_lines.OTHER_HARDWARE] + ringed(panels) +
                     plot_lines.software_note(ours, bench.software, True))
