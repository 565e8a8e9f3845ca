#!/usr/bin/env python3
"""Compares TIFF files of every sample type with tifffile, which has its own decoders.

    tiff_tifffile.py DECODE [SWATHE]

Random files that tifffile writes are decoded with the program `decode`, and the samples must be
equal bit by bit. With SWATHE, tifffile reads files that Swathe writes. Exit status 77: a package of
tests/requirements.txt is missing.
"""
import itertools
import os
import random
import subprocess
import sys
import tempfile

try:
    import imagecodecs
    import numpy
    import tifffile
except ImportError as error:
    print(f"skipped: {error}; install the packages of tests/requirements.txt")
    sys.exit(77)

TYPES = {"u8": "u1", "u16": "u2", "s16": "i2", "f32": "f4", "u32": "u4", "s32": "i4", "f64": "f8"}
CODES = {None: "none", "zlib": "deflate", "lzw": "lzw", "zstd": "zstd"}
# tifffile's encoders of LZW depend on how imagecodecs was built.
COMPRESSIONS = ([None, "zlib", "zstd", "lzma", "packbits"] +
                (["lzw"] if imagecodecs.LZW.available else []))
FILES_PER_TYPE = 12
MEMORY = "/dev/shm"


def samples(rng, name, shape):
    """Returns random bits, for floats finite values of any magnitude with signed zeros."""
    dtype = numpy.dtype(TYPES[name])
    if dtype.kind != "f":
        return numpy.frombuffer(rng.bytes(dtype.itemsize * int(numpy.prod(shape))),
                                dtype).reshape(shape)
    power = 200 if name == "f64" else 30
    array = rng.standard_normal(shape) * 10.0 ** rng.uniform(-power, power, shape)
    odd = rng.random(shape)
    array[odd < 0.01] = -0.0
    array[odd > 0.99] *= numpy.finfo(dtype).smallest_subnormal
    return array.astype(dtype)


def draw(choose, name):
    """Returns the arguments of one file for tifffile.imwrite, and the shape of the image."""
    channels = choose.choice([1, 3, 5])
    size = choose.choice([(1, 1), (37, 53), (64, 16), (100, 3)])
    how = {"byteorder": choose.choice("<>"), "bigtiff": choose.random() < 0.3,
           "compression": choose.choice(COMPRESSIONS), "metadata": None}
    if how["compression"] not in (None, "packbits"):
        how["predictor"] = choose.choice([None, 3 if name[0] == "f" else 2])
    if choose.random() < 0.5:
        how["tile"] = choose.choice([(16, 16), (32, 48)])
    else:
        how["rowsperstrip"] = choose.choice([1, 7, 100])
    how["photometric"] = "rgb" if channels == 3 else "minisblack"
    if channels > 1:
        how["planarconfig"] = choose.choice(["contig", "separate"])
    return size + (channels,), how


def write(path, array, how):
    """Writes rows of pixels. tifffile takes separate planes one after the other."""
    channels = array.shape[2]
    if channels == 1:
        tifffile.imwrite(path, array[:, :, 0], **how)
        return
    if channels > 3:
        how = dict(how, extrasamples=["unspecified"] * (channels - 1))
    if how["planarconfig"] == "separate":
        array = numpy.moveaxis(array, 2, 0)
    tifffile.imwrite(path, array, **how)


def read(path):
    """Returns rows of pixels."""
    with tifffile.TiffFile(path) as file:
        page = file.pages[0]
        array = page.asarray()
        if array.ndim == 2:
            return array[:, :, None]
        return numpy.moveaxis(array, 0, 2) if page.planarconfig == 2 else array


def same(a, b):
    a, b = (x.astype(x.dtype.newbyteorder("=")) for x in (a, b))
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def decode(program, path, raw):
    """Returns the samples that the program reads, or the reason why it does not."""
    done = subprocess.run([program], input=f"{path}\t{raw}\n", capture_output=True, text=True)
    words = done.stdout.split()
    if done.returncode != 0 or not words or words[0] != "ok":
        return None, done.stdout.strip() or done.stderr[-1000:]
    width, height, channels = (int(word) for word in words[1:4])
    return numpy.fromfile(raw, TYPES[words[4]]).reshape(height, width, channels), words[4]


def check_reading(program, folder):
    """Swathe reads what tifffile writes."""
    choose, rng = random.Random(7), numpy.random.default_rng(7)
    path, raw = os.path.join(folder, "in.tif"), os.path.join(folder, "raw")
    failed = count = unknown = 0
    for name, _ in itertools.product(TYPES, range(FILES_PER_TYPE)):
        shape, how = draw(choose, name)
        array = samples(rng, name, shape)
        write(path, array, how)
        assert same(read(path), array), f"tifffile does not read what it wrote: {name} {how}"
        got, text = decode(program, path, raw)
        count += 1
        if "which this libtiff cannot read" in text:
            unknown += 1
        elif got is None or not same(got, array):
            failed += 1
            print(f"FAILED: {name} {shape} {how}: {text}")
    print(f"{count} files of tifffile {tifffile.__version__}, {unknown} with compressions that this "
          f"libtiff cannot read, {failed} failed")
    return failed


def check_writing(program, folder):
    """tifffile reads what Swathe writes. The filter leaves all values unchanged but -0."""
    rng = numpy.random.default_rng(8)
    path, out = os.path.join(folder, "in.tif"), os.path.join(folder, "out.tif")
    failed = count = 0
    for name, code, tile, channels in itertools.product(TYPES, CODES.values(), (0, 16), (1, 3)):
        array = samples(rng, name, (33, 70, channels))
        array = numpy.where(array == 0, numpy.zeros_like(array), array)
        write(path, array, {"photometric": "rgb" if channels == 3 else "minisblack",
                            "planarconfig": "contig" if channels == 3 else None})
        command = [program, "apply", "identity", path, out, "--overwrite", "--quiet", "--exact",
                   "--compression", code] + (["--tile", str(tile)] if tile else [])
        done = subprocess.run(command, capture_output=True, text=True)
        count += 1
        if done.returncode != 0 or not same(read(out), array):
            failed += 1
            print(f"FAILED: {' '.join(command)}: {done.stderr}")
    print(f"{count} files of Swathe read by tifffile, {failed} failed")
    return failed


def main(arguments):
    if not 1 <= len(arguments) <= 2:
        sys.exit(__doc__)
    # Thousands of small files are synchronized, which takes most of the time on a disk.
    with tempfile.TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as folder:
        failed = check_reading(arguments[0], folder)
        if len(arguments) == 2:
            failed += check_writing(arguments[1], folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
