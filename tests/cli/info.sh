# info: the contents of a file.
. "$HERE/common.inc"
pnm 40 30 3 > a.ppm
pnm 5 7 1 1 16 > b.pgm

try info a.ppm
try info b.pgm
try info a.ppm --json | sed 's|"compression": .*|"compression": C|'
swathe info a.ppm --json | "$PYTHON" -m json.tool > /dev/null
check "valid JSON" test $? -eq 0
swathe info - < b.pgm
echo "exit $?"
echo "-- several files"
try info a.ppm missing.ppm b.pgm | grep '^file\|^$\|^!\|exit'
try info a.ppm missing.ppm b.pgm --json | grep '^[][{}]\|^  [{}]\|file\|^!\|exit'
swathe info a.ppm b.pgm --json | "$PYTHON" -m json.tool > /dev/null
check "valid JSON" test $? -eq 0
name=$(printf 'odd \042name\001\377.ppm')
cp a.ppm "$name"
swathe info "$name" --json | "$PYTHON" -m json.tool > /dev/null
check "valid JSON for any file name" test $? -eq 0
