"""Chains over Dask arrays: larger than memory, or on a cluster.

>>> import dask.array as da, numpy as np, swathe.dask
>>> image = da.from_array(np.arange(64, dtype=np.uint8).reshape(8, 8), chunks=4)
>>> swathe.dask.apply(image, "box:3").chunks
((4, 4), (4, 4))

Results equal those of `swathe.apply` on the whole array, byte for byte; for floats, with `exact=True`.
"""
from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise, product
from typing import TYPE_CHECKING, Any, Unpack

import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

from ._apply import plan_for
from ._chain import Chain
from ._plan import LAST, Options, Plan, axes_of, said_axis

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["apply"]

_WHOLE = ("alpha", "nodata", "light", "values", "intermediate")  # options of the chain as a whole

_Key = tuple[Any, ...]
_Slices = tuple[slice, ...]
_Block = tuple[int, int]  # number of the row and of the column of blocks
_Cut = tuple[int, int, int, int]  # rows from, to, columns from, to
_Numbers = dict[_Block, dict[_Cut, int]]


def apply(array: Any, chain: str | Chain, *, channel_axis: int | None = LAST,
          **options: Unpack[Options]) -> da.Array:
    """Filters a Dask array by a chain; nothing is computed yet.

    Each chunk of the result is one task on one thread. It reads its block of the input and those
    parts of the neighbours that the chain needs, and filters them as a tile of the whole image. So
    chunks leave no traces, and borders are those of the image.

    Parameters
    ----------
    array : dask.array.Array
        Or what ``dask.array.asarray`` takes, such as a Zarr array.
    chain : str or Chain
        Such as ``"sharpen,gaussian:5"``.
    channel_axis : int or None
        As in `swathe.apply`. Channels are joined into one chunk. Dimensions that are not rows,
        columns or channels are a batch.
    **options
        As in `swathe.apply`, except that `exact` is True by default: floats, too, have the same
        bytes on every machine and for every chunking.

    Returns
    -------
    dask.array.Array
        With the chunks of `array`; where the border ``valid`` shrinks the image, the chunks at the
        edges are smaller.

    Notes
    -----
    With the border ``wrap``, tasks at an edge read parts of the opposite edge. If only some filters
    of a chain wrap, the chain is cut where that changes, and its parts are applied one by one. With
    `alpha`, `nodata`, `light`, `values` or `intermediate`, which belong to the chain as a whole, it
    is not cut: then tasks at an edge read the whole width or height.

    Examples
    --------
    >>> import dask.array as da, numpy as np, swathe.dask
    >>> image = np.random.default_rng(1).integers(0, 256, (300, 500, 3), np.uint8)
    >>> result = swathe.dask.apply(da.from_array(image, chunks=(100, 200, 3)), "sharpen,gaussian:5")
    >>> result.chunks
    ((100, 100, 100), (200, 200, 100), (3,))
    >>> bool((result.compute() == swathe.apply(image, "sharpen,gaussian:5")).all())
    True
    """
    source = _checked(da.asarray(array))
    channel_axis = said_axis(source.shape, channel_axis)
    channel = axes_of(source.ndim, channel_axis)[2]
    if channel >= 0:
        source = source.rechunk({channel: -1})
    layout = _Layout(source, Chain(chain), channel_axis, options)
    parts = _parts(Chain(chain), options.get("border")) if layout.mixed else []
    if len(parts) > 1 and not any(options.get(name) is not None for name in _WHOLE):
        return _apply_parts(source, parts, channel_axis, options)
    name = f"swathe-{tokenize(source.name, layout.filter)}"
    graph = HighLevelGraph.from_collections(name, layout.graph(name), dependencies=[source])
    plan = layout.filter.plan
    return da.Array(graph, name, layout.chunks, meta=np.empty((0,) * len(plan.result_shape),
                                                              plan.result_dtype))


