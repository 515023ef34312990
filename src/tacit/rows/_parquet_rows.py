"""Rows in Parquet files, read a batch at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from tacit._typing import AnyArray
from tacit.rows._parquet_files import Batch, ParquetFiles, write_parquet
from tacit.rows._protocol import Block, Result
from tacit.rows._sweep import fold, ordered_map, workers_for

# A batch of 2**20 numbers is 8 MB in double precision. Opening a column takes as long as reading
# a thousand numbers of it, so a batch of a wide table has that many rows, up to 32 MB.
BATCH_NUMBERS, WIDE_BATCH_NUMBERS, ENOUGH_ROWS = 2**20, 2**22, 1024
# Files are read by one thread, which cannot keep more workers busy than this.
MOST_WORKERS = 4


class ParquetRows:
    """Rows of Parquet files, of which no more than a few batches are in memory.

    Parameters
    ----------
    path : str, path or pyarrow dataset
        A Parquet file; a folder, of which all files named `*.parquet` or `*.pq` are read, those of
        its subfolders too, ordered by their path; or a pyarrow dataset of Parquet files, of which
        the list of files is kept.
    columns : sequence of str, optional
        The columns that are the features, in their order. The default is all columns, but those
        in which pandas has stored the index. Each must be numeric and without missing values.
    batch_rows : int, optional
        The most rows to decode at a time; the default is about a million numbers.

    Attributes
    ----------
    columns : tuple of str
        The names of the columns.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | Any,
        columns: Sequence[str] | None = None,
        batch_rows: int | None = None,
    ) -> None:
        self._files = ParquetFiles.find(path, columns)
        self.columns = self._files.columns
        if batch_rows is None:
            batch_rows = _rows_per_batch(len(self.columns))
        if batch_rows < 1:
            raise ValueError(f"batch_rows is {batch_rows}; it must be a positive integer.")
        self.batch_rows = batch_rows
        self._checked = False  # whether a whole sweep has found only finite numbers

    @property
    def n_rows(self) -> int:
        """The number of rows, by the footers of the files."""
        return sum(self._files.lengths)

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return len(self.columns)

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
        """Sweep once: the `combine` of `kernel(block)` over all batches, in row order.

        One thread reads while others decode and apply the kernel.

        Raises
        ------
        ValueError
            If there is a null, NaN or infinity; it names the column, the file and the row.
        """
        check = not self._checked
        with closing(self._files.batches(self.batch_rows)) as batches:
            result = fold(
                lambda batch: kernel(Block(batch.decode(check), None, batch.start)),
                batches,
                combine,
                self._workers(),
            )
        self._checked = True
        return result

    def map(self, kernel: Callable[[Any], AnyArray]) -> ParquetPredictions:
        """`kernel` of the rows, computed when it is read or written."""
        return ParquetPredictions(self, kernel)

    def _map(self, kernel: Callable[[Any], AnyArray]) -> Generator[AnyArray]:
        def predict(batch: Batch) -> AnyArray:
            return kernel(batch.decode(check=not self._checked))

        with (
            closing(self._files.batches(self.batch_rows)) as batches,
            closing(ordered_map(predict, batches, self._workers())) as results,
        ):
            yield from results

    def _workers(self) -> int:
        return min(MOST_WORKERS, workers_for(self.n_rows, self.n_features))


def _rows_per_batch(n_features: int) -> int:
    wide = min(ENOUGH_ROWS, WIDE_BATCH_NUMBERS // n_features)
    return max(1, BATCH_NUMBERS // n_features, wide)


class ParquetPredictions:
    """A number, a label or a row of numbers for each row of Parquet files, computed when asked for.

    Every use reads the files anew.

    Parameters
    ----------
    rows : ParquetRows
        The rows.
    kernel : callable
        What to compute from a block of them.
    """

    def __init__(self, rows: ParquetRows, kernel: Callable[[Any], AnyArray]) -> None:
        self.rows = rows
        self.kernel = kernel

    def __len__(self) -> int:
        return self.rows.n_rows

    def __repr__(self) -> str:
        return f"<{len(self)} predictions, not computed: batches(), to_parquet() or numpy.asarray>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        if copy is False:
            raise ValueError("The predictions are not in memory, so an array is always new.")
        values = np.concatenate(list(self.batches()))
        return values if dtype is None else values.astype(dtype, copy=False)

    def batches(self) -> Generator[AnyArray]:
        """The predictions in row order, an array for each batch of rows."""
        return self.rows._map(self.kernel)

    def to_parquet(self, path: str | os.PathLike[str], name: str = "prediction") -> None:
        """Write the predictions to a Parquet file, in row order, a batch at a time.

        They are written under a temporary name in the same folder, which becomes `path` when all
        is written; a file that was there before is replaced.

        Parameters
        ----------
        path : str or path
            The file to write.
        name : str, default="prediction"
            The name of the column; with K numbers for each row there are the columns `name_0` to
            `name_(K-1)`.
        """
        path = Path(path)
        if not path.parent.is_dir():
            raise FileNotFoundError(f"The folder {str(path.parent)!r} of path does not exist.")
        if path.is_dir():
            raise IsADirectoryError(f"path is the folder {str(path)!r}; it must name a file.")
        if self.rows._files.claim(path):
            raise ValueError(
                f"path is {str(path)!r}, among the files that are read; choose another folder."
            )
        with closing(self.batches()) as parts:
            write_parquet(path, name, parts)
