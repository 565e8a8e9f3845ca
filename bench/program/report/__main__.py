"""Computes and writes what `swathe bench` found.

    python3 report DIR [--tables] [--peers FILE] [--summary] [--show WIDTH]
    python3 report compare A.json B.json [--json]

Reads DIR/bench.json and, if it exists, DIR/peers.jsonl, to which --peers copies a file. Writes
DIR/bench.csv and DIR/bench.md and, without --tables, plots as SVG and PNG and DIR/report.html.
--summary also prints a line for each experiment. --show writes no files, but prints all tables, in this
number of columns (0: any), and the summary. The exit status is 0, 2 if the input cannot be used, or 3 if
matplotlib is missing: report.html then has only tables. `compare` has the exit codes of `swathe`.
"""
import argparse
import contextlib
import os
import shutil
import signal
import sys

import bench_data
import compare
import derive
import pages
import tables
import terminal

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
    return drawn


def write(bench, folder, only_tables):
    """Writes all files. Returns False if matplotlib is missing."""
    peers = bench_data.load_peers(folder)
    save(folder, "bench.csv", pages.csv_text(bench))
    save(folder, "bench.md", pages.markdown_page(bench, tables.sections(bench, peers, {})))
    if only_tables:
        return True
    drawn = draw(bench, folder)
    sections = tables.sections(bench, peers, drawn or {})
    save(folder, "report.html", pages.html_page(bench, sections, folder))
    return drawn is not None


def parse():
    parser = argparse.ArgumentParser(prog="report", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--peers", metavar="FILE")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--show", metavar="WIDTH", type=int)
    return parser.parse_args()


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a traceback
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.stdout.reconfigure(encoding="utf-8")
    if sys.argv[1:2] == ["compare"]:
        return compare.main(sys.argv[2:])
    asked, drawn = parse(), True
    try:
        if asked.peers:
            with contextlib.suppress(shutil.SameFileError):
                shutil.copyfile(asked.peers, os.path.join(asked.folder, "peers.jsonl"))
        bench = derive.fill(bench_data.load(asked.folder))
        if asked.show is not None:
            terminal.write_tables(bench, asked.show)
        else:
            drawn = write(bench, asked.folder, asked.tables)
    except (bench_data.Unusable, OSError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    if asked.summary or asked.show is not None:
        terminal.write_summary(bench)
    if not drawn:
        print(NO_PLOTTER, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
