"""Checks that peers.py detects wrong results and crashes: it plants both on purpose."""
import copy

TASK = "u8x3-100x100-dense-11x11"
SECONDS = 0.02


def run(job, make_run, plant):
    """Returns the row of a small task with the fault `plant` (None: no fault)."""
    job = copy.deepcopy(job)
    job.update(tasks=[TASK], threads=[1], seconds=SECONDS, plant=plant, deadline=None)
    session = make_run(job, lambda row: None)
    if not session.all() or len(session.rows) != 1:
        raise SystemExit(f"self-test: planted fault {plant}: no result")
    return session.rows[0]


def of(row, contender):
    return [peer for peer in row["peers"] if peer["contender"] == contender]


def problems(job, make_run):
    """Yields a message for each planted fault that was not handled correctly."""
    clean = run(job, make_run, None)
    names = sorted({peer["contender"] for peer in clean["peers"] if peer["ok"]})
    if not clean["ok"] or not names:
        yield "without a planted fault, Swathe and at least one peer must be correct"
        return
    print(f"self-test: correct without a planted fault: Swathe, {', '.join(names)}")
    for name in names:
        row = run(job, make_run, name)
        if any(peer["ok"] for peer in of(row, name)):
            yield f"{name}: a wrong result was not detected"
        if (row["best_peer"] or "").startswith(name):
            yield f"{name}: counted as the best peer despite a wrong result"
        if not row["ok"]:
            yield f"{name}: its wrong result made the row of Swathe fail"
    if run(job, make_run, "Swathe")["ok"]:
        yield "Swathe: a wrong result was not detected"
    print(f"self-test: planting a crash of {names[0]}", flush=True)
    row = run(job, make_run, f"crash {names[0]}")
    if any(peer["ok"] for peer in of(row, names[0])) or not row["ok"]:
        yield f"{names[0]}: its crash was not handled: it counts as correct, or Swathe does not"


def main(job, make_run):
    found = list(problems(job, make_run))
    for problem in found:
        print(f"self-test: FAILED: {problem}")
    if not found:
        print("self-test: every planted fault was detected")
    return 1 if found else 0
