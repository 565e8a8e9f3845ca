# What the command says about files and plans.
. "$HERE/common.inc"

#### info
# info: the contents of a file.
pnm 40 30 3 > a.ppm
pnm 5 7 1 1 16 > b.pgm

try info a.ppm
try info b.pgm
try info a.ppm --json | sed 's|"compression": .*|"compression": C|'
swathe info a.ppm --json | "$PYTHON" -m json.tool > /dev/null
check "valid JSON" test $? -eq 0
swathe info - < b.pgm
echo "exit $?"
echo "-- several files"
try info a.ppm missing.ppm b.pgm | grep '^file\|^$\|^!\|exit'
try info a.ppm missing.ppm b.pgm --json | grep '^[][{}]\|^  [{}]\|file\|^!\|exit'
swathe info a.ppm b.pgm --json | "$PYTHON" -m json.tool > /dev/null
check "valid JSON" test $? -eq 0
name=$(printf 'odd \042name\001\377.ppm')
cp a.ppm "$name"
swathe info "$name" --json | "$PYTHON" -m json.tool > /dev/null
check "valid JSON for any file name" test $? -eq 0

#### info_stored
# info: how files store their samples, and which metadata counts as EXIF.
for format in png tiff; do has_format $format || skip "stored samples (no $format)"; done

python - <<'PYTHON'
import struct
import images

def directory(entries, after=0):
    return struct.pack("<H", len(entries)) + b"".join(
        struct.pack("<HHIHH" if kind == 3 else "<HHII", tag, kind, 1, value, *([0] if kind == 3 else []))
        for tag, kind, value in entries) + struct.pack("<I", after)

def tiff(path, extra, tail=b""):
    basic = [(256, 4, 3), (257, 4, 2), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 8),
             (277, 3, 1), (278, 4, 2), (279, 4, 6)]
    size = 14 + 2 + 12 * len(basic + extra) + 4
    entries = sorted(basic + [(tag, kind, size if value is None else value) for tag, kind, value in extra])
    with open(path, "wb") as file:
        file.write(b"II*\0" + struct.pack("<I", 14) + b"\x0a\x14\x1e\x28\x32\x3c" + directory(entries) + tail)

tiff("plain.tif", [])
tiff("tags.tif", [(274, 3, 8)])
tiff("exif.tif", [(274, 3, 3), (34665, 4, None)], directory([(34855, 3, 400)]))
images.png("turned.png", 3, 2, 0, b"\0abc\0def", images.exif(6))
PYTHON

info() { try info "$@" | grep '^\$\|^orientation\|^EXIF\|^TIFF\|^exit'; }
for file in plain.tif tags.tif exif.tif turned.png; do info $file; done

# info reports the options that the file was written with.
pnm 40 30 3 > a.ppm
for how in none lzw deflate; do
    swathe apply identity a.ppm $how.tif --compression $how
    swathe info $how.tif | grep ^compression
done
swathe info turned.png | grep ^compression

# One tile that covers the image is a tile, unlike one strip.
swathe apply identity a.ppm tile.tif --tile 64
swathe apply identity a.ppm strip.tif --tile 0
for file in tile.tif strip.tif; do
    swathe info $file | grep '^tiles\|^strips'
    swathe info $file --json | grep 'tile_\|strip_' | tr -d '\n'
    echo
done
# With little memory strips are read row by row; they are stored as before.
swathe info strip.tif --max-memory 32K | grep ^strips
swathe info strip.tif --max-memory 32K --json | grep strip_
info turned.png --orient
"$PYTHON" -c 'open("a.pfm", "wb").write(b"Pf\n1 1\n-1\n\0\0\0\0")'
swathe info a.pfm | grep compression
for file in tags.tif exif.tif turned.png a.pfm; do
    swathe info $file --json | grep 'exif_\|tags_\|orientation' | tr -d '\n'
    echo
done

#### compare
# compare: its output and exit codes.
printf 'P5\n4 2\n255\n\001\002\003\004\005\006\007\010' > a.pgm
printf 'P5\n4 2\n255\n\001\002\003\004\005\011\007\007' > b.pgm
printf 'P5\n4 1\n255\n\001\002\003\004' > small.pgm
pnm 4 2 3 > colour.ppm

try compare a.pgm a.pgm
try compare a.pgm b.pgm
try compare a.pgm b.pgm --max-difference 3
try compare a.pgm b.pgm --max-difference 2.5
try compare a.pgm b.pgm --quiet
try compare a.pgm a.pgm -q
try compare a.pgm small.pgm
try compare a.pgm colour.ppm
try compare a.pgm b.pgm --json
try compare a.pgm a.pgm --json
try compare a.pgm small.pgm --json
for pair in "a.pgm a.pgm" "a.pgm b.pgm" "a.pgm small.pgm"; do
    swathe compare $pair --json | "$PYTHON" -m json.tool > /dev/null
    check "json of $pair" test $? -eq 0
done
swathe compare - b.pgm < a.pgm
echo "exit $?"
swathe compare a.pgm - < a.pgm
echo "exit $?"

#### explain
# explain: for files and shapes, as text, JSON and problem line.
pnm 40 30 3 > a.ppm

