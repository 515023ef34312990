"""Parquet files as a table of numbers: finding, checking, reading and writing them."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from json import JSONDecodeError
from pathlib import Path
from typing import Any

import numpy as np

from tacit._files import written_whole
from tacit._typing import AnyArray, Matrix
from tacit._words import first_sentence

# Columns are read in pieces of this many bytes instead of a row group at a time, which may be as
# large as the file.
BUFFER_BYTES = 2**16
SUFFIXES = (".parquet", ".pq")
# Rows of a pyarrow Table, where columns of any type are read.
TABLE_ROWS = 65_536


@dataclass(frozen=True)
class Batch:
    """Some consecutive rows of one file, as Arrow has them."""

    columns: Sequence[Any]  # of pyarrow.Array, in the order of the table
    names: tuple[str, ...]
    n_rows: int
    start: int  # the position of the first row in the table
    file: str
    row: int  # the position of the first row in the file

    def decode(self) -> Matrix:
        """The numbers in double precision, checked for NaN and infinity.

        In Fortran order: a column is one run of numbers in Arrow and here, so this takes a fourth
        of the time that writing rows would take, and products of such a block are no slower.
        """
        types = import_pyarrow().types
        block: Matrix = np.empty((len(self.names), self.n_rows))
        for target, column, name in zip(block, self.columns, self.names, strict=True):
            if column.null_count:
                self._fail(name, "null", column.is_null().to_numpy(zero_copy_only=False))
            if types.is_boolean(column.type) or types.is_decimal(column.type):
                column = column.cast("float64")
            target[:] = column.to_numpy()
        # The sum of finite numbers is finite, unless it overflows.
        with np.errstate(over="ignore", invalid="ignore"):
            suspicious = not np.isfinite(block.sum())
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
    """Parquet files with the same columns, one after the other a table."""

    files: tuple[str, ...]  # in the order of the rows
    filesystem: Any  # pyarrow's; None for this computer
    folder: str | None  # that they were found in, if one was given
    columns: tuple[str, ...]
    lengths: tuple[int, ...]  # the number of rows of each file
    states: tuple[Any, ...]  # of each file, by which a change is seen

    @property
    def n_rows(self) -> int:
        """The number of rows, by the footers of the files."""
        return sum(self.lengths)

    @classmethod
    def find(cls, source: Any, columns: Sequence[str] | None, numeric: bool = True) -> ParquetFiles:
        """The files of a path or a dataset, with their columns checked by their schemas."""
        files, filesystem, folder = _find_files(source)
        chosen = None if columns is None else _check_names(columns)
        lengths, states = [], []
        for file in files:
            states.append(_state(file, filesystem))
            with _opened(file, filesystem) as parquet:
                schema = parquet.schema_arrow
                chosen = own_columns(schema) if chosen is None else chosen
                _check_schema(schema, chosen, file, numeric)
                lengths.append(int(parquet.metadata.num_rows))
        return cls(tuple(files), filesystem, folder, chosen or (), tuple(lengths), tuple(states))

    def batches(self, batch_rows: int) -> Generator[Batch]:
        """All rows in order, at least one batch, none of more than `batch_rows` rows."""
        start = 0
        for file, length, state in zip(self.files, self.lengths, self.states, strict=True):
            row = 0
            with _opened(file, self.filesystem) as parquet:
                for read in parquet.iter_batches(batch_rows, columns=list(self.columns)):
                    read.validate(full=True)  # damage could end the process where it is used
                    arrays = [read.column(name) for name in self.columns]
                    yield Batch(arrays, self.columns, len(read), start + row, file, row)
                    row += len(read)
            if row != length or _state(file, self.filesystem) != state:
                raise ValueError(
                    f"{file} has changed since it was opened ({row} rows now, {length} before); it "
                    "must not change while it is in use."
                )
            start += length
        if start == 0:
            nothing = import_pyarrow().array([], type="float64")
            yield Batch([nothing] * len(self.columns), self.columns, 0, 0, self.files[0], 0)

    def tables(self) -> Generator[tuple[int, Any]]:
        """All rows in order, as pyarrow Tables, each with the position of its first row.

        Names are without spaces at their ends, as those of tables in other files are.
        """
        pyarrow = import_pyarrow()
        with closing(self.batches(TABLE_ROWS)) as batches:
            for batch in batches:
                yield (
                    batch.start,
                    pyarrow.table(list(batch.columns), [n.strip() for n in batch.names]),
                )

    def claim(self, path: Path) -> bool:
        """Whether `path` is one of these files, or would be one of them the next time."""
        target = path.resolve()
        if self.filesystem is not None:
            return False
        if self.folder is not None and target.is_relative_to(Path(self.folder).resolve()):
            return True
        return any(target == Path(file).resolve() for file in self.files)


def write_parquet(path: Path, name: str, parts: Iterable[AnyArray]) -> None:
    """Write arrays (at least one) below each other to a Parquet file, whole or not at all."""
    pyarrow = import_pyarrow()
    with written_whole(path) as partial, ExitStack() as stack:
        writer = None
        for part in parts:
            columns = [part] if part.ndim == 1 else list(part.T)
            names = [name] if part.ndim == 1 else [f"{name}_{k}" for k in range(len(columns))]
            table = pyarrow.table([pyarrow.array(np.ascontiguousarray(c)) for c in columns], names)
            if writer is None:
                opened = pyarrow.parquet.ParquetWriter(partial, table.schema)
                writer = stack.enter_context(opened)
            writer.write_table(table)


def _find_files(source: Any) -> tuple[list[str], Any, str | None]:
    """The files of a source, their file system (None: this computer), and their folder."""
    if isinstance(source, str) and "://" in source:
        source = import_pyarrow().dataset.dataset(source, format="parquet")
    if not isinstance(source, str | os.PathLike):
        return _files_of_dataset(source)
    path = Path(source)
    if path.is_file():
        return [str(path)], None, None
    if not path.is_dir():
        raise FileNotFoundError(
            f"{str(path)!r} does not exist; it must be a Parquet file or a folder of them."
        )
    # What Spark and others leave beside their files begins with a dot or an underscore.
    files = sorted(
        file
        for suffix in SUFFIXES
        for file in path.rglob(f"*{suffix}")
        if not any(part.startswith((".", "_")) for part in file.relative_to(path).parts)
    )
    if not files:
        raise ValueError(
            f"The folder {str(path)!r} has no files named *{' or *'.join(SUFFIXES)}; name a folder "
            "that has some, or one file."
        )
    return [str(file) for file in files], None, str(path)


def _files_of_dataset(source: Any) -> tuple[list[str], Any, None]:
    pyarrow = import_pyarrow()
    is_parquet = isinstance(source, pyarrow.dataset.FileSystemDataset) and isinstance(
        source.format, pyarrow.dataset.ParquetFileFormat
    )
    if not is_parquet:
        raise TypeError(
            f"path is a {type(source).__name__}; it must be the path of a Parquet file or of a "
            "folder of them, or a pyarrow dataset of Parquet files."
        )
    if getattr(source, "_scan_options", None):
        raise ValueError(
            "path is a pyarrow dataset with a filter, and whole files are read; write the rows "
            "that remain to a new file with pyarrow.dataset.write_dataset."
        )
    if not source.files:
        raise ValueError("path is a pyarrow dataset without files.")
    is_local = isinstance(source.filesystem, pyarrow.fs.LocalFileSystem)
    return list(source.files), None if is_local else source.filesystem, None


def _check_names(columns: Sequence[str]) -> tuple[str, ...]:
    if isinstance(columns, str):
        raise TypeError(f"columns is the string {columns!r}; it must be a list of names.")
    chosen = tuple(str(name) for name in columns)
    if not chosen:
        raise ValueError("columns is empty; it must name at least one column.")
    twice = [name for name in chosen if chosen.count(name) > 1]
    if twice:
        raise ValueError(f"columns names {twice[0]!r} more than once; name each column once.")
    return chosen


def own_columns(schema: Any) -> tuple[str, ...]:
    """All columns but those in which pandas has stored the index of a frame."""
    notes = schema.pandas_metadata  # anything that JSON can hold, if the file is damaged
    index = notes.get("index_columns") if isinstance(notes, dict) else None
    known = index if isinstance(index, list) else []
    return tuple(name for name in schema.names if name not in known)


def _check_schema(schema: Any, columns: tuple[str, ...], file: str, numeric: bool) -> None:
    types = import_pyarrow().types
    if not columns:
        raise ValueError(f"{file} has no columns.")
    for name in columns:
        found = schema.get_all_field_indices(name)
        if len(found) != 1:
            shown = ", ".join(schema.names[:10]) + (", ..." if len(schema.names) > 10 else "")
            what = "no column" if not found else f"{len(found)} columns"
            raise ValueError(f"{file} has {what} named {name!r}; its columns are {shown}.")
        kind = schema.field(found[0]).type
        kinds = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
        if numeric and not any(is_kind(kind) for is_kind in kinds):
            raise TypeError(
                f"Column {name!r} of {file} has type {kind}; it must be numeric. Leave it out by "
                "naming the other columns in columns."
            )


@contextmanager
def _opened(file: str, filesystem: Any) -> Iterator[Any]:
    pyarrow = import_pyarrow()
    try:
        with pyarrow.parquet.ParquetFile(
            file, filesystem=filesystem, pre_buffer=False, buffer_size=BUFFER_BYTES
        ) as parquet:
            yield parquet
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{file} does not exist any more.") from error
    except (pyarrow.ArrowException, OSError, UnicodeError, JSONDecodeError) as error:
        raise ValueError(
            f"{file} cannot be read as a Parquet file: it is damaged or none "
            f"({first_sentence(error)}); write it again."
        ) from error


def _state(file: str, filesystem: Any) -> tuple[Any, ...]:
    """When a file was changed, and its size."""
    info = (filesystem or import_pyarrow().fs.LocalFileSystem()).get_file_info(file)
    return info.mtime_ns, info.size


def import_pyarrow() -> Any:
    """pyarrow with the parts that are used, or an error that says how to get it."""
    try:
        import pyarrow
        import pyarrow.dataset
        import pyarrow.fs
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("Parquet files need pyarrow: pip install 'tacit[parquet]'") from error
    return pyarrow
