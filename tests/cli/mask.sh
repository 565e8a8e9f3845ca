# --mask: an image that says which pixels of another are missing.
. "$HERE/common.inc"
has_format tiff || skip "tiff is not built in"
python() { PYTHONPATH="$HERE:." PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$@"; }
plain="--compression none --tile 0"
python - <<'PYTHON'
import geotiff
WIDTH, HEIGHT = 61, 47
places = [(x, y) for y in range(HEIGHT) for x in range(WIDTH)]
hole = [(x - 30) ** 2 + (y - 20) ** 2 < 99 or (x * y) % 37 == 5 for x, y in places]
levels = [7 + (x * x + 3 * y) % 200 for x, y in places]
for name, junk in ("a", 255), ("b", 0):
    geotiff.write(name + "_u8.tif", WIDTH, HEIGHT, "u8",
                  [junk if h else v for h, v in zip(hole, levels)])
    geotiff.write(name + "_f32.tif", WIDTH, HEIGHT, "f32",
                  [junk * 1e6 if h else v for h, v in zip(hole, levels)])
    geotiff.write(name + "_tag.tif", WIDTH, HEIGHT, "s16",
                  [junk if h else v for h, v in zip(hole, levels)], "-1")
    geotiff.write(name + "_rgb.tif", WIDTH, HEIGHT, "u8",
                  [w for h, v in zip(hole, levels) for w in ((junk,) * 3 if h else (v, 9, v // 2))],
                  None, 3)
geotiff.write("pages.tif", WIDTH, HEIGHT, "u8", [levels, levels[::-1]], [None, None])
geotiff.write("mask.tif", WIDTH, HEIGHT, "u8", [0 if h else 1 + i % 255 for i, h in enumerate(hole)])
geotiff.write("mask_f32.tif", WIDTH, HEIGHT, "f32", [0 if h else -0.5 for h in hole])
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
import geotiff
hole = [v == 0 for v in geotiff.read("mask.tif")[0]]
def show(name, channels=1, page=0):
    samples, tags = geotiff.read(name, page)
    last = samples[channels - 1::channels]
    got = [last[i] for i in range(len(hole)) if hole[i]]
    rest = [last[i] for i in range(len(hole)) if not hole[i]]
    marks = {str(v) for v in got}
    print(name, "tag", tags.get(geotiff.NODATA), "missing", marks if len(marks) < 3 else "filled",
          f"others {min(rest):.0f}..{max(rest):.0f}")
for name, channels in (("a_u8.out.tif", 2), ("a_f32.out.tif", 1), ("a_tag.out.tif", 1),
                       ("a_rgb.out.tif", 4), ("value.tif", 1), ("filled.tif", 1), ("fit.tif", 1),
                       ("fit_u8.tif", 2), ("copy.tif", 2)):
    show(name, channels)
show("pages.out.tif", 2, 0)
show("pages.out.tif", 2, 1)
samples = geotiff.read("a_rgb.out.tif")[0]
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
