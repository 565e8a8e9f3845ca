#!/usr/bin/env python3
"""Checks the bill of materials of tools/sbom.py with spdx-tools, and that mistakes are found.

    sbom_check.py DIRECTORY

DIRECTORY has the source tarball and, if they were built, Debian packages. A file that stands for a
static archive is added in a copy.
"""
import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/sbom.py"
ARCHIVE = "swathe-linux-static.tar.xz"
STATIC = ["--static", ARCHIVE, "zlib1g=1.3", "libjpeg62-turbo=2.1.5", "musl=1.2.5"]


def make(folder, output, *arguments):
    return subprocess.run([sys.executable, TOOL, folder, output, *arguments], capture_output=True, text=True)


def validate(path):
    """Returns the messages of spdx-tools."""
    from spdx_tools.spdx.parser.error import SPDXParsingError
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
    try:
        document = parse_file(str(path))
    except SPDXParsingError as error:
        return error.get_messages()
    return [message.validation_message for message in validate_full_spdx_document(document)]


def missing(data, folder):
    """Yields what the document must name and does not."""
    named = {package.get("packageFileName"): package for package in data["packages"]}
    for path in sorted(folder.iterdir()):
        if path.suffix in (".deb", ".xz") and "-dbgsym_" not in path.name and ".debian." not in path.name \
                and ".orig." not in path.name and path.name not in named:
            yield f"{path.name} is not in it"
    if named[ARCHIVE]["licenseConcluded"] != "MIT AND BSD-3-Clause AND IJG AND Zlib":
        yield f"the static archive is under {named[ARCHIVE]['licenseConcluded']}"
    for package in data["packages"]:
        if package["licenseConcluded"] in ("NOASSERTION", "NONE"):
            yield f"{package['name']} has no licence"


def planted(data):
    """Yields (name, damaged copy)."""
    for name, change in {
            "no namespace": lambda d: d.pop("documentNamespace"),
            "unknown licence": lambda d: d["packages"][0].update(licenseConcluded="MITT"),
            "wrong checksum": lambda d: d["packages"][0]["checksums"][0].update(checksumValue="12"),
            "no such package": lambda d: d["relationships"][0].update(relatedSpdxElement="SPDXRef-x"),
            "twice the same": lambda d: d["packages"].append(d["packages"][0]),
            "time": lambda d: d["creationInfo"].update(created="yesterday")}.items():
        damaged = copy.deepcopy(data)
        change(damaged)
        yield name, damaged


def check(folder, output):
    done = make(folder, output, *STATIC)
    if done.returncode != 0:
        yield f"sbom.py fails: {done.stderr}"
        return
    yield from validate(output)
    data = json.loads(output.read_text())
    yield from missing(data, folder)
    again = output.with_name("again.spdx.json")
    make(folder, again, *STATIC)
    if again.read_bytes() != output.read_bytes():
        yield "two runs give different bytes"
    for name, damaged in planted(data):
        bad = output.with_name("bad.spdx.json")
        bad.write_text(json.dumps(damaged))
        if not validate(bad):
            yield f"planted: {name}: not found"
    done = make(folder, again, *STATIC, "libjbig=2.1")
    if done.returncode == 0 or "libjbig is not in tools/library_licences.py" not in done.stderr:
        yield "planted: a library without a known licence is accepted"
    print(f"{len(data['packages'])} packages, {len(data['relationships'])} relationships")


def main(source):
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work, "files")
        folder.mkdir()
        for path in pathlib.Path(source).rglob("*"):
            if path.is_file() and not path.name.endswith(".orig.tar.xz"):
                shutil.copy(path, folder)
        (folder / ARCHIVE).write_bytes(b"static\n")
        problems = list(check(folder, pathlib.Path(work, "swathe.spdx.json")))
        debs = len(list(folder.glob("*.deb")))
    print("\n".join(problems))
    if not debs:
        print("skipped: the bill of materials of Debian packages (they were not built)")
    print(f"sbom: {debs} Debian packages, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*(os.path.abspath(path) for path in sys.argv[1:2])))
