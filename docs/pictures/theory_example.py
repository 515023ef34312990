"""A problem so small that all its labelings can be drawn: one feature and an intercept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from tacit import ICLSClassifier, ProjectedLeastSquaresClassifier
from tacit._typing import Matrix, Vector
from tacit.report import COLOURS
from tacit.rows import Moments, NumpyRows
from tacit.solver import Basis, Coefficients, ConstraintSet, LabeledRows, Labeling, Problem
from tacit.solver._least_squares import fit_least_squares

BLACK, RED, BLUE, GREEN = COLOURS[:4]
GREY = "#777777"
# What a method has in every picture of these pages.
COLOUR_OF = {"supervised": RED, "ICLS": BLUE, "projected": GREEN}
# Behind words that cross a line.
PAPER = {"fc": "white", "ec": "none", "alpha": 0.85, "pad": 1.0}

# Drawn so that the supervised solution is outside of C and the two projections of it are visibly
# apart; where it is inside there is nothing to see.
SEED = 285
N_UNLABELED = 6


@dataclass(frozen=True)
class SmallProblem:
    """Labeled rows (x, y) and unlabeled rows x_u of one feature; p = 2 with the intercept.

    Attributes
    ----------
    x, y : ndarray of shape (L,)
        The labeled rows.
    x_u : ndarray of shape (U,)
        The unlabeled rows.
    """

    x: Vector
    y: Vector
    x_u: Vector

    @cached_property
    def constraints(self) -> ConstraintSet:
        """The set C."""
        labeled = LabeledRows(self.x[:, None], self.y, None)
        moments = Moments.of(NumpyRows(labeled.X))
        return ConstraintSet.of(labeled, moments, NumpyRows(self.x_u[:, None]))

    def member(self, u: Vector) -> Vector:
        """The coefficients (intercept, slope) of least squares on all rows with labels u."""
        labeling = Labeling.of_values(self.constraints.unlabeled, np.asarray(u, dtype=np.float64))
        theta = self.constraints.member(labeling)
        return self.constraints.coefficients(theta).stacked()

    @cached_property
    def members(self) -> Matrix:
        """The coefficients of all 2^U hard labelings, one a row."""
        labelings = product((0.0, 1.0), repeat=len(self.x_u))
        return np.array([self.member(np.array(u)) for u in labelings])

    @cached_property
    def border(self) -> Matrix:
        """The corners of C in order, found by adding its generators in the order of their angles.

        Generators that point down are turned round, which moves the corner to begin with.
        """
        nothing = self.member(np.zeros(len(self.x_u)))
        generators = np.array([self.member(u) - nothing for u in np.eye(len(self.x_u))])
        down = generators[:, 1] < 0
        lowest = nothing + generators[down].sum(axis=0)
        upward = np.where(down[:, None], -generators, generators)
        upward = upward[np.argsort(np.arctan2(upward[:, 1], upward[:, 0]))]
        sides = np.cumsum(np.concatenate([upward, -upward]), axis=0)
        return np.asarray(lowest + np.vstack([np.zeros(2), sides[:-1]]))

    @cached_property
    def icls(self) -> ICLSClassifier:
        """The projection in the metric of the labeled rows, fitted."""
        return ICLSClassifier().fit(self.x[:, None], self.y, self.x_u[:, None])

    @cached_property
    def projected(self) -> ProjectedLeastSquaresClassifier:
        """The projection in the metric of all rows, fitted."""
        model = ProjectedLeastSquaresClassifier()
        return model.fit(self.x[:, None], self.y, self.x_u[:, None])

    @property
    def points(self) -> dict[str, Vector]:
        """Supervised, ICLS and projected coefficients (intercept, slope)."""
        icls, projected = self.icls, self.projected
        return {
            "supervised": _stacked(icls.supervised_coef_, icls.supervised_intercept_),
            "ICLS": _stacked(icls.coef_, icls.intercept_),
            "projected": _stacked(projected.coef_, projected.intercept_),
        }

    def gram(self, x: Vector) -> Matrix:
        """X'X of rows x with the intercept's column."""
        rows = np.column_stack([np.ones(len(x)), x])
        return np.asarray(rows.T @ rows)

    @property
    def S(self) -> Matrix:  # noqa: N802
        """The metric of the labeled rows."""
        return self.gram(self.x)

    @property
    def A(self) -> Matrix:  # noqa: N802
        """The metric of all rows."""
        return self.gram(np.concatenate([self.x, self.x_u]))

    @cached_property
    def problem(self) -> Problem:
        """The problem that the projection in the metric A solves."""
        return box_problem(self.constraints)


def small_problem(seed: int = SEED) -> SmallProblem:
    """The problem in the pictures; another seed draws other rows."""
    random = np.random.default_rng(seed)
    y = np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    x = 0.7 * random.normal(size=5) + 0.6 * (2 * y - 1)
    side = np.where(np.arange(N_UNLABELED) % 2, 0.9, -0.9)
    return SmallProblem(x, y, 1.1 * random.normal(size=N_UNLABELED) + side)


def box_problem(constraints: ConstraintSet) -> Problem:
    """The projection of the supervised solution onto C in the metric A, all rows in memory."""
    labeled = constraints.labeled
    basis = Basis.of(Moments.of(NumpyRows(labeled.X)))
    start: Coefficients = fit_least_squares(basis, labeled.X, labeled.y, None)
    target = constraints.coordinates(start) - constraints.offset
    return constraints.problem(np.eye(constraints.basis.rank), target).dense()


def _stacked(coef: Any, intercept: Any) -> Vector:
    """(intercept, slope) of the regression; the classifier's constant is that minus 1/2."""
    return np.array([intercept[0] + 0.5, coef[0, 0]])
