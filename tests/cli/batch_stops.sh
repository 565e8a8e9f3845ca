# A batch that is interrupted, and its progress.
. "$HERE/common.inc"
mkdir in
for n in 1 2 3 4 5 6; do pnm 40 30 3 $n > in/$n.ppm; done

echo "-- JSON"
swathe batch sharpen in/*.ppm --out json --progress=json:3 --quiet 3>three.txt
echo "exit $?"
tail -n 1 three.txt | numbers
head -n 1 three.txt | "$PYTHON" -c 'import json, sys; print(sorted(json.load(sys.stdin)))'
swathe batch sharpen in/1.ppm in/no.ppm --out json2 --progress=json 2>&1 | tail -n 3 | numbers |
    sed -e "s|$BATCH_TIMES|, S s, R/s|"
swathe batch sharpen --from no.txt --out json3 --progress=json 2>&1 | numbers

echo "-- lines"
swathe batch sharpen in/*.ppm --out lines --progress 2>&1 | grep '100 %'
"$PYTHON" "$HERE/batch_stopped.py" "$SWATHE"

echo "-- few files may be open"
few() { "$SWATHE" batch gaussian:sigma=8 --from list.txt --threads 16 --quiet --out "$@"; }
(ulimit -n 24 && few few)
echo "exit $?"
(ulimit -S -n 24 && few few2)
echo "exit $?"
