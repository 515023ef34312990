"""Fits in threads, fits that are interrupted, and processes that share the processor."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import tacit
import tacit.family
from tests.estimators.tables import partly_labeled

DATA = partly_labeled(n_labeled=14, n_unlabeled=60)
DATA.X.flags.writeable = False

MODELS: dict[str, Any] = {
    "least squares": tacit.LeastSquaresClassifier("loo"),
    "ICLS": tacit.ICLSClassifier(),
    "ICLS in rounds": tacit.ICLSClassifier(solver="working-set"),
    "projected": tacit.ProjectedLeastSquaresClassifier(),
    "kernel": tacit.KernelICLSClassifier(alpha=0.1),
    "self-learning": tacit.SelfLearningClassifier(),
    "flagship": tacit.TacitClassifier(["linear", "rbf"], random_state=0),
    "EM": tacit.family.EMLDAClassifier(),
    "IC LDA": tacit.family.ICLDAClassifier(),
    "S3VM": tacit.family.S3VMClassifier(),
}


def decisions(model: Any) -> Any:
    return model.decision_function(DATA.X)


def in_threads(call: Callable[[], Any], n: int = 4) -> list[Any]:
    """What `call` gives in `n` threads that begin at the same moment."""
    ready = threading.Barrier(n)

    def together(_: int) -> Any:
        ready.wait(30.0)
        return call()

    with ThreadPoolExecutor(n) as threads:
        return list(threads.map(together, range(n)))


@pytest.mark.parametrize("name", MODELS)
def test_fits_in_threads_on_shared_data_give_what_one_gives(name: str) -> None:
    expected = decisions(clone(MODELS[name]).fit(DATA.X, DATA.marked))
    for found in in_threads(lambda: clone(MODELS[name]).fit(DATA.X, DATA.marked)):
        np.testing.assert_allclose(decisions(found), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["ICLS", "projected", "flagship"])
def test_one_estimator_can_be_fitted_and_asked_in_several_threads(name: str) -> None:
    model = clone(MODELS[name]).fit(DATA.X, DATA.marked)
    expected = decisions(model)

    def fit_and_ask() -> Any:
        model.fit(DATA.X, DATA.marked)
        return decisions(model)

    for found in in_threads(fit_and_ask):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


class InterruptAt:
    """Raises KeyboardInterrupt as the `position`-th function of the package is called in a fit."""

    def __init__(self, position: int | None = None) -> None:
        self.position, self.n_calls = position, 0

    def __call__(self, frame: Any, event: str, argument: Any) -> None:
        if event != "call" or not frame.f_globals.get("__name__", "").startswith("tacit."):
            return
        self.n_calls += 1
        if self.n_calls == self.position:
            sys.setprofile(None)
            raise KeyboardInterrupt

    def during(self, fit: Callable[[], Any]) -> None:
        sys.setprofile(self)
        try:
            fit()
        finally:
            sys.setprofile(None)


@pytest.mark.parametrize("name", MODELS)
def test_an_interrupt_in_the_middle_of_a_fit_leaves_the_estimator_as_it_was(name: str) -> None:
    model = clone(MODELS[name])
    if name != "self-learning":  # one that has not been fitted yet stays so
        model.fit(DATA.X[:, ::-1], DATA.marked)
    before = dict(vars(model))
    # The first fit of a process also loads what it needs.
    counted, another = InterruptAt(), clone(model).fit(DATA.X, DATA.marked)
    counted.during(lambda: another.fit(DATA.X, DATA.marked))
    for position in np.linspace(1, counted.n_calls, 6, dtype=int):
        with pytest.raises(KeyboardInterrupt):
            InterruptAt(int(position)).during(lambda: model.fit(DATA.X, DATA.marked))
        assert vars(model).keys() == before.keys()
        assert all(value is before[key] for key, value in vars(model).items())


# Each worker says how many threads its linear algebra would take.
SCRIPT = """
import numpy as np
from threadpoolctl import threadpool_info
from tacit import LeastSquaresClassifier
from tacit.selection import compare


class Recorder(LeastSquaresClassifier):
    def fit(self, X, y, X_unlabeled=None, sample_weight=None):
        super().fit(X, y, X_unlabeled, sample_weight)
        threads = max((pool["num_threads"] for pool in threadpool_info()), default=1)
        with open(OUT, "a") as file:
            file.write(f"{threads}\\n")
        return self


random = np.random.default_rng(0)
X, y = random.normal(size=(40, 3)), np.arange(40) % 2
y[20:] = -1
contestants = {"supervised": Recorder(), "again": (Recorder(1.0), "supervised")}
compare(X, y, contestants, n_jobs=2, cv=2, n_repeats=2)
"""


def test_processes_side_by_side_do_not_multiply_threads(tmp_path: Any) -> None:
    out = tmp_path / "threads.txt"
    limits = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {name: value for name, value in os.environ.items() if name not in limits}
    script = f"OUT = {str(out)!r}\n{SCRIPT}"  # workers get the class with all that it needs
    subprocess.run([sys.executable, "-c", script], env=environment, check=True, timeout=600)
    threads = [int(line) for line in out.read_text().split()]
    assert len(threads) >= 4
    assert 2 * max(threads) <= max(2, os.cpu_count() or 1)
