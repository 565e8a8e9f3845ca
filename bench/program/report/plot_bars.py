"""Bar plots: the throughput of strategies, and the parts of a call."""
import bench_data
import plot_lines
import plot_series
import plot_style
from plot_style import Page

MOST_PANELS = 4
BAR, LEAST_HEIGHT = 0.2, 2.5  # inches for a bar, and for a panel so that its label fits
PARTS = (("kernel", plot_style.BLUE), ("transfers", plot_style.ORANGE),
         ("rest of the call", plot_style.GREY))


def spread_out(values, most):
    """Returns at most `most` evenly spaced values, including the first and the last."""
    if len(values) <= most:
        return values
    return [values[round(i * (len(values) - 1) / (most - 1))] for i in range(most)]


def panel_key(result):
    return (result.get("layout") or "", result.get("type") or "", result.get("filter"), result.get("width"),
            result.get("height"), result.get("border") or "")


def panels(results, x):
    """Returns the problems to show: of each filter the largest image, otherwise all along the x axis."""
    largest = {}
    for result in results:
        key = panel_key(result)
        group = key[:3] if x == "filter" or len({panel_key(r)[2] for r in results}) > 1 and \
            x == "pixels" else key
        if group not in largest or (bench_data.pixels(result) or 0) > largest[group][0]:
            largest[group] = (bench_data.pixels(result) or 0, key)
    return [key for _, key in largest.values()]


def pages(keys):
    """Returns one page, or one for each layout and type if there are too many panels."""
    if len(keys) <= MOST_PANELS:
        return [("", keys)]
    kinds = list(dict.fromkeys(key[:2] for key in keys))
    found = []
    for kind in kinds:
        word = " ".join(part for i, part in enumerate(kind) if len({k[i] for k in kinds}) > 1)
        found.append((word, spread_out([key for key in keys if key[:2] == kind], MOST_PANELS)))
    return found


def title_of(key, keys):
    size = f"{key[3]} × {key[4]}"
    if len({other[5] for other in keys}) > 1:
        size += f", border {key[5]}"
    return size if "," in str(key[2]) else f"{key[2]}, {size}"  # a chain is too long


def bar_names(results):
    ordered = sorted(results, key=plot_series.series_order)
    return list(dict.fromkeys(plot_series.series_name(result, True, True) for result in ordered))


def by_name(results, key):
    return {plot_series.series_name(result, True, True): result for result in results if panel_key(result) == key}


def reasons(bench, experiment):
    """Returns {(problem, name): status} of the results without a time."""
    return {(panel_key(result), plot_series.series_name(result, True, True)): str(result.get("status"))
            for result in bench.results_of(experiment) if not bench_data.is_good(result)}


def set_names(axes, names, width=30):
    axes.set_yticks(range(len(names)))
    axes.set_yticklabels([plot_style.wrap(name, width) for name in names], size=8.5)
    axes.set_ylim(len(names) - 0.4, -0.6)
    plot_style.count_axis(axes.xaxis)
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)


