#!/usr/bin/env python3
"""Measures one large image by four workers that are killed, beside one 'swathe apply' process with as
many CPUs. For a machine that does nothing else; it needs disk space for about five times the image.

    SWATHE_WEED=weed large_mosaic.py BUILD [--size 40000] [--workers 4] [--kills 8]
                     [--places directory,s3] [--folder DIRECTORY]

Prints the times, the overhead, the peak memory of each worker, and whether the bytes are equal.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import fleet_run
import mosaic_run
from nats_fixture import NatsServer

MEMORY_MIB, OVERHEAD = 512, 0.25


def make_image(swathe, path, size):
    """Writes a tiled TIFF of a texture that compresses by about a half. Rows are made in groups, so
    that memory is bounded."""
    draw = random.Random(7)
    command = [swathe, "apply", "identity", "-", path, "--tile", "256", "--compression", "fast"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as child:
        child.stdin.write(b"P6 %d %d 255\n" % (size, size))
        pieces = [bytes(draw.choice((x // 7 % 256, draw.randrange(256))) for x in range(3 * 1024))
                  for _ in range(64)]
        for _ in range(size):
            row = b"".join(draw.choice(pieces) for _ in range(3 * size // len(pieces[0]) + 1))
            child.stdin.write(row[:3 * size])
        child.stdin.close()
    if child.returncode != 0:
        raise RuntimeError("the image could not be written")


class Watch(threading.Thread):
    """Records the peak memory of workers while they run."""

    def __init__(self, workers):
        super().__init__(daemon=True)
        self.workers, self.peaks, self.over = workers, {}, False

    def run(self):
        while not self.over:
            for worker in list(self.workers):
                peak = mosaic_run.peak_memory(worker.process.pid)
                self.peaks[worker.log_path] = max(peak, self.peaks.get(worker.log_path, 0))
            time.sleep(0.2)


def kill_some(fleet, workers, start, options):
    """Kills workers, spread over the time of the jobs of tiles."""
    total, killed = fleet.status()["jobs"], 0
    while killed < options.kills:
        done = fleet.status()["done"]
        if done >= total * (killed + 0.5) / (options.kills + 1):
            workers[killed % len(workers)].kill()
            workers[killed % len(workers)] = start()
            killed += 1
        time.sleep(0.5)


def measure(place, name, program, options, kills):
    """Returns the seconds, and the peak memory of each worker."""
    with NatsServer() as nats, fleet_run.Fleet(program, nats, name, place.environment) as fleet:
        begin = time.monotonic()
        fleet.submit(mosaic_run.CHAIN, place.url("source.tif"), place.url(name + ".tif"),
                     "--attempts", "100")
        numbers = iter(range(1000))

        def start():
            return fleet.start_worker(f"{name}-{next(numbers)}", "--allow", place.allow)

        workers = [start() for _ in range(options.workers)]
        watch = Watch(fleet.workers)
        watch.start()
        if kills:
            kill_some(fleet, workers, start, options)
        status = mosaic_run.wait(fleet, 36000)
        seconds = time.monotonic() - begin
        watch.over = True
        watch.join()
        print(f"  {status['done']} of {status['jobs']} jobs, {status['dead']} given up; results, "
              f"redelivered: {mosaic_run.statistics(fleet)}; worker seconds {status['seconds']:.0f}",
              flush=True)
    return seconds, [round(peak) for peak in watch.peaks.values()]


def apply(swathe, place, environment):
    """Seconds of one process, with the source and the target in the same place."""
    begin = time.monotonic()
    subprocess.run([swathe, "apply", mosaic_run.CHAIN, place.url("source.tif"),
                    place.url("expected.tif"), "--exact", "--overwrite"], check=True,
                   env={**os.environ, **environment})
    return time.monotonic() - begin


def check_place(checks, swathe, program, place, options):
    one = apply(swathe, place, place.environment)
    print(f"{place.name}: one process: {one:.1f} s", flush=True)
    for name, kills in (("undisturbed", False), ("kills", True)):
        seconds, peaks = measure(place, name, program, options, kills)
        overhead = seconds / one - 1
        print(f"{place.name}: {options.workers} workers, {options.kills if kills else 0} kills: "
              f"{seconds:.1f} s, overhead {100 * overhead:.0f} %, peak MiB {peaks}", flush=True)
        what = f"{place.name}, {name}: "
        if not kills:
            checks.that(overhead <= OVERHEAD, what + f"the overhead is at most {OVERHEAD:.0%}")
        checks.that(max(peaks) <= MEMORY_MIB, what + f"workers use at most {MEMORY_MIB} MiB")
        checks.that(place.digest("expected.tif") == place.digest(name + ".tif"),
                    what + "the bytes equal those of 'swathe apply'")
        left = place.others("expected.tif", "undisturbed.tif", "kills.tif")
        checks.that(not left, what + f"nothing else remains {left[:5]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--size", type=int, default=40000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--places", default="directory,s3")
    parser.add_argument("--folder", default=None, help="where the files are made")
    options = parser.parse_args()
    swathe, program = options.build + "/cli/swathe", options.build + "/fleet/swathe-fleet"
    checks = fleet_run.Checks(" ".join(sys.argv))
    folder = tempfile.mkdtemp(prefix="swathe-large-", dir=options.folder)
    os.environ["TMPDIR"] = folder
    tempfile.tempdir = folder
    try:
        original = folder + "/original.tif"
        make_image(swathe, original, options.size)
        print(f"{options.size} x {options.size}: {os.path.getsize(original) / 1e6:.0f} MB", flush=True)
        if "directory" in options.places:
            place = mosaic_run.LargeDirectory(folder + "/work", original)
            check_place(checks, swathe, program, place, options)
            shutil.rmtree(folder + "/work")
        if "s3" in options.places:
            import weed_server
            weed_server.skip_unless_installed()
            with weed_server.start("large") as weed:
                place = mosaic_run.LargeBucket(weed, "large", original)
                check_place(checks, swathe, program, place, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
