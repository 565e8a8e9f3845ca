#!/usr/bin/env python3
"""Compares images turned upright by `swathe apply identity --orient` with Pillow's exif_transpose.

    orient_pillow.py SWATHE

Exit status 77: Pillow is not installed.
"""
import os
import subprocess
import sys
import tempfile

try:
    from PIL import Image, ImageOps
except ImportError:
    print("skipped: Pillow (not installed)")
    sys.exit(77)

WIDTH, HEIGHT, ORIENTATION = 37, 22, 274
TOLERANCE = {"jpg": 6, "png": 0, "tif": 0}


def picture(mode):
    if mode == "I;16":
        samples = [1000 * (x % 11) + 37 * x + 211 * y for y in range(HEIGHT) for x in range(WIDTH)]
        data = b"".join(value.to_bytes(2, "little") for value in samples)
    else:
        channels = len(mode)
        data = bytes((3 * x + 5 * y + 40 * c) % 256 for y in range(HEIGHT) for x in range(WIDTH)
                     for c in range(channels))
    return Image.frombytes(mode, (WIDTH, HEIGHT), data)


def save(path, mode, orientation):
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    options = {"quality": 100, "subsampling": 0} if path.endswith("jpg") else {}
    picture(mode).save(path, exif=exif, **options)


def by_pillow(path, mode, orientation):
    if path.endswith("tif"):  # Pillow 13 rotates these on loading, but not all of them
        image = picture(mode)
        image.getexif()[ORIENTATION] = orientation
    else:
        image = Image.open(path)
    upright = ImageOps.exif_transpose(image)
    data = upright.tobytes()
    if mode == "I;16":
        return upright.size, [int.from_bytes(data[i:i + 2], "little")
                              for i in range(0, len(data), 2)]
    return upright.size, list(data)


def by_swathe(swathe, path, out):
    subprocess.run([swathe, "apply", "identity", path, out, "--overwrite", "--orient"], check=True)
    data = open(out, "rb").read()
    magic, width, height, highest, rest = data.split(None, 3)[:3] + data.split(None, 3)[3].split(
        b"\n", 1)
    size = int(width), int(height)
    assert magic in (b"P5", b"P6"), magic
    if int(highest) > 255:
        return size, [int.from_bytes(rest[i:i + 2], "big") for i in range(0, len(rest), 2)]
    return size, list(rest)


def difference(ours, theirs, tolerance):
    if ours[0] != theirs[0] or len(ours[1]) != len(theirs[1]):
        return f"size {ours[0]}, Pillow {theirs[0]}"
    most = max(abs(a - b) for a, b in zip(ours[1], theirs[1]))
    return f"samples off by {most}" if most > tolerance else ""


def main():
    checks, failed = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for mode, kind, orientation in [(m, k, o) for m in ("L", "RGB", "I;16") for k in TOLERANCE
                                        for o in range(1, 9) if (m, k) != ("I;16", "jpg")]:
            path = os.path.join(folder, f"it.{kind}")
            save(path, mode, orientation)
            ours = by_swathe(sys.argv[1], path, os.path.join(folder, "out.pnm"))
            said = difference(ours, by_pillow(path, mode, orientation), TOLERANCE[kind])
            checks += 1
            if said:
                failed.append(f"{kind} {mode} orientation {orientation}: {said}")
    for line in failed:
        print("FAILED:", line)
    print(f"orient_pillow: {checks} checks, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
