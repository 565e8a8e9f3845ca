# Regions and orientations.
. "$HERE/common.inc"

#### regions
# Regions of a result equal the parts of the whole result.
pnm 100 70 3 > a.ppm
chain=sharpen,gaussian:5,edge,gaussian:9
swathe apply $chain a.ppm whole.ppm
for y in 0 23 46; do
    for x in 0 34 68; do
        width=34 height=23
        test $x -eq 68 && width=32
        test $y -eq 46 && height=24
        swathe apply $chain a.ppm tile_${x}_$y.ppm --region ${width}x$height+$x+$y --threads 2
    done
done
"$PYTHON" - <<'PYTHON'
def read(path):
    data = open(path, "rb").read()
    magic, size, largest, pixels = data.split(b"\n", 3)
    width, height = map(int, size.split())
    return width, height, pixels

width, height, whole = read("whole.ppm")
bad = 0
for y in (0, 23, 46):
    for x in (0, 34, 68):
        w, h, tile = read(f"tile_{x}_{y}.ppm")
        for row in range(h):
            start = ((y + row) * width + x) * 3
            bad += whole[start:start + w * 3] != tile[row * w * 3:(row + 1) * w * 3]
print("rows that differ:", bad)
PYTHON
swathe apply $chain a.ppm one.ppm --region 100x70+0+0
check "the region of the whole result" cmp one.ppm whole.ppm
swathe apply $chain a.ppm pixel.ppm --region 1x1+99+69
tail -c 3 whole.ppm > last.bin
tail -c 3 pixel.ppm | cmp - last.bin
check "one pixel" test $? -eq 0
try apply $chain a.ppm past.ppm --region 100x70+1+0
try apply gaussian:9 a.ppm shrunk.ppm --region 100x70+0+0 --border valid
try apply gaussian:9 a.ppm shrunk.ppm --region 92x62+0+0 --border valid

#### orient
# Images with an EXIF orientation.
has_format png || skip "no PNG in this build"

python - <<'PYTHON'
import images
for orientation in range(10):
    images.png(f"{orientation}.png", 3, 2, 0, b"\0\x0a\x14\x1e\0\x28\x32\x3c",
               images.exif(orientation))
PYTHON

# The pixels of a file: size, then rows of numbers.
pixels() {
    swathe apply identity "$@" out.pgm --overwrite --quiet
    "$PYTHON" -c '
data = open("out.pgm", "rb").read()
width, height = map(int, data.split()[1:3])
print(width, "x", height, *(data[-width * height:][i:i + width].hex(" ")
                            for i in range(0, width * height, width)), sep="  ")'
}

pixels 6.png
for orientation in 0 1 2 3 4 5 6 7 8 9; do
    pixels $orientation.png --orient
done

try info 6.png
try info 6.png --orient
try explain sharpen 6.png --orient --problem
try apply identity 6.png upright.png --orient
try info upright.png --orient
check "the image is not rotated twice" test "$(pixels upright.png --orient)" = "$(pixels upright.png)"

# The whole image must be in memory, unless rows are only mirrored.
try apply sharpen 6.png b.pgm --orient --max-pixels 5
try info 6.png --orient --max-pixels 5
try apply sharpen 2.png b.pgm --orient --max-pixels 5
try compare 6.png 6.png --orient