for arguments in "sharpen a.ppm" "sharpen,gaussian:5,edge,gaussian:9 6000x4000x3:u8" \
    "gaussian:sigma=2.5 100x100x1:f32" "sobel-x 100x100x4:u16 --type f32" "box:9 64x48 --exact"; do
    swathe explain $arguments > text.txt
    check "explain $arguments" test $? -eq 0
    grep -q "${arguments%%[,: ]*}" text.txt || echo "NOT OK: the filter is not named"
    swathe explain $arguments --json > plan.json
    "$PYTHON" -m json.tool plan.json > /dev/null
    check "as JSON" test $? -eq 0
    test "$(swathe explain $arguments --problem | wc -l)" -eq 1
    check "as one line" test $? -eq 0
done
swathe explain sharpen 40x30x3:u8 --problem > shape.txt
swathe explain sharpen a.ppm --problem > file.txt
check "file and shape give the same problem" cmp shape.txt file.txt
swathe explain sharpen - --problem < a.ppm > file.txt
check "and so does standard input" cmp shape.txt file.txt
swathe explain gaussian:9 40x30 --isa scalar | grep -q scalar
check "--isa is respected" test $? -eq 0
swathe explain gaussian:9 40x30 --algorithm reference | grep -q reference
check "--algorithm is respected" test $? -eq 0
swathe explain gaussian:9 40x30 --json | "$PYTHON" -c '
import json, sys
plan = json.load(sys.stdin)
candidates = plan["stages"][0]["candidates"]
chosen = [one["name"] for one in candidates if one["chosen"]]
print("ok:" if chosen == [plan["stages"][0]["algorithm"]] else "NOT OK:", "one candidate is chosen")
print("ok:" if all(one["predicted_ms"] > 0 for one in candidates) else "NOT OK:", "all have predictions")
print("ok:" if "wisdom is off" in plan["wisdom"] else "NOT OK:", plan["wisdom"][:14])'
swathe explain gaussian:9 40x30 --algorithm mean | grep "does not apply"
swathe explain gaussian:9 40x30 --algorithm two-pass --problem
swathe explain gaussian:9 40x30 --tune --problem
echo "missing data, by one stage or by three:"
swathe explain gaussian:9 40x30x1:f32 --nodata nan --algorithm weighted | grep -o '^stage.*\|weighted on'
swathe explain gaussian:9 40x30x1:f32 --nodata nan --algorithm two-pass | grep '^stage'
swathe explain gaussian:9 40x30 --algorithm weighted | grep "does not apply"
SWATHE_WISDOM="$PWD/wisdom" swathe explain gaussian:9 40x30x1:f32 --nodata nan --tune |
    grep -c 'ms measured; instead of [a-z-]*, .* ms measured'
swathe explain gaussian:3 2000000000x2000000000x4:f32 | head -n 1

#### devices
# devices: checks that need no GPU; tests/gpu runs on devices.
export XDG_CACHE_HOME="$PWD/cache"
pnm 60 40 3 > a.ppm

swathe devices > listed.txt
check "drivers are queried" test $? -eq 0
swathe devices --json | "$PYTHON" -c '
import json, sys
names = [row["back_end"] for row in json.load(sys.stdin)]
print("ok:" if names == ["cuda", "hip", "opencl"] else "NOT OK:", "as JSON", *names)'
swathe devices --strategies > strategies.txt
head -n 2 strategies.txt
grep '^  convert' strategies.txt
check "lines fit 80 columns" test -z "$(grep '.\{81\}' strategies.txt)"
swathe devices --strategies --json | "$PYTHON" -c '
import json, sys
listed = [line.split()[0] for line in open("strategies.txt") if line[:2] == "  " and line[2] != " "]
print("ok:" if [row["name"] for row in json.load(sys.stdin)] == listed else "NOT OK:", "strategies")'

echo "auto without a check:"
swathe explain sharpen a.ppm --device auto | grep ^chosen
swathe apply sharpen a.ppm auto.ppm --device auto
swathe apply sharpen a.ppm cpu.ppm --device cpu
check "bytes" cmp auto.ppm cpu.ppm

echo "mistakes:"
try apply sharpen a.ppm b.ppm --device gnu
try apply sharpen a.ppm b.ppm --device opencl:x
try apply sharpen a.ppm b.ppm --strategy tiled
try apply sharpen a.ppm b.ppm --device auto --strategy tiled
try apply sharpen a.ppm b.ppm --device opencl --algorithm direct
try devices --check --repeat nonsense
try devices gpu
export OCL_ICD_VENDORS="$PWD/none" CUDA_VISIBLE_DEVICES= HIP_VISIBLE_DEVICES=
try devices --check
try devices --check --device cpu
check "nothing was written" test ! -e b.ppm

echo "auto without a GPU is the CPU, also for fast floats, and can be tuned:"
mask="disk:15"
for device in cpu auto; do
    swathe explain $mask 1000x1000x1:f32 --device $device --json | "$PYTHON" -c '
import json, sys
plan = json.load(sys.stdin)
stage = plan["stages"][0]
print(json.dumps([stage["algorithm"], stage["candidates"], plan["exact"]]))' > plan.$device
done
check "the same plan" cmp plan.cpu plan.auto
swathe explain $mask 64x64x1:u8 --device auto --tune > /dev/null
check "--tune" test $? -eq 0
swathe explain $mask 1000x1000x1:f32 --json | "$PYTHON" -c '
import json, sys
plan = json.load(sys.stdin)
stage = plan["stages"][0]
print("ok:" if plan["work"] == stage["work"] != stage["taps"] else "NOT OK:", "work of the algorithm")'
