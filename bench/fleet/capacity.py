#!/usr/bin/env python3
"""Predicts the throughput of fleets from measurements with 1 and 2 workers, and states what large
jobs need.

    capacity.py predict DIR     writes DIR/predictions.json for 4 and 8 workers; measure.py calls it
    capacity.py compare DIR     writes DIR/comparison.md: predictions against measurements
    capacity.py answer DIR      writes DIR/capacity.md and DIR/capacity.svg: what 10^9 images and a
                                mosaic of 10^12 pixels need; --set NAME=VALUE changes an assumption,
                                --list prints them

Predictions count only if they were made first: 'predict' refuses a directory with measurements of 4
or 8 workers, measure.py refuses to measure those without predictions, and 'compare' refuses
predictions whose calibration has changed.
"""
import argparse
import glob
import hashlib
import json
import math
import os
import sys
import time

import network_model

CALIBRATE, VALIDATE = (1, 2), (4, 8)
GOAL = 0.15
QUIET = 0.05  # CPU time of other processes, as a share of the machine


class OrderError(Exception):
    """Predictions and measurements are not in the order that makes them predictions."""


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1, sort_keys=True)
        file.write("\n")


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def measured_path(folder, slots, workers):
    return os.path.join(folder, f"measured-{slots}-slots-{workers}-workers.json")


def predictions_path(folder):
    return os.path.join(folder, "predictions.json")


def measurements(folder, counts):
    """All measurements with one of these numbers of workers, sorted by slots and workers."""
    found = [read_json(path) for path in glob.glob(os.path.join(folder, "measured-*.json"))]
    return sorted((one for one in found if one["workers"] in counts),
                  key=lambda one: (one["slots"], one["workers"]))


def digests(folder):
    """The checksums of the files that calibrate the model."""
    found = {}
    for one in measurements(folder, CALIBRATE):
        path = measured_path(folder, one["slots"], one["workers"])
        with open(path, "rb") as file:
            found[os.path.basename(path)] = hashlib.sha256(file.read()).hexdigest()
    return found


def check_predictions(folder):
    """Returns the predictions. Refuses those that another calibration made."""
    if not os.path.exists(predictions_path(folder)):
        raise OrderError(f"{predictions_path(folder)} does not exist: predict before you measure "
                         f"{VALIDATE} workers")
    made = read_json(predictions_path(folder))
    if made["calibration"] != digests(folder):
        raise OrderError(f"{folder}: measurements of {CALIBRATE} workers changed after the "
                         "predictions; start with an empty directory")
    return made


def check_order(folder, workers):
    """Refuses a measurement that comes too early or too late."""
    if workers in CALIBRATE:
        if os.path.exists(predictions_path(folder)):
            raise OrderError(f"{folder} has predictions already; start with an empty directory")
    else:
        check_predictions(folder)


# ---- Calibration ----------------------------------------------------------------------------------


def background(point, workers):
    """CPUs that servers and workers use even without jobs."""
    idle = point["idle"]
    return idle["cpu_store"] + workers * (idle["cpu_queue"] + idle["cpu_worker"])


def machine_rate(fit, slots, workers):
    """Images per second of workers with `slots` slots on the machine of the measurement."""
    delay, sequential = max(fit["wait"], 0.0), fit["cpu"] + min(fit["wait"], 0.0)
    cores = fit["cores"] - fit["store_idle"] - workers * fit["worker_idle"]
    return network_model.closed_rate(slots * workers, sequential, fit["cpu"], cores, delay)


def calibrate(points):
    """Returns the parameters that fit the measurements of 1 and 2 workers with equal slots: `cpu`,
    seconds of all processes for an image, with 2 workers; and `wait`, other seconds of an image.
    Negative: the store and the worker use the CPUs at the same time for one image."""
    last = points[-1]
    idle = background(last, last["workers"])
    fit = {"cpu": sum(last["cpu"].values()) - idle / last["rate"],
           "cores": last["cores"] * (1 - last["other_busy"]),
           "store_idle": last["idle"]["cpu_store"],
           "worker_idle": last["idle"]["cpu_queue"] + last["idle"]["cpu_worker"]}

    def excess(wait):
        return sum(math.log(machine_rate({**fit, "wait": wait}, point["slots"], point["workers"]) /
                            point["rate"]) for point in points)

    low, high = -0.95 * fit["cpu"], 1000 * fit["cpu"]
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return {**fit, "wait": high}


