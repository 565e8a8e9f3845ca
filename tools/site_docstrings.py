"""The reference of the Python package, from its docstrings."""
import inspect
import re

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
