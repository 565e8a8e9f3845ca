# Ctrl-C while a codec takes the whole image in one call.
. "$HERE/common.inc"
has_format webp || skip "an interrupted encoder (no WebP)"
"$PYTHON" "$HERE/interrupted.py" "$SWATHE" webp
