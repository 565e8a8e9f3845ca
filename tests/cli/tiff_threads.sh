. "$HERE/common.inc"

#### tiff_threads
# A TIFF so wide that its tiles are stored in columns: the bytes of a file do not depend on threads,
# memory, the source or the border.
has_format tiff || skip "no TIFF in this build"

"$PYTHON" -c '
import sys
width, height = 140000, 300
sys.stdout.buffer.write(b"P5 %d %d 255\n" % (width, height))
sys.stdout.buffer.write((bytes(range(251)) * (width * height // 251 + 1))[:width * height])
' > wide.pgm
swathe apply identity wide.pgm wide.tif --compression fast
swathe apply gaussian:5 wide.tif first.tif --compression fast
for memory in 3M 12M 1G; do
    for threads in 1 2 8; do
        swathe apply gaussian:5 wide.tif any.tif --overwrite --compression fast --threads $threads \
            --max-memory $memory
        check "$memory: the same bytes with $threads threads" cmp first.tif any.tif
    done
done
"$PYTHON" - first.tif <<'PYTHON'
import struct, sys
data = open(sys.argv[1], "rb").read()
at, = struct.unpack_from("<I", data, 4)
for i in range(struct.unpack_from("<H", data, at)[0]):
    tag, kind, count, value = struct.unpack_from("<HHII", data, at + 2 + 12 * i)
    if tag == 324:
        offsets = struct.unpack_from(f"<{count}I", data, value)
order = sorted(range(len(offsets)), key=offsets.__getitem__)
print(len(offsets), "tiles; the file starts with", *order[:9], "...", *order[15:18], "and ends with", *order[-3:])
PYTHON

# Sources that are read from top to bottom, or written in rows because the border wraps, are sorted.
write() { swathe apply gaussian:5 --overwrite --compression fast "$@"; }
write wide.pgm any.tif
check "from PGM" cmp first.tif any.tif
write - any.tif < wide.pgm
check "from standard input" cmp first.tif any.tif
cat wide.pgm | write - any.tif
check "from a pipe" cmp first.tif any.tif
png=wide.pgm
if has_format png; then
    png=wide.png
    swathe apply identity wide.pgm $png --compression fast
fi
write $png any.tif
check "from PNG" cmp first.tif any.tif
swathe apply identity wide.pgm strips.tif --compression fast --tile 0
write strips.tif any.tif --tile 256
check "from strips" cmp first.tif any.tif
write wide.tif any.tif --cell-rows 100
check "with smaller cells" cmp first.tif any.tif
write wide.tif any.tif --algorithm reference
check "by the reference" cmp first.tif any.tif
write wide.tif wrapped.tif --border wrap
swathe apply identity wrapped.tif any.tif --overwrite --compression fast
check "a border that wraps" cmp wrapped.tif any.tif
cat wide.pgm | write - any.tif --border wrap
check "a border that wraps, from a pipe" cmp wrapped.tif any.tif
check "borders differ" eval '! cmp -s first.tif wrapped.tif'
rm -f ./*.tif

# Planes remain planes, in many strips and in tiles, and their bytes do not depend on threads
# either.
"$PYTHON" - > planar.tif <<'PYTHON'
import struct, sys
width, height, after = 900, 700, 8
plane = width * height
end = after + 3 * plane
short = lambda tag, value: struct.pack("<HHIHH", tag, 3, 1, value, 0)
long = lambda tag, value, count=1: struct.pack("<HHII", tag, 4, count, value)
entries = [long(256, width), long(257, height), struct.pack("<HHII", 258, 3, 3, end), short(259, 1),
           short(262, 2), long(273, end + 6, 3), short(277, 3), long(278, height), long(279, end + 18, 3),
           short(284, 2)]
sys.stdout.buffer.write(b"II*\0" + struct.pack("<I", end + 30))
sys.stdout.buffer.write(bytes((i * i // 9 + 5 * c + i % 97) % 256 for c in range(3) for i in range(plane)))
sys.stdout.buffer.write(struct.pack("<3H3I3I", 8, 8, 8, *(after + c * plane for c in range(3)), *[plane] * 3))
sys.stdout.buffer.write(struct.pack("<H", len(entries)) + b"".join(entries) + bytes(4))
PYTHON
for tile in 0 64; do
    for threads in 1 2 8; do
        swathe apply gaussian:5 planar.tif p$tile-$threads.tif --compression fast --threads $threads \
            --tile $tile --cell-rows 40
        check "planes, tile $tile: the same bytes with $threads threads" cmp p$tile-1.tif p$tile-$threads.tif
    done
    swathe info p$tile-1.tif | grep '^layout'
done
check "the same pixels in strips and tiles of planes" swathe compare p0-1.tif p64-1.tif
