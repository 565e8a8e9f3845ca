"""Progress: a function of the caller's, or tqdm's bar."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._plan import Progress


@contextmanager
def reported(progress: Progress | bool | None) -> Iterator[Progress | None]:
    """The function to call with the numbers of pixels done and in all."""
    if progress is not True:
        yield progress or None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("progress=True draws its bar with tqdm, which is not installed; "
                          "pip install tqdm, or pass a function (done, total)") from None
    with tqdm(unit="px", unit_scale=True) as bar:
        def report(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield report
