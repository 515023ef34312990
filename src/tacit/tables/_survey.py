"""What one sweep over a numeric table finds out about its columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from tacit._typing import AnyArray, Mask, Matrix, Vector
from tacit.tables._columns import CONSTANT, EMPTY, IDENTIFIER, NUMBER, Column, infinite_note
from tacit.tables._errors import TableError
from tacit.tables._marks import marked_rows
from tacit.tables._standardised_numbers import moments_of_known
from tacit.tables._streamed_rows import NumericFiles
from tacit.tables._targets import label_values
from tacit.tables._truth import TRUTH


@dataclass(eq=False)
class Survey:
    """Labeled rows, and what is known of each column of a table after a sweep.

    Attributes
    ----------
    features : tuple of str
        The columns.
    counts, means, squares : ndarray of shape (d,)
        Known values, their mean, and their sum of squares about it.
    infinite : ndarray of shape (d,)
        Infinite values, which count as missing.
    smallest, largest, last : ndarray of shape (d,)
        Extremes, and the values of the last row.
    rising, whole : ndarray of bool of shape (d,)
        Whether the values rise from row to row, and are whole numbers.
    labeled, labels : list of ndarray
        Labeled rows and their labels, in pieces.
    n_rows, n_unlabeled : int
        Rows seen.
    marked : Counter of str
        Rows whose label is a mark.
    """

    features: tuple[str, ...]
    counts: Vector = field(init=False)
    means: Vector = field(init=False)
    squares: Vector = field(init=False)
    infinite: Vector = field(init=False)
    smallest: Vector = field(init=False)
    largest: Vector = field(init=False)
    last: Vector = field(init=False)
    rising: Mask = field(init=False)
    whole: Mask = field(init=False)
    labeled: list[Matrix] = field(init=False)
    labels: list[AnyArray] = field(init=False)
    n_rows: int = 0
    n_unlabeled: int = 0
    marked: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        d = len(self.features)
        self.counts, self.means, self.squares = np.zeros(d), np.zeros(d), np.zeros(d)
        self.infinite = np.zeros(d)
        self.smallest, self.largest = np.full(d, np.inf), np.full(d, -np.inf)
        self.last = np.full(d, -np.inf)
        self.rising, self.whole = np.ones(d, dtype=bool), np.ones(d, dtype=bool)
        self.labeled, self.labels = [np.zeros((0, d))], [np.empty(0, dtype=object)]

    def add(self, values: Matrix, labels: AnyArray) -> None:
        """Take in some rows."""
        is_labeled = np.array([label is not None for label in labels], dtype=bool)
        self.labeled.append(values[is_labeled])
        self.labels.append(labels[is_labeled])
        self.n_rows += len(values)
        self.n_unlabeled += int((~is_labeled).sum())
        if len(values):
            self._add_moments(values)
            self._add_order(values)

    def _add_moments(self, values: Matrix) -> None:
        # Chan, Golub & LeVeque 1983, column by column, since each misses other rows.
        counts, means, squares = moments_of_known(values)
        both = np.maximum(self.counts + counts, 1.0)
        difference = means - self.means
        self.squares += squares + self.counts * counts / both * difference**2
        self.means += counts / both * difference
        self.counts += counts

    def _add_order(self, values: Matrix) -> None:
        gone = np.isnan(values)
        self.smallest = np.minimum(self.smallest, np.where(gone, np.inf, values).min(axis=0))
        self.largest = np.maximum(self.largest, np.where(gone, -np.inf, values).max(axis=0))
        self.rising &= (np.diff(np.vstack([self.last, values]), axis=0) > 0).all(axis=0)
        self.whole &= (values == np.round(values)).all(axis=0)
        self.last = values[-1]

    def judge(self, name: str, keep: Collection[str], is_truth: bool = False) -> Column:
        """What a column is, as far as a sweep can tell.

        It cannot count different values, but it sees whole numbers rise from row to row.

        Parameters
        ----------
        name : str
            The column.
        keep : collection of str
            Columns that are features even if they look like identifiers.
        is_truth : bool
            Whether the file has true and false in it.
        """
        j = self.features.index(name)
        missing = int(self.n_rows - self.counts[j])
        infinite = infinite_note(int(self.infinite[j]))
        if self.counts[j] == 0:
            return Column(name, EMPTY, infinite or "it has no values", None, missing)
        if self.smallest[j] == self.largest[j] and missing == 0:
            return Column(name, CONSTANT, f"every row has the value {self.smallest[j]:g}")
        if name not in keep and self.rising[j] and self.whole[j]:
            note = "looks like an identifier, whole numbers that rise from row to row"
            return Column(name, IDENTIFIER, note, None, missing)
        return Column(name, NUMBER, infinite, TRUTH if is_truth else None, missing)


def survey(source: NumericFiles) -> Survey:
    """Sweep over all rows once."""
    found = Survey(source.features)
    with closing(source.pieces()) as pieces:
        for piece in pieces:
            labels = label_values(piece.labels, source.marks, source.target)
            numbers, infinite = piece.numbers_and_infinite()
            found.add(numbers, labels)
            found.infinite += infinite
            found.marked += marked_rows(piece.labels, source.marks)
    if found.n_rows == 0:
        raise TableError(f"{source.name} has no rows; add the rows.")
    return found
