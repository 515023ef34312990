"""Experiments on a Dask cluster of two processes."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from tacit import SelfLearningClassifier
from tacit.research.experiments import Contestant, CrossValidation, Experiment, RunStore, run
from tests.research.experiments.tables import contestants, experiments, two_classes, without_seconds

REASON = "Dask and distributed are not installed: pip install 'tacit[dask]'"
distributed = pytest.importorskip("distributed", reason=REASON)

# Said by distributed when a busy machine takes more than a second to make a folder.
pytestmark = pytest.mark.filterwarnings("ignore:Creating scratch directories is:UserWarning")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with distributed.LocalCluster(
        processes=True,
        n_workers=2,
        threads_per_worker=2,  # trials that share a process must not disturb each other
        dashboard_address=":0",  # None would be port 8787, which another cluster may have
        local_directory=str(tmp_path_factory.mktemp("workers")),
        silence_logs=logging.CRITICAL,
    ) as cluster:
        yield cluster.scheduler_address


def plan():
    # One that stops too early, so that there is a warning to be caught in every trial.
    hasty = Contestant("hasty", SelfLearningClassifier(max_iter=1), "supervised")
    return [replace(e, contestants=(*e.contestants, hasty)) for e in experiments()]


def test_a_cluster_gives_the_results_of_this_process(address, tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'tacit[parquet]'")
    calls: list[tuple[float, float]] = []
    expected = without_seconds(run(plan()).runs)
    found = run(plan(), cluster=address, on_progress=lambda *call: calls.append(call))
    assert without_seconds(found.runs) == expected
    assert {run.status for run in found.runs} == {"ok", "not converged"}
    assert len(calls) == 13
    assert calls[-1][0] == calls[-1][1]
    # Begun here, ended there.
    run(plan()[:1], RunStore(tmp_path))
    resumed = run(plan(), RunStore(tmp_path), cluster=address)
    assert without_seconds(resumed.runs) == expected


def test_two_tables_of_one_name_do_not_meet_on_the_cluster(address):
    """Others may use the cluster at the same time, and a name is not theirs alone."""
    one = Experiment((two_classes(),), CrossValidation(2, 10, 3), contestants("supervised"))
    other = replace(one, tables=(replace(two_classes(), X=two_classes().X[:, ::-1] ** 2),))
    with distributed.Client(address, set_as_default=False) as client:
        held = client.scatter({"two": "what another user has under this name"}, broadcast=True)
        results = [run([e], cluster=address) for e in (one, other)]
        assert held["two"].result() == "what another user has under this name"
    for found, e in zip(results, (one, other), strict=True):
        assert without_seconds(found.runs) == without_seconds(run([e]).runs)
    assert results[0].runs[0].value != results[1].runs[0].value


def test_an_interruption_leaves_the_cluster_to_others(address):
    calls = []

    def interrupt(done, total):
        calls.append(done)
        if len(calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(experiments(), cluster=address, on_progress=interrupt)
    assert len(run(experiments(1), cluster=address).runs) == len(run(experiments(1)).runs)


def test_nothing_to_do_needs_no_cluster(tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'tacit[parquet]'")
    run(experiments(1), RunStore(tmp_path))
    again = run(experiments(1), RunStore(tmp_path), cluster="tcp://nobody.invalid:1")
    assert len(again.runs) == len(run(experiments(1)).runs)


def test_a_failure_on_a_worker_is_a_row(address):
    bad = Contestant("bad", SelfLearningClassifier(max_iter=-1), "supervised")
    plan = Experiment((two_classes(),), CrossValidation(1, 10, 3), (bad,))
    (row,) = run([plan], cluster=address).runs
    assert re.match(r"failed: \w+: .*'max_iter'.*-1", row.status)
    assert np.isnan(row.value)


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'tacit\[dask\]'"):
        run(experiments(1), cluster="tcp://nobody:1")
