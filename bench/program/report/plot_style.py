"""Colours, which are the same in all plots and suit colour-blind readers, fonts, and saving: the same
data give the same files."""
import io
import textwrap

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot, ticker  # noqa: E402

import bench_data  # noqa: E402
from bench_data import plain, short  # noqa: E402,F401

WIDTH = 8.0  # inches; at 100 dpi the width of a README
GREY, INK = "#767676", "#222222"
# The colours of Okabe and Ito without yellow, which is too faint for a line, and more from Tol.
BLUE, SKY, GREEN, ORANGE, RED, PINK, WINE = ("#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00",
                                             "#CC79A7", "#882255")
TEAL, FOREST, OLIVE, INDIGO, PURPLE = "#44AA99", "#117733", "#999933", "#332288", "#AA4499"
# Strategies with the same colour never occur in one plot: those of report 001 require planes of s16.
STRATEGIES = {
    "best": (RED, "o"), "naive": (BLUE, "v"), "1channel": (BLUE, "v"), "global": (BLUE, "v"), "naive-inner": (BLUE, "1"),
    "constant": (SKY, "^"), "1channel-constant": (SKY, "^"), "global-constant": (SKY, "^"),
    "shared": (GREEN, "P"), "3channel": (GREEN, "P"),
    "shared-constant": (PINK, "X"), "3channel-grid": (PINK, "X"),
    "cached": (WINE, "d"), "3channel-planes": (WINE, "d"),
    "quad": (TEAL, "h"), "quad-constant": (PURPLE, "8"),
    "tiled": (FOREST, "p"), "tiled-planar": (OLIVE, ">"), "tiled-interleaved": (INDIGO, "H"),
    "convert-tiled-planar": (TEAL, "<"), "tiled-inner": (FOREST, "2"), "gemm": (PURPLE, "8"),
}
BASELINES = {"sequential": (INK, "s"), "parallel": (GREY, "D")}
PUBLISHED_MARKERS = "osv^DPXd"
SETTINGS = {
    "font.family": "DejaVu Sans", "font.size": 9, "axes.titlesize": 9.5, "axes.labelsize": 9,
    "xtick.labelsize": 8.5, "ytick.labelsize": 8.5, "legend.fontsize": 8.5,
    "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#555555",
    "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.6, "axes.axisbelow": True,
    "axes.titlelocation": "left", "text.color": INK, "axes.labelcolor": INK,
    "legend.frameon": False, "lines.linewidth": 1.6, "lines.markersize": 5, "hatch.linewidth": 0.6,
    "figure.facecolor": "white", "savefig.facecolor": "white", "svg.fonttype": "none",
    "figure.max_open_warning": 0,
}


def use():
    matplotlib.rcdefaults()
    pyplot.rcParams.update(SETTINGS)


def look(result, software):
    """Returns keyword arguments for the line of a result: dotted if the device is software."""
    colour, marker = BASELINES.get(result.get("baseline")) or \
        STRATEGIES.get(result.get("strategy"), (PINK, "p"))
    if result.get("strategy") == "best" and result.get("device") == "cpu" and bench_data.threads(result) == 1:
        colour, marker = ORANGE, "<"
    if result.get("baseline") == "parallel" and bench_data.threads(result) == 1:
        marker = "x"
    if result.get("strategy") == "best" and bench_data.on_gpu(result):
        marker = "*"
    dotted = result.get("device") in software
    return {"color": colour, "marker": marker, "linestyle": ":" if dotted else "-"}


def published_look(result, index):
    """The same for published results: dashed, with open markers."""
    colour = STRATEGIES.get(result.get("strategy"), (GREY, "o"))[0] if result.get("gpu") else GREY
    return {"color": GREY, "linestyle": (0, (4, 2)), "linewidth": 1.1,
            "marker": PUBLISHED_MARKERS[index % len(PUBLISHED_MARKERS)], "markerfacecolor": "white",
            "markeredgecolor": colour, "markeredgewidth": 1.3, "markersize": 6}


def log_axis(axis, values, fine=150):
    """Sets a log scale over at least a factor of four, with plain numbers as labels. If the range is
    below `fine`, there are also ticks at 2 and 5."""
    values = [value for value in values if value and value > 0] or [1.0]
    margin = max(1.15, (max(values) / min(values)) ** 0.05)
    low, high = min(values) / margin, max(values) * margin
    if high / low < 4:
        middle = (high * low) ** 0.5
        low, high = middle / 2, middle * 2
    name = axis.axis_name
    axis.axes.set(**{f"{name}scale": "log", f"{name}lim": (low, high)})
    subs = (1.0, 2.0, 5.0) if high / low < fine else (1.0,)
    axis.set_major_locator(ticker.LogLocator(subs=subs, numticks=9))
    axis.set_major_formatter(ticker.FuncFormatter(plain))
    axis.set_minor_formatter(ticker.NullFormatter())
    axis.set_minor_locator(ticker.NullLocator())


def count_axis(axis):
    """Sets few ticks, so that their labels do not overlap."""
    axis.set_major_locator(ticker.MaxNLocator(5))
    axis.set_major_formatter(ticker.FuncFormatter(plain))


def wrap(text, width):
    return "\n".join(textwrap.wrap(text, width)) or text


def save(figure, folder, stem):
    """Writes PNG, and SVG with searchable text and without trailing spaces, both without a date or
    version."""
    drawn = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": stem, "svg.fonttype": "none"}):
        nothing = {"Date": None, "Creator": None, "Type": None, "Format": None}
        figure.savefig(drawn, format="svg", metadata=nothing)
    with open(f"{folder}/{stem}.svg", "w", encoding="utf-8") as file:
        file.writelines(line.rstrip() + "\n" for line in drawn.getvalue().splitlines())
    figure.savefig(f"{folder}/{stem}.png", dpi=150, metadata={"Software": None})
    pyplot.close(figure)
