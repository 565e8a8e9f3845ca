"""Writes the images of the tests, and reads TIFFs, independently of Swathe and of libtiff.

    images.py pnm WIDTH HEIGHT CHANNELS [SEED [BITS]]   reproducible noise over a gradient
    images.py tiff WxH[:KIND]...                        grey pages; KIND is the NewSubfileType of one,
                                                        1 for a copy at a lower resolution, 4 for a mask
"""
import struct
import sys
import zlib

# ---- PNM, PNG -------------------------------------------------------------------------------------

def noise(width, height, channels, seed, largest):
    state = seed * 2654435761 % 2**32
    for y in range(height):
        for x in range(width):
            for c in range(channels):
                state = (state * 1664525 + 1013904223) % 2**32
                base = (x * (c + 1) + y * 3) * largest // (4 * (width + height) * channels)
                yield (base + (state >> 16) * largest // 65536 // 2) % (largest + 1)


def pnm(width, height, channels, seed=1, bits=8):
    largest = 2**bits - 1
    size = 2 if bits > 8 else 1
    magic = {1: "P5", 3: "P6"}[channels]
    out = sys.stdout.buffer
    out.write(f"{magic}\n{width} {height}\n{largest}\n".encode())
    values = noise(width, height, channels, seed, largest)
    out.write(b"".join(value.to_bytes(size, "big") for value in values))


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(path, width, height, kind, pixels, extra=b"", bits=8):
    """Writes a PNG: `kind` is its colour type, `pixels` its rows, which all begin with a filter byte,
    and `extra` the chunks before them."""
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" +
                   chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, 0)) +
                   extra + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))


def exif(orientation):
    """Returns the chunk of a PNG with this orientation."""
    return chunk(b"eXIf", struct.pack("<2sHIHHHIHHI", b"II", 42, 8, 1, 274, 3, 1, orientation, 0, 0))


# ---- TIFF -----------------------------------------------------------------------------------------

def entry(tag, kind, value):
    """Returns a directory entry with one SHORT (3) or LONG (4)."""
    return struct.pack("<HHIHH" if kind == 3 else "<HHII", tag, kind, 1, value,
                       *([0] if kind == 3 else []))


def page(at, text):
    """Returns the bytes of a page at offset `at` (its pixels, then its directory without the link
    to the next one) and the offset of the directory."""
    size, _, kind = text.partition(":")
    width, height = (int(side) for side in size.split("x"))
    pixels = bytes((7 * i + i * i // 5) % 256 for i in range(width * height))
    pixels += b"\0" * (len(pixels) % 2)
    entries = [entry(254, 4, int(kind or 0)), entry(256, 4, width), entry(257, 4, height),
               entry(258, 3, 8), entry(259, 3, 1), entry(262, 3, 1), entry(273, 4, at),
               entry(277, 3, 1), entry(278, 4, height), entry(279, 4, width * height)]
    return pixels + struct.pack("<H", len(entries)) + b"".join(entries), at + len(pixels)


def tiff(*texts):
    out = bytearray(b"II*\0\0\0\0\0")
    link = 4
    for text in texts:
        added, directory = page(len(out), text)
        struct.pack_into("<I", out, link, directory)
        out += added
        link = len(out)
        out += b"\0\0\0\0"
    sys.stdout.buffer.write(out)


FORMATS = {"u8": ("B", 8, 1), "u16": ("H", 16, 1), "s16": ("h", 16, 2), "u32": ("I", 32, 1),
           "s32": ("i", 32, 2), "f32": ("f", 32, 3), "f64": ("d", 64, 3)}
SCALE, TIEPOINT, NODATA = 33550, 33922, 42113
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 12: 8}


def directory(at, entries):
    """Returns a directory at offset `at`, followed by the values that do not fit into its entries."""
    head, tail = struct.pack("<H", len(entries)), b""
    after = at + 2 + 12 * len(entries) + 4
    for tag, kind, count, value in sorted(entries):
        if len(value) > 4:
            value, kept = struct.pack("<I", after + len(tail)), value
            tail += kept + b"\0" * (len(kept) % 2)
        head += struct.pack("<HHI", tag, kind, count) + value.ljust(4, b"\0")
    return head, tail


def geotiff(path, width, height, kind, samples, nodata=None, channels=1, alpha=False, white=False):
    """Writes a plain GeoTIFF: one strip, not compressed, any sample type, GDAL's tag of missing samples.
    `samples` are in the order of the pixels; `nodata` is a text. Lists of samples and of texts make
    pages."""
    pages = [(samples, nodata)] if not isinstance(nodata, list) else zip(samples, nodata)
    letter, bits, form = FORMATS[kind]
    out, link = bytearray(b"II*\0\0\0\0\0"), 4
    for values, text in pages:
        start = len(out)
        out += struct.pack(f"<{len(values)}{letter}", *values)
        out += b"\0" * (len(out) % 2)

        def short(tag, *numbers):
            return tag, 3, len(numbers), struct.pack(f"<{len(numbers)}H", *numbers)

        def long(tag, number):
            return tag, 4, 1, struct.pack("<I", number)
        entries = [long(256, width), long(257, height), short(258, *[bits] * channels), short(259, 1),
                   short(262, 0 if white else 2 if channels > 2 else 1), long(273, start),
                   short(277, channels), long(278, height), long(279, len(values) * bits // 8),
                   short(339, *[form] * channels), (SCALE, 12, 3, struct.pack("<3d", 10, 10, 0)),
                   (TIEPOINT, 12, 6, struct.pack("<6d", 0, 0, 0, 500000, 4000000, 0))]
        if alpha:
            entries.append(short(338, 2))
        if text is not None:
            entries.append((NODATA, 2, len(text) + 1, text.encode() + b"\0"))
        at = len(out)
        head, tail = directory(at, entries)
        struct.pack_into("<I", out, link, at)
        out += head
        link = len(out)
        out += b"\0\0\0\0" + tail
    with open(path, "wb") as file:
        file.write(out)


def values_of(data, tag, kind, count, at):
    size = SIZES[kind] * count
    start = at if size <= 4 else struct.unpack_from("<I", data, at)[0]
    if kind == 2:
        return data[start:start + count].rstrip(b"\0").decode()
    return struct.unpack_from(f"<{count}{ {1: 'B', 3: 'H', 4: 'I', 5: 'Q', 12: 'd'}[kind]}", data, start)


def read(path, page=0):
    """Returns the samples and the tags of a file that is not compressed."""
    with open(path, "rb") as file:
        data = file.read()
    at = struct.unpack_from("<I", data, 4)[0]
    for _ in range(page):
        at = struct.unpack_from("<I", data, at + 2 + 12 * struct.unpack_from("<H", data, at)[0])[0]
    tags = {}
    for i in range(struct.unpack_from("<H", data, at)[0]):
        tag, kind, count = struct.unpack_from("<HHI", data, at + 2 + 12 * i)
        tags[tag] = values_of(data, tag, kind, count, at + 10 + 12 * i)
    assert tags.get(259, (1,)) == (1,), "compressed"
    raw = b"".join(data[start:start + size] for start, size in zip(tags[273], tags[279]))
    letter = next(letter for letter, bits, form in FORMATS.values()
                  if (bits, form) == (tags[258][0], tags.get(339, (1,))[0]))
    return struct.unpack(f"<{len(raw) // struct.calcsize(letter)}{letter}", raw), tags


if __name__ == "__main__":
    if sys.argv[1] == "pnm":
        pnm(*map(int, sys.argv[2:]))
    else:
        tiff(*sys.argv[2:])
