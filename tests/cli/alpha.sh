# Files with alpha: colours are weighted by it, or it is copied, or filtered like a colour.
. "$HERE/common.inc"
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
python() { PYTHONPATH=. PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$@"; }
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
