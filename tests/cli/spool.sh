# The limit on how much of a pipe is copied to a temporary file.
. "$HERE/common.inc"
has_format tiff || skip "no TIFF in this build"
pnm 40 30 3 > a.ppm
swathe apply identity a.ppm a.tif --compression none

cat a.tif | try info - --max-spool 3K
cat a.tif | try apply identity - b.ppm --max-spool 3K
cat a.tif | try apply identity - b.ppm --max-spool 5K
check "a file within the limit is read" cmp a.ppm b.ppm
try apply identity a.tif c.ppm --max-spool 3K
