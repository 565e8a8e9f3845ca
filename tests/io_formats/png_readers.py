#!/usr/bin/env python3
"""Checks that all other installed readers decode the original pixels from Swathe's PNG files, of
every kind and compression.

    png_readers.py SWATHE
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

WIDTH = 613
# (suffix, magic, channels, bytes a sample, height): most have several segments of 1 MiB.
KINDS = [("grey", b"P5", 1, 1, 2600), ("grey16", b"P5", 1, 2, 1200), ("rgb", b"P6", 3, 1, 900),
         ("rgb16", b"P6", 3, 2, 500), ("rgba", b"P7", 4, 1, 700), ("small", b"P6", 3, 1, 5)]
LEVELS = ["fast", "default", "small", "0", "1"]


def samples(channels, size, height):
    """Returns big-endian samples: gradients with a repeating pattern in one half and noise in the
    other."""
    out, state = bytearray(), 1
    for y in range(height):
        for x in range(WIDTH):
            state = (state * 1103515245 + 12345) & 0x7fffffff
            noise = state >> 24 if y % 400 > 200 else (x % 29) * (y % 7) // 3
            for c in range(channels):
                value = (x // 3 + y // 2 + c * 40 + noise) % 256
                out += bytes([value]) if size == 1 else struct.pack(">H", value * 256 + noise)
    return bytes(out)


def header(magic, channels, size, height):
    most = 256 ** size - 1
    if magic == b"P7":
        return (b"P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
                % (WIDTH, height, channels, most))
    return b"%s\n%d %d\n%d\n" % (magic, WIDTH, height, most)


# ---- Readers: each returns the big-endian samples of a file --------------------------------------


def with_pillow(path, channels, size):
    from PIL import Image
    import numpy
    with Image.open(path) as image:
        image.load()
        array = numpy.asarray(image)
    if size == 2 and channels > 1:
        return None  # Pillow keeps the high bytes only
    return array.astype(">u2" if size == 2 else "u1").tobytes()


def with_opencv(path, channels, size):
    import cv2
    array = cv2.imread(path, cv2.IMREAD_UNCHANGED)
    if channels >= 3:
        array = array[..., [2, 1, 0, 3][:channels]]
    return array.astype(">u2" if size == 2 else "u1").tobytes()


def through(command):
    def read(path, channels, size):
        form = {1: "gray", 3: "rgb", 4: "rgba"}[channels]
        done = subprocess.run(command + [path, "-depth", str(8 * size), "-endian", "MSB",
                                         form + ":-"], capture_output=True, check=True)
        return done.stdout
    return read


def with_pngcheck(path, channels, size):
    subprocess.run(["pngcheck", "-q", path], check=True, capture_output=True)


def readers():
    """Yields (name, function) of the installed readers, and prints which are missing."""
    for name, module, function in [("Pillow", "PIL", with_pillow), ("OpenCV", "cv2", with_opencv)]:
        try:
            __import__(module)
            __import__("numpy")
            yield name, function
        except ImportError:
            print(f"skipped: {name} (no Python module {module})")
    for name, command in [("ImageMagick", ["magick"]), ("ImageMagick 6", ["convert"]),
                          ("GraphicsMagick", ["gm", "convert"])]:
        if shutil.which(command[0]):
            yield name, through(command)
        else:
            print(f"skipped: {name} (no command {command[0]})")
    if shutil.which("pngcheck"):
        yield "pngcheck", with_pngcheck
    else:
        print("skipped: pngcheck (no command pngcheck)")


def main(swathe):
    known = list(readers())
    checks, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for kind, magic, channels, size, height in KINDS:
            want = samples(channels, size, height)
            source = os.path.join(folder, kind + ".pnm")
            with open(source, "wb") as file:
                file.write(header(magic, channels, size, height) + want)
            for level in LEVELS:
                path = os.path.join(folder, f"{kind}-{level}.png")
                subprocess.run([swathe, "apply", "identity", source, path, "--compression", level],
                               check=True)
                for name, read in known:
                    try:
                        got = read(path, channels, size)
                    except Exception as error:  # readers raise different exceptions
                        got = str(error)
                    checks += 1
                    if got is not None and got != want:
                        failed += 1
                        print(f"FAILED {name}: {kind}, compression {level}: "
                              + (got if isinstance(got, str) else "other pixels"))
    print(f"png_readers: {checks} checks by {len(known)} readers, {failed} failed")
    if not known:
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
