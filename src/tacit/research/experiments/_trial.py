"""The smallest piece of work: one repeat of one protocol on one table."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from tacit._typing import AnyArray
from tacit.research.experiments._contenders import Contender, Sees
from tacit.research.experiments._measures import ERROR, MEASURES, measure
from tacit.research.experiments._protocols import Protocol, Split, Table
from tacit.research.experiments._run import FAILED, NOT_CONVERGED, OK, Run
from tacit.rows._sweep import one_blas_thread


@dataclass(frozen=True)
class Trial:
    """One repeat, with the contenders that are still to be run in it."""

    dataset: str
    protocol: Protocol
    repeat: int
    contenders: tuple[Contender, ...]

    def cost(self, table: Table) -> float:
        """A rough measure of its time, for the estimate of what remains."""
        n_rows, n_features = (int(n) for n in table.X.shape)
        fits = self.protocol.n_fits(table) * len(self.contenders)
        return float(fits * (2e6 + n_rows * n_features**2))


@dataclass(frozen=True)
class _Fit:
    """A fitted model, or the reason why there is none."""

    model: Any
    seconds: float
    status: str


def run_trial(trial: Trial, table: Table) -> list[Run]:
    """Fit and measure every contender of `trial`, on one BLAS thread.

    A contender that fails loses only its own numbers: its row says why.
    """
    with one_blas_thread():
        groups = trial.protocol.splits(table, trial.repeat)
        n_labeled = trial.protocol.labels(table)
        return [
            run
            for contender in trial.contenders
            for run in _run_contender(contender, trial, table, groups, n_labeled)
        ]


def _run_contender(
    contender: Contender, trial: Trial, table: Table, groups: list[list[Split]], n_labeled: int
) -> Iterator[Run]:
    # A supervised fit is the same for every number of unlabeled rows.
    fitted: dict[bytes, _Fit] = {}
    for group in groups:
        n_unlabeled = min(len(split.unlabeled) for split in group)
        key = f"{trial.dataset}|{trial.protocol.name}|{n_labeled}|{n_unlabeled}|{trial.repeat}"
        fits, measured = [], []
        for split in group:
            rows = _training_rows(contender, split)
            name = rows.tobytes()
            if name not in fitted:
                fitted = {name: _fit(contender, table, split, key)}
            fit, contributions = _measure(fitted[name], table, split)
            fits.append(fit)
            measured.append(contributions)
        seconds = sum(fit.seconds for fit in fits)
        failed = any(fit.model is None for fit in fits)
        # The worst there is: a failure, else a lack of convergence.
        status = min(fits, key=lambda fit: (fit.model is not None, fit.status == OK)).status
        for name_of_measure in (ERROR,) if failed else MEASURES:
            if failed or name_of_measure in measured[0]:
                value = (
                    float("nan")
                    if failed
                    else float(np.mean(np.concatenate([m[name_of_measure] for m in measured])))
                )
                yield Run(
                    trial.dataset,
                    trial.protocol.name,
                    contender.name,
                    n_labeled,
                    n_unlabeled,
                    trial.repeat,
                    name_of_measure,
                    value,
                    seconds,
                    status,
                )


def _training_rows(contender: Contender, split: Split) -> AnyArray:
    if contender.sees is Sees.LABELED:
        return split.labeled
    return np.concatenate([split.labeled, split.unlabeled])


def _fit(contender: Contender, table: Table, split: Split, key: str) -> _Fit:
    rows = _training_rows(contender, split)
    X, y = table.X[rows], table.y[rows]
    if contender.sees is Sees.UNLABELED:
        y[len(split.labeled) :] = -1
    model = contender.unfitted(key)
    with _recorded_warnings() as caught:
        start = time.perf_counter()
        try:
            model.fit(X, y)
            if -1 in getattr(model, "classes_", ()):
                raise ValueError(
                    "it has learned the mark -1 of unlabeled rows as a class, so it is not "
                    "semi-supervised; give it Sees.LABELED"
                )
        except Exception as error:
            return _Fit(None, time.perf_counter() - start, _reason(error))
        seconds = time.perf_counter() - start
    stopped_early = any(issubclass(w.category, ConvergenceWarning) for w in caught)
    return _Fit(model, seconds, NOT_CONVERGED if stopped_early else OK)


def _measure(fit: _Fit, table: Table, split: Split) -> tuple[_Fit, dict[str, AnyArray]]:
    """What is measured; a model that cannot predict has failed like one that cannot fit."""
    if fit.model is None:
        return fit, {}
    try:
        with _recorded_warnings():
            return fit, measure(fit.model, table, split)
    except Exception as error:
        return _Fit(None, fit.seconds, _reason(error)), {}


def _reason(error: Exception) -> str:
    return f"{FAILED}: {type(error).__name__}: {error}"


@contextmanager
def _recorded_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Collect all warnings, in one thread at a time: they belong to the whole process."""
    with _one_at_a_time, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


# A worker of a cluster may run several trials at once, each in a thread.
_one_at_a_time = Lock()
