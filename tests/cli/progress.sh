# Progress: on a terminal after a while, never in a pipe unless asked for.
. "$HERE/common.inc"
"$PYTHON" -c 'import pty; pty.openpty()' 2>/dev/null || skip "progress (no pseudo-terminals here)"
pnm 64 48 3 > a.ppm

echo "in a pipe:"
try apply sharpen a.ppm b.ppm
swathe apply sharpen a.ppm c.ppm --progress 2>lines.txt
check "lines when asked for" grep -q '^swathe: a.ppm: 100 %$' lines.txt
swathe apply sharpen a.ppm d.ppm --progress --quiet 2>lines.txt
check "but not with --quiet" test ! -s lines.txt
"$PYTHON" "$HERE/terminal.py" "$SWATHE"
