"""The one evaluator: comparisons, learning curves and experiments fit their contestants here."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from threading import Lock
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from tacit._typing import AnyArray, Index
from tacit._workers import run_all
from tacit.estimators._training import shorten
from tacit.rows._sweep import one_blas_thread
from tacit.selection._contestants import Contestant, Sees, contained_in, seeded
from tacit.selection._labeled_table import UNLABELED, LabeledTable, rows_below

DID_NOT_CONVERGE = "did not converge"
OK = "ok"
NOT_CONVERGED = "not converged"
FAILED = "failed"


@dataclass(frozen=True)
class Run:
    """What one contestant scored on one measure in one split, or in all folds of one repeat."""

    dataset: str
    protocol: str
    classifier: str
    n_labeled: int  # Rows of the fit, L and U; over all folds, U of the smallest training set
    n_unlabeled: int
    repeat: int  # Number of the random draw; every contestant sees the same draws
    measure: str
    value: float  # NaN where the fit failed
    seconds: float = field(compare=False)  # Time of the fit or fits
    status: str  # "ok", "not converged", or "failed: " and the reason
    fold: int = -1  # The split within the repeat; -1 where the number is over all of them
    n_test: int = 0  # Rows tested on

    @property
    def is_failed(self) -> bool:
        """Whether there is a reason in place of a number."""
        return self.status.startswith(FAILED)

    @property
    def key(self) -> tuple[Any, ...]:
        """What no other row of the same results has."""
        return _KEY(self)


_KEY = attrgetter(
    "dataset", "protocol", "classifier", "n_labeled", "n_unlabeled", "repeat", "fold", "measure"
)


@dataclass(frozen=True, eq=False)
class Split:
    """Positions of the rows of one fit and of its test."""

    labeled: Index
    unlabeled: Index
    test: Index
    repeat: int = 0
    fold: int = 0


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted classifier, and the rows of its split as its preprocessing gives them."""

    model: Any  # The last step of the contestant
    steps: list[tuple[str, Any]]  # The steps before it, fitted
    X_train: Any  # Training rows, the labeled ones first, and test rows
    X_test: Any
    seconds: float  # Time of fitting the model
    warnings: set[str]  # What preprocessing and fit complained of, in a few words

    @property
    def status(self) -> str:
        """Whether the fit converged."""
        return NOT_CONVERGED if DID_NOT_CONVERGE in self.warnings else OK

    def pipeline(self) -> Any:
        """The whole contestant, fitted."""
        return Pipeline([*self.steps, ("classifier", self.model)]) if self.steps else self.model


@dataclass(frozen=True, eq=False)
class Outcome:
    """What was found of one contestant on one split."""

    value: Any  # What the function says that judges it
    seconds: float
    status: str
    warnings: set[str]


# What was found on one split, by the names of the contestants.
Outcomes = dict[str, Outcome]
Judge = Callable[[Fit, LabeledTable, Split], Any]
Progress = Callable[[int, int], None]
# The steps of a preprocessing, fitted, and what they make of the training and test rows of a split.
_Prepared = tuple[list[tuple[str, Any]], Any, Any]


