# Alpha, backgrounds and linear light.
. "$HERE/common.inc"

#### alpha
# Files with alpha: colours are weighted by it, or it is copied, or filtered like a colour.
"$PYTHON" - <<'PYTHON'
header = b"P7\nWIDTH 16\nHEIGHT 12\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
with open("a.pam", "wb") as file:
    file.write(header + bytes((i * 7919 >> 3) % 256 for i in range(16 * 12 * 4)))
PYTHON
try info a.pam
try apply gaussian:5 a.pam usual.pam
try apply gaussian:5 a.pam kept.pam --alpha keep
try apply gaussian:5 a.pam filtered.pam --alpha filter
try apply gaussian:5 a.pam weighted.pam --alpha premultiply
check "premultiply is the default" cmp usual.pam weighted.pam
"$PYTHON" - <<'PYTHON'
def channels(path):
    data = open(path, "rb").read().split(b"ENDHDR\n", 1)[1]
    return [data[c::4] for c in range(4)]

source, kept, filtered = map(channels, ("a.pam", "kept.pam", "filtered.pam"))
print("alpha is copied:", kept[3] == source[3])
print("colours are not:", all(kept[c] != source[c] for c in range(3)))
print("colours do not depend on it:", kept[:3] == filtered[:3])
print("alpha is filtered:", filtered[3] != source[3])
PYTHON

# A red disc on transparency stays red, whatever colour the transparent pixels have: in every format
# with alpha, in 8 and 16 bits.
cat >discs.py <<'PYTHON'
import random
SIDE = 60
random.seed(3)


def write(path, top, outside):
    bytes_of = 1 if top == 255 else 2
    samples = []
    for y in range(SIDE):
        for x in range(SIDE):
            inside = (x - 30) ** 2 + (y - 28) ** 2 < 300
            samples += [top, 0, 0, top] if inside else [*outside(top), 0]
    with open(path, "wb") as file:
        file.write(b"P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL %d\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
                   % (SIDE, SIDE, top) + b"".join(v.to_bytes(bytes_of, "big") for v in samples))


def read(path):
    head, data = open(path, "rb").read().split(b"ENDHDR\n", 1)
    size = 2 if b"MAXVAL 65535" in head else 1
    samples = [int.from_bytes(data[i:i + size], "big") for i in range(0, len(data), size)]
    return [tuple(samples[i:i + 4]) for i in range(0, len(samples), 4)], 65535 if size == 2 else 255
PYTHON
python - <<'PYTHON'
import random
from discs import write
for bits, top in ((8, 255), (16, 65535)):
    write(f"black{bits}.pam", top, lambda top: (0, 0, 0))
    write(f"noise{bits}.pam", top, lambda top: [random.randint(0, top) for _ in range(3)])
PYTHON
cat >check.py <<'PYTHON'
import sys
from discs import read
name = sys.argv[1]
(black, top), (noise, _) = read("black.pam"), read("noise.pam")
seen = [p for p in black if p[3] > 0]
if black != noise:
    print(name, "transparent pixels change", sum(a != b for a, b in zip(black, noise)))
if any(p[:3] != (top, 0, 0) for p in seen):
    print(name, "visible pixels that are not red:", sum(p[:3] != (top, 0, 0) for p in seen))
if any(p != (0, 0, 0, 0) for p in black if p[3] == 0):
    print(name, "transparent pixels with a colour")
if not len(set(p[3] for p in seen)) > 20:
    print(name, "the edge is not blurred")
PYTHON
for kind in "png 8" "png 16" "tiff 8" "tiff 16" "webp 8" "pnm 8" "pnm 16" "tga 8"; do
    set -- $kind
    name=$1$2
    has_format "$1" || continue
    [ "$1" = webp ] && more="--quality lossless" || more=""
    for what in black noise; do
        swathe apply identity $what$2.pam in.$name --format "$1" $more --overwrite
        swathe apply gaussian:9 in.$name out.$name --format "$1" $more --overwrite
        swathe apply identity out.$name $what.pam --overwrite
    done
    python check.py "$name"
done
echo "red discs are checked"
swathe apply gaussian:9 black8.pam kept.pam --alpha keep --overwrite
swathe apply gaussian:9 noise8.pam filtered.pam --alpha filter --overwrite
python - <<'PYTHON'
from discs import read
for name in ("kept.pam", "filtered.pam"):
    print(name, "would have other colours:", any(p[3] and p[:3] != (255, 0, 0) for p in read(name)[0]))
PYTHON
for mode in premultiply keep filter; do
    swathe explain gaussian:9 black8.pam --alpha $mode | grep '^alpha'
done
try apply gaussian:9 black8.pam x.pam --alpha premultipl

