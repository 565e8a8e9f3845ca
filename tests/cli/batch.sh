# Many images: results, failures, and continuing with --resume.
. "$HERE/common.inc"

# Times depend on the machine.
seconds() { sed -e "s|$BATCH_TIMES|, S s, R/s|"; }
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
