# Options of one format are refused by others.
. "$HERE/common.inc"
for format in png jpeg tiff webp; do has_format $format || skip "options of formats (no $format)"; done
pnm 40 30 3 > a.ppm

for option in "--quality 80" "--subsampling 444" "--compression fast" "--tile 16"; do
    for format in png jpeg tiff webp pnm; do
        rm -f out
        try apply identity a.ppm out --format $format $option
    done
done
rm -f out
try apply identity a.ppm out --format pnm --compression default
try apply identity a.ppm b.pnm --quality 80
check "nothing was written" test ! -e b.pnm

echo "-- extensions name formats"
for word in jpg JPG jfif tif ppm; do
    try apply identity a.ppm out --format $word --overwrite
    swathe info out | grep format
done
rm -f out
try apply identity a.ppm out --format jgp
try batch identity a.ppm --out named --format jpg --quiet
ls named
try batch identity a.ppm --out named --format jpeg --quiet --resume

echo "-- a batch"
batch() { try batch identity "$@" | sed -e "s|$BATCH_TIMES||"; }
swathe apply identity a.ppm photo.jpg
swathe apply identity a.ppm drawing.png
batch photo.jpg drawing.png a.ppm --out mixed --quality 30 --compression small
check "options apply to the formats that have them" \
    test "$(stat -c %s mixed/photo.jpg)" -lt "$(stat -c %s photo.jpg)"
batch photo.jpg drawing.png --out none --tile 16
batch photo.jpg drawing.png --out none --format tiff --quality 80
batch a.ppm --out none --compression small
check "nothing was written" test ! -e none
batch a.ppm --out plain --compression default
