#!/usr/bin/env python3
"""Lists the libraries in a repaired wheel with version and licence, inside the wheel.

    wheel_licences.py WHEEL

Fails if the wheel contains a library that is not in wheel_libraries.py. Runs with auditwheel on the Debian machine that the libraries come from.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import wheel_libraries
from auditwheel.wheeltools import InWheelCtx

INTRODUCTION = """\
Swathe is under the MIT licence, see LICENSE. This wheel also contains these libraries of Debian,
each under its own licence. The texts are in the directory bundled/; they also cover files of the
packages that are not in this wheel. libtiff was built from Debian's source without JBIG, LERC, LZMA
and WebP.
"""


def bundled(root):
    """Returns (file, package, version, licence) for each library, sorted by file."""
    names = sorted(path.name for path in root.glob("swathe.libs/*"))
    refused = wheel_libraries.refusals(names)
    if refused:
        sys.exit("\n".join(f"wheel_licences: {line}" for line in refused))
    found = []
    for name in names:
        package, licence = wheel_libraries.known(name)
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
        sys.exit("wheel_licences: METADATA does not have the one licence that it had")
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
            sys.exit(f"wheel_licences: auditwheel does not list {package}")
        reference = f"pkg:deb/debian/tiff@{version}?arch=source"
        data["components"].append({
            "type": "library", "bom-ref": reference, "name": "tiff", "version": version,
            "purl": reference, "licenses": [{"expression": licence}]})
        data["dependencies"][0]["dependsOn"].append(reference)
        data["dependencies"].append({"ref": reference})
    path.write_text(json.dumps(data, indent=1) + "\n")


def main(wheel):
    with InWheelCtx(pathlib.Path(wheel)) as context:
        context.out_wheel = pathlib.Path(wheel)
        root = pathlib.Path(os.getcwd())
        found = bundled(root)
        folder, = root.glob("*.dist-info")
        edit_metadata(folder, found, write_licences(folder, found))
        edit_sbom(folder, found)
        print((folder / "licenses" / "BUNDLED.txt").read_text(), end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
