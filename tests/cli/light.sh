# Linear light: by sRGB's curve, by the curves of a profile, and what is refused.
. "$HERE/common.inc"
has_format png || skip "no PNG"
"$PYTHON" - <<'PYTHON'
import struct
import zlib


def curve(*values):
    return b"curv\0\0\0\0" + struct.pack(f">I{len(values)}H", len(values), *values)


def profile(space, tags):
    """An ICC profile, version 2, for a display."""
    offset, table, data = 128 + 4 + 12 * len(tags), b"", b""
    for name, body in tags.items():
        body += b"\0" * (-len(body) % 4)
        table += name.encode() + struct.pack(">II", offset + len(data), len(body))
        data += body
    size = offset + len(data)
    header = struct.pack(">I4xI", size, 0x02400000) + b"mntr" + space + b"XYZ " + bytes(12)
    header += b"acsp" + bytes(28) + struct.pack(">III", 0xf6d6, 0x10000, 0xd32d) + bytes(48)
    return header + struct.pack(">I", len(tags)) + table + data


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(path, icc, channels=3):
    kind = {1: 0, 3: 2}[channels]
    rows = b"".join(b"\0" + bytes((x * 37 + y * 91 + c * 60) % 256 for x in range(32)
                                  for c in range(channels)) for y in range(24))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 32, 24, 8, kind, 0, 0, 0)))
        if icc:
            file.write(chunk(b"iCCP", b"icc\0\0" + zlib.compress(icc)))
        file.write(chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def rgb(red, green, blue, more=()):
    xyz = b"XYZ \0\0\0\0" + struct.pack(">III", 0x6fa2, 0x38f5, 0x0390)
    return profile(b"RGB ", {"rXYZ": xyz, "gXYZ": xyz, "bXYZ": xyz, "rTRC": red, "gTRC": green,
                             "bTRC": blue, **dict(more)})


def srgb(t):
    return t / 12.92 if t <= 0.04045 else ((t + 0.055) / 1.055) ** 2.4


table = curve(*(round(65535 * srgb(i / 1023)) for i in range(1024)))
gamma, steep = curve(0x0200), curve(0x0300)
png("plain.png", None)
png("srgb.png", rgb(table, table, table))
png("gamma.png", rgb(gamma, gamma, gamma))
png("three.png", rgb(gamma, steep, curve()))
png("grey.png", profile(b"GRAY", {"kTRC": gamma}), 1)
png("falling.png", rgb(gamma, curve(0, 30000, 20000, 65535), gamma))
png("tables.png", rgb(gamma, gamma, gamma, {"A2B0": b"mft1" + bytes(60)}.items()))
png("none.png", profile(b"RGB ", {"wtpt": b"XYZ " + bytes(16)}))
PYTHON
case $(swathe explain identity gamma.png --light linear 2>&1) in
*lcms2*) skip "no lcms2" ;;
esac
for name in plain srgb gamma three grey; do
    try apply identity $name.png same.png --light linear --overwrite
    check "$name: identity" swathe compare $name.png same.png --quiet
done
try apply gaussian:7 plain.png plain-out.png --light linear
try apply gaussian:7 plain.png forced.png --light srgb
try apply gaussian:7 srgb.png srgb-out.png --light linear
check "sRGB's profile has sRGB's curve" swathe compare plain-out.png srgb-out.png --quiet
check "so has srgb" swathe compare plain-out.png forced.png --quiet
try apply gaussian:7 gamma.png gamma-out.png --light linear
check "another curve" test "$(swathe compare plain-out.png gamma-out.png --quiet; echo $?)" = 1
swathe info gamma-out.png | grep ICC
try batch gaussian:7 plain.png gamma.png --out out --light linear --quiet
check "batch takes each profile" swathe compare gamma-out.png out/gamma.png --quiet
check "and none" swathe compare plain-out.png out/plain.png --quiet
for name in falling tables none; do
    try apply gaussian:7 $name.png x.png --light linear
done
try apply gaussian:7 plain.png x.png --light linar
try apply gaussian:7 plain.png x.png --light linear --type s16
try apply gaussian:7:bias=128 plain.png x.png --light linear
swathe apply identity plain.png f.pfm --type f32
try apply gaussian:7 f.pfm x.pfm --light linear
try apply 'mask:(3)' plain.png bright.png --light linear
swathe explain gaussian:7 gamma.png --light linear | grep '^stage'
swathe explain gaussian:7 plain.png --light linear --problem
