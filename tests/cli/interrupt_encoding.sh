# Ctrl-C during a codec's single call for the whole image.
. "$HERE/common.inc"
has_format webp || skip "an interrupted encoder (no WebP)"
"$PYTHON" "$HERE/interrupted.py" "$SWATHE" webp
