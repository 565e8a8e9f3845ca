"""Draws all plots and names their files."""
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


class Plot:
    """A figure and the name of its files, without the suffix."""

    def __init__(self, stem, experiment, figure):
        self.stem, self.experiment, self.figure = stem, experiment, figure


def file_name(*words):
    text = "-".join(str(word) for word in words if word).lower()
    return re.sub(r"[^a-z0-9.]+", "-", text).strip("-")


def kinds_of(experiment):
    named = experiment.get("plots")
    return [kind for kind in named if kind in KINDS] if isinstance(named, list) else []


def plots(bench):
    """Yields all plots, one at a time to save memory."""
    plot_style.use()
    good = [result for result in bench.results if result.get("status") == "ok"]
    for word, figure in plot_against.draw_against(bench):
        yield Plot(file_name("against-published", word), None, figure)
    for word, figure in plot_roofline.draw_roofline(bench, good, plot_roofline.TITLE):
        yield Plot(file_name("roofline", word), None, figure)
    for experiment in bench.experiments:
        for kind in kinds_of(experiment):
            for word, figure in KINDS[kind](bench, experiment):
                yield Plot(file_name(experiment["id"], kind, word), experiment["id"], figure)
