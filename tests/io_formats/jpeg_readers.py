#!/usr/bin/env python3
"""Checks that other programs read Swathe's JPEG files with restart markers without a warning.

    jpeg_readers.py SWATHE

Each reader's samples are compared with ours; a reader that is not installed is listed and skipped.
"""
import os
import shutil
import subprocess
import sys
import tempfile

# Other readers may round the DCT and the colour conversion differently.
TOLERANCE = 6
CASES = [("grey", 1, 2999, 1777, 90), ("4:2:0", 3, 1501, 1603, 90), ("4:4:4", 3, 1100, 1301, 97)]


def make_pnm(path, channels, width, height):
    values = [(x // 3 + 40 * (x // 64) % 120) & 127 for x in range(width + 256)]
    line = bytes(values) if channels == 1 else bytes(
        sample for v in values for sample in (v, 255 - v, v // 2))
    with open(path, "wb") as file:
        file.write(b"P%d %d %d 255\n" % (5 if channels == 1 else 6, width, height))
        for y in range(height):
            at = y % 256 * channels
            file.write(line[at:at + width * channels])


def read_pnm(data):
    fields, rest = [], data
    while len(fields) < 4:
        line, rest = rest.split(b"\n", 1)
        fields += line.split(b"#")[0].split()
    return tuple(int(field) for field in fields[1:3]), rest


def run(words):
    done = subprocess.run(words, capture_output=True, check=False)
    return done.stdout, f"status {done.returncode} {done.stderr.decode()}".strip()


def by_pillow(path, _):
    import warnings
    from PIL import Image
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Image.open(path) as image:
            return image.size, image.tobytes()


def by_program(words):
    def read(path, channels):
        data, said = run([word.format(path, "pgm" if channels == 1 else "ppm") for word in words])
        if said != "status 0":
            raise ValueError(said)
        return read_pnm(data)
    return read


def readers():
    found = []
    for name, words in (("djpeg", ["djpeg", "-pnm", "{0}"]), ("convert", ["convert", "{0}", "{1}:-"]),
                        ("gm", ["gm", "convert", "{0}", "{1}:-"])):
        if shutil.which(name):
            found.append((name, by_program(words)))
        else:
            print(f"skipped: {name} (not installed)")
    try:
        import PIL
        found.append((f"Pillow {PIL.__version__}", by_pillow))
    except ImportError:
        print("skipped: Pillow (not installed)")
    return found


def markers(path):
    data = open(path, "rb").read()
    return sum(data.count(bytes((0xFF, 0xD0 + i))) for i in range(8))


def difference(ours, theirs):
    if ours[0] != theirs[0] or len(ours[1]) != len(theirs[1]):
        return f"{theirs[0]}, {len(theirs[1])} bytes instead of {ours[0]}, {len(ours[1])}"
    if ours[1] == theirs[1]:
        return ""
    most = max(abs(a - b) for a, b in zip(ours[1], theirs[1]))
    return f"samples off by {most}" if most > TOLERANCE else ""


def check(swathe, folder, case, found):
    name, channels, width, height, quality = case
    plain, path = os.path.join(folder, "it.pnm"), os.path.join(folder, "it.jpg")
    make_pnm(plain, channels, width, height)
    for words in (["identity", plain, path, "--quality", str(quality)], ["identity", path, plain]):
        said = run([swathe, "apply", *words, "--overwrite"])[1]
        if said != "status 0":
            return [f"{name}: swathe: {said}"]
    if markers(path) == 0:
        return [f"{name}: no restart markers"]
    ours, failures = read_pnm(open(plain, "rb").read()), []
    for reader, read in found:
        try:
            said = difference(ours, read(path, channels))
        except Exception as error:
            said = repr(error)
        if said:
            failures.append(f"{name}: {reader}: {said}")
    return failures


def main():
    found = readers()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            failures += check(sys.argv[1], folder, case, found)
    for failure in failures:
        print("FAILED:", failure)
    print(f"jpeg_readers: {len(CASES)} files, {len(found)} readers, {len(failures)} failed")
    if not found and not failures:
        print("skipped: JPEG files in other readers (none is installed)")
        return 77
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
