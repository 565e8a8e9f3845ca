"""Which pictures there are, under which names."""
import re

import plot_against
import plot_bars
import plot_lines
import plot_roofline
import plot_style
import plot_tiles

KINDS = {
    "time": plot_lines.draw_time, "speedup": plot_lines.draw_speedup,
    "bandwidth": plot_lines.draw_bandwidth, "flops": plot_lines.draw_flops,
    "chain": plot_lines.draw_chain, "tiles": plot_tiles.draw_tiles,
    "strategies": plot_bars.draw_strategies, "transfer": plot_bars.draw_transfer,
    "roofline": lambda bench, experiment: plot_roofline.draw_roofline(
        bench, bench.good_results(experiment), experiment.get("title") or experiment["id"]),
}


class Picture:
    """A figure and the name of its files, without the suffix."""

    def __init__(self, stem, experiment, figure):
        self.stem, self.experiment, self.figure = stem, experiment, figure


def file_name(*words):
    text = "-".join(str(word) for word in words if word).lower()
    return re.sub(r"[^a-z0-9.]+", "-", text).strip("-")


def kinds_of(experiment):
    plots = experiment.get("plots")
    return [kind for kind in plots if kind in KINDS] if isinstance(plots, list) else []


def pictures(bench):
    """All of them, one after another, so that only one is in memory."""
    plot_style.use()
    good = [result for result in bench.results if result.get("status") == "ok"]
    for word, figure in plot_against.draw_against(bench):
        yield Picture(file_name("against-published", word), None, figure)
    for word, figure in plot_roofline.draw_roofline(bench, good, plot_roofline.TITLE):
        yield Picture(file_name("roofline", word), None, figure)
    for experiment in bench.experiments:
        for kind in kinds_of(experiment):
            for word, figure in KINDS[kind](bench, experiment):
                yield Picture(file_name(experiment["id"], kind, word), experiment["id"], figure)
