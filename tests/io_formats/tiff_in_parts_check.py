#!/usr/bin/env python3
"""Checks that the example tiff_in_parts writes the same bytes as the command.

    tiff_in_parts_check.py EXAMPLE SWATHE
"""
import os
import subprocess
import sys
import tempfile


def sources(folder, swathe):
    """Yields paths of images of several types, with and without tiles and metadata."""
    for name, header, pixel in (("colour.ppm", b"P6 %d %d 255\n", 3), ("deep.pgm", b"P5 %d %d 65535\n", 2)):
        width, height = 301, 207
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(header % (width, height))
            file.write(bytes((i * i // 7 + i // 50) % 251 for i in range(width * height * pixel)))
        yield path
        tiled = path + ".tif"
        subprocess.run([swathe, "apply", "identity:type=f32", path, tiled, "--tile", "32"], check=True)
        yield tiled


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main(example, swathe):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        parts, whole = (os.path.join(folder, name) for name in ("parts.tif", "whole.tif"))
        for path in sources(folder, swathe):
            subprocess.run([example, path, parts], check=True)
            subprocess.run([swathe, "apply", "sharpen,gaussian:5", path, whole, "--overwrite", "--tile", "64"],
                           check=True)
            if read(parts) != read(whole):
                print(f"FAILED: {os.path.basename(path)}: other bytes; run {example} IN OUT on such a file")
                failed += 1
        missing = subprocess.run([example, os.path.join(folder, "missing"), parts], stderr=subprocess.PIPE, check=False)
        if missing.returncode != 1 or b"missing" not in missing.stderr:
            print("FAILED: no error for a missing file")
            failed += 1
    print(f"tiff_in_parts: {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
