#!/usr/bin/env python3
"""Checks the capacity model of bench/fleet: its arithmetic against closed forms and a simulation,
and that predictions must come before measurements.

    capacity_check.py
"""
import math
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "bench", "fleet"))

import capacity  # noqa: E402
import fleet_needs  # noqa: E402
import network_model  # noqa: E402
from network_model import Station  # noqa: E402


def repair_shop(machines, demand, servers, delay):
    """Rate of the machine-repairman model from its balance equations."""
    weights = [1.0]
    for broken in range(1, machines + 1):
        fail, repair = (machines - broken + 1) / delay, min(broken, servers) / demand
        weights.append(weights[-1] * fail / repair)
    total = sum(weights)
    return sum(weight / total * min(n, servers) / demand for n, weight in enumerate(weights))


def check_exact():
    """Mean value analysis equals the balance equations."""
    for machines, demand, servers, delay in ((1, 0.01, 2, 0.02), (5, 0.012, 2, 0.01), (40, 0.01, 2, 0.5)):
        expected = repair_shop(machines, demand, servers, delay)
        got = network_model.closed_rate(machines, demand, demand, servers, delay)
        yield math.isclose(got, expected, rel_tol=1e-9), f"{machines} slots: {got:.4f}, {expected:.4f}"


def check_simulation():
    """The approximation for many workers is within 10 % of the simulation, and below the limit."""
    for workers, slots in ((1, 4), (16, 8), (64, 8), (2000, 2)):
        stations = [Station("cpu", 0.010, 2), Station("link", 0.001), Station("queue", 0.0001, 1, True),
                    Station("store", 0.002, 8, True)]
        got, used = network_model.fleet_rate(stations, workers, slots, 0.03)
        images = max(20000, 5 * workers * slots)
        expected = network_model.simulate(stations, workers, slots, 0.03, images)
        yield abs(got / expected - 1) < 0.10, f"{workers} workers: {got:.1f}, simulated {expected:.1f}"
        yield (got <= network_model.ceiling(stations, workers)[0] * 1.000001 and
               max(used.values()) < 1.000001), f"{workers} workers: utilisation {used}"


def measurement(slots, workers, rate, time=1.0):
    return {"workers": workers, "slots": slots, "cores": 2, "time": time, "pixels": 1, "chain": "c",
            "images_per_job": 20, "rate": rate, "spread": 0.0, "other_busy": 0.0,
            "cpu": {"worker": 0.010, "store": 0.003, "queue": 0.0002}, "messages": 0.5, "requests": 2.0,
            "read": 60000.0, "written": 58000.0, "stored": 240.0,
            "idle": {"messages": 6.0, "cpu_queue": 0.0002, "cpu_worker": 0.0, "cpu_store": 0.0}}


def fill(folder, rate_of, counts=(1, 2)):
    for slots in (1, 4):
        for workers in counts:
            capacity.write_json(capacity.measured_path(folder, slots, workers),
                                measurement(slots, workers, rate_of(slots * workers), 2e9))


def simulated_machine(slots):
    """A machine whose store and worker use 13.2 ms of CPU for an image, which waits for 6 ms."""
    return network_model.simulate([Station("cpu", 0.0132, 2, True)], 1, slots, 0.006, 30000)


def check_predictions():
    """Calibrated with 1 and 2 workers of a simulated machine, 4 and 8 are predicted."""
    with tempfile.TemporaryDirectory() as folder:
        fill(folder, simulated_machine)
        capacity.predict(folder)
        for one in capacity.read_json(capacity.predictions_path(folder))["predictions"]:
            expected = simulated_machine(one["slots"] * one["workers"])
            yield abs(one["rate"] / expected - 1) < 0.05, (
                f"{one['workers']} workers with {one['slots']} slots: {one['rate']:.1f}, simulated "
                f"{expected:.1f}")


def refused(function, *words):
    try:
        function(*words)
    except capacity.OrderError:
        return True
    return False


