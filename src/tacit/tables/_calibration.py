"""The probability that a prediction is right, learned from labels that were held back.

Least squares gives a decision, not a probability. Labels are held back in folds and predicted, and
one factor turns decisions into probabilities, as `TacitClassifier` has it from the labels that it
leaves out. With few labels this is a rough guide. It supposes that new rows come from where the
labeled rows came from, and says nothing about rows unlike any seen before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from tacit._typing import AnyArray, Matrix
from tacit.evidence import calibrated_temperature
from tacit.tables._model_card import Calibration

FOLDS = 10
LEAST_LABELS = 10


def calibrate(
    fit: Callable[[Matrix, AnyArray], Any], X: Matrix, labels: AnyArray
) -> Calibration | None:
    """Hold labels back in folds and see which decisions come with right answers.

    `fit(X, labels)` gives a classifier fitted on these labeled rows. None where there are fewer
    than 10 labels or a class has a single one.
    """
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if counts.min() < 2 or len(labels) < LEAST_LABELS:
        return None
    Y = np.where(codes[:, None] == np.arange(len(classes)), 1.0, -1.0)
    Y = Y[:, 1:] if len(classes) == 2 else Y
    held_back, n_right = np.zeros_like(Y), 0
    folds = StratifiedKFold(min(FOLDS, int(counts.min())), shuffle=True, random_state=0)
    for train, test in folds.split(X, codes):
        model = fit(X[train], labels[train])
        held_back[test] = np.reshape(model.decision_function(X[test]), (len(test), -1))
        n_right += int((model.predict(X[test]) == labels[test]).sum())
    temperature = calibrated_temperature(held_back, Y, np.ones(len(Y)))
    return Calibration(temperature, len(Y), n_right)
