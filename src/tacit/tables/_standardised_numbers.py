"""Standardised numbers whose means and spreads come from a sweep."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from tacit._typing import AnyArray, Matrix, Vector


class StandardisedNumbers(TransformerMixin, BaseEstimator):
    """Numeric columns with means for missing values, columns that say where, and unit variance.

    What `SimpleImputer(strategy="mean", add_indicator=True)` and `StandardScaler` do, with what
    they learn set from moments, so that it can be learned from rows that are not in memory.

    Attributes
    ----------
    means_, scales_ : ndarray of shape (d,)
        Of the known values of each column; a scale is one where nothing varies.
    missing_rates_ : ndarray of shape (d,)
        The part of rows without value. A column says where, if there are any.
    names_ : list of str
        The columns.
    """

    means_: Vector
    scales_: Vector
    missing_rates_: Vector
    names_: list[str]

    def set_moments(
        self, names: list[str], counts: Vector, means: Vector, squares: Vector, n_rows: int
    ) -> StandardisedNumbers:
        """Learn from the moments of the known values.

        Parameters
        ----------
        names : list of str
            The columns.
        counts, means, squares : ndarray of shape (d,)
            Known values of each column, their mean, and their sum of squares about it.
        n_rows : int
            All rows.

        Returns
        -------
        StandardisedNumbers
            Itself.
        """
        self.names_ = list(names)
        self.means_ = np.where(counts > 0, means, 0.0)
        # Missing values get the mean, so they add rows but no squares.
        spread = np.sqrt(squares / max(n_rows, 1))
        self.scales_ = np.where(
            spread > 1e-12 * np.maximum(np.abs(self.means_), 1e-300), spread, 1.0
        )
        self.missing_rates_ = 1.0 - counts / max(n_rows, 1)
        return self

    def fit(self, X: Any, y: Any = None) -> StandardisedNumbers:
        """Learn from rows in memory.

        Parameters
        ----------
        X : pandas.DataFrame
            Numbers.
        y : ignored
            Not used.

        Returns
        -------
        StandardisedNumbers
            Itself.
        """
        values = np.asarray(X, dtype=np.float64)
        counts, means, squares = moments_of_known(values)
        return self.set_moments([str(c) for c in X.columns], counts, means, squares, len(values))

    def transform(self, X: Any) -> Matrix:
        """Standardised numbers, and a column for each that may be missing.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Numbers; NaN where one is missing.

        Returns
        -------
        ndarray of shape (n, d + columns with missing values)
            Of mean zero and unit variance on the rows learned from.
        """
        values = np.asarray(X, dtype=np.float64)
        gone = np.isnan(values)
        numbers = np.where(gone, 0.0, (values - self.means_) / self.scales_)
        tell = np.flatnonzero(self.missing_rates_ > 0.0)
        if len(tell) == 0:
            return numbers
        rates = self.missing_rates_[tell]
        spread = np.sqrt(rates * (1.0 - rates))
        return np.hstack([numbers, (gone[:, tell] - rates) / np.where(spread > 0.0, spread, 1.0)])

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """The names of the numbers.

        Parameters
        ----------
        input_features : ignored
            Not used.

        Returns
        -------
        ndarray of str
            The columns, then those that say where one is missing.
        """
        tell = np.flatnonzero(self.missing_rates_ > 0.0)
        missing = [f"missingindicator_{self.names_[j]}" for j in tell]
        return np.array([*self.names_, *missing], dtype=object)


def moments_of_known(values: Matrix) -> tuple[Vector, Vector, Vector]:
    """Count, mean, and sum of squares about the mean, of what is not NaN in each column."""
    known = ~np.isnan(values)
    counts = known.sum(axis=0).astype(np.float64)
    filled = np.where(known, values, 0.0)
    means = filled.sum(axis=0) / np.maximum(counts, 1.0)
    squares = (np.where(known, values - means, 0.0) ** 2).sum(axis=0)
    return counts, means, squares
