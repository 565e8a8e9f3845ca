"""Colours, which are the same in all plots and suit colour-blind readers, fonts, saving (the same data give
the same files), and the page of a plot."""
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
# Those with the same colour never occur in one plot: they are of different reports.
VARIANTS = {
    "GPU Naive": (BLUE, "v"), "1channel_noConst": (BLUE, "v"), "Global": (BLUE, "v"), "Naive": (BLUE, "v"),
    "1channel": (SKY, "^"), "Global+Constant": (SKY, "^"), "Constant Mask Cache": (SKY, "^"),
    "GPU Shared Memory": (GREEN, "P"), "3channel": (GREEN, "P"),
    "GPU Shared Memory using Constant Memory": (PINK, "X"), "3channel_grid": (PINK, "X"),
    "GPU Shared Memory using Cache": (WINE, "d"), "3channel_3": (WINE, "d"),
    "Shared": (TEAL, "h"), "Shared+Constant": (PURPLE, "8"), "Parallel": (FOREST, "p"),
    "Tiled with Constant Cache": (OLIVE, ">"), "Interleaved Tiled with Constant Cache": (INDIGO, "H"),
}
STRATEGIES = {
    "naive": (BLUE, "v"), "naive-down": (BLUE, "1"), "naive-inner": (SKY, "1"), "1channel-noconst": (BLUE, "v"),
    "global": (BLUE, "v"), "constant": (SKY, "^"), "1channel": (SKY, "^"), "global-constant": (SKY, "^"),
    "shared": (GREEN, "P"), "3channel": (GREEN, "P"), "shared-constant": (PINK, "X"), "3channel-grid": (PINK, "X"),
    "cached": (WINE, "d"), "cached-down": (WINE, "3"), "3channel-3": (WINE, "d"), "quad": (TEAL, "h"),
    "quad-constant": (PURPLE, "8"), "tiled": (FOREST, "p"), "tiled-inner": (FOREST, "2"),
    "tiled-planar": (OLIVE, ">"), "tiled-interleaved": (INDIGO, "H"),
    "convert-tiled-planar": (TEAL, "<"), "gemm": (PURPLE, "8"),
}
BEST = {"cpu": (RED, "o"), "one thread": (ORANGE, "<"), "gpu": (RED, "*")}
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


def colour_and_marker(result):
    if bench_data.is_best(result):
        one = bench_data.threads(result) == 1
        return BEST["gpu" if bench_data.on_gpu(result) else "one thread" if one else "cpu"]
    if result.get("baseline"):
        colour, marker = BASELINES.get(result["baseline"], (GREY, "D"))
        alone = result["baseline"] == "parallel" and bench_data.threads(result) == 1
        return colour, "x" if alone else marker
    if result.get("ran"):
        return GREY, "x"
    name = str(result.get("strategy")).split(":", maxsplit=1)[0]
    return VARIANTS.get(result.get("variant")) or STRATEGIES.get(name, (PINK, "p"))


def look(result, software):
    """Returns keyword arguments for the line of a result: dotted if the device is software; with half-filled
    markers if it is one of our strategies that is not a report's variant, and others for further ways."""
    colour, marker = colour_and_marker(result)
    own = bench_data.on_gpu(result) and not result.get("variant") and not bench_data.is_best(result)
    return {"color": colour, "marker": marker, "linestyle": ":" if result.get("device") in software else "-",
            "fillstyle": ("left" if own else "full", "none", "top", "bottom")[result.get("way_number", 0) % 4]}


def published_look(result, index):
    """The same for published results: dashed, with open markers."""
    colour = VARIANTS.get(result.get("variant"), (GREY, "o"))[0] if result.get("gpu") else GREY
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


