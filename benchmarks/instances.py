"""Tables to time on: a plain one, and kinds that are hard for a solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit._typing import Matrix, Vector


@dataclass(frozen=True)
class Instance:
    """Labeled rows with labels, and unlabeled rows."""

    name: str
    X: Matrix
    y: Vector
    X_unlabeled: Matrix


def gaussian(n_labeled: int, n_unlabeled: int, d: int, seed: int = 0) -> Instance:
    """Normal features, a noisy linear truth: the plain case."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_labeled + n_unlabeled, d))
    return _with_linear_truth("gaussian", X, n_labeled, random)


def heavy_tails(n_labeled: int, n_unlabeled: int, d: int) -> Instance:
    """Student's t with 1.5 degrees of freedom: no variance."""
    random = np.random.default_rng(1)
    X = random.standard_t(1.5, size=(n_labeled + n_unlabeled, d))
    return _with_linear_truth("heavy tails", X, n_labeled, random)


def correlated(n_labeled: int, n_unlabeled: int, d: int) -> Instance:
    """Features that share one factor, correlation 0.999."""
    random = np.random.default_rng(2)
    n = n_labeled + n_unlabeled
    X = random.normal(size=(n, 1)) + 0.03 * random.normal(size=(n, d))
    return _with_linear_truth("correlated", X, n_labeled, random)


def one_hot(n_labeled: int, n_unlabeled: int, d: int) -> Instance:
    """Five categorical columns as indicators: few distinct rows, many ties."""
    random = np.random.default_rng(3)
    n, levels = n_labeled + n_unlabeled, max(2, d // 5)
    X = np.zeros((n, 5 * levels))
    for column in range(5):
        level = np.minimum(random.geometric(0.3, size=n) - 1, levels - 1)
        X[np.arange(n), column * levels + level] = 1.0
    return _with_linear_truth("one-hot", X, n_labeled, random)


def one_column_of_categories(n_labeled: int, n_unlabeled: int, d: int) -> Instance:
    """A single categorical column: no more distinct rows than columns."""
    random = np.random.default_rng(4)
    n = n_labeled + n_unlabeled
    X = np.eye(d)[random.integers(0, d, size=n)]
    return _with_linear_truth("one category", X, n_labeled, random)


def unbalanced(n_labeled: int, n_unlabeled: int, d: int) -> Instance:
    """Three in a hundred rows are of the second class."""
    random = np.random.default_rng(5)
    X = random.normal(size=(n_labeled + n_unlabeled, d))
    return _with_linear_truth("unbalanced", X, n_labeled, random, share=0.03)


def outliers(n_labeled: int, n_unlabeled: int, d: int) -> Instance:
    """Normal features but for ten rows ten thousand times as large."""
    random = np.random.default_rng(6)
    X = random.normal(size=(n_labeled + n_unlabeled, d))
    X[-10:] *= 1e4
    return _with_linear_truth("outliers", X, n_labeled, random)


def feasible(n_labeled: int, n_unlabeled: int, d: int) -> Instance:
    """Labels without signal and many of them: the supervised solution is in the set."""
    random = np.random.default_rng(7)
    n_labeled = max(n_labeled, 40 * d)
    X = random.normal(size=(n_labeled + n_unlabeled, d))
    y = random.integers(0, 2, size=n_labeled).astype(np.float64)
    return Instance("feasible", X[:n_labeled], y, X[n_labeled:])


def nearly_feasible(n_labeled: int, n_unlabeled: int, d: int) -> Instance:
    """A supervised solution a little outside of the set: the optimum is close to zero.

    Labels with a plain signal, and enough of them that the projection has hardly anything to do.
    """
    random = np.random.default_rng(8)
    n_labeled = max(n_labeled, 8 * d)
    X = random.normal(size=(n_labeled + n_unlabeled, d))
    return _with_linear_truth("nearly feasible", X, n_labeled, random, noise=0.3)


def fewer_labels_than_columns(n_labeled: int, n_unlabeled: int, d: int) -> Instance:
    """Half as many labels as columns: the labeled loss is flat in half of the directions."""
    random = np.random.default_rng(9)
    n_labeled = d // 2
    X = random.normal(size=(n_labeled + n_unlabeled, d))
    return _with_linear_truth("fewer labels", X, n_labeled, random)


HARD = (
    heavy_tails,
    correlated,
    one_hot,
    one_column_of_categories,
    unbalanced,
    outliers,
    feasible,
    nearly_feasible,
    fewer_labels_than_columns,
)


def of_classes(instance: Instance, n_classes: int) -> Instance:
    """The rows of `instance` with labels of several classes, by noisy linear scores.

    Without a truth where it had none, with little noise where it had little, and with one class far
    ahead where its classes were not balanced.
    """
    random = np.random.default_rng(n_classes)
    scores = instance.X @ random.normal(size=(instance.X.shape[1], n_classes))
    unit = np.median(np.abs(scores))
    noise = {"nearly feasible": 0.3, "feasible": 1e6}.get(instance.name, 2.0)
    scores = scores + noise * unit * random.normal(size=scores.shape)
    if instance.name == "unbalanced":
        scores[:, 0] += 6.0 * unit
    y = scores.argmax(axis=1).astype(np.float64)
    y[:n_classes] = np.arange(n_classes)
    name = f"{instance.name}, K = {n_classes}"
    return Instance(name, instance.X, y, instance.X_unlabeled)


def _with_linear_truth(
    name: str,
    X: Matrix,
    n_labeled: int,
    random: np.random.Generator,
    share: float = 0.5,
    noise: float = 2.0,
) -> Instance:
    signal = X @ random.normal(size=X.shape[1])
    signal = signal + noise * random.normal(size=len(X)) * np.median(np.abs(signal))
    y = (signal > np.quantile(signal, 1.0 - share)).astype(np.float64)
    y[0], y[1] = 0.0, 1.0
    return Instance(name, X[:n_labeled], y[:n_labeled], X[n_labeled:])
