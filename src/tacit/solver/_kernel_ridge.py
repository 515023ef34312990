"""Kernel ridge regression with an intercept that is not penalised, whatever the penalty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from tacit._typing import Matrix, Vector
from tacit.solver._basis import RANK_CUT, Coefficients
from tacit.solver._least_squares import fit_least_squares, supervised_basis

NOT_A_KERNEL = (
    "kernel gives a matrix that is not positive semi-definite; use a function that is a kernel, "
    "or a precomputed matrix of one."
)
# Below this part of the largest entry of its diagonal, a penalty does not save the kernel matrix
# from its rounding errors. Then the rank rule of the features does.
SMALL_PENALTY = 1e-7


@dataclass(frozen=True)
class Expansion:
    """A function f(x) = sum_i dual_i k(x_i, x) + intercept, or several side by side."""

    dual: Matrix
    intercept: Vector

    def values(self, K: Matrix) -> Matrix:
        """The values on rows, from the kernel between them and the rows of the expansion."""
        return np.asarray(K @ self.dual + self.intercept)


def is_small(alpha: float, K: Matrix) -> bool:
    """Whether the penalty is none, or too small for equations in the kernel matrix itself."""
    return alpha <= SMALL_PENALTY * float(K.diagonal().max(initial=0.0))


def fit_kernel_ridge(
    K: Matrix, Y: Matrix, weights: Vector | None, alpha: float, fit_intercept: bool
) -> Expansion:
    """The minimiser of sum_i w_i (f(x_i) + b - y_i)^2 + alpha ||f||^2, in O(n^3).

    Each column of Y is its own problem.
    """
    if not is_small(alpha, K):
        return BorderedSystem(K, weights, alpha, fit_intercept).solve(Y)
    features = KernelFeatures.of(K, fit_intercept)
    basis, _ = supervised_basis(features.values, weights, alpha, fit_intercept)
    return features.expansion(fit_least_squares(basis, features.values, Y, weights))


class BorderedSystem:
    """The equations of kernel ridge regression with an intercept, factored once.

    The minimiser of sum_i w_i (f(x_i) - y_i)^2 + alpha ||f||^2 over f = sum_i c_i k(x_i, .) + b,
    with the norm of the function without b, solves

        (K + alpha W^-1) c + b 1 = y,    1'c = 0.

    The border keeps the intercept free of the penalty, which must be positive. Without an intercept
    there is no border.
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


@dataclass(frozen=True)
class KernelFeatures:
    """One row of r features for each row of the table, K = F F' up to a shift of the origin.

    Linear methods on F are kernel methods: the squared length of coefficients is the squared norm
    of the function, and the shift goes into the intercept.
    """

    values: Matrix  # F
    weights: Matrix  # from coefficients of F to those of the expansion in the kernel
    means: Vector  # of each column of the kernel; zeros where the origin was not shifted

    @classmethod
    def of(cls, K: Matrix, centred: bool) -> KernelFeatures:
        """The principal components of the kernel, by one eigendecomposition of O(n^3).

        Components whose eigenvalue is below the square root of the machine precision times the
        largest count as zero, as for the Gram matrix of a linear fit.
        """
        means = K.mean(axis=0) if centred else np.zeros(len(K))
        shifted = K - means[:, None] - means[None] + means.mean() if centred else K
        eigenvalues, vectors = np.linalg.eigh(0.5 * (shifted + shifted.T))
        largest = float(np.abs(eigenvalues).max(initial=0.0))
        if eigenvalues.min(initial=0.0) < -RANK_CUT * largest:
            raise ValueError(NOT_A_KERNEL)
        # A constant kernel has nothing left but the rounding errors of the shift.
        kept = eigenvalues > RANK_CUT * max(largest, RANK_CUT * float(np.abs(K).max(initial=0.0)))
        roots = np.sqrt(eigenvalues[kept])
        return cls(vectors[:, kept] * roots, vectors[:, kept] / roots, means)

    def expansion(self, coefficients: Coefficients) -> Expansion:
        """The function with these coefficients of the features."""
        dual = self.weights @ coefficients.coef
        if self.means.any():
            # Centred components sum to zero, but only to the rounding errors of the smallest of
            # them, which large coefficients would carry into every value.
            dual = dual - dual.mean(axis=0)
        return Expansion(dual, np.asarray(coefficients.intercept - self.means @ dual))
