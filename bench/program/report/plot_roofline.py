"""Roofline plots of the CPU: arithmetic over intensity, and the measured peaks."""
import bench_data
import plot_style
from plot_page import Page

TITLE = "Arithmetic rate compared with the peaks of this machine"
ROOF = "measured peaks: copies in memory (slanted), f32 multiply-adds (horizontal)"
ABOVE = ("The peaks are those of copies larger than all caches and of f32 multiply-adds. Images that fit "
         "into a cache, and integers, can exceed them.")
MARKERS = "osv^DPXdph"
COLOURS = (plot_style.BLUE, plot_style.ORANGE, plot_style.GREEN, plot_style.PINK, plot_style.SKY,
           plot_style.WINE, plot_style.RED)


def point(result):
    """Returns (FLOP per byte, GFLOP/s), or None for GPUs and effective rates."""
    flop, size = bench_data.positive(result.get("flop")), bench_data.positive(result.get("bytes"))
    entry = bench_data.scope(result, "kernel")
    if result.get("effective") or bench_data.on_gpu(result) or not (flop and size and entry):
        return None
    return flop / size, flop / (1e6 * entry["median"])


def draw_roof(axes, peak, low, high):
    """Draws the slanted and the horizontal line; the title of the panel has their values."""
    copy, fma = bench_data.positive(peak.get("copy_gbs")), bench_data.positive(
        peak.get("fma_gflops"))
    ridge = fma / copy
    axes.plot([low, ridge, max(high, ridge * 1.5)], [copy * low, fma, fma], color=plot_style.INK,
              linewidth=1.8)
    count = peak["threads"]
    axes.set_title(f"{count} thread{'s' if count > 1 else ''}: copy {plot_style.short(copy)} GB/s, "
                   f"{plot_style.short(fma)} GFLOP/s")
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
    counts = {bench_data.threads(result) for result in results if point(result)}
    return sorted((peak for peak in bench.peaks if peak.get("threads") in counts
                   and bench_data.positive(peak.get("copy_gbs"))
                   and bench_data.positive(peak.get("fma_gflops"))),
                  key=lambda peak: peak["threads"])


def draw_panel(axes, peak, results, names, ends):
    ys = draw_roof(axes, peak, *ends)
    for result in results:
        place = point(result)
        if place and bench_data.threads(result) == peak["threads"]:
            axes.plot(*place, **style_of(result.get("experiment"), names,
                                         bool(result.get("baseline"))))
            ys.append(place[1])
    return ys


def notes(results):
    left = sum(1 for result in results if result.get("effective") and not bench_data.on_gpu(result))
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
        ys += draw_panel(axes, peak, results, names, ends)
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
    yield "", page.finish(title, "Roofline of the CPU, kernel alone; filled markers: Swathe, open: the "
                          "reports' sequential and OpenMP loops", notes(results))
