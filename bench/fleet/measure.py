#!/usr/bin/env python3
"""Measures what an image costs in a fleet on this machine, and checks the model of capacity.py.

    measure.py --build BUILD --out DIR [--images 4000] [--runs 3]

Starts a NATS server and SeaweedFS, stores small JPEG images, and filters them with 1, 2, 4 and 8
workers that have 1 or 4 slots. The order is fixed: 1 and 2 workers calibrate the model, its
predictions for 4 and 8 are written to DIR/predictions.json, and only then 4 and 8 are measured.
DIR/comparison.md states how far the predictions are off. Use a machine that does nothing else:
every file states the CPU time of other processes. The defaults take about 25 minutes on two cores.

Needs nats-server and weed (on PATH, or $SWATHE_NATS_SERVER and $SWATHE_WEED).
"""
import argparse
import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import capacity
from fleet_processes import Servers, Watch, WorkerProcess, fleet_command

SERIES = (1, 4)  # slots of a worker
CALIBRATE, VALIDATE = (1, 2), (4, 8)
FIRST, LAST = 0.10, 0.75  # the part of the images that is timed: all workers are busy
DISTINCT = 48  # different images; the others are copies under other names
MOSAIC_EDGE = 4096


def picture(draw, width, height):
    """A PPM image with blocks and noise, so that its JPEG has a size like that of a photo."""
    size, rows = 3 * width, []
    mask = int.from_bytes(b"\x1f" * size, "little")
    for top in range(0, height, 16):
        blocks = b"".join(draw.randbytes(3) * 16 for _ in range(width // 16 + 1))[:size]
        base = bytes(value * 7 // 8 for value in blocks)  # 31 more still fit
        for _ in range(min(16, height - top)):
            noise = int.from_bytes(draw.randbytes(size), "little") & mask
            rows.append((int.from_bytes(base, "little") + noise).to_bytes(size, "little"))
    return b"P6 %d %d 255\n" % (width, height) + b"".join(rows)


def make_jpegs(swathe, folder, width, height):
    """Returns the bytes of DISTINCT JPEG images."""
    draw, made = random.Random(1), []
    for number in range(DISTINCT):
        ppm, jpeg = f"{folder}/{number}.ppm", f"{folder}/{number}.jpg"
        with open(ppm, "wb") as file:
            file.write(picture(draw, width, height))
        subprocess.run([swathe, "apply", "identity", ppm, jpeg, "--quality", "85"], check=True,
                       stdout=subprocess.DEVNULL)
        with open(jpeg, "rb") as file:
            made.append(file.read())
        os.unlink(ppm)
    return made


def measure_mosaic(swathe, folder, chain):
    """Returns what a pixel of a tiled TIFF costs: CPU seconds, and bytes read and written."""
    source, target = folder + "/mosaic.tif", folder + "/filtered.tif"
    with open(folder + "/mosaic.ppm", "wb") as file:
        file.write(picture(random.Random(2), MOSAIC_EDGE, MOSAIC_EDGE))
    words = ["--tile", "512", "--compression", "deflate", "--overwrite"]
    subprocess.run([swathe, "apply", "identity", folder + "/mosaic.ppm", source, *words], check=True,
                   stdout=subprocess.DEVNULL)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([swathe, "apply", chain, source, target, *words], check=True,
                   stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    pixels = MOSAIC_EDGE ** 2
    return {"cpu": (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / pixels,
            "read": os.path.getsize(source) / pixels, "written": os.path.getsize(target) / pixels}


def window(watch, images, seconds):
    """Samples at FIRST and LAST of the images. Raises if workers start too late."""
    end = time.monotonic() + seconds
    first = None
    while time.monotonic() < end:
        sample = watch.sample()
        done = sample["worker"]["images"]
        if first is None and sample["ready"] and done >= FIRST * images:
            first = sample
            if done > 0.5 * (FIRST + LAST) * images:
                raise RuntimeError("workers started too late; use more --images")
        if done >= LAST * images:
            return first, sample
        time.sleep(0.2)
    raise RuntimeError(f"{LAST:.0%} of the images were not done within {seconds} s")


def per_image(first, last, cores):
    """The costs of an image between two samples."""
    images = last["worker"]["images"] - first["worker"]["images"]
    seconds = last["time"] - first["time"]

    def change(*path):
        one, two = first, last
        for name in path:
            one, two = one[name], two[name]
        return (two - one) / images

    cost = {"rate": images / seconds, "images": images, "seconds": seconds,
            "cpu": {kind: change("cpu", kind) for kind in first["cpu"]},
            "jobs": change("worker", "jobs"), "requests": change("worker", "requests"),
            "read": change("worker", "read"), "written": change("worker", "written"),
            "messages": change("queue", "messages"), "queue_bytes": change("queue", "bytes")}
    used = sum(cost["cpu"].values())
    cost["busy"] = change("busy") * images / seconds / cores
    cost["other_busy"] = max(0.0, cost["busy"] - used * cost["rate"] / cores)
    return cost


def idle_cost(watch, workers, seconds):
    """CPU seconds and messages for each second of a worker without jobs, and of the store."""
    first = watch.sample()
    time.sleep(seconds)
    last = watch.sample()
    share = workers * (last["time"] - first["time"])
    return {"messages": (last["queue"]["messages"] - first["queue"]["messages"]) / share,
            "cpu_queue": (last["cpu"]["queue"] - first["cpu"]["queue"]) / share,
            "cpu_worker": (last["cpu"]["worker"] - first["cpu"]["worker"]) / share,
            "cpu_store": (last["cpu"]["store"] - first["cpu"]["store"]) * workers / share}


def run_once(options, servers, slots, workers, name):
    """One set with `workers` workers: submits it, measures in the middle, and ends the workers."""
    fleet_command(options.fleet, servers, "submit", options.chain, "--set", name, "--from",
                  "s3://swathe/in/", "--to", f"s3://swathe/out-{name}/", "--images-per-job",
                  str(options.images_per_job))
    started = [WorkerProcess(options.fleet, servers, name, f"w{number}", slots)
               for number in range(workers)]
    try:
        watch = Watch(servers, started)
        cost = per_image(*window(watch, options.images, options.limit), os.cpu_count())
        watch.wait_idle(options.limit)
        cost["idle"] = idle_cost(watch, workers, options.idle_seconds)
    finally:
        for worker in started:
            worker.end()
    stored = servers.stream_bytes(f"SWATHE_RESULTS_{name}")
    cost["stored"] = stored / options.images
    fleet_command(options.fleet, servers, "cancel", "--set", name, "--delete")
    return cost


def middle(runs):
    """The run with the median rate; `rates` has all."""
    ordered = sorted(runs, key=lambda run: run["rate"])
    chosen = dict(ordered[(len(runs) - 1) // 2])
    chosen["rates"] = [run["rate"] for run in runs]
    chosen["spread"] = (ordered[-1]["rate"] - ordered[0]["rate"]) / statistics.median(
        run["rate"] for run in runs)
    return chosen


def describe(options, slots, workers, runs):
    """The result of some runs, with what was run."""
    return {"workers": workers, "slots": slots, "cores": os.cpu_count(), "time": time.time(),
            "pixels": options.width * options.height, "chain": options.chain,
            "images_per_job": options.images_per_job, **middle(runs)}


def measure(options, servers, counts):
    for workers in counts:
        capacity.check_order(options.out, workers)
        for slots in SERIES:
            path = capacity.measured_path(options.out, slots, workers)
            if os.path.exists(path):
                print(f"{path}: exists, not measured again")
                continue
            runs = [run_once(options, servers, slots, workers, f"m{slots}-{workers}-{number}")
                    for number in range(options.runs)]
            cost = describe(options, slots, workers, runs)
            capacity.write_json(path, cost)
            print(f"{workers} workers with {slots} slots: {cost['rate']:.1f} images/s, "
                  f"{1000 * sum(cost['cpu'].values()):.2f} ms of CPU per image, other processes "
                  f"{cost['other_busy']:.0%}", flush=True)


def measure_large_jobs(options, servers):
    """Jobs with five times the images tell what the queue needs for a job and for an image."""
    large = argparse.Namespace(**{**vars(options), "images_per_job": 5 * options.images_per_job})
    runs = [run_once(large, servers, 4, 2, f"large-{number}") for number in range(options.runs)]
    capacity.write_json(os.path.join(options.out, "large-jobs.json"), describe(large, 4, 2, runs))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build directory with swathe and swathe-fleet")
    parser.add_argument("--out", required=True, help="directory of the results")
    parser.add_argument("--images", type=int, default=4000)
    parser.add_argument("--images-per-job", type=int, default=20)
    parser.add_argument("--runs", type=int, default=3, help="runs of each kind; the median counts")
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--height", type=int, default=384)
    parser.add_argument("--chain", default="sharpen")
    parser.add_argument("--idle-seconds", type=float, default=12)
    parser.add_argument("--limit", type=float, default=600, help="seconds of one run at most")
    parser.add_argument("--only", choices=("calibrate", "predict", "validate"))
    options = parser.parse_args()
    options.swathe = os.path.join(options.build, "cli", "swathe")
    options.fleet = os.path.join(options.build, "fleet", "swathe-fleet")
    for path in (options.swathe, options.fleet):
        if not os.path.exists(path):
            parser.error(f"{path} does not exist; build with -Dfleet=enabled")
    return options


def run_steps(options):
    os.makedirs(options.out, exist_ok=True)
    steps = [options.only] if options.only else ["calibrate", "predict", "validate"]
    with tempfile.TemporaryDirectory(prefix="swathe-measure-") as folder:
        if steps != ["predict"]:
            jpegs = make_jpegs(options.swathe, folder, options.width, options.height)
        for step in steps:
            if step == "predict":
                capacity.predict(options.out)
                continue
            with Servers(folder) as servers:
                servers.store_images("in/", jpegs, options.images)
                run_once(options, servers, 4, 2, "warm-up")  # caches and volumes of the store
                measure(options, servers, CALIBRATE if step == "calibrate" else VALIDATE)
                if step == "calibrate":
                    measure_large_jobs(options, servers)
            if step == "calibrate":
                capacity.write_json(os.path.join(options.out, "mosaic.json"),
                                    measure_mosaic(options.swathe, folder, options.chain))
    if "validate" in steps:
        print(capacity.compare(options.out))


def main():
    # As an exception, so that servers and workers are ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("measure.py: ended by a signal"))
    try:
        run_steps(arguments())
    except capacity.OrderError as error:
        sys.exit(f"measure.py: {error}")


if __name__ == "__main__":
    main()
