"""Prints rows as JSON lines, as progress messages, and as a Markdown table."""
import json
import platform
import sys

COLUMNS = ("task", "threads", "Swathe ms", "best peer", "ms", "speedup", "memcpy ms", "× memcpy",
           "nt copy ms", "× 1 thread", "FMA peak", "algorithm", "ok")


def show_json(row):
    print(json.dumps(row), flush=True)


def show_progress(row):
    threads = "1 thread" if row["threads"] == 1 else f"{row['threads']} threads"
    peer = f"{row['best_peer']} {number(row['best_peer_ms'])} ms" if row["best_peer"] else "no peer"
    print(f"peers: {row['work']}, {threads}: Swathe {number(row['swathe_ms'])} ms, {peer}",
          file=sys.stderr, flush=True)


def number(value, unit=""):
    """Formats a value with about three significant digits."""
    if value is None:
        return "–"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{digits}f}{unit}"


def cells(row):
    share = row.get("fma_share")
    return (row["work"], str(row["threads"]), number(row["swathe_ms"]), row["best_peer"] or "–",
            number(row["best_peer_ms"]), number(row["speedup"], " ×"), number(row["memcpy_ms"]),
            number(row["over_memcpy"]), number(row["nt_copy_ms"]),
            number(row["scaling"]) if row["threads"] > 1 else "",
            "" if share is None else f"{100 * share:.0f} %", row["swathe_how"] or "–",
            "yes" if row["ok"] else row.get("reason", "no"))


def cpu_model():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file
                     if line.startswith("model name")]
        return f"{names[0]}, {len(names)} CPUs"
    except (OSError, IndexError):
        return platform.processor() or platform.machine()


def left_out(rows):
    """Returns the implementations that did not count: {(name, reason): tasks}."""
    found = {}
    for row in rows:
        for peer in row["peers"]:
            if "reason" in peer:
                error = f", off by {number(peer['error'])}" if peer.get("error") else ""
                key = (f"{peer['contender']} {peer['way']}".strip(),
                       peer["reason"].removeprefix("skipped: ") + error)
                found.setdefault(key, []).append(row["work"])
    return found


def markdown(rows, versions, skipped):
    lines = [f"{cpu_model()}; {', '.join(versions)}.", "",
             "| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    notes = [f"- {name}: skipped in all tasks: {reason}" for name, reason in skipped.items()]
    for (name, reason), tasks in sorted(left_out(rows).items()):
        notes.append(f"- {name}: {reason} ({', '.join(dict.fromkeys(tasks))})")
    if notes:
        lines += ["", "Not counted:", "", *notes]
    return "\n".join(lines)
