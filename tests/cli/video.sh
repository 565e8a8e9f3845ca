. "$HERE/common.inc"

#### video
# Videos (Y4M): what is recognised, refused and written.

# Writes a video of 4 x 2 pixels: video PARAMETERS FRAMES [BYTES of the last frame]
video() {
    printf 'YUV4MPEG2 W4 H2 F30:1%s\n' "$1"
    i=1
    while test $i -le "$2"; do
        printf 'FRAME\n'
        printf '%s' "abcdefghijkl" | head -c "$(test $i -eq "$2" && echo "${3:-12}" || echo 12)"
        i=$((i + 1))
    done
}

video ' Ip C420jpeg XTEST' 3 > v.y4m
swathe apply identity v.y4m same.y4m
check "the lines and samples are kept" cmp v.y4m same.y4m
cat v.y4m | swathe apply identity - - | cat > piped.y4m
check "pipes" cmp v.y4m piped.y4m
swathe apply identity - redirected.y4m < v.y4m
check "redirected" cmp v.y4m redirected.y4m
cp v.y4m named
swathe apply identity named other.Y4M
check "recognised by its content" cmp v.y4m other.Y4M
mkfifo pipe.y4m
cat v.y4m > pipe.y4m &
swathe apply identity pipe.y4m - > fifo.y4m
check "a named pipe" cmp v.y4m fifo.y4m
{ printf 'YUV4'; sleep 0.1; tail -c +5 v.y4m; } | swathe apply identity - - > slow.y4m
check "a slow pipe" cmp v.y4m slow.y4m
video '' 2 | swathe apply identity - - | tail -c 36 > few.y4m
check "few parameters" test "$(cat few.y4m)" = "$(printf 'FRAME\nabcdefghijklFRAME\nabcdefghijkl')"
pnm 40 30 1 > a.pgm
cat a.pgm | swathe apply identity - b.pgm
check "an image through a pipe is still one" cmp a.pgm b.pgm
printf 'YUV' | swathe apply identity - c.pgm 2> message.txt
echo "exit $?"
sed 's/reads (.*/reads .../' message.txt

echo "refused:"
try apply identity v.y4m same.y4m
try apply identity v.y4m out.mp4
try apply identity v.y4m out.png
try apply identity v.y4m s3://bucket/out.y4m
try apply identity a.pgm out.y4m
for options in "--type u16" "--values fit" "--nodata 0" "--mask a.pgm" "--light linear" "--region 2x2+0+0" \
    --orient "--format pnm" "--quality 5" "--subsampling 444" "--compression fast" "--tile 16" "--page 1" \
    "--alpha premultiply"; do
    # shellcheck disable=SC2086
    try apply identity v.y4m out.y4m $options
done
try apply sobel-x:type=s16 v.y4m out.y4m
try apply gradient:join=stack v.y4m out.y4m
try apply 'mask:(1 1)' v.y4m out.y4m --border valid
try apply sharpn v.y4m out.y4m
try info v.y4m
try apply identity v.y4m out.y4m --max-memory 10 | sed 's,needs .* for,needs SIZE for,' # scratch too
check "nothing was written" test ! -e out.y4m

echo "interlaced:"
for fields in t b m; do
    video " I$fields" 1 > "$fields.y4m"
done
try apply gaussian:3 t.y4m out.y4m
try apply gaussian:3 m.y4m out.y4m
try apply 'mask:(1 2 1):normalise' b.y4m rows.y4m

echo "damaged:"
video ' Ip' 3 7 > cut.y4m
try apply identity cut.y4m out.y4m
cat cut.y4m | swathe apply identity - - > part.y4m
echo "exit $?"
check "the frames before it were written" test "$(wc -c < part.y4m)" -eq 61
video ' Ip' 0 > none.y4m
try apply identity none.y4m out.y4m
{ cat v.y4m; printf 'FRAMEabc\n'; } > bad.y4m
try apply identity bad.y4m out.y4m
{ cat v.y4m; printf 'FRA'; } > bad.y4m
try apply identity bad.y4m out.y4m
{ cat v.y4m; printf 'FRAME '; head -c 5000 /dev/zero | tr '\0' x; } > bad.y4m
try apply identity bad.y4m out.y4m
for line in 'YUV4MPEG2' 'YUV4MPEG2 W4' 'YUV4MPEG2 W0 H2' 'YUV4MPEG2 W-4 H2' 'YUV4MPEG2 W4x H2' 'YUV4MPEG2 W H2' \
    'YUV4MPEG2 W99999999999999999999999 H2' 'YUV4MPEG2 W1073741824 H1073741824' 'YUV4MPEG2 W4 W4 H2' \
    'YUV4MPEG2 W4 H2 C421' 'YUV4MPEG2 W4 H2 C420p17' 'YUV4MPEG2 W4 H2 C420p' 'YUV4MPEG2 W4 H2 Ix' \
    'YUV4MPEG2 W4 H2 XYSCSS=421' 'YUV4MPEG2x W4 H2' 'YUV4MPEG2 W123456789012345678901234567890123 H2'; do
    printf '%s\nFRAME\nabcdefghijkl' "$line" > bad.y4m
    echo "$line"
    try apply identity bad.y4m out.y4m
done
printf 'YUV4MPEG2 W4 H2 X\033\n' > bad.y4m
try apply identity bad.y4m out.y4m
printf 'YUV4MPEG2 W4 H2' > bad.y4m
try apply identity bad.y4m out.y4m
printf 'YUV4MPEG2 W1 H1 Cmono10\nFRAME\n\377\003FRAME\n\000\004' > bad.y4m
try apply identity bad.y4m out.y4m
try apply identity:clamp=2000..3000 bad.y4m out.y4m
check "nothing was written" test ! -e out.y4m

echo "clamped:"
{ printf 'YUV4MPEG2 W9 H9 Cmono\nFRAME\n'; head -c 81 a.pgm; } > noise.y4m
try apply sobel-x noise.y4m slope.y4m
try apply sobel-x noise.y4m slope.y4m --overwrite --quiet
try apply sharpen noise.y4m sharp.y4m

echo "alpha:"
printf 'YUV4MPEG2 W2 H1 C444alpha\nFRAME\nabcdefgh' > alpha.y4m
swathe apply 'mask:(0 0 1)' alpha.y4m - | tail -c 8; echo
swathe apply 'mask:(0 0 1)' alpha.y4m - --alpha filter | tail -c 8; echo
swathe apply 'mask:(0 0 1)' alpha.y4m - --alpha keep | tail -c 8; echo

echo "the output has no reader:"
{ printf 'YUV4MPEG2 W1000 H1000 Cmono\n'; for i in 1 2 3; do printf 'FRAME\n'; head -c 1000000 /dev/zero; done; } > large.y4m
{ swathe apply gaussian:5 large.y4m - 2>message.txt; echo "exit $?" > code.txt; } | true
cat code.txt message.txt
if test -e /dev/full; then
    swathe apply gaussian:5 large.y4m - > /dev/full
    echo "exit $?"
fi

echo "progress:"
swathe apply identity v.y4m p.y4m --progress
swathe apply identity v.y4m p.y4m --overwrite --progress=json:1 | tail -n 1 |
    sed 's/"seconds.*"examined"/... "examined"/'
cat v.y4m | swathe apply identity - - --progress 2>&1 > p.y4m | head -n 1
if test -e /dev/full; then
    echo "of a pipe that is full:"
    cat v.y4m | swathe apply identity - - --progress=json 2>&1 > /dev/full | tail -n 1 |
        sed 's/"seconds.*"examined"/... "examined"/'
fi