def draw_pages(bench, experiment, results, label, subtitle, prepare, parts=()):
    """Yields (words for the file name, figure) of each page. prepare(keys) returns the names of more
    bars, notes, and a function that draws a panel; `parts` are (name, colour) of the legend."""
    for word, keys in pages(panels(results, experiment.get("x"))) if results else []:
        shown = [result for result in results if panel_key(result) in keys]
        more, notes, draw_panel = prepare(keys)
        names, across = bar_names(shown) + more, 1 if len(keys) == 1 else 2
        page = Page(-(-len(keys) // across), across, max(LEAST_HEIGHT, 0.85 + BAR * len(names)),
                    share_x=False)
        for axes, key in zip(page.panels(), keys):
            draw_panel(axes, key, names)
            axes.set_title(title_of(key, keys))
        page.label(label, "strategy (device name)", len(keys))
        page.hide_from(len(keys))
        page.legend([page.axes[0][0].barh([0], [0], color=colour) for _, colour in parts],
                    [name for name, _ in parts], len(parts))
        yield word, page.finish(experiment.get("title") or experiment["id"],
                                subtitle + (f"; {word}" if word else ""),
                                notes + plot_lines.software_note(shown, bench.software))


# ---- Strategies ------------------------------------------------------------------------------------

def published_bars(bench, experiment, keys):
    """Returns {(problem, name): ms} of the published kernel times of these problems."""
    found = {}
    for result in bench.published_of(experiment):
        if result.get("scope") in ("kernel", "cpu"):
            name = plot_series.published_name(result, True)
            found.setdefault((bench_data.problem(result), name), bench_data.positive(result.get("ms")))
    problems = {key[2:5] for key in keys}
    return {place: ms for place, ms in found.items() if place[0] in problems}


def strategy_bar(axes, place, result, software):
    time, low, high = bench_data.interval(bench_data.scope(result, "kernel"))
    size = bench_data.pixels(result) / 1e3
    style = plot_style.look(result, software)
    axes.barh(place, size / time, 0.72, color=style["color"], edgecolor="white", linewidth=0,
              hatch="////" if result.get("device") in software else None,
              xerr=[[size / time - size / high], [size / low - size / time]] if low < high else None,
              error_kw={"elinewidth": 0.9, "capsize": 2, "ecolor": plot_style.INK})
    return place, size / low, f"{plot_style.short(time)} ms" + ("" if low < high else ", no interval")


def published_bar(axes, place, key, time):
    speed = key[3] * key[4] / 1e3 / time
    axes.barh(place, speed, 0.66, facecolor="white", edgecolor=plot_style.GREY, linestyle="--",
              linewidth=1.1)
    return place, speed, f"{plot_style.short(time)} ms"


def strategy_panel(axes, key, names, results, published, absent, software):
    ends, own = [], by_name(results, key)
    for place, name in enumerate(names):
        if name in own:
            ends.append(strategy_bar(axes, place, own[name], software))
        elif (key[2:5], name) in published:
            ends.append(published_bar(axes, place, key, published[key[2:5], name]))
        else:
            ends.append((place, 0, absent.get((key, name), "not measured")))
    longest = max(end for _, end, _ in ends)
    for place, end, words in ends:
        axes.text(end + longest * 0.015, place, words, va="center", size=8)
    axes.set_xlim(0, longest * 1.22)
    set_names(axes, names)


def draw_strategies(bench, experiment):
    results = [result for result in bench.good_results(experiment) if bench_data.pixels(result)]
    absent = reasons(bench, experiment)

    def prepare(keys):
        published = published_bars(bench, experiment, keys)
        note = ["Dashed outline: published by the report, measured on other hardware"]
        return list(dict.fromkeys(name for _, name in published)), note if published else [], \
            lambda axes, key, names: strategy_panel(axes, key, names, results, published, absent,
                                                    bench.software)
    return draw_pages(bench, experiment, results, "throughput (kernel alone), Mpixel/s",
                      "Throughput of strategies; longer is better; labels are times", prepare)


# ---- Parts of a call -------------------------------------------------------------------------------

def parts_of(result):
    """Returns the times of kernel, transfers and the rest in ms; noise cannot make them negative."""
    kernel = bench_data.scope(result, "kernel")["median"]
    transfer = bench_data.scope(result, "transfer")
    moved = max((transfer["median"] if transfer else kernel) - kernel, 0.0)
    call = bench_data.scope(result, "call")["median"]
    return kernel, moved, max(call - kernel - moved, 0.0)


def transfer_panel(axes, key, names, results, absent, software):
    own, longest = by_name(results, key), 0.0
    for place, name in enumerate(names):
        left = 0.0
        for (_, colour), length in zip(PARTS, parts_of(own[name]) if name in own else ()):
            axes.barh(place, length, 0.72, left=left, color=colour, edgecolor="white", linewidth=0,
                      hatch="////" if own[name].get("device") in software else None)
            left += length
        longest = max(longest, left)
        words = plot_style.short(left) + " ms" if name in own else \
            absent.get((key, name), "not measured")
        axes.text(left, place, " " + words, va="center", size=8)
    axes.set_xlim(0, longest * 1.22)
    set_names(axes, names)


def draw_transfer(bench, experiment):
    results = [result for result in bench.good_results(experiment) if bench_data.pixels(result)
               and bench_data.scope(result, "call") and not result.get("baseline")]
    absent = reasons(bench, experiment)

    def prepare(_):
        return [], [], lambda axes, key, names: transfer_panel(axes, key, names, results, absent,
                                                               bench.software)
    return draw_pages(bench, experiment, results, "time of one call, ms",
                      "Parts of a whole call: kernel, transfers, conversion and allocation", prepare,
                      PARTS)
