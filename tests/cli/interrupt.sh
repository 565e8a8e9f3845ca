# Ctrl-C and SIGTERM: exit code 128 + the signal, no output file; an existing one stays.
. "$HERE/common.inc"
"$PYTHON" "$HERE/interrupted.py" "$SWATHE"
ls -A
