# Values of options: which are refused, and the messages.
. "$HERE/common.inc"
pnm 4 3 3 > a.ppm

try apply sharpen a.ppm b.ppm --border
try apply sharpen a.ppm b.ppm --border wrapp
try apply sharpen a.ppm b.ppm --border=
try apply sharpen a.ppm b.ppm --border 'constant(300)'
try apply sharpen a.ppm b.ppm --type u9
try apply sharpen a.ppm b.ppm --type float
try apply sharpen a.ppm b.ppm --intermediate u16
try apply sharpen a.ppm b.ppm --exact=yes
try apply sharpen a.ppm b.ppm --accuracy 2
try apply sharpen a.ppm b.ppm --accuracy -1
try apply sharpen a.ppm b.ppm --accuracy much
try apply sharpen a.ppm b.ppm --alpha drop
try apply sharpen a.ppm b.ppm --region 4x3
try apply sharpen a.ppm b.ppm --region 0x3+0+0
try apply sharpen a.ppm b.ppm --region 2x2+3+0
try apply sharpen a.ppm b.ppm --region 2x2+0+99999999999999999999
try apply sharpen a.ppm b.ppm --quality 0
try apply sharpen a.ppm b.ppm --quality 101
try apply sharpen a.ppm b.ppm --quality best
try apply sharpen a.ppm b.ppm --tile 65537
try apply sharpen a.ppm b.ppm --threads -1
try apply sharpen a.ppm b.ppm --threads 1.5
try apply sharpen a.ppm b.ppm --threads 99999
try apply sharpen a.ppm b.ppm --cell-rows x
try apply sharpen a.ppm b.ppm --max-memory 0
try apply sharpen a.ppm b.ppm --max-memory 2X
try apply sharpen a.ppm b.ppm --max-memory lots
try apply sharpen a.ppm b.ppm --max-memory 1e30
try apply sharpen a.ppm b.ppm --max-pixels ''
try compare a.ppm a.ppm --max-difference -1
check "no output file was written" test ! -e b.ppm

echo "sizes that are accepted:"
for size in 268435456 1048576K 512M 512m 1.5G 1.5GiB 2GB 1T; do
    rm -f b.ppm
    try apply sharpen a.ppm b.ppm --max-memory "$size"
done

echo "words from the library's tables are named in the message:"
for option in type format isa algorithm; do
    swathe apply sharpen a.ppm c.ppm --$option zzzzzz 2>&1 | sed 's/takes .*, not/takes ..., not/'
done