def _checked(source: da.Array) -> da.Array:
    if isinstance(source._meta, np.ma.MaskedArray):
        raise TypeError("the blocks are masked arrays; fill them with a number, as in "
                        "dask.array.ma.filled(array, -9999), and pass nodata=-9999")
    if type(source._meta) is not np.ndarray:
        raise TypeError(f"blocks must be NumPy arrays, not {type(source._meta).__name__}")
    if any(np.isnan(size) for sizes in source.chunks for size in sizes):
        raise ValueError("the array has chunks of unknown size; call its compute_chunk_sizes()")
    return source


def _apply_parts(source: da.Array, parts: list[str], channel_axis: int | None,
                 options: Options) -> da.Array:
    """Applies the parts of a chain one after the other."""
    for part in parts[:-1]:
        result = apply(source, part, channel_axis=channel_axis,
                       **Options(**{**options, "dtype": None}))
        if result.ndim > source.ndim:  # one plane has become several
            channel_axis = -1
        source = result
    return apply(source, parts[-1], channel_axis=channel_axis, **options)


def _parts(chain: Chain, border: str | None) -> list[str]:
    """Cuts a chain between filters that wrap and filters that do not."""
    stages, depth = [""], 0
    for letter in chain.text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            stages.append("")
        else:
            stages[-1] += letter

    def wraps(stage: str) -> bool:
        own = re.search(r":\s*border=(.*?)(?:[:]|$)", stage)
        return (own[1].strip("() ") if own else border) == "wrap"

    return [",".join(group) for _, group in groupby(stages, wraps)]


# ---- What tasks do -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Filter:
    """The arguments of a plan. Every process makes the plan once."""

    chain: Chain
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    channel_axis: int | None
    options: tuple[tuple[str, Any], ...]

    @property
    def plan(self) -> Plan:
        return plan_for(self.chain, self.shape, self.dtype, self.channel_axis, self.options)

    def __dask_tokenize__(self) -> object:
        return self.chain.text, self.shape, self.dtype.str, self.channel_axis, repr(self.options)


@dataclass(frozen=True)
class _Cuts:
    """Parts of a block, copied: workers send and keep only these."""

    slices: tuple[_Slices, ...]

    def __call__(self, block: NDArray[Any]) -> list[NDArray[Any]]:
        return [np.array(block[cut], order="C") for cut in self.slices]


@dataclass(frozen=True)
class _Tile:
    """A chunk of the result: which parts it is made of, and where they are.

    Positions and sizes are (y, x), in the plan's image.
    """

    filter: _Filter
    source_at: tuple[int, int]
    source_size: tuple[int, int]
    result_at: tuple[int, int]
    result_size: tuple[int, int]
    places: tuple[tuple[int, int], ...]  # of the parts, in the tile
    parts: tuple[int | _Slices, ...]  # of a block, or number of a cut

    def __call__(self, sources: Sequence[Any]) -> NDArray[Any]:
        plan = self.filter.plan
        tile = self._join([source[part] for source, part in zip(sources, self.parts, strict=True)])
        row, column, channel = plan.axes
        if channel == tile.ndim:  # one plane becomes several
            tile = tile[..., np.newaxis]
        shape = list(tile.shape)
        shape[row], shape[column] = self.result_size
        if channel >= 0:
            shape[channel] = plan.result_shape[channel]
        result = np.empty(shape, plan.result_dtype)
        plan._run(tile, result, row, column, channel, 1, None, *self.source_at[::-1],
                  *self.result_at[::-1])
        return result

    def _join(self, parts: list[NDArray[Any]]) -> NDArray[Any]:
        if len(parts) == 1:
            return parts[0]
        row, column, _ = self.filter.plan.axes
        shape = list(parts[0].shape)
        shape[row], shape[column] = self.source_size
        tile = np.empty(shape, parts[0].dtype)
        where = [slice(None)] * len(shape)
        for (y, x), part in zip(self.places, parts, strict=True):
            where[row] = slice(y, y + part.shape[row])
            where[column] = slice(x, x + part.shape[column])
            tile[tuple(where)] = part
        return tile


