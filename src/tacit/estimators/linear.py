"""What all linear classifiers of the package share: predicting."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit._typing import AnyArray, Matrix, Vector
from tacit.solver import Coefficients
from tacit.solver.least_squares import leave_one_out_alpha


class LinearClassifier(ClassifierMixin, BaseEstimator):
    """Decisions and predictions from `coef_`, `intercept_` and `classes_`."""

    classes_: AnyArray
    coef_: Matrix
    intercept_: Vector

    def decision_function(self, X: Any) -> Matrix:
        """The regression value minus one half.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n,) or (n, K)
            For two classes, positive values mean `classes_[1]`; for more, the largest wins.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=(np.float64, np.float32))
        values = X @ self.coef_.T + self.intercept_
        return np.asarray(values[:, 0] if len(self.classes_) == 2 else values)

    def predict(self, X: Any) -> AnyArray:
        """The class of each row.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n,)
            Members of `classes_`.
        """
        values = self.decision_function(X)
        winners = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        return np.asarray(self.classes_[winners])

    def _store(self, coefficients: Coefficients) -> None:
        """Keep coefficients as scikit-learn's linear classifiers do, the threshold at zero."""
        self.coef_ = np.atleast_2d(coefficients.coef.T)
        self.intercept_ = np.atleast_1d(coefficients.intercept) - 0.5


def read_alpha(alpha: Any, X: Matrix, Y: Matrix, weights: Vector | None, intercept: bool) -> float:
    """The ridge penalty that the parameter `alpha` stands for."""
    if isinstance(alpha, str) and alpha == "loo":
        return leave_one_out_alpha(X, Y, weights, intercept)
    is_number = isinstance(alpha, numbers.Real) and not isinstance(alpha, bool)
    if not is_number or not 0.0 <= float(alpha) < np.inf:
        raise ValueError(
            f'alpha is {alpha!r}; it must be a finite number that is not negative, or "loo" to '
            "choose it by leave-one-out on the labeled rows."
        )
    return float(alpha)
