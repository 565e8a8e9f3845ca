# Directories as inputs of batch, names of results, and journals that do not block.
. "$HERE/common.inc"

seconds() { sed -e "s|$BATCH_TIMES|, S s, R/s|"; }
batch() { try batch "$@" | seconds; }
files() { (cd "$1" && find . -type f | sort); }
mkdir -p photos/2024/may photos/2023
pnm 40 30 3 1 > photos/b.ppm
pnm 40 30 3 2 > photos/A.PPM
pnm 20 10 1 3 > photos/2024/may/c.pgm
pnm 20 10 1 4 > photos/2023/b.ppm
cp photos/b.ppm photos/.hidden.ppm
echo text > photos/notes.txt
echo text > photos/2024/README
mkdir photos/folder.ppm

echo "-- the images directly in a directory"
batch sharpen photos --out flat
files flat
swathe apply sharpen photos/b.ppm one.ppm
check "as apply" cmp one.ppm flat/b.ppm
batch sharpen photos/. --out flat --resume
(cd photos && batch sharpen . --out ../here --quiet)
files here
echo photos > list.txt
batch sharpen --from list.txt photos/2023/b.ppm --out listed --base photos
files listed
batch sharpen photos/2024 --out none
batch sharpen photos/b.ppm/ --out none
batch sharpen missing/ --out none
batch sharpen photos photos/2023 --out none

echo "-- subdirectories"
batch sharpen photos --recursive --out deep --threads 1
files deep
batch sharpen photos/2024 --recursive --base photos --out based
files based
batch sharpen photos --recursive --out photos/sharp
batch sharpen photos --recursive --out photos/sharp --resume
files photos/sharp
rm -r photos/sharp
batch sharpen photos --out photos
ln -s .. photos/2023/circle
ln -s ../b.ppm photos/2023/linked.ppm
ln -s missing.ppm photos/2023/broken.ppm
batch sharpen photos/2023 --recursive --out links
files links
rm photos/2023/circle photos/2023/linked.ppm photos/2023/broken.ppm

echo "-- names"
batch sharpen photos/b.ppm --out named --name '{stem}_sharp{ext}'
batch sharpen photos --recursive --out named --name '{stem}_sharp{ext}' --format pfm --type f32 --resume
batch sharpen photos --recursive --out named --name '{stem}-{stem}.pam' --overwrite
files named
batch sharpen photos/.hidden.ppm --out hidden --name 'x{stem}{ext}' --quiet
batch sharpen photos/.hidden.ppm photos/2024/README --out hidden --name '{stem}+{ext}' --overwrite
files hidden
cp photos/b.ppm photos/2023/a.ppm
batch sharpen photos/2023 --out clash --name 'same{ext}'
batch sharpen photos/b.ppm --out clash --name ../x.ppm
batch sharpen photos/b.ppm --out clash --name a/x.ppm
batch sharpen photos/b.ppm --out clash --name '..{stem}'
batch sharpen photos/b.ppm --out clash --name '{name}.ppm'
batch sharpen photos/b.ppm --out clash --name '{stem'
batch sharpen photos/b.ppm --out clash --name 'stem}'
batch sharpen photos/b.ppm --out clash --name ''
check "nothing was written" test ! -e clash

echo "-- a command that finishes no image can be corrected"
batch sharpen photos/2024/README --out corrected
batch gaussian:5 photos/b.ppm --out corrected
batch sharpen photos/b.ppm --out corrected
check "failures without a finished image are replaced" test "$(grep -c done corrected/.swathe-batch.journal)" = 1
sed -i '2s/boot/boat/' corrected/.swathe-batch.journal
batch sharpen photos/b.ppm --out corrected
