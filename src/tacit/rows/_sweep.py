"""Sweeping over blocks in threads, with the same result as one block after the other."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import cache
from threading import Lock
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from tacit._typing import AnyArray
from tacit.rows._protocol import Block, Result

Item = TypeVar("Item")

# A block of 2**19 numbers (4 MB in double precision) stays in the cache while a kernel reads it
# more than once; with smaller ones the threads of a sweep wait for the interpreter.
BLOCK_NUMBERS = 2**19
# A result of d^2 numbers is combined at a cost of d^2, so a block of a wide table has d rows, for
# which computing it costs d times as much; but not more than 32 MB of them.
WIDE_BLOCK_NUMBERS = 2**22
# Below this a sweep takes some ten milliseconds, and threads that start and wait for each other
# cost more than they bring.
MANY_NUMBERS = 20_000_000
# Results of d^2 numbers that may wait for their turn: 256 MB of them. Tables too wide for this are
# swept block by block; their products are large enough for BLAS to share out well itself.
WAITING_NUMBERS = 2**25

# Matrices of d^2 numbers that a fit holds at a time, with some room for others.
MATRICES = 10


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


def check_memory(n_numbers: int, what: str, advice: str) -> None:
    """Refuse a matrix of which the half a dozen that a fit holds would fill the free memory."""
    needed, free = 8 * n_numbers, _free_bytes()
    if needed > free / MATRICES:
        raise MemoryError(
            f"{what.capitalize()} take {needed / 1e9:,.1f} GB, and a fit holds several matrices of "
            f"that size, with {free / 1e9:,.1f} GB of memory free; {advice}."
        )


def _free_bytes() -> float:
    """Memory that can be had without swapping; infinite where the system does not tell."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            found = [line.split()[1] for line in file if line.startswith("MemAvailable:")]
    except OSError:
        return float("inf")
    return 1024.0 * float(found[0]) if found else float("inf")


class SweptRows(ABC):
    """Rows that this process sweeps, a piece at a time, in as many threads as BLAS may use.

    Pieces are taken by one thread and become blocks in the others. Blocks are combined in row
    order, so that the result is the same to the last digit for any number of threads.
    """

    def __init__(self, n_rows: int, n_features: int) -> None:
        self.n_rows = n_rows
        self.n_features = n_features

    @property
    def total_weight(self) -> float:
        """The sum of the weights."""
        return float(self.n_rows)

    def reduce(
        self, kernel: Callable[[Block], Result], combine: Callable[[Result, Result], Result]
    ) -> Result:
        """Sweep once: the `combine` of `kernel(block)` over all blocks, in row order.

        An empty table has one empty block, so that a sum over it is a zero of the right shape.
        """
        with closing(self._pieces()) as pieces:
            return fold(lambda piece: kernel(self._block(piece)), pieces, combine, self._workers())

    def _map(self, kernel: Callable[[Any], AnyArray]) -> Generator[AnyArray]:
        """`kernel(X)` of every block, in row order."""
        with (
            closing(self._pieces()) as pieces,
            closing(
                ordered_map(lambda piece: kernel(self._block(piece).X), pieces, self._workers())
            ) as results,
        ):
            yield from results

    def _workers(self) -> int:
        return workers_for(self.n_rows, self.n_features)

    @abstractmethod
    def _pieces(self) -> Generator[Any]:
        """What blocks are made of, in row order, at least one."""

    @abstractmethod
    def _block(self, piece: Any) -> Block:
        """The block of a piece."""


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


def add_each(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    """What to combine results by that are several sums."""
    return tuple(a + b for a, b in zip(first, second, strict=True))


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
    with one_blas_thread(), ThreadPoolExecutor(workers, "tacit", _limit_own_threads) as pool:
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
    # A BLAS that threadpoolctl does not know (Accelerate) has no limit that could be read.
    allowed = [int(library.num_threads or processors) for library in _blas_libraries()]
    return max(1, min([processors, *allowed]))


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread in each thread that calls it.

    With most libraries the limit belongs to the whole process. Sweeps that run at the same time in
    several threads (a grid search, the workers of Dask) share it: the first sets it and the last
    lifts it, where each for itself would restore what another had set.
    """
    global _sweeps, _before
    own = [(library, library.num_threads) for library in _blas_libraries() if _is_own(library)]
    with _lock:
        if _sweeps == 0:
            shared = [library for library in _blas_libraries() if not _is_own(library)]
            _before = [(library, library.num_threads) for library in shared]
            _set_threads([(library, 1) for library in shared])
        _sweeps += 1
    _set_threads([(library, 1) for library, _ in own])
    try:
        yield
    finally:
        _set_threads(own)
        with _lock:
            _sweeps -= 1
            if _sweeps == 0:
                _set_threads(_before)


def _renew_lock() -> None:
    """In a process that was forked the thread is missing that may have held the lock."""
    global _lock
    _lock = Lock()


_lock = Lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)
_sweeps = 0
_before: list[tuple[Any, int]] = []


def _limit_own_threads() -> None:
    """One thread for a BLAS that counts them by calling thread, in a thread that ends soon."""
    _set_threads([(library, 1) for library in _blas_libraries() if _is_own(library)])


def _is_own(library: Any) -> bool:
    # OpenMP keeps the number of threads for each thread that asks.
    return getattr(library, "threading_layer", None) == "openmp"


def _set_threads(limits: list[tuple[Any, int]]) -> None:
    for library, n_threads in limits:
        # Since version 3.8 of threadpoolctl a thread that has set a limit is the only one that can
        # lift it. Ours is shared, and the last sweep to end may be in another thread.
        release = getattr(library, "clear_controlling_thread", None)
        if release is not None:
            release(force=True)
        library.set_num_threads(n_threads)
        if release is not None:
            release(force=True)


@cache
def _blas_libraries() -> list[Any]:
    # Finding the libraries takes milliseconds, asking them microseconds.
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)
