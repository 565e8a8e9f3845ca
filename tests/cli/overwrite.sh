# An existing file is replaced only on request, and only by a complete one.
. "$HERE/common.inc"
pnm 8 6 3 > a.ppm
pnm 8 6 3 2 > b.ppm
cp b.ppm kept.ppm

try apply sharpen a.ppm b.ppm
check "the file is unchanged" cmp b.ppm kept.ppm
try apply sharpen a.ppm b.ppm --overwrite
try apply sharpen a.ppm c.ppm
check "replaced" cmp b.ppm c.ppm

echo "a run that fails keeps the old file:"
head -c 60 a.ppm > short.ppm
try apply sharpen short.ppm b.ppm --overwrite
check "the file is unchanged" cmp b.ppm c.ppm

echo "input and output the same file:"
cp a.ppm same.ppm
try apply sharpen same.ppm same.ppm
try apply sharpen same.ppm same.ppm --overwrite
check "in place" cmp same.ppm c.ppm

echo "a link remains a link:"
cp b.ppm target.ppm
ln -s target.ppm link.ppm
try apply edge a.ppm link.ppm --overwrite
check "still a link" test -L link.ppm
swathe apply edge a.ppm d.ppm
check "its target was replaced" cmp target.ppm d.ppm

echo "no other files are left:"
ls -A
