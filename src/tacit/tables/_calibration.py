r"""The probability that a prediction is right, learned from labels that were held back.

Least squares gives a decision, not a probability. Here labels are held back in folds, predicted,
and the answers that were right are told from the wrong ones by their margin: the distance of the
decision from the threshold, or from the runner-up with more than two classes. Then

.. math:: P(\text{right}) = 1 / (1 + e^{-(a m + b)}), \qquad a \ge 0,

with the smoothed targets of Platt (1999), so that 60 right answers out of 60 do not make certainty.

With few labels this is a rough guide. It supposes that new rows come from where the labeled rows
came from, and that labels are as often wrong there as here. It says nothing about rows unlike any
seen before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.model_selection import StratifiedKFold

from tacit._typing import AnyArray, Matrix, Vector
from tacit.tables._model_card import Calibration

FOLDS = 10
LEAST_LABELS = 10


def probabilities(calibration: Calibration, decision: Matrix) -> Vector:
    """The estimated probability that each answer is right."""
    return np.asarray(expit(calibration.slope * margins(decision) + calibration.offset))


def margins(decision: Matrix) -> Vector:
    """How far each decision is from another answer."""
    if decision.ndim == 1:
        return np.abs(decision)
    first_two = np.sort(decision, axis=1)[:, -2:]
    return np.asarray(first_two[:, 1] - first_two[:, 0])


def calibrate(
    fit: Callable[[Matrix, AnyArray], Any], X: Matrix, labels: AnyArray, random_state: int = 0
) -> Calibration | None:
    """Hold labels back in folds and see which margins come with right answers.

    `fit(X, labels)` gives a classifier fitted on these labeled rows. None where there are fewer
    than 10 labels or a class has a single one.
    """
    _, codes, counts = np.unique(labels.astype(str), return_inverse=True, return_counts=True)
    if counts.min() < 2 or len(labels) < LEAST_LABELS:
        return None
    folds = StratifiedKFold(min(FOLDS, int(counts.min())), shuffle=True, random_state=random_state)
    margin, right = np.zeros(len(labels)), np.zeros(len(labels), dtype=bool)
    for train, test in folds.split(X, codes):
        model = fit(X[train], labels[train])
        margin[test] = margins(np.asarray(model.decision_function(X[test])))
        right[test] = np.asarray(model.predict(X[test])) == labels[test]
    slope, offset = _fit_log_odds(margin, right)
    return Calibration(slope, offset, len(labels), int(right.sum()))


def _fit_log_odds(margin: Vector, right: AnyArray) -> tuple[float, float]:
    n_right = int(right.sum())
    n_wrong = len(right) - n_right
    targets = np.where(right, (n_right + 1.0) / (n_right + 2.0), 1.0 / (n_wrong + 2.0))
    scale = max(float(margin.std()), 1e-12)
    m = margin / scale

    def loss(parameters: Vector) -> tuple[float, Vector]:
        z = parameters[0] * m + parameters[1]
        value = float((np.logaddexp(0.0, z) - targets * z).sum())
        residual = expit(z) - targets
        return value, np.array([residual @ m, residual.sum()])

    best = minimize(loss, [0.0, 0.0], jac=True, method="L-BFGS-B", bounds=[(0, None), (None, None)])
    return float(best.x[0] / scale), float(best.x[1])
