"""Least squares with the second moment of all rows in place of that of the labeled ones."""

from __future__ import annotations

from typing import Any

from tacit._typing import Matrix, Vector
from tacit.rows import Moments
from tacit.solver._basis import Basis, Coefficients


def updated_basis(
    labeled: Moments, unlabeled: Moments, alpha: float, fit_intercept: bool
) -> tuple[Basis, Moments]:
    """The basis of the updated second moment (L / N) A + alpha J, and that moment.

    Scaling all rows to the weight of the labeled ones puts A on the scale of S, so that the same
    penalty means the same in both.
    """
    both = labeled + unlabeled
    share = labeled.weight / both.weight
    updated = Moments(labeled.weight, both.mean, share * both.scatter)
    return Basis.of(updated, alpha, fit_intercept), updated


def fit_second_moment(
    basis: Basis, moments: Moments, X: Any, Y: Matrix, weights: Vector | None
) -> Coefficients:
    """The coefficients ((L / N) A + alpha J)^+ X'Y, the closed form of Shaffer (1991).

    `basis` and `moments` are those of `updated_basis`. One step of refinement makes up for the
    squaring of the condition number in the Gram matrix. Y may have several columns.
    """
    B = basis.functions
    Z = B.values(X)
    weighted = Z if weights is None else Z * weights[:, None]
    right = weighted.T @ Y
    theta = right + (right - basis.inner(moments, B.combine(right)))
    return B.combine(theta)
