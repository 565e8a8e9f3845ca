# Many images: results, failures, continuing, and what stops a batch.
. "$HERE/common.inc"

#### batch
# Many images: results, failures, and continuing with --resume.

batch() { try batch "$@" | seconds; }
mkdir -p photos/a photos/b
for n in 1 2 3; do pnm 40 30 3 $n > photos/a/$n.ppm; done
pnm 20 10 1 7 > photos/b/1.pgm
cp photos/a/1.ppm photos/b/1.ppm

batch --help | head -n 4
echo "-- results"
batch sharpen photos/a/*.ppm --out out/sharp
for n in 1 2 3; do
    swathe apply sharpen photos/a/$n.ppm one.ppm --overwrite
    check "as apply: $n" cmp one.ppm out/sharp/$n.ppm
done
ls -A out/sharp
batch sharpen photos/a/1.ppm --out quiet/ --quiet
batch sharpen photos/a/*.ppm --out png --format pfm --type f32 --threads 1
ls png

echo "-- lists"
printf 'photos/a/1.ppm\n\nphotos/a/2.ppm\n' > list.txt
batch sharpen --from list.txt --out listed
batch sharpen --from missing.txt --out listed
batch sharpen --out listed
batch sharpen photos/a/1.ppm
batch sharpen photos/a/1.ppm - --out listed
printf 'photos/a/1.ppm\0photos/a/3.ppm\0' | (batch sharpen --from - -0 --out zeros)
printf 'photos/a/1.ppm\0photos/a/3.ppm\n' > zeros.txt
batch sharpen --from zeros.txt --out none
printf '%05000d' 0 > long.txt
batch sharpen --from long.txt --out none
: > empty.txt
batch sharpen --from empty.txt --out none

echo "-- two images, one result"
batch sharpen photos/a/1.ppm photos/b/1.ppm --out clash
batch sharpen photos/a/1.ppm photos/b/1.pgm --out clash --format pfm
cp photos/a/1.ppm photos/a/1.pnm
batch sharpen photos/a/1.ppm photos/./a/1.pnm --out clash --format pfm
rm photos/a/1.pnm
batch sharpen photos/a/1.ppm photos/a/1.ppm --out clash
batch sharpen photos/a/1.ppm photos/a//1.ppm --out clash --base photos
batch sharpen photos/a/1.ppm photos/./a/1.ppm --out clash --base photos
batch sharpen photos/a/1.ppm ./photos//a/././1.ppm --out clash --base .
batch sharpen photos/a/1.ppm photos/./a//1.ppm --out clash
check "no result was written" test ! -e clash
batch sharpen photos/a/1.ppm ./photos/b/1.ppm --out clash --base photos/
(cd clash && find . -type f | sort)
batch sharpen photos/a/1.ppm photos//a/./2.ppm --out clash1 --base ./photos/./a/
batch sharpen "$PWD/photos/a/1.ppm" --out clash3 --base / | tail -n 1
check "below /" test -e "clash3$PWD/photos/a/1.ppm"
batch sharpen photos/a/1.ppm --out clash2 --base elsewhere
batch sharpen photos/a/1.ppm --out clash2 --base pho
batch sharpen photos/../photos/a/1.ppm --out clash2 --base photos

echo "-- failures are listed"
head -c 200 photos/a/1.ppm > photos/cut.ppm
echo text > photos/text.ppm
batch sharpen photos/a/2.ppm photos/cut.ppm photos/text.ppm photos/gone.ppm --out some --threads 1
ls some
grep failed some/.swathe-batch.journal | cut -f 2- | sed 's|(.*)|(...)|'
tabbed=$(printf 'photos/a\tb.ppm')
"$SWATHE" batch sharpen "$tabbed" --out tabs 2>&1 | seconds
cut -f 2- tabs/.swathe-batch.journal | grep failed
for n in $(seq 30); do echo "photos/no$n.ppm"; done > many.txt
batch sharpen --from many.txt --out most --threads 1 | sed -n '20,30p'
batch sharpn photos/a/1.ppm --out word
batch sharpen photos/a/1.ppm --out word --border wrapp

echo "-- existing results"
batch sharpen photos/a/*.ppm --out out/sharp
batch sharpen photos/a/*.ppm --out out/sharp --overwrite
rm out/sharp/.swathe-batch.journal
batch sharpen photos/a/*.ppm --out out/sharp --threads 1
cp photos/a/1.ppm photos/a/2.ppm .
batch sharpen 1.ppm 2.ppm --out . --threads 1
batch sharpen 1.ppm 2.ppm --out . --overwrite --threads 1
check "inputs stay" cmp 1.ppm photos/a/1.ppm
rm .swathe-batch.journal

echo "-- resume"
batch sharpen photos/a/1.ppm --out more --resume
batch sharpen photos/a/*.ppm --out more --resume
batch sharpen photos/a/*.ppm --out more --resume
rm more/2.ppm
touch -d 2001-01-01 photos/a/3.ppm
batch sharpen photos/a/*.ppm --out more --resume
batch gaussian:5 photos/a/*.ppm --out more --resume
batch sharpen photos/a/*.ppm --out more --resume --border wrap
batch sharpen photos/a/1.ppm --out exact --exact --alpha keep
batch sharpen photos/a/1.ppm --out exact --resume --alpha keep
batch sharpen photos/a/1.ppm --out exact --resume --exact --alpha filter
batch sharpen photos/a/1.ppm --out exact --resume --exact --alpha keep

echo "-- an existing result of another batch"
mkdir old
echo old > old/2.ppm
touch -d 2001-01-01 old/2.ppm
batch sharpen photos/a/1.ppm --out old
batch sharpen photos/a/*.ppm --out old --resume --threads 1
batch sharpen photos/a/*.ppm --out old --resume --overwrite
for damage in '2,$d' '2s/boot/boat/'; do
    rm -rf old
    mkdir old
    batch sharpen photos/a/1.ppm --out old
    echo old > old/2.ppm
    sed -i "$damage" old/.swathe-batch.journal
    batch sharpen photos/a/[23].ppm --out old --resume --threads 1
    check "the old file is unchanged" grep -q old old/2.ppm
    echo new > old/2.ppm
    batch sharpen photos/a/2.ppm --out old --resume
done

echo "-- another result of the same image"
batch sharpen photos/a/1.ppm --out here --journal both.journal
batch sharpen photos/a/1.ppm --out there --journal both.journal --resume |
    sed "s|$(pwd -P)|FOLDER|g"
check "not made" test ! -e there/1.ppm
batch sharpen photos/a/1.ppm --out ./here/ --journal both.journal --resume
batch sharpen photos/a/1.ppm --out based --base photos
cp photos/a/2.ppm based/1.ppm
batch sharpen photos/a/1.ppm --out based --resume --overwrite
check "made" cmp based/1.ppm based/a/1.ppm
batch sharpen photos/a/1.ppm --out based --base photos --resume
mv based moved
batch sharpen photos/a/1.ppm --out moved --base photos --resume
batch sharpen photos/a/1.ppm --out moved --base photos --resume \
    --journal ./moved/.swathe-batch.journal

echo "-- a damaged journal"
journal=more/.swathe-batch.journal
printf 'torn' >> $journal
batch sharpen photos/a/*.ppm --out more --resume
sed -i '3s/photos/photoz/' $journal
batch sharpen photos/a/*.ppm --out more --resume
batch sharpen photos/a/*.ppm --out more --resume
echo "something else" > $journal
batch sharpen photos/a/*.ppm --out more --resume
batch sharpen photos/a/*.ppm --out more --resume --overwrite --journal new.journal
ls new.journal

echo "-- a file that is not a journal"
cp photos/a/1.ppm precious.ppm
head -c 5000 /dev/zero > zeros.bin
printf '12345678\tswathe-batch\t1\n' > wrong.txt
printf '12345678\tswathe-batch' > short.txt
for file in precious.ppm zeros.bin wrong.txt short.txt; do
    cp $file copy
    batch sharpen photos/a/1.ppm --out more --overwrite --journal $file
    batch sharpen photos/a/1.ppm --out more --journal $file
    check "it stays" cmp $file copy
done
: > empty.journal
batch sharpen photos/a/1.ppm --out more --overwrite --journal empty.journal
batch gaussian:5 photos/a/1.ppm --out more --overwrite --journal empty.journal

echo "-- another boot"
boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)
"$PYTHON" - new.journal "$boot" <<'PY'
import sys, zlib
path, boot = sys.argv[1:]
with open(path, "rb") as file:
    lines = [line.split(b"\t", 1)[1].rstrip(b"\n") for line in file]
lines = [line for line in lines if not line.startswith(b"synced")]
with open(path, "wb") as file:
    for line in lines:
        line = line.replace(boot.encode(), b"another-boot") if boot else line
        file.write(b"%08x\t%s\n" % (zlib.crc32(line), line))
PY
batch sharpen photos/a/*.ppm --out more --resume --journal new.journal

echo "-- directories that cannot be used"
batch sharpen photos/a/1.ppm --out list.txt
batch sharpen photos/a/1.ppm --out list.txt/below
if [ -w /dev/full ]; then
    batch sharpen photos/a/1.ppm --out full --journal /dev/full
fi

#### batch_changed
# --resume computes results again that no longer match the journal.

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

#### batch_full
# A full disk stops a batch; finished results are kept, and the rest is written once there is space.
unshare -rm true 2>/dev/null || skip "a full disk (cannot create namespaces here)"
for n in 1 2 3 4 5 6 7 8; do pnm 200 100 3 $n > $n.ppm; done
mkdir small
cat > inside.sh <<'SH'
mount -t tmpfs -o size=256k none small || exit 77
"$SWATHE" batch sharpen [1-8].ppm --out small --threads 1
echo "exit $?"
ls -A small
mount -o remount,size=8m small
"$SWATHE" batch sharpen [1-8].ppm --out small --threads 1 --resume
echo "exit $?"
ls -A small
SH
unshare -rm sh inside.sh > said.txt 2>&1
[ $? -ne 77 ] || skip "a full disk (cannot mount here)"
seconds < said.txt

#### batch_memory
# A list or a journal that does not fit into memory is not treated as ending there. A sparse file
# has a line that is longer than the available memory.

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

#### batch_stops
# A batch that is interrupted, and its progress.
mkdir in
for n in 1 2 3 4 5 6; do pnm 40 30 3 $n > in/$n.ppm; done

echo "-- JSON"
swathe batch sharpen in/*.ppm --out json --progress=json:3 --quiet 3>three.txt
echo "exit $?"
tail -n 1 three.txt | numbers
head -n 1 three.txt | "$PYTHON" -c 'import json, sys; print(sorted(json.load(sys.stdin)))'
swathe batch sharpen in/1.ppm in/no.ppm --out json2 --progress=json 2>&1 | tail -n 3 | numbers | seconds
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
