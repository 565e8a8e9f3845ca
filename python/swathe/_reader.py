"""What images can be opened from: paths, bytes, file objects, URLs."""
from __future__ import annotations

import os
import threading
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from . import _swathe
from ._swathe import UnsupportedError


INTERRUPTED = ("the image is being read by this thread; a signal handler or a method of its file "
               "object must not read it, too")


class FileReader:
    """Reads at any position of a file object, from any thread."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.size = file.seek(0, os.SEEK_END)
        self.renew()

    def renew(self) -> None:
        """Forgets threads that have the lock."""
        self.lock, self.busy = threading.RLock(), False

    def read_at(self, offset: int, size: int) -> bytes:
        with self.lock:
            if self.busy:
                raise RuntimeError(INTERRUPTED)
            try:
                self.busy = True
                self.file.seek(offset)
                return self.file.read(size)
            finally:
                self.busy = False


def state_of(path: str) -> tuple[int, ...]:
    """What changes when a file is written or replaced; empty for pipes and missing files."""
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


class Origin(NamedTuple):
    """What the extension module opens: a path, bytes or a reader."""

    kind: str
    what: Any
    size: int
    name: str | None
    state: tuple[int, ...] = ()  # of a file, to notice that it was replaced

    def open(self, options: dict[str, Any]) -> _swathe.Source:
        return _swathe.Source(*self[:4], options)

    def again(self, options: dict[str, Any]) -> _swathe.Source:
        """Opens the same file once more, and no other that has its name now."""
        if self.kind == "path" and state_of(self.what) != self.state:
            raise OSError(f"{self.name}: the file has changed since it was opened")
        return _swathe.Source(self.kind, self.what, self.size,
                              self.what if self.kind == "path" else self.name, options)


def _remote(url: str) -> BinaryIO:
    try:
        import fsspec
    except ImportError:
        scheme = url.split(":")[0]
        raise UnsupportedError(f"{url}: {scheme}:// URLs are opened with fsspec, which is not "
                               f"installed; pip install fsspec s3fs") from None
    file: BinaryIO = fsspec.open(url, "rb").open()
    return file


def origin_of(source: Any) -> Origin:
    """Finds out what was given to `swathe.open`."""
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if "://" in path:
            return _of_file(_remote(path), path)
        return Origin("path", os.path.abspath(path), 0, path, state_of(path))
    if isinstance(source, np.ndarray):
        raise TypeError("an array needs no open: filter it with swathe.apply")
    if hasattr(source, "read") and hasattr(source, "seek"):
        return _of_file(source, getattr(source, "name", None))
    return Origin("bytes", source, 0, None)


def _of_file(file: BinaryIO, name: Any) -> Origin:
    reader = FileReader(file)
    return Origin("reader", reader, reader.size, name if isinstance(name, str) else None)
