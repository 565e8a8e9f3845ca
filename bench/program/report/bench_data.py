"""What `swathe bench` wrote, read so that a field that is absent, null or no number is None."""
import json
import math
import os
import re

import number_words

FORMAT = "swathe-bench 2"
# Which of our scopes answers a published one. A CPU has nothing to transfer: see scope_of.
SCOPES = {"kernel": "kernel", "total": "transfer", "call": "call", "cpu": "kernel"}
SCOPE_WORDS = {"kernel": "kernel alone", "transfer": "with transfers", "call": "whole call",
               "first": "first call"}


class Unusable(Exception):
    """The input cannot be drawn; the message names the file and the way out."""


def number(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) else None


def dictionaries(value):
    """The entries of a list that are objects; anything else is left out."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def clean(value):
    """Without control characters, which names of files may hold and a terminal would obey."""
    if isinstance(value, str):
        return re.sub(r"[\x00-\x1f\x7f]", "?", value)
    if isinstance(value, list):
        return [clean(entry) for entry in value]
    return {key: clean(entry) for key, entry in value.items()} if isinstance(value, dict) else value


def load_text(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Unusable(f"{path}: {error}; make it with swathe bench --output DIR") from error


def load(folder):
    path = os.path.join(folder, "bench.json")
    try:
        document = json.loads(load_text(path))
    except (ValueError, RecursionError) as error:
        raise Unusable(f"{path}: not JSON ({error}); run swathe bench again") from error
    found = document.get("format") if isinstance(document, dict) else None
    if found != FORMAT:
        raise Unusable(f"{path}: its format is {found!r}, the known one is {FORMAT!r}; "
                       "use the version that wrote it")
    return Bench(clean(document))


def load_peers(folder):
    """Rows of bench/peers/peers.py --json; none when the file is not there."""
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
        listed = document.get("results")
        self.listed = listed if isinstance(listed, list) else []  # as published `ours` counts them
        self.results = dictionaries(self.listed)
        self.published = dictionaries(document.get("published"))
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

    def part(self, name):
        value = self.document.get(name)
        return value if isinstance(value, dict) else {}

    def device(self, name):
        """What its driver says; opencl is the first of that kind, gpu of any, and a real GPU goes
        before software."""
        fitting = [device for device in self.devices
                   if name in ("gpu", device.get("device"), str(device.get("device")).split(":")[0])]
        return max(fitting, key=lambda device: bool(device.get("gpu")), default={})

    def ours(self, published):
        """Our fastest on the same problem; None where none was timed."""
        index = published.get("ours")
        if not isinstance(index, int) or not 0 <= index < len(self.listed):
            return None
        found = self.listed[index]
        return found if isinstance(found, dict) and is_good(found) else None

    def results_of(self, experiment):
        return [result for result in self.results if result.get("experiment") == experiment.get("id")]

    def good_results(self, experiment):
        return [result for result in self.results_of(experiment) if is_good(result)]

    def published_of(self, experiment):
        return [result for result in self.published if result.get("experiment") == experiment.get("id")
                and positive(result.get("ms"))]


# ---- One result -------------------------------------------------------------------------------------

def positive(value):
    value = number(value)
    return value if value is not None and value > 0 else None


def is_good(result):
    return result.get("status") == "ok" and scope(result, "kernel") is not None


def scope(result, name):
    """A scope that has a time, or None."""
    scopes = result.get("scopes")
    found = scopes.get(name) if isinstance(scopes, dict) else None
    return found if isinstance(found, dict) and positive(found.get("median")) else None


def scope_of(result, name):
    """The same, but a result without transfers has the kernel's time with transfers."""
    if name == "transfer" and not on_gpu(result):
        name = "kernel"
    return scope(result, name)


def on_gpu(result):
    return result.get("device") not in (None, "cpu")


def pixels(result):
    width, height = positive(result.get("width")), positive(result.get("height"))
    return width * height if width and height else None


def family(result):
    """box:9 and box:11 are of the family box."""
    return str(result.get("filter") or "").split(":")[0] if "," not in str(result.get("filter")) \
        else str(result.get("filter"))


def size_text(result):
    return f"{result.get('width')} × {result.get('height')}"


def problem(result):
    """What must be the same for two times to be comparable."""
    return result.get("filter"), result.get("width"), result.get("height")


def interval(entry):
    """Median, low and high of a scope; where the interval is missing it is empty."""
    median = positive(entry.get("median"))
    low, high = positive(entry.get("low")), positive(entry.get("high"))
    return median, min(low or median, median), max(high or median, median)


def has_interval(result, names):
    """Whether all of these scopes that it has state one."""
    return all(positive(entry.get("low")) for name in names if (entry := scope(result, name)))


def interval_text(entry):
    """What stands in a table: a range, or why there is none."""
    low, high = positive(entry.get("low")), positive(entry.get("high"))
    if low and high:
        return f"{number_words.short(low)}–{number_words.short(high)}"
    return str(entry.get("no_interval") or "–")


def runs_text(result, entry):
    """How often it ran, beside how often the report says that its own did."""
    done = (number(entry.get("runs")) or 0) * (number(result.get("runs_per_sample")) or 1)
    stated = number(result.get("runs_stated"))
    return f"{done:.0f}" + (f" of {stated:.0f}" if stated else "")


def samples(entry):
    values = entry.get("samples")
    values = [positive(value) for value in values] if isinstance(values, list) else []
    return [value for value in values if value]


def rates(result, amount):
    """Mean and standard deviation of amount per second, over the samples of the kernel."""
    amount, entry = positive(result.get(amount)), scope(result, "kernel")
    if not amount or not entry:
        return None
    each = [amount / (1e6 * time) for time in samples(entry)]
    if len(each) < 2:
        middle = positive(entry.get("mean")) or positive(entry.get("median"))
        spread = (number(entry.get("sd")) or 0) / middle
        return amount / (1e6 * middle), amount / (1e6 * middle) * spread
    mean = sum(each) / len(each)
    return mean, math.sqrt(sum((one - mean) ** 2 for one in each) / (len(each) - 1))


def threads(result):
    return int(number(result.get("threads")) or 1)


def hardware(name):
    """A device's name without the maker and without the number of threads."""
    for word in ("NVIDIA ", "GeForce ", "Intel ", "AMD ", "(1 thread)"):
        name = str(name).replace(word, "")
    return name.replace("host CPU of the same system", "host CPU").strip()
