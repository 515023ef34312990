"""Parquet files as a table of numbers: finding, checking, reading and writing them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit._typing import AnyArray, Matrix

# Columns are read in pieces of this many bytes instead of a row group at a time, which may be as
# large as the file.
BUFFER_BYTES = 2**16


@dataclass(frozen=True)
class Batch:
    """Some consecutive rows of one file, as Arrow has them.

    Attributes
    ----------
    columns : sequence of pyarrow.Array
        The columns of the table, in its order.
    names : tuple of str
        Their names.
    n_rows : int
        The number of rows.
    start : int
        The position of the first row in the table.
    file : str
        The file.
    row : int
        The position of the first row in the file.
    """

    columns: Sequence[Any]
    names: tuple[str, ...]
    n_rows: int
    start: int
    file: str
    row: int

    def decode(self, check: bool) -> Matrix:
        """The numbers in double precision, checked for NaN and infinity if asked for.

        In Fortran order: a column is one run of numbers in Arrow and here, so this takes a fourth
        of the time that writing rows would take, and products of such a block are no slower.
        """
        block: Matrix = np.empty((len(self.names), self.n_rows))
        for target, column, name in zip(block, self.columns, self.names, strict=True):
            if column.null_count:
                self._fail(name, "null", column.is_null().to_numpy(zero_copy_only=False))
            target[:] = _numbers(column)
        # The sum of finite numbers is finite, unless it overflows.
        with np.errstate(over="ignore", invalid="ignore"):
            suspicious = check and not np.isfinite(block.sum())
        if suspicious and not (finite := np.isfinite(block)).all():
            j = int(np.flatnonzero(~finite.all(axis=1))[0])
            self._fail(self.names[j], "NaN or infinity", ~finite[j])
        return block.T

    def _fail(self, name: str, what: str, bad: AnyArray) -> None:
        row = self.row + int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"Column {name!r} has {what} in row {row} (counted from 0) of {self.file}; every value "
            "must be a finite number. Fill in or leave out such rows, or leave the column out by "
            "naming the others in columns."
        )


@dataclass(frozen=True)
class ParquetFiles:
    """Parquet files with the same columns, one after the other a table.

    Attributes
    ----------
    files : tuple of str
        The files, in the order of the rows.
    filesystem : pyarrow.fs.FileSystem or None
        Where they are; None for this computer.
    columns : tuple of str
        The columns of the table, by name.
    lengths : tuple of int
        The number of rows of each file.
    """

    files: tuple[str, ...]
    filesystem: Any
    columns: tuple[str, ...]
    lengths: tuple[int, ...]

    @classmethod
    def find(cls, source: Any, columns: Sequence[str] | None) -> ParquetFiles:
        """The files of a path or a dataset, with their columns checked by their schemas."""
        files, filesystem = _find_files(source)
        chosen = None if columns is None else _check_names(columns)
        lengths = []
        for file in files:
            with _opened(file, filesystem) as parquet:
                schema = parquet.schema_arrow
                chosen = _own_columns(schema) if chosen is None else chosen
                _check_schema(schema, chosen, file)
                lengths.append(int(parquet.metadata.num_rows))
        return cls(tuple(files), filesystem, chosen or (), tuple(lengths))

    def batches(self, batch_rows: int) -> Iterator[Batch]:
        """All rows in order, at least one batch, none of more than `batch_rows` rows."""
        start = 0
        for file, length in zip(self.files, self.lengths, strict=True):
            row = 0
            with _opened(file, self.filesystem) as parquet:
                for read in parquet.iter_batches(batch_rows, columns=list(self.columns)):
                    arrays = [read.column(name) for name in self.columns]
                    yield Batch(arrays, self.columns, len(read), start + row, file, row)
                    row += len(read)
            if row != length:
                raise ValueError(
                    f"{file} has {row} rows now and had {length} before; it must not change while "
                    "it is in use."
                )
            start += length
        if start == 0:
            empty = [np.zeros(0)] * len(self.columns)
            yield Batch([_import_pyarrow().array(a) for a in empty], self.columns, 0, 0, "", 0)

    def contain(self, path: Path) -> bool:
        """Whether a file of this name is one of these or would be found next to them."""
        if self.filesystem is not None:
            return False
        folders = {Path(file).resolve().parent for file in self.files}
        return path.resolve().parent in folders if len(self.files) > 1 else (
            str(path.resolve()) == str(Path(self.files[0]).resolve())
        )


def write_column(path: Path, name: str, parts: Iterable[AnyArray]) -> None:
    """Write arrays one after the other as columns of a Parquet file, whole or not at all."""
    pyarrow = _import_pyarrow()
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    os.close(handle)
    writer = None
    try:
        for part in parts:
            named = {name: part} if part.ndim == 1 else {
                f"{name}_{k}": column for k, column in enumerate(part.T)
            }
            table = pyarrow.table({key: pyarrow.array(value) for key, value in named.items()})
            if writer is None:
                writer = pyarrow.parquet.ParquetWriter(temporary, table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()
        os.replace(temporary, path)
    except BaseException:
        if writer is not None:
            writer.close()
        os.unlink(temporary)
        raise


def _numbers(column: Any) -> AnyArray:
    types = _import_pyarrow().types
    if types.is_floating(column.type) or types.is_integer(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    return np.asarray(column.cast("float64").to_numpy(zero_copy_only=False))
