#!/usr/bin/env python3
"""Runs the examples that the command prints: those of every filter (`swathe filters NAME`) and of
every command (`swathe help NAME`).

    examples_check.py SOURCE_DIR BUILD_DIR

They run in a directory with the files that they name, all created from the gallery's photo.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Examples that are not run, and the reasons.
SKIPPED = [(r"^swathe bench", "takes minutes"), (r"^swathe tune", "measures this machine"),
           (r"--device gpu|--device cpu,opencl", "needs a GPU"), (r"man -l", "needs a terminal"),
           (r"s3://", "needs a store")]
FILES = ["in.png", "in.tif", "photo.png", "photo.tif", "tile.png", "a.png", "b.tif", "a.jpg",
         "b.jpg", "photos/one.jpg", "photos/two.jpg"]


def run(command, folder, build):
    env = dict(os.environ, LC_ALL="C", SWATHE_WISDOM="off", HOME=folder,
               PATH=os.path.join(build, "cli") + os.pathsep + os.environ["PATH"])
    return subprocess.run(["sh", "-eu", "-c", command], cwd=folder, env=env, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


def prepare(source, folder, build):
    shutil.copy(os.path.join(source, "docs/gallery/photo.jpg"), folder)
    for name in ["photos", ".zfunc", ".local/share/bash-completion/completions",
                 ".config/fish/completions"]:
        os.makedirs(os.path.join(folder, name))
    for name in FILES:
        done = run(f"swathe apply identity photo.jpg {name} --region 300x200+0+0", folder, build)
        assert done.returncode == 0, done.stdout
    with open(os.path.join(folder, "list.txt"), "w", encoding="utf-8") as file:
        file.write("photos/one.jpg\nphotos/two.jpg\n")


def names(what, folder, build):
    listed = run(what, folder, build).stdout
    return re.findall(r"^ *([a-z][a-z-]*)(?= {2,}|[:\[])", listed, re.MULTILINE)


def examples(folder, build):
    for name in dict.fromkeys(names("swathe filters", folder, build)):
        text = run(f"swathe filters {name}", folder, build).stdout
        yield from re.findall(r"^ *example +(swathe .*(?:\n {10,}\S.*)*)", text, re.MULTILINE)
    for name in dict.fromkeys(names("swathe help", folder, build)):
        text = run(f"swathe help {name}", folder, build).stdout
        block = re.search(r"^Examples?:\n((?:  .*\n)+)", text, re.MULTILINE)
        if block:
            yield from re.findall(r"^  (swathe .*(?:\n {4,}\S.*)*)", block.group(1), re.MULTILINE)


def main(source, build):
    ran = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        prepare(source, folder, build)
        for text in list(examples(folder, build)):
            command = re.sub(r"\n +", " ", text)
            why = next((why for pattern, why in SKIPPED if re.search(pattern, command)), None)
            if why:
                print(f"skipped: {command} ({why})")
                continue
            for name in re.findall(r"\b(?:out|soft|slope|sharper)\.\w+", command):
                if os.path.exists(os.path.join(folder, name)):
                    os.remove(os.path.join(folder, name))
            done = run(command, folder, build)
            ran += 1
            # `compare` exits with 1 if images differ.
            if done.returncode != 0 and not (" compare " in command and done.returncode == 1):
                failed += 1
                print(f"FAILED: {command}\n{done.stdout}")
    print(f"{ran} examples ran, {failed} failed")
    return failed > 0 or ran < 25


sys.exit(main(*map(os.path.abspath, sys.argv[1:3])))
