"""Kernel ridge regression, whatever the penalty."""

from __future__ import annotations

from tacit._typing import Matrix, Vector
from tacit.rows import Moments, NumpyRows
from tacit.solver._basis import Basis
from tacit.solver._least_squares import fit_least_squares
from tacit.solver.kernel._features import KernelFeatures
from tacit.solver.kernel._ridge import BorderedSystem, Expansion

# Below this part of the largest entry of its diagonal, a penalty does not save the kernel matrix
# from its rounding errors. Then the rank rule of the features does.
SMALL_PENALTY = 1e-7


def is_small(alpha: float, K: Matrix) -> bool:
    """Whether the penalty is none, or too small for equations in the kernel matrix itself."""
    return alpha <= SMALL_PENALTY * float(K.diagonal().max(initial=0.0))


def fit_kernel_ridge(
    K: Matrix, Y: Matrix, weights: Vector | None, alpha: float, fit_intercept: bool
) -> Expansion:
    """The minimiser of sum_i w_i (f(x_i) + b - y_i)^2 + alpha ||f||^2, in O(n^3).

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The kernel between the rows.
    Y : ndarray of shape (n,) or (n, m)
        Values, each column its own problem.
    weights : ndarray of shape (n,) or None
        Positive weights; None stands for ones.
    alpha : float
        The penalty.
    fit_intercept : bool
        Whether there is a constant b, which is not penalised.

    Returns
    -------
    Expansion
        The function.
    """
    if not is_small(alpha, K):
        return BorderedSystem(K, weights, alpha, fit_intercept).solve(Y)
    features = KernelFeatures.of(K, fit_intercept)
    basis = Basis.of(Moments.of(NumpyRows(features.values, weights)), alpha, fit_intercept)
    return features.expansion(fit_least_squares(basis, features.values, Y, weights))
