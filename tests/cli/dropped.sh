# apply: notes about an orientation or a colour profile that the format cannot store, about frames of
# an animation and about a progressive JPEG, unless --quiet; and the notes match the files.
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

echo "-- frames and scans"
pnm 16 8 3 > still.ppm
swathe apply identity still.ppm still.webp --quality lossless
"$PYTHON" - "$HERE/../faults" <<'PYTHON'
import struct, sys
sys.path.insert(0, sys.argv[1])
import image_bytes

def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)

def number(value):
    return struct.pack("<I", value)[:3]

still = open("still.webp", "rb").read()[12:]
size = number(15) + number(7)
frame = chunk(b"ANMF", bytes(6) + size + number(100) + b"\0" + still)
for count in (1, 3):
    body = b"WEBP" + chunk(b"VP8X", b"\2\0\0\0" + size) + chunk(b"ANIM", bytes(6)) + count * frame
    open(f"frames{count}.webp", "wb").write(b"RIFF" + struct.pack("<I", len(body)) + body)
open("scans.jpg", "wb").write(image_bytes.progressive_jpeg(40, 30, [(1, 5), (6, 63)]))
PYTHON
for file in frames1.webp frames3.webp scans.jpg; do
    swathe info $file | grep 'frames\|progressive'
    swathe info $file --json | grep 'frames\|progressive' | tr -d '\n'; echo
    try apply identity $file out.png --overwrite
    try apply identity $file out.jpg --overwrite
done
swathe apply identity frames3.webp frame.png --quiet
check "the first frame" swathe compare still.ppm frame.png --quiet
try apply identity frames3.webp out.webp --overwrite --quiet
try batch identity frames1.webp frames3.webp scans.jpg --out many | sed 's|, [0-9.]* s, .*||'