#### background
# --background puts a colour behind results with alpha, after the filters.
for format in jpeg png tiff; do has_format $format || skip "backgrounds (no $format)"; done

cat >pixels.py <<'PYTHON'
from fractions import Fraction


def write(path, width, height, depth, top, samples):
    kind = b"RGB_ALPHA" if depth == 4 else b"GRAYSCALE_ALPHA"
    size = 1 if top == 255 else 2
    with open(path, "wb") as file:
        file.write(b"P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n"
                   % (width, height, depth, top, kind))
        file.write(b"".join(v.to_bytes(size, "big") for v in samples))


def read(path, depth, top):
    data = open(path, "rb").read()
    data = data.split(b"ENDHDR\n", 1)[1] if data[:2] == b"P7" else data.split(b"\n", 3)[3]
    size = 1 if top == 255 else 2
    samples = [int.from_bytes(data[i:i + size], "big") for i in range(0, len(data), size)]
    return [samples[i:i + depth] for i in range(0, len(samples), depth)]


def behind(pixels, top, color):
    """The definition, in exact fractions."""
    def one(c, a, b):
        exact = Fraction(c * a + b * (top - a), top)
        return (exact + Fraction(1, 2)).__floor__()
    return [[one(c, pixel[-1], b * top // 255) for c, b in zip(pixel[:-1], color)] for pixel in pixels]
PYTHON
python - <<'PYTHON'
import random
from pixels import write
random.seed(5)
for name, depth, top in (("rgb8", 4, 255), ("rgb16", 4, 65535), ("grey8", 2, 255)):
    count = 64 * 48
    pixels = [[random.randint(0, top) for _ in range(depth)] for _ in range(count)]
    for i, pixel in enumerate(pixels):
        pixel[-1] = (0, top, pixel[-1])[i * 3 // count]
    write(f"{name}.pam", 64, 48, depth, top, sum(pixels, []))
# every sample with every alpha
write("all.pam", 256, 256, 2, 255, [v for a in range(256) for c in range(256) for v in (c, a)])
PYTHON

echo "-- the error names the option"
try apply sharpen rgb8.pam out.jpg
try apply sharpen rgb16.pam out.jpg
try apply sharpen grey8.pam out.jpg
try batch sharpen rgb8.pam --out none --format jpg | sed 's|, [0-9.]* s, .*||'

echo "-- every pixel"
cat >check.py <<'PYTHON'
import sys
from pixels import behind, read
name, depth, top, color = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), eval(sys.argv[4])
wanted = behind(read("filtered.pam", depth, top), top, color)
print("as defined:" if wanted == read("out.pnm", depth - 1, top) else "NOT AS DEFINED:", *sys.argv[1:])
PYTHON
same() {
    swathe apply "$1" $2.pam filtered.pam --overwrite
    swathe apply "$1" $2.pam out.pnm --overwrite --background "$5"
    python check.py $2 $3 $4 "$6"
}
same identity all 2 255 white 255,
same identity all 2 255 black 0,
same identity all 2 255 7,7,7 7,
same gaussian:5 rgb8 4 255 white 255,255,255
same gaussian:5 rgb8 4 255 '#0a80Ff' 10,128,255
same sharpen rgb8 4 255 1,2,3 1,2,3
same gaussian:5 rgb16 4 65535 200,100,50 200,100,50
same gaussian:5 grey8 2 255 grey 128,

echo "-- files"
try apply gaussian:5 rgb8.pam out.jpg --background white
swathe apply gaussian:5 rgb8.pam white.ppm --background white
swathe apply identity white.ppm white.jpg
check "the JPEG has the same pixels" swathe compare out.jpg white.jpg --quiet
try apply gaussian:5 rgb16.pam wide.jpg --background white
swathe info wide.jpg | grep 'type\|channels'
swathe apply gaussian:5 rgb8.pam out.png --background white
swathe info out.png | grep channels
check "the PNG has them, too" swathe compare out.png white.ppm --quiet
swathe apply gaussian:5 rgb8.pam tiles.tif --background white --tile 16 --threads 2
check "and tiles" swathe compare tiles.tif white.ppm --quiet
swathe apply gaussian:5 rgb8.pam floats.tif --type f32 --values scale --background white
swathe info floats.tif | grep 'type\|channels'
swathe apply identity floats.tif back.ppm --type u8 --values scale
check "floats" swathe compare back.ppm white.ppm --max-difference 1 --quiet
swathe apply identity white.ppm plain.png --background '#123456'
check "nothing changes without alpha" swathe compare plain.png white.ppm --quiet
try batch gaussian:5 rgb8.pam grey8.pam --out many --format jpg --background white --quiet
check "as apply" cmp many/rgb8.jpg out.jpg

echo "-- refused"
try apply identity grey8.pam grey.jpg --background 1,2,3
for color in red '#12345' '#12345g' 1,2 1,2,256 1,2,3,4 ''; do
    try apply identity rgb8.pam none.jpg --background "$color"
done
check "nothing was written" test ! -e none.jpg

#### light
# Linear light: by sRGB's curve, by the curves of a profile, and what is refused.
has_format png || skip "no PNG"
python - <<'PYTHON'
import struct
import zlib
import images


def curve(*values):
    return b"curv\0\0\0\0" + struct.pack(f">I{len(values)}H", len(values), *values)


def profile(space, tags):
    """An ICC profile, version 2, for a display."""
    offset, table, data = 128 + 4 + 12 * len(tags), b"", b""
    for name, body in tags.items():
        body += b"\0" * (-len(body) % 4)
        table += name.encode() + struct.pack(">II", offset + len(data), len(body))
        data += body
    size = offset + len(data)
    header = struct.pack(">I4xI", size, 0x02400000) + b"mntr" + space + b"XYZ " + bytes(12)
    header += b"acsp" + bytes(28) + struct.pack(">III", 0xf6d6, 0x10000, 0xd32d) + bytes(48)
    return header + struct.pack(">I", len(tags)) + table + data


def png(path, icc, channels=3):
    kind = {1: 0, 3: 2}[channels]
    rows = b"".join(b"\0" + bytes((x * 37 + y * 91 + c * 60) % 256 for x in range(32)
                                  for c in range(channels)) for y in range(24))
    images.png(path, 32, 24, kind, rows,
               images.chunk(b"iCCP", b"icc\0\0" + zlib.compress(icc)) if icc else b"")


def rgb(red, green, blue, more=()):
    xyz = b"XYZ \0\0\0\0" + struct.pack(">III", 0x6fa2, 0x38f5, 0x0390)
    return profile(b"RGB ", {"rXYZ": xyz, "gXYZ": xyz, "bXYZ": xyz, "rTRC": red, "gTRC": green,
                             "bTRC": blue, **dict(more)})


def srgb(t):
    return t / 12.92 if t <= 0.04045 else ((t + 0.055) / 1.055) ** 2.4


table = curve(*(round(65535 * srgb(i / 1023)) for i in range(1024)))
gamma, steep = curve(0x0200), curve(0x0300)
png("plain.png", None)
png("srgb.png", rgb(table, table, table))
png("gamma.png", rgb(gamma, gamma, gamma))
png("three.png", rgb(gamma, steep, curve()))
png("grey.png", profile(b"GRAY", {"kTRC": gamma}), 1)
png("falling.png", rgb(gamma, curve(0, 30000, 20000, 65535), gamma))
png("tables.png", rgb(gamma, gamma, gamma, {"A2B0": b"mft1" + bytes(60)}.items()))
png("none.png", profile(b"RGB ", {"wtpt": b"XYZ " + bytes(16)}))
PYTHON
case $(swathe explain identity gamma.png --light linear 2>&1) in
*lcms2*) skip "no lcms2" ;;
esac
for name in plain srgb gamma three grey; do
    try apply identity $name.png same.png --light linear --overwrite
    check "$name: identity" swathe compare $name.png same.png --quiet
done
try apply gaussian:7 plain.png plain-out.png --light linear
try apply gaussian:7 plain.png forced.png --light srgb
try apply gaussian:7 srgb.png srgb-out.png --light linear
check "sRGB's profile has sRGB's curve" swathe compare plain-out.png srgb-out.png --quiet
check "so has srgb" swathe compare plain-out.png forced.png --quiet
try apply gaussian:7 gamma.png gamma-out.png --light linear
check "another curve" test "$(swathe compare plain-out.png gamma-out.png --quiet; echo $?)" = 1
swathe info gamma-out.png | grep ICC
try batch gaussian:7 plain.png gamma.png --out out --light linear --quiet
check "batch takes each profile" swathe compare gamma-out.png out/gamma.png --quiet
check "and none" swathe compare plain-out.png out/plain.png --quiet
for name in falling tables none; do
    try apply gaussian:7 $name.png x.png --light linear
done
try apply gaussian:7 plain.png x.png --light linar
try apply gaussian:7 plain.png x.png --light linear --type s16
try apply gaussian:7:bias=128 plain.png x.png --light linear
swathe apply identity plain.png f.pfm --type f32
try apply gaussian:7 f.pfm x.pfm --light linear
try apply 'mask:(3)' plain.png bright.png --light linear
swathe explain gaussian:7 gamma.png --light linear | grep '^stage'
swathe explain gaussian:7 plain.png --light linear --problem
