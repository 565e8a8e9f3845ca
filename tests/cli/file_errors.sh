# Files that are missing, empty, damaged, in the way, or not images.
. "$HERE/common.inc"
pnm 4 3 3 > a.ppm

try apply sharpen nope.png b.ppm
try info nope.png
try compare nope.png a.ppm
try compare a.ppm nope.png
try explain sharpen nope.png
echo "a name that could mislead a terminal:"
swathe info "$(printf 'a\033[31mb.png')" 2>&1
: > empty.png
try apply sharpen empty.png b.ppm
mkdir folder
try apply sharpen folder b.ppm
try info folder
try apply sharpen a.ppm folder
try apply sharpen a.ppm folder/
try apply sharpen a.ppm absent/b.ppm
echo "just some text, not an image" > notes.txt
try info notes.txt
echo "formats that are known, but not read:"
foreign() { printf '%b%032d' "$1" 0 > "$2"; try info "$2"; }
foreign '\0\0\0\030ftypheic' a.heic
foreign '\0\0\0\030ftypmif1' b.heic
foreign '\0\0\0\030ftypavif' a.avif
foreign 'GIF89a' a.gif
foreign '\0377\012' a.jxl
foreign '\0\0\0\014JXL \015\012\0207\012' b.jxl
rm -f ./*.heic ./*.avif ./*.gif ./*.jxl
head -c 20 a.ppm > short.ppm
try apply sharpen short.ppm b.ppm
printf 'P6\n0 3\n255\n' > none.ppm
try info none.ppm
printf 'P6\n4 3\n' > header.ppm
try info header.ppm
try apply sharpen a.ppm b.xyz
try apply sharpen a.ppm b
try apply sharpen a.ppm b.pmn
try apply sharpen a.ppm b.gif
try apply sharpen a.ppm b.HEIC
try apply sharpen a.ppm b.xyz
try apply sharpen a.ppm b.pfm
try apply sharpen /dev/null b.ppm
check "no output file was written" test ! -e b.ppm
ls -A
