"""Fit every contestant on one choice of training rows, and many choices side by side."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing

from tacit._typing import AnyArray, Index
from tacit._words import number_of
from tacit._workers import as_they_end
from tacit.rows._sweep import one_blas_thread
from tacit.selection._answers import answers
from tacit.selection._contestants import Contestant
from tacit.selection._labeled_table import LabeledTable, rows_below
from tacit.selection._measure import Measure


class UndefinedScoreError(ValueError):
    """A score that is no number on the test rows of some split."""


Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Training:
    """Rows to train on, and rows to judge by.

    Attributes
    ----------
    key : tuple of int
        What tells it from the others of a run.
    labeled, unlabeled, test : ndarray of int
        Positions in the table.
    """

    key: tuple[int, ...]
    labeled: Index
    unlabeled: Index
    test: Index


@dataclass(frozen=True, eq=False)
class Results:
    """What came out of one training, by name of contestant.

    Attributes
    ----------
    training : Training
        The rows.
    losses : dict of str to float
        The loss on the test rows; empty where only predictions were wanted.
    predictions : dict of str to ndarray
        Predictions on the test rows; empty where only losses were wanted.
    scores : dict of str to ndarray
        For the same rows, what `decision_function` or `predict_proba` gives, for those who have it.
    warnings : dict of str to set of str
        What the fits complained about.
    """

    training: Training
    losses: dict[str, float]
    predictions: dict[str, AnyArray]
    scores: dict[str, AnyArray]
    warnings: dict[str, set[str]]


def evaluate(
    table: LabeledTable,
    contestants: Sequence[Contestant],
    measure: Measure | None,
    training: Training,
) -> Results:
    """Fit all contestants on one training; their losses, or without measure their predictions.

    Preprocessing sees all training rows, labeled and unlabeled, whether the classifier after it
    is supervised or not, so that twins differ in nothing but the classifier; contestants that
    share it share one fit of it. Steps that need labels, such as feature selection, get the
    labeled rows only.
    """
    # Labeled rows first, so that they can be cut off again whatever preprocessing makes of them.
    rows = np.concatenate([training.labeled, training.unlabeled])
    targets = table.targets[rows]
    n_labeled = len(training.labeled)
    X_train, X_test = table.rows(rows), table.rows(training.test)
    prepared: dict[str, tuple[Any, Any]] = {}
    losses, predictions, scores, complaints = {}, {}, {}, {}
    for contestant in contestants:
        with _named(contestant), _recorded() as caught:
            key = contestant.preprocessing_key
            if key is None:  # shared only with itself
                key = f"of {contestant.name}"
            if key not in prepared:
                prepared[key] = _prepare(contestant, X_train, X_test, targets, n_labeled)
            train, test = prepared[key]
            model = _fitted(contestant, train, targets, n_labeled)
            if measure is None:
                predictions[contestant.name] = answers(model, test, _known(table))
                response = _response(model)
                if response is not None:
                    scores[contestant.name] = np.asarray(response(test))
            else:
                loss = _loss(model, test, table, training.test, measure)
                if not math.isfinite(loss):
                    raise UndefinedScoreError(_undefined(table, training, measure, loss))
                losses[contestant.name] = loss
        if caught:
            complaints[contestant.name] = {_complaint(warning) for warning in caught}
    return Results(training, losses, predictions, scores, complaints)


def run_all(
    table: LabeledTable,
    contestants: Sequence[Contestant],
    tasks: Iterable[tuple[Measure | None, Training]],
    n_jobs: int | None,
    on_progress: Progress | None,
) -> list[Results]:
    """Evaluate every task, in order, whichever process is done first.

    Parameters
    ----------
    table : LabeledTable
        The rows.
    contestants : sequence of Contestant
        Who to fit.
    tasks : iterable of (Measure or None, Training)
        What to evaluate.
    n_jobs : int or None
        Processes, as joblib counts them; each has one BLAS thread.
    on_progress : callable or None
        Called as on_progress(done, total) after each task, in the calling process.
    """
    tasks = list(tasks)
    calls = (
        delayed(_numbered)(k, table, contestants, measure, training)
        for k, (measure, training) in enumerate(tasks)
    )
    done: dict[int, Results] = {}
    with closing(_outcomes(calls, n_jobs)) as outcomes:
        if on_progress is not None:
            on_progress(0, len(tasks))
        for k, results in outcomes:
            done[k] = results
            if on_progress is not None:
                on_progress(len(done), len(tasks))
    return [done[k] for k in range(len(tasks))]


def _outcomes(calls: Iterable[Any], n_jobs: int | None) -> Generator[tuple[int, Results]]:
    if joblib.effective_n_jobs(n_jobs) > 1:
        yield from as_they_end(calls, n_jobs)
    else:
        # Without joblib, so that an interrupt ends at once and errors keep a short traceback.
        yield from (function(*given, **named) for function, given, named in calls)


def _numbered(k: int, *arguments: Any) -> tuple[int, Results]:
    with one_blas_thread():
        return k, evaluate(*arguments)


def _prepare(
    contestant: Contestant, X_train: Any, X_test: Any, targets: AnyArray, n_labeled: int
) -> tuple[Any, Any]:
    if contestant.preprocessing is None:
        return X_train, X_test
    for _, step in contestant.preprocessing.steps:
        if step is None or (isinstance(step, str) and step == "passthrough"):
            continue
        fresh = clone(step)
        try:
            X_train = fresh.fit_transform(X_train)
        except (TypeError, ValueError) as error:
            X_train = _fit_with_labels(fresh, X_train, targets, n_labeled, error)
        X_test = fresh.transform(X_test)
    return X_train, X_test


def _fit_with_labels(
    step: Any, X: Any, targets: AnyArray, n_labeled: int, without: Exception
) -> Any:
    """Fit a step that could not be fitted without labels; if it cannot be with, `without` says why.

    Tags do not tell: a ColumnTransformer does not know that its parts need labels.
    """
    try:
        first = step.fit_transform(_first(X, n_labeled), targets[:n_labeled])
    except (TypeError, ValueError):
        raise without from None
    if n_labeled == len(targets):
        return first
    rest = _safe_indexing(X, np.arange(n_labeled, len(targets)))
    return rows_below(first, step.transform(rest))


def _fitted(contestant: Contestant, X: Any, targets: AnyArray, n_labeled: int) -> Any:
    model = clone(contestant.classifier)
    if "unlabeled" in model.get_params(deep=False):
        model.set_params(unlabeled=-1)
    if contestant.is_semi_supervised:
        return model.fit(X, targets)
    return model.fit(_first(X, n_labeled), targets[:n_labeled])


def _loss(model: Any, X: Any, table: LabeledTable, rows: Index, measure: Measure) -> float:
    targets = table.targets[rows]
    if measure.is_of_predictions:
        predicted = answers(model, X, _known(table))
        if measure.is_error:
            # scikit-learn's scorer gives the same, and checks a handful of rows for longer than
            # it takes to predict them.
            return float(np.mean(predicted != targets))
    return measure.loss(float(measure.scorer(model, X, targets)))


def _known(table: LabeledTable) -> set[Any]:
    return set(table.targets[table.labeled].tolist())


def _response(model: Any) -> Any:
    return getattr(model, "decision_function", None) or getattr(model, "predict_proba", None)


def _undefined(table: LabeledTable, training: Training, measure: Measure, loss: float) -> str:
    tested = len(np.unique(table.targets[training.test]))
    rows = number_of(len(training.test), "row")
    return (
        f"scoring is {measure.scoring!r}, which gives {loss} where cv leaves {rows} to test on, of "
        f"{tested} of the {len(table.classes)} classes. Leave cv out or give a number of folds, so "
        "that every split tests on every class, or use a score that does not compare classes, such "
        "as scoring='accuracy'."
    )


def _first(X: Any, n_rows: int) -> Any:
    return _safe_indexing(X, np.arange(n_rows))


@contextmanager
def _named(contestant: Contestant) -> Iterator[None]:
    """Say whose error it is."""
    try:
        yield
    except UndefinedScoreError:  # no fault of the contestant
        raise
    except Exception as error:
        raise ValueError(
            f"{contestant.name!r} ({type(contestant.classifier).__name__}) could not be fitted and "
            f"scored: {error}"
        ) from error


@contextmanager
def _recorded() -> Iterator[list[warnings.WarningMessage]]:
    """Keep warnings for the end, where one sentence can stand for hundreds."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def _complaint(warning: warnings.WarningMessage) -> str:
    if issubclass(warning.category, ConvergenceWarning):
        return "did not converge"
    return str(warning.message).splitlines()[0]
