#!/usr/bin/env python3
"""Runs the commands of "Five commands on a laptop" in docs/fleet.md as they stand there, in an empty
directory with some photos, and compares the results with those of 'swathe apply'. Only the port is
replaced.

    laptop_check.py SWATHE SWATHE_FLEET
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "fleet"))

import nats_fixture  # noqa: E402

PORT = "4222"
PHOTOS = 8


def commands():
    """The commands of the chapter's code block."""
    with open(os.path.join(HERE, "..", "..", "docs", "fleet.md"), encoding="utf-8") as file:
        chapter = file.read().split("## Five commands on a laptop\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\$ (.*)", chapter, re.MULTILINE)


def make_photos(folder):
    draw = random.Random(1)
    os.mkdir(folder + "/photos")
    for number in range(PHOTOS):
        with open(f"{folder}/photos/{number}.ppm", "wb") as file:
            file.write(b"P6 64 48 255\n" + draw.randbytes(64 * 48 * 3))


def environment(swathe, fleet, server):
    """Only the programs that the chapter names are found first on PATH."""
    paths = [os.path.dirname(os.path.abspath(path)) for path in (swathe, fleet, server)]
    return {**os.environ, "PATH": ":".join(paths + [os.environ["PATH"]])}


def run_all(lines, folder, variables):
    """Runs the commands one after another; the first one stays in the background. Returns problems."""
    server = subprocess.Popen(["bash", "-c", "exec " + lines[0].removesuffix("&")], cwd=folder, env=variables)
    try:
        time.sleep(1)
        for line in lines[1:]:
            done = subprocess.run(["bash", "-c", line], cwd=folder, env=variables, timeout=60,
                                  capture_output=True, text=True, check=False)
            print(f"{done.returncode}: {line}\n{done.stdout}", end="")
            if done.returncode != 0:
                return [f"'{line}' failed: {done.stderr.strip()}"]
    finally:
        server.send_signal(signal.SIGKILL)
        server.wait()
    return []


def differences(swathe, folder):
    for number in range(PHOTOS):
        name, own = f"{number}.ppm", f"{folder}/expected.ppm"
        subprocess.run([swathe, "apply", "sharpen", f"{folder}/photos/{name}", own, "--overwrite"],
                       check=True, stdout=subprocess.DEVNULL)
        path = f"{folder}/sharp/{name}"
        if not os.path.exists(path):
            yield f"sharp/{name} is missing"
            continue
        with open(path, "rb") as one, open(own, "rb") as two:
            if one.read() != two.read():
                yield f"sharp/{name} is not what 'swathe apply' writes"


def main():
    swathe, fleet = sys.argv[1:3]
    server = nats_fixture.find_server()
    if subprocess.run([fleet, "worker", "--help"], capture_output=True, check=False).returncode != 0:
        print("skipped: five commands on a laptop (this build has no 'swathe-fleet worker')")
        return 77
    port = str(nats_fixture.free_ports(1)[0])
    lines = [line.replace(PORT, port) for line in commands()]
    folder = tempfile.mkdtemp(prefix="swathe-laptop-")
    try:
        make_photos(folder)
        problems = run_all(lines, folder, environment(swathe, fleet, server))
        problems = problems or list(differences(os.path.abspath(swathe), folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if len(lines) != 5:
        problems.append(f"the chapter has {len(lines)} commands")
    for problem in problems:
        print("NOT OK:", problem)
    if problems:
        print("run it alone:", " ".join(sys.argv))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
