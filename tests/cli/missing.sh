# Missing samples.
. "$HERE/common.inc"

#### nodata
# Missing data: GDAL's tag, --nodata, --values fit, and what the result says.
has_format tiff || skip "tiff is not built in"
cat >make.py <<'PYTHON'
import math
import random
import images

WIDTH, HEIGHT = 90, 70
random.seed(5)


def height(x, y):
    return 3000 + 800 * math.sin(x / 9) + 300 * math.cos(y / 7)


PLACES = [(x, y) for y in range(HEIGHT) for x in range(WIDTH)]
HOLE = [(x - 45) ** 2 + (y - 30) ** 2 < 300 or random.random() < 0.02 for x, y in PLACES]
LEVELS = [round(height(x, y)) for x, y in PLACES]


def write(path, kind, none, text, **more):
    images.geotiff(path, WIDTH, HEIGHT, kind,
                  [none if hole else level for hole, level in zip(HOLE, LEVELS)], text, **more)


def read(path, page=0):
    samples, tags = images.read(path, page)
    return samples, tags.get(images.NODATA)
PYTHON
plain="--compression none --tile 0"

# A terrain model: missing samples do not change any other, and stay missing.
python - <<'PYTHON'
from make import write
write("dem.tif", "f32", -9999, "-9999")
write("other.tif", "f32", -32000, " -32000.0 ")
write("bare.tif", "f32", -9999, None)
PYTHON
swathe info dem.tif | grep -E 'GeoTIFF|nodata'
swathe info dem.tif --json | grep nodata
swathe info bare.tif --json | grep nodata
try apply gaussian:9 dem.tif blurred.tif $plain
try apply gaussian:9 other.tif blurred_other.tif $plain
try apply gaussian:9 bare.tif given.tif $plain --nodata -9999
try apply gaussian:9 dem.tif smeared.tif $plain --nodata none
python - <<'PYTHON'
import images
from make import HOLE, read
(a, tag), (b, other), (c, given) = map(read, ("blurred.tif", "blurred_other.tif", "given.tif"))
valid = [i for i, hole in enumerate(HOLE) if not hole]
print("tags:", tag, other, given)
print("valid samples that depend on the value of missing ones:", sum(a[i] != b[i] for i in valid))
print("results that are missing:", sum(v == -9999 for v in a) == sum(HOLE))
print("valid results from", round(min(a[i] for i in valid)), "to", round(max(a[i] for i in valid)))
print("--nodata is the same:", a == c)
smeared, none = read("smeared.tif")
print("--nodata none: tag", none, "and smeared:", sum(smeared[i] != a[i] for i in valid) > 500)
kept = images.read("blurred.tif")[1]
print("georeference:", kept[images.SCALE], kept[images.TIEPOINT])
PYTHON
swathe explain gaussian:9 dem.tif | grep -E '^(nodata|tag)'
swathe explain gaussian:9 dem.tif --json | grep -o '"nodata":"[^"]*","result_nodata":"[^"]*"'
swathe explain gaussian:9 dem.tif --nodata none | grep -cE '^(nodata|tag)'
swathe explain gaussian:9 bare.tif --nodata nan:fill:least=0.25 --type u8 | grep -E '^(nodata|tag)'

# Every type; values as GDAL writes them, and values that no sample can have.
python - <<'PYTHON'
import images
from make import write, HEIGHT, HOLE, LEVELS, WIDTH
write("u16.tif", "u16", 65535, "65535")
write("s16.tif", "s16", -32768, "-32768")
write("u32.tif", "u32", 4294967295, "4294967295")
write("s32.tif", "s32", -2147483648, "-2147483648")
write("f64.tif", "f64", -1.7976931348623157e308, "-1.7976931348623157e+308")
write("lowest.tif", "f32", -3.4028234663852886e38, "-3.4028234663852886e+38")
write("short.tif", "f32", -3.4e38, "-3.4e+38")
write("nan.tif", "f32", float("nan"), "nan")
write("never.tif", "u16", 1000, "-9999")
write("half.tif", "u16", 1000, "0.5")
write("huge.tif", "f32", 1000, "-1.7976931348623157e+308")
write("words.tif", "u16", 1000, "none of your business")
small = [0 if hole else 1 + level % 200 for hole, level in zip(HOLE, LEVELS)]
images.geotiff("u8.tif", WIDTH, HEIGHT, "u8", small, "0")
images.geotiff("white.tif", WIDTH, HEIGHT, "u8", [255 - v for v in small], "255", white=True)
PYTHON
for name in u8 white u16 s16 u32 s32 f64 lowest short nan never half huge words; do
    swathe apply box:3 $name.tif $name.out.tif $plain || echo "NOT OK: $name"
