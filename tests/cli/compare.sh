# compare: its output and exit codes.
. "$HERE/common.inc"
printf 'P5\n4 2\n255\n\001\002\003\004\005\006\007\010' > a.pgm
printf 'P5\n4 2\n255\n\001\002\003\004\005\011\007\007' > b.pgm
printf 'P5\n4 1\n255\n\001\002\003\004' > small.pgm
pnm 4 2 3 > colour.ppm

try compare a.pgm a.pgm
try compare a.pgm b.pgm
try compare a.pgm b.pgm --max-difference 3
try compare a.pgm b.pgm --max-difference 2.5
try compare a.pgm b.pgm --quiet
try compare a.pgm a.pgm -q
try compare a.pgm small.pgm
try compare a.pgm colour.ppm
try compare a.pgm b.pgm --json
try compare a.pgm a.pgm --json
try compare a.pgm small.pgm --json
for pair in "a.pgm a.pgm" "a.pgm b.pgm" "a.pgm small.pgm"; do
    swathe compare $pair --json | "$PYTHON" -m json.tool > /dev/null
    check "json of $pair" test $? -eq 0
done
swathe compare - b.pgm < a.pgm
echo "exit $?"
swathe compare a.pgm - < a.pgm
echo "exit $?"
