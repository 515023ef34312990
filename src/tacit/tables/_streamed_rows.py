"""Unlabeled rows in Parquet files, standardised while they are read."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tacit._typing import AnyArray, Mask, Matrix, Vector
from tacit.rows._protocol import Block, Result
from tacit.rows._sweep import fold, ordered_map, workers_for
from tacit.tables._errors import TableError
from tacit.tables._marks import Marks
from tacit.tables._packages import import_pyarrow
from tacit.tables._reading import arrow_errors
from tacit.tables._standardised_numbers import StandardisedNumbers
from tacit.tables._targets import is_unlabeled

# As many numbers at a time as `tacit.rows.ParquetRows` decodes: 8 MB in double precision.
BATCH_NUMBERS = 2**20
MOST_WORKERS = 4


@dataclass(frozen=True)
class Piece:
    """Some consecutive rows of a file, as Arrow has them.

    Attributes
    ----------
    columns : list of pyarrow.Array
        The features.
    labels : pandas.Series
        The column of labels.
    """

    columns: list[Any]
    labels: Any

    def numbers(self) -> Matrix:
        """The features as numbers; NaN where one is missing or infinite."""
        return self.numbers_and_infinite()[0]

    def numbers_and_infinite(self) -> tuple[Matrix, Vector]:
        """The same, and how many values of each feature are infinite."""
        block = np.empty((len(self.columns), len(self.labels)))
        for row, column in zip(block, self.columns, strict=True):
            row[:] = column.cast("float64").to_numpy(zero_copy_only=False)
        infinite = np.isinf(block)
        block[infinite] = np.nan
        return block.T, infinite.sum(axis=1).astype(np.float64)


@dataclass(frozen=True)
class NumericFiles:
    """Which columns of which Parquet files, and which of them holds the labels.

    Attributes
    ----------
    files : tuple of Path
        The files, in the order of the rows.
    features : tuple of str
        Numeric columns.
    target : str
        The column of labels.
    marks : Marks
        The values of it that mean "unlabeled", besides blanks.
    name : str
        What to call the files in messages.
    """

    files: tuple[Path, ...]
    features: tuple[str, ...]
    target: str
    marks: Marks
    name: str

    def pieces(self) -> Generator[Piece]:
        """All rows in order, a few megabytes at a time."""
        pyarrow = import_pyarrow()
        rows = max(1024, BATCH_NUMBERS // max(1, len(self.features)))
        wanted = [*self.features, self.target]
        for file in self.files:
            with (
                arrow_errors(repr(str(file))),
                pyarrow.parquet.ParquetFile(file, pre_buffer=False) as parquet,
            ):
                for batch in parquet.iter_batches(rows, columns=wanted):
                    columns = [batch.column(name) for name in self.features]
                    yield Piece(columns, batch.column(self.target).to_pandas())


class UnlabeledRows:
    """The unlabeled rows of Parquet files, standardised, of which few are in memory at a time.

    Parameters
    ----------
    source : NumericFiles
        The files.
    numbers : StandardisedNumbers
        Fitted.
    n_rows : int
        The number of unlabeled rows.
    """

    def __init__(self, source: NumericFiles, numbers: StandardisedNumbers, n_rows: int) -> None:
        self._source = source
        self._numbers = numbers
        self.n_rows = n_rows
        self.n_features = len(numbers.get_feature_names_out())

    @property
    def total_weight(self) -> float:
        """The number of rows; they have no weights."""
        return float(self.n_rows)

    @property
    def is_weighted(self) -> bool:
        """False."""
        return False

    def reduce(
        self, kernel: Callable[[Block], Result], combine: Callable[[Result, Result], Result]
    ) -> Result:
        """Sweep once: the `combine` of `kernel(block)` over all pieces, in row order."""

        def of_piece(item: tuple[Piece, Mask, int]) -> Result:
            piece, chosen, start = item
            return kernel(Block(self._numbers.transform(piece.numbers()[chosen]), None, start))

        with closing(self._pieces()) as pieces:
            return fold(of_piece, pieces, combine, self._workers())

    def map(self, kernel: Callable[[Any], AnyArray]) -> Callable[[], AnyArray]:
        """A function that computes `kernel(X)` of every block, in row order."""
        return partial(self._map, kernel)

    def _map(self, kernel: Callable[[Any], AnyArray]) -> AnyArray:
        def of_piece(item: tuple[Piece, Mask, int]) -> AnyArray:
            return kernel(self._numbers.transform(item[0].numbers()[item[1]]))

        with (
            closing(self._pieces()) as pieces,
            closing(ordered_map(of_piece, pieces, self._workers())) as results,
        ):
            return np.concatenate(list(results))

    def _pieces(self) -> Generator[tuple[Piece, Mask, int]]:
        start = 0
        with closing(self._source.pieces()) as pieces:
            for piece in pieces:
                chosen = is_unlabeled(piece.labels, self._source.marks)
                yield piece, chosen, start
                start += int(chosen.sum())
        if start != self.n_rows:
            raise TableError(
                f"{self._source.name} has {start:,} unlabeled rows now and had {self.n_rows:,} "
                "before; it must not change while it is in use."
            )

    def _workers(self) -> int:
        return min(MOST_WORKERS, workers_for(self.n_rows, self.n_features))
