"""What the storages in memory share: sweeping over blocks of a matrix."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tacit._typing import AnyArray, Vector
from tacit.rows._protocol import Block, Result
from tacit.rows._sweep import fold, ordered_map, workers_for


class InMemoryRows(ABC):
    """Rows of a matrix that can be sliced, swept in blocks.

    Large tables are swept in as many threads as BLAS may use. Blocks are combined in row order, so
    that the result is the same to the last digit for any number of threads.

    Parameters
    ----------
    X : matrix of shape (n_rows, n_features)
        The rows.
    weights : ndarray of shape (n_rows,), optional
        Non-negative weights; None stands for ones.
    block_rows : int
        The number of rows of a block.
    """

    def __init__(self, X: Any, weights: Any, block_rows: int) -> None:
        self.X = X
        self.weights = _check_weights(weights, X.shape[0])
        self.block_rows = block_rows

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return int(self.X.shape[1])

    @property
    def total_weight(self) -> float:
        """The sum of the weights."""
        return float(self.n_rows if self.weights is None else self.weights.sum())

    @property
    def is_weighted(self) -> bool:
        """Whether there are weights."""
        return self.weights is not None

    def reduce(
        self, kernel: Callable[[Block], Result], combine: Callable[[Result, Result], Result]
    ) -> Result:
        """Sweep once: the `combine` of `kernel(block)` over all blocks, in row order.

        An empty table has one empty block, so that a sum over it is a zero of the right shape.
        """
        workers = workers_for(self.n_rows, self.n_features)
        return fold(lambda start: kernel(self._block(start)), self._starts(), combine, workers)

    def map(self, kernel: Callable[[Any], AnyArray]) -> AnyArray:
        """`kernel` of the rows, as one array."""
        workers = workers_for(self.n_rows, self.n_features)
        parts = ordered_map(lambda start: kernel(self._block(start).X), self._starts(), workers)
        return np.concatenate(list(parts))

    def blocks(self) -> Iterator[Block]:
        """The blocks, one after the other."""
        return map(self._block, self._starts())

    def _starts(self) -> range:
        return range(0, max(self.n_rows, 1), self.block_rows)

    def _block(self, start: int) -> Block:
        stop = min(start + self.block_rows, self.n_rows)
        weights = None if self.weights is None else self.weights[start:stop]
        return Block(self._slice(start, stop), weights, start)

    @abstractmethod
    def _slice(self, start: int, stop: int) -> Any:
        """The rows from `start` to `stop`, in double precision."""


def _check_weights(weights: Any, n_rows: int) -> Vector | None:
    if weights is None:
        return None
    checked: Vector = np.asarray(weights, dtype=np.float64)
    if checked.shape != (n_rows,):
        raise ValueError(
            f"weights has shape {checked.shape}; it must have shape {(n_rows,)}, one weight for "
            "every row."
        )
    return checked
