# Regions of a result equal the parts of the whole result.
. "$HERE/common.inc"
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