# ---- Which parts a chunk needs -------------------------------------------------------------------


@dataclass(frozen=True)
class _Piece:
    """Samples start to stop of a block, which begin at `at` of a tile."""

    block: int
    start: int
    stop: int
    at: int


@dataclass(frozen=True)
class _Span:
    """A chunk of the result along one axis, and its source."""

    first: int
    size: int
    source: int
    source_size: int
    pieces: tuple[_Piece, ...]


def _pieces(chunks: Sequence[int], first: int, size: int) -> Iterator[_Piece]:
    """The parts of blocks that cover an interval of the endlessly repeated axis."""
    edges = [0, *accumulate(chunks)]
    at = 0
    while at < size:
        start = (first + at) % edges[-1]
        block = int(np.searchsorted(edges, start, "right")) - 1
        stop = min(edges[block + 1], start + size - at)
        yield _Piece(block, start - edges[block], stop - edges[block], at)
        at += stop - start


def _repeats(stages: list[dict[str, Any]], before: str, after: str) -> tuple[int, int] | None:
    """How far a chain reads beyond the edges of an axis where it wraps.

    0 if no filter wraps, None if only some do.
    """
    reading = [stage for stage in stages if stage[before] or stage[after]]
    wrapping = [stage for stage in reading if stage["border"] == "wrap"]
    if wrapping and wrapping != reading:
        return None
    return sum(stage[before] for stage in wrapping), sum(stage[after] for stage in wrapping)


