"""Checks of plots and pages; every function returns a list of problems."""
import itertools
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

UNIT = re.compile(r", ×|\b(ms|GB/s|GFLOP/s|Mpixel/s|FLOP/byte|megapixels|pixels)\b|\([^)]*name\)|"
                  r"\(scope, their hardware\)")
VOID = {"meta", "br", "link", "img", "hr", "input"}
TOUCH = 1.0  # pixels by which two boxes may overlap


# ---- Plots ---------------------------------------------------------------------------------------

def title(axes):
    return axes.get_title(loc="left")


def neighbours(axes, others, name):
    """Returns the axes whose label may be shared: those of the same row (for y) or column (for
    x)."""
    side = "x0" if name == "x" else "y0"
    place = getattr(axes.get_position(), side)
    return [other for other in others
            if abs(getattr(other.get_position(), side) - place) < 1e-3
            and getattr(other, f"get_{name}lim")() == getattr(axes, f"get_{name}lim")()]


def label_problems(figure):
    """Checks that every axis has a label with a unit, its own or a shared one."""
    found = []
    for axes, name in itertools.product(figure.axes, "xy"):
        labels = {getattr(other, f"get_{name}label")()
                  for other in neighbours(axes, figure.axes, name)} - {""}
        if not labels:
            found.append(f"panel {title(axes)!r}: its {name} axis has no label")
        found += [f"{label!r} names no unit" for label in sorted(labels) if not UNIT.search(label)]
    return found


def overlap(one, other):
    return (min(one.x1, other.x1) - max(one.x0, other.x0) > TOUCH
            and min(one.y1, other.y1) - max(one.y0, other.y0) > TOUCH)


def parts(figure, renderer):
    """Yields (name, box) of elements that must not overlap: panels with their labels, legends,
    texts."""
    for axes in figure.axes:
        yield f"panel {title(axes)!r}", axes.get_tightbbox(renderer)
    for number, legend in enumerate(figure.legends):
        yield f"legend {number}", legend.get_window_extent(renderer)
    for text in figure.texts:
        yield f"text {text.get_text()[:30]!r}", text.get_window_extent(renderer)


def overlap_problems(figure):
    renderer = figure.canvas.get_renderer()
    named = list(parts(figure, renderer))
    found = [f"{one} and {other} overlap" for (one, first), (other, second)
             in itertools.combinations(named, 2) if overlap(first, second)]
    page = figure.bbox
    return found + [f"{name} leaves the page" for name, box in named
                    if box.x0 < page.x0 - TOUCH or box.x1 > page.x1 + TOUCH
                    or box.y0 < page.y0 - TOUCH or box.y1 > page.y1 + TOUCH]


def shown_ticks(axis, renderer):
    low, high = sorted(axis.get_view_interval())
    return [tick.label1.get_window_extent(renderer) for tick in axis.get_major_ticks()
            if low <= tick.get_loc() <= high and tick.label1.get_visible()
            and tick.label1.get_text()]


def tick_problems(figure):
    """Finds numbers on an axis that overlap or are missing."""
    renderer, found = figure.canvas.get_renderer(), []
    for axes, name in itertools.product(figure.axes, "xy"):
        boxes = shown_ticks(getattr(axes, f"{name}axis"), renderer)
        if any(overlap(one, other) for one, other in itertools.combinations(boxes, 2)):
            found.append(f"panel {title(axes)!r}: numbers of its {name} axis overlap")
        if not boxes and not any(shown_ticks(getattr(other, f"{name}axis"), renderer)
                                 for other in neighbours(axes, figure.axes, name)):
            found.append(f"panel {title(axes)!r}: no number on its {name} axis")
    return found


def texts(axes, renderer):
    """Yields (words, box) of what is written in and around a panel, except tick labels out of view."""
    own = [one for one in axes.get_children() if hasattr(one, "get_text")]
    for one in own + [axes.xaxis.label, axes.yaxis.label]:
        if one.get_visible() and one.get_text():
            yield one.get_text(), one.get_window_extent(renderer)
    for name in "xy":
        yield from ((f"number of the {name} axis", box)
                    for box in shown_ticks(getattr(axes, f"{name}axis"), renderer))


