"""What to label next: the rows whose labels would teach a classifier most."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state

from tacit._typing import Matrix, Vector
from tacit._words import number_of
from tacit.estimators import TacitClassifier
from tacit.estimators._training import DTYPES
from tacit.selection._labeled_table import UNLABELED, LabeledTable, check_numbers, labeled_table

# As the view of clusters has it: beyond these there is mostly noise, which k-means does not
# withstand.
COORDINATES = 15
# A fit takes about a minute with as many labels; more of them would say the same about the others.
MOST_LABELS = 1000
# The second class counts as an answer to expect where it is at least half as likely as the first.
IN_QUESTION = 0.5
# Of k-means, of which the best counts.
N_STARTS = 3
# Of a row that nothing is uncertain about: so many of them still weigh something.
LEAST_WEIGHT = 1e-3


@dataclass(frozen=True)
class Suggestion:
    """A row that is worth a label.

    Attributes
    ----------
    row : int
        Its position in X, from 0 on; rows of X_unlabeled follow those of X.
    probabilities : dict
        What the classifier expects: the probability of each class.
    n_around, n_labeled_around : int
        Unlabeled and labeled rows of the region that it stands for.
    reason : str
        The same in words.
    """

    row: int
    probabilities: dict[Any, float]
    n_around: int
    n_labeled_around: int
    reason: str


def suggest_labels(
    X: Any,
    y: Any,
    n: int = 20,
    *,
    X_unlabeled: Any = None,
    unlabeled: Any = -1,
    random_state: Any = 0,
) -> list[Suggestion]:
    """Choose the unlabeled rows whose labels would teach most, as a batch.

    A `TacitClassifier` is fitted on all rows. An unlabeled row weighs the more, the less the
    classifier is decided about it: one minus the difference of the two largest probabilities.
    Weighted k-means in the space of the first principal components divides the unlabeled rows
    into n regions, small ones where the classifier is undecided and rows are dense; the row nearest
    to the centre of each is suggested. So the batch covers the table, no two rows of it say the
    same, and each stands for others rather than being an outlier.

    Parameters
    ----------
    X : array-like, sparse matrix or DataFrame of numbers of shape (n_rows, d)
        Labeled and unlabeled rows.
    y : array-like of shape (n_rows,)
        Labels, at least one of each of two classes, and marks of unlabeled rows.
    n : int, default=20
        How many rows to suggest; fewer where fewer unlabeled rows are different.
    X_unlabeled : like X, optional
        More unlabeled rows.
    unlabeled : default=-1
        What marks unlabeled rows besides None and NaN; None where -1 is a class.
    random_state : int, RandomState instance or None, default=0
        Seed of the classifier and of k-means.

    Returns
    -------
    list of Suggestion
        The most useful first: by the weight of the rows in their regions.

    Notes
    -----
    Rows chosen so are no random sample: errors that are estimated on them by holding them back, as
    `compare` does, may be higher than those on new rows, because easy rows are rarer among them.

    Time is that of a fit, and O(N n) for k-means of N rows; nothing of N x N is formed.

    References
    ----------
    Zhdanov, Diverse mini-batch active learning, 2019, arXiv:1901.05954.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from tacit.selection import suggest_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> partly = y.copy()
    >>> partly[np.arange(150) % 10 > 0] = -1  # 15 labels
    >>> for suggestion in suggest_labels(X, partly, 3):
    ...     print(suggestion.row, suggestion.reason)
    83 most likely 1 (86%), typical of 54 unlabeled rows around it, 3 labels among them
    77 between 2 and 1 (49% / 46%), typical of 36 unlabeled rows around it, 7 labels among them
    49 most likely 0 (97%), typical of 45 unlabeled rows around it, 5 labels among them
    """
    if not isinstance(n, Integral) or n < 1:
        raise ValueError(f"n is {n!r}; it must be a whole number of rows from 1 on.")
    table = labeled_table(X, y, X_unlabeled, unlabeled)
    if not sparse.issparse(table.X):
        check_numbers(table.X, "distances need numbers; use `tacit label`, which takes any columns")
    rows = check_array(table.X, dtype=DTYPES, accept_sparse="csr")
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    model = _fitted(rows, table, seed)
    expected = model.predict_proba(rows[table.unlabeled])
    likely = np.sort(expected, axis=1)
    weights = np.maximum(1.0 - (likely[:, -1] - likely[:, -2]), LEAST_WEIGHT)
    space = model.model_.space
    Z = space.coordinates(space.rows(rows))
    Z = PCA(min(COORDINATES, *Z.shape), random_state=seed).fit_transform(Z)
    found = _regions(Z, table, weights, min(int(n), len(weights)), seed)
    classes = table.classes.tolist()
    suggestions = []
    for chosen, n_around, n_labeled in found:
        probabilities = dict(zip(classes, expected[chosen].tolist(), strict=True))
        reason = f"{_expectation(probabilities)}, {_place(n_around, n_labeled)}"
        row = int(table.unlabeled[chosen])
        suggestions.append(Suggestion(row, probabilities, n_around, n_labeled, reason))
    return suggestions


def _fitted(X: Any, table: LabeledTable, seed: int) -> TacitClassifier:
    """The classifier whose doubts count, on at most `MOST_LABELS` labels."""
    y, order = table.y.copy(), np.random.default_rng(seed).permutation(table.labeled)
    firsts = np.unique(y[order], return_index=True)[1]  # each class keeps a label
    y[np.concatenate([order[firsts], np.delete(order, firsts)])[MOST_LABELS:]] = UNLABELED
    return TacitClassifier(random_state=seed).fit(X, y)


def _regions(
    Z: Matrix, table: LabeledTable, weights: Vector, n: int, seed: int
) -> list[tuple[int, int, int]]:
    """Of each region its row among the unlabeled ones, and numbers of unlabeled and labeled rows.

    The region of the largest weight comes first.
    """
    pool = Z[table.unlabeled]
    means = KMeans(n, n_init=N_STARTS, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different rows than regions
        region = means.fit_predict(pool, sample_weight=weights)
    n_labeled = np.bincount(means.predict(Z[table.labeled]), minlength=n)
    distances = ((pool - means.cluster_centers_[region]) ** 2).sum(axis=1)
    found = []
    for k in np.argsort(-np.bincount(region, weights, n), kind="stable"):
        own = np.flatnonzero(region == k)
        if len(own):
            found.append((int(own[np.argmin(distances[own])]), len(own), int(n_labeled[k])))
    return found


def _expectation(probabilities: dict[Any, float]) -> str:
    """What the classifier expects, in words."""
    (first, p), (second, q) = sorted(probabilities.items(), key=lambda item: -item[1])[:2]
    if q < IN_QUESTION * p:
        return f"most likely {first} ({p:.0%})"
    return f"between {first} and {second} ({p:.0%} / {q:.0%})"


def _place(n_around: int, n_labeled: int) -> str:
    """What the row stands for, in words."""
    if n_around == 1:
        return "unlike the others here"
    near = number_of(n_labeled, "label") if n_labeled else "no label"
    return f"typical of {n_around:,} unlabeled rows around it, {near} among them"
