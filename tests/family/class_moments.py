"""Rows of Gaussian classes with some labels, and what the solvers make of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit._typing import Index, Matrix, Vector
from tacit.family._gaussian import LabeledStatistics, Space
from tacit.family._simplex_interior_point import SimplexProblem
from tacit.family._simplex_lda import LabeledLikelihood, PessimisticObjective
from tacit.rows import Moments, NumpyRows


@dataclass(frozen=True)
class Classes:
    """Labeled rows X with classes codes, and unlabeled rows."""

    X: Matrix
    codes: Index
    X_u: Matrix
    weights: Vector
    weights_u: Vector
    alpha: float

    @property
    def n_classes(self) -> int:
        return int(self.codes.max()) + 1

    @property
    def labeled(self) -> LabeledStatistics:
        return LabeledStatistics.of(self.X, self.codes, self.weights, self.n_classes)

    @property
    def everything(self) -> Moments:
        return self.labeled.total + Moments.of(NumpyRows(self.X_u, self.weights_u))

    @property
    def space(self) -> Space:
        return Space.of(self.everything, self.alpha)

    def problem(self, kind: str) -> SimplexProblem:
        space = self.space
        kinds: dict[str, Any] = {"implicit": LabeledLikelihood, "pessimistic": PessimisticObjective}
        sums = space.sums(self.labeled.sums(space.mean))
        Z, weights = space.functions.values(self.X_u), self.weights_u
        rows = np.column_stack([weights, weights[:, None] * Z])
        return SimplexProblem(rows, sums, kinds[kind].of(self.labeled, space))

    def labels(self, seed: int, kind: str = "soft") -> Matrix:
        random = np.random.default_rng(seed)
        U, K = len(self.X_u), self.n_classes
        if kind == "hard":
            return np.eye(K)[random.integers(0, K, U)]
        return random.dirichlet(np.full(K, 0.7), size=U)


def classes(
    n_classes: int = 2,
    n_features: int = 3,
    n_labeled: int = 12,
    n_unlabeled: int = 30,
    seed: int = 0,
    weighted: bool = False,
    alpha: float = 0.0,
) -> Classes:
    random = np.random.default_rng(seed)
    centres = random.normal(size=(n_classes, n_features))
    codes = np.arange(n_labeled) % n_classes
    hidden = random.integers(0, n_classes, n_unlabeled)
    mixing = random.normal(size=(n_features, n_features)) + 2.0 * np.eye(n_features)
    X = (centres[codes] + random.normal(size=(n_labeled, n_features))) @ mixing + 5.0
    X_u = (centres[hidden] + random.normal(size=(n_unlabeled, n_features))) @ mixing + 5.0
    weights, weights_u = np.ones(n_labeled), np.ones(n_unlabeled)
    if weighted:
        weights, weights_u = random.uniform(0.2, 3.0, n_labeled), random.uniform(0, 2, n_unlabeled)
    return Classes(X, codes, X_u, weights, weights_u, alpha)


@dataclass(frozen=True)
class Parameters:
    """Priors, means and covariance, from the textbook formulas."""

    priors: Vector
    means: Matrix
    covariance: Matrix

    def log_joint(self, X: Matrix) -> Matrix:
        """The logarithm of prior times density, one column a class."""
        inverse = np.linalg.inv(self.covariance)
        offsets = X[:, None, :] - self.means
        distances = np.einsum("nki,ij,nkj->nk", offsets, inverse, offsets)
        volume = np.linalg.slogdet(2.0 * np.pi * self.covariance)[1]
        return np.asarray(np.log(self.priors) - 0.5 * (distances + volume))

    def penalty(self, alpha: float) -> float:
        return 0.5 * alpha * float(np.linalg.inv(self.covariance).trace())


def textbook_lda(X: Matrix, labels: Matrix, weights: Vector, alpha: float = 0.0) -> Parameters:
    """Weighted maximum likelihood for soft labels, written down directly."""
    shares = labels * weights[:, None]
    counts = shares.sum(axis=0)
    means = (shares.T @ X) / counts[:, None]
    scatter = alpha * np.eye(X.shape[1])
    for k in range(labels.shape[1]):
        scatter += (shares[:, k, None] * (X - means[k])).T @ (X - means[k])
    return Parameters(counts / counts.sum(), means, scatter / counts.sum())


def textbook_fit(data: Classes, labels: Matrix) -> Parameters:
    """Discriminant analysis of all rows with these labels of the unlabeled ones."""
    return textbook_lda(
        np.concatenate([data.X, data.X_u]),
        np.concatenate([np.eye(data.n_classes)[data.codes], labels]),
        np.concatenate([data.weights, data.weights_u]),
        data.alpha,
    )


def textbook_supervised(data: Classes) -> Parameters:
    return textbook_lda(data.X, np.eye(data.n_classes)[data.codes], data.weights, data.alpha)