class _Layout:
    """Which blocks of the source each chunk of the result needs.

    Filters that wrap see an image that repeats without end, and so do those after them. Such a
    chain gives the same samples inside a larger image that has the repeats around it, where
    nothing wraps. The plan is for that image, so that a tile is an interval of it even if it
    crosses an edge. (The rectangle that the library needs otherwise is the whole image.)
    """

    def __init__(self, source: da.Array, chain: Chain, channel_axis: int | None,
                 options: Options) -> None:
        self.source = source
        chosen: dict[str, Any] = {**options, "exact": options.get("exact") is not False}
        shape = tuple(int(size) for size in source.shape)
        given = tuple(sorted(chosen.items()))
        plan = plan_for(chain, shape, source.dtype, channel_axis, given)
        self.row, self.column = plan.axes[:2]
        stages = json.loads(plan.explain(json=True))["stages"]
        down, across = _repeats(stages, "above", "below"), _repeats(stages, "left", "right")
        self.mixed = down is None or across is None
        (above, below), (left, right) = down or (0, 0), across or (0, 0)
        around = [(above, below) if axis == self.row else (left, right) if axis == self.column
                  else (0, 0) for axis in range(source.ndim)]
        repeated = tuple(size + sum(more) for size, more in zip(shape, around, strict=True))
        self.filter = _Filter(chain, repeated, source.dtype, channel_axis, given)
        self.around = {self.row: above, self.column: left}
        origin = {self.row: plan.info["origin_y"], self.column: plan.info["origin_x"]}
        self.spans = {axis: self._spans(axis, origin[axis], plan.result_shape[axis])
                      for axis in (self.row, self.column)}
        self.chunks = tuple(self._chunks(plan))

    def _chunks(self, plan: Plan) -> Iterator[tuple[int, ...]]:
        for axis, size in enumerate(plan.result_shape):
            if axis in self.spans:
                yield tuple(span.size for span in self.spans[axis])
            else:
                same = axis < self.source.ndim and axis != plan.axes[2]
                yield self.source.chunks[axis] if same else (size,)

    def _spans(self, axis: int, origin: int, size: int) -> list[_Span]:
        """Cuts the result where the source is cut."""
        edges = [0, *(min(max(edge - origin, 0), size)
                      for edge in accumulate(self.source.chunks[axis]))]
        edges[-1] = size
        return [self._span(axis, first, last - first) for first, last in pairwise(edges)
                if last > first]

    def _span(self, axis: int, first: int, size: int) -> _Span:
        before = self.around[axis]
        plan = self.filter.plan._plan
        if axis == self.column:
            source, _, source_size, _ = plan.input(first + before, 0, size, 1)
        else:
            _, source, _, source_size = plan.input(0, first + before, 1, size)
        pieces = _pieces(self.source.chunks[axis], source - before, source_size)
        return _Span(first + before, size, source, source_size, tuple(pieces))

    # ---- Tasks -----------------------------------------------------------------------------------

    def graph(self, name: str) -> dict[_Key, Any]:
        """One task for each chunk, and one for each block whose edges other chunks need."""
        counts = [1 if axis in self.spans else len(sizes) for axis, sizes in enumerate(self.chunks)]
        cuts = _cuts(self.spans[self.row], self.spans[self.column], self.source.chunks[self.row],
                     self.source.chunks[self.column])
        windows = [(y, x, *self._window(rows, columns, cuts))
                   for y, rows in enumerate(self.spans[self.row])
                   for x, columns in enumerate(self.spans[self.column])]
        graph: dict[_Key, Any] = {}
        for place in product(*map(range, counts)):
            batch = place[:self.source.ndim]
            for y, x, tile, blocks in windows:
                keys = [(f"{name}-edges" if cut else self.source.name, *self._at(batch, *block))
                        for cut, block in blocks]
                graph[(name, *self._at(place, y, x))] = (tile, keys)
            for block, numbers in cuts.items():
                taken = _Cuts(tuple(self._slices(*cut) for cut in numbers))
                at = self._at(batch, *block)
                graph[(f"{name}-edges", *at)] = (taken, (self.source.name, *at))
        return graph

    def _window(self, rows: _Span, columns: _Span, cuts: _Numbers) \
            -> tuple[_Tile, list[tuple[bool, _Block]]]:
        """The task of a chunk, and the blocks that it reads: whether it reads cuts, and which."""
        places: list[tuple[int, int]] = []
        parts: list[int | _Slices] = []
        blocks = []
        for down, across in product(rows.pieces, columns.pieces):
            block, cut = _cut(down, across)
            number = cuts.get(block, {}).get(cut)
            places.append((down.at, across.at))
            parts.append(self._slices(*cut) if number is None else number)
            blocks.append((number is not None, block))
        tile = _Tile(self.filter, (rows.source, columns.source),
                     (rows.source_size, columns.source_size), (rows.first, columns.first),
                     (rows.size, columns.size), tuple(places), tuple(parts))
        return tile, blocks

    def _at(self, place: Sequence[int], y: int, x: int) -> tuple[int, ...]:
        return tuple(y if axis == self.row else x if axis == self.column else index
                     for axis, index in enumerate(place))

    def _slices(self, top: int, bottom: int, left: int, right: int) -> _Slices:
        slices = [slice(None)] * self.source.ndim
        slices[self.row], slices[self.column] = slice(top, bottom), slice(left, right)
        return tuple(slices)


def _cut(down: _Piece, across: _Piece) -> tuple[_Block, _Cut]:
    return (down.block, across.block), (down.start, down.stop, across.start, across.stop)


def _cuts(rows: list[_Span], columns: list[_Span], heights: Sequence[int],
          widths: Sequence[int]) -> _Numbers:
    """The small parts of each block that chunks need, numbered.

    They are worth a task because a worker then fetches them instead of the whole block. Parts that
    are large together are taken from the block itself.
    """
    found: dict[_Block, dict[_Cut, int]] = {}
    areas: dict[_Block, int] = {}
    for row, column in product(rows, columns):
        for down, across in product(row.pieces, column.pieces):
            block, cut = _cut(down, across)
            area = (cut[1] - cut[0]) * (cut[3] - cut[2])
            numbers = found.setdefault(block, {})
            if cut not in numbers and 4 * area <= heights[block[0]] * widths[block[1]]:
                numbers[cut] = len(numbers)
                areas[block] = areas.get(block, 0) + area
    return {block: found[block] for block, area in areas.items()
            if 2 * area <= heights[block[0]] * widths[block[1]]}
