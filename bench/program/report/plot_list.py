"""The roofline, the comparison with published times, and the list of all plots with the names of their files."""
import re

import bench_data
import derive
import plot_bars
import plot_lines
import plot_reports
import plot_style
from plot_style import Page

# ---- Roofline: arithmetic over intensity, and the measured peaks of the CPU and of each device ------------

ROOF_TITLE = "Arithmetic rate compared with the peaks of this machine and its devices"
ROOF = "measured peaks: copies in memory (slanted), f32 multiply-adds (horizontal)"
ABOVE = ("The peaks are those of copies larger than all caches and of f32 multiply-adds. Images that fit "
         "into a cache, and integers, can exceed them.")
MARKERS = "osv^DPXdph"
COLOURS = (plot_style.BLUE, plot_style.ORANGE, plot_style.GREEN, plot_style.PINK, plot_style.SKY,
           plot_style.WINE, plot_style.RED)


def point(result):
    """Returns (FLOP per byte, GFLOP/s), or None for effective rates and, on GPUs, for sums of integers."""
    flop, size = bench_data.positive(result.get("flop")), bench_data.positive(result.get("bytes"))
    entry = bench_data.scope(result, "kernel")
    other = bench_data.on_gpu(result) and not bench_data.sums_floats(result)
    if result.get("effective") or other or not (flop and size and entry):
        return None
    return flop / size, flop / (1e6 * entry["median"])


def panel_name(bench, peak):
    device, count = peak.get("device") or "cpu", peak.get("threads")
    return bench.device_words(device) if device != "cpu" else f"cpu, {count} thread{'s' if count != 1 else ''}"


def draw_roof(axes, peak, name, low, high):
    """Draws the slanted and the horizontal line; the title of the panel has their values."""
    copy, fma = bench_data.positive(peak.get("copy_gbs")), bench_data.positive(
        peak.get("fma_gflops"))
    ridge = fma / copy
    axes.plot([low, ridge, max(high, ridge * 1.5)], [copy * low, fma, fma], color=plot_style.INK,
              linewidth=1.8)
    axes.set_title(f"{name}: copy {plot_style.short(copy)} GB/s, {plot_style.short(fma)} GFLOP/s")
    return [copy * low, fma]


def names_of(results):
    """Returns the experiments of the points, in order of appearance."""
    return list(dict.fromkeys(result.get("experiment") for result in results if point(result)))


def style_of(name, names, hollow=False):
    """Each experiment has a colour; points of Swathe are filled, those of baselines are not."""
    i = names.index(name)
    colour = COLOURS[i % len(COLOURS)]
    return {"marker": MARKERS[i % len(MARKERS)], "color": colour, "linestyle": "", "markersize": 6,
            "markerfacecolor": "white" if hollow else colour,
            "markeredgewidth": 1.2}


def usable_peaks(bench, results):
    used = [bench.peak_of(result.get("device"), result.get("threads")) for result in results if point(result)]
    return [peak for peak in bench.peaks if peak in used and bench_data.positive(peak.get("copy_gbs"))
            and bench_data.positive(peak.get("fma_gflops"))]


def draw_panel(bench, axes, peak, results, names, ends):
    ys = draw_roof(axes, peak, panel_name(bench, peak), *ends)
    for result in results:
        place = point(result)
        if place and bench.peak_of(result.get("device"), result.get("threads")) == peak:
            axes.plot(*place, **style_of(result.get("experiment"), names,
                                         bool(result.get("baseline"))))
            ys.append(place[1])
    return ys


def notes(results):
    left = sum(1 for result in results if result.get("effective"))
    lines = [ABOVE]
    if left:
        lines.insert(0, f"{left} results are omitted: their rates are effective (two passes, box, "
                        "Fourier), so fewer operations were executed")
    return lines


