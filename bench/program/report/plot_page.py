"""A page of panels with a title above and legends and notes below, which never overlap.

Legends and notes are laid out first. Their measured heights and that of the panels give the height of
the page.
"""
from matplotlib import pyplot

from plot_style import GREY, INK, WIDTH, wrap

GAP = 0.1  # inches between parts
TITLE_COLUMNS, NOTE_COLUMNS = 88, 118  # characters that fit across


class Page:
    """rows × columns of axes, which may share their scales."""

    def __init__(self, rows, columns, panel_height=2.4, share_x=True, share_y=True):
        self.figure, axes = pyplot.subplots(
            rows, columns, squeeze=False, sharex="all" if share_x else False,
            sharey="all" if share_y else False, figsize=(WIDTH, rows * panel_height))
        self.axes, self.panel_height = axes, panel_height
        self.legends = []  # (column or None for the whole page, legend)
        self.share = share_x, share_y

    def panels(self):
        return [axes for row in self.axes for axes in row]

    def hide_from(self, used):
        """Removes the panels without data."""
        for axes in self.panels()[used:]:
            axes.remove()
        columns = self.axes.shape[1]
        for i in range(used - columns, used):
            if i >= 0:  # the lowest of its column
                self.panels()[i].tick_params(labelbottom=True)

    def label(self, x, y, used):
        """Labels the left and the lowest panels, or all if they do not share a scale."""
        columns = self.axes.shape[1]
        for i, axes in enumerate(self.panels()[:used]):
            if i + columns >= used or not self.share[0]:
                axes.set_xlabel(x)
            if i % columns == 0 or not self.share[1]:
                axes.set_ylabel(y)

    def legend(self, handles, labels, columns, column=None):
        if handles:
            made = self.figure.legend(handles, labels, ncol=columns, loc="upper left",
                                      bbox_to_anchor=(0, 1), borderaxespad=0, borderpad=0,
                                      handlelength=2.6, columnspacing=1.4, labelspacing=0.35)
            self.legends.append((column, made))

    def height_of(self, artist):
        renderer = self.figure.canvas.get_renderer()
        return artist.get_window_extent(renderer).height / self.figure.dpi

    def finish(self, title, subtitle, notes):
        """Sets the height of the page and places everything."""
        figure = self.figure
        head = [figure.text(0, 1, wrap(title, TITLE_COLUMNS), size=11, weight="bold", va="top"),
                figure.text(0, 1, wrap(subtitle, NOTE_COLUMNS), size=9, color=GREY, va="top")]
        foot = [figure.text(0, 0, wrap(note, NOTE_COLUMNS), size=8.5, color=INK, va="top",
                            style="italic") for note in notes]
        top = sum(self.height_of(text) + GAP for text in head) + GAP
        legends = max([self.height_of(made) + GAP for _, made in self.legends], default=0)
        bottom = legends + sum(self.height_of(text) + GAP / 2 for text in foot) + GAP
        height = top + bottom + self.axes.shape[0] * self.panel_height
        figure.set_size_inches(WIDTH, height)
        self.fit(top, bottom, height)
        self.place(head, height - GAP, height)
        self.place_legends(bottom - GAP / 2, height)
        self.place(foot, bottom - GAP / 2 - legends, height)
        return figure

    def spare(self):
        """Returns the inches that labels need left, right, above and below, and between panels."""
        renderer, need = self.figure.canvas.get_renderer(), {}
        for axes in self.figure.axes:
            inner, outer = axes.get_window_extent(renderer), axes.get_tightbbox(renderer)
            spec = axes.get_subplotspec()
            for key, pixels in ((("left", spec.colspan.start), inner.x0 - outer.x0),
                                (("right", spec.colspan.start), outer.x1 - inner.x1),
                                (("above", spec.rowspan.start), outer.y1 - inner.y1),
                                (("below", spec.rowspan.start), inner.y0 - outer.y0)):
                need[key] = max(need.get(key, 0.0), pixels / self.figure.dpi)
        rows, columns = self.axes.shape
        between = (max([need["right", i] + need["left", i + 1] for i in range(columns - 1)],
                       default=0), max([need["below", i] + need["above", i + 1]
                                        for i in range(rows - 1)], default=0))
        return (need["left", 0], need["right", columns - 1], need["above", 0],
                need["below", rows - 1]), between

    def fit(self, top, bottom, height):
        """Gives the panels equal sizes in the space between title, legends and notes."""
        (left, right, above, below), (across, down) = self.spare()
        rows, columns = self.axes.shape
        across, down = across + 2 * GAP, down + GAP
        wide = (WIDTH - left - right - 2 * GAP - (columns - 1) * across) / columns
        high = (height - top - bottom - above - below - GAP - (rows - 1) * down) / rows
        self.figure.subplots_adjust(
            left=(left + GAP) / WIDTH, right=1 - (right + GAP) / WIDTH,
            top=1 - (top + above) / height, bottom=(bottom + below + GAP) / height,
            wspace=across / wide, hspace=down / high)

    def place(self, texts, y, height):
        for text in texts:
            text.set_position((0.012, y / height))
            y -= self.height_of(text) + GAP * (0.5 if text.get_style() == "italic" else 1)

    def place_legends(self, y, height):
        for column, made in self.legends:
            x = 0.012 if column is None else \
                max(0.012, self.axes[-1][column].get_position().x0 - 0.04)
            made.set_bbox_to_anchor((x, y / height), transform=self.figure.transFigure)
