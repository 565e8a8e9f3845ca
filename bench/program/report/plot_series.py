"""Sorts the rows of an experiment into series (one line each) and facets (one panel each)."""
import bench_data

MOST_SERIES, MOST_PUBLISHED = 8, 2  # in one panel; beyond, devices have panels of their own
PANEL_ORDER = {"sequential": 0, "sequential-padded": 0, "sequential-products": 0, "openmp": 1,
               "openmp-products": 1, "best": 2}

# What may differ between rows that stand on one x, by name.
DIMENSIONS = {
    "type": lambda row: row.get("type"),
    "layout": lambda row: row.get("layout"),
    "border": lambda row: row.get("border"),
    "channels": lambda row: row.get("channels"),
    "filter": lambda row: row.get("filter"),
    "family": bench_data.family,
    "size": lambda row: (row.get("width"), row.get("height")),
}
HELD = {  # dimensions that make panels, by what is on the x axis
    "pixels": ("type", "layout", "border", "channels", "filter"),
    "k": ("type", "layout", "border", "channels", "family", "size"),
    "block": ("type", "layout", "border", "channels", "filter", "size"),
}
IN_PUBLISHED = ("filter", "family", "size", "channels")


def x_value(row, x):
    if x == "pixels":
        found = bench_data.pixels(row)
        return found / 1e6 if found else None
    return bench_data.positive(row.get(x))


def series_name(row, with_block, with_threads):
    name = str(row.get("strategy"))
    if with_block and row.get("block") and str(row["block"]) not in name:
        name += f":{row['block']}"
    if row.get("device") == "cpu" and with_threads and \
            not str(row.get("strategy")).startswith("sequential"):
        count = bench_data.threads(row)
        name += f", {count} thread" + ("s" if count > 1 else "")
    return f"{row.get('device')} {name}"


def published_name(row, with_block):
    variant = str(row.get("variant") or row.get("strategy")).replace(" (mask sweep)", "")
    if not with_block:
        variant = variant.rsplit(" ", 1)[0] if variant.split(" ")[-1].isdigit() else variant
    return f"{bench_data.hardware(row.get('device'))}: {variant.replace(' (tile sweep)', '')}"


def series_order(row):
    gpu = bench_data.on_gpu(row)
    return (gpu, str(row.get("device")), PANEL_ORDER.get(row.get("strategy"), 3 if gpu else 1),
            bench_data.threads(row))


class Series:
    """Rows that one line joins."""

    def __init__(self, name, group, published):
        self.name, self.group, self.published = name, group, published
        self.rows = []


def collect(rows, x):
    found = {}
    for row in sorted(rows, key=series_order):
        name = series_name(row, x != "block", True)
        series = found.setdefault(name, Series(name, row.get("device"), False))
        series.rows.append(row)
    return list(found.values())


def collect_published(rows, x):
    found = {}
    for row in sorted(rows, key=lambda row: bool(row.get("gpu"))):
        name = published_name(row, x != "block")
        found.setdefault(name, Series(name, "published", True)).rows.append(row)
    return list(found.values())


# ---- Facets ------------------------------------------------------------------------------------

class Facet:
    """The values of the dimensions that vary, which one panel shows."""

    def __init__(self, values):
        self.values = values  # dimension → value

    def holds(self, row):
        return all(DIMENSIONS[name](row) == value for name, value in self.values.items())

    def holds_published(self, row):
        return all(DIMENSIONS[name](row) == value for name, value in self.values.items()
                   if name in IN_PUBLISHED)

    def text(self, but=()):
        words = []
        for name, value in self.values.items():
            if name in but:
                continue
            if name == "size":
                words.append(f"{value[0]} × {value[1]}")
            else:
                words.append(f"{value} channels" if name == "channels" else str(value))
        return ", ".join(words)


def facets(rows, x):
    """One for each combination of what varies; one that holds everything when nothing does."""
    varying = [name for name in HELD[x]
               if len({DIMENSIONS[name](row) for row in rows}) > 1]
    keys = dict.fromkeys(tuple(DIMENSIONS[name](row) for name in varying) for row in rows)
    return [Facet(dict(zip(varying, key))) for key in keys]


def x_of(experiment):
    """Filters are panels, not an axis: within each, time goes over the size."""
    x = experiment.get("x")
    return x if x in HELD else "pixels"


def page_words(facets_of_page, all_facets):
    """Dimensions that have one value on a page but several in the experiment."""
    return [name for name in all_facets[0].values
            if len({facet.values[name] for facet in facets_of_page}) == 1]


def split(ours, published):
    """The groups that get columns of their own, or one that holds all."""
    groups = list(dict.fromkeys(series.group for series in ours))
    if len(ours) <= MOST_SERIES and len(published) <= MOST_PUBLISHED:
        return [ours + published]
    if len(ours) <= MOST_SERIES:
        return [ours, published]
    columns = [[series for series in ours if series.group == group] for group in groups]
    return columns + ([published] if published else [])
