"""Fits on a cluster of two processes: the same model, little traffic, and deaths survived."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit import ICLSClassifier, LeastSquaresClassifier, ProjectedLeastSquaresClassifier
from tacit.rows import DaskRows
from tacit.solver import Status
from tacit.solver._working_set import SECOND_SAMPLE
from tests.cluster.chunks import D, lazy_rows, same_rows

REASON = "Dask and distributed are not installed: pip install 'tacit[dask]'"
dask = pytest.importorskip("dask", reason=REASON)
da = pytest.importorskip("dask.array", reason=REASON)
distributed = pytest.importorskip("distributed", reason=REASON)

# Said by distributed when a busy machine takes more than a second to make a folder.
pytestmark = pytest.mark.filterwarnings("ignore:Creating scratch directories is:UserWarning")
ESTIMATORS: tuple[Any, ...] = (ICLSClassifier, ProjectedLeastSquaresClassifier)
# More than a round must look at, in more chunks than one task combines.
N_CHUNKS, CHUNK_ROWS = 20, 1500
PATIENCE = 60.0  # seconds
SETTINGS = {
    # How long a worker tries to reach another that is dead, before it asks elsewhere for its data;
    # the default of 30 s would be the length of every other test here.
    "distributed.comm.timeouts.connect": "5s",
    # So long after a death it is checked whether the worker is back, and if it is not it is given
    # up for good. It may just be dead again, killed by the next test.
    "distributed.deploy.lost-worker-timeout": "1h",
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with (
        dask.config.set(SETTINGS),
        distributed.LocalCluster(
            processes=True,
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=":0",  # None would be port 8787, which another cluster may have
            local_directory=str(tmp_path_factory.mktemp("workers")),
            silence_logs=logging.CRITICAL,  # it logs every death, some after the test
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
        left = worker_pids(client)
    wait_until(lambda: not any(map(exists, left)))


@pytest.fixture(autouse=True)
def two_workers(client: Any) -> None:
    # A test before may have killed one, and its successor takes a second to start.
    client.wait_for_workers(2, timeout=PATIENCE)


def worker_pids(client: Any) -> dict[int, str]:
    """Process ids of the workers, with their addresses."""
    return {pid: address for address, pid in client.run(os.getpid).items()}


def exists(pid: int) -> bool:
    """Whether there is such a process, be it a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.01)


@cache
def labeled() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(7)
    X = random.normal(size=(12, D))
    return X, np.where(X[:, 0] + 0.5 * random.normal(size=12) > 0, "yes", "no")


@cache
def in_memory(estimator: Any) -> Any:
    model = estimator().fit(*labeled(), same_rows(N_CHUNKS, CHUNK_ROWS))
    assert model.solution_.solver == "working-set"
    assert model.solution_.status is Status.OPTIMAL
    assert model.n_iter_ >= 2
    return model


def assert_same_coefficients(model: Any, expected: Any) -> None:
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, rtol=1e-8, atol=1e-8)


class Listener:
    """Stands for the standard error and acts on the first line that has a word in it."""

    def __init__(self, word: str, act: Callable[[], None]) -> None:
        self.word, self.act, self.lines = word, act, list[str]()

    def write(self, text: str) -> None:
        first = not any(self.word in line for line in self.lines)
        self.lines.append(text)
        if first and self.word in text:
            self.act()

    def flush(self) -> None:
        pass


# The same model.


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_cluster_gives_the_model_of_the_rows_in_memory(client: Any, estimator: Any) -> None:
    rows = lazy_rows(N_CHUNKS, CHUNK_ROWS)
    X, y = labeled()
    model, expected = estimator().fit(X, y, rows), in_memory(estimator)
    assert_same_coefficients(model, expected)
    assert model.solution_.status is expected.solution_.status
    assert model.solution_.n_sweeps == expected.solution_.n_sweeps
    assert model.certificate_.worst_change == pytest.approx(expected.certificate_.worst_change)
    assert model.certificate_.best_change == pytest.approx(expected.certificate_.best_change)
    np.testing.assert_allclose(model.soft_labels_.compute(), expected.soft_labels_, atol=1e-6)
    in_this_process = same_rows(N_CHUNKS, CHUNK_ROWS)
    np.testing.assert_array_equal(model.predict(rows).compute(), expected.predict(in_this_process))
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(rows) == "yes").mean().compute() == pytest.approx(
        (expected.predict(in_this_process) == "yes").mean()
    )


