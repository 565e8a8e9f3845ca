#!/usr/bin/env python3
"""Writes a TIFF of grey pages to standard output: make_tiff.py WxH[:KIND]... KIND is its
NewSubfileType, 1 for a copy at a lower resolution, 4 for a mask."""
import struct
import sys


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


def main():
    out = bytearray(b"II*\0\0\0\0\0")
    link = 4
    for text in sys.argv[1:]:
        added, directory = page(len(out), text)
        struct.pack_into("<I", out, link, directory)
        out += added
        link = len(out)
        out += b"\0\0\0\0"
    sys.stdout.buffer.write(out)


main()
