#!/usr/bin/env python3
"""Draws time over mask size, Swathe beside other libraries, for the README.

    draw_masks.py FIGURES OUT.svg

FIGURES is what `peers.py --json --only u8x3-1000x1000` printed: a line for each library. Or it is
docs/performance.md, which has only the fastest of the others for each mask: points with its name.
"""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../program/report"))
import plot_lines  # noqa: E402
import plot_style  # noqa: E402
from plot_page import Page  # noqa: E402

WORK = re.compile(r"u8x3-1000x1000-(dense|gaussian)-(\d+)x\d+$")
TITLES = {"dense": "Masks of any taps (dense)", "gaussian": "Gaussians"}
LOOKS = {"Swathe": (plot_style.RED, "o"), "Halide": (plot_style.BLUE, "v"),
         "IPP": (plot_style.GREEN, "s"), "OpenCV": (plot_style.PINK, "D"),
         "libvips": (plot_style.ORANGE, "^"), "SciPy": (plot_style.INK, "x")}


def read_lines(path):
    """(kind, k, library, ms) of every peer; one thread."""
    with open(path, encoding="utf-8") as file:
        entries = [json.loads(line) for line in file if line.startswith("{")]
    for entry in entries:
        match = WORK.match(entry["work"])
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


def read_table(path):
    """The same of a table: Swathe and the fastest of the others."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.split("|")[1:-1]]
            match = WORK.match(cells[0]) if len(cells) > 3 else None
            if match:
                place = match.group(1), int(match.group(2))
                name, ms = cells[2].rsplit(", ", 1)
                yield *place, "Swathe", float(cells[1])
                yield *place, name.split(" ")[0], float(ms)


def panel(axes, points, joined):
    """Libraries with a time for every mask are lines."""
    for name, (colour, marker) in LOOKS.items():
        own = sorted((k, ms) for k, library, ms in points if library == name)
        axes.plot([k for k, _ in own], [ms for _, ms in own], color=colour, marker=marker,
                  linestyle="-" if joined or name == "Swathe" else "")
    if not joined:
        others = sorted((k, ms) for k, library, ms in points if library != "Swathe")
        axes.plot(*zip(*others), color=plot_style.GREY, linewidth=0.9, linestyle="--", zorder=0)


def draw(figures, joined):
    page = Page(1, 2, 3.3)
    for axes, (kind, title) in zip(page.panels(), TITLES.items()):
        panel(axes, [entry[1:] for entry in figures if entry[0] == kind], joined)
        axes.set_title(title)
    masks = sorted({k for _, k, _, _ in figures})
    for axes in page.panels():
        plot_style.log_axis(axes.yaxis, [ms for _, _, _, ms in figures])
        plot_style.log_axis(axes.xaxis, masks)
        axes.xaxis.set_major_locator(plot_lines.ticker.FixedLocator([3, 5, 9, 17, 33, 63, 121]))
    page.label("mask size k, pixels (k × k taps)", "time, ms", 2)
    names = [name for name in LOOKS if any(entry[2] == name for entry in figures)]
    handles = [page.panels()[0].plot([], [], color=LOOKS[name][0], marker=LOOKS[name][1],
                                     linestyle="-" if joined or name == "Swathe" else "")[0]
               for name in names]
    page.legend(handles, names, len(names))
    others = "" if joined else "; of the other libraries the fastest at each mask (dashed)"
    return page.finish("Swathe and other libraries over mask size",
                       "1000 × 1000 × 3 u8, one thread; lower is better" + others, [])


def main():
    if len(sys.argv) != 3 or not sys.argv[2].endswith(".svg"):
        sys.exit(__doc__)
    joined = not sys.argv[1].endswith(".md")
    figures = list((read_lines if joined else read_table)(sys.argv[1]))
    if not figures:
        sys.exit(f"{sys.argv[1]}: no figures of works u8x3-1000x1000")
    plot_style.use()
    folder, name = os.path.split(sys.argv[2])
    plot_style.save(draw(figures, joined), folder or ".", name[:-len(".svg")])


if __name__ == "__main__":
    main()