class Evaluator:
    """Fits contestants on splits of one table.

    Preprocessing sees all training rows, labeled and unlabeled, whether the classifier after it is
    supervised or not, so that twins differ in nothing but the classifier; contestants that share it
    share one fit of it. Steps that need labels, such as feature selection, get the labeled rows
    only. A supervised fit on the same rows as the one before is not made again.
    """

    def __init__(self, table: LabeledTable) -> None:
        self.table = table
        self._split: Split | None = None
        self._prepared: dict[str, _Prepared] = {}
        self._supervised: dict[str, tuple[bytes, Fit]] = {}

    def fit(self, contestant: Contestant, split: Split, key: str) -> Fit:
        """Fit one contestant; its seeds are hashes of `key`, its name and the parameter's."""
        if split is not self._split:
            # Labeled rows first, so that they can be cut off again after preprocessing.
            rows = np.concatenate([split.labeled, split.unlabeled])
            raw = (_safe_indexing(self.table.X, index) for index in (rows, split.test))
            self._split, self._prepared = split, {"": ([], *raw)}
        with recorded_warnings() as caught:
            steps, X_train, X_test = self._prepare(contestant, split, key)
            labeled = split.labeled.tobytes()
            before, fit = self._supervised.get(contestant.name, (b"", None))
            if fit is not None and before == labeled:
                return replace(fit, X_train=X_train, X_test=X_test)
            model = seeded(contestant.classifier, f"{key}|{contestant.name}")
            start = time.perf_counter()
            self._train(model, contestant, X_train, split)
            seconds = time.perf_counter() - start
        fit = Fit(model, steps, X_train, X_test, seconds, _in_short(caught))
        if contestant.training is Sees.LABELED and not steps:
            self._supervised[contestant.name] = labeled, fit
        return fit

    def _prepare(self, contestant: Contestant, split: Split, key: str) -> _Prepared:
        name = contestant.preprocessing_key
        if name is None:  # shared only with itself
            name = f"of {contestant.name}"
        if name not in self._prepared and contestant.preprocessing is not None:
            _, X_train, X_test = self._prepared[""]
            y = self.table.y[split.labeled]
            fitted = []
            for step_name, step in contestant.preprocessing.steps:
                if step not in (None, "passthrough"):
                    fresh = seeded(step, f"{key}|{step_name}")
                    X_train = _fit_transform(fresh, X_train, y)
                    X_test = fresh.transform(X_test)
                    fitted.append((step_name, fresh))
            self._prepared[name] = fitted, X_train, X_test
        return self._prepared[name]

    def _train(self, model: Any, contestant: Contestant, X: Any, split: Split) -> None:
        y = self.table.y[np.concatenate([split.labeled, split.unlabeled])]
        n_labeled = len(split.labeled)
        if contestant.training is Sees.LABELED:
            X, y = _safe_indexing(X, np.arange(n_labeled)), y[:n_labeled]
        elif contestant.training is Sees.UNLABELED:
            y[n_labeled:] = UNLABELED
        if "unlabeled" in model.get_params(deep=False):
            model.set_params(unlabeled=UNLABELED)
        model.fit(X, y)
        if UNLABELED in getattr(model, "classes_", ()):
            raise ValueError(
                "it has learned the mark -1 of unlabeled rows as a class, so it is not "
                "semi-supervised; give it no twin, or sees=Sees.LABELED"
            )


def final_model(fit: Fit, table: LabeledTable, split: Split) -> Any:
    """The fitted contestant itself."""
    return fit.pipeline()


def evaluate(
    table: LabeledTable, task: tuple[Judge, Split], contestants: Sequence[Contestant], key: str
) -> Outcomes:
    """Fit all contestants on one split and judge each; the first that fails is an error.

    A twin that is a part of another fit is not fitted again, but on all rows: those models are kept
    and tell of their fit.
    """
    judge, split = task
    evaluator = Evaluator(table)
    key = f"{key}|{split.repeat}|{split.fold}|{len(split.labeled)}|{len(split.unlabeled)}"
    outcomes = {}
    fits: dict[str, Fit] = {}
    is_kept = np.array_equal(split.labeled, split.test)  # nothing is held back

    def fitted(contestant: Contestant) -> Fit:
        if contestant.name not in fits:
            whole = None if is_kept else contained_in(contestant, contestants)
            if whole is None:
                fits[contestant.name] = evaluator.fit(contestant, split, key)
            else:
                fit = fitted(whole)
                fits[contestant.name] = replace(fit, model=fit.model.without_views())
        return fits[contestant.name]

    with one_blas_thread():
        for contestant in contestants:
            try:
                fit = fitted(contestant)
                with recorded_warnings() as caught:
                    value = judge(fit, table, split)
            except UndefinedScoreError:
                raise
            except Exception as error:
                failed = (
                    f"{contestant.name!r} ({type(contestant.classifier).__name__}) could not be "
                    f"fitted and scored: {error}"
                )
                if isinstance(error, MemoryError):
                    raise BeyondMemoryError(failed, contestant.name) from error
                raise ValueError(failed) from error
            words = fit.warnings | _in_short(caught)
            outcomes[contestant.name] = Outcome(value, fit.seconds, fit.status, words)
    return outcomes


