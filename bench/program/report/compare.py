"""`swathe bench compare`: compares two runs, contender by contender. Files are not trusted: missing,
mistyped or oversized values are errors."""
import json
import math
import sys
from collections import deque
from statistics import median

import bench_data
import estimates

OK, SLOWER, INPUT, LIMIT, IO, MEMORY, INTERNAL = 0, 1, 3, 4, 5, 6, 9  # exit codes
FILE_MOST, PART = 256 << 20, 1 << 20
RESULTS_MOST, SAMPLES_MOST = 20000, 1 << 20
TESTED_MOST = 200  # of longer lists, evenly spaced samples are used, so that no file takes hours
SIGNIFICANT = 0.05
NONE = "no difference seen"
VERDICTS = {NONE: "no_difference_seen", "faster": "faster", "slower": "slower",
            estimates.FEW: "too_few_runs", estimates.WIDE: "runs_differ_too_much"}
# Conditions under which times are comparable. The clock frequency changes all the time, and versions may
# differ: a comparison is often made between two of them.
FACTS = {"machine": ("cpu", "cpus", "caches", "system", "governor", "affinity", "huge_pages"),
         "build": ("compiler", "flags", "contract", "baseline_flags"),
         "settings": ("min_runs", "seconds", "visits", "cache", "memory", "transfer")}


class Refused(Exception):
    """An exit code and a message that names the file."""


# ---- A file ----------------------------------------------------------------------------------------

