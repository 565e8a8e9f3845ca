#!/usr/bin/env python3
"""Writes a software bill of materials, as SPDX 2.3 in JSON, for a directory of release files.

    sbom.py DIRECTORY OUTPUT [--static FILE NAME=VERSION...]...

DIRECTORY has the source tarball and Debian packages with their .buildinfo, which states the versions of
the libraries that they were built with. --static names a file of DIRECTORY that contains libraries, and
these. Fails if the licence of a library is not in library_licences.py. The same files give the same
bytes; the time is SOURCE_DATE_EPOCH, or that of the last commit. Needs dpkg-deb for packages.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

from library_licences import LICENCES, unknown

HERE = pathlib.Path(__file__).resolve().parent.parent
OWN, SUPPLIER = "MIT", "Organization: The Swathe authors"


def words(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=HERE).stdout.strip()


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def general_name(name):
    """Later releases of Debian rename libraries whose times have 64 bits."""
    return name.removesuffix("t64")


def needed(package):
    """Returns the packages of Debian that a .deb depends on; of alternatives the first."""
    field = words("dpkg-deb", "-f", str(package), "Depends")
    names = {re.match(r"\s*([a-z0-9][a-z0-9.+-]*)", part)[1] for part in field.split(",") if part.strip()}
    return {name for name in names if "swathe" not in name and not name.endswith("-dev")}


def built_with(folder):
    """Returns the version of each package in the .buildinfo files."""
    found = {}
    for path in folder.glob("*.buildinfo"):
        found.update(re.findall(r"^ (\S+) \(= ([^)]+)\)", path.read_text(), re.MULTILINE))
    return found


def library(name, version, distribution):
    """Describes a library that is not ours. distribution: it comes from Debian."""
    described = {
        "SPDXID": identifier(f"Library-{name}"), "name": name, "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False, "licenseConcluded": LICENCES[general_name(name)],
        "licenseDeclared": LICENCES[general_name(name)], "copyrightText": "NOASSERTION"}
    if version:
        described["versionInfo"] = version
    if distribution:
        at = f"@{version.replace('+', '%2B').replace(':', '%3A')}" if version else ""
        described["supplier"] = "Organization: Debian"
        described["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                      "referenceLocator": f"pkg:deb/debian/{name}{at}"}]
    return described


def artefact(path, version, licences):
    """Describes a file of the release. licences: those of the libraries that it contains."""
    terms = sorted({term for licence in licences for term in licence.split(" AND ")} - {OWN})
    return {
        "SPDXID": identifier(f"File-{path.name}"), "name": path.name.split("_")[0],
        "versionInfo": version, "packageFileName": path.name, "supplier": SUPPLIER,
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": " AND ".join([OWN, *terms]), "licenseDeclared": OWN,
        "copyrightText": "Copyright (c) 2026 The Swathe authors",
        "checksums": [{"algorithm": "SHA256",
                       "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}]}


def relation(of, kind, to):
    return {"spdxElementId": of, "relationshipType": kind, "relatedSpdxElement": to}


def document(folder, static):
    """Returns the document. static: {file name: {library: version}}."""
    version = (HERE / "VERSION").read_text().strip()
    source = folder / f"swathe-{version}.tar.xz"
    debs = sorted(path for path in folder.glob("*.deb") if "-dbgsym_" not in path.name)
    debian = {path: needed(path) for path in debs}
    names = {name for libraries in (*debian.values(), *static.values()) for name in libraries}
    refused = unknown(map(general_name, names))
    if refused or not source.exists():
        sys.exit("\n".join(f"sbom: {line}" for line in refused or [f"{source} is missing"]))
    versions, described, relations = built_with(folder), {}, []
    for path in [source, *debs, *(folder / name for name in sorted(static))]:
        inside, beside = static.get(path.name, {}), sorted(debian.get(path, ()))
        own = artefact(path, version, [LICENCES[general_name(name)] for name in inside])
        described[own["SPDXID"]] = own
        relations.append(relation("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"]))
        if path != source:
            relations.append(relation(own["SPDXID"], "GENERATED_FROM", identifier(f"File-{source.name}")))
        parts = [(library(name, versions.get(name), True), "DEPENDS_ON") for name in beside]
        parts += [(library(name, inside[name], False), "CONTAINS") for name in sorted(inside)]
        for part, kind in parts:
            described[part["SPDXID"]] = part
            relations.append(relation(own["SPDXID"], kind, part["SPDXID"]))
    return frame(version, list(described.values()), relations)


def frame(version, packages, relations):
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or words("git", "log", "-1", "--format=%ct"))
    made = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    digest = hashlib.sha256(json.dumps([packages, relations]).encode()).hexdigest()[:32]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"swathe-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/swathe-{version}-{digest}",
        "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": [SUPPLIER, f"Tool: swathe-sbom-{version}"]},
        "packages": packages, "relationships": relations}


def static_arguments(arguments):
    """Returns {file: {library: version}} of the groups that start with --static."""
    groups = " ".join(arguments).split("--static ")[1:]
    return {group.split()[0]: dict(word.split("=", 1) for word in group.split()[1:]) for group in groups}


def main(folder, output, *arguments):
    text = json.dumps(document(pathlib.Path(folder), static_arguments(arguments)), indent=1) + "\n"
    pathlib.Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
