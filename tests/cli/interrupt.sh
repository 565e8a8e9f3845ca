# Ctrl-C and SIGTERM: ended by the signal (Python shows −2 and −15), no output file; an existing one is kept.
. "$HERE/common.inc"
"$PYTHON" "$HERE/interrupted.py" "$SWATHE"
ls -A

echo "a limit on the size of files:"
pnm 400 300 3 > large.ppm
(ulimit -f 16; try apply sharpen large.ppm small.ppm)
ls -A
