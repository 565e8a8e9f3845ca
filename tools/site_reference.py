"""The generated pages of the site: everything that the programs, the header and the package say
about themselves.

The programs are those of $SWATHE_PREFIX/bin, and the package `swathe` is imported.
"""
import os
import re
import subprocess

import site_docstrings
import site_header

INDEX = """# Reference

Pages marked * are generated from the programs, the headers and the package when this site is built.

| | |
|---|---|
| [Filters](../filters.md) | the grammar of chains, options, borders, and the formula of each filter |
| [Filters of this build](filters.md) * | the same list as the command and the library print it |
| [Gallery](../gallery/gallery.md) | every filter on the same picture |
| [swathe](commands.md) *, [swathe-fleet](fleet-commands.md) * | each command with its options |
| [Exit codes](exit-codes.md) * | of both programs |
| [Batches](../batch.md), [fleets](../fleet.md) | guarantees, files, messages |
| [Formats](formats.md) * | file formats and limits; [object stores](../store.md) |
| [swathe.h](swathe-h.md) *, [streams.h](streams-h.md) * | the C interface |
| [Python](../python.md), [functions and classes](python.md) *, [swathe.ndimage](ndimage.md) * | the package |
"""
NUMBERS = {"filters": 0, "formats": 6, "limits": 8}


def program(*arguments):
    """What a program prints."""
    path = os.path.join(os.environ["SWATHE_PREFIX"], "bin", arguments[0])
    return subprocess.run([path, *arguments[1:]], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60,
                          env=dict(os.environ, LC_ALL="C.UTF-8", COLUMNS="80")).stdout


def block(text):
    return f"```text\n{text.rstrip()}\n```\n"


def command_names(text):
    listed = re.search(r"^Commands.*:\n((?:  .*\n)+)", text, re.MULTILINE)[1]
    return re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE)


def commands(name, text_of):
    """A page with the help of a program and of each of its commands."""
    overview = text_of(None)
    parts = [f"# {name}\n\n{block(overview)}"]
    parts += [f"## {name} {each}\n\n{block(text_of(each))}" for each in command_names(overview)]
    return "\n".join(parts)


def exit_codes():
    """The codes that `swathe help` prints, as a table."""
    text = re.search(r"^Exit codes:\n((?: .*\n)+)", program("swathe", "help"), re.MULTILINE)[1]
    rows = re.findall(r"^ +(\d+)  (.*)$", text, re.MULTILINE)
    assert len(rows) > 8, text
    return ("# Exit codes\n\n`swathe` exits with\n\n| code | meaning |\n|--:|---|\n"
            + "".join(f"| {code} | {cell(meaning)} |\n" for code, meaning in rows)
            + "\nThe library returns 2 to 9 as a [`swathe_status`](swathe-h.md#swathe_status). The "
            "codes of `swathe-fleet` are in [Fleets](../fleet.md#commands).\n")


def cell(text):
    """Text for a cell of a table."""
    return re.sub(r"([|*<\[\]])", r"\\\1", " ".join(text.split()))


def table_rows(table):
    import swathe  # of the prefix: not there when the checks of this directory run
    return swathe._swathe.table_rows(NUMBERS[table])


def filters():
    parts = ["# Filters of this build\n\n[Filters](../filters.md) has the grammar of chains, options, "
             "borders and formulas.\n"]
    for row in table_rows("filters"):
        parts.append(f"## {row['name']}\n\n{cell(row['summary'])[0].upper()}"
                     f"{cell(row['summary'])[1:]}.\n\n{block(program('swathe', 'filters', row['name']))}")
    return "\n".join(parts)


def formats():
    rows = "".join(f"| `{row['name']}` | {row['syntax'].replace(',', ', ')} | {cell(row['summary'])} | "
                   f"{', '.join('`--' + word + '`' for word in row['detail'].split())} | "
                   f"{', '.join(row['keeps'].split())} |\n" for row in table_rows("formats"))
    limits = "".join(f"| `--{row['name'].replace('_', '-')}` | {cell(row['summary'])} | {row['value']:,} |\n"
                     for row in table_rows("limits"))
    return ("# Formats\n\n| format | file names | | options | keeps |\n|---|---|---|---|---|\n" + rows
            + "\nSample types, channels and conversions are described in the "
            "[overview](../../README.md#formats).\n\n## Limits of input files\n\n"
            "| option | limit | default |\n|---|---|--:|\n" + limits
            + "\nThe [overview](../../README.md#limits-and-safety) has all limits.\n")


def pages():
    """The Markdown of each page, by its path in docs/."""
    header = site_header.pages()
    return {"reference/index.md": INDEX,
            "reference/commands.md": commands(
                "swathe", lambda name: program("swathe", "help", *([name] if name else []))),
            "reference/fleet-commands.md": commands(
                "swathe-fleet", lambda name: program("swathe-fleet", *([name] if name else []), "--help")),
            "reference/exit-codes.md": exit_codes(),
            "reference/filters.md": filters(),
            "reference/formats.md": formats(),
            "reference/swathe-h.md": header["swathe.h"],
            "reference/streams-h.md": header["streams.h"],
            "reference/python.md": site_docstrings.package(),
            "reference/ndimage.md": site_docstrings.ndimage()}
