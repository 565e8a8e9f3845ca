# Progress: on a terminal after a while, in a pipe only on request.
. "$HERE/common.inc"
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
