"""Time over tile size: a panel for the kernel alone and one with transfers."""
from matplotlib import ticker

import bench_data
import plot_lines
import plot_measure
import plot_series
import plot_style
from plot_page import Page

SCOPES = ("kernel", "transfer")


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
        points = plot_lines.points_of(series, "block", measure, plot_series.Facet({}))
        if points:
            handle = plot_lines.draw_series(axes, points, style, series.published)
            drawn.append((handle, series.name, [y for point in points for y in point[1:]]))
    return drawn


def draw_panel(bench, experiment, axes, scope):
    measure = plot_measure.time(scope)
    results = bench.good_results(experiment)
    ours = plot_series.collect([result for result in results if result.get("block")], "block")
    published = plot_series.collect_published(
        [result for result in bench.published_of(experiment) if result.get("block")], "block")
    styles = [plot_style.look(series.results[0], bench.software) for series in ours]
    styles += [plot_style.published_look(series.results[0], i) for i, series in enumerate(published)]
    drawn = tile_lines(axes, ours + published, measure, styles)
    return drawn + level_lines(axes, results, measure, bench.software)


def scale(page, drawn, blocks):
    values = [y for _, _, ys in drawn for y in ys]
    for axes in page.panels():
        plot_style.log_axis(axes.yaxis, values)
        axes.xaxis.set_major_locator(ticker.FixedLocator(plot_lines.thinned(blocks, 2, float)))
        axes.set_xlim(blocks[0] - 1.5, blocks[-1] + 1.5)
    page.label(plot_lines.X_LABELS["block"], "time, ms", len(page.panels()))


def draw_tiles(bench, experiment):
    results = bench.good_results(experiment)
    if not any(result.get("block") for result in results):
        return
    blocks = sorted({plot_series.x_value(result, "block")
                     for result in results + bench.published_of(experiment) if result.get("block")})
    page, drawn = Page(1, len(SCOPES), 3.2), []
    for axes, scope in zip(page.panels(), SCOPES):
        drawn += draw_panel(bench, experiment, axes, scope)
        axes.set_title(bench_data.SCOPE_WORDS[scope])
    scale(page, drawn, blocks)
    unique = {name: handle for handle, name, _ in reversed(drawn)}
    names = list(dict.fromkeys(name for _, name, _ in drawn))
    page.legend([unique[name] for name in names], names, 2)
    notes = [plot_lines.OTHER_HARDWARE] if bench.published_of(experiment) else []
    notes += [plot_lines.RINGED] if any(
        not bench_data.has_interval(result, SCOPES) for result in results) else []
    yield "", page.finish(experiment.get("title") or experiment["id"],
                          "Time over tile size; horizontal lines: without tiles; lower is better; "
                          "bars: interval of the median",
                          notes + plot_lines.software_note(results, bench.software))
