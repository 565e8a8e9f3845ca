#!/usr/bin/env python3
"""Runs the equivalents of docs/coming-from.md and measures by how much results differ.

    coming_from_check.py [--verbose] [--require]

The code blocks of the page define names; each row of a table has a call of the other library and
one of Swathe. Sections of libraries that are not installed are skipped; --require makes that an
error.
"""
from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import swathe

PAGE = Path(__file__).resolve().parents[2] / "docs" / "coming-from.md"
LIMIT = re.compile(r"([\d.e-]+)(?:, without (\d+) pixels? at the edges)?$")
# A file that calls need: its name before it, and its text.
FILE = re.compile(r"`([\w.]+)`:\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
PROGRAMS = ("convert", "gdal_translate", "gdaldem", "vips")  # whose calls are commands
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Row:
    library: str
    there: str
    here: str
    limit: float
    edge: int
    files: tuple[tuple[str, str], ...] = ()  # that the call needs: name and text


def read(page: str) -> Iterator[tuple[str, str, list[Row]]]:
    """The name, the code and the rows of each section; the text before them is the first one."""
    for section in re.split(r"^## ", "Names\n" + page.split("\n", 1)[1], flags=re.MULTILINE):
        name = section.split("\n", 1)[0]
        code = "\n".join(re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL))
        files = tuple(FILE.findall(section))
        rows = [row_of(name, line, files) for line in section.splitlines() if line.startswith("| `")]
        if code or rows:
            yield name, code, rows


def row_of(library: str, line: str, files: tuple[tuple[str, str], ...]) -> Row:
    cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
    limit = LIMIT.match(cells[2].removesuffix(" |"))
    if not limit or not all(cell[0] == cell[-1] == "`" for cell in cells[:2]):
        raise SystemExit(f"{PAGE.name}: cannot read the row {line}")
    return Row(library, cells[0].strip("`"), cells[1].strip("`"), float(limit[1]),
               int(limit[2] or 0), files)


# ---- Images --------------------------------------------------------------------------------------


def images() -> dict[str, Array]:
    """A picture with gradients, edges and noise; noise; chessboards, another for each channel."""
    rng = np.random.default_rng(1)
    y, x = np.mgrid[:240, :320]
    scene = 60 + 100 * x / 320 + 40 * np.sin(y / 17)
    scene[60:140, 80:200] += 60
    scene[(x - 230) ** 2 + (y - 150) ** 2 < 1600] -= 70
    colours = scene[..., np.newaxis] + np.array([0, 20, -20]) + rng.normal(0, 8, (240, 320, 3))
    noise = rng.integers(0, 256, (120, 150, 3), np.uint8)
    boards = [np.where((x // size + y // size) % 2, 255, 0)[:96, :128] for size in (5, 8, 2)]
    return {"picture": np.clip(colours, 0, 255).astype(np.uint8), "noise": noise,
            "chessboard": np.dstack(boards).astype(np.uint8)}


# ---- One row -------------------------------------------------------------------------------------


def is_command(row: Row) -> bool:
    return row.there.split()[0] in PROGRAMS


def command(row: Row, names: dict[str, Any]) -> Array:
    """Runs a program on files that hold the arrays."""
    line = row.there
    height, width = names["grey"].shape
    with tempfile.TemporaryDirectory() as folder:
        for name in ("grey", "image"):
            swathe.imwrite(f"{folder}/{name}.png", names[name])
        for name, text in row.files:
            text = text.replace('XSize="320"', f'XSize="{width}"')
            Path(folder, name).write_text(text.replace('YSize="240"', f'YSize="{height}"'))
        subprocess.run(shlex.split(line), cwd=folder, check=True, timeout=120)
        out = next(word for word in shlex.split(line) if word.startswith("out."))
        result = swathe.imread(f"{folder}/{out}")
    grey = result.ndim == 3 and names["grey"].shape == result.shape[:2] and " grey.png" in line
    return result[..., 0] if grey else result


def distance(row: Row, names: dict[str, Any]) -> float:
    """The largest difference of the two results; infinite if shapes or types differ."""
    there = row.there
    theirs = command(row, names) if is_command(row) else eval(there, names)
    a, b = (np.squeeze(np.asarray(side)) for side in (theirs, eval(row.here, names)))
    if a.shape != b.shape or a.dtype != b.dtype:
        print(f"{there}: {a.dtype} {a.shape}, in Swathe {b.dtype} {b.shape}", file=sys.stderr)
        return float("inf")
    inside = (slice(row.edge, -row.edge or None),) * 2
    return float(np.abs(a.astype(np.float64) - b.astype(np.float64))[inside].max())


def missing(rows: list[Row], code: str, names: dict[str, Any]) -> str | None:
    """Why a section cannot run."""
    for program in {row.there.split()[0] for row in rows if is_command(row)}:
        if not shutil.which(program):
            return f"{program} is not installed"
    try:
        exec(code, names)
    except ImportError as error:
        return str(error)
    return None


def measure(page: str) -> tuple[dict[Row, float], list[str]]:
    """The largest difference of each row over all images, and the sections left out."""
    found: dict[Row, float] = {}
    skipped: dict[str, str] = {}
    for image in images().values():
        names: dict[str, Any] = {"image": image}
        for library, code, rows in read(page):
            reason = missing(rows, code, names)
            names["swathe"] = swathe
            if reason:
                skipped[library] = reason
                continue
            for row in rows:
                found[row] = max(found.get(row, 0.0), distance(row, names))
    return found, [f"skipped {library}: {reason}" for library, reason in skipped.items()]


def wrong(found: dict[Row, float]) -> list[Row]:
    """Rows that differ by more than they state, or by so much less that they tell nothing."""
    return [row for row, most in found.items() if not row.limit / 10 <= most <= row.limit]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for flag in "--verbose", "--require":
        parser.add_argument(flag, action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    page = PAGE.read_text(encoding="utf-8")
    found, skipped = measure(page)
    bad = wrong(found)
    for row, most in found.items():
        if given.verbose or row in bad:
            print(f"{row.library}: {row.there}: differs by {most:.3g}, stated {row.limit:g}")
    print("\n".join([*skipped, f"{len(found)} rows, {len(bad)} do not differ as stated"]))
    return 1 if bad or (given.require and skipped) else 0


if __name__ == "__main__":
    sys.exit(main())
