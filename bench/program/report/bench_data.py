"""Reads the output of `swathe bench`, and the fields of results. A field that is missing, null or not a number is
None."""
import json
import math
import os
import re

FORMAT = "swathe-bench 4"
# Our scope for each scope of the reports. A CPU has no transfers: see scope_of.
SCOPES = {"kernel": "kernel", "total": "transfer", "call": "work", "cpu": "kernel"}
SCOPE_WORDS = {"kernel": "kernel alone (on a GPU by the device's clock)",
               "transfer": "kernel and copies (host's clock)",
               "work": "whole call without planning: allocation, gather, copies, kernels, scatter, release",
               "call": "whole call, with planning", "first": "first call, with opening the device and compiling"}
SCOPE_SHORT = {"kernel": "kernel alone", "transfer": "kernel and copies", "work": "call without planning",
               "call": "whole call", "first": "first call"}
PHASES = ("plan", "result", "allocate", "gather", "upload", "kernels", "download", "scatter", "release")
NO_GPU = "no GPU was measured; add --device"


class Unusable(Exception):
    """The input cannot be used; the message names the file and a remedy."""


def number(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) else None


def dictionaries(value):
    """Returns the entries of a list that are objects."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def clean(value):
    """Replaces control characters, which file names may contain, for output on a terminal."""
    if isinstance(value, str):
        return re.sub(r"[\x00-\x1f\x7f-\x9f]", "?", value)
    if isinstance(value, list):
        return [clean(entry) for entry in value]
    return {key: clean(entry) for key, entry in value.items()} if isinstance(value, dict) else value


def load_text(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Unusable(f"{path}: {error}; create it with swathe bench --output DIR") from error


def load(folder):
    path = os.path.join(folder, "bench.json")
    try:
        document = json.loads(load_text(path))
    except (ValueError, RecursionError) as error:
        raise Unusable(f"{path}: not JSON ({error}); run swathe bench again") from error
    found = document.get("format") if isinstance(document, dict) else None
    if found != FORMAT:
        raise Unusable(f"{path}: its format is {found!r}, not {FORMAT!r}; use the version of swathe "
                       "that wrote it")
    return Bench(clean(document))


def load_peers(folder):
    """Returns the rows of bench/peers/peers.py --json, or none if there is no such file."""
    path = os.path.join(folder, "peers.jsonl")
    if not os.path.exists(path):
        return []
    try:
        return dictionaries([json.loads(line) for line in load_text(path).splitlines() if line])
    except ValueError as error:
        raise Unusable(f"{path}: not JSON lines ({error}); run peers.py --json again") from error


class Bench:
    """One bench.json."""

    def __init__(self, document):
        self.document = document
        self.results = dictionaries(document.get("results"))
        self.published, self.drift = [], 0.0  # filled by derive.py
        self.devices = [device for back_end in dictionaries(document.get("devices"))
                        for device in dictionaries(back_end.get("devices"))]
        self.peaks = dictionaries(document.get("peaks"))
        self.warnings = [str(text) for text in document.get("warnings") or []]
        asked = dict.fromkeys(result.get("device") for result in self.results if on_gpu(result))
        self.asked = {name: self.device(str(name)) for name in asked}
        self.software = {name for name, device in self.asked.items() if device.get("gpu") is False}
        self.experiments = dictionaries(document.get("experiments"))
        known = {experiment.get("id") for experiment in self.experiments}
        for name in dict.fromkeys(result.get("experiment") for result in self.results):
            if name not in known:
                self.experiments.append({"id": name, "title": str(name), "x": "pixels",
                                         "plots": ["time"]})
        self.tell_ways()

    def tell_ways(self):
        """Says how a strategy added and held planes, in results of an experiment that differ in it."""
        found = {}
        for result in self.results:
            key = result.get("experiment"), result.get("device"), result.get("strategy")
            way = str(result.get("arithmetic") or "contract"), str(result.get("held") or "plain")
            found.setdefault(key, {}).setdefault(way, []).append(result)
        for ways in found.values():
            differ = [len(set(words)) > 1 for words in zip(*ways)]
            for number, (way, results) in enumerate(ways.items()):
                for result in results:
                    result["way"] = ", ".join(word for word, told in zip(way, differ) if told)
                    result["way_number"] = number

    def part(self, name):
        value = self.document.get(name)
        return value if isinstance(value, dict) else {}

    def device(self, name):
        """Returns what the driver reports about a device. `opencl` is the first OpenCL device, `gpu`
        the first of any kind; a real GPU precedes software."""
        fitting = [device for device in self.devices
                   if name in ("gpu", device.get("device"), str(device.get("device")).split(":")[0])]
        return max(fitting, key=lambda device: bool(device.get("gpu")), default={})

    def device_words(self, name):
        return f"{name} (software)" if name in self.software else str(name)

    def peak_of(self, device, threads):
        """Returns the measured peaks of a device, or of this number of CPU threads."""
        return next((peak for peak in self.peaks if (peak.get("device") or "cpu") == device and
                     (device != "cpu" or peak.get("threads") == threads)), {})

    def results_of(self, experiment):
        return [result for result in self.results if result.get("experiment") == experiment.get("id")]

    def good_results(self, experiment):
        return [result for result in self.results_of(experiment) if is_good(result)]

    def published_of(self, experiment):
        return [times for times in self.published if times["experiment"] == experiment.get("id")]


# ---- One result -------------------------------------------------------------------------------------

def positive(value):
    value = number(value)
    return value if value is not None and value > 0 else None


def is_good(result):
    return result.get("status") == "ok" and scope(result, "kernel") is not None


def scope(result, name):
    """Returns a scope that has a time, or None."""
    scopes = result.get("scopes")
    found = scopes.get(name) if isinstance(scopes, dict) else None
    return found if isinstance(found, dict) and positive(found.get("median")) else None


def scope_of(result, name):
    """The same, but on a CPU, which has no transfers, `transfer` is the kernel."""
    if name == "transfer" and not on_gpu(result):
        name = "kernel"
    return scope(result, name)


def on_gpu(result):
    return result.get("device") not in (None, "cpu")


def sums_floats(result):
    """True if every operation is one of f32, so that the peak of multiply-adds bounds it."""
    reports = str(result.get("arithmetic")).startswith("report-")
    return (reports or result.get("type") == "f32") and not result.get("effective")


def pixels(result):
    width, height = positive(result.get("width")), positive(result.get("height"))
    return width * height if width and height else None


def family(result):
    """Returns the filter without its mask size: box for box:9 and box:11."""
    text = str(result.get("filter") or "")
    return text if "," in text else text.split(":")[0]


def size_text(result):
    return f"{result.get('width')} × {result.get('height')}"


def problem(result):
    """Returns what must be equal for two times to be comparable."""
    return result.get("filter"), result.get("width"), result.get("height")


def interval(entry):
    """Returns median, low and high of a scope; without an interval, all are the median."""
    median = positive(entry.get("median"))
    low, high = positive(entry.get("low")), positive(entry.get("high"))
    return median, min(low or median, median), max(high or median, median)


def interval_text(entry):
    """Returns the interval as text, or the reason why there is none."""
    low, high = positive(entry.get("low")), positive(entry.get("high"))
    if low and high:
        return f"{short(low)}–{short(high)}"
    return str(entry.get("no_interval") or "–")


def runs_text(result, entry):
    """Returns the number of runs and, if the report states one, its number."""
    done = (number(entry.get("runs")) or 0) * (number(result.get("runs_per_sample")) or 1)
    stated = number(result.get("runs_stated"))
    return f"{done:.0f}" + (f" of {stated:.0f}" if stated else "")


def is_best(result):
    """True for the strategy that Swathe chooses itself."""
    return str(result.get("strategy")).split(":", maxsplit=1)[0] == "best"


def not_timed(result):
    """Returns the status of a result without times, and the reason."""
    why = result.get("why")
    return f"{result.get('status')}: {why}" if why else str(result.get("status"))


def threads(result):
    return int(number(result.get("threads")) or 1)


def hardware(name):
    """Returns the name of a device without its vendor and number of threads."""
    for word in ("NVIDIA ", "GeForce ", "Intel ", "AMD ", "(1 thread)"):
        name = str(name).replace(word, "")
    return name.replace("host CPU of the same system", "host CPU").strip()


# ---- Numbers as text --------------------------------------------------------------------------------

def short(value, unit=""):
    """Returns a number with three significant digits."""
    if value is None:
        return "–"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f}{unit}" if value >= 1 or value == 0 else f"{value:#.3g}{unit}"


def plain(value, _=None):
    """Returns the label of a tick, without an exponent if it is short."""
    if value >= 1e6 or 0 < value < 1e-4:
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")
    return f"{value:,.10g}".replace(",", "\u202f")
