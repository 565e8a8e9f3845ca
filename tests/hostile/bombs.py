"""Writes small files whose headers or contents would need far more memory or time than their size
suggests: bombs.py DIRECTORY

Except those in READABLE, each file lacks samples, so a program that converts it to a complete image
has made up the missing ones.
"""
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faults"))
import image_bytes
from image_bytes import LONG, SHORT, TIFF_DATA, jpeg_segment, png_chunk, tiff, tiff_page

GIB2 = 2**31 - 1
READABLE = {"png_long_notes.png", "png_ztxt.png", "png_itxt_packed.png", "jpg_scans_90.jpg",
            "tif_notes.tif", "tif_claims_icc.tif", "tif_claims_xmp.tif", "tif_claims_geo.tif",
            "tif_claims_text.tif", "png_texts.png", "png_text_after.png", "png_many_chunks.png",
            "png_blank.png"}
# What the command says about them: the option that raises the limit, or what is wrong.
SAYS = {"png_xmp.png": "--max-metadata", "png_xmp_packed.png": "--max-metadata",
        "png_critical.png": "unknown critical chunk 'CgBI'", "png_interlaced_bits.png": "--max-pixels",
        "jpg_huge.jpg": "premature end", "jpg_progressive_wide.jpg": "--max-pixels",
        "webp_lossless.webp": "--max-pixels", "pnm_wide.ppm": "ends early",
        "pnm_spaces.pgm": "header has more than 1048576 bytes",
        "pam_endless.pam": "header has more than 1048576 bytes",
        "pnm_gap.pgm": "more than 1048576 bytes of spaces"}


def deflated_zeros(size):
    packer = zlib.compressobj(9)
    block = bytes(1 << 20)
    return b"".join(packer.compress(block) for _ in range(size >> 20)) + packer.flush()


# ---- PNG ------------------------------------------------------------------------------------------

def small_png(*chunks):
    """Returns a complete image of one pixel, with additional chunks before its pixels."""
    return (image_bytes.png_header(1, 1) + b"".join(chunks) +
            png_chunk(b"IDAT", zlib.compress(b"\0\7")) + png_chunk(b"IEND", b""))


def png_texts():
    """Texts that are not used may have any length and position; XMP has a limit."""
    some = deflated_zeros(15 << 20)
    yield "png_texts.png", small_png(400 * png_chunk(b"iTXt", b"Comment\0\1\0\0\0" + some))
    yield "png_xmp_packed.png", small_png(
        png_chunk(b"iTXt", b"XML:com.adobe.xmp\0\1\0\0\0" + deflated_zeros(64 << 20)))
    yield "png_many_chunks.png", small_png(
        150000 * (png_chunk(b"iTXt", b"a") + png_chunk(b"tEXt", b"a")))
    yield "png_xmp.png", small_png(png_chunk(b"iTXt", b"XML:com.adobe.xmp\0" + bytes(17 << 20)))
    end = png_chunk(b"IEND", b"")
    yield "png_text_after.png", (small_png()[:-len(end)] +
                                 png_chunk(b"iTXt", b"Comment\0" + bytes(17 << 20)) + end)


