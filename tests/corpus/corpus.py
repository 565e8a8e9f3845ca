#!/usr/bin/env python3
"""Decodes every file of a corpus with the program `decode` and compares the samples with Pillow's.

    corpus.py DECODE CORPUS [EXPLAINED]

Files that either of them refuses, or that differ, must be listed in explained.txt with the reason;
an unneeded line there is a failure, too. Exit status 77: the corpus or Pillow is missing.

A line of explained.txt is `PATTERN KIND reason`. PATTERN is a file name with * and ?, KIND one of
    refused:N      Swathe refuses the file with status N (whatever Pillow does)
    only-swathe    Pillow refuses the file
    high-byte      Pillow keeps the upper 8 of the 16 bits
    turned         Pillow rotates the image by its orientation tag
    signed         Pillow reads signed samples as unsigned
    extra          Pillow drops channels after the ones that it knows
    alpha          Pillow omits the alpha channel for a colour key
    key            Pillow's alpha channel lacks the colour key
    repeated       Pillow repeats grey as red, green and blue
    coarse-alpha   Pillow divides 8-bit colours by 8-bit alpha: off by its own rounding
    different      none of these
Several kinds that apply together are joined with +.
"""
import contextlib
import fnmatch
import os
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy
    from PIL import Image
except ImportError as error:
    print(f"skipped: {error}; install the packages of tests/requirements.txt")
    sys.exit(77)

Image.MAX_IMAGE_PIXELS = None  # the limit against decompression bombs is not compared here
TYPES = {"u8": numpy.uint8, "u16": numpy.uint16, "s16": numpy.int16, "f32": numpy.float32,
         "u32": numpy.uint32, "s32": numpy.int32, "f64": numpy.float64}
PINNED = "13.0.0"


def explanations(path):
    lines = []
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        pattern, kinds, reason = line.split(None, 2)
        lines.append({"number": number, "pattern": pattern, "kinds": kinds.split("+"),
                      "reason": reason, "used": 0})
    return lines


def checksum(data):
    total = 14695981039346656037
    for byte in data or b"":
        total = (total ^ byte) * 1099511628211 & 0xFFFFFFFFFFFFFFFF
    return total if data else 0


def expanded(image):
    """Returns the image with palette and colour key applied."""
    transparent = "transparency" in image.info or image.mode == "PA"
    if image.mode in ("P", "PA"):
        if image.palette and image.palette.mode == "RGBA":
            transparent = True
        return image.convert("RGBA" if transparent else "RGB")
    if transparent and image.mode in ("1", "L"):
        return image.convert("L").convert("LA") if image.mode == "1" else image.convert("LA")
    if transparent and image.mode == "RGB":
        return image.convert("RGBA")
    if image.mode == "1":
        return image.convert("L")
    return image


