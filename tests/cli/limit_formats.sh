# Limits of formats that must be decoded as a whole, and of metadata.
. "$HERE/common.inc"
has_format webp || skip "no WebP in this build"
has_format png || skip "no PNG in this build"
pnm 40 30 3 > a.ppm

try apply identity a.ppm a.webp --quality lossless
try apply sharpen a.webp b.ppm --max-pixels 1000
try info a.webp --max-pixels 1000
try compare a.webp a.ppm --max-pixels 1000
try apply sharpen a.webp b.ppm --max-pixels 1200
try apply sharpen a.ppm c.webp --max-pixels 1000

"$PYTHON" - <<'PYTHON'
import struct, zlib

def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

packet = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>" + b" " * 5000 + b"</x:xmpmeta>"
with open("notes.png", "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
               + chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + packet)
               + chunk(b"IDAT", zlib.compress(b"\0\7")) + chunk(b"IEND", b""))
PYTHON
try info notes.png
try info notes.png --max-metadata 1K
try apply identity notes.png copy.png
try info copy.png