def blank_png(side):
    """Returns a valid image of bits, interlaced, with all its data."""
    size = sum(-(-(side - top) // down) * (1 + (-(-(side - left) // right) + 7) // 8)
               for left, top, right, down in image_bytes.ADAM7)
    return (image_bytes.png_header(side, side, 1, 0, True) +
            png_chunk(b"IDAT", zlib.compress(bytes(size))) + png_chunk(b"IEND", b""))


def pngs():
    packed = deflated_zeros(128 << 20)
    for name in (b"iTXt", b"zTXt", b"tEXt", b"iCCP", b"eXIf", b"sPLT", b"abCd", b"IDAT"):
        yield f"png_claims_{name.decode()}.png", (image_bytes.png_header(64, 64) +
                                                 png_chunk(name, b"x\0\0", GIB2))
    yield from png_texts()
    yield "png_critical.png", small_png(png_chunk(b"CgBI", b"\x50\0\x20\6"))
    yield "png_wide.png", (image_bytes.png_header(1 << 27, 1, 16, 6) + png_chunk(b"IDAT", b"\x78\1"))
    # Deflate could contain the bits; as bytes they need eight times as much.
    yield "png_interlaced_bits.png", (image_bytes.png_header(16384, 16384, 1, 0, True) +
                                      3 * png_chunk(b"IDAT", deflated_zeros(16 << 20)))
    yield "png_blank.png", blank_png(3000)
    yield "png_long_notes.png", small_png(png_chunk(b"tEXt", b"note\0" + b" " * (80 << 20)))
    yield "png_ztxt.png", small_png(png_chunk(b"zTXt", b"note\0\0" + packed))
    yield "png_itxt_packed.png", small_png(png_chunk(b"iTXt", b"note\0\1\0\0\0" + packed))
    yield "png_interlaced.png", (image_bytes.png_header(16000, 16000, 8, 2, True) +
                                 png_chunk(b"IDAT", zlib.compress(bytes(1000))) +
                                 png_chunk(b"IEND", b""))
    yield "png_interlaced_end.png", image_bytes.png_header(16000, 16000, 8, 2, True)
    yield "png_rows.png", (image_bytes.png_header(100000, 100000) +
                           png_chunk(b"IDAT", zlib.compress(bytes(1000))) + png_chunk(b"IEND", b""))


# ---- JPEG -----------------------------------------------------------------------------------------

def jpegs():
    yield "jpg_scans.jpg", image_bytes.progressive_jpeg(2000, 2000, [(1, 63)] * 100)[:300000]
    yield "jpg_scans_90.jpg", image_bytes.progressive_jpeg(64, 64, [(1, 63)] * 90)
    for name, marker in (("", 0xC0), ("progressive_", 0xC2)):
        yield f"jpg_{name}huge.jpg", image_bytes.progressive_jpeg(8, 8).replace(
            struct.pack(">BHH", 8, 8, 8), struct.pack(">BHH", 8, 65500, 65500)).replace(
                b"\xff\xc2", bytes([0xFF, marker]))
    # The end of a block, 32767 times, by the only symbol of the code.
    yield "jpg_repeated.jpg", image_bytes.progressive_jpeg(2048, 2048)[:-2] + 1000 * (
        jpeg_segment(0xDA, bytes([1, 1, 0, 1, 63, 0])))
    yield "jpg_progressive_wide.jpg", image_bytes.progressive_jpeg(8, 8).replace(
        struct.pack(">BHH", 8, 8, 8), struct.pack(">BHH", 8, 20000, 20000))
    yield "jpg_markers.jpg", b"\xff\xd8" + 200000 * jpeg_segment(0xE1, b"") + b"\xff\xd9"
    small = image_bytes.progressive_jpeg(8, 8)
    yield "jpg_icc_parts.jpg", small[:2] + b"".join(
        jpeg_segment(0xE2, b"ICC_PROFILE\0" + bytes([i, 255]) + bytes(60000)) for i in
        range(1, 255)) + small[2:-30]


# ---- TIFF -----------------------------------------------------------------------------------------

def tile_page(edge, compression, size):
    page = tiff_page(edge, edge, 1, compression, t322=(LONG, [edge]), t323=(LONG, [edge]),
                     t324=(LONG, [TIFF_DATA]), t325=(LONG, [size]))
    return {tag: entry for tag, entry in page.items() if tag not in (273, 278, 279)}


def white_tiles(width, height, edge):
    """Bilevel tiles (fax 4) that share their data: a bit for each row, as white as the one above."""
    data = b"\xff" * (edge // 8) + b"\0\x10\1"
    count = width // edge * (height // edge)
    page = tiff_page(width, height, 1, 4, t258=(SHORT, [1]), t322=(LONG, [edge]), t323=(LONG, [edge]),
                     t324=(LONG, [TIFF_DATA] * count), t325=(LONG, [len(data)] * count))
    return tiff({tag: entry for tag, entry in page.items() if tag not in (273, 278, 279)}, data)


def tiffs():
    data = zlib.compress(bytes(1000))
    yield "tif_white_tiles.tif", white_tiles(65536, 16384, 16384)
    yield "tif_white_row.tif", white_tiles(10 * 6912, 6912, 6912)
    for name, compression in (("lzw", 5), ("deflate", 8), ("packbits", 32773), ("zstd", 50000),
                              ("none", 1), ("lerc", 34887), ("fax", 4), ("jpeg", 7)):
        yield f"tif_tile_{name}.tif", tiff(tile_page(65536, compression, len(data)), data)
        yield f"tif_strip_{name}.tif", tiff(tiff_page(60000, 60000, 1, compression,
                                                      t279=(LONG, [len(data)])), data)
    for name, tag in (("icc", 34675), ("xmp", 700), ("geo", 34735), ("text", 270)):
        kind = SHORT if name == "geo" else 1
        page = tiff_page(8, 8)
        whole = tiff(page | {tag: (LONG, [TIFF_DATA])}, bytes(64))
        at = whole.index(struct.pack("<HHI", tag, LONG, 1))
        yield f"tif_claims_{name}.tif", (whole[:at] + struct.pack("<HHI", tag, kind, GIB2) +
                                         whole[at + 8:])
    yield "tif_strips.tif", tiff(tiff_page(1, 2000000, 1, 1, t278=(LONG, [1])), bytes(64))
    yield "tif_notes.tif", tiff(tiff_page(8, 8, t270=(LONG, [TIFF_DATA] * 1000)), bytes(64))


# ---- The others -------------------------------------------------------------------------------------

def webp_chunk(name, data, claimed=None):
    return name + struct.pack("<I", len(data) if claimed is None else claimed) + data


def webp(*chunks):
    data = b"WEBP" + b"".join(chunk + b"\0" * (len(chunk) % 2) for chunk in chunks)
    return webp_chunk(b"RIFF", data)


def webps():
    side = 16383
    lossless = b"\x2f" + struct.pack("<I", (side - 1) | (side - 1) << 14) + bytes(50)
    lossy = b"\x10\x02\0\x9d\x01\x2a" + struct.pack("<HH", side, side) + bytes(80)
    extended = bytes([0x20, 0, 0, 0]) + (side - 1).to_bytes(3, "little") * 2
    yield "webp_lossless.webp", webp(webp_chunk(b"VP8L", lossless))
    yield "webp_lossy.webp", webp(webp_chunk(b"VP8 ", lossy))
    yield "webp_icc.webp", webp(webp_chunk(b"VP8X", extended), webp_chunk(b"ICCP", b"x", GIB2),
                                webp_chunk(b"VP8L", lossless))


def others():
    yield "pnm_rows.ppm", b"P6 100000 100000 255\n" + bytes(1000)
    yield "pnm_plain.pgm", b"P2 100000 100000 255\n" + b"1 " * 1000
    yield "pnm_comment.pgm", b"P5\n#" + b"x" * (20 << 20)
    yield "pnm_wide.ppm", b"P3 1099511627776 1 255\n1 2 3"
    yield "pnm_spaces.pgm", b"P5\n" + b" " * (3 << 20)
    yield "pam_endless.pam", b"P7\n" + 300000 * b"WIDTH 3\n"
    yield "pnm_gap.pgm", b"P2 2 1 255\n1 #" + bytes(3 << 20) + b"\n2\n"
    yield "pfm_rows.pfm", b"PF\n60000 60000\n-1.0\n" + bytes(1000)
    yield "pam_depth.pam", (b"P7\nWIDTH 9\nHEIGHT 9\nDEPTH 2000000000\nMAXVAL 255\n"
                            b"TUPLTYPE X\nENDHDR\n")
    yield "bmp_rows.bmp", (b"BM" + struct.pack("<IHHI", 1000, 0, 0, 54) +
                           struct.pack("<IiiHHIIiiII", 40, 30000, 30000, 1, 24, 0, 0, 0, 0, 0, 0))
    yield "bmp_runs.bmp", (b"BM" + struct.pack("<IHHI", 3000, 0, 0, 1078) +
                           struct.pack("<IiiHHIIiiII", 40, 15000, 15000, 1, 8, 1, 0, 0, 0, 256, 0) +
                           bytes(1024) + b"\xff\1" * 100)
    yield "tga_rows.tga", struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, 65535, 65535, 24, 0)
    yield "tga_runs.tga", (struct.pack("<BBBHHBHHHHBB", 0, 0, 10, 0, 0, 0, 0, 0, 15000, 15000, 24, 0)
                           + b"\xff\1\2\3" * 100)


def write_all(folder):
    for makers in (pngs, jpegs, tiffs, webps, others):
        for name, data in makers():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)


if __name__ == "__main__":
    write_all(sys.argv[1])
