# Results that the type cannot hold: what apply says, and whether its advice works.
. "$HERE/common.inc"
pnm 60 40 3 5 >a.ppm
try apply sobel-x a.ppm lost.ppm
try apply sobel-x:type=s16 a.ppm fit.ppm --values fit
try apply sobel-x:bias=128 a.ppm grey.ppm
try apply sobel-x a.ppm quiet.ppm --quiet
check "quiet" cmp lost.ppm quiet.ppm
# A filter that keeps the brightness of flat areas is expected to overshoot, unless the type changes.
try apply sharpen a.ppm sharper.ppm
pnm 60 40 1 5 16 >wide.pgm
try apply identity wide.pgm narrow.pgm --type u8 --values keep
try apply gaussian:5 a.ppm smooth.ppm
# For programs.
"$SWATHE" apply edge a.ppm edges.ppm --progress=json 2>&1 | sed 's/"seconds": [0-9.]*, "rate": [0-9.]*/…/'
# Results that are all less than half a level.
try apply log:sigma=50 a.ppm black.ppm
try apply log:sigma=50:type=f32 a.ppm seen.ppm --values fit --exact
