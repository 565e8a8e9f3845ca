#!/usr/bin/env python3
"""Compares the results of two builds of the command, byte for byte, on random images and chains.

    same_results.py REFERENCE OTHER [COUNT [SEED]]

REFERENCE and OTHER are commands with arguments, such as 'qemu-aarch64 ./swathe'. Images have every
format that needs no library; some are videos. Half of the images come from standard input and go to standard output.
"""
import os
import random
import shlex
import struct
import subprocess
import sys
import tempfile

FILTERS = ["box:{k}", "gaussian:{k}", "gaussian:sigma={s}", "sharpen", "unsharp:sigma={s}", "edge", "laplacian:8",
           "log:sigma={s}", "dog", "sobel-x:bias=99", "scharr-y", "prewitt-x:dilate=2", "emboss", "motion:{k}:angle=30",
           "disk:{r}", "scale:0.7", "mask:(1 2 1; 2 4 2; 1 2 1):normalise", "mask:(-1 0.25; 3.5 -2)", "gabor",
           "gradient", "identity:border=valid"]
BORDERS = ["reflect", "reflect101", "replicate", "wrap", "zero", "constant=7"]
EXTENSIONS = {"pgm": ["pgm", "bmp", "tga", "pfm"], "ppm": ["ppm", "bmp", "tga", "pam"], "pam": ["pam", "tga", "bmp"],
              "pfm": ["pfm"], "y4m": ["y4m"]}


def noise(draw, width, height, channels, size):
    """Samples with flat areas, so that borders and rounding matter."""
    flat = bytes([draw.randrange(256)]) * (width * channels * size)
    return b"".join(flat if draw.random() < 0.2 else draw.randbytes(width * channels * size) for _ in range(height))


def make_video(draw):
    width, height, bits = draw.randint(1, 60), draw.randint(1, 40), draw.choice([8, 8, 10])
    head = f"YUV4MPEG2 W{width} H{height} F25:1 C444{'' if bits == 8 else 'p10'}\n".encode()
    bytes_each = width * height * 3 * (1 if bits == 8 else 2)
    frames = [draw.randbytes(bytes_each) if bits == 8 else
              struct.pack(f"<{bytes_each // 2}H", *(draw.randrange(1024) for _ in range(bytes_each // 2)))
              for _ in range(draw.randint(1, 4))]
    return head + b"".join(b"FRAME\n" + frame for frame in frames)


def make_image(draw, kind):
    if kind == "y4m":
        return make_video(draw)
    width, height = draw.randint(1, 90), draw.randint(1, 60)
    size = draw.choice([1, 1, 2])
    most = 255 if size == 1 else 65535
    if kind == "pgm":
        return b"P5\n%d %d\n%d\n" % (width, height, most) + noise(draw, width, height, 1, size)
    if kind == "ppm":
        return b"P6\n%d %d\n%d\n" % (width, height, most) + noise(draw, width, height, 3, size)
    if kind == "pam":
        head = "P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL %d\nTUPLTYPE RGB_ALPHA\nENDHDR\n" % (width, height, most)
        return head.encode() + noise(draw, width, height, 4, size)
    count = width * height * 3
    return b"PF\n%d %d\n-1.0\n" % (width, height) + struct.pack("<%df" % count, *(draw.gauss(0.5, 2) for _ in range(count)))


def make_chain(draw):
    return ",".join(draw.choice(FILTERS).format(k=draw.choice([3, 4, 5, 9, 15, 31]), s=draw.choice([0.8, 2, 5]),
                                                r=draw.choice([1.5, 4])) for _ in range(draw.choice([1, 1, 2, 3])))


def run(command, arguments, image, folder, out):
    """Returns exit code, messages and the bytes of the result."""
    piped = arguments[2] == "-"
    done = subprocess.run(shlex.split(command) + arguments, cwd=folder, input=image if piped else b"", check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    path = os.path.join(folder, out)
    result = done.stdout
    if not piped and os.path.exists(path):
        with open(path, "rb") as file:
            result = file.read()
        os.remove(path)
    messages = [line for line in done.stderr.decode(errors="replace").splitlines() if line.startswith("swathe: ")]
    return done.returncode, messages, result


def make_case(draw, index):
    """Returns the image, its file name, the name of the result and the arguments."""
    kind = draw.choice(list(EXTENSIONS))
    out = draw.choice(EXTENSIONS[kind])
    name = f"in {index}ä.{kind}"
    result = f"out {index}ß.{out}"
    arguments = ["apply", make_chain(draw), name, result, "--border", draw.choice(BORDERS), "--exact", "--threads",
                 str(draw.choice([1, 2]))]
    if out == "pfm" and kind != "pfm":
        arguments += ["--type", "f32"]
    if draw.random() < 0.5:
        arguments[2:4] = ["-", "-"]
        if out != "y4m":
            arguments += ["--format", {"pgm": "pnm", "ppm": "pnm", "pam": "pnm"}.get(out, out)]
    return make_image(draw, kind), name, result, arguments


def compare(reference, other, count, seed):
    draw = random.Random(seed)
    differ = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for index in range(count):
            image, name, out, arguments = make_case(draw, index)
            with open(os.path.join(folder, name), "wb") as file:
                file.write(image)
            wanted, got = (run(command, arguments, image, folder, out) for command in (reference, other))
            refused += wanted[0] != 0
            if wanted != got:
                differ += 1
                print(f"differs: {shlex.join(arguments)} (seed {seed}, case {index}):\n  {wanted[:2]}, {len(wanted[2])} "
                      f"bytes\n  {got[:2]}, {len(got[2])} bytes")
            os.remove(os.path.join(folder, name))
    print(f"{count} commands, {refused} of them refused by both, {differ} differ")
    return differ, refused


def main():
    reference, other = sys.argv[1:3]
    count, seed = (int(word) for word in sys.argv[3:] + ["100", "1"][len(sys.argv) - 3:])
    differ, refused = compare(reference, other, count, seed)
    return 1 if differ or refused > count // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
