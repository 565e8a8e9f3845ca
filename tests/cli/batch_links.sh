# Links below --out are not followed: neither for directories of results nor for the journal.
. "$HERE/common.inc"

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