@contextlib.contextmanager
def quiet():
    """Silences warnings that the libtiff inside Pillow writes to standard error."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def with_pillow(path):
    """Returns (samples, orientation, ICC profile) or (None, reason, None)."""
    with warnings.catch_warnings(), quiet():
        warnings.simplefilter("ignore")
        try:
            with Image.open(path) as image:
                tags = getattr(image, "tag_v2", {})
                orientation = tags.get(274, 1)
                image.load()
                profile = image.info.get("icc_profile")
                bands = [numpy.asarray(band) for band in expanded(image).split()]
        except Exception as error:  # Pillow may raise any exception
            return None, f"{type(error).__name__}: {error}", None
    array = numpy.stack(bands, axis=2)
    return array.astype(array.dtype.newbyteorder("=")), orientation, profile


def run_decoder(program, paths, folder):
    """Yields one answer per path, or None if the decoder crashed."""
    left = list(paths)
    while left:
        raws = [os.path.join(folder, f"{i}.raw") for i in range(len(left))]
        text = "".join(f"{path}\t{raw}\n" for path, raw in zip(left, raws))
        done = subprocess.run([program], input=text, capture_output=True, text=True)
        lines = done.stdout.splitlines()
        for path, raw, line in zip(left, raws, lines):
            yield path, raw, line, ""
        if len(lines) == len(left) and done.returncode == 0 and not done.stderr:
            return
        if len(lines) >= len(left):
            yield left[-1], None, None, done.stderr or f"exit status {done.returncode}"
            return
        yield left[len(lines)], None, None, done.stderr or f"exit status {done.returncode}"
        left = left[len(lines) + 1:]


def load(raw, words):
    width, height, channels = (int(word) for word in words[1:4])
    samples = numpy.fromfile(raw, TYPES[words[4]])
    return samples.reshape(height, width, channels)


TURNS = {2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180,
         4: Image.Transpose.FLIP_TOP_BOTTOM, 5: Image.Transpose.TRANSPOSE,
         6: Image.Transpose.ROTATE_270, 7: Image.Transpose.TRANSVERSE,
         8: Image.Transpose.ROTATE_90}


def turn(ours, orientation):
    if orientation not in TURNS:
        return ours
    planes = [numpy.asarray(Image.fromarray(ours[:, :, c]).transpose(TURNS[orientation]))
              for c in range(ours.shape[2])]
    return numpy.stack(planes, axis=2)


def apply_kinds(kinds, ours, theirs, orientation):
    """Returns our samples converted to Pillow's form, and the allowed difference."""
    distance = 0
    for kind in kinds:
        if kind == "high-byte":
            ours = (ours >> 8).astype(numpy.uint8)
        elif kind == "turned":
            ours = turn(ours, orientation)
        elif kind == "signed":
            ours = ours.astype(numpy.int8).view(numpy.uint8)
        elif kind == "extra":
            ours = ours[:, :, :theirs.shape[2]]
        elif kind == "alpha":
            ours = ours[:, :, :-1]
        elif kind == "key":
            ours = numpy.concatenate([ours[:, :, :-1], theirs[:, :, -1:]], axis=2)
        elif kind == "repeated":
            ours = numpy.concatenate([ours[:, :, :1]] * 3 + [ours[:, :, 1:]], axis=2)
        elif kind == "coarse-alpha":
            alpha = theirs[:, :, -1:].astype(numpy.int64)
            distance = numpy.where(alpha == 0, 255, 2 + 512 // numpy.maximum(alpha, 1))
            distance = numpy.concatenate([distance] * (theirs.shape[2] - 1) + [0 * alpha], axis=2)
        else:
            raise ValueError(f"unknown kind {kind}")
    return ours, distance


def equal(ours, theirs, distance=0):
    if ours.shape != theirs.shape:
        return False
    if ours.dtype.kind == "f" or theirs.dtype.kind == "f":
        return numpy.array_equal(ours, theirs, equal_nan=True)
    gap = numpy.abs(ours.astype(numpy.int64) - theirs.astype(numpy.int64))
    return bool((gap <= distance).all())


def describe(ours, theirs):
    if ours.shape != theirs.shape:
        return f"{ours.shape} {ours.dtype} here, {theirs.shape} {theirs.dtype} in Pillow"
    gap = numpy.abs(ours.astype(numpy.float64) - theirs.astype(numpy.float64))
    at = numpy.unravel_index(int(numpy.nanargmax(gap)), gap.shape)
    return (f"{ours.dtype} {theirs.dtype}: {int((gap > 0).sum())} samples differ, most by "
            f"{gap.max():g} at {tuple(int(i) for i in at)}: {ours[at]} here, {theirs[at]}")


def needed(kinds, ours, theirs, orientation):
    """Returns whether every kind of the list is needed for the two to agree."""
    for i in range(len(kinds)):
        try:
            less, distance = apply_kinds(kinds[:i] + kinds[i + 1:], ours, theirs, orientation)
            if equal(less, theirs, distance):
                return False
        except (ValueError, TypeError):
            pass
    return True


def judge(path, raw, line, crash, explained):
    """Returns the problem, or None."""
    if line is None:
        return f"the decoder crashed or printed: {crash[-1500:]}"
    words = line.split()
    if words[0] == "wrong":
        return line
    kinds = explained["kinds"] if explained else []
    theirs, orientation, profile = with_pillow(path)
    if words[0] == "refused":
        if kinds == [f"refused:{words[1]}"]:
            return None
        other = "Pillow also refuses it" if theirs is None else "Pillow reads it"
        return f"refused with status {' '.join(words[1:])} ({other})"
    if theirs is None:
        return None if kinds == ["only-swathe"] else f"Swathe reads it, Pillow does not: {orientation}"
    ours = load(raw, words)
    if any(kind.startswith("refused") or kind == "only-swathe" for kind in kinds):
        return f"explained as {'+'.join(kinds)}, but both read it"
    if kinds == ["different"]:
        return "explained as different, but equal" if equal(ours, theirs) else None
    seen, distance = apply_kinds(kinds, ours, theirs, orientation)
    if not equal(seen, theirs, distance):
        return describe(seen, theirs)
    if kinds and not needed(kinds, ours, theirs, orientation):
        return f"explained as {'+'.join(kinds)}, which is more than needed"
    if profile is not None and checksum(profile) != int(words[7]):
        return "the ICC profile differs from Pillow's"
    return None


def find(lines, name):
    for line in lines:
        if fnmatch.fnmatchcase(name, line["pattern"]):
            line["used"] += 1
            return line
    return None


def main(program, corpus, explained_path):
    if not os.path.isdir(corpus):
        print(f"skipped: no corpus at {corpus}")
        return 77
    if Image.__version__ != PINNED:
        print(f"note: Pillow {Image.__version__}; explained.txt was written with {PINNED}")
    lines = explanations(explained_path)
    paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(corpus)
                   for name in names if not name.endswith(".md"))
    failed = agreed = listed = 0
    with tempfile.TemporaryDirectory() as folder:
        for path, raw, line, crash in run_decoder(program, paths, folder):
            name = os.path.relpath(path, corpus)
            explained = find(lines, name)
            problem = judge(path, raw, line, crash, explained)
            if problem:
                failed += 1
                print(f"{name}: {problem}")
            elif explained:
                listed += 1
            else:
                agreed += 1
            if raw and os.path.exists(raw):
                os.remove(raw)
    for line in lines:
        if not line["used"]:
            failed += 1
            print(f"explained.txt:{line['number']}: {line['pattern']} explains nothing")
    print(f"{len(paths)} files: {agreed} agree with Pillow {Image.__version__}, "
          f"{listed} are explained, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "explained.txt")
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) == 4 else beside))
