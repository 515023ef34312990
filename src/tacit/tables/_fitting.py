"""Fit one classifier on a person's table."""

from __future__ import annotations

import copy
import platform
import warnings
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import resample

from tacit._typing import AnyArray, Matrix
from tacit.estimators import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
    TacitClassifier,
    TunedLogisticRegression,
)
from tacit.tables._calibration import calibrate
from tacit.tables._errors import TableError
from tacit.tables._features import TypedColumns, feature_names, make_features
from tacit.tables._model_card import SUPERVISED, TACIT, ModelCard
from tacit.tables._model_file import Model
from tacit.tables._table import MixedTable

MODELS = (TACIT, "icls", "projected", "supervised", "logistic", "self-learning")
LEAST_SQUARES: dict[str, Any] = {
    "icls": ICLSClassifier,
    "projected": ProjectedLeastSquaresClassifier,
    "supervised": LeastSquaresClassifier,
}
Alpha = float | str
# Unlabeled rows that the classifiers see while labels are held back for the calibration: the folds
# fit ten more times, and ten thousand rows tell nearly all that more of them would.
CALIBRATION_ROWS = 10_000
# Of as many labels as this one fit of tacit takes a minute, and eight of twice as many.
MANY_LABELS = 1000
NOTHING_CERTIFIED = (
    "The model was fitted on the labeled rows alone, so there is nothing to certify."
)
PACKAGES = ("tacit", "scikit-learn", "skrub", "skops", "numpy", "scipy", "pandas")


def new_classifier(model: str, alpha: Alpha = "loo") -> Any:
    """A classifier by its name, not fitted; only missing labels mark unlabeled rows."""
    if model in LEAST_SQUARES:
        return LEAST_SQUARES[model](alpha=alpha, unlabeled=None)
    if model == "self-learning":
        return SelfLearningClassifier(new_classifier("supervised", alpha), unlabeled=None)
    if model == "logistic":
        return _logistic(alpha)
    if model == TACIT:
        if alpha != "loo":
            raise TableError(
                f"The penalty is {alpha}, and tacit averages over penalties; leave --alpha out, or "
                "choose --model icls."
            )
        return TacitClassifier(random_state=0, unlabeled=None)
    raise ValueError(f"model is {model!r}; it must be one of {', '.join(MODELS)}.")


def fit_table(
    table: MixedTable, model: str | None = None, alpha: Alpha = "loo", command: str = ""
) -> Model:
    """Fit a classifier on a table.

    Parameters
    ----------
    table : MixedTable
        What `read_table` returns, its unlabeled rows in memory or on disk.
    model : {"tacit", "icls", "projected", "supervised", "logistic", "self-learning"}, optional
        The method; self-learning needs all rows in memory. The default is tacit; icls above a
        thousand labels, or with a penalty.
    alpha : float or "loo", default="loo"
        Ridge penalty; "loo" chooses it by leave-one-out on the labeled rows, for logistic
        regression by cross-validation. Not for tacit, which averages over penalties.
    command : str, default=""
        How to repeat the fit, kept with the model.

    Returns
    -------
    Model
        The pipeline from raw columns to classes, and its description.
    """
    is_many = sum(table.target.counts.values()) > MANY_LABELS
    model = model or ("icls" if is_many or alpha != "loo" else TACIT)
    if table.stream is not None and model == "self-learning":
        raise TableError(
            "Self-learning needs all rows in memory and cannot be streamed; choose --model icls or "
            "projected, or read the file whole with --no-stream."
        )
    new_classifier(model, alpha)  # or an error, before anything is computed
    features = make_features(table.columns)
    target = table.target
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Z = np.asarray(features.fit_transform(table.frame), dtype=np.float64)
        X, labels = Z[target.is_labeled], target.values[target.is_labeled]
        rows = Z[~target.is_labeled]
        unlabeled = rows if table.stream is None else table.streamed_rows(features)
        classifier = _fit(model, alpha, X, labels, unlabeled)
        few = rows
        if len(rows) > CALIBRATION_ROWS:
            few = resample(rows, replace=False, n_samples=CALIBRATION_ROWS, random_state=0)
        # tacit has its probabilities from the labels that it leaves out itself.
        calibration = None
        if model != TACIT:
            calibration = calibrate(lambda X, y: _fit(model, alpha, X, y, few), X, labels)
    certificate = getattr(classifier, "certificate_", None)
    card = ModelCard(
        model=model,
        target=target.name,
        classes=list(target.counts),
        label_counts=list(target.counts.values()),
        n_unlabeled=0 if model in SUPERVISED else table.n_unlabeled,
        unlabeled_markers=list(target.markers.values),
        table=table.name,
        columns=list(table.columns),
        feature_names=feature_names(features, table.columns),
        alpha=_penalty(classifier),
        certificate=None if certificate is None else vars(certificate),
        certificate_words=NOTHING_CERTIFIED if certificate is None else str(certificate),
        calibration=calibration,
        options=table.options,
        notes=[*table.notes, *dict.fromkeys(str(warning.message) for warning in caught)],
        streamed=table.stream is not None,
        command=command,
        versions=versions(),
    )
    typed = TypedColumns(list(table.columns), table.options)
    steps = [("columns", typed), *features.steps, ("classifier", classifier)]
    return Model(Pipeline(steps), card)


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that a model depends on."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def _fit(model: str, alpha: Alpha, X: Matrix, labels: AnyArray, unlabeled: Any) -> Any:
    """The classifier with its supervised twin and its certificate, and without rows."""
    supervised = None
    if model != TACIT:
        # It chooses the penalty.
        alone = model if model in SUPERVISED else "supervised"
        supervised = new_classifier(alone, alpha).fit(X, labels)
        if model in SUPERVISED:
            return supervised
        alpha = supervised.alpha_
    fitted = new_classifier(model, alpha).fit(X, labels, unlabeled)
    slim = copy.copy(fitted.estimator_ if model == "self-learning" else fitted)
    # As many numbers as there are rows, and they may point to files.
    for name in ("soft_labels_", "solution_", "transduction_"):
        vars(slim).pop(name, None)
    if supervised is None:
        supervised = copy.copy(slim)
        supervised.model_ = fitted.supervised_model_
    slim.supervised_, slim.certificate_ = supervised, fitted.certificate_
    return slim


def _logistic(alpha: Alpha) -> TunedLogisticRegression:
    """Logistic regression with a given penalty, or with one to be chosen."""
    if isinstance(alpha, str):
        return TunedLogisticRegression(unlabeled=None)
    if alpha <= 0.0:
        raise TableError(
            f"The penalty is {alpha:g}, and logistic regression needs a positive one, for labels "
            "that can be told apart have no best fit without; give a larger --alpha, or loo."
        )
    return TunedLogisticRegression((1.0 / alpha,), unlabeled=None)


def _penalty(classifier: Any) -> float | None:
    """The penalty in the loss; scikit-learn gives its inverse for logistic regression."""
    if isinstance(classifier, TunedLogisticRegression):
        return 1.0 / float(classifier.C_)
    return getattr(classifier, "alpha_", None)
