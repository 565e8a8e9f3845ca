#!/usr/bin/env python3
"""Draws docs/rooms.svg: the way of a pixel, and the directories with what each may include.

    draw_rooms.py           writes the picture
    draw_rooms.py --check   fails if it is out of date, or differs from the tree

Colours show the directory that does a step. A directory lies above all those that it may include, as
check_includes.py lists them.
"""
import os
import sys

import check_includes
import tree

PICTURE = "docs/rooms.svg"
WIDTH, HEIGHT = 1000, 1008

# Class of the colours, and fill, line in light, fill, line in dark.
COLOURS = {"program": ("#f3f4f6", "#6b7280", "#2b3038", "#8b94a3"),
           "api": ("#fdf2d0", "#b7791f", "#3d3218", "#d9a441"),
           "measure": ("#fbe4ee", "#be3f77", "#402331", "#e07ba6"),
           "run": ("#dcf3e3", "#2f855a", "#1b3a2a", "#5fbf8f"),
           "plan": ("#e9e3fb", "#6b46c1", "#30284d", "#a78bfa"),
           "cpu": ("#fde6d4", "#c05621", "#43291a", "#f0915a"),
           "filter": ("#d5f2f2", "#25808a", "#18383b", "#58b9c3"),
           "io": ("#dbe9fd", "#2b6cb0", "#1c3150", "#6aa6e8"),
           "ground": ("#e8e6e1", "#78716c", "#36332f", "#a8a29e")}

# Directory, colours, x, y, width, height, what it holds. Its own directories are found in the tree.
ROOMS = [
    ("cli", "program", 20, 452, 242, 124, "the command swathe"),
    ("bench", "program", 270, 452, 160, 124, "swathe-bench"),
    ("python", "program", 438, 452, 150, 124, "the package"),
    ("examples", "program", 596, 452, 134, 124, "programs in C"),
    ("fleet", "program", 738, 452, 242, 76, "swathe-fleet: many machines"),
    ("store", "program", 738, 532, 242, 46, "encoded bytes in a directory or S3"),
    ("include/swathe", "api", 20, 584, 960, 34, "the public interface: all that programs see"),
    ("src", "api", 20, 634, 960, 34, "the public functions: check arguments, call what is below"),
    ("src/measure", "measure", 20, 674, 960, 34, "times algorithms and devices, fits their rates"),
    ("src/run", "run", 20, 714, 960, 34, "carries out a plan: cells, threads, rings, window, outbox"),
    ("src/plan", "plan", 20, 754, 590, 34, "chooses an algorithm for each stage"),
    ("src/algorithm", "plan", 20, 794, 330, 34, "one file for each way to filter"),
    ("src/cpu", "cpu", 20, 834, 330, 34, "kernels for each instruction set"),
    ("src/gpu", "cpu", 358, 794, 252, 74, "stages on CUDA, HIP and OpenCL"),
    ("src/filter", "filter", 20, 874, 590, 34, "parses chains, defines every result"),
    ("src/io", "io", 618, 754, 362, 154, "image files, encoded and decoded"),
    ("src/image", "ground", 20, 914, 960, 34, "samples in memory, sample types, borders"),
    ("src/base", "ground", 20, 954, 960, 34, "memory, errors, text, threads, the operating system"),
]
LEFT_OUT = {"abi", "cmake", "cross", "debian", "deploy", "docs", "include", "tests", "tools"}


def style():
    def rules(fills, text, faint, paper, sheet):
        made = [f".paper{{fill:{paper};stroke:{sheet}}}.text{{fill:{text}}}.faint{{fill:{faint}}}",
                f".way{{stroke:{text};fill:none}}.tip{{fill:{text}}}.frame{{fill:none;stroke:{faint}}}",
                f".cell{{fill:{paper};stroke:{faint}}}"]
        made += [f".{name}{{fill:{fill};stroke:{line}}}.{name}-line{{fill:{line}}}"
                 for name, (fill, line) in fills.items()]
        return "".join(made)

    light = {name: pair[:2] for name, pair in COLOURS.items()}
    dark = {name: pair[2:] for name, pair in COLOURS.items()}
    return ("<style>text{font-family:system-ui,'Segoe UI',Helvetica,Arial,'DejaVu Sans',sans-serif}"
            ".code{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
            + rules(light, "#1f2937", "#5b6472", "#ffffff", "#d5d9df")
            + "@media(prefers-color-scheme:dark){"
            + rules(dark, "#e7eaef", "#a3adba", "#14181d", "#39414b") + "}</style>")


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def text(x, y, words, size=12, kind="text", anchor="start", bold=False, code=False):
    weight = ' font-weight="600"' if bold else ""
    return (f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}"{weight} '
            f'class="{kind}{" code" if code else ""}">{escaped(words)}</text>')