def text_problems(figure):
    """Finds text that the edge of the picture would cut."""
    renderer, page = figure.canvas.get_renderer(), figure.bbox
    named = [pair for axes in figure.axes for pair in texts(axes, renderer)]
    named += [(one.get_text(), one.get_window_extent(renderer)) for one in figure.texts]
    named += [(one.get_text(), one.get_window_extent(renderer)) for legend in figure.legends
              for one in legend.get_texts()]
    return [f"text {words[:40]!r} is outside the picture" for words, box in named
            if box.x0 < page.x0 - TOUCH or box.x1 > page.x1 + TOUCH or box.y0 < page.y0 - TOUCH
            or box.y1 > page.y1 + TOUCH]


def line_problems(figure):
    """Finds lines that visit a place of the x axis twice: they join times of different problems."""
    found = []
    for axes in figure.axes:
        for line in axes.get_lines():
            x = list(line.get_xdata())
            if line.get_linestyle() != "None" and len(x) > 2 and any(a >= b for a, b in zip(x, x[1:])):
                found.append(f"panel {title(axes)!r}: a line visits an x twice")
    return found


def mark_problems(figure, software):
    """Checks that a plot with a software device marks it."""
    words = " ".join(text.get_text() for text in figure.texts)
    labels = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    labels += [label.get_text() for axes in figure.axes for label in axes.get_yticklabels()]
    labels += [title(axes) for axes in figure.axes]
    shown = [name for name in software if any(name in label for label in labels)]
    return [f"{name} is not marked" for name in shown if f"{name} is software" not in words]


def figure_problems(figure, software=()):
    figure.canvas.draw()
    return (label_problems(figure) + overlap_problems(figure) + tick_problems(figure)
            + mark_problems(figure, software) + text_problems(figure) + line_problems(figure))


def file_problems(path):
    """Checks that the SVG parses and contains its text as text, and that there is a PNG of the same
    name."""
    try:
        root = ElementTree.parse(f"{path}.svg").getroot()
    except (OSError, ElementTree.ParseError) as error:
        return [f"{path}.svg: {error}"]
    found = [] if root.tag.endswith("svg") else [f"{path}.svg: its root is {root.tag}"]
    if not any(node.tag.endswith("text") for node in root.iter()):
        found.append(f"{path}.svg: no text")
    try:
        with open(f"{path}.png", "rb") as file:
            if file.read(8) != b"\x89PNG\r\n\x1a\n":
                found.append(f"{path}.png: no PNG")
    except OSError as error:
        found.append(str(error))
    return found


# ---- The page --------------------------------------------------------------------------------------

class Page(HTMLParser):
    """Tracks open elements, names and references."""

    def __init__(self):
        super().__init__()
        self.open, self.problems, self.names, self.links = [], [], set(), set()

    def take(self, tag, attributes):
        for name, value in attributes:
            if name == "id" and value in self.names:
                self.problems.append(f"two elements are named {value}")
            if name == "id":
                self.names.add(value)
            if name in ("src", "srcset", "data", "action") or name == "href" and \
                    not (value or "").startswith("#"):
                self.problems.append(f"<{tag}> refers to {value}")
            if name == "href":
                self.links.add((value or "")[1:])

    def handle_starttag(self, tag, attrs):
        self.take(tag, attrs)
        if tag == "script":
            self.problems.append("there is a script")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.take(tag, attrs)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes nothing, line {self.getpos()[0]}")


def html_problems(text):
    page = Page()
    page.feed(text)
    page.close()
    found = page.problems + [f"<{tag}> is never closed" for tag in page.open]
    found += [f"#{name} does not exist" for name in sorted(page.links - page.names)]
    found += [f"{word} in the page" for word in ("http:", "https:", "url(http", "@import", "file:")
              if word in text]
    return found
