# The directories of a batch.
. "$HERE/common.inc"

#### batch_folders
# Directories as inputs of batch, names of results, and journals that do not block.

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

#### batch_links
# Links below --out are not followed: neither for directories of results nor for the journal.

seconds() { sed -e "s|$BATCH_TIMES||" -e "s|$PWD|HERE|g"; }
batch() { try batch sharpen --base photos --threads 1 "$@" | seconds; }
mkdir -p photos/a/deep photos/b elsewhere
pnm 40 30 3 1 > photos/a/deep/1.ppm
pnm 40 30 3 2 > photos/b/2.ppm
images="photos/a/deep/1.ppm photos/b/2.ppm"

echo "-- directories"
mkdir -p out/a
ln -s "$PWD/elsewhere" out/a/deep
batch $images --out out
rm out/a/deep
rmdir out/a
ln -s ../elsewhere out/a
batch $images --out out
check "nothing is written elsewhere" test -z "$(ls -A elsewhere)"
rm out/a
echo text > out/a
batch $images --out out
rm out/a
ln -s out named
batch $images --out named
check "--out itself may be a link" test -f out/a/deep/1.ppm

echo "-- a directory that became a link"
# The FIFO blocks the batch until its directory is a link.
mkfifo photos/a/deep/0.ppm
"$SWATHE" batch sharpen --base photos --threads 1 photos/a/deep/0.ppm photos/b/2.ppm --out late 2>.log &
exec 3> photos/a/deep/0.ppm
rmdir late/b
ln -s ../elsewhere late/b
cat photos/a/deep/1.ppm >&3
exec 3>&-
wait $! || echo "exit $?"
seconds < .log
check "nothing is written elsewhere" test -z "$(ls -A elsewhere)"

echo "-- links in the place of results"
printf 'P3 4 4 255 1 2 3%99s' '' > photos/b/cut.ppm # long enough to be opened
rm -rf out
mkdir -p out/b
ln -s ../../photos/a/deep/1.ppm out/b/cut.ppm
ln -s /dev/null out/b/2.ppm
batch photos/b/cut.ppm photos/b/2.ppm --out out
batch photos/b/cut.ppm --out out --overwrite
check "the links are unchanged" test -L out/b/cut.ppm -a -L out/b/2.ppm
batch photos/b/2.ppm --out out --overwrite
check "a result replaces its link" test ! -L out/b/2.ppm -a -s out/b/2.ppm

echo "-- links to the image itself"
cp photos/b/2.ppm original.ppm
rm -rf out
mkdir -p out/b
ln -s ../../photos/b/2.ppm out/b/2.ppm
batch photos/b/2.ppm --out out
batch photos/b/2.ppm --out out --overwrite
check "a result replaces its link" test ! -L out/b/2.ppm
ln -f photos/b/2.ppm out/b/2.ppm
rm out/.swathe-batch.journal
batch photos/b/2.ppm --out out
batch photos/b/2.ppm --out out --overwrite
ln -s "$PWD/photos/b/2.ppm" out/b/3.ppm
try batch sharpen out/b/3.ppm --out out/b --threads 1 --overwrite | seconds
check "the original stays" cmp photos/b/2.ppm original.ppm
check "the link stays" test -L out/b/3.ppm

echo "-- the journal"
echo precious > file.txt
: > empty.txt
for target in file.txt empty.txt missing.txt; do
    rm -rf out
    mkdir out
    ln -s ../$target out/.swathe-batch.journal
    batch $images --out out
done
ln -s empty.txt link.journal
batch $images --out out --overwrite --journal link.journal
check "the targets are unchanged" test "$(cat file.txt empty.txt)" = precious -a ! -e missing.txt

echo "-- files that are not regular"
rm -rf out
mkdir out
mkfifo out/.swathe-batch.journal
batch $images --out out
rm -rf out
batch $images --out out --journal /dev/null
(flock -n 9; batch photos/b/2.ppm --out out --overwrite --journal /dev/null) 9>/dev/null
rm -rf out
mkdir -p out/b
mkfifo out/b/2.ppm
batch $images --out out --overwrite
