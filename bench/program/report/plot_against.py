"""Compares our CPU with the hardware of the reports: one dot for each of their problems."""
import against
import plot_style
from plot_page import Page

ROW = 0.34  # inches for a line of dots


def line_name(entry):
    return f"{entry.experiment}, {entry.scope_words}\n{entry.hardware}"


def draw_line(axes, place, entries):
    for entry in entries:
        colour = plot_style.BLUE if entry.ratio <= 1 else plot_style.RED
        axes.plot(entry.ratio, place, "o", markersize=7, alpha=0.85, color=colour,
                  markerfacecolor="white" if entry.doubtful else colour)


def draw_against(bench):
    lines = {}
    for entry in against.entries(bench):
        lines.setdefault(line_name(entry), []).append(entry)
    if not lines:
        return
    page = Page(1, 1, 0.9 + (ROW + 0.1) * len(lines))
    axes = page.axes[0][0]
    for place, entries in enumerate(lines.values()):
        draw_line(axes, place, entries)
    axes.axvline(1, color=plot_style.INK, linewidth=1)
    plot_style.log_axis(axes.xaxis, [entry.ratio for each in lines.values() for entry in each] + [1],
                        fine=1000)
    axes.set_yticks(range(len(lines)))
    axes.set_yticklabels(lines, size=8.5)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.set_xlabel("our time ÷ their time, × (left of 1: our CPU is faster)")
    axes.set_ylabel("experiment (scope, their hardware)")
    count = max(entry.threads for each in lines.values() for entry in each)
    blue = axes.plot([], [], "o", color=plot_style.BLUE)[0]
    red = axes.plot([], [], "o", color=plot_style.RED)[0]
    white = axes.plot([], [], "o", color=plot_style.GREY, markerfacecolor="white")[0]
    page.legend([blue, red, white], ["we are faster", "we are slower",
                                      "published figure is doubtful"], 3)
    words = f"{count} CPU thread" + ("s" if count > 1 else "")
    yield "", page.finish(f"{words} here, compared with the fastest published times",
                          "One dot for each problem of a report; hardware and year differ, so "
                          "systems are compared, not programs", [])
