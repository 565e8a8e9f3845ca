# --background puts a colour behind results with alpha, after the filters.
. "$HERE/common.inc"
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
python() { PYTHONPATH=. PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$@"; }
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
