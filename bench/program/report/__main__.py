"""Writes the results of `swathe bench --output DIR` as tables, plots and a page.

    python3 report DIR [--tables] [--peers FILE]

Reads DIR/bench.json and, if it exists, DIR/peers.jsonl, to which --peers copies a file. Writes
DIR/bench.csv and DIR/bench.md and, without --tables, plots as SVG and PNG and DIR/report.html. Prints
the names of the plots. The exit status is 0, 2 if the input cannot be used, or 3 if matplotlib is
missing: report.html then has only tables.
"""
import argparse
import contextlib
import os
import shutil
import signal
import sys

import bench_data
import report_csv
import report_html
import report_markdown
import report_sections

NO_PLOTTER = ("report: no plots, because matplotlib is missing; install it: apt install "
              "python3-matplotlib, or pip install matplotlib")


def save(folder, name, text):
    """Writes a hidden file and renames it, so that the file is complete or absent."""
    hidden = os.path.join(folder, f".{name}.{os.getpid()}")
    try:
        with open(hidden, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(hidden, os.path.join(folder, name))
    except OSError:
        if os.path.exists(hidden):
            os.remove(hidden)
        raise


def draw(bench, folder):
    """Draws all plots. Returns {experiment or None: [stem]}, or None without matplotlib."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return None
    import plot_list
    import plot_style
    drawn = {}
    for plot in plot_list.plots(bench):
        plot_style.save(plot.figure, folder, plot.stem)
        drawn.setdefault(plot.experiment, []).append(plot.stem)
        print(plot.stem, flush=True)
    return drawn


def write(folder, only_tables):
    """Writes all files. Returns False if matplotlib is missing."""
    bench, peers = bench_data.load(folder), bench_data.load_peers(folder)
    save(folder, "bench.csv", report_csv.table(bench))
    save(folder, "bench.md", report_markdown.page(bench, report_sections.sections(bench, peers, {})))
    if only_tables:
        return True
    drawn = draw(bench, folder)
    sections = report_sections.sections(bench, peers, drawn or {})
    save(folder, "report.html", report_html.page(bench, sections, folder))
    return drawn is not None


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a traceback
    parser = argparse.ArgumentParser(prog="report", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--peers", metavar="FILE")
    asked = parser.parse_args()
    try:
        if asked.peers:
            with contextlib.suppress(shutil.SameFileError):
                shutil.copyfile(asked.peers, os.path.join(asked.folder, "peers.jsonl"))
        drawn = write(asked.folder, asked.tables)
    except (bench_data.Unusable, OSError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    if not drawn:
        print(NO_PLOTTER, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
