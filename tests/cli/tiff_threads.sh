# A TIFF so wide that it is divided into columns: its bytes do not depend on threads, even with
# little memory.
. "$HERE/common.inc"
has_format tiff || skip "no TIFF in this build"

"$PYTHON" -c '
import sys
width, height = 140000, 300
sys.stdout.buffer.write(b"P5 %d %d 255\n" % (width, height))
sys.stdout.buffer.write((bytes(range(251)) * (width * height // 251 + 1))[:width * height])
' > wide.pgm
swathe apply identity wide.pgm wide.tif --compression fast
for memory in 12M 1G; do
    for threads in 1 2 8; do
        swathe apply gaussian:5 wide.tif $memory-$threads.tif --compression fast --threads $threads \
            --max-memory $memory
        check "$memory: the same bytes with $threads threads" cmp $memory-1.tif $memory-$threads.tif
    done
done
check "the same pixels with little memory" swathe compare 12M-1.tif 1G-1.tif

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
