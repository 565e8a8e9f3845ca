# Files with alpha, which is copied, or filtered like a colour.
. "$HERE/common.inc"
"$PYTHON" - <<'PYTHON'
header = b"P7\nWIDTH 16\nHEIGHT 12\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
with open("a.pam", "wb") as file:
    file.write(header + bytes((i * 7919 >> 3) % 256 for i in range(16 * 12 * 4)))
PYTHON
try info a.pam
try apply gaussian:5 a.pam usual.pam
try apply gaussian:5 a.pam kept.pam --alpha keep
try apply gaussian:5 a.pam filtered.pam --alpha filter
check "keep is the default" cmp usual.pam kept.pam
"$PYTHON" - <<'PYTHON'
def channels(path):
    data = open(path, "rb").read().split(b"ENDHDR\n", 1)[1]
    return [data[c::4] for c in range(4)]

source, kept, filtered = map(channels, ("a.pam", "kept.pam", "filtered.pam"))
print("alpha is copied:", kept[3] == source[3])
print("colours are not:", all(kept[c] != source[c] for c in range(3)))
print("colours do not depend on it:", kept[:3] == filtered[:3])
print("alpha is filtered:", filtered[3] != source[3])
PYTHON
