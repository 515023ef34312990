"""A dataset by name."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit._typing import AnyArray, Matrix


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
