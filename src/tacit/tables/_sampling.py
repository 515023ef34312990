"""All labeled rows and some unlabeled ones of a Parquet file larger than memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit.rows._sample import row_hash
from tacit.tables._formats import PARQUET, kind_of_file, read_head, suffix_of
from tacit.tables._marks import Marks, marked_rows
from tacit.tables._packages import import_pyarrow
from tacit.tables._reading import (
    STANDARD_INPUT,
    RawTable,
    arrow_errors,
    check_no_duplicates,
    existing,
    parquet_files,
)
from tacit.tables._targets import find_column, is_unlabeled

# Files up to this size are read whole, which is simpler and quicker. In memory a Parquet file
# takes a few times its size.
SMALL_FILE = 256 * 2**20
BATCH_ROWS = 65_536


@dataclass(frozen=True, eq=False)
class Sample:
    """Some rows of a big file.

    Attributes
    ----------
    raw : RawTable
        The rows: all labeled ones, and about as many unlabeled ones as were asked for.
    n_rows : int
        The rows of the file.
    marked : Counter of str
        Rows of the file with each of the marks.
    """

    raw: RawTable
    n_rows: int
    marked: Counter[str]


def is_big_parquet(source: str | Path, small: int = SMALL_FILE) -> bool:
    """Whether a source is Parquet, and more of it than is read whole."""
    if str(source) == STANDARD_INPUT:
        return False
    path = existing(source)
    if path.is_file():
        kind = kind_of_file(read_head(path)[:64], repr(str(path)), suffix_of(path))
        return kind == PARQUET and path.stat().st_size > small
    return sum(file.stat().st_size for file in parquet_files(path)) > small


def read_sample(
    source: str | Path,
    target: str,
    marks: Marks,
    max_unlabeled: int,
    random_state: int,
    small: int = SMALL_FILE,
) -> Sample | None:
    """Read a big Parquet file in pieces, keeping few of its unlabeled rows; None for other files.

    Whether a row is kept depends on its position and the seed only.
    """
    if not is_big_parquet(source, small):
        return None
    pyarrow = import_pyarrow()
    path = existing(source)
    files, name = parquet_files(path), repr(str(path))
    n_rows = sum(_n_rows(file) for file in files)
    part = min(1.0, max_unlabeled / max(n_rows, 1))
    threshold = np.uint64(min(int(part * 2.0**64), 2**64 - 1))
    pieces: list[Any] = []
    start, marked = 0, Counter[str]()
    for file in files:
        with (
            arrow_errors(repr(str(file))),
            pyarrow.parquet.ParquetFile(file, pre_buffer=False) as parquet,
        ):
            names = parquet.schema_arrow.names
            check_no_duplicates(names, name)
            find_column(target, names, name)
            for batch in parquet.iter_batches(BATCH_ROWS):
                position = np.arange(start, start + len(batch), dtype=np.uint64)
                kept = row_hash(position, random_state) < threshold
                labels = batch.column(target).to_pandas()
                kept |= ~is_unlabeled(labels, marks)
                marked += marked_rows(labels, marks)
                if kept.any() or not pieces:
                    pieces.append(pyarrow.Table.from_batches([batch]).filter(pyarrow.array(kept)))
                start += len(batch)
    with arrow_errors(name):
        table = pyarrow.concat_tables(pieces, promote_options="default")
    return Sample(RawTable(table.to_pandas().reset_index(drop=True), name), n_rows, marked)


def _n_rows(file: Path) -> int:
    with arrow_errors(repr(str(file))):
        return int(import_pyarrow().parquet.ParquetFile(file).metadata.num_rows)
