"""Image files that Swathe itself does not write, built byte by byte from their definitions."""
import struct
import zlib

# ---- PNG ------------------------------------------------------------------------------------------

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
         (0, 1, 1, 2)]


def png_chunk(name, data, claimed=None):
    """Returns a chunk; its length field may be wrong on purpose."""
    length = len(data) if claimed is None else claimed
    return struct.pack(">I", length) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png_header(width, height, bits=8, color=0, interlaced=False):
    return PNG_SIGNATURE + png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, color, 0,
                                                          0, interlaced))


def interlaced_png(width, height):
    """Returns an RGB image, interlaced by Adam7."""
    rows = bytearray()
    for left, top, step_x, step_y in ADAM7:
        columns = range(left, width, step_x)
        for y in range(top, height, step_y) if columns else ():
            rows += b"\0" + bytes(v for x in columns for v in (7 * x & 255, 5 * y & 255, x * y & 255))
    return (png_header(width, height, color=2, interlaced=True) +
            png_chunk(b"IDAT", zlib.compress(bytes(rows))) + png_chunk(b"IEND", b""))


# ---- JPEG -----------------------------------------------------------------------------------------

def jpeg_segment(marker, data):
    return struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data


def jpeg_bits(text):
    """Returns bits as bytes, padded with ones, with a zero byte stuffed after each 0xFF."""
    text += "1" * (-len(text) % 8)
    data = bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8))
    return data.replace(b"\xff", b"\xff\0")


def jpeg_scan(first, last, approximation, text):
    return jpeg_segment(0xDA, bytes([1, 1, 0, first, last, approximation])) + jpeg_bits(text)


def progressive_jpeg(width, height, scans=()):
    """Returns a grey image with one level per block. Huffman codes: 0 is no difference (or the end
    of a block), 10 a difference of four bits. `scans` lists further scans by their first and last
    coefficient; all coefficients are zero."""
    blocks = -(-width // 8) * -(-height // 8)
    levels = "".join("10" + format(8 + i % 8 if i % 2 else 7 - i % 8 % 7, "04b")
                     for i in range(blocks))
    nothing = jpeg_bits("0" * blocks)
    table = bytes([1, 1] + [0] * 14)
    return (b"\xff\xd8" + jpeg_segment(0xDB, b"\0" + bytes([16] * 64)) +
            jpeg_segment(0xC2, struct.pack(">BHHB", 8, height, width, 1) + b"\1\x11\0") +
            jpeg_segment(0xC4, b"\0" + table + b"\0\4") +
            jpeg_segment(0xC4, b"\x10" + table + b"\0\1") +
            jpeg_scan(0, 0, 0, levels) +
            b"".join(jpeg_segment(0xDA, bytes([1, 1, 0, first, last, 0])) + nothing
                     for first, last in scans) + b"\xff\xd9")


def with_metadata(jpeg, orientation):
    """Returns the JPEG file with an ICC profile, EXIF with an orientation, and an XMP packet."""
    icc = bytearray(344)
    struct.pack_into(">I", icc, 0, len(icc))
    icc[8] = 2
    icc[12:24] = b"mntrRGB XYZ "
    icc[36:40] = b"acsp"
    struct.pack_into(">III", icc, 68, 0xF6D6, 0x10000, 0xD32D)
    struct.pack_into(">I4sII", icc, 128, 1, b"desc", 144, 200)
    icc[144:] = bytes(i * i * 77 >> 3 & 255 for i in range(200))  # hard to compress, for PNG
    exif = b"Exif\0\0II*\0\x08\0\0\0" + struct.pack("<HHHIHHI", 1, 274, 3, 1, orientation, 0, 0)
    xmp = b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"
    return (jpeg[:2] + jpeg_segment(0xE1, exif) + jpeg_segment(0xE1, xmp) +
            jpeg_segment(0xE2, b"ICC_PROFILE\0\1\1" + bytes(icc)) + jpeg[2:])


# ---- TIFF -----------------------------------------------------------------------------------------

SHORT, LONG, LONG8 = 3, 4, 16
TIFF_TYPES = {SHORT: "H", LONG: "I", LONG8: "Q"}


def tiff_entry(big, tag, kind, values, at):
    """Returns an entry and, if its values do not fit, the bytes that it points to at `at`."""
    data = struct.pack("<" + TIFF_TYPES[kind] * len(values), *values)
    room = 8 if big else 4
    field = data.ljust(room, b"\0") if len(data) <= room else struct.pack("<Q" if big else "<I", at)
    head = struct.pack("<HHQ" if big else "<HHI", tag, kind, len(values))
    return head + field, b"" if len(data) <= room else data


def tiff(entries, data=b"", big=False):
    """Returns a file with one page of entries {tag: (kind, values)}; `data` starts at TIFF_DATA."""
    start = TIFF_DATA + len(data) + len(data) % 2
    header = struct.pack("<2sHHHQ", b"II", 43, 8, 0, start) if big else struct.pack("<2sHI", b"II", 42,
                                                                                start)
    after = start + (8 + 20 * len(entries) + 8 if big else 2 + 12 * len(entries) + 4)
    directory, extra = struct.pack("<Q" if big else "<H", len(entries)), b""
    for tag, (kind, values) in sorted(entries.items()):
        entry, outside = tiff_entry(big, tag, kind, values, after + len(extra))
        directory += entry
        extra += outside
    end = struct.pack("<Q" if big else "<I", 0)
    return header.ljust(TIFF_DATA, b"\0") + data.ljust(start - TIFF_DATA, b"\0") + directory + end + extra


TIFF_DATA = 16


def tiff_page(width, height, channels=1, compression=1, **others):
    """Returns the usual entries of a page of u8 in one strip."""
    return {256: (LONG, [width]), 257: (LONG, [height]), 258: (SHORT, [8] * channels),
            259: (SHORT, [compression]), 262: (SHORT, [2 if channels == 3 else 1]),
            273: (LONG, [TIFF_DATA]), 277: (SHORT, [channels]), 278: (LONG, [height]),
            279: (LONG, [width * height * channels])} | {int(tag[1:]): value
                                                         for tag, value in others.items()}


def planar_tiff(width, height, big=False):
    """Returns three planes of u8 in deflate-compressed strips of 8 rows."""
    strips, data = [], b""
    for plane in range(3):
        for top in range(0, height, 8):
            rows = bytes((x * (plane + 2) + y) & 255 for y in range(top, min(height, top + 8))
                         for x in range(width))
            strips.append((TIFF_DATA + len(data), len(zlib.compress(rows))))
            data += zlib.compress(rows)
    page = tiff_page(width, height, 3, 8, t284=(SHORT, [2]), t278=(LONG, [8]),
                     t273=(LONG8 if big else LONG, [at for at, _ in strips]),
                     t279=(LONG8 if big else LONG, [size for _, size in strips]))
    return tiff(page, data, big)


def pages_tiff(pages):
    """Returns several grey pages of 20 x 10."""
    out, link = bytearray(b"II*\0\0\0\0\0"), 4
    for number in range(pages):
        at = len(out)
        out += bytes((number * 50 + i) & 255 for i in range(200))
        struct.pack_into("<I", out, link, len(out))
        page = tiff_page(20, 10, t273=(LONG, [at]))
        out += struct.pack("<H", len(page))
        out += b"".join(tiff_entry(False, tag, *page[tag], 0)[0] for tag in sorted(page))
        link = len(out)
        out += b"\0\0\0\0"
    return bytes(out)
