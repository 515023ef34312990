"""Small partly labeled tables and the estimators to fit on them, shared by these tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)
from tacit._typing import Index, Mask, Matrix, Vector

IMPLICIT: tuple[Any, ...] = (ICLSClassifier, ProjectedLeastSquaresClassifier)
SEMI_SUPERVISED: tuple[Any, ...] = (*IMPLICIT, SelfLearningClassifier)
ALL: tuple[Any, ...] = (LeastSquaresClassifier, *SEMI_SUPERVISED)


@dataclass(frozen=True)
class PartlyLabeled:
    """Rows, the true classes 0, 1, ... of all of them, and which are known."""

    X: Matrix
    y: Index
    known: Mask

    @property
    def marked(self) -> Index:
        """The classes with -1 where unknown."""
        return np.where(self.known, self.y, -1)

    @property
    def labeled(self) -> tuple[Matrix, Index]:
        return self.X[self.known], self.y[self.known]

    @property
    def pool(self) -> Matrix:
        return self.X[~self.known]


def partly_labeled(
    n_labeled: int = 8,
    n_unlabeled: int = 40,
    n_features: int = 4,
    n_classes: int = 2,
    seed: int = 0,
    noise: float = 1.0,
) -> PartlyLabeled:
    """Overlapping Gaussian classes, labeled and unlabeled rows mixed."""
    random = np.random.default_rng(seed)
    n = n_labeled + n_unlabeled
    y = random.permutation(np.arange(n) % n_classes)
    centres = random.normal(size=(n_classes, n_features))
    X = centres[y] + noise * random.normal(size=(n, n_features))
    known = np.zeros(n, dtype=bool)
    for label in range(n_classes):
        known[np.flatnonzero(y == label)[: n_labeled // n_classes]] = True
    known[np.flatnonzero(~known)[: n_labeled - int(known.sum())]] = True
    return PartlyLabeled(X, y, known)


def regression_values(coef: Matrix, intercept: Vector, X: Matrix) -> Vector:
    """The regression value x'beta behind a stored two-class model."""
    return np.asarray((X @ coef.T + intercept)[:, 0] + 0.5)


def assert_same_model(first: Any, second: Any, rtol: float = 1e-7, atol: float = 1e-9) -> None:
    np.testing.assert_allclose(first.coef_, second.coef_, rtol=rtol, atol=atol)
    np.testing.assert_allclose(first.intercept_, second.intercept_, rtol=rtol, atol=atol)