def test_few_rows_are_solved_densely_and_come_out_the_same(client: Any) -> None:
    X, y = labeled()
    model = ICLSClassifier().fit(X, y, lazy_rows(3, 100))
    expected = ICLSClassifier().fit(X, y, same_rows(3, 100))
    assert model.solution_.solver == "interior-point"
    assert_same_coefficients(model, expected)
    np.testing.assert_allclose(model.soft_labels_, expected.soft_labels_, atol=1e-6)


def test_persisted_rows_and_chunks_of_unknown_length_come_out_the_same(client: Any) -> None:
    X, y = labeled()
    for rows in (
        lazy_rows(N_CHUNKS, CHUNK_ROWS).persist(),
        lazy_rows(N_CHUNKS, CHUNK_ROWS, known=False),
    ):
        assert_same_coefficients(ICLSClassifier().fit(X, y, rows), in_memory(ICLSClassifier))


def test_two_fits_at_once_do_not_disturb_each_other(client: Any) -> None:
    rows, models = lazy_rows(N_CHUNKS, CHUNK_ROWS), [make() for make in ESTIMATORS]
    threads = [threading.Thread(target=model.fit, args=(*labeled(), rows)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    for estimator, model in zip(ESTIMATORS, models, strict=True):
        assert_same_coefficients(model, in_memory(estimator))


def test_an_error_on_a_worker_reaches_the_client(client: Any) -> None:
    X, y = labeled()
    rows = lazy_rows(N_CHUNKS, CHUNK_ROWS)
    spoiled = da.where(rows > 4.0, np.nan, rows)
    with pytest.raises(ValueError, match=r"Column \d \(counted from 0\) contains NaN"):
        ICLSClassifier().fit(X, y, spoiled)
    with pytest.raises(ValueError, match="X contains NaN"):
        LeastSquaresClassifier().fit(X, y).predict(spoiled).compute()


# What travels.


def test_no_array_as_long_as_the_table_travels(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_rows = 1_000_000
    rows = da.random.default_rng(0).normal(size=(n_rows, D), chunks=(50_000, D))
    received: list[int] = []
    sent: list[int] = []
    gather, reduce = distributed.Client.gather, DaskRows.reduce

    def weighing_gather(self: Any, *args: Any, **options: Any) -> Any:
        result = gather(self, *args, **options)
        received.append(len(pickle.dumps(result)))
        return result

    def weighing_reduce(self: Any, kernel: Any, combine: Any) -> Any:
        sent.append(len(distributed.protocol.pickle.dumps(kernel)))
        return reduce(self, kernel, combine)

    monkeypatch.setattr(distributed.Client, "gather", weighing_gather)
    monkeypatch.setattr(DaskRows, "reduce", weighing_reduce)
    tracemalloc.start()
    try:
        model = ICLSClassifier().fit(*labeled(), rows)
        labels, classes = model.soft_labels_, model.predict(rows)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    # Moments and sample, the rounds, the certificate: nothing was gathered on another way.
    assert len(received) == len(sent) == model.solution_.n_sweeps + 2
    one_column = 8 * n_rows
    sample = 1.05 * SECOND_SAMPLE * 8 * (D + 1)  # its rows and their positions
    assert 0.5 * sample < received[0] < sample + 10_000  # so that we know that we see the traffic
    assert sum(received) < 0.6 * one_column
    assert max(received[1:]) < 0.05 * one_column
    assert max(sent) < 10_000
    assert peak < 0.5 * one_column * D

    # What is as long as the table stays where it is.
    assert isinstance(labels, da.Array)
    assert isinstance(classes, da.Array)
    assert labels.shape == classes.shape == (n_rows,)
    del received[:]
    share = labels.mean().compute()
    assert 0.0 < share < 1.0
    assert sum(received) < 1000

    monkeypatch.undo()
    expected = ICLSClassifier().fit(*labeled(), rows.compute(scheduler="threads"))
    assert_same_coefficients(model, expected)
    assert share == pytest.approx(expected.soft_labels_.mean(), rel=1e-9)


# Progress.


def test_progress_is_shown_while_the_fit_runs(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ICLSClassifier(verbose=1)
    running: list[bool] = []
    listener = Listener("round 1", lambda: running.append(not hasattr(model, "coef_")))
    monkeypatch.setattr(sys, "stderr", listener)
    model.fit(*labeled(), lazy_rows(N_CHUNKS, CHUNK_ROWS))
    monkeypatch.undo()
    assert running == [True]
    assert sum(": exact solve" in line for line in listener.lines) >= 1
    assert f"round {model.n_iter_}: " in listener.lines[-1]
    assert f"{model.solution_.n_sweeps} sweeps" in listener.lines[-1]


# Death.


@pytest.mark.parametrize(
    ("moment", "estimator"),
    [
        ("the moments", ICLSClassifier),
        ("first sample", ProjectedLeastSquaresClassifier),
        ("round 1", ICLSClassifier),
        ("round 2", ProjectedLeastSquaresClassifier),
    ],
)
def test_a_worker_killed_in_the_middle_of_a_sweep_costs_only_time(
    client: Any,
    estimator: Any,
    moment: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At the `moment` a trap is set: a worker stops inside the next sweep and is killed there."""
    rows = lazy_rows(N_CHUNKS, CHUNK_ROWS, trap=tmp_path)
    model = estimator(verbose=1)
    before = worker_pids(client)
    finished = threading.Event()
    deaths: list[tuple[int, int, bool]] = []

    def hunt() -> None:
        wait_until((tmp_path / "victim").exists)
        pid, chunk = map(int, (tmp_path / "victim").read_text().split())
        os.kill(pid, signal.SIGKILL)
        deaths.append((pid, chunk, finished.is_set()))

    arm = (tmp_path / "armed").touch
    listener = Listener(moment, arm)
    if moment == "the moments":
        arm()  # the first sweep, before anything is told
    hunter = threading.Thread(target=hunt)
    hunter.start()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", listener)
        model.fit(*labeled(), rows)
        finished.set()
    hunter.join(PATIENCE)

    assert_same_coefficients(model, in_memory(estimator))
    assert model.solution_.status is Status.OPTIMAL
    # It was a worker of ours, it died while the fit was running, and it is gone.
    [(pid, chunk, was_finished)] = deaths
    assert pid in before
    assert not was_finished
    wait_until(lambda: not exists(pid))
    # It died with this chunk in its hands, which another process has made again. Every sweep
    # makes every chunk once: moments, rounds, certificate.
    makers = list(map(int, (tmp_path / f"chunk-{chunk}").read_text().split()))
    death = max(turn for turn, maker in enumerate(makers) if maker == pid)
    assert len(makers) >= model.solution_.n_sweeps + 3
    assert makers[death + 1] != pid
    # The cluster has replaced it.
    client.wait_for_workers(2, timeout=PATIENCE)
    assert pid not in worker_pids(client)


def test_rows_in_the_memory_of_a_worker_that_dies_are_made_again(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = lazy_rows(N_CHUNKS, CHUNK_ROWS, trap=tmp_path).persist()
    distributed.wait(rows)
    keys = {future.key for future in distributed.futures_of(rows)}
    pids = worker_pids(client)
    deaths: list[tuple[int, set[int]]] = []

    def kill() -> None:
        """The one that holds the most chunks that no other has.

        Whoever made them: a sweep may have copied a chunk to the other worker, and the scheduler
        takes one of two copies away after a while, be it the first.
        """
        has = {pid: keys & set(client.has_what([at])[at]) for pid, at in pids.items()}
        one, other = has
        victim = one if len(has[one] - has[other]) > len(has[other] - has[one]) else other
        os.kill(victim, signal.SIGKILL)
        deaths.append((victim, {i for _, i, _ in has[victim]}))

    model = ICLSClassifier(verbose=1)
    with monkeypatch.context() as patch:
        # Between two sweeps and by the fit itself, which so surely is not over.
        patch.setattr(sys, "stderr", Listener("first sample", kill))
        model.fit(*labeled(), rows)
    assert_same_coefficients(model, in_memory(ICLSClassifier))
    [(victim, held)] = deaths
    wait_until(lambda: not exists(victim))
    makers = [(tmp_path / f"chunk-{i}").read_text().split() for i in range(N_CHUNKS)]
    again = {i for i, pids in enumerate(makers) if len(pids) > 1}
    assert again
    assert again <= held
    assert not any(str(victim) in makers[i][1:] for i in again)
