"""Bar plots: the throughput of strategies, and the phases of a call."""
from collections import Counter

import bench_data
import beside
import plot_lines
import plot_series
import plot_style
from bench_data import SCOPE_SHORT, SCOPE_WORDS
from plot_style import Page

MOST_PANELS = 6
LETTER = 0.027  # of the width of a panel, for each character at the end of a bar
NAME = 32  # characters in a line of the name of a bar
# Inches for a bar, for each further line of its name, and for a panel so that its label fits.
BAR, LINE, LEAST_HEIGHT = 0.2, 0.1, 2.5
REST = "kernels of a CPU, and what no phase has"
# Neighbours differ in hatching too, so that they are distinct without colour.
PHASES = dict(zip((*bench_data.PHASES, REST), (
    (plot_style.PINK, "..."), (plot_style.SKY, ""), (plot_style.OLIVE, "xxx"), (plot_style.GREEN, "///"),
    (plot_style.ORANGE, ""), (plot_style.BLUE, "\\\\\\"), (plot_style.RED, ""), (plot_style.TEAL, "///"),
    (plot_style.WINE, ""), (plot_style.GREY, "..."))))


def panel_key(result):
    return (result.get("layout") or "", result.get("type") or "", result.get("filter"), result.get("width"),
            result.get("height"), result.get("border") or "")


def panels(results, x):
    """Returns the problems to show, and words for those that are left out: of several filters over image
    sizes, the image of each with the most contenders timed, and of these the largest; otherwise all."""
    keys = list(dict.fromkeys(map(panel_key, results)))
    if x not in ("filter", "pixels") or len({key[2] for key in keys}) == 1:
        return keys, ""
    timed = Counter(panel_key(result) for result in results if bench_data.is_good(result))
    shown, largest = ({key[:3]: key for key in sorted(keys, key=order)} for order in (
        lambda key: (timed[key], key[3] * key[4]), lambda key: key[3] * key[4]))
    words = "; of each filter the largest image" if len(shown) < len(keys) else ""
    if words and any(timed[key] > timed[largest[kind]] for kind, key in shown.items()):
        words += " of those with the most contenders timed"
    return [shown[kind] for kind in dict.fromkeys(key[:3] for key in keys)], words


def pages(keys):
    """Returns (words for the file name, keys) of each page: one for each layout and type if there are too
    many panels, and as many as it takes."""
    if len(keys) <= MOST_PANELS:
        return [("", keys)]
    kinds, found = list(dict.fromkeys(key[:2] for key in keys)), []
    for kind in kinds:
        word = " ".join(part for i, part in enumerate(kind) if len({k[i] for k in kinds}) > 1)
        parts = plot_series.chunks([key for key in keys if key[:2] == kind], MOST_PANELS)
        found += [(f"{word} page {i + 1}".strip() if len(parts) > 1 else word, part) for i, part in enumerate(parts)]
    return found


def title_of(key, keys):
    size = f"{key[3]} × {key[4]}"
    for part, word in ((0, ""), (1, ""), (5, "border ")):
        if len({other[part] for other in keys}) > 1:
            size += f", {word}{key[part]}"
    return size if "," in str(key[2]) else f"{key[2]}, {size}"  # a chain is too long


def name_of(result):
    return plot_series.series_name(result, True, True)


def bar_names(results, published):
    """Returns the names of all bars; a published variant (name: variant) follows ours."""
    ours = {name_of(result): result.get("variant") for result in sorted(results, key=plot_series.series_order)}
    last = {variant: name for name, variant in ours.items() if variant}
    names = []
    for name, variant in ours.items():
        names.append(name)
        names += [other for other, theirs in published.items() if last.get(theirs) == name]
    return names + [name for name in published if name not in names]


def by_name(results, key):
    return {name_of(result): result for result in results if panel_key(result) == key}


def asked_for(bench, experiment):
    return [result for result in bench.results_of(experiment) if bench_data.pixels(result)]


def reasons(bench, experiment):
    """Returns {(problem, name): status} of the results without a time."""
    return {(panel_key(result), name_of(result)): str(result.get("status"))
            for result in bench.results_of(experiment) if not bench_data.is_good(result)}


def write_ends(axes, ends):
    """Writes words at the end of each bar, (place, end, words), and leaves space for them."""
    for place, end, words in ends:
        axes.text(end, place, " " + words, va="center", size=8)
    axes.set_xlim(0, max(end / max(1 - LETTER * len(words), 0.3) for _, end, words in ends) or 1)


def set_names(axes, names):
    axes.set_yticks(range(len(names)))
    axes.set_yticklabels([plot_style.wrap(name, NAME) for name in names], size=8)
    axes.set_ylim(len(names) - 0.4, -0.6)
    plot_style.count_axis(axes.xaxis)
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)


