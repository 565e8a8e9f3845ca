#!/usr/bin/env python3
"""Checks that a wheel contains the package and known libraries and nothing else, and its size.

    wheel_contents.py WHEEL
"""
import os
import re
import sys
import zipfile

import wheel_libraries

MAX_BYTES = 3_000_000
EXPECTED = ( # each must match
    r"_swathe_command\.py",
    r"swathe/(\w+/)*\w+\.(py|pyi)",
    r"swathe/py\.typed",
    r"swathe/_swathe\.abi3\.so",
    r"swathe/libswathe_python\.so",
    r"swathe/bin/swathe",
    r"swathe\.libs/lib[\w.-]+\.so[\d.]*",
    r"swathe-[\d.]+\.dist-info/(METADATA|WHEEL|RECORD|entry_points\.txt)",
    r"swathe-[\d.]+\.dist-info/licenses/(LICENSE|BUNDLED\.txt|bundled/[\w.-]+\.txt)",
    r"swathe-[\d.]+\.dist-info/sboms/auditwheel\.cdx\.json",
)


def check(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = [info.filename for info in archive.infolist() if not info.is_dir()]
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
    problems = [f"{name} does not belong in it" for name in names
                if not any(re.fullmatch(pattern, name) for pattern in EXPECTED)]
    problems += [f"nothing in it matches {pattern}" for pattern in EXPECTED
                 if not any(re.fullmatch(pattern, name) for name in names)]
    problems += wheel_libraries.refusals(os.path.basename(name) for name in names
                                         if name.startswith("swathe.libs/"))
    if not modes.get("swathe/bin/swathe", 0) & 0o100:
        problems.append("swathe/bin/swathe is not executable")
    size = os.path.getsize(wheel)
    if size > MAX_BYTES:
        problems.append(f"{size} bytes, limit {MAX_BYTES}")
    print(f"{os.path.basename(wheel)}: {len(names)} files, {size / 1e6:.2f} MB")
    return problems


if __name__ == "__main__":
    found = check(sys.argv[1])
    for line in found:
        print(f"wheel_contents: {line}", file=sys.stderr)
    sys.exit(1 if found else 0)
