. "$HERE/common.inc"

#### tune
# tune: measures, stores wisdom, and gives the reason if it is not used.
export SWATHE_WISDOM="$PWD/wisdom"
pnm 60 40 3 > a.ppm

# Figures and names of the machine are removed.
plain() { sed -e "s|$PWD/||g" -e 's/^\(library\|cpu\) .*/\1 .../' -e "s/(.*)/(...)/" "$@"; }

swathe tune --show | plain
swathe tune > tuned.txt
check "tune" test $? -eq 0
head -n 4 tuned.txt | plain
grep -q " direct  *u8 " tuned.txt
check "direct was measured" test $? -eq 0
swathe tune --show > shown.txt
check "--show prints the same" cmp tuned.txt shown.txt
swathe tune --show --json | "$PYTHON" -c '
import json, sys
shown = json.load(sys.stdin)
print("ok:" if len(shown["rates"]) > 5 else "NOT OK:", "as JSON")'
ls
swathe explain sharpen a.ppm | sed -n -e '/^time/{s/about [^ ]* ms/about ... ms/' -e 'p;}' | plain

echo "every kind of image gives the same with it and without:"
swathe apply sharpen,disk:4,gaussian:7 a.ppm with.ppm
SWATHE_WISDOM=off swathe apply sharpen,disk:4,gaussian:7 a.ppm without.ppm
check "bytes" cmp with.ppm without.ppm
swathe apply disk:4 a.ppm tuned.ppm --tune
check "--tune" test $? -eq 0
swathe apply disk:4 a.ppm plain.ppm
check "bytes" cmp plain.ppm tuned.ppm

echo "unusable files:"
sed -i '/^end/d' wisdom
swathe tune --show | sed -n 2p | plain
swathe explain sharpen a.ppm | grep -c "is not used"
echo "and is replaced, also behind a link:"
mv wisdom kept
ln -s kept wisdom
swathe tune --isa scalar > tuned.txt
check "--isa" test $? -eq 0
sed -n 2p tuned.txt | plain
grep -q "^rate scalar " kept
check "is in the file" test $? -eq 0
check "the link remains a link" test -L wisdom

echo "mistakes:"
SWATHE_WISDOM=off try tune
SWATHE_WISDOM=a.ppm/wisdom try tune
mkfifo pipe
SWATHE_WISDOM=pipe try tune
check "the pipe still exists" test -p pipe
SWATHE_WISDOM=. try tune
try tune fast
