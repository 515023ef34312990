"""Small support vector machines to solve, shared by these tests."""

from __future__ import annotations

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.family._margin import MarginProblem
from tacit.family._svm import Features, HingeProblem, kernel_features


def rows_and_signs(n: int, d: int, seed: int, noise: float = 1.0) -> tuple[Matrix, Vector]:
    """Rows and labels that no hyperplane separates, unless there is no noise."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    signal = X @ random.normal(size=d) + noise * random.normal(size=n)
    signs = np.where(signal > np.median(signal), 1.0, -1.0)
    return X, signs


def machine(
    X: Matrix, signs: Vector, C: float = 1.0, intercept: bool = True, gram: bool = False
) -> HingeProblem:
    """The support vector machine of these rows."""
    Z = X - X.mean(axis=0)
    features = Features(kernel_features(Z @ Z.T) if gram else Z, intercept)
    return HingeProblem(features, signs, np.ones(len(X)), np.full(len(X), C))


def transductive(
    n_labeled: int,
    n_unlabeled: int,
    d: int,
    seed: int,
    costs: tuple[float, float] = (1.0, 0.1),
    balanced: bool = True,
    separation: float = 1.0,
) -> MarginProblem:
    """A semi-supervised machine on two overlapping clusters."""
    random = np.random.default_rng(seed)
    n = n_labeled + n_unlabeled
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = random.normal(size=(n, d)) + separation * y[:, None] * random.normal(size=d)
    costs_of_rows = np.concatenate([np.full(n_labeled, costs[0]), np.full(n_unlabeled, costs[1])])
    origin = X[n_labeled:].mean(axis=0) if balanced else X.mean(axis=0)
    mean = float(y[:n_labeled].mean()) if balanced else 0.0
    return MarginProblem(Features(X - origin, not balanced), y[:n_labeled], costs_of_rows, mean)