def check_order():
    """Predictions come before measurements, once, and belong to their calibration."""
    with tempfile.TemporaryDirectory() as folder:
        fill(folder, lambda slots: 100.0)
        yield refused(capacity.check_order, folder, 4), "4 workers are not measured without predictions"
        yield not refused(capacity.check_order, folder, 1), "1 worker is measured without predictions"
        capacity.predict(folder)
        yield not refused(capacity.check_order, folder, 8), "8 workers are measured after predictions"
        yield refused(capacity.check_order, folder, 2), "no calibration after predictions"
        yield refused(capacity.predict, folder), "predictions are made once"
        fill(folder, lambda slots: 100.0, (4, 8))
        yield "goal" in capacity.compare(folder), "predictions are compared"
        noisy = capacity.read_json(capacity.measured_path(folder, 4, 8))
        capacity.write_json(capacity.measured_path(folder, 4, 8), {**noisy, "other_busy": 0.5})
        yield "in 1 of 8 measurements" in capacity.compare(folder), "a busy machine is noticed"
        fill(folder, lambda slots: 101.0)
        yield refused(capacity.compare, folder), "a changed calibration is noticed"
        os.unlink(capacity.predictions_path(folder))
        yield refused(capacity.predict, folder), "no predictions after measurements of 4 and 8 workers"


def cost():
    return {**measurement(4, 2, 140.0), "large_jobs": {
        **measurement(4, 2, 140.0), "images_per_job": 100,
        "cpu": {"worker": 0.010, "store": 0.003, "queue": 0.00008}}}


def check_needs():
    """Sums that can be done by hand."""
    assumed = fleet_needs.assume([])
    get, put, work = fleet_needs.images_money(cost(), assumed, 1e9)
    yield math.isclose(get, 400) and math.isclose(put, 5005), f"10^9 images: {get}, {put} dollars"
    yield math.isclose(work, 1e9 * 0.010 / 16 / 3600 * 0.714), f"10^9 images: {work} dollars of CPU"
    image, _ = fleet_needs.queue_cost(cost(), assumed)
    # (0.0002 - 0.00008) / (1/20 - 1/100) = 3 ms for a job; what is left is for the image
    own = 0.0002 - 2 * 0.0002 / 140
    yield math.isclose(image, own - 0.003 / 20 + 0.003 / 500), f"queue: {image} s for an image"
    workers = fleet_needs.workers_for(cost(), assumed, 20000)
    yield fleet_needs.fleet(cost(), assumed, workers)[0] >= 20000 > fleet_needs.fleet(
        cost(), assumed, workers - 1)[0], f"{workers} workers are just enough"
    # 64 jobs of 4 x 4 tiles with one more around: 36 of 16 tiles are read
    small = fleet_needs.assume(["mosaic_job=2048", "mosaic_tile=512", "mosaic_halo=10"])
    need = fleet_needs.mosaic({"cpu": 1e-7, "read": 1.0, "written": 1.0}, small, 2048 ** 2 * 64)
    yield need["jobs"] == 64 and need["read"] == 2048 ** 2 * 64 * (36 / 16 + 1), f"mosaic: {need}"
    yield need["part"] == 5 * 2 ** 20 and need["parts"] == 52, f"mosaic: {need}"


def check_page():
    """The page and its plot are written."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        print("skipped: the page of the capacity model (matplotlib is not installed)")
        return
    with tempfile.TemporaryDirectory() as folder:
        fill(folder, lambda slots: 100.0)
        capacity.write_json(folder + "/large-jobs.json", cost()["large_jobs"])
        capacity.write_json(folder + "/mosaic.json", {"cpu": 1e-7, "read": 1.8, "written": 1.9})
        fleet_needs.write_answers(folder, fleet_needs.assume([]))
        with open(folder + "/capacity.md", encoding="utf-8") as file:
            text = file.read()
        yield "| 10,000 |" in text and "nan" not in text, "the page has 10,000 workers"
        yield os.path.getsize(folder + "/capacity.svg") > 5000, "the plot is drawn"


CHECKS = (check_exact, check_simulation, check_predictions, check_order, check_needs, check_page)


def failures(check):
    found = [text for good, text in check() if not good]
    for text in found:
        print(f"NOT OK: {check.__name__}: {text}")
    return len(found)


def main():
    bad = sum(failures(check) for check in CHECKS)
    print(f"capacity model: {len(CHECKS)} checks, {bad} failures")
    if bad:
        print("run it alone:", os.path.abspath(sys.argv[0]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
