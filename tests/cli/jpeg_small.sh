# JPEG with optimised Huffman tables.
. "$HERE/common.inc"
has_format jpeg || skip "no JPEG in this build"

pnm 900 800 3 5 > in.ppm
swathe apply gaussian:9 in.ppm usual.jpg
swathe apply gaussian:9 in.ppm small.jpg --compression small
check "the same pixels" swathe compare usual.jpg small.jpg
size() { wc -c < "$1"; }
check "a smaller file" test "$(size small.jpg)" -lt "$(size usual.jpg)"
for threads in 1 2 5; do
    swathe apply gaussian:9 in.ppm other.jpg --compression small --threads $threads --overwrite
    check "the same bytes with $threads threads" cmp small.jpg other.jpg
done
try apply gaussian:9 in.ppm none.jpg --compression small --max-memory 3M
try apply gaussian:9 in.ppm none.jpg --compression smal
try apply gaussian:9 in.ppm none.ppm --compression zstd