done
python - <<'PYTHON'
from make import HOLE, read
for name in "u8 white u16 s16 u32 s32 f64 lowest short nan never half huge words".split():
    samples, tag = read(name + ".out.tif")
    valid = [v for v, hole in zip(samples, HOLE) if not hole]
    holes = {str(v) for v, hole in zip(samples, HOLE) if hole}
    few = holes.pop() if len(holes) == 1 else "filtered"
    print(f"{name}: tag {tag}, valid {min(valid):.0f}..{max(valid):.0f}, missing {few}")
print("0 is white:", read("white.out.tif")[0] == read("u8.out.tif")[0])
PYTHON

# Missing samples are not measured by fit. Formats without the tag are told about.
try apply gaussian:9 dem.tif fit.tif $plain --type u8 --values fit
try apply gaussian:9 dem.tif part.tif $plain --type u8 --values fit:2%..98%
try apply gaussian:9 u16.tif scaled.tif $plain --type u8
python - <<'PYTHON'
from make import HOLE, read
for name in ("fit.tif", "part.tif", "scaled.tif"):
    samples, tag = read(name)
    valid = [v for v, hole in zip(samples, HOLE) if not hole]
    print(name, "tag", tag, "valid", min(valid), max(valid),
          "missing", {v for v, hole in zip(samples, HOLE) if hole})
PYTHON
try apply gaussian:9 u16.tif a.pgm
try apply gaussian:9 u16.tif quiet.pgm --quiet
check "quiet" cmp a.pgm quiet.pgm

# Filled, and with a least share of weights.
try apply gaussian:9 dem.tif filled.tif $plain --nodata tag:fill
try apply gaussian:9 dem.tif filled2.tif $plain --nodata -9999:fill
try apply gaussian:9 dem.tif strict.tif $plain --nodata tag:least=0.9
try apply gaussian:9 dem.tif both.tif $plain --nodata tag:fill:least=0.5
try apply gradient,abs dem.tif edges.tif $plain
cmp filled.tif filled2.tif
python - <<'PYTHON'
from make import HOLE, read
def missing(name):
    return [v == -9999 for v in read(name)[0]]
usual, filled, strict, both = map(missing, ("blurred.tif", "filled.tif", "strict.tif", "both.tif"))
print("filled:", 0 < sum(filled) < sum(usual), "strict:", sum(strict) > sum(usual),
      "both:", sum(filled) < sum(both) < sum(strict))
print("edges:", missing("edges.tif") == HOLE, read("edges.tif")[1])
PYTHON

# Alpha beside a tag is kept; as a mask it says what is missing. Pages have their own tags.
python - <<'PYTHON'
import images
from make import HOLE, LEVELS, WIDTH, HEIGHT
pixels = [(9, 9, 9) if hole else (level % 251, level % 13, 77) for hole, level in zip(HOLE, LEVELS)]
images.geotiff("rgba.tif", WIDTH, HEIGHT, "u8", [v for p in pixels for v in (*p, 50)], "9", 4, True)
images.geotiff("masked.tif", WIDTH, HEIGHT, "u8",
              [v for p, hole in zip(pixels, HOLE) for v in (*p, 0 if hole else 3)], None, 4, True)
levels = [[level % 7 for level in LEVELS], [level % 5 for level in LEVELS]]
images.geotiff("pages.tif", WIDTH, HEIGHT, "u8", levels, ["3", "4"])
PYTHON
swathe explain gaussian:5 rgba.tif | grep -E '^(alpha|nodata|tag)'
try apply gaussian:5 rgba.tif rgba.out.tif $plain
try apply gaussian:5 rgba.tif refused.tif --alpha premultiply
try apply gaussian:5 rgba.tif weighted.tif --alpha premultiply --nodata none
try apply gaussian:5 masked.tif masked.out.tif $plain --nodata mask
swathe explain gaussian:5 masked.tif --nodata mask | grep -E '^(alpha|nodata|tag)'
try apply box:3 pages.tif pages.out.tif $plain
python - <<'PYTHON'
import images
from make import HOLE, read
samples, tag = read("rgba.out.tif")
print("kept alpha:", set(samples[3::4]), "tag", tag,
      "missing stays:", all(samples[4 * i:4 * i + 3] == (9, 9, 9) for i, h in enumerate(HOLE) if h))
