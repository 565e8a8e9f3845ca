#!/usr/bin/env python3
"""Draws which memory each GPU strategy loads samples from, for a 3×3 mask: writes
docs/gpu-strategies.svg.

    draw_strategies.py [--check]

Names and texts come from src/gpu/strategies/strategy.def; a strategy without a panel is an error. --check
fails if the picture in docs is outdated.
"""
import pathlib
import re
import sys
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/gpu-strategies.svg"
CELL, ACROSS, DOWN = 15, 14, 10  # of the part of the image in a panel
PANEL_WIDTH, PANEL_HEIGHT, MARGIN = 470, 228, 16
COLOURS = {"image": "#f2f2f0", "local": "#9cc5e8", "global": "#f2b880", "made": "#2a7f3f",
           "thread": "#8fce9e", "text": "#1c1c1c", "soft": "#5a5a5a", "middle": "#c9b6e4",
           "border": "#c4c4c0"}
STRATEGY = re.compile(r'STRATEGY\("([^"]+)",.*?((?:\s*"[^"]*")+)\)', re.S)

# ---- Data: the panels ----------------------------------------------------------------------------
# A rectangle is (x, y, width, height) in cells. `fills` colour cells, `frames` outline the
# results of a thread block, `marks` number cells, `notes` are lines beside the grid.


