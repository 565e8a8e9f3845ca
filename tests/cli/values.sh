# Samples that another type or format cannot hold, and what is said about them.
. "$HERE/common.inc"

#### values_between_types
# Numbers between types: photos of 16 bits in 8 bits, formats that hold other types, and fit.
pnm 40 30 1 7 16 >photo.pgm
"$PYTHON" - <<'PYTHON'
with open("wide.pgm", "wb") as file:  # 1000..4999, and one sample of 60000
    file.write(b"P5\n100 40\n65535\n")
    samples = [1000 + i for i in range(4000)]
    samples[17] = 60000
    file.write(b"".join(s.to_bytes(2, "big") for s in samples))
PYTHON
samples() {
    "$PYTHON" - "$@" <<'PYTHON'
import sys
for path in sys.argv[1:]:
    data = open(path, "rb").read()
    maximum, rest = data.split(b"\n", 3)[2:]
    size = 1 if maximum == b"255" else 2
    got = [int.from_bytes(rest[i:i + size], "big") for i in range(0, len(rest), size)]
    print(path, "of", maximum.decode(), "from", min(got), "to", max(got), "first", got[0])
PYTHON
}
try apply identity wide.pgm scaled.pgm --type u8
try apply identity wide.pgm kept.pgm --type u8 --values keep
try apply identity wide.pgm fit.pgm --type u8 --values fit
try apply identity wide.pgm fit16.pgm --values fit
try apply identity wide.pgm most.pgm --type u8 --values fit:1%..99%
try apply identity wide.pgm given.pgm --type u8 --values 'fit(1000..5000)'
try apply identity wide.pgm quiet.pgm --type u8 --values fit --quiet
samples scaled.pgm kept.pgm fit.pgm fit16.pgm most.pgm given.pgm
check "quiet" cmp fit.pgm quiet.pgm

# A format that holds only u8 gets a scaled image; signed results are refused, and each advice works.
try apply identity wide.pgm photo.bmp
try apply identity photo.bmp back.pgm
try apply identity wide.pgm direct.pgm --type u8
check "the format scales" cmp back.pgm direct.pgm
try apply identity wide.pgm refused.bmp --values keep
try apply sobel-x:type=s16 wide.pgm slope.bmp
try apply sobel-x:type=s16 wide.pgm slope.bmp --type u8
try apply sobel-x:type=s16 wide.pgm slope.bmp --values fit --overwrite
try apply sobel-x:type=f32 wide.pgm slope.pgm --values fit
samples slope.pgm
try apply identity wide.pgm slope.pfm
try apply identity wide.pgm slope.pfm --values fit

# abs keeps both signs of a gradient.
try apply sobel-x:type=s16,abs wide.pgm absolute.pgm --type u16
samples absolute.pgm

# A pipe can be read once.
try apply identity - piped.pgm --values fit <wide.pgm
try apply identity wide.pgm x.pgm --values fat
try apply identity wide.pgm x.pgm --values fit:99%..1%
try apply identity wide.pgm x.pgm --values 'fit(7..3)'
try explain identity wide.pgm --values fit

# explain states the rule.
swathe explain identity wide.pgm --type u8 | grep '^values'
swathe explain identity wide.pgm --type s16 | grep '^values'
swathe explain identity wide.pgm --type f32 --values scale | grep '^values'
swathe explain identity wide.pgm --values 'fit(0..4095)' | grep '^values'
swathe explain identity wide.pgm | grep -c '^values' || true

# Every image of a batch has its own range.
mkdir out
try batch identity photo.pgm wide.pgm --out out --type u8 --values fit --quiet
samples out/photo.pgm out/wide.pgm
check "the same as apply" cmp out/wide.pgm fit.pgm

#### wide_samples
# u32, s32, f64 and negative samples: shown, compared, converted, refused by formats that cannot hold them.
has_format tiff || skip "tiff is not built in"
printf 'P5\n4 2\n255\n\001\002\003\004\005\006\007\377' > a.pgm

