"""Images in files: opened, cut, filtered and saved without being in memory as a whole."""
from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from . import _swathe
from ._chain import Chain
from ._plan import Options, Progress, c_options
from ._progress import reported
from ._reader import INTERRUPTED, FileReader, Origin, origin_of
from ._swathe import ArgumentError, LimitError, UnsupportedError
from ._types import CODES, DTYPES, color_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FORWARD_ROWS = 64  # rows that are skipped at a time in formats without access to parts


_images: weakref.WeakSet[Image] = weakref.WeakSet()


def _after_fork() -> None:
    """In a child, locks may be held by threads that do not exist, and files be half read."""
    for image in _images:
        image._lock, image._busy, image._source = threading.RLock(), False, None
        if isinstance(image._origin.what, FileReader):
            image._origin.what.renew()


os.register_at_fork(after_in_child=_after_fork)


class Image:
    """An image in a file, bytes or a file object, and a chain that filters it. See `open`."""

    def __init__(self, origin: Origin, reading: dict[str, Any], chain: Chain,
                 options: Options) -> None:
        self._origin, self._reading = origin, reading
        self.chain, self._options = chain, options
        # A signal handler may interrupt its own thread while that reads: it must not wait for it.
        self._lock, self._busy, self._closed = threading.RLock(), False, False
        self._source: _swathe.Source | None = origin.open(reading)
        self._info = self._source.info()
        self._used = False  # a source that reads forward only is read once
        _images.add(self)
        self._plan = self._make_plan(c_options(options))
        self._result = self._plan.info()["result"]
        width, height, channels, code = self._result[:4]
        self.shape: tuple[int, ...] = (height, width) if channels == 1 else (height, width, channels)
        self.dtype = DTYPES[code]

    def _make_plan(self, options: dict[str, Any]) -> _swathe.Plan:
        metadata = self._info["metadata"] or {}
        nodata, profile = metadata.get("nodata"), metadata.get("icc")
        if nodata and "nodata" not in options:
            options = {**options, "nodata": nodata}
        return _swathe.Plan(self.chain.text or "identity", self._info["shape"], options,
                            profile if options.get("light") == "linear" else None)

    # ---- What it is ------------------------------------------------------------------------------

    ndim = property(lambda self: len(self.shape), doc="2, or 3 with channels.")
    format = property(lambda self: self._info["format"], doc="The file's format, such as 'png'.")
    pages = property(lambda self: self._info["pages"], doc="Number of images in the file.")
    metadata = property(lambda self: self._info["metadata"], doc="ICC, EXIF, XMP and others.")

    @property
    def alpha(self) -> int | None:
        """The index of the alpha channel."""
        index = self._result[5]
        return index - 1 if index else None

    def explain(self, *, json: bool = False) -> str:
        """What the chain does, stage by stage."""
        return self._plan.text(1 if json else 0)

    def __repr__(self) -> str:
        name = self._origin.name or "bytes"
        chain = f", {self.chain}" if self.chain.text else ""
        return f"<swathe.Image {name}: {self.dtype} {self.shape}{chain}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._origin.kind == "reader":
            raise TypeError("an image of a file object cannot be pickled; open it by its path")
        origin = self._origin
        if origin.kind == "bytes":
            origin = origin._replace(what=bytes(origin.what))
        return Image, (origin, self._reading, self.chain, self._options)

    # ---- Life ------------------------------------------------------------------------------------

    def close(self) -> None:
        """Closes the file. Images that `apply` returned stay open.

        A signal handler that interrupts a read closes the image when that read ends.
        """
        with self._lock:
            self._closed = True
            if not self._busy:
                self._release()

    def _release(self) -> None:
        source, self._source = self._source, None
        if source:
            source.close()

    def __enter__(self) -> Image:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _fresh(self) -> _swathe.Source:
        """A source that can be read from its start; call with the lock held."""
        if self._closed:
            raise ValueError("the image is closed")
        if self._source is None or (self._info["forward"] and self._used):
            self._source = self._origin.again(self._reading)
        self._used = True
        return self._source

    # ---- Pixels ----------------------------------------------------------------------------------

    def _read(self, x: int, y: int, width: int, height: int) -> NDArray[Any]:
        with self._lock:
            if self._busy:
                raise RuntimeError(INTERRUPTED)
            try:
                self._busy = True
                return self._read_locked(x, y, width, height)
            except BaseException:
                self._source = None  # it may be in no state to read more: open it again
                raise
            finally:
                self._busy = False
                if self._closed:
                    self._release()

    def _read_locked(self, x: int, y: int, width: int, height: int) -> NDArray[Any]:
        full, _, channels, code = self._info["shape"][:4]
        source = self._fresh()
        if not self._info["forward"]:
            part = np.empty((height, width, channels), DTYPES[code])
            source.read(part, 0, 1, 2, x, y)
            return part
        skipped = np.empty((min(_FORWARD_ROWS, max(y, 1)), full, channels), DTYPES[code])
        for row in range(0, y, _FORWARD_ROWS):
            source.read(skipped[:min(_FORWARD_ROWS, y - row)], 0, 1, 2, 0, row)
        part = np.empty((height, full, channels), DTYPES[code])
        source.read(part, 0, 1, 2, 0, y)
        return part[:, x:x + width]

    def _part(self, x: int, y: int, width: int, height: int) -> NDArray[Any]:
        channels = self.shape[2] if self.ndim == 3 else 1
        result = np.empty((height, width, channels), self.dtype)
        if result.size:
            sx, sy, across, down = self._plan.input(x, y, width, height)
            tile = self._read(sx, sy, across, down)
            if not self.chain.text and self._result == self._info["shape"]:
                result = tile
            else:
                self._plan.run(tile, result, 0, 1, 2, 0, None, sx, sy, x, y)
        return result if self.ndim == 3 else result[..., 0]

    def __getitem__(self, key: Any) -> NDArray[Any]:
        """Decodes and filters a part: ``image[y0:y1, x0:x1]``."""
        keys = () if key is Ellipsis else key if isinstance(key, tuple) else (key,)
        if len(keys) > self.ndim or any(not isinstance(k, slice) for k in keys[:2]):
            raise IndexError("parts of an image are image[y0:y1, x0:x1] or "
                             "image[y0:y1, x0:x1, channels]")
        keys = (*keys, *(slice(None),) * (2 - len(keys)))
        rows, columns = (range(*k.indices(size)) for k, size in zip(keys[:2], self.shape[:2],
                                                                    strict=True))
        if not rows or not columns:
            return np.empty((len(rows), len(columns), *self.shape[2:]), self.dtype)[
                (slice(None), slice(None), *keys[2:])]
        y, x = min(rows), min(columns)
        part = self._part(x, y, max(columns) + 1 - x, max(rows) + 1 - y)
        return part[(slice(None, None, rows.step), slice(None, None, columns.step), *keys[2:])]

    __iter__ = None  # rows of a file are not iterated: take parts

    def to_numpy(self) -> NDArray[Any]:
        """The whole image, filtered, as an array."""
        return self[:, :]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("an image of a file is not in memory, so that it must be copied")
        return self.to_numpy() if dtype is None else self.to_numpy().astype(dtype)

    # ---- Filtering and saving --------------------------------------------------------------------

    def apply(self, chain: str | Chain, **options: Unpack[Options]) -> Image:
        """Adds filters. Nothing is computed until the result is saved, cut or shown.

        `options` are those of `swathe.apply`; they hold for the whole chain. Colours are weighted
        by the file's alpha channel, and its nodata value is missing data, unless they say
        otherwise.
        """
        return Image(self._origin, self._reading, self.chain | Chain(chain),
                     Options(**{**self._options, **options}))

    def save(self, path: str | os.PathLike[str] | None, *, threads: int | None = None,
             progress: Progress | bool | None = None, **writing: Any) -> bytes | None:
        """Computes and writes the image in bounded memory, with the metadata of its file.

        Parameters
        ----------
        path : str or None
            The extension selects the format. None returns the bytes; `format` is then required.
            The file appears when it is complete, or not at all.
        **writing
            format, overwrite, quality, lossless, subsampling, compression, tile, max_pixels,
            max_memory, max_metadata: as the options of `swathe_write_options`.
        """
        name = target_of(path, writing)
        held = _swathe.file_type(name or "-", writing.get("format"), self._result,
                                 self._options.get("values"))
        plan = self._plan if held == self._result[3] else self._make_plan(
            {**c_options(self._options), "type": held})
        if self._closed:
            raise ValueError("the image is closed")
        source = self._origin.again(self._reading)  # its own, so that callbacks may use the image
        with reported(progress) as report:
            return _swathe.save_stream(plan, source, name, threads or 0, report, writing)

    def _repr_png_(self) -> bytes | None:
        """The picture in a notebook; every n-th pixel if it is large."""
        step = max(1, -(-max(self.shape[:2]) // 1024))
        if self._closed or self.shape[0] * self.shape[1] > 1 << 26 or self.dtype.kind != "u":
            return None
        part = np.ascontiguousarray(self[::step, ::step])
        return _encode(part, None, {"format": "png"}, alpha=self.alpha is not None)


def target_of(path: Any, writing: Mapping[str, Any]) -> str | bytes | None:
    """The path of a file to write, or None for bytes, which need a format."""
    if path is None:
        if writing.get("format") is None:
            raise ArgumentError("without a path the bytes are returned, and format= is required")
        return None
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"images are written to paths, not to {type(path).__name__}; write the "
                        "bytes that the path None returns")
    name: str | bytes = os.fspath(path)
    if isinstance(name, str) and "://" in name:
        raise UnsupportedError(f"{name}: URLs can be read, not written; save to a path, or write "
                               "the bytes of save(None, format=…)")
    return name


def _encode(image: NDArray[Any], path: str | bytes | None, writing: dict[str, Any], *,
            alpha: bool = False, icc: bytes | None = None) -> bytes | None:
    channels = image.shape[2] if image.ndim == 3 else 1
    return _swathe.save_image(image, 0, 1, 2 if image.ndim == 3 else -1,
                              color_of(channels - alpha), channels if alpha else 0, path, icc,
                              writing)


def open(source: Any, **reading: Any) -> Image:
    """Opens an image without reading its pixels.

    Parameters
    ----------
    source : path, bytes or file object
        Or a URL such as ``s3://bucket/key``, which needs fsspec.
    **reading
        format, page, orient, max_pixels, max_memory, max_metadata, max_spool: as the fields of
        `swathe_read_options`. Limits are small by default, because files may be hostile: a
        `LimitError` names the one to raise.

    Examples
    --------
    >>> import numpy as np, swathe
    >>> data = swathe.imwrite(None, np.arange(12, dtype=np.uint8).reshape(3, 4), format="png")
    >>> image = swathe.open(data)
    >>> image.shape, image.dtype, image.format
    ((3, 4), dtype('uint8'), 'png')
    >>> image.apply("box:3")[1:3, 0:2]
    array([[4, 5],
           [7, 8]], dtype=uint8)
    """
    return Image(origin_of(source), reading, Chain(), Options())


def imread(source: Any, **reading: Any) -> NDArray[Any]:
    """Reads an image into an array of shape (height, width) or (height, width, channels).

    Images of more than `max_pixels`, 2^28 by default, are a `LimitError`. Other arguments are
    those of `open`.
    """
    with open(source, **reading) as image:
        pixels, limit = image.shape[0] * image.shape[1], reading.get("max_pixels") or 1 << 28
        if pixels > limit:
            error = LimitError(f"the image has {pixels} pixels, limit {limit}; raise max_pixels, or "
                               "read parts of swathe.open(…)")
            error.subject, error.needed = "max_pixels", pixels
            raise error
        return image.to_numpy()


def imwrite(path: str | os.PathLike[str] | None, image: Any, *, alpha: bool | None = None,
            icc: bytes | None = None, **writing: Any) -> bytes | None:
    """Writes an array as an image file.

    Parameters
    ----------
    path : str or None
        The extension selects the format. None returns the bytes; `format` is then required. An
        existing file is an error unless ``overwrite=True``.
    image : array
        Of shape (height, width) or (height, width, channels).
    alpha : bool, optional
        Whether the last channel is alpha; by default it is if there are 2 or 4.
    icc : bytes, optional
        A colour profile.
    **writing
        As in `Image.save`.
    """
    if isinstance(image, np.ma.MaskedArray):
        raise TypeError("files have no mask; fill the array first: image.filled(value)")
    array = np.asarray(image)
    if array.ndim not in (2, 3) or array.dtype not in CODES:
        raise TypeError(f"an image is an array of two or three dimensions of "
                        f"{', '.join(map(str, CODES))}, not {array.dtype} of {array.shape}")
    if alpha is None:
        alpha = array.ndim == 3 and array.shape[2] in (2, 4)
    return _encode(array, target_of(path, writing), writing, alpha=alpha, icc=icc)
