"""Comma-separated files without a header, as data packages hold them."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from tacit.research.datasets.sources._protocol import SourceError, Table


def read_comma_files(paths: list[Path], class_column: int) -> Table:
    """Read files of equal columns, one below the other.

    Parameters
    ----------
    paths : list of Path
        The files, in the order in which their rows follow.
    class_column : int
        Position of the label; negative counts from the end. All other columns are numbers.

    Returns
    -------
    Table
        Labels as text without blanks around.
    """
    rows: list[list[float]] = []
    labels: list[str] = []
    for path in paths:
        try:
            lines = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
            for cells in filter(None, lines):
                labels.append(cells.pop(class_column).strip())
                rows.append([float(cell) for cell in cells])
        except (OSError, ValueError, IndexError) as error:
            raise SourceError(f"{path} cannot be read: {error}") from error
    if len({len(row) for row in rows}) != 1:
        raise SourceError(f"the rows of {', '.join(map(str, paths))} are not of one length")
    return Table(np.array(rows, dtype=np.float64), np.array(labels))
