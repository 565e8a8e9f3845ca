"""A large image on a cluster of two processes, one of which is killed."""
from __future__ import annotations

import logging
import os
import signal
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dask
import dask.array as da
import numpy as np
import zarr
from dask.highlevelgraph import HighLevelGraph
from distributed import Client, LocalCluster

import swathe
import swathe.dask

BORDERS = ("reflect", "wrap", "constant(9)", "replicate")


def make_image(size: int, seed: int) -> np.ndarray[Any, Any]:
    """Noise on a gradient; no two parts are alike."""
    rng = np.random.default_rng(seed)
    image = rng.integers(0, 128, (size, size), np.uint8)
    image += (np.arange(size) * 127 // size).astype(np.uint8)
    return image


def uneven(size: int, seed: int) -> tuple[int, ...]:
    """Nine chunks of different sizes."""
    edges = np.random.default_rng(seed).choice(np.arange(1, size), 8, replace=False)
    return tuple(int(n) for n in np.diff([0, *sorted(edges), size]))


def chunkings(size: int, seed: int) -> dict[str, tuple[Any, str]]:
    """Chunks and a chain for each way to cut the image."""
    chain, small = "sharpen,gaussian:9", size // 32
    return {"square": (size // 8, chain),
            "rows": ((size // 20, size), chain),
            "columns": ((size, size // 20), chain),
            "uneven": ((uneven(size, seed), uneven(size, seed + 1)), chain),
            "smaller than the halo": ((small, size // 8), f"sharpen,box:3x{2 * small + 21}")}


def temporary(size: int) -> str:
    """Where the arrays are: in memory if there is room, because disks vary."""
    shared = os.statvfs("/dev/shm")
    return "/dev/shm" if shared.f_bavail * shared.f_frsize > 4 * size else tempfile.gettempdir()


def cluster() -> LocalCluster:
    dask.config.set({"distributed.worker.memory.terminate": False})
    # Quiet, because the death of a worker is intended.
    return LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                        silence_logs=logging.CRITICAL)


# ---- A worker dies -------------------------------------------------------------------------------


def done_tasks(dask_scheduler: Any) -> tuple[int, int]:
    """How many chunks of the result are in memory, and how many there are."""
    own = [task for task in dask_scheduler.tasks.values()
           if str(task.prefix.name).startswith("swathe") and "edges" not in str(task.key)]
    return sum(task.state in ("memory", "released") for task in own), len(own)


def compute_with_death(client: Client, lazy: da.Array) -> np.ndarray[Any, Any] | None:
    """The result; None if it was complete before a worker could be killed."""
    victim = next(iter(client.run(os.getpid).values()))
    future = client.compute(lazy)
    done, total = 0, 1
    while not (total > 1 and done > total // 4) and not future.done():
        done, total = client.run_on_scheduler(done_tasks)
    if future.done():
        return None
    os.kill(victim, signal.SIGKILL)
    result: np.ndarray[Any, Any] = future.result(timeout=300)
    print(f"killed a worker after {done} of {total} chunks")
    return result


# ---- The check -----------------------------------------------------------------------------------


def check(size: int, seed: int) -> list[str]:
    """Messages of what differs from one run."""
    image = make_image(size, seed)
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(dir=temporary(2 * size * size)) as folder:
        stored = zarr.create_array(f"{folder}/in.zarr", shape=image.shape, dtype=image.dtype,
                                   chunks=(min(1000, size),) * 2, compressors=None)
        stored[:] = image
        with cluster() as local, Client(local) as client:
            for name, (chunks, chain) in chunkings(size, seed).items():
                for border in BORDERS:
                    started = time.perf_counter()
                    lazy = swathe.dask.apply(da.from_zarr(f"{folder}/in.zarr", chunks=chunks),
                                             chain, border=border)
                    got = lazy.compute()
                    seconds = time.perf_counter() - started
                    want = swathe.apply(image, chain, border=border)
                    same = np.array_equal(got, want)
                    print(f"{size} x {size}, {name}, {lazy.npartitions} chunks, {border}: "
                          f"{'equal' if same else 'DIFFERS'}, {seconds:.1f} s", flush=True)
                    wrong += [] if same else [f"{name}, {border}: {np.sum(got != want)} differ"]
            wrong += check_stored(image, folder)
        for border in BORDERS:
            wrong += check_death(image, folder, border)
    return wrong


def check_death(image: np.ndarray[Any, Any], folder: str, border: str) -> list[str]:
    """One of two workers is killed after a quarter of the chunks. Each time in a cluster of its own,
    because a killed worker is not always replaced."""
    chain = "sharpen,gaussian:9"
    with cluster() as local, Client(local) as client:
        for chunks in (len(image) // 8, len(image) // 16, len(image) // 32):
            lazy = swathe.dask.apply(da.from_zarr(f"{folder}/in.zarr", chunks=chunks), chain,
                                     border=border)
            got = compute_with_death(client, lazy)
            if got is not None:
                break
    if got is None:
        return [f"{border}: no worker was killed in time"]
    same = np.array_equal(got, swathe.apply(image, chain, border=border))
    return [] if same else [f"{border}: differs after a worker was killed"]


def check_stored(image: np.ndarray[Any, Any], folder: str) -> list[str]:
    """From one Zarr array into another."""
    lazy = swathe.dask.apply(zarr.open_array(f"{folder}/in.zarr", mode="r"), "sharpen,gaussian:9")
    lazy.to_zarr(f"{folder}/out.zarr")
    same = np.array_equal(zarr.open_array(f"{folder}/out.zarr", mode="r")[:],
                          swathe.apply(image, "sharpen,gaussian:9"))
    print(f"from Zarr to Zarr: {'equal' if same else 'DIFFERS'}")
    return [] if same else ["Zarr to Zarr differs"]


# ---- Speed ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Copy:
    """A task of the same graph that copies its pixels instead of filtering them."""

    tile: Any

    def __call__(self, sources: Any) -> np.ndarray[Any, Any]:
        parts = [source[part] for source, part in zip(sources, self.tile.parts, strict=True)]
        joined = self.tile._join(parts)
        y, x = (r - s for r, s in zip(self.tile.result_at, self.tile.source_at, strict=True))
        height, width = self.tile.result_size
        return joined[y:y + height, x:x + width].copy()


def copying(lazy: da.Array) -> da.Array:
    """The graph of swathe.dask with copying tasks."""
    graph = lazy.dask.copy()
    layer = {key: (Copy(task[0]), task[1]) if isinstance(task[0], swathe.dask._Tile) else task
             for key, task in graph.layers[lazy.name].items()}
    layers = {**graph.layers, lazy.name: layer}
    return da.Array(HighLevelGraph(layers, graph.dependencies), lazy.name, lazy.chunks,
                    dtype=lazy.dtype)


def print_speed(chunk: int = 4096, across: int = 4, rounds: int = 5) -> None:
    """Times from Zarr to Zarr on the cluster, taken in turns."""
    size, chain, halo = chunk * across, "sharpen,gaussian:9", 5
    with tempfile.TemporaryDirectory(dir=temporary(3 * size * size)) as folder:
        stored = zarr.create_array(f"{folder}/in.zarr", shape=(size, size), dtype="uint8",
                                   chunks=(chunk, chunk), compressors=None)
        stored[:] = make_image(size, 3)
        target = zarr.create_array(f"{folder}/out.zarr", shape=(size, size), dtype="uint8",
                                   chunks=(chunk, chunk), compressors=None)
        source = da.from_zarr(f"{folder}/in.zarr")
        own = swathe.dask.apply(source, chain)
        graphs = {"swathe.dask": own, "copying": copying(own),
                  "map_overlap": source.map_overlap(swathe.apply, depth=halo, boundary="reflect",
                                                    dtype="uint8", chain=chain, threads=1)}
        times: dict[str, list[float]] = {name: [] for name in graphs}
        with cluster() as local, Client(local):
            for _ in range(rounds):
                for name, graph in graphs.items():
                    times[name].append(timed(lambda graph=graph: da.store(graph, target)))
    middle = {name: statistics.median(seconds) for name, seconds in times.items()}
    for name, seconds in middle.items():
        print(f"{name}: {seconds:.2f} s, {size * size / seconds / 1e6:.0f} MP/s, swathe.dask has "
              f"{seconds / middle['swathe.dask']:.2f} of its throughput")


def timed(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started
