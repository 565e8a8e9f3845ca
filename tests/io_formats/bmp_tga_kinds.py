#!/usr/bin/env python3
"""Tests BMP and TGA files of every kind that the formats define, built here byte by byte. Swathe
must decode the original pixels, and so must other readers (Pillow, ImageMagick), which must also
read the files that Swathe wrote. Files with contradictory headers must be refused at once.

    bmp_tga_kinds.py SWATHE
"""
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT = 13, 7
XS, YS = range(WIDTH), range(HEIGHT)
PALETTE = [((i * 37) % 256, (i * 91 + 5) % 256, (255 - i * 3) % 256, (i * 50) % 256)
           for i in range(256)]


def index(x, y, bits):
    """Returns the palette index of a pixel. Rows have runs and changes, so that both kinds of codes
    are needed."""
    return (x // 3 + y * 5 if y % 2 else x * x + y) % (1 << bits)


def rgba(x, y):
    return ((x * 20) % 256, (y * 36) % 256, (x * y * 3 + 7) % 256, (x * 9 + y * 17) % 256)


def scaled(value, bits):
    most = (1 << bits) - 1
    return (value * 255 + most // 2) // most


# ImageMagick reads a fourth byte as alpha; Pillow 9 misreads literals of 4 bits.
DIFFERS = {("ImageMagick", "32 bits"), ("Pillow", "runs of 4 bits")}


# ---- BMP ------------------------------------------------------------------------------------------


def bmp(header, rows, palette=b"", masks=b"", profile=b""):
    at = 14 + len(header) + len(masks) + len(palette)
    data = header + masks + palette + rows + profile
    return struct.pack("<2sIHHI", b"BM", 14 + len(data), 0, 0, at) + data


def info(bits, compression=0, height=HEIGHT, size=40, masks=(), used=0, width=WIDTH):
    head = struct.pack("<IiiHHIIiiII", size, width, height, 1, bits, compression, 0, 2835, 5670,
                       used, 0)
    return (head + struct.pack(f"<{len(masks)}I", *masks)).ljust(size, b"\0")


def rows_of(pixel_bits, value, top_down=False):
    out = b""
    for y in YS if top_down else reversed(YS):
        bits = "".join(format(value(x, y), f"0{pixel_bits}b") if pixel_bits < 16 else
                       "".join(format(b, "08b") for b in
                               value(x, y).to_bytes(pixel_bits // 8, "little")) for x in XS)
        bits += "0" * (-len(bits) % 32)
        out += int(bits, 2).to_bytes(len(bits) // 8, "big")
    return out


def quads(count, grey=False):
    return b"".join(bytes([i, i, i, 0]) if grey else bytes([b, g, r, 0])
                    for i, (r, g, b, _) in enumerate(PALETTE[:count]))


def bgr(x, y):
    r, g, b, _ = rgba(x, y)
    return b | g << 8 | r << 16


def bgra(x, y):
    return bgr(x, y) | rgba(x, y)[3] << 24


def fields(masks):
    """Returns a pixel with given masks, and its decoded samples."""
    def word(x, y):
        value = 0
        for mask, sample in zip(masks, rgba(x, y)):
            shift, bits = (mask & -mask).bit_length() - 1, bin(mask).count("1")
            value |= (sample << max(0, bits - 8) >> max(0, 8 - bits)) << shift if mask else 0
        return value

    def samples(x, y):
        out = []
        for mask in masks:
            shift, bits = (mask & -mask).bit_length() - 1, bin(mask).count("1")
            if mask:
                out.append(scaled((word(x, y) & mask) >> shift, bits))
        return tuple(out)
    return word, samples


def bmp_codes(bits, gaps):
    """Encodes runs, literals and, with `gaps`, deltas and rows that end early. Also returns the
    indices."""
    out, kept = b"", {}
    for row, y in enumerate(reversed(YS)):
        x = 0
        if gaps and row == 2:
            out += bytes([0, 2, 3, 1])  # from the start of row 2 to column 3 of row 3
            continue
        if gaps and row == 3:
            x = 3
        while x < WIDTH:
            if gaps and row == 4 and x > 6:
                break
            value, run = index(x, y, bits), 1
            while x + run < WIDTH and index(x + run, y, bits) == value:
                run += 1
            count = min(5, WIDTH - x)
            if run >= 2 or count < 3:
                out += bytes([run, value * 17 if bits == 4 else value])
                count = run
            else:
                values = [index(x + i, y, bits) for i in range(count)]
                if bits == 4:
                    packed = bytes(a << 4 | b for a, b in zip(values[::2], values[1::2] + [0]))
                else:
                    packed = bytes(values)
                out += bytes([0, count]) + packed + b"\0" * (len(packed) % 2)
            for i in range(count):
                kept[x + i, y] = index(x + i, y, bits)
            x += count
        out += b"\0\0"
    return out + b"\0\1", lambda x, y: kept.get((x, y), 0)


def bmp_kinds():
    """Yields (name, bytes, samples of a pixel, whether other readers may differ)."""
    for bits in (1, 2, 4, 8):
        def color(x, y, bits=bits):
            return PALETTE[index(x, y, bits)][:3]

        def value(x, y, bits=bits):
            return index(x, y, bits)
        rows, colors = rows_of(bits, value), quads(1 << bits)
        yield f"{bits} bits", bmp(info(bits), rows, colors), color, False
        core = struct.pack("<IHHHH", 12, WIDTH, HEIGHT, 1, bits)
        triples = b"".join(colors[i:i + 3] for i in range(0, len(colors), 4))
        yield f"{bits} bits, OS/2", bmp(core, rows, triples), color, False
        yield (f"{bits} bits, top down", bmp(info(bits, height=-HEIGHT),
                                             rows_of(bits, value, True), colors), color, False)
    yield ("8 bits, grey", bmp(info(8), rows_of(8, lambda x, y: index(x, y, 8)),
                               quads(256, True)), lambda x, y: (index(x, y, 8),), False)
    few = rows_of(8, lambda x, y: index(x, y, 2))
    yield ("8 bits, 4 colours", bmp(info(8, used=4), few, quads(4)),
           lambda x, y: PALETTE[index(x, y, 2)][:3], False)
    for size in (16, 20, 24, 36, 48, 64):
        head = info(24, size=size)[:size]
        yield f"OS/2 of {size} bytes", bmp(head, rows_of(24, bgr)), lambda x, y: rgba(x, y)[:3], True
    head = bytearray(info(24, size=124))
    struct.pack_into("<I", head, 56, 0x4d424544)
    for at, size in ((100000, 128), (124, 20 << 20), (0xffffffff, 0xffffffff)):
        struct.pack_into("<II", head, 112, at, size)
        yield (f"a profile at {at} of {size}", bmp(bytes(head), rows_of(24, bgr)),
               lambda x, y: rgba(x, y)[:3], True)
    yield "24 bits", bmp(info(24), rows_of(24, bgr)), lambda x, y: rgba(x, y)[:3], False
    yield ("24 bits, top down", bmp(info(24, height=-HEIGHT), rows_of(24, bgr, True)),
           lambda x, y: rgba(x, y)[:3], False)
    yield "32 bits", bmp(info(32), rows_of(32, bgra)), lambda x, y: rgba(x, y)[:3], False
    five = (0x7c00, 0x3e0, 0x1f)
    word, samples = fields(five)
    yield "16 bits", bmp(info(16), rows_of(16, word)), samples, False
    for name, bits, masks, usual in [
            ("555", 16, five, True), ("565", 16, (0xf800, 0x7e0, 0x1f), True),
            ("444", 16, (0xf00, 0xf0, 0xf), False), ("swapped", 32, (0xff, 0xff00, 0xff0000), True),
            ("ten", 32, (0x3ff00000, 0xffc00, 0x3ff), False)]:
        word, samples = fields(masks)
        for size in (40, 52, 108, 124):
            head = info(bits, 3, size=size, masks=masks if size > 40 else ())
            extra = struct.pack("<3I", *masks) if size == 40 else b""
            yield (f"masks {name}, header {size}", bmp(head, rows_of(bits, word), b"", extra),
                   samples, not usual or size == 52)
    alpha = (0xff0000, 0xff00, 0xff, 0xff000000)
    word, samples = fields(alpha)
    for size in (56, 108, 124):
        yield (f"alpha, header {size}", bmp(info(32, 3, size=size, masks=alpha),
                                            rows_of(32, word)), samples, False)
    yield ("alpha by masks after the header", bmp(info(32, 6), rows_of(32, word), b"",
                                        struct.pack("<4I", *alpha)), samples, True)
    for bits, compression in ((4, 2), (8, 1)):
        for gaps in (False, True):
            rows, value = bmp_codes(bits, gaps)
            yield (f"runs of {bits} bits{', gaps' if gaps else ''}",
                   bmp(info(bits, compression), rows, quads(1 << bits)),
                   lambda x, y, value=value: PALETTE[value(x, y)][:3], gaps)


# ---- TGA ------------------------------------------------------------------------------------------


def tga(kind, bits, rows, descriptor, mapped=(0, 0, 0), colors=b"", name=b"", end=b""):
    first, count, entry = mapped
    head = struct.pack("<BBBHHBHHHHBB", len(name), 1 if count else 0, kind, first, count, entry,
                       0, 0, WIDTH, HEIGHT, bits, descriptor)
    return head + name + colors + rows + end


def order(descriptor):
    """Yields pixels in the order of the file."""
    for y in YS if descriptor & 32 else reversed(YS):
        for x in reversed(XS) if descriptor & 16 else XS:
            yield x, y


def packets(pixels, width):
    """Runs and literals; with a width of 0 they continue across the ends of rows."""
    out, i = b"", 0
    while i < len(pixels):
        most = min(128, width - i % width if width else 128, len(pixels) - i)
        run = 1
        while run < most and pixels[i + run] == pixels[i]:
            run += 1
        if run > 1:
            out += bytes([127 + run]) + pixels[i]
        else:
            while run < min(most, 9) and pixels[i + run] != pixels[i + run - 1]:
                run += 1
            out += bytes([run - 1]) + b"".join(pixels[i:i + run])
        i += run
    return out


def extension(at, attributes):
    area = struct.pack("<H", 495).ljust(494, b"\0") + bytes([attributes])
    return area + struct.pack("<II", at, 0) + b"TRUEVISION-XFILE.\0"


def tga_kinds():
    def entry(color, bits):
        r, g, b, a = color
        if bits <= 16:
            return (r >> 3 << 10 | g >> 3 << 5 | b >> 3 | a >> 7 << 15).to_bytes(2, "little")
        return bytes([b, g, r, a][:bits // 8])

    def shown(color, bits, alpha):
        if bits <= 16:
            samples = tuple(scaled(s >> 3, 5) for s in color[:3])
            return samples + ((scaled(color[3] >> 7, 1),) if alpha else ())
        return color[:4 if alpha else 3]

    for descriptor in (0, 16, 32, 48):
        places = list(order(descriptor))
        for bits in (15, 16, 24, 32):
            for attributes in {16: (0, 1), 32: (0, 8)}.get(bits, (0,)):
                pixels = [entry(rgba(x, y), bits) for x, y in places]
                forms = [(2, b"".join(pixels)), (10, packets(pixels, WIDTH)), (10, packets(pixels, 0))]
                for form, (kind, rows) in enumerate(forms):
                    yield (f"type {kind}, {bits} bits, {attributes} of alpha, corner {descriptor}"
                           + (", crossing" if form == 2 else ""),
                           tga(kind, bits, rows, descriptor | attributes, name=b"a name"),
                           lambda x, y, b=bits, a=attributes: shown(rgba(x, y), b, a),
                           bits < 24 or (bits == 32 and not attributes) or descriptor & 16)
        pixels = [bytes([index(x, y, 8)]) for x, y in places]
        for kind, rows in ((3, b"".join(pixels)), (11, packets(pixels, 0))):
            yield (f"type {kind}, corner {descriptor}", tga(kind, 8, rows, descriptor),
                   lambda x, y: (index(x, y, 8),), descriptor & 16)
        pixels = [bytes([index(x, y, 8), rgba(x, y)[3]]) for x, y in places]
        yield (f"grey and alpha, corner {descriptor}", tga(3, 16, b"".join(pixels), descriptor | 8),
               lambda x, y: (index(x, y, 8), rgba(x, y)[3]), True)
    for bits in (15, 16, 24, 32):
        for first in (0, 3):
            colors = b"".join(entry(c, bits) for c in PALETTE[:16])
            pixels = [bytes([first + index(x, y, 4)]) for x, y in order(32)]
            for kind, rows in ((1, b"".join(pixels)), (9, packets(pixels, WIDTH))):
                yield (f"type {kind}, colours of {bits} bits from {first} on",
                       tga(kind, 8, rows, 32, (first, 16, bits), colors),
                       lambda x, y, b=bits: shown(PALETTE[index(x, y, 4)], b, False),
                       bits != 24 or first > 0)
    rows = b"".join(entry(rgba(x, y), 32) for x, y in order(0))
    for attributes, channels in ((0, 3), (1, 3), (2, 4), (3, 4)):
        yield (f"extension area, attributes {attributes}",
               tga(2, 32, rows, 8, end=extension(18 + len(rows), attributes)),
               lambda x, y, n=channels: rgba(x, y)[:n], True)
    colors = b"".join(entry(c, 24) for c in PALETTE[:5])
    rows = b"".join(entry(rgba(x, y), 24) for x, y in order(32))
    for left in (b"\0\0\0\0\x18", b"\1\2\3\4\5"):
        data = tga(2, 24, rows, 32)
        yield ("no palette, its fields in use", data[:3] + left + data[8:],
               lambda x, y: rgba(x, y)[:3], True)
    rows = b"".join(entry(rgba(x, y), 32) for x, y in order(0))
    yield ("colours beside a palette", tga(2, 32, rows, 8, (0, 5, 24), colors), rgba, True)


# ---- Readers --------------------------------------------------------------------------------------


def with_swathe(swathe, path):
    """Returns (channels, samples) through PNM, which shares no code with either codec."""
    done = subprocess.run([swathe, "apply", "identity", path, "-", "--format", "pnm"],
                          capture_output=True)
    if done.returncode != 0:
        return done.stderr.decode()
    data = done.stdout
    if data[:2] == b"P7":
        head, body = data.split(b"ENDHDR\n", 1)
        return int(head.split(b"DEPTH ")[1].split()[0]), body
    return (1 if data[:2] == b"P5" else 3), data.split(b"\n", 3)[3]


def with_pillow(path):
    from PIL import Image
    with Image.open(path) as image:
        image.load()
        if image.mode == "P":
            image = image.convert("RGB")
        return {"L": 1, "1": 1, "LA": 2, "RGB": 3, "RGBA": 4}[image.mode], \
            (image.convert("L") if image.mode == "1" else image).tobytes()


def with_magick(path):
    done = subprocess.run(["convert", path, "-auto-orient", "-depth", "8", "rgba:-"],
                          capture_output=True, check=True)
    return 4, done.stdout


def others():
    try:
        import PIL  # noqa: F401
        yield "Pillow", with_pillow
    except ImportError:
        print("skipped: Pillow (no Python module PIL)")
    if shutil.which("convert"):
        yield "ImageMagick", with_magick
    else:
        print("skipped: ImageMagick (no command convert)")


def as_rgba(channels, data):
    out = []
    for i in range(0, len(data), channels):
        p = data[i:i + channels]
        out.append((p[0], p[0], p[0], p[1] if channels == 2 else 255) if channels < 3 else
                   (p[0], p[1], p[2], p[3] if channels == 4 else 255))
    return out


def close(a, b):
    """Returns whether samples are close enough. Other readers round fields of 5 bits
    differently."""
    return len(a) == len(b) and all(abs(s - t) <= 8 for p, q in zip(a, b) for s, t in zip(p, q))


class Check:
    def __init__(self):
        self.count = self.failed = 0

    def __call__(self, held, text):
        self.count += 1
        if not held:
            self.failed += 1
            print("FAILED", text)


def check_kinds(swathe, folder, readers, check):
    asked = {name: 0 for name, _ in readers}
    for form, kinds in (("bmp", bmp_kinds()), ("tga", tga_kinds())):
        for name, data, samples, odd in kinds:
            path = os.path.join(folder, "kind." + form)
            with open(path, "wb") as file:
                file.write(data)
            want = [tuple(samples(x, y)) for y in YS for x in XS]
            channels, flat = len(want[0]), bytes(s for pixel in want for s in pixel)
            got = with_swathe(swathe, path)
            check(got == (channels, flat), f"{form} {name}: " + (
                got if isinstance(got, str) else f"{got[0]} channels for {channels}, or pixels"))
            for other, read in readers:
                if odd or (other, name) in DIFFERS:
                    continue
                try:
                    theirs = as_rgba(*read(path))
                except Exception:  # readers raise different exceptions, also for kinds that they do not support
                    continue
                asked[other] += 1
                check(close(as_rgba(channels, flat), theirs), f"{form} {name}: {other} differs")
    for other, count in asked.items():
        check(count >= 40, f"{other} reads only {count} of the files")


def check_written(swathe, folder, readers, check):
    for channels in (1, 2, 3, 4):
        want = bytes(rgba(x, y)[c] for y in YS for x in XS for c in range(channels))
        source = os.path.join(folder, "source.pam")
        with open(source, "wb") as file:
            file.write(b"P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL 255\nENDHDR\n"
                       % (WIDTH, HEIGHT, channels) + want)
        for form in ("bmp", "tga") if channels != 2 else ("tga",):
            path = os.path.join(folder, "written." + form)
            subprocess.run([swathe, "apply", "identity", source, path, "--overwrite"], check=True)
            for other, read in readers:
                try:
                    theirs = as_rgba(*read(path))
                except Exception as error:  # readers raise different exceptions
                    theirs = str(error)
                # ImageMagick 6 reads grey with alpha as 16-bit colours.
                check(theirs == as_rgba(channels, want) or (channels == 2 and other != "Pillow"),
                      f"{form} of {channels} channels: {other} differs")


def hostile():
    huge, tail = b"\0" * 64, b"\0\1"
    yield "bmp", "runs without pixels", bmp(info(8, 1, width=65535, height=65535), tail, quads(256))
    yield "bmp", "runs, top down", bmp(info(4, 2, width=65535, height=-65535), tail, quads(16))
    yield "bmp", "2^31 rows", bmp(info(24, height=-2 ** 31), huge)
    yield "bmp", "2^31 rows of runs", bmp(info(8, 1, height=-2 ** 31), tail, quads(256))
    yield "bmp", "the largest width", bmp(info(32, width=2 ** 31 - 1, height=2 ** 31 - 1), huge)
    yield "bmp", "negative width", bmp(info(24, width=-5), huge)
    yield "bmp", "no width", bmp(info(24, width=0), huge)
    yield "bmp", "pixels past the end", bmp(info(24), huge).replace(
        struct.pack("<I", 54), struct.pack("<I", 0xfffffff0), 1)
    yield "bmp", "pixels in the header", bmp(info(24), huge * 9).replace(
        struct.pack("<I", 54), struct.pack("<I", 20), 1)
    yield "bmp", "three bits", bmp(info(3), huge)
    yield "bmp", "a PNG", bmp(info(0, 5), huge)
    yield "bmp", "masks with gaps", bmp(info(32, 3), huge * 9, b"", b"\5\5\0\0" * 3)
    yield "bmp", "runs below the image", bmp(info(8, 1), b"\0\2\0\377" + b"\5\1", quads(256))
    yield "bmp", "runs that end early", bmp(info(8, 1), b"\5\1\0\0\5\2", quads(256))
    yield "bmp", "no palette", bmp(info(1), huge)
    yield "tga", "interleaved rows", tga(2, 24, huge * 9, 0x60)
    yield "tga", "indices of 16 bits", tga(1, 16, huge * 9, 32, (0, 2, 24), b"\1\2\3" * 2)
    yield "tga", "another type", tga(4, 24, huge * 9, 32)
    yield "tga", "runs without pixels", tga(10, 32, b"\377\1\2\3\4", 8)[:12] \
        + struct.pack("<HHBB", 65535, 65535, 32, 8) + b"\377\1\2\3\4" * 8
    yield "tga", "cut off", tga(2, 24, b"\0" * 40, 0)
    yield "tga", "palette past the end", tga(1, 8, b"", 0, (0, 65535, 32))


def little_memory(swathe):
    """Runs a command with a limit of 4 GB; without a limit under the address sanitizer, which
    reserves terabytes."""
    limited = ["sh", "-c", 'ulimit -v 4000000; exec "$@"', "sh"]
    done = subprocess.run(limited + [swathe, "--version"], capture_output=True)
    return limited if done.returncode == 0 else []


def check_hostile(swathe, folder, check):
    limited = little_memory(swathe)
    for form, name, data in hostile():
        path = os.path.join(folder, "hostile." + form)
        with open(path, "wb") as file:
            file.write(data)
        begin = time.monotonic()
        done = subprocess.run(limited + [swathe, "apply", "identity", path,
                                         os.path.join(folder, "out.ppm"), "--overwrite",
                                         "--max-memory", "64M"], capture_output=True, timeout=60)
        took = time.monotonic() - begin
        if name == "runs below the image":  # all samples are 0
            check(done.returncode == 0, f"{form} {name}: {done.stderr.decode()}")
            continue
        check(done.returncode in (3, 4, 7) and took < 2,
              f"{form} {name}: exit {done.returncode} after {took:.1f} s: {done.stderr.decode()}")


def check_sparse(swathe, folder, check):
    """Runs may leave out any part of an image, but beyond 2^26 pixels only on request."""
    path = os.path.join(folder, "sparse.bmp")
    for side, options, code in ((2000, [], 0), (9000, [], 4), (9000, ["--max-pixels", "268435456"], 0)):
        with open(path, "wb") as file:
            file.write(bmp(info(8, 1, width=side, height=side), b"\2\7\0\1", quads(256)))
        done = subprocess.run([swathe, "info", path] + options, capture_output=True)
        check(done.returncode == code and (code == 0 or b"--max-pixels 268435456" in done.stderr),
              f"bmp of {side} x {side}, {options}: exit {done.returncode}: {done.stderr.decode()}")


def check_damage(swathe, folder, check):
    """Checks that a changed byte gives an image or an error, never a crash."""
    draw = random.Random(1)
    kinds = [(form, data) for form, kinds in (("bmp", bmp_kinds()), ("tga", tga_kinds()))
             for _, data, _, _ in kinds]
    for form, data in draw.sample(kinds, 60):
        data = bytearray(data)
        for _ in range(draw.randrange(1, 4)):
            data[draw.randrange(min(len(data), draw.choice([64, 4096])))] = draw.randrange(256)
        path = os.path.join(folder, "damaged." + form)
        with open(path, "wb") as file:
            file.write(data)
        code = subprocess.run([swathe, "info", path], capture_output=True, timeout=60).returncode
        check(code in (0, 3, 4, 7), f"{form}, damaged: exit {code}: {bytes(data[:80])!r}")


def main(swathe):
    check, readers = Check(), list(others())
    with tempfile.TemporaryDirectory() as folder:
        check_kinds(swathe, folder, readers, check)
        check_written(swathe, folder, readers, check)
        check_hostile(swathe, folder, check)
        check_sparse(swathe, folder, check)
        check_damage(swathe, folder, check)
    print(f"bmp_tga_kinds: {check.count} checks, {check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
