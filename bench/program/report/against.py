"""Published GPU times and our best CPU times of the same problems."""
import bench_data
from bench_data import SCOPE_WORDS, SCOPES


class Entry:
    """One problem: `theirs` is the fastest variant that a report published for a device and scope."""

    def __init__(self, theirs, ours):
        self.theirs, self.experiment = theirs, theirs["experiment"]
        self.hardware = bench_data.hardware(theirs["device"])
        self.scope_words = SCOPE_WORDS[SCOPES[theirs["scope"]]]
        self.their_ms = bench_data.positive(theirs["ms"])
        self.our_ms = bench_data.scope(ours, theirs["our_scope"])["median"]
        self.ratio = self.our_ms / self.their_ms
        self.threads = bench_data.threads(ours)
        self.doubtful = bool(theirs.get("doubtful"))


def entries(bench):
    found = {}
    for experiment in bench.experiments:
        for theirs in bench.published_of(experiment):
            ours = bench.ours(theirs)
            if theirs.get("scope") not in SCOPES or not theirs.get("gpu") or not ours or \
                    not bench_data.scope(ours, theirs.get("our_scope")):
                continue
            key = (experiment["id"], bench_data.problem(theirs), theirs.get("device"), theirs["scope"])
            if key not in found or theirs["ms"] < found[key].their_ms:
                found[key] = Entry(theirs, ours)
    return list(found.values())
