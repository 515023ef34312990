"""Rows of Parquet files with columns of any type, made numbers while they are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial
from typing import Any

import numpy as np

from tacit._typing import AnyArray, Mask, Matrix
from tacit.rows._parquet_files import ParquetFiles, import_pyarrow
from tacit.rows._protocol import Block, Result
from tacit.rows._sweep import fold, ordered_map, workers_for

BATCH_ROWS = 65_536
# Files are read by one thread, which cannot keep more workers busy than this.
MOST_WORKERS = 4


class ParquetBatches:
    """Rows of Parquet files, as Arrow has them, some at a time.

    Parameters
    ----------
    path : str or path
        A Parquet file or a folder of them, as `ParquetRows` takes it.
    batch_rows : int, default=65536
        The most rows to read at a time.
    """

    def __init__(self, path: str | os.PathLike[str], batch_rows: int = BATCH_ROWS) -> None:
        self._files = ParquetFiles.find(path, None, numeric=False)
        self._batch_rows = batch_rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, but those in which pandas has stored an index."""
        return self._files.columns

    @property
    def n_rows(self) -> int:
        """The number of rows, by the footers of the files."""
        return sum(self._files.lengths)

    def __iter__(self) -> Generator[tuple[int, Any]]:
        """The position of the first row of each batch, and the batch as a pyarrow Table."""
        pyarrow = import_pyarrow()
        with closing(self._files.batches(self._batch_rows)) as batches:
            for batch in batches:
                yield batch.start, pyarrow.table(list(batch.columns), list(batch.names))


class TransformedRows:
    """Some rows of Parquet files, made numbers by a function; few of them are in memory.

    Parameters
    ----------
    batches : ParquetBatches
        All rows.
    choose : callable
        Which rows of a pyarrow Table are meant, as a mask.
    transform : callable
        The numbers of a pyarrow Table, as an array of one row for each of its rows.
    n_rows, n_features : int
        Rows that are chosen in all, and numbers of each.
    """

    def __init__(
        self,
        batches: ParquetBatches,
        choose: Callable[[Any], Mask],
        transform: Callable[[Any], Matrix],
        n_rows: int,
        n_features: int,
    ) -> None:
        self._batches = batches
        self._choose = choose
        self._transform = transform
        self.n_rows = n_rows
        self.n_features = n_features

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
        """Sweep once: the `combine` of `kernel(block)` over all batches, in row order."""

        def of_batch(item: tuple[int, Any]) -> Result:
            return kernel(Block(self._numbers(item[1]), None, item[0]))

        with closing(self._chosen()) as chosen:
            return fold(of_batch, chosen, combine, self._workers())

    def map(self, kernel: Callable[[Any], AnyArray]) -> Callable[[], AnyArray]:
        """A function that computes `kernel(X)` of every block, in row order."""
        return partial(self._map, kernel)

    def _map(self, kernel: Callable[[Any], AnyArray]) -> AnyArray:
        with (
            closing(self._chosen()) as chosen,
            closing(
                ordered_map(lambda item: kernel(self._numbers(item[1])), chosen, self._workers())
            ) as results,
        ):
            return np.concatenate(list(results))

    def _chosen(self) -> Generator[tuple[int, Any]]:
        pyarrow = import_pyarrow()
        start = 0
        with closing(iter(self._batches)) as batches:
            for _, batch in batches:
                rows = batch.filter(pyarrow.array(self._choose(batch)))
                if len(rows) or self.n_rows == 0:
                    yield start, rows
                start += len(rows)
        if start != self.n_rows:
            raise ValueError(
                f"The files have {start:,} such rows now and had {self.n_rows:,} before; they must "
                "not change while they are in use."
            )

    def _numbers(self, rows: Any) -> Matrix:
        return self._transform(rows) if len(rows) else np.empty((0, self.n_features))

    def _workers(self) -> int:
        return min(MOST_WORKERS, workers_for(self.n_rows, self.n_features))
