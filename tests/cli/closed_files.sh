# Standard files that are closed: messages do not get into the files that are written.
. "$HERE/common.inc"
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
