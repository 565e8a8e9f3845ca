# u32, s32, f64 and negative samples: shown, compared, converted, refused by formats that cannot hold them.
. "$HERE/common.inc"
has_format tiff || skip "tiff is not built in"
printf 'P5\n4 2\n255\n\001\002\003\004\005\006\007\377' > a.pgm

try apply 'mask:(16843009):type=u32' a.pgm u32.tif --quiet
try info u32.tif
try apply 'mask:(-16843009):bias=1:type=s32' a.pgm s32.tif --quiet
try apply 'mask:(0.1):type=f64' a.pgm f64.tif --quiet
try info f64.tif
try compare u32.tif u32.tif
try compare u32.tif a.pgm
try compare u32.tif s32.tif
try compare f64.tif a.pgm
try apply identity u32.tif again.tif --quiet
try compare u32.tif again.tif
try apply identity f64.tif f32.pfm --type f32 --quiet
try compare f64.tif f32.pfm --max-difference 1e-6
for file in a.pfm a.png; do
    swathe apply identity f64.tif "$file" --quiet 2> /dev/null
    echo "$file: exit $?"
done
pnm 60 40 3 5 > slopes.ppm # advice where clamped.sh loses samples
try apply sobel-x:type=s16 slopes.ppm slopes.tif
