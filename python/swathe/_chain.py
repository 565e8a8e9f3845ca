"""Chains of filters: their text, and a function for each filter of the library's table."""
from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _swathe

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_FILTERS, _OPTIONS = 0, 1  # numbers of tables


class Chain:
    """Filters in order. Immutable; its ``repr`` is the text that the command takes.

    Parameters
    ----------
    text : str or Chain
        Such as ``"sharpen,gaussian:5"``; the empty text is a chain without filters.

    Examples
    --------
    >>> import swathe
    >>> swathe.Chain("sharpen") | swathe.gaussian(9)
    sharpen,gaussian:9
    >>> len(swathe.Chain("sharpen,gaussian:5"))
    2
    """

    __slots__ = ("_stages", "_text")

    def __init__(self, text: str | Chain = "") -> None:
        normal: tuple[str, int] = ((text._text, text._stages) if isinstance(text, Chain)
                                   else _swathe.chain_normal(text))
        self._text: str = normal[0]
        self._stages: int = normal[1]

    @property
    def text(self) -> str:
        """The chain as text, which reads back as the same chain."""
        return self._text

    def __or__(self, other: Chain | str) -> Chain:
        if not isinstance(other, (Chain, str)):
            return NotImplemented
        texts = (self._text, Chain(other)._text)
        return Chain(",".join(text for text in texts if text))

    def __ror__(self, other: str) -> Chain:
        return Chain(other) | self

    def __call__(self, image: Any, **options: Any) -> NDArray[Any]:
        """The same as ``swathe.apply(image, chain, **options)``."""
        from ._apply import apply  # which imports this file

        return apply(image, self, **options)

    def __len__(self) -> int:
        return self._stages

    def __repr__(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chain) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[type[Chain], tuple[str]]:
        return Chain, (self._text,)


def _value(value: object) -> str:
    """An argument as text, in parentheses if it has characters that separate arguments."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{value!r} is not an argument of a filter")
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    text = str(value)
    outside = re.sub(r"\([^()]*\)", "", text)
    return f"({text})" if re.search(r"[,:\s]", outside) else text


def _rows(matrix: ArrayLike) -> str:
    """A matrix as the text of a mask, every tap exactly."""
    taps = np.asarray(matrix)
    if taps.dtype.kind not in "biuf":
        raise TypeError(f"taps must be real numbers, not {taps.dtype}")
    if taps.ndim == 1:
        taps = taps[np.newaxis]
    if taps.ndim != 2 or taps.size == 0:
        raise ValueError(f"a mask has two dimensions, not the shape {taps.shape}")
    rows = taps.astype(np.float64).tolist()
    return "(" + "; ".join(" ".join(repr(tap).removesuffix(".0") for tap in row)
                           for row in rows) + ")"


def _stage(name: str, arguments: Sequence[str], options: dict[str, object]) -> Chain:
    parts = [name, *arguments]
    for key, value in options.items():
        if value is True:
            parts.append(key)
        elif value is not None and value is not False:
            parts.append(f"{key}={_value(value)}")
    return Chain(":".join(parts))


# ---- Functions of filters ------------------------------------------------------------------------


def _parameter(part: str, default: object = None) -> Parameter:
    """An argument as the syntax of a filter shows it: a value, ``key=VALUE`` or a word."""
    key, _, value = part.partition("=")
    if value or part.islower() and "|" not in part:
        return Parameter(key, Parameter.KEYWORD_ONLY, default=None if value else False)
    if part.startswith("("):
        return Parameter("matrices", Parameter.VAR_POSITIONAL) if part.endswith("…") else \
            Parameter("matrix", Parameter.POSITIONAL_OR_KEYWORD)
    name = "kind" if "|" in part else part.lower()
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default)


def _signature(syntax: str) -> Signature:
    """The parameters of a syntax, such as ``motion[:LENGTH][:angle=DEGREES]``, and common ones.

    None stands for the library's default, which may depend on other arguments.
    """
    required = re.match(r"[\w-]+:([^\[|]+)", syntax)
    parameters = [_parameter(required[1], Parameter.empty)] if required else []
    parameters += map(_parameter, re.findall(r"\[:([^\]]+)\]", syntax))
    parameters += (_parameter(row["syntax"]) for row in _swathe.table_rows(_OPTIONS))
    return Signature(sorted(parameters, key=lambda each: each.kind), return_annotation=Chain)


def _text(row: dict[str, Any]) -> str:
    """The docstring of a filter's function."""
    options = "\n".join(f"{option['name']}\n    {option['summary']}"
                        for option in _swathe.table_rows(_OPTIONS))
    return (f"{row['summary']}\n\nIn a chain: ``{row['syntax']}``\n\nExample: ``{row['example']}``"
            f"\n\n{textwrap.fill(row['detail'], 96)}\n\nOptions of every filter\n"
            f"-----------------------\n{options}\n")


def _function(row: dict[str, Any]) -> Callable[..., Chain]:
    name, signature = row["name"], _signature(row["syntax"])
    text_of = _rows if "(ROWS)" in row["syntax"] else _value

    def make(*arguments: Any, **options: object) -> Chain:
        try:
            given = signature.bind(*arguments, **options)
        except TypeError as error:
            raise TypeError(f"{make.__name__}() {error}") from None
        return _stage(name, [text_of(each) for each in given.args if each is not None],
                      given.kwargs)

    make.__name__ = make.__qualname__ = name.replace("-", "_")
    make.__module__, make.__doc__ = "swathe", _text(row)
    make.__signature__ = signature  # type: ignore[attr-defined]
    return make


def stage_functions() -> dict[str, Callable[..., Chain]]:
    """A function for each filter: ``gaussian(9, border="wrap")`` is ``gaussian:9:border=wrap``."""
    functions = map(_function, _swathe.table_rows(_FILTERS))
    return {function.__name__: function for function in functions}
