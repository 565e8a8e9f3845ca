# A TIFF without its last bytes, which are tag values, is never read as a different image.
. "$HERE/common.inc"
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
