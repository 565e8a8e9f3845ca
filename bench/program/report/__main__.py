"""Writes what `swathe bench --output DIR` measured as tables, plots and a page.

    python3 report DIR [--tables]

Reads DIR/bench.json and, when it is there, DIR/peers.jsonl. Writes DIR/bench.csv and DIR/bench.md
and, without --tables, pictures as SVG and PNG and DIR/report.html. Prints the names of the pictures.
The exit status is 0, 2 when the input cannot be used, or 3 when matplotlib is missing: report.html
then has tables only.
"""
import os
import signal
import sys

import bench_data
import report_csv
import report_html
import report_markdown
import report_sections

NO_PLOTTER = ("report: no pictures, matplotlib is missing; install it: apt install "
              "python3-matplotlib, or pip install matplotlib")


def save(folder, name, text):
    """Complete or not at all."""
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


def write(folder, only_tables):
    """False: matplotlib is missing."""
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
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--tables"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        drawn = write(sys.argv[1], sys.argv[2:] == ["--tables"])
    except (bench_data.Unusable, OSError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    if not drawn:
        print(NO_PLOTTER, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
