"""The generated pages of the site: everything that the programs, the header and the package say
about themselves.

The programs are those of $SWATHE_PREFIX/bin, and the package `swathe` is imported.
"""
import inspect
import os
import re
import subprocess

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

# ---- The C interface, from the comments of its headers -------------------------------------------

HEADERS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "include/swathe")
HEADER_PAGES = {"swathe.h": "swathe-h.md", "streams.h": "streams-h.md"}
HEADER_SECTION = re.compile(r"/\* ---- (.*?) -+ \*/$")
# What only C++ sees.
OTHER = re.compile(r'^#ifdef __cplusplus\n(?:extern "C" \{|\}|#define (?:.*\\\n)+.*)\n'
                   r'(?:#else\n(.*)\n)?#endif\n', re.MULTILINE)
NAME = re.compile(r"\b(swathe_\w+)\(|typedef struct (swathe_\w+)|typedef \w+ (swathe_\w+);|"
                  r"#define (SWATHE_\w+)")
WORD = re.compile(r"`[^`]+`|\b(?:swathe|SWATHE)_[A-Za-z0-9_]+(?:\(\))?|[*<>_\[\]]")


def declared(lines):
    """The comments and declarations of a header: (section, comment, code), each a list of lines."""
    section, comment, code, depth = "Macros", [], [], 0
    inside = False  # a comment at the left margin
    for line in lines:
        if not inside and depth == 0 and (not line or line.startswith("/*")):
            if code or (comment and not line):
                yield section, comment, code
                comment, code = [], []
        if HEADER_SECTION.match(line):
            section = HEADER_SECTION.match(line)[1]
        elif inside or (line.startswith("/*") and depth == 0):
            comment.append(line)
            inside = not line.endswith("*/")
        elif line:
            code.append(line)
            depth += line.count("{") - line.count("}")
    if code:
        yield section, comment, code


def is_declaration(code):
    text = "\n".join(code)
    return bool(NAME.search(text)) and not re.search(r"#(ifndef|endif|include|ifdef|if|else)", text)


def prototype(code):
    """The declaration, without the body of an inline function."""
    text = "\n".join(code)
    if text.startswith("static inline"):
        text = text[:text.index("\n{")] + ";"
    return text.replace("SWATHE_API ", "")


def declared_name(code):
    match = NAME.search("\n".join(code))
    return next(group for group in match.groups() if group)


def prose(comment, places):
    """A comment as Markdown. Names of the interface become links."""
    text = "\n".join(comment).removeprefix("/*").removesuffix("*/")
    text = re.sub(r"^ \* ?", "", text, flags=re.MULTILINE).strip()
    text = re.sub(r"\n- ", "\n\n- ", text, count=1)

    def word(match):
        found = match[0]
        if found[0] == "`":
            return found
        if len(found) == 1:
            return "\\" + found
        place = places.get(found.removesuffix("()"))
        return f"[`{found}`]({place})" if place else f"`{found}`"

    parts = re.split(r"((?:^    .*\n?)+)", text, flags=re.MULTILINE)
    return "".join(part if part.startswith("    ") else WORD.sub(word, part) for part in parts)


def header_page(name, lines, places):
    found = list(declared(lines))
    out, last = [f"# {name}\n\n{prose(found[0][1], places)}\n"], None
    for section, comment, code in found[1:]:
        if not is_declaration(code):
            continue
        if section != last:
            out.append(f"## {section}\n")
            last = section
        out.append(f"### {declared_name(code)}\n\n```c\n{prototype(code)}\n```\n")
        if comment:
            out.append(prose(comment, places) + "\n")
    return "\n".join(out)


def header_pages():
    """The Markdown of each header, by its name."""
    texts = {}
    for name in HEADER_PAGES:
        with open(os.path.join(HEADERS, name), encoding="utf-8") as file:
            texts[name] = OTHER.sub(r"\1\n", file.read()).split("\n")
    places = {declared_name(code): f"{HEADER_PAGES[name]}#{declared_name(code).lower()}"
              for name, lines in texts.items() for _, _, code in declared(lines) if is_declaration(code)}
    functions = {name for lines in texts.values()
                 for name in re.findall(r"^SWATHE_API [^;(]*?(swathe_\w+)\(", "\n".join(lines), re.MULTILINE)}
    assert functions <= places.keys(), f"not understood: {sorted(functions - places.keys())}"
    return {name: header_page(name, lines, places) for name, lines in texts.items()}

# ---- The Python package, from its docstrings -----------------------------------------------------

MADE_BY_OTHERS = ("swathe.Image",)  # classes without a constructor for users
UNDER_OTHERS = ("Options", "contract")  # the arguments of apply; a number
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def sections(text):
    """(title, text) of a docstring in the style of NumPy; the first has no title."""
    parts = SECTION.split(text)
    return [("", parts[0]), *zip(parts[1::2], parts[2::2])]


