. "$HERE/common.inc"

#### bench
# bench: messages before it measures, and the files of a small run.
export TMPDIR="$PWD/tmp"
mkdir tmp

echo "mistakes:"
try bench
try bench sharpn
try bench 'gaussian:{k}'
try bench --suite report-01
try bench --suite nothing
try bench sharpen --suite quick
try bench sharpen --scan kk=3
try bench sharpen --scan k
try bench 'dense:{k}' --scan k=3..
try bench 'dense:{k}' --scan k=9..3
try bench 'dense:{k}' --scan k=5000
try bench dense:9999
try bench sharpen --size 10x
try bench sharpen --size 0
try bench sharpen --type u9
try bench sharpen --layout plain
try bench sharpen --strategy bst
try bench sharpen --strategy naive
try bench sharpen --threads 0
try bench sharpen --budget 0
try bench sharpen --budget soon
try bench sharpen --cpus x
try bench sharpen --cache hot
try bench 'sharpen' --scan 'filter=a|b' --scan dense=a
try bench sharpen none.jpg
echo text > text.jpg
try bench sharpen text.jpg
printf 'P5 4 3 255\n0123456789ab' > own.pgm
try bench sharpen own.pgm --type u8
try bench own.pgm
try bench sharpen --strategy tiled:99
try bench sharpen --strategy direct:16
try bench sharpen --strategy tiled:planar:planar
try bench sharpen --scan block=64 --strategy tiled
try bench sharpen --scan k=3,5
try bench sharpen --scan block=8
try bench 'dense:{k}' --scan k=3 --scan k=5
try bench compare one.json
try bench compare one.json two.json three.json
mkdir full && touch full/bench.json
try bench sharpen --output full
try bench sharpen --output full/bench.json
try bench sharpen --output no/such/folder
try bench sharpen --output out --peers none.jsonl

echo "suites and contenders:"
swathe bench --list

echo "a small run:"
swathe bench sharpen dense:5 --size 64x48 --threads 1 --strategy best,sequential,reference \
    --border 'constant(0)' --seconds 0.01 --runs 6 --visits 2 --output out --no-plots > summary.txt 2> talk.txt
check "exit code 0" test $? -eq 0
sed -n -e 's/is [0-9.e+]* times/is N times/' -e '1p;$p' summary.txt
check "nothing on stderr" test ! -s talk.txt
ls out tmp
head -n 1 out/bench.csv
cut -d, -f 1-2,11-12,18 out/bench.csv | tail -n +2 | sort -u
grep -c '^| sharpen 64x48x3 u8 interleaved ' out/bench.md
try bench sharpen --output out

echo "a given image:"
swathe bench sharpen 'dense:{k}' own.pgm --scan k=3,5 --threads 1 --seconds 0.01 --runs 1 --json > own.json
grep -E '"(filter|width|height|channels|image)"' own.json

echo "contenders that do not apply:"
swathe bench gaussian:4 --size 32 --threads 1 --strategy sequential,best --seconds 0.01 --runs 1 2> why.txt |
    grep -c 'refused: the reports. loops'
cat why.txt
echo "no contender applies, no table:"
try bench gaussian:4 --size 32 --threads 1 --strategy sequential --seconds 0.01
