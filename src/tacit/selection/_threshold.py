"""The threshold of a decision, for scores in which a rare class counts as much as a common one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import FixedThresholdClassifier, StratifiedKFold, cross_val_predict
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from tacit._typing import AnyArray, Index, Vector
from tacit.estimators._held_back import FOLDS
from tacit.selection._evaluate import Fit, Judge, Split
from tacit.selection._labeled_table import LabeledTable
from tacit.selection._measure import Measure, read_measure

# Thresholds that are tried, between as many parts of the held-back decisions: each costs a score.
MOST_THRESHOLDS = 50
# Scores that a threshold is chosen for unasked. Accuracy has its own, that of even odds, and the
# best for precision alone, or recall alone, is to answer one class hardly ever, or always.
TUNED = ("balanced_accuracy", "f1", "jaccard", "matthews_corrcoef")


def is_tuned_for(measure: Measure) -> bool:
    """Whether a comparison by this measure gives every contestant the threshold that suits it."""
    return measure.is_named and measure.scoring.startswith(TUNED)


def tune_threshold(model: Any, scoring: Any = "balanced_accuracy") -> Any:
    """A fitted classifier with the decision threshold that is best on labels it has not seen.

    A classifier of a rare class that is right as often as it can be may never name that class. By
    other scores another threshold is better. It is chosen on the decisions that also calibrate
    `predict_proba`: on labeled rows that were held back from fits of the same classifier.

    Parameters
    ----------
    model : classifier of tacit
        Fitted on two classes. Those with probabilities of their own keep no decisions on labels
        that were held back; for them, and for any other classifier, there is scikit-learn's
        `TunedThresholdClassifierCV` on the labeled rows.
    scoring : str or scorer, default="balanced_accuracy"
        scikit-learn's name of a score of predicted classes, such as "f1", or what `make_scorer`
        makes. Classes that are no whole numbers are numbered: "f1" is that of `classes_[1]`.

    Returns
    -------
    sklearn.model_selection.FixedThresholdClassifier
        With `predict` by the threshold, and decisions and probabilities of the model. Where no
        label could be held back, the threshold is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.metrics import f1_score
    >>> from tacit import ICLSClassifier
    >>> from tacit.selection import tune_threshold
    >>> random = np.random.default_rng(0)
    >>> y = (random.random(600) < 0.1).astype(int)
    >>> X = random.normal(size=(600, 3)) + y[:, None]
    >>> partly = np.where(np.arange(600) < 150, y, -1)  # 150 labels, 15 of the rare class
    >>> model = ICLSClassifier().fit(X, partly)
    >>> tuned = tune_threshold(model, "f1")
    >>> round(f1_score(y, model.predict(X)), 2), round(f1_score(y, tuned.predict(X)), 2)
    (0.07, 0.47)
    """
    measure = read_measure(scoring)
    is_of_classes = getattr(measure.scorer, "_response_method", None) == "predict"
    if not hasattr(measure.scorer, "_score_func") or not is_of_classes:
        raise ValueError(
            f"scoring is {scoring!r}; it must be a score of predicted classes, such as 'f1' or "
            "'balanced_accuracy', or make_scorer of a function of true and predicted classes."
        )
    check_is_fitted(model)
    if not hasattr(model, "_held_back"):
        raise TypeError(
            f"model is a {type(model).__name__}, which keeps no decisions on labels that were held "
            "back; use scikit-learn's TunedThresholdClassifierCV on the labeled rows."
        )
    if len(model.classes_) != 2:
        raise ValueError(
            f"model has {len(model.classes_)} classes; a threshold is between two. For more, "
            'class_weight="balanced" makes rare ones count.'
        )
    found = model._held_back.left_out()
    threshold = best_threshold(found.decisions[:, 0], found.codes, model.classes_, measure)
    return _with_threshold(model, threshold, "decision_function")


def best_threshold(decisions: Vector, codes: Index, classes: AnyArray, measure: Measure) -> float:
    """Where the score of the left-out decisions is highest; nearest to 0 of several such."""
    is_whole = classes.dtype.kind in "iu" or all(isinstance(each, int) for each in classes.tolist())
    labels = classes if is_whole and min(classes.tolist()) >= 0 else np.arange(2)
    scorer, truth = measure.scorer, labels[codes].astype(int)
    values = np.unique(decisions)
    between = 0.5 * (values[1:] + values[:-1])
    if len(between) > MOST_THRESHOLDS:
        between = np.quantile(between, np.linspace(0.0, 1.0, MOST_THRESHOLDS))
    best, best_score = 0.0, -np.inf
    for threshold in sorted([0.0, *between.tolist()], key=abs) if len(codes) else []:
        predicted = labels[(decisions >= threshold).astype(int)].astype(int)
        with np.errstate(all="ignore"):
            score = scorer._sign * scorer._score_func(truth, predicted, **scorer._kwargs)
        if score > best_score:
            best, best_score = threshold, score
    return best


def after_tuning(judge: Judge, measure: Measure, n_classes: int) -> Judge:
    """What a judge says of contestants that have the thresholds for a measure, if it has any."""
    is_asked_for = is_tuned_for(measure) and n_classes == 2
    return partial(_judged, judge=judge, measure=measure) if is_asked_for else judge


def _judged(fit: Fit, table: LabeledTable, split: Split, judge: Judge, measure: Measure) -> Any:
    return judge(_tuned(fit, table, split, measure), table, split)


def _tuned(fit: Fit, table: LabeledTable, split: Split, measure: Measure) -> Fit:
    """A fitted contestant with its threshold.

    A classifier that keeps no left-out decisions is fitted again on parts of the labeled rows.
    """
    model = fit.model
    if hasattr(model, "_held_back"):
        return replace(fit, model=tune_threshold(model, measure.scorer))
    methods = [name for name in ("decision_function", "predict_proba") if hasattr(model, name)]
    y = table.y[split.labeled]
    n_folds = min(FOLDS, int(np.unique(y, return_counts=True)[1].min()))
    if not methods or n_folds < 2:
        return fit
    X = _safe_indexing(fit.X_train, np.arange(len(y)))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    found = cross_val_predict(clone(model), X, y, cv=folds, method=methods[0])
    even, decisions = (0.0, found) if methods[0] == "decision_function" else (0.5, found[:, 1])
    codes = (y == model.classes_[1]).astype(np.intp)
    threshold = even + best_threshold(decisions - even, codes, model.classes_, measure)
    return replace(fit, model=_with_threshold(model, threshold, methods[0]))


def _with_threshold(model: Any, threshold: float, method: str) -> Any:
    options: dict[str, Any] = {"threshold": float(threshold), "response_method": method}
    answering = FixedThresholdClassifier(clone(model), **options)
    answering.estimator_ = model  # what its `fit` would fit again
    return answering
