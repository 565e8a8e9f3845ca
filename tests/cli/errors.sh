# Files and limits that prevent a result.
. "$HERE/common.inc"

#### file_errors
# Files that are missing, empty, damaged, in the way, or not images.
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

#### limit_errors
# Limits: each error names the value, the limit and the option that raises it.
pnm 400 300 3 > a.ppm

# The memory needed depends on the CPU.
swathe apply gaussian:9 a.ppm b.ppm --max-memory 1K 2>message.txt
echo "exit $?"
sed -e 's/needs [0-9.]* KiB/needs N KiB/' -e 's/--max-memory.*/--max-memory .../' message.txt
check "no output file was written" test ! -e b.ppm
try apply gaussian:9 a.ppm b.ppm --max-memory 64M

echo "a border that needs the whole image from a pipe:"
cat a.ppm | swathe apply gaussian:9 - c.ppm --border wrap --max-memory 100K 2>message.txt
echo "exit $?"
sed 's/--max-memory.*/--max-memory .../' message.txt
cat a.ppm | swathe apply gaussian:9 - c.ppm --border wrap --max-memory 1M
echo "exit $?"

#### limit_formats
# Limits of formats that must be decoded as a whole, and of metadata.
has_format webp || skip "no WebP in this build"
has_format png || skip "no PNG in this build"
pnm 40 30 3 > a.ppm

try apply identity a.ppm a.webp --quality lossless
try apply sharpen a.webp b.ppm --max-pixels 1000
try info a.webp --max-pixels 1000
try compare a.webp a.ppm --max-pixels 1000
try apply sharpen a.webp b.ppm --max-pixels 1200
try apply sharpen a.ppm c.webp --max-pixels 1000

python - <<'PYTHON'
import images
packet = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>" + b" " * 5000 + b"</x:xmpmeta>"
images.png("notes.png", 1, 1, 0, b"\0\7",
           images.chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + packet))
PYTHON
try info notes.png
try info notes.png --max-metadata 1K
try apply identity notes.png copy.png
try info copy.png

#### closed_files
# Standard files that are closed: messages do not get into the files that are written.
pnm 4 3 3 > a.ppm
echo "not an image" > b.ppm
"$SWATHE" batch sharpen a.ppm b.ppm --out out 2>&-
echo "exit $?"
check "the journal has no messages" sh -c '! grep -q "^swathe:" out/.swathe-batch.journal'
"$SWATHE" info a.ppm 2>said.txt >&-
echo "exit $?"
"$SWATHE" apply sharpen - c.ppm <&- 2>said.txt
echo "exit $?"
check "no output file was written" test ! -e c.ppm

#### overwrite
# An existing file is replaced only on request, and only by a complete one.
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
