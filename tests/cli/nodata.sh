# Missing data: GDAL's tag, --nodata, --values fit, and what the result says.
. "$HERE/common.inc"
has_format tiff || skip "tiff is not built in"
cat >make.py <<'PYTHON'
import math
import random
import geotiff

WIDTH, HEIGHT = 90, 70
random.seed(5)


def height(x, y):
    return 3000 + 800 * math.sin(x / 9) + 300 * math.cos(y / 7)


PLACES = [(x, y) for y in range(HEIGHT) for x in range(WIDTH)]
HOLE = [(x - 45) ** 2 + (y - 30) ** 2 < 300 or random.random() < 0.02 for x, y in PLACES]
LEVELS = [round(height(x, y)) for x, y in PLACES]


def write(path, kind, none, text, **more):
    geotiff.write(path, WIDTH, HEIGHT, kind,
                  [none if hole else level for hole, level in zip(HOLE, LEVELS)], text, **more)


def read(path, page=0):
    samples, tags = geotiff.read(path, page)
    return samples, tags.get(geotiff.NODATA)
PYTHON
python() { PYTHONPATH="$HERE:." PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$@"; }
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
import geotiff
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
kept = geotiff.read("blurred.tif")[1]
print("georeference:", kept[geotiff.SCALE], kept[geotiff.TIEPOINT])
PYTHON
swathe explain gaussian:9 dem.tif | grep -E '^(nodata|tag)'
swathe explain gaussian:9 dem.tif --json | grep -o '"nodata":"[^"]*","result_nodata":"[^"]*"'
swathe explain gaussian:9 dem.tif --nodata none | grep -cE '^(nodata|tag)'
swathe explain gaussian:9 bare.tif --nodata nan:fill:least=0.25 --type u8 | grep -E '^(nodata|tag)'

# Every type; values as GDAL writes them, and values that no sample can have.
python - <<'PYTHON'
import geotiff
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
geotiff.write("u8.tif", WIDTH, HEIGHT, "u8", small, "0")
geotiff.write("white.tif", WIDTH, HEIGHT, "u8", [255 - v for v in small], "255", white=True)
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
import geotiff
from make import HOLE, LEVELS, WIDTH, HEIGHT
pixels = [(9, 9, 9) if hole else (level % 251, level % 13, 77) for hole, level in zip(HOLE, LEVELS)]
geotiff.write("rgba.tif", WIDTH, HEIGHT, "u8", [v for p in pixels for v in (*p, 50)], "9", 4, True)
geotiff.write("masked.tif", WIDTH, HEIGHT, "u8",
              [v for p, hole in zip(pixels, HOLE) for v in (*p, 0 if hole else 3)], None, 4, True)
levels = [[level % 7 for level in LEVELS], [level % 5 for level in LEVELS]]
geotiff.write("pages.tif", WIDTH, HEIGHT, "u8", levels, ["3", "4"])
PYTHON
swathe explain gaussian:5 rgba.tif | grep -E '^(alpha|nodata|tag)'
try apply gaussian:5 rgba.tif rgba.out.tif $plain
try apply gaussian:5 rgba.tif refused.tif --alpha premultiply
try apply gaussian:5 rgba.tif weighted.tif --alpha premultiply --nodata none
try apply gaussian:5 masked.tif masked.out.tif $plain --nodata mask
swathe explain gaussian:5 masked.tif --nodata mask | grep -E '^(alpha|nodata|tag)'
try apply box:3 pages.tif pages.out.tif $plain
python - <<'PYTHON'
import geotiff
from make import HOLE, read
samples, tag = read("rgba.out.tif")
print("kept alpha:", set(samples[3::4]), "tag", tag,
      "missing stays:", all(samples[4 * i:4 * i + 3] == (9, 9, 9) for i, h in enumerate(HOLE) if h))
samples, tag = read("masked.out.tif")
print("mask: tag", tag, "alpha", sorted(set(samples[3::4])),
      "missing is 0:", all(samples[4 * i:4 * i + 4] == (0,) * 4 for i, h in enumerate(HOLE) if h))
for page in range(2):
    before, after = geotiff.read("pages.tif", page)[0], read("pages.out.tif", page)
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
