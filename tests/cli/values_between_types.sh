# Numbers between types: photos of 16 bits in 8 bits, formats that hold other types, and fit.
. "$HERE/common.inc"
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