def draw_pages(bench, experiment, asked, label, subtitle, prepare, parts=()):
    """Yields (words for the file name, figure) of each page, with a bar or a reason for each result that was
    asked for. prepare(keys) returns published bars (name: variant), notes, and a function that draws a
    panel; `parts` are (name, colour, hatching) of the legend."""
    every, some = panels(asked, experiment.get("x"))
    for word, keys in pages(every) if every else []:
        shown = [result for result in asked if panel_key(result) in keys]
        published, notes, draw_panel = prepare(keys)
        names, across = bar_names(shown, published), 1 if len(keys) == 1 else 2
        lines = max(plot_style.wrap(name, NAME).count("\n") for name in names)
        page = Page(-(-len(keys) // across), across,
                    max(LEAST_HEIGHT, 0.85 + (BAR + LINE * lines) * len(names)), share_x=False)
        for axes, key in zip(page.panels(), keys):
            draw_panel(axes, key, names)
            axes.set_title(title_of(key, keys))
        page.label(label, "strategy (device name)", len(keys))
        page.hide_from(len(keys))
        page.legend([page.axes[0][0].barh([0], [0], color=colour, hatch=hatch, edgecolor="white")
                     for _, colour, hatch in parts], [name for name, _, _ in parts], 5)
        yield word, page.finish(experiment.get("title") or experiment["id"],
                                subtitle + some + (f"; {word}" if word else ""),
                                notes + plot_lines.device_notes(shown, bench.software, not parts))


# ---- Strategies ------------------------------------------------------------------------------------

def published_bars(bench, experiment, scope, keys):
    """Returns {(problem, name): published time} for these problems and this scope."""
    problems = {key[2:5] for key in keys}
    times = [one for one in bench.published_of(experiment)
             if plot_series.answers(one, scope) and bench_data.problem(one) in problems]
    return {(bench_data.problem(one), plot_series.published_name(one, True)): one for one in times}


def strategy_bar(axes, place, result, scope, software):
    time, low, high = bench_data.interval(plot_series.scope_or_kernel(result, scope))
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


def strategy_panel(axes, key, names, results, published, absent, scope, software):
    ends, own = [], by_name(results, key)
    for place, name in enumerate(names):
        if name in own:
            ends.append(strategy_bar(axes, place, own[name], scope, software))
        elif (key[2:5], name) in published:
            ends.append(published_bar(axes, place, key, published[key[2:5], name]["ms"]))
        else:
            ends.append((place, 0, absent.get((key, name), "not measured")))
    write_ends(axes, ends)
    set_names(axes, names)


def draw_strategies(bench, experiment):
    scope = beside.published_scope(bench.published_of(experiment))
    results = [result for result in bench.good_results(experiment)
               if bench_data.pixels(result) and plot_series.scope_or_kernel(result, scope)]
    absent, asked = reasons(bench, experiment), asked_for(bench, experiment) if results else []

    def prepare(keys):
        published = published_bars(bench, experiment, scope, keys)
        note = ["Dashed outline: published by the report, measured on other hardware"]
        return {name: one["variant"] for (_, name), one in published.items()}, note if published else [], \
            lambda axes, key, names: strategy_panel(axes, key, names, results, published, absent, scope,
                                                    bench.software)
    return draw_pages(bench, experiment, asked, f"throughput ({SCOPE_SHORT[scope]}), Mpixel/s",
                      f"Throughput, {SCOPE_WORDS[scope]}; the reports' loops: alone; longer is better; labels are "
                      "times", prepare)


# ---- Phases of a call ------------------------------------------------------------------------------

def phases_of(result):
    """Returns {phase: ms} of a call, with what no phase has; noise cannot make that negative."""
    call = bench_data.scope(result, "call")
    found = dict(call["phase_medians"])
    return {**found, REST: max(call["median"] - sum(found.values()), 0.0)}


def transfer_panel(axes, key, names, results, absent):
    own, ends = by_name(results, key), []
    for place, name in enumerate(names):
        left, lengths = 0.0, phases_of(own[name]) if name in own else {}
        for phase, length in lengths.items():
            colour, hatch = PHASES[phase]
            axes.barh(place, length, 0.72, left=left, color=colour, edgecolor="white", linewidth=0, hatch=hatch)
            left += length
        ends.append((place, left, plot_style.short(left) + " ms" if name in own else
                     absent.get((key, name), "not measured")))
    write_ends(axes, ends)
    set_names(axes, names)


def draw_transfer(bench, experiment):
    results = [result for result in bench.good_results(experiment) if bench_data.pixels(result)
               and bench_data.scope(result, "call") and not result.get("baseline")]
    absent = reasons(bench, experiment)
    asked = [result for result in asked_for(bench, experiment) if not result.get("baseline")] if results else []
    used = {phase for result in results for phase in phases_of(result)}

    def prepare(_):
        return {}, [], lambda axes, key, names: transfer_panel(axes, key, names, results, absent)
    return draw_pages(bench, experiment, asked, "time of one call, ms",
                      "Phases of a whole call, by the host's clock", prepare,
                      [(name, *look) for name, look in PHASES.items() if name in used])
