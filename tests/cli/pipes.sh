# Pipes, progress, and runs that are interrupted.
. "$HERE/common.inc"

#### pipes
# Standard input and output.
pnm 40 30 3 > a.ppm
swathe apply sharpen a.ppm wanted.ppm

swathe apply sharpen - - --format pnm < a.ppm > out.ppm
check "stdin to stdout" cmp out.ppm wanted.ppm
swathe apply sharpen - out2.ppm < a.ppm
check "stdin to file" cmp out2.ppm wanted.ppm
cat a.ppm | swathe apply sharpen - - --format pnm | cat > out3.ppm
check "pipe to pipe" cmp out3.ppm wanted.ppm
swathe apply sharpen,edge a.ppm two.ppm
swathe apply sharpen a.ppm - --format pnm | swathe apply edge - - --format pnm > two_runs.ppm
check "one after the other" cmp two.ppm two_runs.ppm
for format in png tiff; do
    if has_format $format; then
        cat a.ppm | swathe apply sharpen - - --format $format | cat > out.$format
        check "format through a pipe" swathe compare out.$format wanted.ppm --quiet
        cat out.$format | swathe compare - wanted.ppm > compared.txt
        check "and back" test $? -eq 0
    fi
done
try apply sharpen a.ppm -
try apply sharpen - out4.ppm
swathe apply sharpen - - --format pnm < /dev/null
echo "exit $?"

echo "the output has no reader:"
pnm 400 300 3 > large.ppm
{ swathe apply sharpen large.ppm - --format pnm 2>message.txt; echo "exit $?" > code.txt; } | true
cat code.txt message.txt
{ swathe filters 2>message.txt; echo "exit $?" > code.txt; } | true
cat message.txt
if test -e /dev/full; then
    swathe apply sharpen a.ppm - --format pnm > /dev/full
    echo "exit $?"
    swathe filters > /dev/full
    echo "exit $?"
fi

#### spool
# The limit on how much of a pipe is copied to a temporary file.
has_format tiff || skip "no TIFF in this build"
pnm 40 30 3 > a.ppm
swathe apply identity a.ppm a.tif --compression none

cat a.tif | try info - --max-spool 3K
cat a.tif | try apply identity - b.ppm --max-spool 3K
cat a.tif | try apply identity - b.ppm --max-spool 5K
check "a file within the limit is read" cmp a.ppm b.ppm
try apply identity a.tif c.ppm --max-spool 3K

#### progress
# Progress: on a terminal after a while, in a pipe only on request.
"$PYTHON" -c 'import pty; pty.openpty()' 2>/dev/null || skip "progress (no pseudo-terminals here)"
pnm 64 48 3 > a.ppm

echo "in a pipe:"
try apply sharpen a.ppm b.ppm
swathe apply sharpen a.ppm c.ppm --progress 2>lines.txt
check "lines on request" grep -q '^swathe: a.ppm: 100 %$' lines.txt
swathe apply sharpen a.ppm d.ppm --progress --quiet 2>lines.txt
check "but not with --quiet" test ! -s lines.txt

echo "as JSON:"
counted() { numbers | sed -e 's/"event": "progress", "done": [0-9]*/"event": "progress", "done": N/'; }
swathe apply sharpen a.ppm e.ppm --progress=json 2>&1 | counted
swathe apply sharpen a.ppm f.ppm --progress=json:3 --quiet 3>three.txt
counted < three.txt
only_json() { "$PYTHON" -c 'import json, sys; [json.loads(line) for line in sys.stdin]'; }
swathe apply sharpen missing.ppm g.ppm --progress=json 2>&1 | counted
swathe apply sharpen a.ppm h.ppm --progress=json --no-progress
swathe apply sharpen missing.ppm --progress=json --bordr wrap 2>&1 | tee refused.txt
check "nothing else: a wrong option" only_json < refused.txt
swathe batch sharpen a.ppm missing.ppm --out many --progress=json 2>many.txt
check "nothing else: a batch" only_json < many.txt
swathe batch sharpen a.ppm missing.ppm --out many --progress=json 2>many.txt
check "nothing else: a batch that does not start" only_json < many.txt
swathe apply sharpen missing.ppm i.ppm --progress=json:2 2>many.txt
check "nothing else: by number" only_json < many.txt
swathe apply sharpen missing.ppm i.ppm --progress=json:3 3>/dev/null 2>&1
try apply sharpen a.ppm i.ppm --progress=xml
try apply sharpen a.ppm i.ppm --progress=json:
try apply sharpen a.ppm i.ppm --progress=json:9
"$PYTHON" "$HERE/terminal.py" "$SWATHE"

#### interrupt
# Ctrl-C and SIGTERM: ended by the signal (Python shows −2 and −15), no output file; an existing one is kept.
"$PYTHON" "$HERE/interrupted.py" "$SWATHE"
ls -A

echo "a limit on the size of files:"
pnm 400 300 3 > large.ppm
(ulimit -f 16; try apply sharpen large.ppm small.ppm)
ls -A

#### interrupt_encoding
# Ctrl-C during a codec's single call for the whole image.
has_format webp || skip "an interrupted encoder (no WebP)"
"$PYTHON" "$HERE/interrupted.py" "$SWATHE" webp
