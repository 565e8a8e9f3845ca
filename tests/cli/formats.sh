# Options of formats.
. "$HERE/common.inc"

#### format_options
# Options of one format are refused by others.
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

#### png_levels
# Compression levels of PNG: different bytes, the same pixels, with any number of threads.
has_format png || skip "no PNG in this build"
pnm 300 200 3 > a.ppm

for level in fast default small 0 1 2 3 4 5 6 7 8 9; do
    try apply identity a.ppm $level.png --compression $level
    swathe compare a.ppm $level.png
done
swathe apply identity a.ppm usual.png
check "default is the default" cmp usual.png default.png
check "small is 9" cmp small.png 9.png
check "0 stores" test "$(wc -c < 0.png)" -gt 180000
check "small is not larger than default" test "$(wc -c < small.png)" -le "$(wc -c < default.png)"
for threads in 1 2 5; do
    swathe apply identity a.ppm out.png --overwrite --threads $threads --cell-rows 13
    check "$threads threads" cmp out.png usual.png
done
try apply identity a.ppm b.png --compression 10
try apply identity a.ppm b.png --compression -1
try apply identity a.ppm b.png --compression fastest
try apply identity a.ppm b.png --compression zstd
check "no output file was written" test ! -e b.png

#### jpeg_keep
# Quality and subsampling of a JPEG, and lossless WebP, are kept unless an option overrides them.
for format in jpeg webp; do has_format $format || skip "no $format in this build"; done
stored() { swathe info "$1" | grep -E "^(quality|subsampling|compression)"; }

pnm 90 80 3 5 > in.ppm
swathe apply identity in.ppm fine.jpg --quality 98 --subsampling 444
swathe apply identity in.ppm usual.jpg
stored usual.jpg
echo "-- kept"
swathe apply identity fine.jpg kept.jpg
stored kept.jpg
echo "-- requested"
swathe apply identity fine.jpg asked.jpg --quality 60 --subsampling 422
stored asked.jpg
echo "-- a batch"
swathe batch identity fine.jpg --out kept --quiet
check "the same bytes" cmp kept.jpg kept/fine.jpg
swathe batch identity fine.jpg --out asked --quiet --quality 60 --subsampling 422
check "the same bytes" cmp asked.jpg asked/fine.jpg
swathe apply identity fine.jpg colons.jpg --quality 60 --subsampling 4:2:2
check "4:2:2 is 422" cmp asked.jpg colons.jpg
echo "-- WebP"
swathe apply identity in.ppm exact.webp --quality lossless
swathe apply identity exact.webp kept.webp
swathe apply identity exact.webp lossy.webp --quality 90
for file in exact kept lossy; do stored $file.webp; done
try apply identity in.ppm none.jpg --subsampling 421
try apply identity in.ppm none.jpg --subsampling 4:2:1
try apply identity in.ppm none.jpg --subsampling 4:22
try apply identity in.ppm none.jpg --quality lossless
try apply identity in.ppm none.webp --subsampling 420

#### jpeg_small
# JPEG with optimised Huffman tables.
has_format jpeg || skip "no JPEG in this build"

pnm 900 800 3 5 > in.ppm
swathe apply gaussian:9 in.ppm usual.jpg
swathe apply gaussian:9 in.ppm small.jpg --compression small
check "the same pixels" swathe compare usual.jpg small.jpg
size() { wc -c < "$1"; }
check "a smaller file" test "$(size small.jpg)" -lt "$(size usual.jpg)"
for threads in 1 2 5; do
    swathe apply gaussian:9 in.ppm other.jpg --compression small --threads $threads --overwrite
    check "the same bytes with $threads threads" cmp small.jpg other.jpg
done
try apply gaussian:9 in.ppm none.jpg --compression small --max-memory 3M
try apply gaussian:9 in.ppm none.jpg --compression smal
try apply gaussian:9 in.ppm none.ppm --compression zstd