def batches(x, y, width, height, threads):
    return {(x + i % width, y + i // width): i // threads + 1 for i in range(width * height)}


def blocks_apart(x, y, side, block):
    return {(x + i, y + j): 1 + i // block + 2 * (j // block) for i in range(side)
            for j in range(side)}


def line(cells):
    return {cell: i for i, cell in enumerate(cells)}


PANELS = [
    {"names": ["naive", "naive-down", "constant", "naive-inner", "global", "global-constant"],
     "title": "naive(-down, -inner), constant, global(-constant)",
     "fills": [("global", (4, 3, 3, 3)), ("thread", (5, 4, 1, 1))], "frames": [(4, 3, 4, 4)],
     "notes": ["A thread reads its 3×3 samples", "from global memory, and so do its",
               "neighbours: each sample is read", "nine times. Each read is checked",
               "against the image's bounds, except", "in naive-inner. global stores all",
               "products, then adds them. Threads", "of naive-down follow the columns."]},
    {"names": ["1channel-noconst", "1channel", "3channel-3"],
     "title": "1channel(-noconst), 3channel-3",
     "fills": [("border", (0, 0, 14, 10)), ("image", (1, 1, 12, 8)), ("thread", (1, 2, 8, 1))],
     "frames": [], "marks": line([(1 + i, 2) for i in range(8)]),
     "notes": ["The host pads each plane with the", "border (grey): no checks.",
               "Thread blocks follow the rows", "(numbers: threads).",
               "1channel: copy, launch, copy back", "for one plane after another;",
               "3channel-3: a buffer for each;", "a thread computes a pixel of all."]},
    {"names": ["3channel", "3channel-grid"],
     "fills": [("border", (0, 0, 14, 10)), ("image", (1, 1, 12, 8)), ("thread", (1, 2, 8, 1)),
               ("thread", (11, 1, 1, 8))], "frames": [],
     "marks": line([(1 + i, 2) for i in range(8)]) | line([(11, 1 + i) for i in range(8)]),
     "notes": ["Padded planes, put into one array", "by the host. Left, 3channel:",
               "threads are numbered along the", "rows (numbers: threads).",
               "Right, 3channel-grid: they are", "numbered down the columns, so that",
               "one load touches many rows.", "Samples: global memory."]},
    {"names": ["shared", "shared-constant"],
     "fills": [("local", (4, 3, 4, 4)), ("thread", (5, 4, 2, 2))], "frames": [(5, 4, 2, 2)],
     "notes": ["The thread block covers tile and", "halo: each thread loads one pixel",
               "into local memory, with a check;", "only the inner threads compute a", "result.",
               "shared: one thread copies the", "taps to local memory, too."]},
    {"names": ["cached", "cached-down"],
     "fills": [("global", (3, 2, 6, 6)), ("local", (4, 3, 4, 4))], "frames": [(4, 3, 4, 4)],
     "notes": ["The tile is in local memory; its", "halo is read from global memory,",
               "through the cache, by the threads", "that need it, with a check for each", "tap. Threads of cached-down follow",
               "the columns."]},
    {"names": ["tiled", "tiled-inner", "tiled-planar", "convert-tiled-planar", "tiled-interleaved"],
     "title": "tiled(-inner, -planar, -interleaved), convert-tiled-planar",
     "fills": [("local", (3, 2, 6, 6))], "frames": [(4, 3, 4, 4)],
     "marks": batches(3, 2, 6, 6, 16),
     "notes": ["The threads load tile and halo in", "batches (numbers), with a check for",
               "each (except tiled-inner); then", "each computes a result.",
               "tiled: one channel at a time;", "tiled-interleaved: all channels;",
               "tiled-planar: one launch per plane;", "convert-: pixels to planes before,",
               "and back after, on the device."]},
    {"names": ["quad", "quad-constant"],
     "fills": [("local", (3, 2, 6, 6))], "frames": [(4, 3, 4, 4)],
     "marks": blocks_apart(3, 2, 6, 4),
     "notes": ["Each thread loads four pixels, one", "thread block apart (numbers: which",
               "of the four), as far as tile and", "halo extend, with a check for each."]},
    {"names": ["gemm"],
     "fills": [("local", (3, 1, 10, 8)), ("thread", (4, 1, 4, 8))],
     "frames": [(4, 1, 8, 8)],
     "notes": ["For each row of the mask: samples", "(blue) × a Toeplitz matrix, whose",
               "columns are that row of taps, each", "one further down. A thread computes",
               "4×4 results in registers (green:", "results of two threads)."]},
    {"names": ["best"], "title": "best, dense masks",
     "fills": [("local", (0, 1, 14, 8)), ("thread", (1, 2, 4, 6))], "frames": [(1, 2, 12, 6)],
     "notes": ["Tile and halo are loaded to local", "memory once, in 32-bit words. A",
               "thread (green) computes four", "samples in each of eight or more",
               "rows, in registers: a loaded sample", "serves all results that need it."]},
    {"names": [], "title": "best, gaussian and box",
     "fills": [("local", (0, 1, 14, 8)), ("middle", (0, 2, 14, 6)), ("thread", (1, 2, 4, 6))],
     "frames": [(1, 2, 12, 6)],
     "notes": ["Both passes in one launch: tile", "and halo are loaded to local",
               "memory, vertical results (violet)", "are stored beside them, and",
               "horizontal ones computed from these.", "Global memory is read once, except",
               "for halos, and written once."]},
]

# ---- Drawing -------------------------------------------------------------------------------------


def text(x, y, words, size=12, weight="normal", colour="text", anchor="start"):
    return (f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" '
            f'text-anchor="{anchor}" fill="{COLOURS[colour]}">{escape(words)}</text>')


def box(x, y, width, height, fill, stroke="#ffffff", thickness=1):
    return (f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}" '
            f'stroke="{stroke}" stroke-width="{thickness}"/>')


def cell_colours(panel):
    colours = {(i, j): "image" for i in range(ACROSS) for j in range(DOWN)}
    for name, (x, y, width, height) in panel["fills"]:
        colours.update({(x + i, y + j): name for i in range(width) for j in range(height)})
    return colours


def draw_grid(panel, left, top):
    for (i, j), name in cell_colours(panel).items():
        yield box(left + i * CELL, top + j * CELL, CELL, CELL, COLOURS[name])
    for x, y, width, height in panel["frames"]:
        yield box(left + x * CELL, top + y * CELL, width * CELL, height * CELL, "none",
                  COLOURS["made"], 2.5)
    for (i, j), number in panel.get("marks", {}).items():
        yield text(left + (i + 0.5) * CELL, top + (j + 0.75) * CELL, str(number), 9.5,
                   anchor="middle")


def taps_lines(panel, strategies):
    """Returns which memory contains the taps of a panel's strategies, according to strategy.def."""
    homes = {}
    for name in panel["names"]:
        loads = strategies[name]
        home = "constant" if "constant" in loads else \
            "local" if "taps into local" in loads else "global"
        homes.setdefault(home, []).append(name)
    homes = sorted(homes.items(), key=lambda home: len(home[1]))
    last = homes[-1:] if len(homes) > 1 and len(homes[-1][1]) > 2 else []
    return [f"taps in {home} memory" + (": the others" if (home, names) in last else
                                        f": {', '.join(names)}" if len(homes) > 1 else "")
            for home, names in homes]


def draw_panel(panel, strategies, left, top):
    title = panel.get("title", ", ".join(panel["names"]))
    yield text(left, top + 14, title, 13, "bold")
    yield from draw_grid(panel, left, top + 26)
    for i, words in enumerate(panel["notes"]):
        yield text(left + ACROSS * CELL + 14, top + 40 + 17 * i, words)
    for i, words in enumerate(taps_lines(panel, strategies)):
        yield text(left, top + 26 + DOWN * CELL + 16 + 14 * i, words, 11, colour="soft")


def draw_legend(top):
    entries = [("image", "image, in global memory"), ("local", "copied to local memory"),
               ("global", "read from global memory each time"), ("middle", "between two passes"),
               ("thread", "threads, or results of one thread"), ("made", "results of a thread block"),
               ("border", "border, added on the host")]
    for i, (name, words) in enumerate(entries):
        x, y = MARGIN + i % 3 * 300, top + i // 3 * 22
        if name == "made":
            yield box(x + 1, y + 1, 11, 11, "none", COLOURS["made"], 2.5)
        else:
            yield box(x, y, 13, 13, COLOURS[name], "#888888", 0.5)
        yield text(x + 20, y + 11, words, 12)


def draw(strategies):
    rows = (len(PANELS) + 1) // 2
    width, height = 2 * PANEL_WIDTH + MARGIN, rows * PANEL_HEIGHT + 94
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
             f'width="{width}" height="{height}" font-family="Helvetica, Arial, sans-serif">',
             "<title>Which memory each GPU strategy loads from</title>",
             box(0, 0, width, height, "#ffffff", "none"), *draw_legend(14)]
    for i, panel in enumerate(PANELS):
        parts += draw_panel(panel, strategies, MARGIN + i % 2 * PANEL_WIDTH,
                            88 + i // 2 * PANEL_HEIGHT)
    return "\n".join(parts + ["</svg>"]) + "\n"


def read_strategies():
    """Returns {strategy: the memory from which it loads}."""
    table = re.sub(r"/\*.*?\*/", "", (ROOT / "src/gpu/strategies/strategy.def").read_text(), flags=re.S)
    return {match[1]: re.findall(r'"([^"]*)"', match[2])[-1] for match in STRATEGY.finditer(table)}


def main():
    strategies = read_strategies()
    shown = [name for panel in PANELS for name in panel["names"]]
    if sorted(shown) != sorted(strategies):
        sys.exit("strategies without a panel, or panels without a strategy: "
                 f"{sorted(set(shown) ^ set(strategies))}")
    drawn = draw(strategies)
    if sys.argv[1:] == ["--check"]:
        if PICTURE.read_text() != drawn:
            sys.exit(f"{PICTURE.name} is outdated: run tools/draw_strategies.py")
        return
    PICTURE.write_text(drawn)


if __name__ == "__main__":
    main()
