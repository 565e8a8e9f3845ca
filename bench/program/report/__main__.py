"""Draws what `swathe bench --output DIR` measured.

    python3 plots DIR

Reads DIR/bench.json and, when it is there, DIR/peers.jsonl; writes pictures as SVG and PNG and
DIR/report.html. Prints the names of the pictures. The exit status is 0, 2 when the input cannot be
used, or 3 when matplotlib is missing: report.html then has tables only.
"""
import os
import signal
import sys

import bench_data
import report_page

NO_PLOTTER = ("plots: no pictures, matplotlib is missing; install it: apt install "
              "python3-matplotlib, or pip install matplotlib")


def draw(bench, folder):
    """{experiment or None: [stem]} of the pictures that were written; None without matplotlib."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return None
    import plot_list
    import plot_style
    drawn = {}
    for picture in plot_list.pictures(bench):
        plot_style.save(picture.figure, folder, picture.stem)
        drawn.setdefault(picture.experiment, []).append(picture.stem)
        print(picture.stem, flush=True)
    return drawn


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a traceback
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = sys.argv[1]
    try:
        bench, peers = bench_data.load(folder), bench_data.load_peers(folder)
        drawn = draw(bench, folder)
        report_page.write(os.path.join(folder, "report.html"), bench, peers, folder, drawn or {})
    except (bench_data.Unusable, OSError) as error:
        print(f"plots: {error}", file=sys.stderr)
        return 2
    if drawn is None:
        print(NO_PLOTTER, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
