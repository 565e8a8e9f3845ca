"""The plot of capacity.py: images per second over the number of workers."""
import dataclasses
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "program", "report"))

import plot_style  # noqa: E402
from matplotlib import pyplot  # noqa: E402

import fleet_needs  # noqa: E402

PREFIXES = ((1, plot_style.ORANGE, "s"), (16, plot_style.BLUE, "o"), (256, plot_style.GREEN, "^"))
WORKERS = sorted({round(10 ** (step / 8)) for step in range(33)})


def draw(cost, assumed, folder):
    """Writes capacity.svg."""
    plot_style.use()
    figure, axes = pyplot.subplots(figsize=(plot_style.WIDTH, 4.2), layout="constrained")
    alone = fleet_needs.fleet(cost, assumed, 1)[0]
    axes.plot(WORKERS, [alone * workers for workers in WORKERS], color=plot_style.GREY, linestyle=":",
              label="in proportion to the workers")
    seen = [alone]
    for prefixes, colour, marker in PREFIXES:
        spread = dataclasses.replace(assumed, prefixes=prefixes)
        rates = [fleet_needs.fleet(cost, spread, workers)[0] for workers in WORKERS]
        seen += rates
        axes.plot(WORKERS, rates, color=colour, marker=marker, markevery=4,
                  label=f"{prefixes} prefix{'es' if prefixes > 1 else ''} of S3")
    plot_style.log_axis(axes.xaxis, WORKERS)
    plot_style.log_axis(axes.yaxis, seen)
    axes.set(xlabel=f"workers with {assumed.cores:g} CPUs", ylabel="images per second")
    axes.set_title("Predicted throughput, with as many sets as the queue needs: PUTs of S3 limit it")
    axes.legend()
    plot_style.save(figure, folder, "capacity")
    os.unlink(os.path.join(folder, "capacity.png"))
