"""Arithmetic against intensity, below the peaks that were measured on the spot. CPU only."""
import bench_data
import plot_style
from plot_page import Page

TITLE = "Arithmetic beside what this machine copies and multiplies"
ROOF = "measured here: copies from memory (slanted), f32 multiply-adds (level)"
ABOVE = ("The line was measured by copying images larger than any cache and by multiplying f32. Images "
         "that fit into a cache, and integers, can exceed it.")
MARKERS = "osv^DPXdph"
COLOURS = (plot_style.BLUE, plot_style.ORANGE, plot_style.GREEN, plot_style.PINK, plot_style.SKY,
           plot_style.WINE, plot_style.RED)


def point(row):
    """(FLOP per byte, GFLOP/s), or None for what has no place below a roof."""
    flop, size = bench_data.positive(row.get("flop")), bench_data.positive(row.get("bytes"))
    entry = bench_data.scope(row, "kernel")
    if row.get("effective") or bench_data.on_gpu(row) or not (flop and size and entry):
        return None
    return flop / size, flop / (1e6 * entry["median"])


def draw_roof(axes, peak, low, high):
    """The slanted and the level part; the panel's title says how high they are."""
    copy, fma = bench_data.positive(peak.get("copy_gbs")), bench_data.positive(
        peak.get("fma_gflops"))
    ridge = fma / copy
    axes.plot([low, ridge, max(high, ridge * 1.5)], [copy * low, fma, fma], color=plot_style.INK,
              linewidth=1.8)
    count = peak["threads"]
    axes.set_title(f"{count} thread{'s' if count > 1 else ''}: copy {plot_style.short(copy)} GB/s, "
                   f"{plot_style.short(fma)} GFLOP/s")
    return [copy * low, fma]


def groups_of(rows):
    """(experiment, strategy) of the points, in order of appearance."""
    return list(dict.fromkeys((row.get("experiment"), row.get("strategy")) for row in rows
                              if point(row)))


def style_of(group, groups):
    """Colours are experiments; Swathe's points are full, the baselines' hollow."""
    names = list(dict.fromkeys(name for name, _ in groups))
    i = names.index(group[0])
    colour = COLOURS[i % len(COLOURS)]
    return {"marker": MARKERS[i % len(MARKERS)], "color": colour, "linestyle": "", "markersize": 6,
            "markerfacecolor": "white" if group[1] in bench_data.BASELINES else colour,
            "markeredgewidth": 1.2}


def usable_peaks(bench, rows):
    counts = {bench_data.threads(row) for row in rows if point(row)}
    return sorted((peak for peak in bench.peaks if peak.get("threads") in counts
                   and bench_data.positive(peak.get("copy_gbs"))
                   and bench_data.positive(peak.get("fma_gflops"))),
                  key=lambda peak: peak["threads"])


def draw_panel(axes, peak, rows, groups, ends):
    ys = draw_roof(axes, peak, *ends)
    for row in rows:
        place = point(row)
        if place and bench_data.threads(row) == peak["threads"]:
            group = row.get("experiment"), row.get("strategy")
            axes.plot(*place, **style_of(group, groups))
            ys.append(place[1])
    return ys


def notes(rows):
    left = sum(1 for row in rows if row.get("effective") and not bench_data.on_gpu(row))
    lines = [ABOVE]
    if left:
        lines.insert(0, f"{left} rows are left off: they count effective FLOP (two passes, box, "
                        "Fourier), which the machine never executed")
    return lines


def draw_roofline(bench, rows, title):
    peaks = usable_peaks(bench, rows)
    if not peaks:
        return
    groups = groups_of([row for row in rows if bench_data.is_good(row)])
    intensities = [point(row)[0] for row in rows if point(row)]
    ends = min(intensities) / 2, max(intensities) * 2
    across = min(2, len(peaks))
    page, ys = Page(-(-len(peaks) // across), across, 3.6), []
    for axes, peak in zip(page.panels(), peaks):
        ys += draw_panel(axes, peak, rows, groups, ends)
    used = page.panels()[:len(peaks)]
    highest = max(max(axes.get_lines()[0].get_xdata()) for axes in used)
    for axes in used:
        plot_style.log_axis(axes.yaxis, ys)
        plot_style.log_axis(axes.xaxis, [ends[0], highest])
    page.label("intensity, FLOP/byte", "arithmetic (kernel alone), GFLOP/s", len(peaks))
    page.hide_from(len(peaks))
    names = list(dict.fromkeys(name for name, _ in groups))
    handles = [page.panels()[0].plot([], [], **style_of((name, "best"), groups))[0]
               for name in names]
    roof = page.panels()[0].plot([], [], color=plot_style.INK, linewidth=1.8)[0]
    page.legend([roof] + handles, [ROOF] + names, 2)
    yield "", page.finish(title, "Roofline of the CPU, kernel alone; full markers: Swathe, hollow: "
                          "the reports' sequential and OpenMP loops", notes(rows))