try apply 'mask:(16843009):type=u32' a.pgm u32.tif --quiet
try info u32.tif
try apply 'mask:(-16843009):bias=1:type=s32' a.pgm s32.tif --quiet
try apply 'mask:(0.1):type=f64' a.pgm f64.tif --quiet
try info f64.tif
try compare u32.tif u32.tif
try compare u32.tif a.pgm
try compare u32.tif s32.tif
try compare f64.tif a.pgm
try apply identity u32.tif again.tif --quiet
try compare u32.tif again.tif
try apply identity f64.tif f32.pfm --type f32 --quiet
try compare f64.tif f32.pfm --max-difference 1e-6
for file in a.pfm a.png; do
    swathe apply identity f64.tif "$file" --quiet 2> /dev/null
    echo "$file: exit $?"
done
pnm 60 40 3 5 > slopes.ppm # advice where clamped.sh loses samples
try apply sobel-x:type=s16 slopes.ppm slopes.tif

#### clamped
# Results that the type cannot hold: what apply says, and whether its advice works.
pnm 60 40 3 5 >a.ppm
try apply sobel-x a.ppm lost.ppm
try apply sobel-x:type=s16 a.ppm fit.ppm --values fit
try apply sobel-x:bias=128 a.ppm grey.ppm
try apply sobel-x a.ppm quiet.ppm --quiet
check "quiet" cmp lost.ppm quiet.ppm
# A filter that keeps the brightness of flat areas is expected to overshoot, unless the type changes.
try apply sharpen a.ppm sharper.ppm
pnm 60 40 1 5 16 >wide.pgm
try apply identity wide.pgm narrow.pgm --type u8 --values keep
try apply gaussian:5 a.ppm smooth.ppm
# For programs.
"$SWATHE" apply edge a.ppm edges.ppm --progress=json 2>&1 | sed 's/"seconds": [0-9.]*, "rate": [0-9.]*/…/'
# Results that are all less than half a level.
try apply log:sigma=50 a.ppm black.ppm
try apply log:sigma=50:type=f32 a.ppm seen.ppm --values fit --exact

#### dropped
# apply: notes about an orientation or a colour profile that the format cannot store, about frames of
# an animation and about a progressive JPEG, unless --quiet; and the notes match the files.
for format in png jpeg tiff webp; do has_format $format || skip "dropped metadata (no $format)"; done

python - <<'PYTHON'
import struct
import zlib
import images

def profile(space):
    tags = struct.pack(">I4sII", 1, b"desc", 144, 264) + b"desc" + bytes(range(256)) + bytes(4)
    head = (struct.pack(">I4sI4s4s4s12s4s", 128 + len(tags), b"none", 0x02100000, b"mntr", space, b"XYZ ",
                        bytes(12), b"acsp").ljust(68, b"\0") + struct.pack(">III", 63190, 65536, 54061))
    return head.ljust(128, b"\0") + tags

def png(path, color, orientation, space):
    icc = images.chunk(b"iCCP", b"icc\0\0" + zlib.compress(profile(space))) if space else b""
    row = b"\0" + bytes(range(9 if color == 2 else 3))
    images.png(path, 3, 2, color, row * 2, icc + images.exif(orientation))

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

#### expanded
# apply: notes about properties of the file that the result does not have, unless --quiet, and no
# other notes.
for format in png tiff; do has_format $format || skip "expanded samples (no $format)"; done

python - <<'PYTHON'
import images
palette = images.chunk(b"PLTE", b"\x10\x20\x30\x40\x50\x60")
images.png("map.png", 2, 2, 3, b"\0\0\1" * 2, palette)
images.png("four.png", 2, 2, 0, b"\0\x1f" * 2, bits=4)
images.png("eight.png", 2, 2, 0, b"\0\x11\xff" * 2)
PYTHON
printf 'P4 2 2\n\200\100' > bits.pbm

for file in map.png four.png bits.pbm eight.png; do
    try apply identity $file ${file%.*}.tif
    try apply identity $file again.tif --overwrite --quiet
done
