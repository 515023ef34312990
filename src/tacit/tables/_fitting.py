"""Fit one classifier on a person's table."""

from __future__ import annotations

import copy
import platform
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from tacit._typing import AnyArray, Matrix
from tacit.estimators import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
    TunedLogisticRegression,
)
from tacit.solver import Certificate
from tacit.tables._calibration import calibrate
from tacit.tables._errors import TableError
from tacit.tables._features import TypedColumns, feature_names, make_features, specifications
from tacit.tables._model_card import SUPERVISED, ModelCard, SupervisedTwin
from tacit.tables._model_file import Model
from tacit.tables._table import MixedTable

MODELS = ("icls", "projected", "supervised", "logistic", "self-learning")
LEAST_SQUARES: dict[str, Any] = {
    "icls": ICLSClassifier,
    "projected": ProjectedLeastSquaresClassifier,
    "supervised": LeastSquaresClassifier,
}
Alpha = float | str
# Unlabeled rows that the classifiers see while labels are held back for the calibration: the folds
# fit ten more times, and ten thousand rows tell nearly all that more of them would.
CALIBRATION_ROWS = 10_000
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
    raise ValueError(f"model is {model!r}; it must be one of {', '.join(MODELS)}.")


def fit_table(
    table: MixedTable, model: str = "icls", alpha: Alpha = "loo", command: str = ""
) -> Model:
    """Fit a classifier on a table.

    Parameters
    ----------
    table : MixedTable
        What `read_table` returns, its unlabeled rows in memory or on disk.
    model : {"icls", "projected", "supervised", "logistic", "self-learning"}, default="icls"
        The method; self-learning needs all rows in memory.
    alpha : float or "loo", default="loo"
        Ridge penalty; "loo" chooses it by leave-one-out on the labeled rows, for logistic
        regression by cross-validation.
    command : str, default=""
        How to repeat the fit, kept with the model.

    Returns
    -------
    Model
        The pipeline from raw columns to classes, and its description.
    """
    _check_method(table, model)
    features = make_features(table.columns)
    target = table.target
    with _recorded_warnings() as said:
        Z = np.asarray(features.fit_transform(table.frame), dtype=np.float64)
        X, labels = Z[target.is_labeled], target.values[target.is_labeled]
        rows = Z[~target.is_labeled]
        unlabeled = rows if table.stream is None else table.streamed_rows(features)
        supervised = _fit_supervised(model, alpha, X, labels)
        classifier, certificate = _fit(model, supervised, X, labels, unlabeled)
        few = _some(rows, CALIBRATION_ROWS)

        def refit(X: Matrix, labels: AnyArray) -> Any:
            return _fit(model, _fit_supervised(model, alpha, X, labels), X, labels, few)[0]

        calibration = calibrate(refit, X, labels)
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
        alpha=_penalty(supervised),
        certificate=None if certificate is None else vars(certificate),
        certificate_words=NOTHING_CERTIFIED if certificate is None else str(certificate),
        supervised=SupervisedTwin(supervised.coef_.tolist(), supervised.intercept_.tolist()),
        calibration=calibration,
        options=table.options,
        notes=[*table.notes, *said],
        streamed=table.stream is not None,
        command=command,
        versions=versions(),
    )
    typed = TypedColumns(
        specifications(table.columns), table.options.decimal, table.options.thousands
    )
    steps = [("columns", typed), *features.steps, ("classifier", classifier)]
    return Model(Pipeline(steps), card)


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that a model depends on."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _check_method(table: MixedTable, model: str) -> None:
    """Complain about a method that cannot be fitted on a table."""
    target = table.target
    tags = get_tags(new_classifier(model)).classifier_tags
    if len(target.classes) > 2 and not tags.multi_class:
        raise TableError(
            f"Column {target.name!r} has {len(target.classes)} classes, and {model} knows only "
            "two; choose --model supervised, logistic or self-learning."
        )
    if table.stream is not None and model == "self-learning":
        raise TableError(
            "Self-learning needs all rows in memory and cannot be streamed; choose --model icls or "
            "projected, or read the file whole with --no-stream."
        )


def _fit_supervised(model: str, alpha: Alpha, X: Matrix, labels: AnyArray) -> Any:
    """The classifier of the labeled rows alone, which chooses the penalty."""
    return new_classifier("logistic" if model == "logistic" else "supervised", alpha).fit(X, labels)


def _fit(
    model: str, supervised: Any, X: Matrix, labels: AnyArray, unlabeled: Any
) -> tuple[Any, Certificate | None]:
    """The linear classifier without what only `fit` needed, and its certificate."""
    if model in SUPERVISED:
        return supervised, None
    fitted = new_classifier(model, supervised.alpha_).fit(X, labels, unlabeled)
    slim = copy.copy(fitted.estimator_ if model == "self-learning" else fitted)
    # Soft labels and dual vectors are as many as the rows, and may point to files.
    for name in ("soft_labels_", "solution_"):
        vars(slim).pop(name, None)
    return slim, fitted.certificate_


def _some(rows: Matrix, most: int) -> Matrix:
    if len(rows) <= most:
        return rows
    drawn = np.random.default_rng(0).choice(len(rows), most, replace=False)
    return rows[np.sort(drawn)]


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


def _penalty(supervised: Any) -> float:
    """The penalty in the loss; scikit-learn gives its inverse for logistic regression."""
    if isinstance(supervised, TunedLogisticRegression):
        return 1.0 / float(supervised.C_)
    return float(supervised.alpha_)


@contextmanager
def _recorded_warnings() -> Iterator[list[str]]:
    """What fits warn about, each once, gathered in a list when the block ends."""
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield said
    said += dict.fromkeys(str(warning.message) for warning in caught)
