"""Axes of arrays as rows, columns and channels of images."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

_CHANNELS = 4096   # limit of the library
_NARROW = 32       # rows shorter than this are filtered as columns
_WIDE = 256        # columns next to each other from which vertical passes are fast
_IMAGE = 1 << 18   # pixels of images in a batch from which two passes in one plan are fast


def memory_order(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """Axes in the order of memory, slowest first."""
    axes = range(len(shape))
    long = [axis for axis in axes if shape[axis] > 1]
    if all(abs(strides[a]) >= abs(strides[b]) for a, b in zip(long, long[1:])):
        return tuple(axes)
    return tuple(sorted(axes, key=lambda axis: -abs(strides[axis])))


def new_strides(shape: Sequence[int], order: Sequence[int], size: int) -> tuple[int, ...]:
    """Strides of a new array with this order of memory."""
    strides = [0] * len(shape)
    for axis in reversed(order):
        strides[axis] = size
        size *= shape[axis]
    return tuple(strides)


def creator(shape: tuple[int, ...], order: tuple[int, ...],
            dtype: np.dtype[Any]) -> Callable[[], Any]:
    """A function that makes arrays with this order of memory."""
    if order == tuple(range(len(shape))):
        return lambda: np.empty(shape, dtype)
    sizes = tuple(shape[axis] for axis in order)
    back = tuple(order.index(axis) for axis in range(len(shape)))
    return lambda: np.empty(sizes, dtype).transpose(back)


class Frame(NamedTuple):
    """How an array is seen as images."""

    order: tuple[int, ...] | None  # transpose to this, unless None
    shape: tuple[int, ...] | None  # then reshape, which does not copy, unless None
    row: int
    column: int
    channel: int
    size: tuple[int, int, int]  # width, height, channels
    across: int                 # axis of the array that is the column axis; -1: several
    batch: int

    def view(self, array: Any) -> Any:
        """The array, seen so."""
        if self.order is not None:
            array = array.transpose(self.order)
        return array if self.shape is None else array.reshape(self.shape)


class Layout:
    """The axes of two arrays of the same shape."""

    def __init__(self, shape: tuple[int, ...], order: tuple[int, ...],
                 strides: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
        self.shape, self.order, self.strides = shape, order, strides

    def _merges(self, outer: int, inner: int) -> bool:
        return all(s[outer] == s[inner] * self.shape[inner] for s in self.strides)

    def _groups(self, alone: Sequence[int]) -> list[tuple[int, ...]]:
        """Axes that are one in memory, except those that stay alone."""
        groups: list[tuple[int, ...]] = []
        for axis in self.order:
            if axis in alone:
                groups.append((axis,))
            elif self.shape[axis] == 1:
                continue
            elif groups and groups[-1][-1] not in alone and self._merges(groups[-1][-1], axis):
                groups[-1] += (axis,)
            else:
                groups.append((axis,))
        return groups

    def _frame(self, groups: list[tuple[int, ...]], row: int, column: int,
               channel: int) -> Frame:
        """Roles of groups; row -1 is an axis of one sample in front of them."""
        sizes = [math.prod(self.shape[axis] for axis in group) for group in groups]
        if row < 0:
            groups, sizes = [(), *groups], [1, *sizes]
            row, column, channel = 0, column + 1, channel + 1 if channel >= 0 else -1
        same = self.order == tuple(range(len(self.shape)))
        ordered = tuple(self.shape[axis] for axis in self.order)
        channels = sizes[channel] if channel >= 0 else 1
        size = (sizes[column], sizes[row], channels)
        batch = math.prod(sizes) // max(math.prod(size), 1)
        across = groups[column][0] if len(groups[column]) == 1 else -1
        return Frame(None if same else self.order,
                     None if tuple(sizes) == ordered else tuple(sizes),
                     row, column, channel, size, across, batch)

    def line(self, axis: int) -> Frame:
        """Images for a pass along one axis."""
        groups = self._groups((axis,))
        at, last = groups.index((axis,)), len(groups) - 1
        inner = math.prod(self.shape[i] for i in groups[last])
        if at == last:
            if at and self.shape[axis] < _NARROW:
                return self._frame(groups, at, at - 1, -1)
            return self._frame(groups, at - 1, at, -1)
        if inner > _CHANNELS or (inner >= _WIDE and at == 0):
            return self._frame(groups, at, last, -1)
        row = at - 1 if at else last - 1 if last > 1 else -1
        return self._frame(groups, row, at, last)

    def plane(self, first: int, second: int) -> Frame:
        """Images for a mask over two axes."""
        groups = self._groups((first, second))
        row, column = sorted((groups.index((first,)), groups.index((second,))))
        last = len(groups) - 1
        inner = math.prod(self.shape[i] for i in groups[last])
        return self._frame(groups, row, column, last if column < last and inner <= _CHANNELS
                           else -1)

    def joins(self, first: int, second: int) -> bool:
        """Whether one plan for both axes is faster than two."""
        frame = self.plane(first, second)
        return frame.size[2] <= 16 and (frame.batch == 1 or math.prod(frame.size) >= _IMAGE)
