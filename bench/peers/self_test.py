"""Checks that peers.py detects wrong results, crashes, and contenders that are not held to AVX2: it
plants them on purpose."""
import copy

import environment

TASK = "u8x3-100x100-dense-11x11"
SECONDS = 0.02


def run(job, make_run, plant, held=None):
    """Returns the row of a small task with the fault `plant` (None: no fault)."""
    job = copy.deepcopy(job)
    job.update(tasks=[TASK], held=held, threads=[1], seconds=SECONDS, plant=plant, deadline=None)
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


def held_problems(job, make_run):
    """Yields a message for each contender that is not held to AVX2, or that is accepted although it
    was left free on purpose."""
    names = {peer["contender"] for peer in run(job, make_run, None)["peers"]}
    row = run(job, make_run, None, "avx2")
    held_names = {peer["contender"] for peer in row["peers"]}
    print(f"self-test: held to AVX2: Swathe, {', '.join(sorted(held_names))}", flush=True)
    for name in sorted(names - held_names):
        yield f"{name}: cannot be held to AVX2"
    if not row["ok"] or not row["swathe_how"].endswith(("/avx2", "/sse4.1", "/scalar")):
        yield f"Swathe: not held to AVX2: {row['swathe_how']}"
    if not environment.cpu_exceeds_avx2():
        print("self-test: skipped: contenders that exceed AVX2 (this CPU does not)")
        return
    for peer in run(job, make_run, "free", "avx2")["peers"]:
        yield f"{peer['contender']}: exceeds AVX2, which was not detected"


def main(job, make_run):
    found = [*problems(job, make_run), *held_problems(job, make_run)]
    for problem in found:
        print(f"self-test: FAILED: {problem}")
    if not found:
        print("self-test: every planted fault was detected")
    return 1 if found else 0
