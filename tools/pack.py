#!/usr/bin/env python3
"""Packs a folder: pack.py FOLDER OUT. The archive is OUT/FOLDER.tar.gz, or OUT/FOLDER.zip if the
name of the folder says Windows. Its bytes depend only on names, contents and $SOURCE_DATE_EPOCH.
"""
import gzip
import hashlib
import os
import pathlib
import sys
import tarfile
import time
import zipfile


def mode(path):
    return 0o755 if os.access(path, os.X_OK) else 0o644


def write_tar(folder, files, when, to):
    with gzip.GzipFile("", "wb", 9, to, when) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in files:
            member = tarfile.TarInfo(f"{folder.name}/{path.name}")
            member.size, member.mode, member.mtime = path.stat().st_size, mode(path), when
            with path.open("rb") as contents:
                archive.addfile(member, contents)


def write_zip(folder, files, when, to):
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in files:
            member = zipfile.ZipInfo(f"{folder.name}/{path.name}", time.gmtime(when)[:6])
            member.compress_type, member.create_system = zipfile.ZIP_DEFLATED, 3
            member.external_attr = mode(path) << 16
            archive.writestr(member, path.read_bytes())


def main():
    folder, out = map(pathlib.Path, sys.argv[1:])
    windows = "windows" in folder.name
    target = out / (folder.name + (".zip" if windows else ".tar.gz"))
    partial = target.with_name(target.name + ".partial")
    with partial.open("wb") as to:
        (write_zip if windows else write_tar)(folder, sorted(folder.iterdir()),
                                              int(os.environ["SOURCE_DATE_EPOCH"]), to)
    partial.replace(target)
    print(f"{hashlib.sha256(target.read_bytes()).hexdigest()}  {target.name}")


if __name__ == "__main__":
    main()
