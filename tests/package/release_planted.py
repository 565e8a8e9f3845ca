#!/usr/bin/env python3
"""Prepares a release in a clone, which tools/release must accept, and plants a problem for each cheap
check, which it must find.

    release_planted.py [TREE]
"""
import datetime
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
TODAY = datetime.datetime.now(datetime.timezone.utc).date()
GIT = ["git", "-c", "user.name=x", "-c", "user.email=x@swathe.test"]
# What must be changed before a release: file, pattern, replacement.
PREPARED = [
    ("NEWS.md", r"\((not released|[\d-]+)\)", f"({TODAY})"),
    ("README.md", r", not released\.", "."),
    ("debian/changelog", "UNRELEASED", "unstable"),
    ("debian/changelog", r"  \w{3}, .*\n", f"  {TODAY:%a, %d %b %Y} 00:00:00 +0000\n"),
    *((f"debian/{name}", r"@example\.org", "@swathe.test") for name in ("control", "changelog", "copyright")),
]
# Check, file, text, replacement, and what the check says.
PLANTED = [
    ("clean", "NEWS.md", "# News", "# New", "not committed:  M NEWS.md"),
    ("version", "VERSION", "0", "9", "VERSION is 9."),
    ("news", "NEWS.md", f"({TODAY})", "(not released)", "not YYYY-MM-DD"),
    ("news", "NEWS.md", f"({TODAY})", "(2999-01-01)", "is in the future"),
    ("news", "NEWS.md", f"({TODAY})", "(2001-01-01)", "debian/changelog: dated"),
    ("news", "debian/changelog", "unstable", "UNRELEASED", "debian/changelog: UNRELEASED"),
    ("news", "README.md", "Version ", "Version not released ", "README.md: says"),
    ("maintainer", "debian/control", "@swathe.test", "@example.org", "cannot be reached"),
    ("figures", "docs/release.md", "rows.py` | ", "rows.py` | 9", "are of 9"),
    ("figures", "docs/release.md", "`tools/gpu_figures.py` |", "`tools/gone.py` |", "no tools/gone.py"),
    ("soname", "src/meson.build", "soversion: '", "soversion: '9", "no package libswathe9"),
    ("soname", "src/swathe.map", "SWATHE_0", "SWATHE_9", "src/swathe.map: its version"),
    ("soname", "debian/libswathe0.symbols", " swathe_filter@", " swathe_filtered@", "swathe_filter is missing"),
    ("contract", "docs/numerics.md", "results, version ", "results, version 9", "the contract is"),
    ("house", "docs/release.md", "# Releases\n", "# Releases \n", "trailing space"),
]


def release(tree, *words):
    done = subprocess.run([sys.executable, "tools/release", *words], cwd=tree, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def prepare(tree):
    for path, pattern, replacement in PREPARED:
        text = (tree / path).read_text()
        (tree / path).write_text(re.sub(pattern, replacement, text, count=1 if path == "NEWS.md" else 0))
    subprocess.run([*GIT, "commit", "-q", "-a", "--allow-empty", "-m", "release: prepare"], cwd=tree,
                   check=True)


def planted(tree):
    """Yields what was not found."""
    for check, path, old, new, said in PLANTED:
        text = (tree / path).read_text()
        if old not in text:
            yield f"{path} has no {old!r}"
            continue
        (tree / path).write_text(text.replace(old, new, 1))
        status, output = release(tree, "--only", check)
        if status != 1 or said not in output:
            yield f"{check}: {path}: {new!r} not found:\n{output}"
        (tree / path).write_text(text)


def check(tree):
    status, output = release(tree, "--dry-run")
    if status != 0:
        yield f"a prepared tree is refused:\n{output}"
    yield from planted(tree)
    version = (tree / "VERSION").read_text().strip()
    subprocess.run([*GIT, "tag", "-m", "x", f"v{version}"], cwd=tree, check=True)
    if release(tree, "--only", "version")[0] != 1:
        yield "an existing tag is not found"
    names = set(release(tree, "--list")[1].split())
    for name in sorted(names - {check for check, *_ in PLANTED}):
        yield f"no problem is planted for {name}"


def main(source):
    os.environ.pop("GIT_DIR", None)
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder, "tree")
        subprocess.run(["git", "clone", "-q", "--no-tags", source, tree], check=True)
        prepare(tree)
        problems = list(check(tree))
    print("\n".join(problems))
    print(f"release: {len(PLANTED) + 1} planted, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else str(PROJECT)))
