# apply: notes about an orientation or a colour profile that the format cannot store, unless
# --quiet; and the notes match the files.
. "$HERE/common.inc"
for format in png jpeg tiff webp; do has_format $format || skip "dropped metadata (no $format)"; done

"$PYTHON" - <<'PYTHON'
import struct, zlib

def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

def profile(space):
    tags = struct.pack(">I4sII", 1, b"desc", 144, 264) + b"desc" + bytes(range(256)) + bytes(4)
    head = (struct.pack(">I4sI4s4s4s12s4s", 128 + len(tags), b"none", 0x02100000, b"mntr", space, b"XYZ ",
                        bytes(12), b"acsp").ljust(68, b"\0") + struct.pack(">III", 63190, 65536, 54061))
    return head.ljust(128, b"\0") + tags

def png(path, color, orientation, space):
    exif = struct.pack("<2sHIHHHIHHI", b"II", 42, 8, 1, 274, 3, 1, orientation, 0, 0)
    row = b"\0" + bytes(range(9 if color == 2 else 3))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 2, 8, color, 0, 0, 0)))
        if space:
            file.write(chunk(b"iCCP", b"icc\0\0" + zlib.compress(profile(space))))
        file.write(chunk(b"eXIf", exif) + chunk(b"IDAT", zlib.compress(row * 2)) + chunk(b"IEND", b""))

png("rgb.png", 2, 6, b"RGB ")
png("grey.png", 0, 8, b"GRAY")
png("upright.png", 2, 1, None)
PYTHON

stored() { swathe info $1 --json | grep 'orientation\|icc_bytes' | tr -d '\n'; echo; }
for file in rgb.png grey.png; do
    for end in png jpg tif webp bmp pnm tga; do
        try apply identity $file out.$end --overwrite
        stored out.$end
    done
done
try apply identity rgb.png out.pfm --type f32
try apply identity rgb.png out.bmp --overwrite --orient
try apply identity rgb.png out.tga --overwrite --quiet
try apply identity upright.png out.tga --overwrite
"$SWATHE" apply identity rgb.png - --format pnm 2>&1 > out.ppm