samples, tag = read("masked.out.tif")
print("mask: tag", tag, "alpha", sorted(set(samples[3::4])),
      "missing is 0:", all(samples[4 * i:4 * i + 4] == (0,) * 4 for i, h in enumerate(HOLE) if h))
for page in range(2):
    before, after = images.read("pages.tif", page)[0], read("pages.out.tif", page)
    print("page", page + 1, "tag", after[1], "missing stays:",
          [v == int(after[1]) for v in after[0]] == [v == int(after[1]) for v in before])
PYTHON

# Many files of one shape, each with its own tag.
try batch gaussian:9 dem.tif other.tif bare.tif --out many --quiet
check "own tags" sh -c "'$SWATHE' info many/dem.tif | grep -q -- 'nodata  *-9999' &&
    '$SWATHE' info many/other.tif | grep -q -- 'nodata  *-32000' &&
    ! '$SWATHE' info many/bare.tif | grep -q nodata"
check "batch is apply" swathe compare many/dem.tif blurred.tif --quiet
check "batch is apply" swathe compare many/other.tif blurred_other.tif --quiet

# A terminal is told where the value comes from.
"$PYTHON" - "$SWATHE" <<'PYTHON'
import os
import pty
import subprocess
import sys
for more in ([], ["--quiet"], ["--nodata", "-9999"]):
    master, terminal = pty.openpty()
    subprocess.run([sys.argv[1], "apply", "box:3", "dem.tif", "told.tif", "--overwrite", "--no-progress",
                    *more], stderr=terminal, check=True)
    os.close(terminal)
    try:
        print("terminal:", os.read(master, 4096).decode().strip())
    except OSError:
        print("terminal: nothing")
    os.close(master)
PYTHON

# Mistakes.
try apply gaussian:9 dem.tif x.tif --nodata blob
try apply gaussian:9 dem.tif x.tif --nodata tagged
try apply gaussian:9 dem.tif x.tif --nodata ''
try apply gaussian:9 dem.tif x.tif --nodata nan:fil
try apply gaussian:9 dem.tif x.tif --nodata tag:least=2
try apply gaussian:9 u8.tif x.tif --nodata -5
try apply gaussian:9 u8.tif x.tif --nodata nan
try apply gaussian:9 u8.tif x.tif --nodata mask
try apply sobel-x dem.tif x.tif --nodata tag:least=0.5
try apply grey rgba.tif x.tif
try apply grey rgba.tif grey.tif --nodata none

