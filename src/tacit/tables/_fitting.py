"""Fit one classifier on a person's table."""

from __future__ import annotations

import copy
import platform
import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline

from tacit import estimators
from tacit._typing import AnyArray, Matrix
from tacit.estimators._held_back import HeldBack
from tacit.estimators._training import read_training_data
from tacit.selection import tune_threshold
from tacit.selection._measure import read_measure
from tacit.tables._errors import TableError, installed_version
from tacit.tables._features import feature_names, make_features, typing_step
from tacit.tables._model_card import BY_EVIDENCE, SUPERVISED, TACIT, Calibration, ModelCard
from tacit.tables._model_file import Model
from tacit.tables._table import as_table

MODELS = (*BY_EVIDENCE, "icls", "projected", "ridge", "logistic", "self-learning")
"""The methods that `fit_table` and `tacit fit --model` take, by name."""
LEAST_SQUARES: dict[str, Any] = {
    "icls": estimators.ICLSClassifier,
    "projected": estimators.ProjectedLeastSquaresClassifier,
    "ridge": estimators.LeastSquaresClassifier,
}
Alpha = float | str
# The fewest labels of which some can be held back for a calibration worth telling of.
LEAST_LABELS = 10
# Of as many labels as this one fit of tacit takes a minute, and eight of twice as many.
MANY_LABELS = 1000
NOTHING_CERTIFIED = (
    "The classifier was fitted on the labeled rows alone, so there is nothing to certify."
)
PACKAGES = ("tacit", "scikit-learn", "skrub", "skops", "numpy", "scipy", "pandas")


def new_classifier(model: str, alpha: Alpha = "loo") -> Any:
    """A classifier by its name, not fitted; only missing labels mark unlabeled rows."""
    if model in LEAST_SQUARES:
        return LEAST_SQUARES[model](alpha=alpha, unlabeled=None)
    if model == "self-learning":
        return estimators.SelfLearningClassifier(new_classifier("ridge", alpha), unlabeled=None)
    if model in BY_EVIDENCE:
        if alpha != "loo":
            raise TableError(
                f"The penalty is {alpha}, and {model} averages over penalties or has none; leave "
                "--alpha out, or choose --model icls."
            )
        anchors: Any = "auto"
        if model == "forest":
            anchors = [(model, RandomForestClassifier(random_state=0))]
        views = "auto" if model == TACIT else []
        return estimators.TacitClassifier(anchors, views, random_state=0, unlabeled=None)
    if model != "logistic":
        raise ValueError(f"model is {model!r}; it must be one of {', '.join(MODELS)}.")
    if isinstance(alpha, str):
        return estimators.TunedLogisticRegression(unlabeled=None)
    if alpha <= 0.0:
        raise TableError(
            f"The penalty is {alpha:g}, and logistic regression needs a positive one, for labels "
            "that can be told apart have no best fit without; give a larger --alpha, or loo."
        )
    return estimators.TunedLogisticRegression((1.0 / alpha,), unlabeled=None)


