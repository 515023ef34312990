"""Experiments that go on in a folder where others have ended, failed or been interrupted."""

import re
from typing import ClassVar

import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from tacit import LeastSquaresClassifier
from tacit.research.experiments import (
    Contestant,
    CrossValidation,
    Experiment,
    LearningCurves,
    RunStore,
    run,
)
from tacit.research.experiments import _experiment as experiment
from tacit.research.experiments._measures import MEASURES
from tests.research.experiments.tables import contestants, experiments, two_classes
from tests.research.experiments.tables import without_seconds as plain

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'tacit[parquet]'")
pytestmark = pytest.mark.usefixtures("written_at_once")

TABLE = two_classes()

# What is there is not run again.


def test_a_finished_experiment_is_not_run_again(tmp_path, tasks_run):
    first = run(experiments(), RunStore(tmp_path))
    assert len(tasks_run) == 12
    del tasks_run[:]
    again = run(experiments(), RunStore(tmp_path))
    assert tasks_run == []
    assert again.runs == first.runs


def test_more_repeats_run_only_those_that_are_missing(tmp_path, tasks_run):
    run(experiments(2), RunStore(tmp_path))
    del tasks_run[:]
    resumed = run(experiments(5), RunStore(tmp_path))
    assert sorted({repeat for _, _, repeat, _ in tasks_run}) == [2, 3, 4]
    assert len(tasks_run) == 3 * 4
    assert plain(resumed.runs) == plain(run(experiments(5)).runs)


def test_fewer_repeats_take_only_theirs_from_the_store(tmp_path, tasks_run):
    run(experiments(4), RunStore(tmp_path))
    del tasks_run[:]
    fewer = run(experiments(2), RunStore(tmp_path))
    assert tasks_run == []
    assert plain(fewer.runs) == plain(run(experiments(2)).runs)
    assert len(RunStore(tmp_path).read()) == 2 * len(fewer.runs)


def test_more_classifiers_run_alone_on_the_draws_of_the_others(tmp_path, tasks_run):
    run(experiments(names=("supervised", "ICLS")), RunStore(tmp_path))
    del tasks_run[:]
    more = ("supervised", "self-learning", "ICLS")
    resumed = run(experiments(names=more), RunStore(tmp_path))
    assert {names for *_, names in tasks_run} == {("self-learning",)}
    assert plain(resumed.runs) == plain(run(experiments(names=more)).runs)


def test_the_store_may_hold_more_than_is_asked_for(tmp_path):
    run(experiments(), RunStore(tmp_path))
    only = experiments(names=("ICLS",))[:1]
    results = run(only, RunStore(tmp_path))
    assert results.names("classifier") == ["ICLS"]
    assert results.names("protocol") == ["learning curves"]
    assert plain(results.runs) == plain(run(only).runs)


@pytest.mark.parametrize(
    ("jobs", "error"), [(1, KeyboardInterrupt), (1, RuntimeError), (2, KeyboardInterrupt)]
)
def test_an_interruption_keeps_what_was_done(tmp_path, tasks_run, monkeypatch, jobs, error):
    monkeypatch.setattr(experiment, "WRITE_EVERY", 1e9)
    calls = []

    def interrupt(done, total):
        calls.append(done)
        if len(calls) == 6:
            raise error

    with pytest.raises(error):
        run(experiments(), RunStore(tmp_path), jobs=jobs, on_progress=interrupt)
    held = {(r.dataset, r.protocol, r.repeat) for r in RunStore(tmp_path).read()}
    assert len(held) == 5
    del tasks_run[:]
    resumed = run(experiments(), RunStore(tmp_path))
    assert len(tasks_run) == 12 - 5
    assert not held & {trial[:3] for trial in tasks_run}
    assert plain(resumed.runs) == plain(run(experiments()).runs)


def test_an_interruption_just_after_a_batch_was_written_counts_nothing_twice(tmp_path, monkeypatch):
    write = RunStore._write

    def write_and_die(self, runs, name):
        write(self, runs, name)
        monkeypatch.setattr(RunStore, "_write", write)
        raise KeyboardInterrupt

    monkeypatch.setattr(RunStore, "_write", write_and_die)
    with pytest.raises(KeyboardInterrupt):
        run(experiments(), RunStore(tmp_path))
    assert len(RunStore(tmp_path).read()) == 2 * 2 * len(MEASURES)
    assert plain(run(experiments(), RunStore(tmp_path)).runs) == plain(run(experiments()).runs)


# Failures.


class Weather:
    """Whether fits fail today, and at which numbers of rows."""

    bad: ClassVar[set[int]] = set()
    reason = "no answer"


class DependsOnTheWeather(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        if len(X) in Weather.bad:
            raise OSError(Weather.reason)
        self.model_ = GaussianNB().fit(X[y >= 0], y[y >= 0])
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)


