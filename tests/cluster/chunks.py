"""Rows that workers make for themselves, and that a test can stop a worker at.

A module of its own, because workers import it, and pytest is none of their business.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np

D = 5


def make_chunk(i: int, n_rows: int, trap: str | None = None) -> np.ndarray:
    """The rows of chunk i, the same whenever and wherever they are made.

    If the folder `trap` has a file `armed`, the first worker to see it takes it away, leaves its
    process id, and waits there to be killed.
    """
    if trap is not None:
        folder = Path(trap)
        with (folder / f"chunk-{i}").open("a") as log:
            log.write(f"{os.getpid()}\n")
        try:
            (folder / "armed").rename(folder / "sprung")
        except FileNotFoundError:
            pass
        else:
            (folder / "victim.part").write_text(f"{os.getpid()} {i}")
            (folder / "victim.part").rename(folder / "victim")
            time.sleep(60)
    return np.random.default_rng(i).normal(size=(n_rows, D)) + 0.2


def lazy_rows(n_chunks: int, chunk_rows: int, trap: Path | None = None, known: bool = True) -> Any:
    """A Dask array of such chunks; not `known`, without their lengths."""
    import dask.array as da
    from dask.delayed import delayed

    shape = (chunk_rows if known else np.nan, D)
    where = None if trap is None else str(trap)
    make = delayed(make_chunk, pure=False)
    chunks = [
        da.from_delayed(make(i, chunk_rows, where), shape=shape, dtype=np.float64)
        for i in range(n_chunks)
    ]
    return da.concatenate(chunks, allow_unknown_chunksizes=not known)


def same_rows(n_chunks: int, chunk_rows: int) -> np.ndarray:
    """The same rows in memory."""
    return np.concatenate([make_chunk(i, chunk_rows) for i in range(n_chunks)])
