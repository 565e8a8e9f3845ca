# TIFF files with several pages or in parts.
. "$HERE/common.inc"

#### pages
# TIFF files with several pages, and the compression of TIFF.
has_format tiff || skip "no TIFF in this build"
python "$HERE/images.py" tiff 20x10 10x5:1 30x5 20x10:4 8x8 > three.tif
pnm 6 4 1 > a.pgm

try info three.tif
try info three.tif --page 2
try info three.tif --page 4
try info three.tif --page 0
try info a.pgm --page 2
try explain sharpen three.tif --page 3 --problem

try apply sharpen three.tif all.tif
swathe info all.tif | grep -E '^(pages|size)'
for page in 1 2 3; do
    swathe apply sharpen three.tif "one$page.pgm" --page $page
    swathe apply identity all.tif "all$page.pgm" --page $page
    check "page $page" cmp "one$page.pgm" "all$page.pgm"
done
try apply sharpen three.tif two.tif --page 2
swathe info two.tif | grep -E '^(pages|size)'

try apply sharpen three.tif first.pgm
check "the first page" cmp one1.pgm first.pgm
try apply sharpen three.tif quiet.pgm --quiet
try apply sharpen three.tif none.pgm --page all
check "no files are left" test ! -e none.pgm
try apply sharpen three.tif none.tif --page 4
try apply sharpen three.tif none.tif --page some
try apply sharpen three.tif none.tif --region 15x5+0+0
try apply sharpen a.pgm one.tif --page all
echo '$ swathe apply sharpen - piped.tif < three.tif'
swathe apply sharpen - piped.tif < three.tif 2>&1
echo '$ swathe apply sharpen - none.tif --page all < three.tif'
swathe apply sharpen - none.tif --page all < three.tif 2>&1
check "no files are left" test ! -e none.tif

swathe batch sharpen --out many --quiet three.tif
check "batch writes all pages" cmp all.tif many/three.tif
swathe apply sharpen three.tif counted.tif --progress=json 2>&1 | tail -n 1 | numbers
swathe apply sharpen three.tif lines.tif --progress 2>lines.txt
check "the first page is not 100 %" test "$(grep -n '100 %' lines.txt | cut -d: -f1)" -gt 1

cp three.tif again.tif
try batch sharpen --out first --format pnm three.tif again.tif a.pgm | seconds
try batch sharpen --out one --format pnm three.tif missing.tif | seconds
cmp one1.pgm one/three.*

for packing in fast default small none lzw deflate:1 deflate:12 zstd:1; do
    swathe apply sharpen three.tif packed.tif --compression $packing --overwrite
    swathe apply identity packed.tif packed.pgm --page 2 --overwrite
    check "$packing" cmp one2.pgm packed.pgm
done
try apply sharpen three.tif none.tif --compression deflate:13
try apply sharpen three.tif none.tif --compression zstd:0
try apply sharpen three.tif none.tif --compression zstd:
try apply sharpen three.tif none.tif --compression lzw:1
try apply sharpen three.tif none.tif --compression best

#### tiff_cut
# A TIFF without its last bytes, which are tag values, is never read as a different image.
has_format tiff || skip "no TIFF in this build"

pnm 20 10 3 > a.ppm
for how in none deflate; do
    swathe apply identity a.ppm whole.tif --compression $how --overwrite
    wrong=0
    for bytes in $(seq 1 60); do
        head -c -$bytes whole.tif > cut.tif
        rm -f cut.ppm
        if swathe apply identity cut.tif cut.ppm 2>/dev/null; then
            cmp -s a.ppm cut.ppm || wrong=$((wrong + 1))
        fi
    done
    echo "$how: $wrong wrong images"
done
head -c -8 whole.tif > cut.tif
try info cut.tif
