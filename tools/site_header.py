"""The reference of the C interface, from the comments of its headers."""
import os
import re

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "include/swathe")
PAGES = {"swathe.h": "swathe-h.md", "streams.h": "streams-h.md"}
SECTION = re.compile(r"/\* ---- (.*?) -+ \*/$")
# What only C++ sees.
OTHER = re.compile(r'^#ifdef __cplusplus\n(?:extern "C" \{|\}|#define (?:.*\\\n)+.*)\n'
                   r'(?:#else\n(.*)\n)?#endif\n', re.MULTILINE)
NAME = re.compile(r"\b(swathe_\w+)\(|typedef struct (swathe_\w+)|typedef \w+ (swathe_\w+);|"
                  r"#define (SWATHE_\w+)")
WORD = re.compile(r"`[^`]+`|\b(?:swathe|SWATHE)_[A-Za-z0-9_]+(?:\(\))?|[*<>_\[\]]")


def items(lines):
    """The comments and declarations of a header: (section, comment, code), each a list of lines."""
    section, comment, code, depth = "Macros", [], [], 0
    inside = False  # a comment at the left margin
    for line in lines:
        if not inside and depth == 0 and (not line or line.startswith("/*")):
            if code or (comment and not line):
                yield section, comment, code
                comment, code = [], []
        if SECTION.match(line):
            section = SECTION.match(line)[1]
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


def name_of(code):
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


def page(name, lines, places):
    found = list(items(lines))
    out, last = [f"# {name}\n\n{prose(found[0][1], places)}\n"], None
    for section, comment, code in found[1:]:
        if not is_declaration(code):
            continue
        if section != last:
            out.append(f"## {section}\n")
            last = section
        out.append(f"### {name_of(code)}\n\n```c\n{prototype(code)}\n```\n")
        if comment:
            out.append(prose(comment, places) + "\n")
    return "\n".join(out)


def pages():
    """The Markdown of each header, by its name."""
    texts = {}
    for name in PAGES:
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            texts[name] = OTHER.sub(r"\1\n", file.read()).split("\n")
    places = {name_of(code): f"{PAGES[name]}#{name_of(code).lower()}"
              for name, lines in texts.items() for _, _, code in items(lines) if is_declaration(code)}
    functions = {name for lines in texts.values()
                 for name in re.findall(r"^SWATHE_API [^;(]*?(swathe_\w+)\(", "\n".join(lines), re.MULTILINE)}
    assert functions <= places.keys(), f"not understood: {sorted(functions - places.keys())}"
    return {name: page(name, lines, places) for name, lines in texts.items()}