#### mask
# --mask: an image that says which pixels of another are missing.
has_format tiff || skip "tiff is not built in"
plain="--compression none --tile 0"
python - <<'PYTHON'
import images
WIDTH, HEIGHT = 61, 47
places = [(x, y) for y in range(HEIGHT) for x in range(WIDTH)]
hole = [(x - 30) ** 2 + (y - 20) ** 2 < 99 or (x * y) % 37 == 5 for x, y in places]
levels = [7 + (x * x + 3 * y) % 200 for x, y in places]
for name, junk in ("a", 255), ("b", 0):
    images.geotiff(name + "_u8.tif", WIDTH, HEIGHT, "u8",
                  [junk if h else v for h, v in zip(hole, levels)])
    images.geotiff(name + "_f32.tif", WIDTH, HEIGHT, "f32",
                  [junk * 1e6 if h else v for h, v in zip(hole, levels)])
    images.geotiff(name + "_tag.tif", WIDTH, HEIGHT, "s16",
                  [junk if h else v for h, v in zip(hole, levels)], "-1")
    images.geotiff(name + "_rgb.tif", WIDTH, HEIGHT, "u8",
                  [w for h, v in zip(hole, levels) for w in ((junk,) * 3 if h else (v, 9, v // 2))],
                  None, 3)
images.geotiff("pages.tif", WIDTH, HEIGHT, "u8", [levels, levels[::-1]], [None, None])
images.geotiff("mask.tif", WIDTH, HEIGHT, "u8", [0 if h else 1 + i % 255 for i, h in enumerate(hole)])
images.geotiff("mask_f32.tif", WIDTH, HEIGHT, "f32", [0 if h else -0.5 for h in hole])
with open("mask.pgm", "wb") as file:
    file.write(b"P5\n%d %d\n255\n" % (WIDTH, HEIGHT) + bytes(0 if h else 255 for h in hole))
with open("small.pgm", "wb") as file:
    file.write(b"P5\n9 9\n255\n" + bytes(81))
PYTHON
for kind in u8 f32 tag rgb; do
    for name in a b; do
        swathe apply gaussian:9 ${name}_$kind.tif ${name}_$kind.out.tif $plain --mask mask.tif ||
            echo "NOT OK: $kind"
    done
    check "$kind: missing pixels change nothing" cmp a_$kind.out.tif b_$kind.out.tif
done
for mask in mask.pgm mask_f32.tif; do
    try apply gaussian:9 a_rgb.tif same.tif $plain --mask $mask --overwrite
    check "the same with $mask" cmp a_rgb.out.tif same.tif
done
try apply gaussian:9 a_u8.tif value.tif $plain --mask mask.tif --nodata 3
try apply gaussian:9 a_f32.tif filled.tif $plain --mask mask.tif --nodata tag:fill
try apply gaussian:9 a_f32.tif fit.tif $plain --mask mask.tif --type u8 --values fit
try apply gaussian:9 a_u8.tif fit_u8.tif $plain --mask mask.tif --values fit
try apply box:3 pages.tif pages.out.tif $plain --mask mask.tif
try apply identity a_u8.tif copy.tif $plain --mask mask.tif
python - <<'PYTHON'
import images
hole = [v == 0 for v in images.read("mask.tif")[0]]
def show(name, channels=1, page=0):
    samples, tags = images.read(name, page)
    last = samples[channels - 1::channels]
    got = [last[i] for i in range(len(hole)) if hole[i]]
    rest = [last[i] for i in range(len(hole)) if not hole[i]]
    marks = {str(v) for v in got}
    print(name, "tag", tags.get(images.NODATA), "missing", marks if len(marks) < 3 else "filled",
          f"others {min(rest):.0f}..{max(rest):.0f}")
for name, channels in (("a_u8.out.tif", 2), ("a_f32.out.tif", 1), ("a_tag.out.tif", 1),
                       ("a_rgb.out.tif", 4), ("value.tif", 1), ("filled.tif", 1), ("fit.tif", 1),
                       ("fit_u8.tif", 2), ("copy.tif", 2)):
    show(name, channels)
show("pages.out.tif", 2, 0)
show("pages.out.tif", 2, 1)
samples = images.read("a_rgb.out.tif")[0]
print("colours of missing pixels are 0:",
      all(samples[4 * i:4 * i + 3] == (0, 0, 0) for i, h in enumerate(hole) if h))
PYTHON
# Rows of both files are read together, in any size of parts.
for way in "--threads 1 --cell-rows 1" "--threads 3 --cell-rows 7" "--threads 2 --region 40x30+5+9"; do
    swathe apply gaussian:9 a_rgb.tif parts.tif $plain --mask mask.pgm $way --overwrite
    swathe apply gaussian:9 a_rgb.tif whole.tif $plain --mask mask.tif --overwrite
    case "$way" in
    *region*) swathe apply identity whole.tif whole.tif $plain --region 40x30+5+9 --overwrite ;;
    esac
    check "$way" swathe compare whole.tif parts.tif --quiet
done
try apply gaussian:9 a_u8.tif x.tif --mask small.pgm
try apply gaussian:9 a_u8.tif x.tif --mask a_rgb.tif
try apply gaussian:9 copy.tif x.tif --mask mask.tif
try apply gaussian:9 a_u8.tif x.tif --mask -
try apply gaussian:9 a_u8.tif x.tif --mask none.tif
try apply gaussian:9 a_rgb.tif x.ppm --mask mask.tif
