"""Sweeping over blocks in threads, with the same result as one block after the other."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import cache
from threading import Lock
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from tacit.rows.protocol import Result

Item = TypeVar("Item")

# A block of 2**18 numbers (2 MB in double precision) stays in the cache of one core while
# a kernel reads it more than once.
BLOCK_NUMBERS = 2**18
# A result of d^2 numbers is combined at a cost of d^2, so a block of a wide table has d rows, for
# which computing it costs d times as much; but not more than 32 MB of them.
WIDE_BLOCK_NUMBERS = 2**22
# Below this a sweep takes a few milliseconds, and starting threads would cost as much.
MANY_NUMBERS = 4_000_000
# Results of d^2 numbers that may wait for their turn: 256 MB of them. Tables too wide for this are
# swept block by block; their products are large enough for BLAS to share out well itself.
WAITING_NUMBERS = 2**25


def rows_per_block(n_features: int) -> int:
    """The number of rows that make a block of good size."""
    d = max(1, n_features)
    return max(1, BLOCK_NUMBERS // d, min(d, WIDE_BLOCK_NUMBERS // d))


def workers_for(n_rows: int, n_features: int) -> int:
    """The number of threads that a table in memory is swept with."""
    if n_rows * n_features <= MANY_NUMBERS:
        return 1
    allowed = blas_threads()
    return allowed if allowed * n_features**2 <= WAITING_NUMBERS else 1


def fold(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    combine: Callable[[Result, Result], Result],
    workers: int,
) -> Result:
    """The `combine` of `function(item)` over all items (at least one), in their order."""
    with closing(ordered_map(function, items, workers)) as results:
        total = next(results)
        for result in results:
            total = combine(total, result)
    return total


def ordered_map(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int
) -> Generator[Result]:
    """`function(item)` of all items, in their order, whichever is done first.

    Beyond the items at work and one that waits for each worker none is taken, so memory stays
    bounded. With more than one worker BLAS has one thread in each, until the iterator is closed.
    """
    if workers <= 1:
        yield from map(function, items)
        return
    waiting: deque[Future[Result]] = deque()
    with one_blas_thread(), ThreadPoolExecutor(workers, thread_name_prefix="tacit") as pool:
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            # After an error or an interrupt only what already runs is waited for.
            for future in waiting:
                future.cancel()


def blas_threads() -> int:
    """How many threads BLAS may use now, by whatever limit the user has set."""
    processors = os.cpu_count() or 1
    libraries = [library for library in _libraries().info() if library["user_api"] == "blas"]
    allowed = [int(library["num_threads"]) for library in libraries]
    # A BLAS that threadpoolctl does not know (Accelerate) has no limit that could be read.
    return max(1, min([processors, *allowed]))


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread in each thread that calls it.

    The limit belongs to the whole process. Sweeps that run at the same time in several threads
    (a grid search, the workers of Dask) share it: the first sets it and the last lifts it, where
    each for itself would restore what another had set.
    """
    global _sweeps, _limit
    with _lock:
        if _sweeps == 0:
            _limit = _libraries().limit(limits=1, user_api="blas")
        _sweeps += 1
    try:
        yield
    finally:
        with _lock:
            _sweeps -= 1
            if _sweeps == 0:
                _limit.restore_original_limits()
                _limit = None


_lock = Lock()
_sweeps = 0
_limit: Any = None


@cache
def _libraries() -> ThreadpoolController:
    # Finding the libraries takes milliseconds, asking them microseconds.
    return ThreadpoolController()
