"""A column of the table in docs/performance.md: the rows of one processor, stored as a file of JSON in
columns/. Needs only the standard library."""
import glob
import json
import math
import os

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "columns")
# A row is good if Swathe is this much faster than the best peer: less where it is nearly a copy.
COPY_LIMIT, COPY_GOAL, GOAL = 1.15, 1.05, 1.1
KEPT = ("work", "swathe_ms", "swathe_median_ms", "best_peer", "best_peer_ms", "best_peer_median_ms",
        "memcpy_ms", "nt_copy_ms", "swathe_how")
# (vendor, family, model): the name that compilers have for the processor
X86 = {("GenuineIntel", 6, 60): "haswell", ("GenuineIntel", 6, 63): "haswell",
       ("GenuineIntel", 6, 79): "broadwell", ("GenuineIntel", 6, 94): "skylake",
       ("GenuineIntel", 6, 158): "skylake", ("GenuineIntel", 6, 85): "skylake-avx512",
       ("GenuineIntel", 6, 106): "icelake-server", ("GenuineIntel", 6, 140): "tigerlake",
       ("GenuineIntel", 6, 143): "sapphirerapids", ("GenuineIntel", 6, 207): "emeraldrapids",
       ("GenuineIntel", 6, 173): "graniterapids", ("GenuineIntel", 6, 151): "alderlake",
       ("GenuineIntel", 6, 154): "alderlake", ("GenuineIntel", 6, 183): "raptorlake",
       ("AuthenticAMD", 23, 1): "znver1", ("AuthenticAMD", 23, 49): "znver2",
       ("AuthenticAMD", 25, 1): "znver3", ("AuthenticAMD", 25, 33): "znver3",
       ("AuthenticAMD", 25, 17): "znver4", ("AuthenticAMD", 25, 97): "znver4",
       ("AuthenticAMD", 26, 2): "znver5", ("AuthenticAMD", 26, 68): "znver5"}
VENDORS = {"GenuineIntel": "intel", "AuthenticAMD": "amd"}  # of models that the table lacks
ARM = {"0xd0c": "neoverse-n1", "0xd40": "neoverse-v1", "0xd49": "neoverse-n2", "0xd4f": "neoverse-v2"}


def facts(text):
    """Returns what /proc/cpuinfo says about the first CPU."""
    lines = [line.split(":", 1) for line in text.split("\n\n")[0].splitlines() if ":" in line]
    return {key.strip(): value.strip() for key, value in lines}


def processor(text):
    """Returns the name of the kind of processor for the text of /proc/cpuinfo, such as cascadelake."""
    found = facts(text)
    if "vendor_id" not in found:
        return ARM.get(found.get("CPU part"), f"arm-{found.get('CPU part', 'unknown')}")
    key = found["vendor_id"], int(found["cpu family"]), int(found["model"])
    name = X86.get(key, f"{VENDORS.get(key[0], key[0].lower())}-{key[1]}-{key[2]}")
    if name == "skylake-avx512" and "avx512_vnni" in found["flags"].split():
        return "cascadelake"
    return name


def holds(level):
    """Returns what the rows can be held to on a processor of this level; None: nothing."""
    return {"amx": [None, "avx512", "avx2"], "avx512": [None, "avx2"]}.get(level, [None])


# ---- Files ---------------------------------------------------------------------------------------

def store(column, folder=FOLDER):
    """Writes a column with a line for each row, so that differences can be read."""
    os.makedirs(folder, exist_ok=True)
    head = {key: value for key, value in column.items() if key != "rows"}
    rows = ",\n".join(json.dumps(row) for row in column["rows"])
    text = json.dumps(head, indent=1, ensure_ascii=False)[:-2] + ',\n "rows": [\n' + rows + "\n]}\n"
    with open(os.path.join(folder, column["name"] + ".json"), "w", encoding="utf-8") as file:
        file.write(text)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def load_all(folder=FOLDER):
    """Returns all columns, in the order of their names."""
    return [load(path) for path in sorted(glob.glob(os.path.join(folder, "*.json")))]


def kept(row):
    """Returns what a column stores of a row of peers.py."""
    return {key: float(f"{row[key]:.4g}") if isinstance(row[key], float) else row[key]
            for key in KEPT if row.get(key) is not None}


def best(one, two):
    """Returns the best times of two measurements of a row."""
    row = {**one, **two}
    for key in KEPT:
        if key.endswith("_ms") and key in one and key in two:
            row[key] = min(one[key], two[key])
    for key, time in (("best_peer", "best_peer_ms"), ("swathe_how", "swathe_ms")):
        row[key] = min(one, two, key=lambda row: row[time])[key]
    return row


# ---- Figures -------------------------------------------------------------------------------------

def speedup(row):
    return row["best_peer_ms"] / row["swathe_ms"]


def over_copy(row):
    return row["swathe_ms"] / row["memcpy_ms"]


def goal(row):
    return COPY_GOAL if over_copy(row) <= COPY_LIMIT else GOAL


def geometric_mean(rows):
    return math.exp(sum(math.log(speedup(row)) for row in rows) / len(rows))


def lost(column):
    """Returns the rows in which a peer is faster."""
    return [row for row in column["rows"] if speedup(row) < 1]


def short(column):
    """Returns the rows that miss their goal, the worst first."""
    return sorted((row for row in column["rows"] if speedup(row) < goal(row)), key=speedup)