def draw_roofline(bench, results, title):
    peaks = usable_peaks(bench, results)
    if not peaks:
        return
    names = names_of([result for result in results if bench_data.is_good(result)])
    intensities = [point(result)[0] for result in results if point(result)]
    ends = min(intensities) / 2, max(intensities) * 2
    across = min(2, len(peaks))
    page, ys = Page(-(-len(peaks) // across), across, 3.6), []
    for axes, peak in zip(page.panels(), peaks):
        ys += draw_panel(bench, axes, peak, results, names, ends)
    used = page.panels()[:len(peaks)]
    highest = max(max(axes.get_lines()[0].get_xdata()) for axes in used)
    for axes in used:
        plot_style.log_axis(axes.yaxis, ys)
        plot_style.log_axis(axes.xaxis, [ends[0], highest])
    page.label("intensity, FLOP/byte", "arithmetic (kernel alone), GFLOP/s", len(peaks))
    page.hide_from(len(peaks))
    handles = [page.panels()[0].plot([], [], **style_of(name, names))[0] for name in names]
    roof = page.panels()[0].plot([], [], color=plot_style.INK, linewidth=1.8)[0]
    page.legend([roof] + handles, [ROOF] + names, 2)
    shown = [result for result in results if point(result)]
    yield "", page.finish(title, "Rooflines, kernel alone; filled markers: Swathe, open: the reports' sequential "
                          "and OpenMP loops; on a GPU only sums of f32",
                          notes(results) + plot_lines.software_note(shown, bench.software, False))


# ---- Systems: our CPU and the hardware of the reports, one dot for each of their problems ------------

ROW = 0.34  # inches for a line of dots
LEAST = 2.0  # for the label of the axis beside them


def line_name(entry):
    return f"{entry.experiment}, {entry.scope_words}\n{entry.hardware}"


def draw_line(axes, place, entries):
    for entry in entries:
        colour = plot_style.BLUE if entry.ratio <= 1 else plot_style.RED
        axes.plot(entry.ratio, place, "o", markersize=7, alpha=0.85, color=colour,
                  markerfacecolor="white" if entry.doubtful else colour)


def draw_against(bench):
    lines = {}
    for entry in derive.against(bench):
        lines.setdefault(line_name(entry), []).append(entry)
    if not lines:
        return
    page = Page(1, 1, max(LEAST, 0.9 + (ROW + 0.1) * len(lines)))
    axes = page.axes[0][0]
    for place, entries in enumerate(lines.values()):
        draw_line(axes, place, entries)
    axes.axvline(1, color=plot_style.INK, linewidth=1)
    plot_style.log_axis(axes.xaxis, [entry.ratio for each in lines.values() for entry in each] + [1],
                        fine=1000)
    axes.set_yticks(range(len(lines)))
    axes.set_yticklabels(lines, size=8.5)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.set_xlabel("our time ÷ their time, × (left of 1: our CPU is faster)")
    axes.set_ylabel("experiment\n(scope, their hardware)")
    count = max(entry.threads for each in lines.values() for entry in each)
    blue = axes.plot([], [], "o", color=plot_style.BLUE)[0]
    red = axes.plot([], [], "o", color=plot_style.RED)[0]
    white = axes.plot([], [], "o", color=plot_style.GREY, markerfacecolor="white")[0]
    page.legend([blue, red, white], ["we are faster", "we are slower",
                                      "published figure is doubtful"], 3)
    words = f"{count} CPU thread" + ("s" if count > 1 else "")
    yield "", page.finish(f"Systems: {words} here, compared with the fastest published times",
                          "One dot for each problem of a report; hardware and year differ, so "
                          "systems are compared, not programs", [])


# ---- All plots --------------------------------------------------------------------------------------

KINDS = {
    "time": plot_lines.draw_time, "speedup": plot_lines.draw_speedup,
    "bandwidth": plot_lines.draw_bandwidth,
    "chain": plot_lines.draw_chain, "tiles": plot_reports.draw_tiles,
    "figure1": plot_reports.draw_figure1, "figure5": plot_reports.draw_figure5, "figure6": plot_reports.draw_figure6,
    "strategies": plot_bars.draw_strategies, "transfer": plot_bars.draw_transfer,
    "roofline": lambda bench, experiment: draw_roofline(
        bench, bench.good_results(experiment), experiment.get("title") or experiment["id"]),
}


class Plot:
    """A figure and the name of its files, without the suffix."""

    def __init__(self, stem, experiment, figure):
        self.stem, self.experiment, self.figure = stem, experiment, figure


def file_name(*words):
    text = "-".join(str(word) for word in words if word).lower()
    return re.sub(r"[^a-z0-9.]+", "-", text).strip("-")


def kinds_of(experiment):
    named = experiment.get("plots")
    return [kind for kind in named if kind in KINDS] if isinstance(named, list) else []


def plots(bench):
    """Yields all plots, one at a time to save memory."""
    plot_style.use()
    good = [result for result in bench.results if result.get("status") == "ok"]
    for word, figure in draw_against(bench):
        yield Plot(file_name("against-published", word), None, figure)
    for word, figure in draw_roofline(bench, good, ROOF_TITLE):
        yield Plot(file_name("roofline", word), None, figure)
    for experiment in bench.experiments:
        for kind in kinds_of(experiment):
            for word, figure in KINDS[kind](bench, experiment):
                yield Plot(file_name(experiment["id"], kind, word), experiment["id"], figure)
