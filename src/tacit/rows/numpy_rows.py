"""Rows in a NumPy array."""

from collections.abc import Callable

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.rows.protocol import Block, Result

# A block of 2**18 numbers (2 MB in double precision) stays in the cache of one core while
# a kernel reads it more than once.
BLOCK_NUMBERS = 2**18


class NumpyRows:
    """Rows of a two-dimensional NumPy array, swept in blocks that are views.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The rows; not copied.
    weights : ndarray of shape (n_rows,), optional
        Non-negative weights; None stands for ones.
    """

    def __init__(self, X: Matrix, weights: Vector | None = None) -> None:
        self.X = X
        self.weights = weights
        self.block_rows = max(1, BLOCK_NUMBERS // max(1, X.shape[1]))

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

    def reduce(
        self, kernel: Callable[[Block], Result], combine: Callable[[Result, Result], Result]
    ) -> Result:
        """Sweep once: the `combine` of `kernel(block)` over all blocks, in row order.

        An empty table has one empty block, so that a sum over it is a zero of the right shape.
        """
        result = kernel(self._block(0))
        for start in range(self.block_rows, self.n_rows, self.block_rows):
            result = combine(result, kernel(self._block(start)))
        return result

    def _block(self, start: int) -> Block:
        stop = start + self.block_rows
        weights = None if self.weights is None else self.weights[start:stop]
        return Block(np.asarray(self.X[start:stop], dtype=np.float64), weights, start)
