"""Parquet files that do not fit into memory: labeled rows gathered, unlabeled ones swept."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit._typing import Matrix
from tacit.tables._columns import UNWANTED, Column
from tacit.tables._errors import TableError
from tacit.tables._marks import Marks
from tacit.tables._packages import import_pandas, import_pyarrow
from tacit.tables._reading import arrow_errors, check_no_duplicates, existing, parquet_files
from tacit.tables._standardised_numbers import StandardisedNumbers
from tacit.tables._streamed_rows import NumericFiles, UnlabeledRows
from tacit.tables._survey import survey
from tacit.tables._targets import Target, find_column, read_target, shown


@dataclass(frozen=True, eq=False)
class StreamedTable:
    """A big numeric table.

    Attributes
    ----------
    labeled : ndarray of shape (L, d)
        The labeled rows, standardised.
    target : Target
        Their labels.
    numbers : StandardisedNumbers
        Fitted on all rows.
    unlabeled : UnlabeledRows
        The other rows, standardised, on disk.
    columns : tuple of Column
        What every column of the file is, the target aside.
    name : str
        What to call the table.
    """

    labeled: Matrix
    target: Target
    numbers: StandardisedNumbers
    unlabeled: UnlabeledRows
    columns: tuple[Column, ...]
    name: str


def read_streamed(
    source: str | Path,
    target: str,
    mark: str | Collection[str] | None = None,
    *,
    labels: Collection[str] = (),
    keep: Collection[str] = (),
    drop: Collection[str] = (),
    need_unlabeled: bool = True,
) -> StreamedTable:
    """Sweep over Parquet files once: labeled rows, moments, and what each column is.

    Parameters
    ----------
    source, target, mark, labels, keep, drop, need_unlabeled
        As in `read_table`; the source must be a Parquet file or a folder of them, and the columns
        that are not dropped must be numeric.

    Returns
    -------
    StreamedTable
        Whose unlabeled rows stay on disk. The labeled rows must fit into memory.
    """
    schema, files, name = _schema(source)
    marks = Marks.of(mark, labels)
    for column in (target, *keep, *drop):
        find_column(column, schema.names, name)
    own = _own_columns(schema, target)
    features = tuple(n for n in own if n not in drop)
    strange = _not_numeric(schema, features)
    if strange:
        raise TableError(
            f"{name} is to be streamed, but {shown(strange)} {'are' if len(strange) > 1 else 'is'} "
            "not numeric; leave such columns out with --drop, or read the file whole with "
            "--no-stream."
        )
    found = survey(NumericFiles(files, features, target, marks, name))
    is_boolean = import_pyarrow().types.is_boolean
    columns = tuple(
        Column(n, UNWANTED, "you asked for it")
        if n in drop
        else found.judge(n, keep, is_boolean(schema.field(n).type))
        for n in own
    )
    chosen = np.array([c.is_feature for c in columns if c.name not in drop])
    if not chosen.any():
        raise TableError(f"{name} has no numeric column that varies; there is nothing to learn.")
    names = tuple(c.name for c in columns if c.is_feature)
    numbers = StandardisedNumbers().set_moments(
        list(names), found.counts[chosen], found.means[chosen], found.squares[chosen], found.n_rows
    )
    values = np.concatenate(found.labels)
    # One blank stands for all of them in the checks, or a mark if there are only marks.
    only_marks = 0 < found.n_unlabeled == found.marked.total()
    stand_in = next(iter(found.marked)) if only_marks else None
    blank = np.full(int(found.n_unlabeled > 0), stand_in, dtype=object)
    gathered = import_pandas().Series(np.concatenate([values, blank]), dtype=object)
    checked = read_target(gathered, target, marks, name, need_unlabeled, found.marked)
    return StreamedTable(
        labeled=numbers.transform(np.concatenate(found.labeled)[:, chosen]),
        target=Target(target, checked.values[: len(values)], checked.counts, marks, found.marked),
        numbers=numbers,
        unlabeled=UnlabeledRows(
            NumericFiles(files, names, target, marks, name), numbers, found.n_unlabeled
        ),
        columns=columns,
        name=name.strip("'"),
    )


def is_streamable(source: str | Path, target: str, drop: Collection[str] = ()) -> bool:
    """Whether all columns of Parquet files are numbers, the target and dropped ones aside."""
    schema, _, _ = _schema(source)
    return not _not_numeric(schema, [n for n in _own_columns(schema, target) if n not in drop])


def _schema(source: str | Path) -> tuple[Any, tuple[Path, ...], str]:
    pyarrow = import_pyarrow()
    path = existing(source)
    files, name = tuple(parquet_files(path)), repr(str(path))
    with arrow_errors(repr(str(files[0]))):
        schema = pyarrow.parquet.read_schema(files[0])
    check_no_duplicates(schema.names, name)
    return schema, files, name


def _own_columns(schema: Any, target: str) -> list[str]:
    """All columns but the target and those in which pandas has stored the index of a frame."""
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    return [name for name in schema.names if name != target and name not in index]


def _not_numeric(schema: Any, names: Collection[str]) -> list[str]:
    types = import_pyarrow().types
    numeric = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    return [n for n in names if not any(kind(schema.field(n).type) for kind in numeric)]