def box(kind, x, y, width, height, radius=5, more=""):
    return (f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" '
            f'class="{kind}"{more}/>')


def arrow(*points):
    path = "M" + " L".join(f"{x},{y}" for x, y in points)
    return f'<path d="{path}" class="way" stroke-width="1.6" marker-end="url(#tip)"/>'


def step(kind, x, y, width, height, title, lines, where):
    """A step of the way: what happens, and in small type the file that does it."""
    made = [box(kind, x, y, width, height), text(x + width / 2, y + 21, title, 14, "text", "middle", True)]
    made += [text(x + width / 2, y + 39 + 15 * i, line, 11.5, "text", "middle")
             for i, line in enumerate(lines)]
    return made + [text(x + width / 2, y + height - 9, where, 10.5, "faint", "middle", code=True)]


def ring(x, y, width, height, filled):
    """Rows of a ring buffer: those that the next kernel reads are filled."""
    rows = 6
    each = height / rows
    return [box("run" if i in filled else "cell", x, round(y + i * each, 1), width,
                round(each - 2, 1), 1) for i in range(rows)]


def planning():
    """The upper line: from text to a plan."""
    steps = [("filter", 158, "chain", ["text to stages"], "filter/chain.c"),
             ("filter", 344, "op", ["types, taps, bounds"], "filter/op_bind.c"),
             ("plan", 530, "plan", ["an algorithm per stage"], "plan/plan.c")]
    made = [text(36, 102, "sharpen,", 12, code=True), text(36, 118, "gaussian:5", 12, code=True),
            arrow((118, 108), (154, 108))]
    for kind, x, title, lines, where in steps:
        made += step(kind, x, 74, 150, 68, title, lines, where)
        if x < 530:
            made.append(arrow((x + 150, 108), (x + 182, 108)))
    made += step("measure", 722, 74, 150, 68, "rates", ["ns per unit of work"], "measure, plan/rate.def")
    return made + [arrow((722, 108), (684, 108)), arrow((605, 142), (605, 186))]


def thread():
    """What a thread does with a cell: rings, kernels, and the encoding of the result."""
    made = [box("paper", 318 + 2 * d, 190 + 2 * d, 474, 184, 7, ' stroke-dasharray="none"') for d in (4, 2, 0)]
    made += [text(332, 210, "each thread: one cell of the result at a time", 12, "text", bold=True),
             text(780, 210, "run/worker.c", 10.5, "faint", "end", code=True)]
    for x, name, filled in ((336, "ring of stage 1", (1, 2, 3)), (512, "ring of stage 2", (0, 1, 2, 3, 4))):
        made += ring(x, 236, 74, 86, filled)
        made += [text(x + 37, 340, name, 11.5, "text", "middle"),
                 text(x + 37, 355, "rows and border", 10.5, "faint", "middle")]
    for x, title in ((428, "sharpen"), (604, "gaussian")):
        made += [box("cpu", x, 252, 66, 50), text(x + 33, 273, "kernel", 13, "text", "middle", True),
                 text(x + 33, 291, title, 10.5, "faint", "middle"),
                 arrow((x - 18, 277), (x - 3, 277)), arrow((x + 66, 277), (x + 81, 277))]
    made += step("io", 688, 235, 94, 84, "encode", ["compress", "a part"], "io/png …")
    return made


def way():
    """The lower line: from file to file."""
    made = [text(24, 281, "file", 13, bold=True), arrow((54, 277), (76, 277))]
    made += step("io", 80, 235, 92, 84, "decode", ["a part", "of the rows"], "io/tiff …")
    made += step("run", 200, 235, 94, 84, "window", ["rows, kept", "while needed"], "run/window.c")
    made += [text(187, 340, "read by the same threads", 10.5, "faint", "middle")]
    made += thread()
    made += [arrow((172, 277), (196, 277)), arrow((294, 277), (332, 277))]
    made += step("run", 824, 235, 94, 84, "outbox", ["parts wait", "for their turn"], "run/outbox.c")
    made += [arrow((782, 277), (820, 277)), arrow((918, 277), (942, 277)),
             text(947, 281, "file", 13, bold=True)]
    return made


