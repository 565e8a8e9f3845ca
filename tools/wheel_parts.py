#!/usr/bin/env python3
"""The libraries that wheels contain: their licences, and a check that nothing else is inside.

    wheel_parts.py licences WHEEL   lists the libraries of a repaired wheel with version and licence, inside
                                    the wheel; with auditwheel, on the Debian that they come from
    wheel_parts.py contents WHEEL   checks the files of a wheel, and its size

Both fail if the wheel contains a library that is not in the table. None of the licences asks for source code.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

from library_licences import LICENCES

# Start of the file's name: Debian's package.
KNOWN = {
    "libdeflate": "libdeflate0",
    "libisal": "libisal2",
    "libjpeg": "libjpeg62-turbo",
    "liblcms2": "liblcms2-2",
    "libpng16": "libpng16-16",
    "libtiff": "libtiff6",
    "libwebp": "libwebp7",
    "libwebpmux": "libwebpmux3",
    "libz": "zlib1g",
    "libzstd": "libzstd1",
}
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
INTRODUCTION = """\
Swathe is under the MIT licence, see LICENSE. This wheel also contains these libraries of Debian,
each under its own licence. The texts are in the directory bundled/; they also cover files of the
packages that are not in this wheel. libtiff was built from Debian's source without JBIG, LERC, LZMA
and WebP.
"""


def known(name):
    """Returns (package, licence) of a library's file name with auditwheel's hash, or None."""
    stem = re.fullmatch(r"(.+?)(-[0-9a-f]{8})?\.so[\d.]*", name)
    package = KNOWN.get(stem[1]) if stem else None
    return (package, LICENCES[package]) if package else None


def refusals(names):
    """Returns one line for each library that is not in the table."""
    return [f"{name} is not in tools/wheel_parts.py; look up its licence (libjbig and libgomp "
            "are under the GPL)" for name in sorted(names) if not known(name)]


def bundled(root):
    """Returns (file, package, version, licence) for each library, sorted by file."""
    names = sorted(path.name for path in root.glob("swathe.libs/*"))
    refused = refusals(names)
    if refused:
        sys.exit("\n".join(f"wheel_parts: {line}" for line in refused))
    found = []
    for name in names:
        package, licence = known(name)
        version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], check=True,
                                 capture_output=True, text=True).stdout
        found.append((name, package, version, licence))
    return found


def write_licences(folder, found):
    """Writes the list and the packages' licence texts; returns their paths in the wheel's way."""
    texts = folder / "licenses" / "bundled"
    texts.mkdir(parents=True)
    for _, package, _, _ in found:
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", texts / f"{package}.txt")
    width = max(len(row[0]) for row in found)
    rows = [f"{name:{width}}  {package} {version}: {licence}\n"
            for name, package, version, licence in found]
    (folder / "licenses" / "BUNDLED.txt").write_text(INTRODUCTION + "\n" + "".join(rows))
    return ["BUNDLED.txt", *(f"bundled/{row[1]}.txt" for row in found)]


def edit_metadata(folder, found, files):
    """Makes the wheel's metadata say what is in it."""
    metadata = folder / "METADATA"
    terms = sorted({term for row in found for term in row[3].split(" AND ")} - {"MIT"})
    lines = "".join(f"License-File: {name}\n" for name in files)
    text = metadata.read_text()
    text, count = re.subn(r"(?m)^License-Expression: MIT\n",
                          f"License-Expression: {' AND '.join(['MIT', *terms])}\n", text)
    text, more = re.subn(r"(?m)^License-File: LICENSE\n", "License-File: LICENSE\n" + lines, text)
    if count != 1 or more != 1:
        sys.exit("wheel_parts: METADATA does not have the one licence that it had")
    metadata.write_text(text)


def edit_sbom(folder, found):
    """Adds licences to auditwheel's list, and libtiff, whose package auditwheel cannot know."""
    path = folder / "sboms" / "auditwheel.cdx.json"
    data = json.loads(path.read_text())
    rows = {row[1]: row for row in found}
    for component in data["components"][1:]:
        component["licenses"] = [{"expression": rows.pop(component["name"])[3]}]
    for _, package, version, licence in rows.values():
        if package != "libtiff6":
            sys.exit(f"wheel_parts: auditwheel does not list {package}")
        reference = f"pkg:deb/debian/tiff@{version}?arch=source"
        data["components"].append({
            "type": "library", "bom-ref": reference, "name": "tiff", "version": version,
            "purl": reference, "licenses": [{"expression": licence}]})
        data["dependencies"][0]["dependsOn"].append(reference)
        data["dependencies"].append({"ref": reference})
    path.write_text(json.dumps(data, indent=1) + "\n")


def licences(wheel):
    from auditwheel.wheeltools import InWheelCtx  # of the machine that builds the wheel

    with InWheelCtx(pathlib.Path(wheel)) as context:
        context.out_wheel = pathlib.Path(wheel)
        root = pathlib.Path(os.getcwd())
        found = bundled(root)
        folder, = root.glob("*.dist-info")
        edit_metadata(folder, found, write_licences(folder, found))
        edit_sbom(folder, found)
        print((folder / "licenses" / "BUNDLED.txt").read_text(), end="")


def contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = [info.filename for info in archive.infolist() if not info.is_dir()]
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
    problems = [f"{name} does not belong in it" for name in names
                if not any(re.fullmatch(pattern, name) for pattern in EXPECTED)]
    problems += [f"nothing in it matches {pattern}" for pattern in EXPECTED
                 if not any(re.fullmatch(pattern, name) for name in names)]
    problems += refusals(os.path.basename(name) for name in names if name.startswith("swathe.libs/"))
    if not modes.get("swathe/bin/swathe", 0) & 0o100:
        problems.append("swathe/bin/swathe is not executable")
    size = os.path.getsize(wheel)
    if size > MAX_BYTES:
        problems.append(f"{size} bytes, limit {MAX_BYTES}")
    print(f"{os.path.basename(wheel)}: {len(names)} files, {size / 1e6:.2f} MB")
    for line in problems:
        print(f"wheel_parts: {line}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    {"licences": licences, "contents": contents}[sys.argv[1]](sys.argv[2])
