#!/usr/bin/env python3
"""Plots time over mask size for Swathe and other libraries, for the README.

    draw_masks.py FIGURES OUT.svg

FIGURES is the output of `peers.py --json --only u8x3-1000x1000`.
"""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../program/report"))
import plot_lines  # noqa: E402
import plot_style  # noqa: E402
from plot_style import Page  # noqa: E402

TASK = re.compile(r"u8x3-1000x1000-(dense|gaussian)-(\d+)x\d+$")
TITLES = {"dense": "Dense masks", "gaussian": "Gaussians"}
LOOKS = {"Swathe": (plot_style.RED, "o"), "Halide": (plot_style.BLUE, "v"),
         "IPP": (plot_style.GREEN, "s"), "OpenCV": (plot_style.PINK, "D"),
         "libvips": (plot_style.ORANGE, "^"), "SciPy": (plot_style.INK, "x")}


def read_figures(path):
    """Yields (kind, k, library, ms) of the fastest correct implementation of each library."""
    with open(path, encoding="utf-8") as file:
        entries = [json.loads(line) for line in file if line.startswith("{")]
    for entry in entries:
        match = TASK.match(entry["work"])
        if not match or entry["threads"] != 1:
            continue
        place = match.group(1), int(match.group(2))
        yield *place, "Swathe", entry["swathe_ms"]
        times = {}
        for peer in entry["peers"]:
            if peer.get("ok") and peer.get("best_ms"):
                name = peer["contender"]
                times[name] = min(times.get(name, peer["best_ms"]), peer["best_ms"])
        for name, ms in times.items():
            yield *place, name, ms


def panel(axes, points):
    for name, (colour, marker) in LOOKS.items():
        own = sorted((k, ms) for k, library, ms in points if library == name)
        axes.plot([k for k, _ in own], [ms for _, ms in own], color=colour, marker=marker)


def draw(figures):
    page = Page(1, 2, 3.3)
    for axes, (kind, title) in zip(page.panels(), TITLES.items()):
        panel(axes, [entry[1:] for entry in figures if entry[0] == kind])
        axes.set_title(title)
    masks = sorted({k for _, k, _, _ in figures})
    for axes in page.panels():
        plot_style.log_axis(axes.yaxis, [ms for _, _, _, ms in figures])
        plot_style.log_axis(axes.xaxis, masks)
        axes.xaxis.set_major_locator(plot_lines.ticker.FixedLocator([3, 5, 9, 17, 33, 63, 121]))
    page.label("mask size k, pixels (k × k taps)", "time, ms", 2)
    names = [name for name in LOOKS if any(entry[2] == name for entry in figures)]
    handles = [page.panels()[0].plot([], [], color=LOOKS[name][0], marker=LOOKS[name][1])[0]
               for name in names]
    page.legend(handles, names, len(names))
    return page.finish("Swathe and other libraries over mask size",
                       "1000 × 1000 × 3 u8, one thread; lower is better", [])


def main():
    if len(sys.argv) != 3 or not sys.argv[2].endswith(".svg"):
        sys.exit(__doc__)
    figures = list(read_figures(sys.argv[1]))
    if not figures:
        sys.exit(f"{sys.argv[1]}: has no figures of u8x3-1000x1000 tasks")
    plot_style.use()
    folder, name = os.path.split(sys.argv[2])
    plot_style.save(draw(figures), folder or ".", name[:-len(".svg")])


if __name__ == "__main__":
    main()
