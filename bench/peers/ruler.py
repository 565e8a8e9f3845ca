#!/usr/bin/env python3
"""Measures every task on this processor, and writes the tables of docs/performance.md and README.md.

    ruler.py                 measures, stores and writes: adds or replaces this processor's columns
    ruler.py --tables        only writes the tables again, from the stored columns
    ruler.py --report NAME…  prints every row of stored columns, the worst first

A column is the processor with all of its instruction sets. On a processor with AVX-512 there is another
one with every contender held to AVX2, on one with AMX a third without matrix units. Columns are stored in
bench/peers/columns, one file each. The library is found as by peers.py. A column takes ten to fifteen
minutes.

Exit status: 0 if every result is ok, 1 if one is not, 2 if not every task could be measured, 3 if the
virtual environment could not be created.
"""
import argparse
import datetime
import os
import subprocess
import sys

import column
import environment
import figures

SECONDS, ROW_SECONDS = 0.12, 2.0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="TASK", action="append", default=[],
                        help="measure only tasks whose name contains TASK again; may be repeated")
    parser.add_argument("--missing", action="store_true",
                        help="measure only tasks that the stored column does not have")
    parser.add_argument("--again", action="store_true",
                        help="measure stored rows once more, and keep the best times of each: others "
                             "may disturb a machine for seconds")
    parser.add_argument("--hold", choices=("native", *environment.HOLDS), action="append",
                        help="measure only this column; may be repeated")
    parser.add_argument("--threads", type=int, default=1, help="1, or more for columns of their own")
    parser.add_argument("--row-seconds", type=float, default=ROW_SECONDS, metavar="S",
                        help="most seconds of timing for a row, beyond one sample of each "
                             f"implementation; default {ROW_SECONDS}")
    parser.add_argument("--stop-after", type=float, metavar="S",
                        help="end after the first row of a column that is complete S seconds after its "
                             "start; --missing goes on there")
    parser.add_argument("--build", metavar="DIR", help="directory with libswathe.so, if SWATHE_PREFIX "
                        "is not set")
    parser.add_argument("--columns", metavar="DIR", default=column.FOLDER,
                        help="store columns in DIR; tables are written for the usual place only")
    parser.add_argument("--tables", action="store_true", help="only write the tables")
    parser.add_argument("--report", metavar="NAME", nargs="+", help="only print these columns")
    return parser.parse_args()


def commit():
    done = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=environment.HERE, text=True,
                          capture_output=True, check=False)
    return done.stdout.strip() or "unknown"


def earlier_rows(name, folder, version):
    """Returns the stored rows of a column, {task: row}, to measure some of them again."""
    path = os.path.join(folder, name + ".json")
    if not os.path.exists(path):
        return {}
    stored = column.load(path)
    if stored["commit"] != version:
        raise SystemExit(f"ruler: {name} was measured at {stored['commit']}, this is {version}: "
                         "measure all tasks, without --only, --missing and --again")
    return {row["work"]: row for row in stored["rows"]}


def cpu_text():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return file.read()


def name_of(level, threads):
    return f"{column.processor(cpu_text())}-{level}" + (f"-{threads}-threads" if threads > 1 else "")


def new_column(options, held, folder):
    import swathe_contender
    import table
    level = held or swathe_contender.Swathe(folder).level()
    made = {"name": name_of(level, options.threads), "processor": column.processor(cpu_text()),
            "model": table.cpu_model(), "level": level, "threads": options.threads,
            "date": datetime.date.today().isoformat(), "commit": commit()}
    again = options.only or options.missing or options.again
    return made, earlier_rows(made["name"], options.columns, made["commit"]) if again else {}


def measure(options, held, folder):
    """Measures the rows of a column, and stores it after every row. Returns the exit status."""
    import peers
    import table
    import tasks
    order = [task.name for task in tasks.all_tasks()]
    made, rows = new_column(options, held, folder)
    names = [task.name for task in tasks.select(options.only, False)
             if not (options.missing and task.name in rows)]
    job = {"tasks": names, "threads": [options.threads], "folder": folder, "plant": None, "avoid": {},
           "seconds": SECONDS, "deadline": None, "left": None, "held": held,
           "row_seconds": options.row_seconds, "stop_after": options.stop_after}

    def keep(row):
        table.show_progress(row)
        if row["ok"]:
            kept = column.kept(row)
            earlier = rows.get(row["work"], kept) if options.again else kept
            rows[row["work"]] = column.best(earlier, kept)
            made["rows"] = sorted(rows.values(), key=lambda row: order.index(row["work"]))
            made["peers"] = [text for text in run.versions if not text.startswith("Swathe")]
            column.store(made, options.columns)
        else:
            print(f"ruler: {row['work']}: {row['reason']}", file=sys.stderr)
    run = peers.Run(job, keep)
    complete = not names or (run.all() and not run.left)
    if "rows" in made:
        print(figures.report(made, column.short(made)), flush=True)
    return 2 if not complete else 0 if all(row["ok"] for row in run.rows) else 1


def measure_all(options):
    """Measures all columns of this processor. Returns the exit status."""
    import swathe_contender
    os.environ["SWATHE_WISDOM"] = "off"
    folder = swathe_contender.folder(options.build)
    worst = 0
    for held in column.holds(swathe_contender.Swathe(folder).level()):
        if options.hold and (held or "native") not in options.hold:
            continue
        worst = max(worst, measure(options, held, folder))
        if worst == 2:
            break
    return worst


def main():
    options = arguments()
    if options.report:
        for name in options.report:
            made = column.load(os.path.join(options.columns, name + ".json"))
            print(figures.report(made, made["rows"]))
        return 0
    status = 0
    if not options.tables:
        environment.enter()
        status = measure_all(options)
    if options.columns == column.FOLDER:
        figures.write()
    return status


if __name__ == "__main__":
    sys.exit(main())