@pytest.fixture
def fickle(monkeypatch):
    """An experiment of a sound classifier and one that fails with 4, 16 or both unlabeled rows."""
    own = Contestant("own", DependsOnTheWeather(), "supervised")
    plan = [
        Experiment((TABLE,), LearningCurves(3, 10, (4, 16)), (*contestants("supervised"), own)),
    ]

    def set_weather(*sizes, reason="no answer"):
        monkeypatch.setattr(Weather, "bad", {10 + size for size in sizes})
        monkeypatch.setattr(Weather, "reason", reason)

    return plan, set_weather


def test_a_failed_run_is_a_result_and_is_tried_again_on_resuming(tmp_path, tasks_run, fickle):
    plan, set_weather = fickle
    whole = run(plan, RunStore(tmp_path / "whole"))
    set_weather(4, 16)
    del tasks_run[:]
    first = run(plan, RunStore(tmp_path / "resumed"))
    assert len(tasks_run) == 3  # a failure is not tried again in the run that met it
    statuses = {r.status for r in first.runs if r.classifier == "own"}
    assert statuses == {"failed: OSError: no answer"}

    set_weather(4, 16, reason="still no answer")
    del tasks_run[:]
    second = run(plan, RunStore(tmp_path / "resumed"))
    assert {names for *_, names in tasks_run} == {("own",)}
    assert len(second.runs) == len(first.runs)
    statuses = {r.status for r in second.runs if r.classifier == "own"}
    assert statuses == {"failed: OSError: still no answer"}

    set_weather()
    third = run(plan, RunStore(tmp_path / "resumed"))
    assert plain(third.runs) == plain(whole.runs)
    held = RunStore(tmp_path / "resumed").read()
    assert sorted(plain(held)) == sorted(plain(whole.runs))
    del tasks_run[:]
    run(plan, RunStore(tmp_path / "resumed"))
    assert tasks_run == []


def test_what_had_ended_is_not_lost_when_another_size_fails_on_resuming(tmp_path, fickle):
    plan, set_weather = fickle
    whole = run(plan)
    set_weather(4)
    run(plan, RunStore(tmp_path))
    set_weather(16)
    assert plain(run(plan, RunStore(tmp_path)).runs) == plain(whole.runs)


@pytest.mark.parametrize("n_ended", [0, 1, 2])
def test_an_interruption_while_failed_runs_are_tried_again_counts_nothing_twice(
    tmp_path, tasks_run, fickle, n_ended
):
    plan, set_weather = fickle
    whole = run(plan)
    set_weather(16)
    run(plan, RunStore(tmp_path))
    set_weather()
    calls = []

    def interrupt(done, total):
        calls.append(done)
        if len(calls) == n_ended + 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(plan, RunStore(tmp_path), on_progress=interrupt)
    held = RunStore(tmp_path).read()
    assert len({r.key for r in held}) == len(held)
    assert sum(r.is_failed for r in held) == 3 - n_ended
    del tasks_run[:]
    assert plain(run(plan, RunStore(tmp_path)).runs) == plain(whole.runs)
    assert len(tasks_run) == 3 - n_ended


def test_runs_that_cannot_but_fail_are_results(tmp_path):
    bad = Contestant("bad", LeastSquaresClassifier(alpha=-1.0))
    plan = [Experiment((two_classes(),), CrossValidation(2, 10, 3), (bad,))]
    runs = run(plan, RunStore(tmp_path)).runs
    assert len(runs) == 2
    assert all(re.match(r"failed: \w+: .*'alpha'.*-1\.0", r.status) for r in runs)
    assert plain(run(plan, RunStore(tmp_path)).runs) == plain(runs)


# Other settings, under the same names.


@pytest.mark.parametrize(("module", "name"), [(experiment, "tacit"), (sklearn, "scikit-learn")])
def test_runs_of_another_version_are_refused(tmp_path, monkeypatch, module, name):
    run(experiments(1), RunStore(tmp_path))
    monkeypatch.setattr(module, "__version__", "0.0.1")
    with pytest.raises(ValueError, match=rf"another version under the name '{name}' .*now 0\.0\.1"):
        run(experiments(1), RunStore(tmp_path))


def test_a_function_that_was_changed_is_noticed_on_resuming(tmp_path):
    def plan(function):
        model = make_pipeline(FunctionTransformer(function), GaussianNB())
        return [Experiment((TABLE,), CrossValidation(1, 10, 3), (Contestant("own", model),))]

    first = run(plan(lambda X: X), RunStore(tmp_path))
    assert plain(run(plan(lambda X: X), RunStore(tmp_path)).runs) == plain(first.runs)
    with pytest.raises(ValueError, match="another classifier under the name 'own'"):
        run(plan(lambda X: X**2), RunStore(tmp_path))


# Progress.


def test_progress_of_what_is_resumed_is_of_the_rest(tmp_path):
    calls = []
    run(experiments(2), RunStore(tmp_path), on_progress=lambda *call: calls.append(call))
    whole = calls[-1][1]
    del calls[:]
    run(experiments(3), RunStore(tmp_path), on_progress=lambda *call: calls.append(call))
    assert calls[0] == (0.0, whole / 2)
    assert calls[-1] == (whole / 2, whole / 2)
    del calls[:]
    run(experiments(3), RunStore(tmp_path), on_progress=lambda *call: calls.append(call))
    assert calls == [(0.0, 0)]