def evaluate_all(
    table: LabeledTable,
    contestants: Sequence[Contestant],
    tasks: Sequence[tuple[Judge, Split]],
    key: str,
    n_jobs: int | None,
    on_progress: Progress | None,
) -> list[Outcomes]:
    """The outcomes of every task, in order, whichever process is done first."""
    function = partial(evaluate, contestants=contestants, key=key)
    report = on_progress or (lambda done, total: None)
    done: dict[int, Outcomes] = {}
    report(0, len(tasks))
    with closing(run_all(function, {"": table}, [("", t) for t in tasks], n_jobs)) as ended:
        for place, outcomes in ended:
            done[place] = outcomes
            report(len(done), len(tasks))
    return [done[place] for place in range(len(tasks))]


def evaluate_within_memory(
    table: LabeledTable, contestants: tuple[Contestant, ...], *how: Any
) -> tuple[list[Outcomes], tuple[Contestant, ...], list[str]]:
    """As `evaluate_all`, without those who ask for more memory than there is: who is left, and why.

    Nor with those that would replace one of them. A comparison fits on all rows first, so that
    little is done in vain.
    """
    reasons: list[str] = []
    while True:
        try:
            return evaluate_all(table, contestants, *how), contestants, reasons
        except BeyondMemoryError as error:
            too_large = error.contestant
            contestants = tuple(c for c in contestants if too_large not in (c.name, c.twin))
            if all(c.twin is None for c in contestants):
                raise
            reasons.append(f"Left out: {error}")


def runs_of(
    table: LabeledTable,
    split: Split,
    outcomes: Outcomes,
    measure: str,
    protocol: str = "cross-validation",
    loss: Callable[[Any], float] = float,
) -> list[Run]:
    """The numbers of one split as flat rows; `loss` takes the loss out of what the judge said."""
    return [
        Run(
            table.name, protocol, name, len(split.labeled), len(split.unlabeled),
            split.repeat, measure, loss(outcome.value), outcome.seconds, outcome.status,
            split.fold, len(split.test),
        )
        for name, outcome in outcomes.items()
    ]  # fmt: skip


def predictions(fit: Fit, classes: Collection[Any]) -> AnyArray:
    """One of the `classes` for each test row, or an error.

    Some classifiers predict a column, which NumPy would compare with every row of a vector; and
    probabilities, compared with classes, would all be wrong.
    """
    found, n_rows = np.asarray(fit.model.predict(fit.X_test)), fit.X_test.shape[0]
    if found.shape == (n_rows, 1):
        found = found[:, 0]
    if found.shape != (n_rows,):
        raise ValueError(
            f"predict gave an array of the shape {found.shape} for {n_rows:,} rows; it must give "
            "one class for each row."
        )
    for label in found.tolist():
        if label not in classes:
            raise ValueError(
                f"predict answered {label!r}, which is none of the classes that it was given "
                f"({shorten(sorted(classes), 5)}); it must answer with one of them."
            )
    return found


@contextmanager
def recorded_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Collect all warnings, in one thread at a time: they belong to the whole process."""
    with _one_at_a_time, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


# A worker of a cluster may run several tasks at once, each in a thread.
_one_at_a_time = Lock()


def _in_short(caught: Sequence[warnings.WarningMessage]) -> set[str]:
    return {
        DID_NOT_CONVERGE
        if issubclass(warning.category, ConvergenceWarning)
        else str(warning.message).splitlines()[0]
        for warning in caught
    }


class BeyondMemoryError(ValueError):
    """A contestant asks for more memory than there is."""

    def __init__(self, message: str, contestant: str) -> None:
        super().__init__(message, contestant)
        self.contestant = contestant

    def __str__(self) -> str:
        return str(self.args[0])


class UndefinedScoreError(ValueError):
    """A score that is no number on the test rows of some split: no fault of a contestant."""


def _fit_transform(step: Any, X: Any, y: AnyArray) -> Any:
    """Fit a step on all rows or, if it cannot be fitted without labels, on the labeled ones.

    Tags do not tell: a ColumnTransformer does not know that its parts need labels.
    """
    try:
        return step.fit_transform(X)
    except (TypeError, ValueError) as without:
        try:
            first = step.fit_transform(_safe_indexing(X, np.arange(len(y))), y)
        except (TypeError, ValueError):
            raise without from None
    if X.shape[0] == len(y):
        return first
    return rows_below(first, step.transform(_safe_indexing(X, np.arange(len(y), X.shape[0]))))
