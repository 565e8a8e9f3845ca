#!/usr/bin/env python3
"""Measures how fast status, retry and audit read the results of a set, which are made up.

    read_results.py SWATHE_FLEET [--results 3000] [--images 100]
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/fleet"))

import fleet_run
import nats_fixture

SET = "read"
COMMANDS = (("status", "--json"), ("retry",), ("audit", "--audit", "0.0000001%"))


def result(identity, number, images):
    made = [{"key": f"{number:06}/{k:06}.jpg", "samples": 64 * "a", "bytes": 64 * "b", "size": 12345}
            for k in range(images)]
    return json.dumps({"v": 1, "set": identity, "id": number, "worker": "w", "generation": 0,
                       "attempt": 1, "kind": "images", "seconds": 1.0, "images": made},
                      separators=(",", ":")).encode()


def fill(url, options):
    """Publishes the results, and a record that says that as many jobs were submitted. Returns the
    bytes of the results."""
    identity, size = fleet_run.identity(url, SET), 0
    with nats_fixture.NatsClient(url, 60) as client:
        progress = json.loads(client.last("SWATHE_SETS", f"swathe.progress.{SET}"))
        progress |= {"jobs": options.results, "images": options.results * options.images}
        client.publish(f"swathe.progress.{SET}", json.dumps(progress).encode())
        for number in range(options.results):
            data = result(identity, number, options.images)
            size += len(data)
            client.send(f"PUB swathe.results.{SET}.w {len(data)}\r\n".encode() + data + b"\r\n")
            if number % 500 == 499:  # the server keeps up
                client.info(f"SWATHE_RESULTS_{SET}")
        while client.info(f"SWATHE_RESULTS_{SET}")["messages"] < options.results:
            time.sleep(0.2)
    return size


def measure(program, url, words):
    """Seconds and CPU seconds of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([program, *words, "--queue", url, "--set", SET], check=True,
                   stdout=subprocess.DEVNULL)
    spent, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("--results", type=int, default=3000)
    parser.add_argument("--images", type=int, default=100, help="of a result")
    options = parser.parse_args()
    images = options.results * options.images
    with nats_fixture.NatsServer() as server, tempfile.TemporaryDirectory() as folder:
        os.makedirs(folder + "/in")
        with open(folder + "/in/a.jpg", "wb"):
            pass
        subprocess.run([options.program, "submit", "sharpen", "--queue", server.url, "--set", SET,
                        "--from", folder + "/in/", "--to", folder + "/out/"], check=True)
        size = fill(server.url, options)
        for words in COMMANDS:
            spent, cpu = min(measure(options.program, server.url, words) for _ in range(3))
            print(f"{words[0]}: {options.results} results, {images} images, {size / 1e6:.0f} MB: "
                  f"{spent:.2f} s, {cpu:.2f} s of CPU; {images / spent:.0f} images/s, "
                  f"{size / 1e6 / spent:.0f} MB/s; 10^9 images: {1e9 / images * spent / 3600:.1f} h",
                  flush=True)


if __name__ == "__main__":
    main()
