"""A random sample of a table, drawn while its moments are taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacit._typing import Mask, Vector
from tacit.rows._moments import Moments, moments_of_block
from tacit.rows._protocol import Block, Rows


@dataclass(frozen=True)
class Sample:
    """Some rows of a table, in the order of the table.

    Attributes
    ----------
    X : ndarray or scipy.sparse.csr_array of shape (n, d)
        The rows, in double precision.
    weights : ndarray of shape (n,) or None
        The weight of each row; None stands for ones.
    index : ndarray of int64 of shape (n,)
        The position of each row in the table, ascending.
    """

    X: Any
    weights: Vector | None
    index: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.index)


def moments_and_sample(rows: Rows, n_sample: int, seed: int = 0) -> tuple[Moments, Sample]:
    """Moments of `rows` and a uniform random sample of them, in one sweep.

    Whether a row is in the sample depends only on its position in the table and on the seed, not
    on the storage, its blocks or the order in which they are read. So every storage of the same
    table gives the same sample. Only the rows of the sample are kept or travel.

    Parameters
    ----------
    rows : Rows
        The table.
    n_sample : int
        The expected size of the sample, whose standard deviation is below the square root of
        `n_sample`. A table with no more rows than this is taken whole.
    seed : int, default=0
        Another seed gives another sample.

    Returns
    -------
    Moments
        Weight, mean and scatter of all rows.
    Sample
        The rows drawn.

    Raises
    ------
    ValueError
        If a column has NaN or infinity, or numbers too large to be squared.
    """
    draw = _Draw(None if rows.n_rows <= n_sample else _threshold(n_sample, rows.n_rows), seed)
    result = rows.reduce(draw, _Drawn.__add__)
    finite = np.isfinite(result.moments.mean) & np.isfinite(result.moments.scatter.diagonal())
    if not finite.all():
        column = int(np.flatnonzero(~finite)[0])
        raise ValueError(
            f"Column {column} (counted from 0) contains NaN, infinity or a number too large to be "
            "squared; fill in or leave out such rows, or scale the column."
        )
    return result.moments, result.sample()


def row_hash(index: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """64 random bits for each position: the generator splitmix64 (Steele, Lea & Flood 2014)."""
    # The seed is mixed first, because the streams of nearby seeds are shifted copies otherwise.
    start = _mix(np.array([seed % 2**64], dtype=np.uint64) + _GOLDEN)
    return _mix(start + (index + np.uint64(1)) * _GOLDEN)


@dataclass(frozen=True)
class _Drawn:
    """What a block, or several, contribute: moments and the pieces of the sample, in order."""

    moments: Moments
    pieces: tuple[Sample, ...]

    def __add__(self, other: _Drawn) -> _Drawn:
        # An empty piece is kept only where there is no other, to know the shape.
        filled = [drawn.pieces for drawn in (self, other) if len(drawn.pieces[0])]
        pieces = sum(filled, ()) if filled else self.pieces
        return _Drawn(self.moments + other.moments, pieces)

    def sample(self) -> Sample:
        weights = [piece.weights for piece in self.pieces if piece.weights is not None]
        blocks = [piece.X for piece in self.pieces]
        if sparse.issparse(blocks[0]):
            X = sparse.vstack(blocks, format="csr")
        else:
            X = np.concatenate(blocks)
        return Sample(
            X,
            np.concatenate(weights) if weights else None,
            np.concatenate([piece.index for piece in self.pieces]),
        )


@dataclass(frozen=True)
class _Draw:
    """The kernel of the sweep."""

    threshold: int | None  # None: every row
    seed: int

    def __call__(self, block: Block) -> _Drawn:
        position = np.arange(block.start, block.start + block.X.shape[0], dtype=np.int64)
        chosen = np.flatnonzero(self.accepts(position))
        weights = None if block.weights is None else block.weights[chosen]
        piece = Sample(block.X[chosen], weights, position[chosen])
        return _Drawn(moments_of_block(block), (piece,))

    def accepts(self, position: NDArray[np.int64]) -> Mask:
        if self.threshold is None:
            return np.ones(len(position), dtype=np.bool_)
        return row_hash(position.astype(np.uint64), self.seed) < np.uint64(self.threshold)


def _threshold(n_sample: int, n_rows: int) -> int:
    """The number below which a share n_sample / n_rows of all 64-bit numbers lies."""
    return max(0, n_sample) * 2**64 // n_rows


# The constants of splitmix64: the golden ratio as a fraction of 2**64, and the multipliers of
# Stafford's 13th variant of the finaliser of MurmurHash3.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def _mix(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))
