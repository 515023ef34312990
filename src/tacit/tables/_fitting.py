"""Fit one classifier on a person's table."""

from __future__ import annotations

import copy
import platform
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
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
from tacit.rows._sample import moments_and_sample
from tacit.solver import Certificate
from tacit.tables._columns import Column
from tacit.tables._errors import TableError
from tacit.tables._features import feature_names, make_features
from tacit.tables._marks import mark_notes
from tacit.tables._model_card import ModelCard, is_supervised
from tacit.tables._model_file import Model
from tacit.tables._streaming import StreamedTable
from tacit.tables._sureness import Sureness, learn_sureness
from tacit.tables._table import Table, column_notes
from tacit.tables._targets import Target
from tacit.tables._typed_columns import TypedColumns, specifications

MODELS = ("icls", "projected", "supervised", "logistic", "self-learning")
Alpha = float | str
# Unlabeled rows that the classifiers see while labels are held back to learn how sure they are:
# the folds fit ten more times, and ten thousand rows tell nearly all that more of them would.
ROWS_FOR_SURENESS = 10_000
PACKAGES = ("tacit", "scikit-learn", "skrub", "skops", "numpy", "scipy", "pandas")


def new_classifier(model: str, alpha: Alpha = "loo") -> Any:
    """A classifier by its name, not fitted; only missing labels mark unlabeled rows.

    Parameters
    ----------
    model : {"icls", "projected", "supervised", "logistic", "self-learning"}
        The method.
    alpha : float or "loo"
        Ridge penalty.
    """
    if model == "icls":
        return ICLSClassifier(alpha=alpha, unlabeled=None)
    if model == "projected":
        return ProjectedLeastSquaresClassifier(alpha=alpha, unlabeled=None)
    if model in ("supervised", "self-learning"):
        return LeastSquaresClassifier(alpha=alpha, unlabeled=None)
    if model == "logistic":
        return _logistic(alpha)
    raise ValueError(f"model is {model!r}; it must be one of {', '.join(MODELS)}.")