def fit_table(
    table: Any,
    model: str | None = None,
    alpha: Alpha = "loo",
    command: str = "",
    *,
    target: str | None = None,
    scoring: str | None = None,
) -> Model:
    """Fit a classifier on a table.

    Parameters
    ----------
    table : DataFrame, str, Path or MixedTable
        A frame of pandas or polars, a file, or what `read_table` returns, which takes more to say
        of the table and can leave unlabeled rows on disk.
    model : one of `MODELS`, optional
        "tacit", "anchors" (tacit without views), "icls", "projected", "ridge", "logistic",
        "forest" or "self-learning", which needs all rows in memory. The default is tacit; icls
        above a thousand labels, or with a penalty.
    alpha : float or "loo", default="loo"
        Ridge penalty; "loo" chooses it by leave-one-out on the labeled rows, for logistic
        regression by cross-validation. Not for tacit, which averages over penalties.
    command : str, default=""
        How to repeat the fit, kept with the model.
    target : str, optional
        The column of labels; blank, missing and NA mean "unlabeled". Needed but for a MixedTable.
    scoring : str, optional
        scikit-learn's name of a score of predicted classes, such as "f1" (of the second class in
        sorted order) or "balanced_accuracy": of two classes the second is answered from that score
        of a row on which is best by it on labels that were held back.

    Returns
    -------
    Model
        The pipeline from raw columns to classes, and its description.
    """
    table = as_table(table, target, need_unlabeled=model not in SUPERVISED)
    is_many = sum(table.target.counts.values()) > MANY_LABELS
    model = model or ("icls" if is_many or alpha != "loo" else TACIT)
    if table.stream is not None and model == "self-learning":
        raise TableError(
            "Self-learning needs all rows in memory and cannot be streamed; choose --model icls or "
            "projected, or read the file whole with --no-stream."
        )
    new_classifier(model, alpha)  # or an error, before anything is computed
    _check_scoring(scoring, len(table.target.counts))
    features = make_features(table.columns)
    known = table.target
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Z = np.asarray(features.fit_transform(table.frame), dtype=np.float64)
        X, labels = Z[known.is_labeled], known.values[known.is_labeled]
        rows = Z[~known.is_labeled]
        unlabeled = rows if table.stream is None else table.streamed_rows(features)
        classifier = _fit(model, alpha, X, labels, unlabeled)
        answering, threshold, calibration = classifier, None, None
        if scoring is not None:
            answering = tune_threshold(classifier, scoring)
            threshold = answering.threshold
            if hasattr(classifier, "supervised_"):
                classifier.supervised_ = tune_threshold(classifier.supervised_, scoring)
        if model not in BY_EVIDENCE:
            calibration = calibrate(classifier, labels, threshold or 0.0)
    certificate = None if model in SUPERVISED else classifier.certificate_
    # scikit-learn gives the inverse of the penalty for logistic regression.
    inverse = getattr(classifier, "C_", None)
    card = ModelCard(
        model=model,
        target=known.name,
        classes=list(known.counts),
        label_counts=list(known.counts.values()),
        n_unlabeled=table.n_unlabeled,
        unlabeled_markers=list(known.markers.values),
        table=table.name,
        columns=list(table.columns),
        feature_names=feature_names(features, table.columns),
        alpha=1.0 / float(inverse) if inverse else getattr(classifier, "alpha_", None),
        certificate=None if certificate is None else vars(certificate),
        certificate_words=NOTHING_CERTIFIED if certificate is None else str(certificate),
        calibration=calibration,
        options=table.options,
        notes=[*table.notes, *dict.fromkeys(str(warning.message) for warning in caught)],
        streamed=table.stream is not None,
        command=command,
        versions=versions(),
        scoring=scoring,
        threshold=threshold,
    )
    typed = ("columns", typing_step(table.columns, table.options))
    return Model(Pipeline([typed, *features.steps, ("classifier", answering)]), card)


def calibrate(classifier: Any, labels: AnyArray, threshold: float = 0.0) -> Calibration | None:
    """Which decisions of a classifier came with right answers, on labels that were held back.

    One factor turns decisions into probabilities: with few labels a rough guide, and only for rows
    that come from where the labeled ones do. None where there are fewer than 10 labels or a class
    has a single one. Of two classes the second is answered above the threshold.
    """
    counts = np.unique(labels, return_counts=True)[1]
    if counts.min() < 2 or len(labels) < LEAST_LABELS:
        return None
    found = classifier._held_back.left_out()
    if len(found.codes) == 0:
        return None
    return Calibration(found.temperature, len(found.codes), found.n_right(threshold))


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that a model depends on."""
    found = {package: installed_version(package) for package in PACKAGES}
    known = {package: number for package, number in found.items() if number is not None}
    return {"python": platform.python_version(), **known}


def _fit(model: str, alpha: Alpha, X: Matrix, labels: AnyArray, unlabeled: Any) -> Any:
    """The classifier with its supervised twin and its certificate, and without rows."""
    # All rows scale the columns of the anchors, as they do those of tacit.
    if model in SUPERVISED and model != "anchors":
        return _without_rows(new_classifier(model, alpha).fit(X, labels), X, labels)
    fitted = new_classifier(model, alpha).fit(X, labels, unlabeled)
    slim = copy.copy(fitted.estimator_ if model == "self-learning" else fitted)
    # As many numbers as there are rows, and they may point to files.
    for name in ("soft_labels_", "solution_", "transduction_"):
        vars(slim).pop(name, None)
    if model == "anchors":
        return slim
    if model in BY_EVIDENCE:
        supervised = slim.without_views()
    else:
        supervised = new_classifier("ridge", alpha).fit(X, labels)
        for each in (slim, supervised):
            _without_rows(each, X, labels)
    slim.supervised_, slim.certificate_ = supervised, fitted.certificate_
    return slim


def _without_rows(classifier: Any, X: Matrix, labels: AnyArray) -> Any:
    """The classifier after its labels were held back, for which it no longer needs the rows."""
    if not hasattr(classifier, "_held_back"):  # logistic regression, with probabilities of its own
        data = read_training_data(clone(classifier), X, labels, unlabeled=None)
        classifier._held_back = HeldBack(classifier, data)
    classifier._held_back.left_out()
    return classifier


def _check_scoring(scoring: str | None, n_classes: int) -> None:
    if scoring is None:
        return
    if not read_measure(scoring).is_of_predictions:
        raise TableError(
            f"The score {scoring!r} is not one of predicted classes, which alone depend on a "
            "threshold; give one such as f1 or balanced_accuracy, or leave --scoring out."
        )
    if n_classes != 2:
        raise TableError(
            f"The table has {n_classes} classes, and a threshold is between two; leave --scoring "
            "out."
        )
