# Compression levels of PNG: different bytes, the same pixels, with any number of threads.
. "$HERE/common.inc"
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