def predict(folder):
    """Writes the predictions for 4 and 8 workers."""
    if measurements(folder, VALIDATE):
        raise OrderError(f"{folder} has measurements of {VALIDATE} workers: too late to predict")
    if os.path.exists(predictions_path(folder)):
        raise OrderError(f"{predictions_path(folder)} exists: predictions are made once")
    points = measurements(folder, CALIBRATE)
    made = []
    for slots in sorted({point["slots"] for point in points}):
        own = [point for point in points if point["slots"] == slots]
        if [point["workers"] for point in own] != list(CALIBRATE):
            raise OrderError(f"{folder}: {slots} slots were not measured with {CALIBRATE} workers")
        fit = calibrate(own)
        made += [{"slots": slots, "workers": workers, "rate": machine_rate(fit, slots, workers),
                  "fit": fit} for workers in VALIDATE]
    if not made:
        raise OrderError(f"{folder} has no measurements")
    write_json(predictions_path(folder), {"made": time.time(), "calibration": digests(folder),
                                          "predictions": made})
    for one in made:
        print(f"predicted: {one['workers']} workers with {one['slots']} slots: "
              f"{one['rate']:.1f} images/s")


def compare(folder):
    """Returns a table of predictions and measurements, and writes it to comparison.md."""
    made = check_predictions(folder)
    rows, worst = [], 0.0
    for point in measurements(folder, CALIBRATE):
        rows.append((point, "calibration", ""))
    for one in made["predictions"]:
        path = measured_path(folder, one["slots"], one["workers"])
        if not os.path.exists(path):
            continue
        point = read_json(path)
        if point["time"] < made["made"]:
            raise OrderError(f"{path} is older than the predictions")
        error = one["rate"] / point["rate"] - 1
        worst = max(worst, abs(error))
        rows.append((point, f"{one['rate']:.1f}", f"{100 * error:+.1f} %"))
    lines = ["| slots | workers | predicted, images/s | measured, images/s | off | spread of runs | CPU "
             "per image, ms: worker, store, queue | other processes |", "|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for point, predicted, error in sorted(rows, key=lambda r: (r[0]["slots"], r[0]["workers"])):
        cpu = ", ".join(f"{1000 * point['cpu'][kind]:.2f}" for kind in ("worker", "store", "queue"))
        lines.append(f"| {point['slots']} | {point['workers']} | {predicted} | {point['rate']:.1f} | "
                     f"{error} | {100 * point['spread']:.0f} % | {cpu} | "
                     f"{100 * point['other_busy']:.0f} % |")
    lines += ["", f"The worst prediction is off by {100 * worst:.1f} %; the goal is {100 * GOAL:.0f} %."]
    noisy = sum(point["other_busy"] > QUIET for point, _, _ in rows)
    if noisy:
        lines += ["", f"Other processes used more than {100 * QUIET:.0f} % of the CPUs in {noisy} of "
                  f"{len(rows)} measurements: repeat them on a machine that does nothing else."]
    text = "\n".join(lines) + "\n"
    with open(os.path.join(folder, "comparison.md"), "w", encoding="utf-8") as file:
        file.write(text)
    return text


def main():
    import fleet_needs
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("predict", "compare", "answer"))
    parser.add_argument("folder")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--list", action="store_true", help="print the assumptions")
    options = parser.parse_args()
    try:
        if options.list:
            print(fleet_needs.assumptions_table(fleet_needs.assume(options.set)))
        elif options.command == "predict":
            predict(options.folder)
        elif options.command == "compare":
            print(compare(options.folder))
        else:
            fleet_needs.write_answers(options.folder, fleet_needs.assume(options.set))
    except (OrderError, ValueError) as error:
        sys.exit(f"capacity.py: {error}")


if __name__ == "__main__":
    main()