def inside(root, path):
    """The directories of a room, as a line of text."""
    if path in ("src", "include/swathe"):
        return []
    found = {file[len(path) + 1:].split("/")[0] for file in tree.files(root)
             if file.startswith(path + "/") and "/" in file[len(path) + 1:]}
    return sorted(found)


def wrapped(words, most):
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) + 1 > most:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def rooms(root):
    made = []
    for path, kind, x, y, width, height, what in ROOMS:
        name, names = "src/api*.c" if path == "src" else path, inside(root, path)
        made += [box(kind, x, y, width, height), text(x + 12, y + 22, name, 13, bold=True, code=True)]
        if path == "src/io" or height < 40:
            made.append(text(x + 20 + 8.4 * len(name), y + 22, what, 12))
        else:
            made.append(text(x + 12, y + 39, what, 12))
        if path == "src/io":
            made += sub_rooms(names, x + 12, y + 36)
        elif path == "store":
            made.append(text(x + 68, y + 22, "  ".join(names), 11, "faint", code=True))
        else:
            made += [text(x + 12, y + 57 + 14 * i, line, 11, "faint", code=True)
                     for i, line in enumerate(wrapped(names, (width - 16) // 6.6))]
    return made


def sub_rooms(names, x, y):
    what = {"tiff": "strips, tiles, pages", "png": "", "jpeg": "", "webp": "", "raw": "BMP, TGA, PNM, PFM",
            "bytes": "paths, pipes, readers", "metadata": "EXIF, XMP, ICC"}
    made = []
    for i, name in enumerate(names):
        left, top = x + 172 * (i % 2), y + 28 * (i // 2)
        made += [box("paper", left, top, 166, 24, 3), text(left + 8, top + 16, name, 11, code=True),
                 text(left + 160, top + 16, what.get(name, ""), 10, "faint", "end")]
    return made


def draw(root):
    made = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'width="{WIDTH}" height="{HEIGHT}" role="img" '
            'aria-label="The way of a pixel through Swathe, and its directories">', style(),
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto"><path d="M0,0.5 L8,4 L0,7.5 z" class="tip"/></marker></defs>',
            box("paper", 0.5, 0.5, WIDTH - 1, HEIGHT - 1, 8),
            text(20, 32, "The way of a pixel", 18, bold=True),
            text(20, 56, "once for each shape and chain:", 12, "faint"),
            *planning(), text(20, 196, "for each pixel:", 12, "faint"), *way(),
            text(20, 418, "The directories", 18, bold=True),
            text(20, 440, "Code may include what lies below it; programs and store only "
                 "include/swathe, but for a few headers that check_includes.py names.", 12, "faint"),
            *rooms(root), "</svg>"]
    return "\n".join(made) + "\n"


def drawn_wrongly(root):
    """Yields what the picture shows otherwise than the tree and check_includes.py."""
    place = {room[0]: room for room in ROOMS}
    for path in place:
        if not os.path.isdir(os.path.join(root, path)):
            yield f"{path} is drawn, but does not exist"
    for file in tree.files(root):
        parts = file.split("/")
        folder = "/".join(parts[:2]) if parts[0] in ("src", "include") and len(parts) > 2 else parts[0]
        if len(parts) > 1 and folder not in place and not folder.startswith(".") and \
                folder not in LEFT_OUT:
            yield f"{folder} is not drawn"
    for upper, lowers in check_includes.BELOW.items():
        for lower in lowers:
            below = place.get("src/" + lower)
            if below and upper in place and \
                    not place[upper][3] + place[upper][5] <= below[3]:
                yield f"{upper} may include {below[0]}, but is not drawn above it"


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    made, path = draw(root), os.path.join(root, PICTURE)
    if sys.argv[1:] == ["--check"]:
        problems = sorted(set(drawn_wrongly(root)))
        with open(path, encoding="utf-8") as file:
            if file.read() != made:
                problems.append(f"{PICTURE}: run tools/draw_rooms.py")
        tree.finish("rooms", problems)
    with open(path, "w", encoding="utf-8") as file:
        file.write(made)


if __name__ == "__main__":
    main()
