"""Whether the ruler notices: results are spoilt and a contender ends the process, on purpose."""
import copy

WORK = "u8x3-100x100-dense-11x11"
SECONDS = 0.02


def run(job, make_run, plant):
    """The row of the small work with something planted."""
    job = copy.deepcopy(job)
    job.update(works=[WORK], threads=[1], seconds=SECONDS, plant=plant, deadline=None)
    session = make_run(job, lambda row: None)
    if not session.all() or len(session.rows) != 1:
        raise SystemExit(f"self-test: {plant}: no row")
    return session.rows[0]


def of(row, contender):
    return [peer for peer in row["peers"] if peer["contender"] == contender]


def problems(job, make_run):
    """What went unnoticed."""
    clean = run(job, make_run, None)
    names = sorted({peer["contender"] for peer in clean["peers"] if peer["ok"]})
    if not clean["ok"] or not names:
        yield "without anything planted, Swathe and a peer must be right"
        return
    print(f"self-test: right by themselves: Swathe, {', '.join(names)}")
    for name in names:
        row = run(job, make_run, name)
        if any(peer["ok"] for peer in of(row, name)):
            yield f"{name}: a wrong result was taken for right"
        if (row["best_peer"] or "").startswith(name):
            yield f"{name}: counted as the best peer with a wrong result"
        if not row["ok"]:
            yield f"{name}: spoilt Swathe's verdict"
    if run(job, make_run, "Swathe")["ok"]:
        yield "Swathe: a wrong result was taken for right"
    print(f"self-test: now {names[0]} ends the process, on purpose", flush=True)
    row = run(job, make_run, f"crash {names[0]}")
    if any(peer["ok"] for peer in of(row, names[0])) or not row["ok"]:
        yield f"{names[0]}: the process ended, and the row is not what it should be"


def main(job, make_run):
    found = list(problems(job, make_run))
    for problem in found:
        print(f"self-test: FAILED: {problem}")
    if not found:
        print("self-test: every planted fault was noticed")
    return 1 if found else 0
