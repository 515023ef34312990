"""What all linear classifiers of the package share: predicting."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit._typing import AnyArray, Matrix, Vector
from tacit.estimators._labels import ScoresLabeledRows
from tacit.estimators._storage import is_elsewhere, read_rows
from tacit.estimators._training import DTYPES
from tacit.solver import Coefficients
from tacit.solver._least_squares import leave_one_out_alpha


@dataclass(frozen=True)
class Decision:
    """The decision on rows; a value, so that it can travel to another process."""

    coef: Matrix
    intercept: Vector

    def __call__(self, X: Any) -> Matrix:
        """One number for each row, or one for each row and class."""
        with np.errstate(invalid="ignore", over="ignore"):
            values = np.asarray(X @ self.coef.T) + self.intercept
        # Rows that live elsewhere are seen here for the first time.
        if not np.isfinite(values).all():
            raise ValueError(
                "X contains NaN, infinity or numbers too large to be multiplied; fill in or leave "
                "out such rows."
            )
        return np.asarray(values[:, 0] if len(self.coef) == 1 else values)


@dataclass(frozen=True)
class Winner:
    """The class with the highest decision."""

    decision: Decision
    classes: AnyArray

    def __call__(self, X: Any) -> AnyArray:
        """The class of each row."""
        values = self.decision(X)
        winners = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        return np.asarray(self.classes[winners])


class LinearClassifier(ScoresLabeledRows, ClassifierMixin, BaseEstimator):
    """Decisions and predictions from `coef_`, `intercept_` and `classes_`."""

    classes_: AnyArray
    coef_: Matrix
    intercept_: Vector

    def decision_function(self, X: Any) -> Any:
        """The regression value minus one half.

        Parameters
        ----------
        X : array-like, sparse matrix, Dask array, Rows or path of shape (n, d)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n,) or (n, K)
            For two classes, positive values mean `classes_[1]`; for more, the largest wins. For a
            Dask array a Dask array, for Parquet files an object that writes Parquet files.
        """
        check_is_fitted(self)
        return self._map(X, Decision(self.coef_, self.intercept_))

    def predict(self, X: Any) -> Any:
        """The class of each row.

        Parameters
        ----------
        X : array-like, sparse matrix, Dask array, Rows or path of shape (n, d)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n,)
            Members of `classes_`. For a Dask array a Dask array, for Parquet files an object that
            writes Parquet files.
        """
        check_is_fitted(self)
        return self._map(X, Winner(Decision(self.coef_, self.intercept_), self.classes_))

    def _map(self, X: Any, kernel: Any) -> Any:
        if is_elsewhere(X):
            return read_rows(self, X, "X").map(kernel)
        X = validate_data(self, X, reset=False, dtype=DTYPES, accept_sparse="csr")
        return kernel(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _store(self, coefficients: Coefficients) -> None:
        """Keep coefficients as scikit-learn's linear classifiers do, the threshold at zero."""
        self.coef_ = np.atleast_2d(coefficients.coef.T)
        self.intercept_ = np.atleast_1d(coefficients.intercept) - 0.5


def read_alpha(alpha: Any, X: Any, Y: Matrix, weights: Vector | None, intercept: bool) -> float:
    """The ridge penalty that the parameter `alpha` stands for."""
    check_fit_intercept(intercept)
    if isinstance(alpha, str) and alpha == "loo":
        dense = X if isinstance(X, np.ndarray) else X.toarray()  # labeled rows are few
        return leave_one_out_alpha(dense, Y, weights, intercept)
    is_number = isinstance(alpha, numbers.Real) and not isinstance(alpha, bool)
    if not is_number or not 0.0 <= float(alpha) < np.inf:
        raise ValueError(
            f'alpha is {alpha!r}; it must be a finite number that is not negative, or "loo" to '
            "choose it by leave-one-out on the labeled rows."
        )
    return float(alpha)


def check_fit_intercept(fit_intercept: Any) -> None:
    """Refuse what is no truth value, because anything else would count as one."""
    if not isinstance(fit_intercept, bool | np.bool_):
        raise ValueError(
            f"fit_intercept is {fit_intercept!r}; it must be True, for a model with a constant, or "
            "False."
        )
