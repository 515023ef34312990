"""A person's table: features, labels, and what was made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit._typing import AnyArray, Mask, Matrix
from tacit.rows import ParquetFiles, TransformedRows
from tacit.rows._moments import row_hash
from tacit.tables import _reading as reading
from tacit.tables._columns import Column, column_notes, describe_columns, typed_frame
from tacit.tables._errors import TableError
from tacit.tables._target import Target, UnlabeledMarkers, find_column, has_label, read_target
from tacit.tables._text import INFER, ReadOptions

# Unlabeled rows of a file that stays on disk from which the features are learned: medians, spreads
# and words of so many are those of all of them, as far as a model can tell.
STREAM_SAMPLE = 20_000


@dataclass(frozen=True, eq=False)
class MixedTable:
    """Rows of mixed columns, of which some have a label."""

    frame: Any  #: The features, typed, as a DataFrame of pandas.
    target: Target  #: The labels.
    columns: tuple[Column, ...]  #: What every column of the file is, the target aside.
    name: str  #: What to call the table.
    n_rows_in_file: int  #: More than those of `frame` where unlabeled rows were sampled.
    notes: tuple[str, ...]  #: What was done on the way that a reader should know.
    keep: tuple[str, ...] = ()  #: The columns that were asked to be used.
    drop: tuple[str, ...] = ()  #: The columns that were asked to be left out.
    options: ReadOptions = INFER  #: How it was said to be written.
    #: All rows, where unlabeled ones stay on disk; `frame` then has a sample of them.
    stream: ParquetFiles | None = None

    @property
    def y(self) -> AnyArray:
        """A label for each row, None where it is unknown."""
        return self.target.values

    @property
    def n_labeled(self) -> int:
        """Rows with label."""
        return sum(self.target.counts.values())

    @property
    def n_unlabeled(self) -> int:
        """Rows without label that are learned from."""
        n_rows = len(self.y) if self.stream is None else self.n_rows_in_file
        return n_rows - self.n_labeled

    def streamed_rows(self, features: Any) -> TransformedRows:
        """The unlabeled rows on disk, made numbers by fitted features while they are read."""
        assert self.stream is not None
        target, names = self.target, list(self.frame.columns)

        def is_unlabeled(batch: Any) -> Mask:
            return ~has_label(target.markers.decode(batch.column(target.name).to_pandas())[0])

        def numbers(batch: Any) -> Matrix:
            frame = reading.as_frame(batch.select(names), self.name)
            typed = typed_frame(frame, self.columns, self.options)
            return np.asarray(features.transform(typed), dtype=np.float64)

        n_features = len(features.get_feature_names_out())
        return TransformedRows(self.stream, is_unlabeled, numbers, self.n_unlabeled, n_features)


def read_table(
    source: Any,
    target: str,
    mark: Any = None,
    *,
    labels: Collection[Any] = (),
    keep: Collection[str] = (),
    drop: Collection[str] = (),
    max_unlabeled: int | None = None,
    need_unlabeled: bool = True,
    random_state: int = 0,
    options: ReadOptions = INFER,
    stream: bool = False,
) -> MixedTable:
    """Read a table with a column of labels.

    Parameters
    ----------
    source : str, Path or DataFrame
        A CSV, TSV, JSON lines, Excel or Parquet file, also packed by gzip, bz2, xz, zip or
        Zstandard, a folder of Parquet files, "-" for the standard input, or a frame of pandas or
        polars. Of a workbook the first sheet is read.
    target : str
        The column of labels; blank and NA mean "unlabeled".
    mark : str, number or collection of them, optional
        Values of the target that mean "unlabeled" too, such as -1.
    labels : collection of str or numbers
        Values of the target that are classes even if they look like marks, such as "None" or
        "NA".
    keep : collection of str
        Columns to use even if they look like identifiers.
    drop : collection of str
        Columns to leave out.
    max_unlabeled : int, optional
        The most unlabeled rows to keep, drawn at random. Big Parquet files are then read in
        pieces, so that they need not fit into memory.
    need_unlabeled : bool, default=True
        Whether a table with a label in every row is an error.
    random_state : int, default=0
        Seed of that draw.
    options : ReadOptions
        How a table of text is written.
    stream : bool, default=False
        Leave the unlabeled rows of a Parquet file on disk; a fit reads them in pieces. Features
        are learned from the labeled rows and a sample of the others.

    Returns
    -------
    MixedTable
        With typed features and checked labels.

    Raises
    ------
    TableError
        In one sentence, with what to do about it.
    """
    if stream and not reading.is_parquet(source):
        raise TableError(
            f"{source!r} is not Parquet, and only Parquet files can be streamed; convert it, or "
            "leave --stream out."
        )
    markers = UnlabeledMarkers.of(mark, labels)
    files, marked = None, None
    most = STREAM_SAMPLE if stream else max_unlabeled
    if most is not None and reading.is_parquet(source, -1 if stream else reading.SMALL_FILE):
        files = reading.open_parquet(source)
        find_column(target, [column.strip() for column in files.columns], repr(str(source)))
        raw, marked = _read_sample(files, repr(str(source)), target, markers, most, random_state)
    else:
        raw = reading.read_raw(source, options, as_text=(target,))
    n_rows = len(raw.frame) if files is None else files.n_rows
    names = list(raw.frame.columns)
    for name in (target, *keep, *drop):
        find_column(name, names, raw.name)
    found = read_target(
        raw.frame[target],
        target,
        markers,
        raw.name,
        need_unlabeled=need_unlabeled,
        n_rows=n_rows,
        marked=marked,
        decimal=options.decimal or "." if raw.is_text else None,
    )
    notes = [*raw.notes, *found.notes()]
    frame = raw.frame.drop(columns=target)
    if max_unlabeled is not None and not stream:
        frame, found = _sampled(frame, found, max_unlabeled, random_state)
    columns = describe_columns(frame, keep, drop, options)
    if stream:
        notes.append("Unlabeled rows were read from disk in pieces.")
    elif len(frame) < n_rows:
        n_labeled = sum(found.counts.values())
        notes.append(
            f"Of the {n_rows - n_labeled:,} unlabeled rows, {len(frame) - n_labeled:,} drawn at "
            "random were used."
        )
    notes += column_notes(columns)
    return MixedTable(
        frame=typed_frame(frame, columns, options),
        target=found,
        columns=columns,
        name=raw.name.strip("'"),
        n_rows_in_file=n_rows,
        notes=tuple(notes),
        keep=tuple(keep),
        drop=tuple(drop),
        options=options,
        stream=files if stream else None,
    )


def as_table(source: Any, target: str | None, **reading: Any) -> MixedTable:
    """A table that was read, or one that is to be read now, with its column of labels."""
    if isinstance(source, MixedTable):
        if target not in (None, source.target.name):
            raise ValueError(
                f"target is {target!r}, and the table was read with {source.target.name!r}; read "
                "it again, or leave target out."
            )
        return source
    if target is None:
        raise ValueError(
            "target is None; name the column of labels, such as target='churned', or pass what "
            "read_table gives."
        )
    return read_table(source, target, **reading)


def _read_sample(
    files: ParquetFiles, name: str, target: str, markers: UnlabeledMarkers, most: int, seed: int
) -> tuple[reading.RawTable, Counter[str]]:
    """All labeled rows of Parquet files and about `most` others; and of all rows, the markers.

    Whether a row is kept depends on its position and the seed.
    """
    part = min(1.0, most / max(files.n_rows, 1))
    threshold = np.uint64(min(int(part * 2.0**64), 2**64 - 1))
    marked = Counter[str]()

    def choose(start: int, batch: Any) -> Mask:
        position = np.arange(start, start + len(batch), dtype=np.uint64)
        labels, in_batch, _ = markers.decode(batch.column(target).to_pandas())
        marked.update(in_batch)
        kept: Mask = has_label(labels) | (row_hash(position, seed) <= threshold)
        return kept

    return reading.read_parquet(files, name, choose), marked


def _sampled(frame: Any, labels: Target, most: int, random_state: int) -> tuple[Any, Target]:
    unlabeled = np.flatnonzero(~labels.is_labeled)
    if len(unlabeled) <= most:
        return frame, labels
    drawn = np.random.default_rng(random_state).choice(unlabeled, most, replace=False)
    rows = np.sort(np.concatenate([np.flatnonzero(labels.is_labeled), drawn]))
    sampled = replace(labels, values=labels.values[rows], is_labeled=labels.is_labeled[rows])
    return frame.iloc[rows].reset_index(drop=True), sampled
