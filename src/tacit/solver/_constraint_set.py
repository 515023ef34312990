"""C: all coefficients that least squares gives for some labeling of the unlabeled rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit._cached import cached_property
from tacit._typing import Matrix, Vector
from tacit.rows import Moments, Rows, Sample, moments_and_sample
from tacit.solver._basis import Basis, Coefficients
from tacit.solver._labeling import Labeling
from tacit.solver._problem import RowsProblem
from tacit.solver._working_set import FIRST_SAMPLE, FIRST_SAMPLE_EACH, SECOND_SAMPLE

# Numbers of a sample that are few in any case.
SAMPLE_NUMBERS = 2**23
# A direction counts as that of the constant function if this part of it is all that is missing.
FORCED = 1e-6


@dataclass(frozen=True)
class LabeledRows:
    """The labeled rows X, their values y in [0, 1], and their weights (None for ones).

    For more than two classes y has one column a class, and so has everything that follows from it.
    """

    X: Any
    y: Matrix
    weights: Vector | None

    def weighted(self, Z: Matrix) -> Matrix:
        """Z with each row times its weight."""
        return Z if self.weights is None else Z * self.weights[:, None]


@dataclass(frozen=True)
class ConstraintSet:
    """C: all coefficients that least squares gives for some soft labeling of the unlabeled rows.

    In the basis B of all rows, with B'(A + alpha J)B = I, a member is
    theta(u) = B'(X'y + X_u'u), so C is the cube of labelings under the linear map X_u B.
    """

    basis: Basis  # B, orthonormal over labeled and unlabeled rows together
    moments: Moments  # of all rows
    labeled: LabeledRows
    unlabeled: Rows
    unlabeled_moments: Moments
    sample: Sample  # some of the unlabeled rows, drawn at random
    prior: Any = None  # a number or (K,), the weighted mean that the labels must have, if known

    @classmethod
    def of(
        cls,
        labeled: LabeledRows,
        labeled_moments: Moments,
        unlabeled: Rows,
        alpha: float = 0.0,
        fit_intercept: bool = True,
        prior: Any = None,
    ) -> ConstraintSet:
        """The constraint set of these rows: one sweep for moments and sample."""
        # More than an eighth would no longer be cheap beside the rows themselves, if they are many;
        # of many columns the first sample is large enough.
        d = max(1, unlabeled.n_features)  # none for the kernel of equal rows
        wide = max(SAMPLE_NUMBERS // d, FIRST_SAMPLE_EACH * d)
        n_sample = min(SECOND_SAMPLE, max(unlabeled.n_rows // 8, FIRST_SAMPLE), wide)
        unlabeled_moments, sample = moments_and_sample(unlabeled, n_sample)
        moments = labeled_moments + unlabeled_moments
        basis = Basis.of(moments, alpha, fit_intercept)
        return cls(basis, moments, labeled, unlabeled, unlabeled_moments, sample, prior)

    @cached_property
    def labeled_values(self) -> Matrix:
        """X B: the labeled rows in the basis."""
        return self.basis.functions.values(self.labeled.X)

    @cached_property
    def offset(self) -> Matrix:
        """B'X'y: where the labeled rows alone put the set."""
        return np.asarray(self.labeled.weighted(self.labeled_values).T @ self.labeled.y)

    def problem(
        self, R: Matrix, target: Matrix, n_equalities: int = 0, with_prior: bool = True
    ) -> RowsProblem:
        """Minimise 1/2 ||R'(theta(u) - offset) - target||^2, one column of R a direction.

        Where the mean of the labels is known it is an equality more, which comes first: the sum
        of the labels, in the unit of the other directions.
        """
        functions = self.basis.functions.combine(R)
        if self.prior is not None and with_prior:
            unit = 1.0 / np.sqrt(self.moments.weight)
            functions = Coefficients(
                np.hstack([np.zeros((len(functions.coef), 1)), functions.coef]),
                np.concatenate([[unit], functions.intercept]),
            )
            target = self._without_forced(R, target, n_equalities)
            target = np.concatenate([unit * self.wanted()[None], target])
            n_equalities += 1
        return RowsProblem(
            self.unlabeled, self.unlabeled_moments, self.sample, functions, target, n_equalities
        )

    def wanted(self) -> Matrix:
        """The weighted sum of the labels that the prior asks for."""
        return np.asarray(self.unlabeled_moments.weight * np.asarray(self.prior))

    def prior_violation(self, labeling: Labeling | None) -> float:
        """How far the shares of the classes among the labels are from the prior, at the most."""
        weight = self.unlabeled_moments.weight
        if self.prior is None or labeling is None or weight == 0.0:
            return 0.0
        return float(np.abs(labeling.mass - self.wanted()).max()) / weight

    def constant(self) -> Vector | None:
        """The constant function in the basis, if it is one of the functions."""
        functions = self.basis.functions
        if functions.coef.shape[1] == 0 or functions.coef[:, 0].any():
            return None
        return np.asarray(np.eye(self.basis.rank)[0] / functions.intercept[0])

    def _without_forced(self, R: Matrix, target: Matrix, n_equalities: int) -> Matrix:
        """The target less what no labels with the prior can approach.

        Their sum is known, so z is known along one direction g, that of the constant function.
        There the target is moved to where all labels are; the minimisers stay the same.
        """
        constant = self.constant()
        if constant is None:
            return target
        g = np.linalg.lstsq(R, constant, rcond=None)[0]
        if np.linalg.norm(R @ g - constant) > FORCED * np.linalg.norm(constant):
            return target
        soft = np.where(np.arange(len(g)) >= n_equalities, g, 0.0)
        if np.linalg.norm(soft) <= FORCED * np.linalg.norm(g):
            return target
        return np.asarray(
            target + np.multiply.outer(soft, self.wanted() - g @ target) / float(soft @ soft)
        )

    def sum_of_generators(self) -> Vector:
        """X_u'1 in the basis: what every labeling adds up to over the classes."""
        B, moments = self.basis.functions, self.unlabeled_moments
        return np.asarray(moments.weight * (moments.mean @ B.coef + B.intercept))

    def member(self, labeling: Labeling) -> Matrix:
        """theta(u), from the sums of the labeled unlabeled rows."""
        B = self.basis.functions
        mass = np.multiply.outer(B.intercept, labeling.mass)
        return np.asarray(self.offset + B.coef.T @ labeling.total + mass)

    def coordinates(self, coefficients: Coefficients) -> Matrix:
        """Theta of given coefficients: B'(A + alpha J) beta."""
        return self.basis.inner(self.moments, coefficients)

    def coefficients(self, theta: Matrix) -> Coefficients:
        """The coefficients at theta."""
        return self.basis.functions.combine(theta)
