# A list or a journal that does not fit into memory is not treated as ending there. A sparse file
# has a line that is longer than the available memory.
. "$HERE/common.inc"

(ulimit -v 400000 && "$SWATHE" --version >/dev/null 2>&1) || skip "the command needs more than 400 MB"
little() { (ulimit -v 400000 && try batch sharpen "$@" 2>&1) | sed -e 's|, [0-9.]* s, .*/s||'; }
pnm 40 30 3 > 1.ppm
pnm 40 30 3 2 > 2.ppm

echo "-- a list"
yes 1.ppm | little --from - --out out
check "no result was written" test ! -e out/1.ppm

echo "-- a journal"
swathe batch sharpen 1.ppm 2.ppm --out out --quiet --threads 1
journal=out/.swathe-batch.journal
cp $journal before
truncate -s 1G $journal
little 1.ppm 2.ppm --out out --resume
check "it is not truncated" test "$(stat -c %s $journal)" = 1073741824
head -c 22 before > $journal
truncate -s 1G $journal
little 1.ppm 2.ppm --out out --overwrite
check "it is not emptied" test "$(stat -c %s $journal)" = 1073741824

echo "-- a directory in place of a list"
try batch sharpen --from . --out out2

echo "-- images at a time share the memory, and the advice is for all of them"
pnm 400 300 3 > 3.ppm
pnm 400 300 3 2 > 4.ppm
share() { swathe batch gaussian:31 3.ppm 4.ppm --out shared --overwrite --threads 2 --max-memory "$1" 2>&1; }
check "64K are too little" test -n "$(share 64K | grep 2.failed)"
advice=$(share 64K | sed -n 's/.*--max-memory //p' | head -n 1)
check "the advice suffices" test -n "$(share "$advice" | grep 2.done)"