def plain(text):
    """reStructuredText, as the docstrings use it, as Markdown."""
    text = re.sub(r"``(.+?)``", r"`\1`", text, flags=re.DOTALL)
    text = re.sub(r"((?:^>>> .*\n(?:^(?!\s*$|>>> ).*\n)*)+)", r"```pycon\n\1```\n",
                  text.rstrip() + "\n", flags=re.MULTILINE)
    return re.sub(r"::\n\n((?: {4}.*\n|\n)+)", r":\n\n\1", text)


def definitions(text):
    """`name : type` lines with indented descriptions, as a list."""
    entries = re.findall(r"^(\S.*)\n((?:[ ]{4}.*\n|\n)*)", text.rstrip() + "\n", re.MULTILINE)
    for head, body in entries:
        name, _, kind = head.partition(" : ")
        description = plain(inspect.cleandoc(body)).strip() if body.strip() else ""
        kind = f", *{kind}*" if kind else ""
        yield f"`{name}`{kind}\n:   " + description.replace("\n", "\n    ") + "\n"


def markdown(doc):
    """A docstring as Markdown."""
    out = []
    for title, text in sections(inspect.cleandoc(doc or "")):
        if title:
            out.append(f"**{title}**\n")
        if title in ("Parameters", "Returns", "Raises", "Attributes"):
            out += definitions(text)
        else:
            out.append(plain(text.strip("\n")))
    return "\n".join(out)


def signature(name, thing):
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return name
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)
    return name + re.sub(r"\(self(?:, )?", "(", text)


def wrapped(text):
    """A signature with one argument per line if it is long."""
    if len(text) <= 88:
        return text
    head, rest = text.split("(", 1)
    inner, tail = re.match(r"(.*)(\)(?: -> .*)?)$", rest).groups()
    depth, out = 0, ""
    for letter in inner:
        depth += (letter in "[(") - (letter in "])")
        out += ",\n   " if letter == "," and depth == 0 else letter
    return f"{head}(\n    {out.lstrip()},\n{tail}"


def entry(name, thing, level="##"):
    heading = name.replace("_", "\\_")
    text = f"{level} {heading}\n\n"
    if callable(thing) and name not in MADE_BY_OTHERS:
        text += f"```python\n{wrapped(signature(name, thing))}\n```\n\n"
    return text + markdown(thing.__doc__) + "\n"


def is_error(thing):
    return isinstance(thing, type) and issubclass(thing, BaseException)


def members(cls):
    """Public methods and properties that the class itself defines."""
    for name, thing in vars(cls).items():
        hidden = name.startswith("_") and name not in ("__call__", "__getitem__")
        if hidden or not (callable(thing) or isinstance(thing, property)):
            continue
        if thing.__doc__:
            yield name, thing


def package():
    import swathe

    out = ["# Functions and classes\n\n" + markdown(swathe.__doc__)]
    for name in ("apply", "open", "imread", "imwrite", "Image", "Plan", "Chain", "filters", "formats"):
        thing = getattr(swathe, name)
        out.append(entry(f"swathe.{name}", thing))
        if isinstance(thing, type):
            out += [entry(f"{name}.{member}", each, "###") for member, each in members(thing)]
    out.append("## Functions of filters\n\nEach makes a chain; values and options are those of "
               "[Filters](../filters.md).\n")
    for name in sorted(swathe._functions):
        first = inspect.cleandoc(swathe._functions[name].__doc__ or "").split("\n")[0]
        out.append(f"`swathe.{name}`\n:   {plain(first).strip()}\n")
    out.append("## swathe.dask\n")
    out.append(entry("swathe.dask.apply", dask_apply(), "###"))
    out.append("## Errors\n")
    for name in sorted(name for name in swathe.__all__ if is_error(getattr(swathe, name))):
        error = getattr(swathe, name)
        bases = ", ".join(base.__name__ for base in error.__mro__[1:-1] if base is not BaseException)
        out.append(f"`swathe.{name}` ({bases})\n:   {plain(inspect.cleandoc(error.__doc__ or '')).strip()}\n")
    text = "\n".join(out)
    missing = [name for name in swathe.__all__ if f"swathe.{name}" not in text and name not in UNDER_OTHERS]
    assert not missing, f"the reference of the package lacks {missing}"
    return text


def dask_apply():
    from swathe import dask
    return dask.apply


def ndimage():
    from swathe import ndimage as module

    out = ["# swathe.ndimage\n\n" + markdown(module.__doc__)]
    out += [entry(f"ndimage.{name}", getattr(module, name)) for name in module.__all__]
    return "\n".join(out)


def pages():
    """The Markdown of each page, by its path in docs/."""
    header = header_pages()
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
            "reference/python.md": package(),
            "reference/ndimage.md": ndimage()}