class Row:
    """A result that was timed, or not (`samples` is None)."""

    def __init__(self, path, place, result):
        self.path, self.place, self.samples, self.scope = path, place, None, None
        if not isinstance(result, dict):
            result = {}
        names = [self.field(result, name, "a string", str) for name in ("experiment", "problem", "contender")]
        self.name = bench_data.clean("{} {}, {}".format(*names))
        if self.field(result, "status", "a string", str) == "ok":
            scopes = result.get("scopes")
            scopes = scopes if isinstance(scopes, dict) else {}
            self.scope = "kernel" if isinstance(scopes.get("kernel"), dict) else "call"
            self.read(self.field({"scopes": scopes.get(self.scope)}, "scopes",
                                 'an object with "kernel" or "call"', dict))

    def field(self, found, name, wanted, kind):
        if not isinstance(found.get(name), kind):
            self.refuse(name, wanted)
        return found[name]

    def refuse(self, name, wanted):
        raise Refused(INPUT, f'{self.path}: result {self.place}: "{name}" is missing or not {wanted}')

    def read(self, scope):
        samples, visit = scope.get("samples"), scope.get("visit")
        if not isinstance(samples, list) or not 1 <= len(samples) <= SAMPLES_MOST:
            self.refuse("samples", f"a list of 1 to {SAMPLES_MOST} times")
        if not isinstance(visit, list) or len(visit) != len(samples):
            self.refuse("visit", "a list with one number for each sample")
        if not all(type(one) in (int, float) and 1e-9 <= one <= 1e12 for one in samples):
            self.refuse("samples", "a list of times from 1e-9 to 1e12 ms")
        if not all(type(one) is int and 0 <= one < 2 ** 31 for one in visit):
            self.refuse("visit", "a list of integers from 0")
        self.samples = samples
        count = min(len(samples), TESTED_MOST)
        chosen = [i * len(samples) // count for i in range(count)]
        self.visits = estimates.Visits([samples[i] for i in chosen], [visit[i] for i in chosen])


def load_document(path):
    try:
        with open(path, "rb") as file:
            text = bytearray()
            while len(text) <= FILE_MOST and (part := file.read(PART)):  # in parts: memory for what is there only
                text += part
    except OSError as error:
        raise Refused(IO, f"{path}: {error.strerror}") from error
    if len(text) > FILE_MOST:
        raise Refused(LIMIT, f"{path} is larger than {FILE_MOST >> 20} MiB; compare fewer experiments at a "
                             "time")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(INPUT, f"{path}: {error}") from error


class Run:
    """A bench.json file."""

    def __init__(self, path):
        self.path, document = path, load_document(path)
        document = document if isinstance(document, dict) else {}
        found = str(document.get("format") or "")[:40]
        if found != bench_data.FORMAT:
            raise Refused(INPUT, f'{path}: its format is "{bench_data.clean(found)}", not '
                                 f'"{bench_data.FORMAT}"; give a bench.json that this version of swathe bench '
                                 "--output wrote")
        results = document.get("results")
        if not isinstance(results, list) or len(results) > RESULTS_MOST:
            raise Refused(INPUT, f'{path}: "results" is missing or not a list of at most {RESULTS_MOST} '
                                 "entries")
        self.rows = sorted((Row(path, i + 1, result) for i, result in enumerate(results)),
                           key=lambda row: row.name)
        self.facts = {(part, name): fact_text(document.get(part), name)
                      for part, names in FACTS.items() for name in names}
        timed = [row.visits for row in self.rows if row.samples]
        drift = estimates.drift_of_all(timed)
        for visits in timed:
            visits.of_run = drift


def fact_text(part, name):
    value = part.get(name) if isinstance(part, dict) else None
    if isinstance(value, float):
        return f"{value:.6g}"
    known = isinstance(value, (str, int)) and not isinstance(value, bool)
    return bench_data.clean(str(value))[:512] if known else "not stated"


# ---- Changes ---------------------------------------------------------------------------------------

class Change:
    """A contender that both runs timed. `ratio` is after ÷ before."""

    def __init__(self, before, after):
        self.name, self.scope = before.name, before.scope
        self.counts = len(before.samples), len(after.samples)
        self.before_ms, self.after_ms = median(before.samples), median(after.samples)
        stated = estimates.summarise(before.visits, 1)
        self.stated = not stated["no_interval"]
        self.foreseen = self.stated and stated["low"] <= self.after_ms <= stated["high"]
        self.same = before.samples == after.samples  # a run does not differ from itself
        self.few = min(self.counts) < estimates.RUNS_LEAST
        self.ratio = self.low = self.high = self.after_ms / self.before_ms
        if not self.same and not self.few:
            self.ratio, self.low, self.high = estimates.compare_medians(before.visits, after.visits, 1)
        self.p = self.corrected = 1.0 if self.same else \
            estimates.permutation(before.visits.samples, after.visits.samples)

    def widen(self, results):
        """Widens the interval so that all intervals together hold in 19 of 20 cases. The factor is the
        quantile of the normal distribution for 0.05 ÷ results divided by that for 0.05, accurate to 2 %
        up to a thousand results."""
        factor = (self.high / self.ratio) ** math.sqrt(1 + math.log(results) / 2)
        self.low, self.high = self.ratio / factor, self.ratio * factor

    def verdict(self):
        """The test alone would also detect differences between two processes, such as their pages and
        the clock frequency. The interval allows for them. A wide interval allows a conclusion if it
        excludes 1."""
        if self.same:
            return NONE
        if self.few:
            return estimates.FEW
        if self.high > estimates.FACTOR_MOST ** 2 * self.ratio and self.low <= 1 <= self.high:
            return estimates.WIDE
        if self.corrected >= SIGNIFICANT or self.low <= 1 <= self.high:
            return NONE
        return "slower" if self.low > 1 else "faster"


def correct(changes):
    """Benjamini and Hochberg: of the results reported as different, at most one in twenty is expected to
    be a false positive."""
    least = 1.0
    ordered = sorted(changes, key=lambda change: change.p)
    for rank in range(len(ordered), 0, -1):
        least = min(least, ordered[rank - 1].p * len(ordered) / rank)
        ordered[rank - 1].corrected = least


class Comparison:
    """Two runs, the changes of what both timed, and what only one of them timed."""

    def __init__(self, before, after):
        self.before, self.after = before, after
        self.changes, self.alone = [], []  # alone: (row, "before" or "after")
        self.match(deque(before.rows), deque(after.rows))
        if not self.changes:
            raise Refused(INPUT, f"{before.path} and {after.path} have no timed result in common")
        correct(self.changes)
        for change in self.changes:
            change.widen(len(self.changes))
        self.changes.sort(key=lambda change: (-change.ratio, change.name))
        verdicts = [change.verdict() for change in self.changes]
        self.tally = {verdict: verdicts.count(verdict) for verdict in VERDICTS}
        self.stated = sum(change.stated for change in self.changes)
        self.foreseen = sum(change.foreseen for change in self.changes)
        self.doubts = [(*key, value, after.facts[key]) for key, value in before.facts.items()
                       if value != after.facts[key]]

    def match(self, a, b):
        """Both lists are sorted by name."""
        while a or b:
            one = a.popleft() if a and (not b or a[0].name <= b[0].name) else None
            other = b.popleft() if b and (one is None or b[0].name == one.name) else None
            if one and other and one.samples and other.samples and one.scope == other.scope:
                self.changes.append(Change(one, other))
            else:
                self.alone += [(row, when) for row, when in ((one, "before"), (other, "after"))
                               if row and row.samples]


# ---- Output ----------------------------------------------------------------------------------------

def percent(ratio):
    return 100 * (ratio - 1)


def print_people(found):
    for part, name, before, after in found.doubts:
        print(f"doubtful: {part} {name} differs: {before} before, {after} after")
    print(f"{'before ms':>10} {'after ms':>10}  {'change':>8}  {'interval':<18} {'p':>8}  {'verdict':<20}  "
          "contender")
    for change in found.changes:
        verdict, interval = change.verdict(), "none"
        if verdict not in (estimates.FEW, estimates.WIDE):
            interval = f"{percent(change.low):+.1f} to {percent(change.high):+.1f} %"
        print(f"{change.before_ms:10.4g} {change.after_ms:10.4g}  {percent(change.ratio):+6.1f} %  "
              f"{interval:<18} {change.corrected:8.2g}  {verdict:<20}  {change.name} ({change.scope})")
    for row, when in found.alone:
        print(f"only timed {when}: {row.name} ({row.scope})")
    tally = found.tally
    print(f"{tally['slower']} slower, {tally['faster']} faster, {tally[NONE]} with {NONE}, "
          f"{tally[estimates.FEW]} with {estimates.FEW}, {tally[estimates.WIDE]} whose {estimates.WIDE}, "
          f"{len(found.alone)} only in one file")
    print(f"{found.foreseen} of {found.stated} medians of the second run are in the interval of the first; "
          "without a change, 9 of 10 are expected")
    print(f"p-values (permutation test on medians) are corrected for {len(found.changes)} results by "
          "Benjamini-Hochberg, intervals (95 %) by Bonferroni. A result is faster or slower if p is below "
          "0.05 and the interval excludes 0.")


def print_json(found):
    changes = []
    for change in found.changes:
        verdict = change.verdict()
        left_open = verdict in (estimates.FEW, estimates.WIDE)
        changes.append({
            "contender": change.name, "scope": change.scope, "before_ms": change.before_ms,
            "after_ms": change.after_ms, "change_percent": percent(change.ratio),
            "low_percent": None if left_open else percent(change.low),
            "high_percent": None if left_open else percent(change.high),
            "p": change.p, "p_corrected": change.corrected, "verdict": verdict})
    told = {"before": found.before.path, "after": found.after.path,
            **{name: found.tally[verdict] for verdict, name in VERDICTS.items()},
            "stated_intervals": found.stated, "in_stated_interval": found.foreseen,
            "correction": "Benjamini-Hochberg",
            "doubtful": [dict(zip(("section", "name", "before", "after"), doubt)) for doubt in found.doubts],
            "changes": changes,
            **{f"only_{when}": [row.name for row, side in found.alone if side == when]
               for when in ("before", "after")}}
    print(json.dumps(told, indent=2, ensure_ascii=False))


def main(words):
    """Returns 0 if nothing became slower, 1 if something did, or another exit code after a message. An
    exception would end Python with 1."""
    before, after, as_json = words[0], words[1], words[2:] == ["--json"]
    try:
        found = Comparison(Run(before), Run(after))
        (print_json if as_json else print_people)(found)
        sys.stdout.flush()
        return SLOWER if found.tally["slower"] else OK
    except Refused as refused:
        code, text = refused.args
    except OSError as error:
        code, text = IO, str(error)
    except MemoryError:
        code, text = MEMORY, f"not enough memory to compare {before}"
    except Exception as error:  # pylint: disable=broad-except
        code, text = INTERNAL, f"cannot compare {before} and {after}: {error!r}; please report this"
    print(f"swathe: {bench_data.clean(text)}", file=sys.stderr)
    return code