def fit_table(table: Table, model: str = "icls", alpha: Alpha = "loo", command: str = "") -> Model:
    """Fit a classifier on a table in memory.

    Parameters
    ----------
    table : Table
        What `read_table` returns.
    model : {"icls", "projected", "supervised", "logistic", "self-learning"}, default="icls"
        The method.
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
    check_classes(table.target, model)
    features = make_features(table.columns)
    with _complaints() as said:
        Z = np.asarray(features.fit_transform(table.frame), dtype=np.float64)
        is_labeled = table.target.is_labeled
        data = _Data(
            features,
            Z[is_labeled],
            Z[~is_labeled],
            table.target,
            table.columns,
            table.name,
            separator=table.separator,
        )
        fitted = _Method(model, alpha).fit(data)
    return fitted.described(data, [*table.notes, *said], command)


def fit_streamed(
    table: StreamedTable, model: str = "icls", alpha: Alpha = "loo", command: str = ""
) -> Model:
    """Fit a classifier on a table whose unlabeled rows stay on disk.

    Parameters
    ----------
    table : StreamedTable
        What `read_streamed` returns.
    model, alpha, command
        As in `fit_table`; self-learning needs all rows in memory.

    Returns
    -------
    Model
        As if fitted in memory, but for missing numbers, which become means instead of medians.
    """
    check_classes(table.target, model)
    if model == "self-learning":
        raise TableError(
            "Self-learning needs all rows in memory and cannot be streamed; choose --model icls or "
            "projected, or read the file whole with --no-stream."
        )
    features = Pipeline(
        [
            ("columns", TypedColumns(specifications(table.columns))),
            ("numbers", table.numbers),
        ]
    )
    data = _Data(
        features, table.labeled, table.unlabeled, table.target, table.columns, table.name, True
    )
    with _complaints() as said:
        fitted = _Method(model, alpha).fit(data)
    notes = [*mark_notes(table.target.marked), *column_notes(table.columns)]
    notes = [*notes, "Unlabeled rows were read from disk in pieces."]
    return fitted.described(data, [*notes, *said], command)


def check_classes(target: Target, model: str) -> None:
    """Complain about more classes than a method knows."""
    classifier = new_classifier(model)
    if len(target.classes) > 2 and not get_tags(classifier).classifier_tags.multi_class:
        raise TableError(
            f"Column {target.name!r} has {len(target.classes)} classes, and {model} knows only "
            "two; choose --model supervised, logistic or self-learning."
        )


@dataclass(frozen=True, eq=False)
class _Data:
    """Numbers made of a table, labeled rows apart from unlabeled ones."""

    features: Any
    X: Matrix
    unlabeled: Any
    target: Target
    columns: tuple[Column, ...]
    name: str
    streamed: bool = False
    separator: str | None = None

    @property
    def labels(self) -> AnyArray:
        return np.asarray(self.target.values[self.target.is_labeled])

    @property
    def n_unlabeled(self) -> int:
        return int(self.unlabeled.n_rows if self.streamed else len(self.unlabeled))

    def some_unlabeled(self, most: int) -> Matrix:
        """Unlabeled rows drawn at random, in memory."""
        if self.streamed:
            return np.asarray(moments_and_sample(self.unlabeled, most)[1].X)
        if self.n_unlabeled <= most:
            return np.asarray(self.unlabeled)
        drawn = np.random.default_rng(0).choice(self.n_unlabeled, most, replace=False)
        return np.asarray(self.unlabeled[np.sort(drawn)])


@dataclass(frozen=True, eq=False)
class _Fitted:
    """A classifier and what came with it."""

    model: str
    classifier: Any
    certificate: Certificate | None
    supervised: LeastSquaresClassifier | TunedLogisticRegression
    sureness: Sureness | None

    def described(self, data: _Data, notes: list[str], command: str) -> Model:
        card = ModelCard(
            model=self.model,
            target=data.target.name,
            classes=list(data.target.counts),
            label_counts=list(data.target.counts.values()),
            n_unlabeled=0 if is_supervised(self.model) else data.n_unlabeled,
            marks=list(data.target.marks.unlabeled),
            table=data.name,
            columns=[asdict(column) for column in data.columns],
            feature_names=feature_names(data.features, data.columns),
            alpha=float(_penalty(self.supervised)),
            certificate=None if self.certificate is None else asdict(self.certificate),
            certificate_words=_words(self.certificate),
            supervised={
                "coef": self.supervised.coef_.tolist(),
                "intercept": self.supervised.intercept_.tolist(),
            },
            sureness=None if self.sureness is None else asdict(self.sureness),
            notes=notes,
            streamed=data.streamed,
            separator=data.separator,
            command=command,
            versions=versions(),
        )
        return Model(Pipeline([*data.features.steps, ("classifier", self.classifier)]), card)


@dataclass(frozen=True)
class _Method:
    """One method with its penalty, which is chosen on the labeled rows alone."""

    model: str
    alpha: Alpha

    def fit(self, data: _Data) -> _Fitted:
        supervised = self._supervised(data.X, data.labels)
        classifier, certificate = self._fit(supervised, data.X, data.labels, data.unlabeled)
        rows = None
        if not is_supervised(self.model):
            rows = data.some_unlabeled(ROWS_FOR_SURENESS)

        def refit(X: Matrix, labels: AnyArray) -> Any:
            return self._fit(self._supervised(X, labels), X, labels, rows)[0]

        sureness = learn_sureness(refit, data.X, data.labels)
        return _Fitted(self.model, classifier, certificate, supervised, sureness)

    def _supervised(self, X: Matrix, labels: AnyArray) -> Any:
        if self.model == "logistic":
            return _logistic(self.alpha).fit(X, labels)
        return LeastSquaresClassifier(self.alpha, unlabeled=None).fit(X, labels)

    def _fit(
        self, supervised: Any, X: Matrix, labels: AnyArray, unlabeled: Any
    ) -> tuple[Any, Certificate | None]:
        """The linear classifier without what only `fit` needed, and its certificate."""
        if is_supervised(self.model):
            return supervised, None
        alpha = supervised.alpha_
        if self.model == "self-learning":
            base = LeastSquaresClassifier(alpha, unlabeled=None)
            learner = SelfLearningClassifier(base, unlabeled=None).fit(X, labels, unlabeled)
            return learner.estimator_, learner.certificate_
        fitted = new_classifier(self.model, alpha).fit(X, labels, unlabeled)
        slim = copy.copy(fitted)
        # Soft labels and dual vectors are as many as the rows, and may point to files.
        for name in ("soft_labels_", "solution_"):
            vars(slim).pop(name, None)
        return slim, fitted.certificate_


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
        return 1.0 / supervised.C_
    return float(supervised.alpha_)


@contextmanager
def _complaints() -> Iterator[list[str]]:
    """What fits warn about, each once, gathered in a list when the block ends."""
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield said
    said += dict.fromkeys(str(warning.message) for warning in caught)


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that a model depends on."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _words(certificate: Certificate | None) -> str:
    if certificate is None:
        return "The model was fitted on the labeled rows alone, so there is nothing to certify."
    return str(certificate)
