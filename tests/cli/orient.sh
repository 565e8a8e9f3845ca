# Images with an EXIF orientation.
. "$HERE/common.inc"
has_format png || skip "no PNG in this build"

"$PYTHON" - <<'PYTHON'
import struct, zlib

def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

def picture(path, orientation):
    exif = struct.pack("<2sHIHHHIHHI", b"II", 42, 8, 1, 274, 3, 1, orientation, 0, 0)
    rows = b"".join(b"\0" + row for row in (b"\x0a\x14\x1e", b"\x28\x32\x3c"))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n"
                   + chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 2, 8, 0, 0, 0, 0))
                   + chunk(b"eXIf", exif) + chunk(b"IDAT", zlib.compress(rows))
                   + chunk(b"IEND", b""))

for orientation in range(10):
    picture(f"{orientation}.png", orientation)
PYTHON

# The pixels of a file: size, then rows of numbers.
pixels() {
    swathe apply identity "$@" out.pgm --overwrite --quiet
    "$PYTHON" -c '
data = open("out.pgm", "rb").read()
width, height = map(int, data.split()[1:3])
print(width, "x", height, *(data[-width * height:][i:i + width].hex(" ")
                            for i in range(0, width * height, width)), sep="  ")'
}

pixels 6.png
for orientation in 0 1 2 3 4 5 6 7 8 9; do
    pixels $orientation.png --orient
done

try info 6.png
try info 6.png --orient
try explain sharpen 6.png --orient --problem
try apply identity 6.png upright.png --orient
try info upright.png --orient
check "the image is not rotated twice" test "$(pixels upright.png --orient)" = "$(pixels upright.png)"

# The whole image must be in memory, unless rows are only mirrored.
try apply sharpen 6.png b.pgm --orient --max-pixels 5
try info 6.png --orient --max-pixels 5
try apply sharpen 2.png b.pgm --orient --max-pixels 5
try compare 6.png 6.png --orient
