# info: how files store their samples, and which metadata counts as EXIF.
. "$HERE/common.inc"
for format in png tiff; do has_format $format || skip "stored samples (no $format)"; done

"$PYTHON" - <<'PYTHON'
import struct, zlib

def directory(entries, after=0):
    return struct.pack("<H", len(entries)) + b"".join(
        struct.pack("<HHIHH" if kind == 3 else "<HHII", tag, kind, 1, value, *([0] if kind == 3 else []))
        for tag, kind, value in entries) + struct.pack("<I", after)

def tiff(path, extra, tail=b""):
    basic = [(256, 4, 3), (257, 4, 2), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 8),
             (277, 3, 1), (278, 4, 2), (279, 4, 6)]
    size = 14 + 2 + 12 * len(basic + extra) + 4
    entries = sorted(basic + [(tag, kind, size if value is None else value) for tag, kind, value in extra])
    with open(path, "wb") as file:
        file.write(b"II*\0" + struct.pack("<I", 14) + b"\x0a\x14\x1e\x28\x32\x3c" + directory(entries) + tail)

def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

tiff("plain.tif", [])
tiff("tags.tif", [(274, 3, 8)])
tiff("exif.tif", [(274, 3, 3), (34665, 4, None)], directory([(34855, 3, 400)]))
exif = struct.pack("<2sHIHHHIHHI", b"II", 42, 8, 1, 274, 3, 1, 6, 0, 0)
with open("turned.png", "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 2, 8, 0, 0, 0, 0))
               + chunk(b"eXIf", exif) + chunk(b"IDAT", zlib.compress(b"\0abc\0def")) + chunk(b"IEND", b""))
PYTHON

info() { try info "$@" | grep '^\$\|^orientation\|^EXIF\|^TIFF\|^exit'; }
for file in plain.tif tags.tif exif.tif turned.png; do info $file; done

# info reports the options that the file was written with.
pnm 40 30 3 > a.ppm
for how in none lzw deflate; do
    swathe apply identity a.ppm $how.tif --compression $how
    swathe info $how.tif | grep ^compression
done
swathe info turned.png | grep ^compression

# One tile that covers the image is a tile, unlike one strip.
swathe apply identity a.ppm tile.tif --tile 64
swathe apply identity a.ppm strip.tif --tile 0
for file in tile.tif strip.tif; do
    swathe info $file | grep '^tiles\|^strips'
    swathe info $file --json | grep 'tile_\|strip_' | tr -d '\n'
    echo
done
# With little memory strips are read row by row; they are stored as before.
swathe info strip.tif --max-memory 32K | grep ^strips
swathe info strip.tif --max-memory 32K --json | grep strip_
info turned.png --orient
"$PYTHON" -c 'open("a.pfm", "wb").write(b"Pf\n1 1\n-1\n\0\0\0\0")'
swathe info a.pfm | grep compression
for file in tags.tif exif.tif turned.png a.pfm; do
    swathe info $file --json | grep 'exif_\|tags_\|orientation' | tr -d '\n'
    echo
done