def columns_of(labels):
    """Returns in how many columns the labels of a legend fit across the page."""
    longest = max(len(line) for label in labels for line in label.split("\n")) if labels else 0
    return max(1, min(3, len(labels), LEGEND_COLUMNS // (longest + HANDLE_COLUMNS)))


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


# ---- Pages ------------------------------------------------------------------------------------------

GAP = 0.1  # inches between parts
TITLE_COLUMNS, NOTE_COLUMNS = 88, 118  # characters that fit across
LEGEND_COLUMNS, HANDLE_COLUMNS = 124, 9  # the same in legends, and what the handle and the gap take


class Page:
    """rows × columns of axes, which may share their scales, with a title above and legends and notes below,
    which never overlap. Legends and notes are laid out first. Their measured heights and that of the panels
    give the height of the page."""

    def __init__(self, rows, columns, panel_height=2.4, share_x=True, share_y=True):
        self.figure, axes = pyplot.subplots(
            rows, columns, squeeze=False, sharex="all" if share_x else False,
            sharey="all" if share_y else False, figsize=(WIDTH, rows * panel_height))
        self.axes, self.panel_height = axes, panel_height
        self.legends = []  # (column or None for the whole page, legend)
        self.share = share_x, share_y

    def panels(self):
        return [axes for row in self.axes for axes in row]

    def hide_from(self, used):
        """Removes the panels without data."""
        for axes in self.panels()[used:]:
            axes.remove()
        columns = self.axes.shape[1]
        for i in range(used - columns, used):
            if i >= 0:  # the lowest of its column
                self.panels()[i].tick_params(labelbottom=True)

    def label(self, x, y, used):
        """Labels the left and the lowest panels, or all if they do not share a scale."""
        columns = self.axes.shape[1]
        for i, axes in enumerate(self.panels()[:used]):
            if i + columns >= used or not self.share[0]:
                axes.set_xlabel(x)
            if i % columns == 0 or not self.share[1]:
                axes.set_ylabel(y)

    def legend(self, handles, labels, columns, column=None):
        if handles:
            made = self.figure.legend(handles, labels, ncol=columns, loc="upper left",
                                      bbox_to_anchor=(0, 1), borderaxespad=0, borderpad=0,
                                      handlelength=2.6, columnspacing=1.4, labelspacing=0.35)
            self.legends.append((column, made))

    def height_of(self, artist):
        renderer = self.figure.canvas.get_renderer()
        return artist.get_window_extent(renderer).height / self.figure.dpi

    def finish(self, title, subtitle, notes):
        """Sets the height of the page and places everything."""
        figure = self.figure
        head = [figure.text(0, 1, wrap(title, TITLE_COLUMNS), size=11, weight="bold", va="top"),
                figure.text(0, 1, wrap(subtitle, NOTE_COLUMNS), size=9, color=GREY, va="top")]
        foot = [figure.text(0, 0, wrap(note, NOTE_COLUMNS), size=8.5, color=INK, va="top",
                            style="italic") for note in notes]
        top = sum(self.height_of(text) + GAP for text in head) + GAP
        legends = max([self.height_of(made) + GAP for _, made in self.legends], default=0)
        bottom = legends + sum(self.height_of(text) + GAP / 2 for text in foot) + GAP
        height = top + bottom + self.axes.shape[0] * self.panel_height
        figure.set_size_inches(WIDTH, height)
        self.fit(top, bottom, height)
        self.place(head, height - GAP, height)
        self.place_legends(bottom - GAP / 2, height)
        self.place(foot, bottom - GAP / 2 - legends, height)
        return figure

    def spare(self):
        """Returns the inches that labels need left, right, above and below, and between panels."""
        renderer, need = self.figure.canvas.get_renderer(), {}
        for axes in self.figure.axes:
            inner, outer = axes.get_window_extent(renderer), axes.get_tightbbox(renderer)
            spec = axes.get_subplotspec()
            for key, pixels in ((("left", spec.colspan.start), inner.x0 - outer.x0),
                                (("right", spec.colspan.start), outer.x1 - inner.x1),
                                (("above", spec.rowspan.start), outer.y1 - inner.y1),
                                (("below", spec.rowspan.start), inner.y0 - outer.y0)):
                need[key] = max(need.get(key, 0.0), pixels / self.figure.dpi)
        rows, columns = self.axes.shape
        between = (max([need["right", i] + need["left", i + 1] for i in range(columns - 1)],
                       default=0), max([need["below", i] + need["above", i + 1]
                                        for i in range(rows - 1)], default=0))
        return (need["left", 0], need["right", columns - 1], need["above", 0],
                need["below", rows - 1]), between

    def fit(self, top, bottom, height):
        """Gives the panels equal sizes in the space between title, legends and notes."""
        (left, right, above, below), (across, down) = self.spare()
        rows, columns = self.axes.shape
        across, down = across + 2 * GAP, down + GAP
        wide = (WIDTH - left - right - 2 * GAP - (columns - 1) * across) / columns
        high = (height - top - bottom - above - below - GAP - (rows - 1) * down) / rows
        self.figure.subplots_adjust(
            left=(left + GAP) / WIDTH, right=1 - (right + GAP) / WIDTH,
            top=1 - (top + above) / height, bottom=(bottom + below + GAP) / height,
            wspace=across / wide, hspace=down / high)

    def place(self, texts, y, height):
        for text in texts:
            text.set_position((0.012, y / height))
            y -= self.height_of(text) + GAP * (0.5 if text.get_style() == "italic" else 1)

    def place_legends(self, y, height):
        for column, made in self.legends:
            x = 0.012 if column is None else \
                max(0.012, self.axes[-1][column].get_position().x0 - 0.04)
            made.set_bbox_to_anchor((x, y / height), transform=self.figure.transFigure)
