"""What the mathematics asks of data, wherever the data lives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from tacit._typing import AnyArray, Vector

Result = TypeVar("Result")


@dataclass(frozen=True)
class Block:
    """Some consecutive rows of a table, in memory."""

    X: Any  # ndarray or scipy.sparse.csr_array of shape (n, d), in double precision
    weights: Vector | None  # (n,), the weight of each row; None stands for ones
    start: int  # the position of the first row in the whole table


@runtime_checkable
class Rows(Protocol):
    """A table of numbers that is read in sweeps.

    Everything the library computes from unlabeled data is a sum over rows, so one operation is
    enough to fit: apply a function to every block and combine what it returns. A storage that can
    do this can be fitted on.
    """

    @property
    def n_rows(self) -> int:
        """The number of rows."""

    @property
    def n_features(self) -> int:
        """The number of columns, the intercept not counted."""

    @property
    def total_weight(self) -> float:
        """The sum of the weights of the rows."""

    def reduce(
        self, kernel: Callable[[Block], Result], combine: Callable[[Result, Result], Result]
    ) -> Result:
        """Sweep once: the `combine` of `kernel(block)` over all blocks, in row order.

        Both functions may run in another process, so they and what they return must survive
        pickling. An empty table has one empty block.
        """

    def map(self, kernel: Callable[[Any], AnyArray]) -> Any:
        """`kernel(X)` of every block, in row order, as this storage's natural kind of array.

        The kernel returns one number, label or row of numbers for each row.
        """


def n_counted(rows: Rows) -> int:
    """How many rows have a weight above zero."""
    weights = getattr(rows, "weights", None)
    return rows.n_rows if weights is None else int(np.count_nonzero(weights))
