"""Small tables with few labels, and estimators that remember what they were given."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin

from tacit import ICLSClassifier, LeastSquaresClassifier, SelfLearningClassifier


def two_classes(
    n_labeled: int = 24, n_unlabeled: int = 40, d: int = 3, seed: int = 0, shift: float = 0.8
) -> tuple[Any, Any]:
    """Two clusters; the label of every row but the first `n_labeled` is -1."""
    random = np.random.default_rng(seed)
    n = n_labeled + n_unlabeled
    y = np.arange(n) % 2
    X = random.normal(size=(n, d)) + shift * (2 * y - 1)[:, None]
    y[n_labeled:] = -1
    return X, y


def pair() -> dict[str, Any]:
    """A supervised classifier and a semi-supervised one, quick to fit."""
    return {
        "ridge": LeastSquaresClassifier(alpha=1.0),
        "ICLS": (ICLSClassifier(alpha=1.0), "ridge"),
    }


def mover() -> dict[str, Any]:
    """A method that is another function than its twin."""
    return {
        "ridge": LeastSquaresClassifier(alpha="loo"),
        "self": (SelfLearningClassifier(LeastSquaresClassifier("loo")), "ridge"),
    }


class Spy(ClassifierMixin, BaseEstimator):
    """Predicts the first class, and remembers what it was fitted on and asked about.

    The first column of X should number the rows.
    """

    fitted: ClassVar[dict[str, list[Any]]] = {}
    asked: ClassVar[dict[str, list[Any]]] = {}
    labels: ClassVar[dict[str, list[Any]]] = {}

    def __init__(self, key: str = "spy") -> None:
        self.key = key

    @classmethod
    def forget(cls) -> None:
        for memory in (cls.fitted, cls.asked, cls.labels):
            memory.clear()

    def fit(self, X: Any, y: Any) -> Spy:
        self.classes_ = np.unique(y[np.asarray(y) != -1])
        self.fitted.setdefault(self.key, []).append(np.asarray(X)[:, 0].astype(int).tolist())
        self.labels.setdefault(self.key, []).append(list(y))
        return self

    def predict(self, X: Any) -> Any:
        self.asked.setdefault(self.key, []).append(np.asarray(X)[:, 0].astype(int).tolist())
        return np.full(len(X), self.classes_[0])


class SpyTransformer(TransformerMixin, BaseEstimator):
    """Leaves X as it is, and remembers the rows and the type of what it was fitted on."""

    fitted: ClassVar[list[Any]] = []
    types: ClassVar[list[type]] = []

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def fit(self, X: Any, y: Any = None) -> SpyTransformer:
        self.fitted.append(np.asarray(X)[:, 0].astype(int).tolist())
        self.types.append(type(X))
        self.fitted_ = True
        return self

    def transform(self, X: Any) -> Any:
        return np.asarray(X)[:, :1].astype(float)
