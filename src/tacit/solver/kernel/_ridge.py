"""The equations of kernel ridge regression with an intercept that is not penalised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from tacit._typing import Matrix, Vector

NOT_A_KERNEL = (
    "kernel gives a matrix that is not positive semi-definite; use a function that is a kernel, "
    "or a precomputed matrix of one."
)


@dataclass(frozen=True)
class Expansion:
    """A function f(x) = sum_i c_i k(x_i, x) + b, or several side by side.

    Attributes
    ----------
    dual : ndarray of shape (n,) or (n, m)
        The coefficients c, one for each row that the kernel was evaluated on.
    intercept : float or ndarray of shape (m,)
        The constant b.
    """

    dual: Matrix
    intercept: Vector

    def values(self, K: Matrix) -> Matrix:
        """The values on rows, from the kernel between them and the rows of the expansion."""
        return np.asarray(K @ self.dual + self.intercept)


class BorderedSystem:
    """The equations of kernel ridge regression with an intercept, factored once.

    The minimiser of sum_i w_i (f(x_i) - y_i)^2 + alpha ||f||^2 over f = sum_i c_i k(x_i, .) + b,
    with the norm of the function without b, solves

        (K + alpha W^-1) c + b 1 = y,    1'c = 0.

    The border keeps the intercept free of the penalty. Without an intercept there is no border.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The kernel between the rows.
    weights : ndarray of shape (n,) or None
        Positive weights; None stands for ones.
    alpha : float
        The penalty, positive.
    fit_intercept : bool
        Whether there is a border.
    """

    def __init__(
        self, K: Matrix, weights: Vector | None, alpha: float, fit_intercept: bool
    ) -> None:
        self.matrix = K.copy()
        np.einsum("ii->i", self.matrix)[:] += alpha if weights is None else alpha / weights
        self.fit_intercept = fit_intercept
        try:
            self.factor = cho_factor(self.matrix, lower=True, check_finite=False)
        except np.linalg.LinAlgError as error:
            raise ValueError(NOT_A_KERNEL) from error
        self.border = cho_solve(self.factor, np.ones(len(K)), check_finite=False)

    def solve(self, right: Matrix, total: Matrix | float = 0.0) -> Expansion:
        """The expansion with values `right` and 1'c = `total`, with one step of refinement."""
        first = self._solve(right, total)
        residual = right - self.matrix @ first.dual - first.intercept
        left = total - first.dual.sum(axis=0)
        second = self._solve(residual, left)
        return Expansion(first.dual + second.dual, first.intercept + second.intercept)

    def _solve(self, right: Matrix, total: Matrix | float) -> Expansion:
        dual = cho_solve(self.factor, right, check_finite=False)
        if not self.fit_intercept:
            return Expansion(dual, np.zeros(right.shape[1:]))
        intercept = np.asarray((dual.sum(axis=0) - total) / self.border.sum())
        return Expansion(dual - np.multiply.outer(self.border, intercept), intercept)
