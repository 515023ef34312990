"""Rows in Parquet files, read a batch at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from tacit._files import check_can_write
from tacit._typing import AnyArray, Mask, Matrix
from tacit.rows._parquet_files import Batch, ParquetFiles, import_pyarrow, write_parquet
from tacit.rows._protocol import Block
from tacit.rows._sweep import SweptRows

# A batch of 2**20 numbers is 8 MB in double precision. Opening a column takes as long as reading
# a thousand numbers of it, so a batch of a wide table has that many rows, up to 32 MB.
BATCH_NUMBERS, WIDE_BATCH_NUMBERS, ENOUGH_ROWS = 2**20, 2**22, 1024
# Files are read by one thread, which cannot keep more workers busy than this.
MOST_WORKERS = 4


class _RowsOnDisk(SweptRows):
    """Rows of Parquet files, of which no more than a few batches are in memory."""

    def __init__(self, files: ParquetFiles, n_rows: int, n_features: int) -> None:
        super().__init__(n_rows, n_features)
        self._files = files

    def map(self, kernel: Callable[[Any], AnyArray]) -> ParquetPredictions:
        """`kernel` of the rows, computed when it is read or written."""
        return ParquetPredictions(self, kernel)

    def _workers(self) -> int:
        return min(MOST_WORKERS, super()._workers())


class ParquetRows(_RowsOnDisk):
    """Rows of Parquet files, of which no more than a few batches are in memory.

    One thread reads while others decode. A null, NaN or infinity is a ValueError that names the
    column, the file and the row.

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
        files = ParquetFiles.find(path, columns)
        super().__init__(files, files.n_rows, len(files.columns))
        self.columns = files.columns
        if batch_rows is None:
            batch_rows = _rows_per_batch(len(self.columns))
        if batch_rows < 1:
            raise ValueError(f"batch_rows is {batch_rows}; it must be a positive integer.")
        self.batch_rows = batch_rows

    def _pieces(self) -> Generator[Batch]:
        return self._files.batches(self.batch_rows)

    def _block(self, piece: Batch) -> Block:
        return Block(piece.decode(), None, piece.start)


def _rows_per_batch(n_features: int) -> int:
    wide = min(ENOUGH_ROWS, WIDE_BATCH_NUMBERS // n_features)
    return max(1, BATCH_NUMBERS // n_features, wide)


class TransformedRows(_RowsOnDisk):
    """Some rows of Parquet files with columns of any type, made numbers while they are read.

    `choose` says which rows of a pyarrow Table are meant, `n_rows` in all, and `transform` makes
    `n_features` numbers of each.
    """

    def __init__(
        self,
        files: ParquetFiles,
        choose: Callable[[Any], Mask],
        transform: Callable[[Any], Matrix],
        n_rows: int,
        n_features: int,
    ) -> None:
        super().__init__(files, n_rows, n_features)
        self._choose = choose
        self._transform = transform

    def _pieces(self) -> Generator[tuple[int, Any]]:
        pyarrow = import_pyarrow()
        start = 0
        with closing(self._files.tables()) as tables:
            for _, table in tables:
                rows = table.filter(pyarrow.array(self._choose(table)))
                if len(rows) or self.n_rows == 0:
                    yield start, rows
                start += len(rows)
        if start != self.n_rows:
            raise ValueError(
                f"The files have {start:,} such rows now and had {self.n_rows:,} before; they must "
                "not change while they are in use."
            )

    def _block(self, piece: tuple[int, Any]) -> Block:
        start, rows = piece
        X = self._transform(rows) if len(rows) else np.empty((0, self.n_features))
        return Block(X, None, start)


class ParquetPredictions:
    """A number, a label or a row of numbers for each row of Parquet files, computed when asked for.

    Every use reads the files anew.

    Parameters
    ----------
    rows : ParquetRows or TransformedRows
        The rows.
    kernel : callable
        What to compute from a block of them.
    """

    def __init__(self, rows: _RowsOnDisk, kernel: Callable[[Any], AnyArray]) -> None:
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

        The file appears whole or not at all; one that was there before is replaced.

        Parameters
        ----------
        path : str or path
            The file to write.
        name : str, default="prediction"
            The name of the column; with K numbers for each row there are the columns `name_0` to
            `name_(K-1)`.
        """
        path = Path(path)
        check_can_write(path, "path")
        if self.rows._files.claim(path):
            raise ValueError(
                f"path is {str(path)!r}, among the files that are read; choose another folder."
            )
        with closing(self.batches()) as parts:
            write_parquet(path, name, parts)
