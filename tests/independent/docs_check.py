#!/usr/bin/env python3
"""Checks docs/filters.md and docs/numerics.md against the library's own tables.

    docs_check.py BUILD_DIR

Every filter has a heading and its arguments named below it; every option, border and type is in a
table; every ```chain line parses; every ```mask block equals the library's mask to the digits
shown; numerics.md describes the contract version of the build.
"""
import os
import re
import sys

import numpy

from swathe_ctypes import Library, Refused

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")


def read(name):
    with open(os.path.join(DOCS, name), encoding="utf-8") as file:
        return file.read()


def sections(text):
    """Returns {heading of level 3: the text below it}."""
    parts = re.split(r"^### (.*)$", text, flags=re.M)
    return {name.strip(): re.split(r"^## ", body, flags=re.M)[0]
            for name, body in zip(parts[1::2], parts[2::2])}


def blocks(text, kind):
    """Returns (rest of the opening line, lines) of the fenced blocks of a kind."""
    return [(head.strip(), body.splitlines())
            for head, body in re.findall(rf"^```{kind}(.*)\n((?:.*\n)*?)```", text, flags=re.M)]


def check_filters(library, text):
    found, rows = sections(text), library.table("filters")
    names = [row["name"] for row in rows]
    if list(found) != names:
        yield f"headings are {list(found)}, the table has {names}"
    for row in rows:
        words = re.findall(r"[:\[|](\w+)=|:(dense)\b", row["syntax"])
        for word in filter(None, sum(words, ())):
            if f"{word}=" not in found.get(row["name"], "") and \
                    f"`{word}`" not in found.get(row["name"], ""):
                yield f"{row['name']}: its argument {word} is not explained"


def check_tables(library, text):
    for table in ("options", "borders"):
        for row in library.table(table):
            if not re.search(rf"^\| `{re.escape(row['syntax'].split('|')[0])}`", text, flags=re.M):
                yield f"{table}: {row['syntax']} has no entry"
    for row in library.table("types"):
        if f"`{row['name']}`" not in text:
            yield f"type {row['name']} is not mentioned"
    known = {row["name"] for table in ("options", "borders") for row in library.table(table)}
    for name in re.findall(r"^\| `(\w+)", text, flags=re.M):
        if name not in known:
            yield f"{name} has an entry, but the library does not know it"


def check_chains(library, text):
    for _, lines in blocks(text, "chain"):
        for line in lines:
            try:
                library.lib.swathe_chain_destroy(library.chain(line))
            except Refused as refused:
                yield f"{line}: {refused}"


def check_masks(library, text):
    for chain, lines in blocks(text, "mask"):
        words = [line.split() for line in lines]
        shown = numpy.array([[float(word) for word in row] for row in words])
        digits = max(len(word.partition(".")[2]) for row in words for word in row)
        taps, _ = library.mask(chain)
        if taps.shape != shown.shape or numpy.abs(taps - shown).max() > 0.5 * 10.0**-digits + 1e-12:
            yield f"{chain}: the mask shown differs from the library's {taps.tolist()}"


def check_examples(library):
    for row in library.table("filters"):
        try:
            library.lib.swathe_chain_destroy(library.chain(row["example"]))
        except Refused as refused:
            yield f"example of {row['name']}: {refused}"


def main():
    library = Library(sys.argv[1])
    filters, numerics = read("filters.md"), read("numerics.md")
    checks = (check_filters, check_tables, check_chains, check_masks)
    wrong = [f"filters.md: {line}" for check in checks for line in check(library, filters)]
    wrong += check_examples(library)
    contract = re.search(r"version (\d+)", numerics)
    if not contract or int(contract.group(1)) != library.lib.swathe_contract():
        wrong.append(f"numerics.md does not describe version {library.lib.swathe_contract()}")
    print("\n".join(wrong) or "docs/filters.md and docs/numerics.md agree with the library")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
