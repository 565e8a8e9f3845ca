# --resume computes results again that no longer match the journal.
. "$HERE/common.inc"

seconds() { sed -e "s|$BATCH_TIMES||"; }
batch() { try batch sharpen [1-5].ppm --out out --threads 1 "$@" | seconds; }
for n in 1 2 3 4 5; do pnm 40 30 3 $n > $n.ppm; done
batch
cp -r out good

: > out/1.ppm
head -c 100 good/2.ppm > out/2.ppm
cp good/3.ppm elsewhere.ppm
ln -sf ../elsewhere.ppm out/3.ppm
batch --resume
check "all results are correct" diff -r --exclude=.swathe-batch.journal good out
check "the link was replaced, not its target" test -f out/3.ppm -a ! -L out/3.ppm
echo keep > elsewhere.ppm
ln -sf ../elsewhere.ppm out/4.ppm
batch --overwrite
check "the target is unchanged" grep -q keep elsewhere.ppm
check "all are good" diff -r --exclude=.swathe-batch.journal good out
ln -sf ../1.ppm out/1.ppm
batch --overwrite | tail -n 3
check "the input is unchanged" test -s 1.ppm

echo "-- a journal without sizes, as older versions wrote it"
rm -r out
cp -r good out
"$PYTHON" - out/.swathe-batch.journal <<'PY'
import sys, zlib
with open(sys.argv[1], "rb") as file:
    lines = [line.rstrip(b"\n").split(b"\t")[1:] for line in file]
with open(sys.argv[1], "wb") as file:
    for fields in lines:
        line = b"\t".join(fields[:5] if fields[0] == b"done" else fields)
        file.write(b"%08x\t%s\n" % (zlib.crc32(line), line))
PY
batch --resume
