"""Draw a few labeled rows, hide the other labels, fit, and look how well it went."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from tacit._typing import AnyArray, Index, Matrix
from tacit.estimators import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)

SUPERVISED = "supervised"


@dataclass(frozen=True)
class Run:
    """One number: what one classifier scored on one measure in one draw."""

    dataset: str
    classifier: str
    n_labeled: int
    n_unlabeled: int
    repeat: int
    measure: str
    value: float


@dataclass(frozen=True)
class Draws:
    """A plan of repeated random draws.

    Attributes
    ----------
    dataset : str
        Its name, part of the seed of every draw.
    n_labeled : int
        Labeled rows of a draw; at least one of each class is among them.
    n_unlabeled : tuple of int
        Numbers of unlabeled rows to fit with; each uses the first so many of the rest.
    n_repeats : int
        Draws.
    """

    dataset: str
    n_labeled: int
    n_unlabeled: tuple[int, ...]
    n_repeats: int

    def draw(self, y: AnyArray, repeat: int) -> tuple[Index, Index]:
        """Positions of the labeled rows and of the rest, shuffled, in draw number `repeat`.

        The seed is a hash of what identifies the draw, so that it depends on nothing else.
        """
        key = f"{self.dataset}|{self.n_labeled}|{repeat}".encode()
        seed = int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big")
        random = np.random.default_rng(seed)
        classes = np.unique(y)
        if self.n_labeled < len(classes):
            raise ValueError(
                f"n_labeled is {self.n_labeled}; it must be at least {len(classes)}, one for each "
                "class."
            )
        while True:
            order = random.permutation(len(y))
            if len(np.unique(y[order[: self.n_labeled]])) == len(classes):
                return order[: self.n_labeled], order[self.n_labeled :]


def default_classifiers() -> dict[str, Any]:
    """The paper's classifiers, supervised first."""
    return {
        SUPERVISED: LeastSquaresClassifier(),
        "self-learning": SelfLearningClassifier(),
        "ICLS": ICLSClassifier(),
        "projected": ProjectedLeastSquaresClassifier(),
    }


def run_draws(
    X: Matrix,
    y: AnyArray,
    plan: Draws,
    classifiers: Mapping[str, Any] | None = None,
    on_draw: Callable[[], None] = lambda: None,
) -> list[Run]:
    """Fit every classifier on every draw of `plan`.

    Two measures are taken: "error" on the rows that have no label in the draw, and "squared loss",
    the mean of (regression value - label)^2 over the labeled and the unlabeled rows of the fit.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Rows.
    y : ndarray of shape (n,)
        Labels of two classes, all of them known here.
    plan : Draws
        What to draw.
    classifiers : mapping of name to estimator, optional
        What to fit; `default_classifiers()` if None.
    on_draw : callable, optional
        Called after each draw, for a progress bar.

    Returns
    -------
    list of Run
        One for every draw, size, classifier and measure.
    """
    classifiers = default_classifiers() if classifiers is None else classifiers
    runs: list[Run] = []
    for repeat in range(plan.n_repeats):
        labeled, rest = plan.draw(y, repeat)
        for n_unlabeled in plan.n_unlabeled:
            unlabeled = rest[:n_unlabeled]
            for name, classifier in classifiers.items():
                model = clone(classifier).fit(X[labeled], y[labeled], X_unlabeled=X[unlabeled])
                for measure, value in _measures(model, X, y, labeled, rest, unlabeled):
                    runs.append(
                        Run(
                            plan.dataset,
                            name,
                            plan.n_labeled,
                            len(unlabeled),
                            repeat,
                            measure,
                            value,
                        )
                    )
        on_draw()
    return runs


def _measures(
    model: Any, X: Matrix, y: AnyArray, labeled: Index, rest: Index, unlabeled: Index
) -> Iterator[tuple[str, float]]:
    yield "error", float(np.mean(model.predict(X[rest]) != y[rest]))
    rows = np.concatenate([labeled, unlabeled])
    truth = (y[rows] == model.classes_[1]).astype(np.float64)
    yield "squared loss", float(np.mean((model.decision_function(X[rows]) + 0.5 - truth) ** 2))
