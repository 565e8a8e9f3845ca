# Standard input and output.
. "$HERE/common.inc"
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
    else
        echo "ok: format through a pipe"
        echo "ok: and back"
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
