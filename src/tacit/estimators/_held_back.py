"""Decisions on labeled rows that were held back, from which probabilities are calibrated."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from tacit._cached import cached_property
from tacit._typing import Index, Matrix, Vector
from tacit.estimators._training import TrainingData
from tacit.evidence import calibrated_temperature, probabilities
from tacit.rows import CsrRows, NumpyRows, as_rows
from tacit.rows._moments import random_sample

# Nearly all labels are in each fit, as they are in the one that is judged.
FOLDS = 10
# Unlabeled rows that these fits see: there are ten of them, and so many rows tell nearly all that
# more would.
MOST_ROWS = 10_000
# Where nothing can be held back: the logistic curve with this factor has the slope of the
# regression value itself where the odds are even, 1 / (1 + exp(-4 d)) = 1/2 + d + O(d^3).
DEFAULT_TEMPERATURE = 2.0


@dataclass(frozen=True)
class LeftOut:
    """What a classifier says of labeled rows that it was fitted without."""

    decisions: Matrix  # (n, 1) for two classes, (n, K) for more
    codes: Index  # the classes of these rows
    weights: Vector
    n_classes: int

    def n_right(self, threshold: float = 0.0) -> int:
        """How many of the rows were predicted right; of two classes the second from there on."""
        d = self.decisions
        found = d[:, 0] > threshold if d.shape[1] == 1 else d.argmax(axis=1)
        return int((found == self.codes).sum())

    @cached_property
    def temperature(self) -> float:
        """The factor of the decisions that makes the labels most likely."""
        if len(self.codes) == 0:
            return DEFAULT_TEMPERATURE
        Y = np.where(self.codes[:, None] == np.arange(self.n_classes), 1.0, -1.0)
        Y = Y[:, 1:] if self.n_classes == 2 else Y
        return calibrated_temperature(self.decisions, Y, self.weights)


class HeldBack:
    """The left-out decisions of a fitted classifier, computed when they are first asked for.

    Folds of the labeled rows are held back, and the same classifier is fitted on the others and on
    the same unlabeled rows, or a sample of them: those of the supervised twin, which would be
    cheaper, come at another scale where unlabeled rows change the answer. Until then the training
    rows are kept, and pickled with the classifier, unless they live elsewhere, where an unpickled
    one might not find them.
    """

    def __init__(self, estimator: Any, data: TrainingData) -> None:
        blank = type(estimator)(**estimator.get_params(deep=False))
        if _is_here(data) and data.unlabeled.n_rows > MOST_ROWS:
            data = _with_fewer_rows(data)
        self._pending: tuple[Any, TrainingData] | None = blank, data
        self._found: LeftOut | None = None

    @classmethod
    def of(cls, found: LeftOut) -> HeldBack:
        """Decisions that are known already."""
        held = cls.__new__(cls)
        held._pending, held._found = None, found
        return held

    def __getstate__(self) -> dict[str, Any]:
        if self._pending is not None and not _is_here(self._pending[1]):
            self.left_out()
        return vars(self)

    def left_out(self) -> LeftOut:
        """The decisions on the rows that could be held back, none where there are too few."""
        # Read once: another thread may be done in the meantime.
        pending = self._pending
        if pending is not None:
            self._found = held_back(*pending)
            self._pending = None
        assert self._found is not None
        return self._found

    def temperature(self) -> float:
        """The factor of the decisions in a softmax over the classes."""
        return self.left_out().temperature


def held_back(blank: Any, data: TrainingData) -> LeftOut:
    """Fit `blank` without each fold in turn and see what it says of it.

    Rows that are equal are held back together: one of them would give the others away, and so a
    row of weight two is the same as two rows. The only row of a class is in every fit. At least two
    classes must have more: how often answers are right cannot be told from rows of one class.
    """
    n_classes, codes = len(data.classes), data.codes
    first, group = _distinct(data)
    counts = np.bincount(codes[first], minlength=n_classes)
    chosen = np.flatnonzero(counts[codes[first]] > 1)
    if (counts > 1).sum() < 2:
        chosen = chosen[:0]
    decisions = np.zeros((len(codes), data.signs.shape[1]))
    if len(chosen):
        if not _is_here(data):
            data = _with_fewer_rows(data)
        folds = StratifiedKFold(min(FOLDS, int(counts.max())), shuffle=True, random_state=0)
        with warnings.catch_warnings():
            # What does not converge has been told by the fit itself, and a class may have fewer
            # rows than there are folds.
            warnings.simplefilter("ignore")
            for _, test in folds.split(chosen, codes[first][chosen]):
                rows = np.flatnonzero(np.isin(group, chosen[test]))
                try:
                    decisions[rows] = _decisions_without(blank, data, rows)
                except ValueError:
                    # Numbers at the ends of double precision, of which some rows are too few.
                    chosen = chosen[:0]
                    break
    rows = np.flatnonzero(np.isin(group, chosen))
    weights = np.ones(len(codes)) if data.weights is None else data.weights
    return LeftOut(decisions[rows], codes[rows], weights[rows], n_classes)


def _distinct(data: TrainingData) -> tuple[Index, Index]:
    """The first of all labeled rows that are equal, in no order of the table, and each row's."""
    X = data.X
    if isinstance(X, np.ndarray):
        keys = [row.tobytes() for row in X]
    else:
        parts = [slice(*ends) for ends in pairwise(X.indptr)]
        keys = [X.indices[part].tobytes() + X.data[part].tobytes() for part in parts]
    keys = [bytes(key) + code.tobytes() for key, code in zip(keys, data.codes, strict=True)]
    found = np.unique(np.array(keys, dtype=object), return_index=True, return_inverse=True)
    return found[1], found[2]


def _decisions_without(blank: Any, data: TrainingData, test: Index) -> Matrix:
    """The decisions on these labeled rows by a fit on all others."""
    n = len(data.codes)
    train = np.delete(np.arange(n), test)
    weights = None if data.weights is None else data.weights[train]
    order = np.concatenate([data.order[:n][train], data.order[n:]])
    others = replace(data, X=data.X[train], codes=data.codes[train], weights=weights, order=order)
    model = type(blank)(**blank.get_params(deep=False))
    if hasattr(model, "verbose"):
        model.verbose = 0
    model.classes_, model.n_features_in_ = data.classes, data.X.shape[1]
    model._fit(others)
    return np.reshape(model._decision()(data.X[test]), (len(test), -1))


def _is_here(data: TrainingData) -> bool:
    return isinstance(data.unlabeled, NumpyRows | CsrRows)


def _with_fewer_rows(data: TrainingData) -> TrainingData:
    """The same with about `MOST_ROWS` unlabeled rows, in memory and of the same weight together."""
    rows, n = data.unlabeled, len(data.codes)
    sample = random_sample(rows, MOST_ROWS, seed=0)
    weights = np.ones(len(sample)) if sample.weights is None else sample.weights
    if len(sample) < rows.n_rows:
        weights = weights * (rows.total_weight / weights.sum())
    marked = data.order[n:]
    order = np.concatenate([data.order[:n], marked[sample.index[sample.index < len(marked)]]])
    return replace(data, unlabeled=as_rows(sample.X, weights), order=order)


def calibrated(decision: Callable[[Any], Matrix], temperature: float, X: Any) -> Matrix:
    """Class probabilities of rows, of shape (n, K)."""
    values = np.asarray(decision(X))
    return probabilities(values.reshape(len(values), -1), temperature)
