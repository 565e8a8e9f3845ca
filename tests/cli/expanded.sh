# apply: notes about properties of the file that the result does not have, unless --quiet, and no
# other notes.
. "$HERE/common.inc"
for format in png tiff; do has_format $format || skip "expanded samples (no $format)"; done

"$PYTHON" - <<'PYTHON'
import struct, zlib

def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

def png(path, bits, color, row, *extra):
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, bits, color, 0, 0, 0)))
        file.write(b"".join(extra) + chunk(b"IDAT", zlib.compress((b"\0" + row) * 2)) + chunk(b"IEND", b""))

png("map.png", 8, 3, b"\0\1", chunk(b"PLTE", b"\x10\x20\x30\x40\x50\x60"))
png("four.png", 4, 0, b"\x1f")
png("eight.png", 8, 0, b"\x11\xff")
PYTHON
printf 'P4 2 2\n\200\100' > bits.pbm

for file in map.png four.png bits.pbm eight.png; do
    try apply identity $file ${file%.*}.tif
    try apply identity $file again.tif --overwrite --quiet
done
