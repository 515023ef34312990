"""What is measured of a fitted classifier, one contribution a row."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from tacit._typing import AnyArray, Matrix
from tacit.estimators import SelfLearningClassifier
from tacit.estimators._base import has_own_probabilities
from tacit.estimators._linear import LinearClassifier
from tacit.selection._evaluate import Fit, Split, predictions
from tacit.selection._labeled_table import LabeledTable

ERROR = "error"
TEST_LOSS = "squared loss, test"
LABELED_LOSS = "squared loss, labeled"
TRAINING_LOSS = "squared loss, labeled and unlabeled"
MEASURES = (ERROR, TEST_LOSS, LABELED_LOSS, TRAINING_LOSS)
# For protocols that hold rows back: ERROR is about those, and this about the unlabeled rows.
UNLABELED_ERROR = "error, unlabeled rows"


def measure(
    fit: Fit, table: LabeledTable, split: Split, wanted: Collection[str] = MEASURES
) -> dict[str, AnyArray]:
    """The contribution of every row to every measure, whose mean the measure is.

    "error" is 1 for a wrong prediction. The squared losses are those of the regression value
    against the true label, (f(x) - y)^2 with y in {0, 1}; they are left out for a classifier with
    neither regression values nor probabilities, and for one without `classes_`, which say what the
    probabilities are of.
    """
    truth = table.y[split.test]
    found = {ERROR: (predictions(fit, table.codes) != truth).astype(np.float64)}
    if UNLABELED_ERROR in wanted:
        rows = _safe_indexing(fit.X_train, np.arange(len(split.labeled), fit.X_train.shape[0]))
        wrong = predictions(replace(fit, X_test=rows), table.codes) != table.y[split.unlabeled]
        found[UNLABELED_ERROR] = wrong.astype(np.float64)
    tested = squared_losses(fit.model, fit.X_test, truth) if TEST_LOSS in wanted else None
    if tested is not None:
        trained = squared_losses(
            fit.model, fit.X_train, table.y[np.concatenate([split.labeled, split.unlabeled])]
        )
        assert trained is not None
        labeled = trained[: len(split.labeled)]
        found |= {TEST_LOSS: tested, LABELED_LOSS: labeled, TRAINING_LOSS: trained}
    return found


def squared_losses(model: Any, X: Matrix, y: AnyArray) -> AnyArray | None:
    """Half the squared distance of each row's regression values to the indicator of its class.

    For two classes that is (f(x) - y)^2.
    """
    classes = getattr(model, "classes_", None)
    values = None if classes is None else _regression_values(model, X)
    if values is None:
        return None
    indicators = y[:, None] == np.asarray(classes)[None, :]
    if values.shape != indicators.shape:
        raise ValueError(
            f"predict_proba gave an array of shape {values.shape} for {len(y)} rows and "
            f"{indicators.shape[1]} classes_; it must give one row a row and one column a class"
        )
    losses: AnyArray = 0.5 * ((values - indicators) ** 2).sum(axis=1)
    return losses


def _regression_values(model: Any, X: Matrix) -> Matrix | None:
    """One column a class: values of least squares, or probabilities; None where there are none."""
    # What decides in the end, within pipelines and self-learning.
    last = model
    while isinstance(last, Pipeline | SelfLearningClassifier):
        last = last[-1] if isinstance(last, Pipeline) else last.estimator_
    if has_own_probabilities(last):
        return np.asarray(model.predict_proba(X))
    if not isinstance(last, LinearClassifier):
        return None
    values = np.asarray(model.decision_function(X)) + 0.5
    return np.column_stack([1.0 - values, values]) if values.ndim == 1 else values
