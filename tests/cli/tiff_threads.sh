# A TIFF so wide that it is cut into columns: its bytes do not depend on threads, also with little
# memory.
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
