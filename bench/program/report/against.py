"""Pairs what reports published of GPUs with our best CPU time of the same problem."""
import bench_data
from bench_data import SCOPE_WORDS, SCOPES

MOST_CONSTANT_TAPS = 4096  # report 001's constant array
MOST_32_BITS = 2 ** 31


class Entry:
    """One problem: theirs is the fastest variant that was published for a device and scope."""

    def __init__(self, theirs, ours, scope):
        self.theirs, self.ours, self.scope = theirs, ours, scope
        self.experiment, self.hardware = theirs["experiment"], bench_data.hardware(theirs["device"])
        self.scope_words = SCOPE_WORDS[scope]
        self.their_ms = bench_data.positive(theirs["ms"])
        self.our_ms = bench_data.scope_of(ours, scope)["median"]
        self.ratio = self.our_ms / self.their_ms
        self.threads = bench_data.threads(ours)
        self.doubtful = is_doubtful(theirs)


def is_doubtful(row):
    """Report 001's mask of 121 × 121 does not fit into its constant array, and its indices of 32
    bits overflow on its largest image."""
    taps = (bench_data.number(row.get("k")) or 0) ** 2
    samples = (bench_data.pixels(row) or 0) * (bench_data.number(row.get("channels")) or 1)
    return row.get("report") == "001" and (taps > MOST_CONSTANT_TAPS or samples > MOST_32_BITS)


def same_problem(theirs, ours):
    if (theirs.get("width"), theirs.get("height")) != (ours.get("width"), ours.get("height")):
        return False
    return theirs.get("filter") == ours.get("filter")


def fastest_published(bench, experiment):
    """{(problem, device, our scope): row}."""
    found = {}
    for row in bench.published_of(experiment):
        scope = SCOPES.get(row.get("scope"))
        if not row.get("gpu") or not scope:
            continue
        key = (bench_data.problem(row), row.get("device"), scope)
        if key not in found or row["ms"] < found[key]["ms"]:
            found[key] = row
    return found


def our_fastest(rows, theirs, scope):
    """Of layouts and numbers of threads the fastest; all of them are our CPU's best strategy."""
    fitting = [row for row in rows if same_problem(theirs, row) and bench_data.scope_of(row, scope)]
    return min(fitting, key=lambda row: bench_data.scope_of(row, scope)["median"], default=None)


def entries(bench):
    found = []
    for experiment in bench.experiments:
        rows = [row for row in bench.good_rows(experiment)
                if row.get("device") == "cpu" and row.get("strategy") == "best"]
        for (_, _, scope), theirs in fastest_published(bench, experiment).items():
            ours = our_fastest(rows, theirs, scope)
            if ours:
                found.append(Entry(theirs, ours, scope))
    return found
