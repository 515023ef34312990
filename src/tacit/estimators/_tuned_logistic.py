"""The other supervised classifier that careful users would fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import solve
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from tacit._typing import AnyArray, Matrix, Vector
from tacit.estimators._linear import ProbabilityClassifier
from tacit.estimators._training import TrainingData

# Decades from "all but the intercept is shrunk away" to "all but unpenalised", for features of unit
# variance.
PENALTIES = tuple(10.0**k for k in range(-4, 3))
MAX_FOLDS = 5
# Newton steps for one penalty.
MAX_STEPS = 50
# In log loss, far below what tells one penalty from another.
TOLERANCE = 1e-4


class TunedLogisticRegression(ProbabilityClassifier):
    """Supervised logistic regression whose penalty is chosen by cross-validated log loss.

    The baseline beside the tuned ridge: a semi-supervised method that does not beat it has not
    shown that unlabeled rows are worth anything. Unlike scikit-learn's `LogisticRegressionCV` it
    needs no number of folds: there are five, fewer where a class has fewer labels, and with a
    single label of some class nothing is tuned. Unlabeled rows are accepted and ignored.

    Parameters
    ----------
    penalties : sequence of float
        Values of `C` to choose from; features should have about unit variance.
    $unlabeled
    $class_weight

    Attributes
    ----------
    $classes_
    estimator_ : LogisticRegression
        The fit on all labeled rows.
    C_ : float
        The chosen inverse penalty.
    coef_, intercept_ : ndarray
        Those of `estimator_`.
    $features_

    Notes
    -----
    Choosing costs some six Newton steps of O(L r^2 + r^3) for each fold and penalty, with
    r = min(L, d).

    Examples
    --------
    $partly_labeled
    >>> from tacit import TunedLogisticRegression
    >>> TunedLogisticRegression().fit(X, partly).score(X, y) > 0.9
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"penalties": ["array-like"]}

    def __init__(
        self,
        penalties: Sequence[float] = PENALTIES,
        unlabeled: Any = -1,
        class_weight: Any = None,
    ) -> None:
        self.penalties = penalties
        self.unlabeled = unlabeled
        self.class_weight = class_weight

    def _fit(self, data: TrainingData) -> None:
        given = np.asarray(self.penalties)
        if given.ndim != 1 or not len(given) or given.dtype.kind not in "iuf":
            raise ValueError(f"penalties is {self.penalties!r}; it must be a list of numbers.")
        if not (np.isfinite(given) & (given > 0)).all():
            raise ValueError(f"penalties has {self.penalties!r}; all must be positive and finite.")
        penalties = given.astype(np.float64).tolist()
        smallest = int(np.bincount(data.codes).min())
        self.C_ = 1.0
        if smallest > 1:
            n_folds = min(MAX_FOLDS, smallest)
            self.C_ = choose_penalty(data.X, data.codes, penalties, n_folds, data.weights)
        model = LogisticRegression(C=self.C_, max_iter=1000)
        self.estimator_ = model.fit(data.X, data.classes[data.codes], data.weights)
        self.coef_, self.intercept_ = self.estimator_.coef_, self.estimator_.intercept_


def choose_penalty(
    X: Any, y: AnyArray, penalties: Sequence[float], n_folds: int, weights: Vector | None = None
) -> float:
    """The C with the smallest cross-validated log loss; of several classes, one against the rest.

    Coefficients lie in the span of the rows and the penalty does not mind rotations, so the rows
    are first turned into min(n, d) coordinates. For two classes and 40 rows Newton's method is then
    8 times faster than LogisticRegressionCV. There are no more folds than labels of any class.
    """
    dense = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    left, sizes, _ = np.linalg.svd(dense - dense.mean(axis=0), full_matrices=False)
    rows = np.column_stack([left * sizes, np.ones(len(dense))])
    classes = np.unique(y)
    targets = y[:, None] == (classes[1:] if len(classes) == 2 else classes)
    losses = np.zeros(len(penalties))
    weights = np.ones(len(rows)) if weights is None else weights
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    for train, test in folds.split(rows, y):
        for column in targets.T.astype(np.float64):
            beta = np.zeros(rows.shape[1])
            for k in np.argsort(penalties):  # from strong to weak, each the start of the next
                beta = fit_logistic(rows[train], column[train], weights[train], penalties[k], beta)
                losses[k] += log_loss(rows[test] @ beta, column[test], weights[test])
    return float(penalties[int(losses.argmin())])


def fit_logistic(rows: Matrix, y: Vector, weights: Vector, C: float, beta: Vector) -> Vector:
    """Newton's method from `beta`; the last column of `rows` is the intercept's, not penalised."""
    ridge = np.full(rows.shape[1], 1.0 / C)
    ridge[-1] = 1e-8  # keeps the step finite where all probabilities are 0 or 1

    def objective(b: Vector) -> float:
        return log_loss(rows @ b, y, weights) + 0.5 * float(ridge @ b**2)

    value = objective(beta)
    for _ in range(MAX_STEPS):
        p = expit(rows @ beta)
        slope = rows.T @ (weights * (p - y)) + ridge * beta
        curvature = (rows * (weights * p * (1.0 - p))[:, None]).T @ rows + np.diag(ridge)
        step = solve(curvature, slope, assume_a="pos")
        decrease = float(step @ slope)
        if decrease <= TOLERANCE:
            break
        length = 1.0
        # A full step overshoots where probabilities are near 0 or 1; half of it, and so on.
        while (new := objective(beta - length * step)) > value - 1e-4 * length * decrease:
            length *= 0.5
            if length < 1e-6:
                return beta
        beta, value = beta - length * step, new
    return beta


def log_loss(decision: Vector, y: Vector, weights: Vector) -> float:
    """The weighted sum of -log P(y) over rows, from log-odds."""
    return float(weights @ np.logaddexp(0.0, np.where(y > 0.5, -decision, decision)))
