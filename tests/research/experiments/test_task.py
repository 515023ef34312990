"""One repeat: what each contestant is given, and what becomes of failures."""

import threading
import warnings
from contextlib import suppress

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from tacit import LeastSquaresClassifier
from tacit.research.experiments import (
    Contestant,
    CrossValidation,
    LearningCurves,
    Sees,
    paper_contestants,
)
from tacit.research.experiments._experiment import Task, run_task
from tacit.research.experiments._measures import ERROR, MEASURES, TEST_LOSS
from tests.research.experiments.tables import (
    contestants,
    three_classes,
    two_classes,
    without_seconds,
)

CURVES = LearningCurves(3, 10, (4, 16))
FOLDS = CrossValidation(3, 10, 4)


class Spy(ClassifierMixin, BaseEstimator):
    """Notes what it is given; `mishap` is done in the fit, or in `predict` if it says so."""

    def __init__(self, notes, mishap=None, in_predict=False, random_state=None):
        self.notes, self.mishap, self.in_predict = notes, mishap, in_predict
        self.random_state = random_state

    def __sklearn_clone__(self):
        return Spy(self.notes, self.mishap, self.in_predict, self.random_state)

    def fit(self, X, y):
        self.notes.append((X.copy(), y.copy(), self.random_state))
        if self.mishap is not None and not self.in_predict:
            self.mishap(len(self.notes))
        return self

    def predict(self, X):
        if self.mishap is not None and self.in_predict:
            self.mishap(len(self.notes))
        return np.zeros(len(X), dtype=int)


def fail(_):
    raise RuntimeError("no luck today")


def run_one(protocol, table, *taking_part, repeat=0):
    return run_task(table, Task(protocol, repeat, taking_part))


# What they see.


@pytest.mark.parametrize("protocol", [CURVES, FOLDS])
@pytest.mark.parametrize("table", [two_classes(), three_classes()])
def test_a_semi_supervised_classifier_never_sees_a_hidden_label(protocol, table):
    notes = []
    run_one(protocol, table, Contestant("spy", Spy(notes), "supervised"))
    splits = [split for group in protocol.splits(table, 0) for split in group]
    for (X, y, _), split in zip(notes, splits, strict=True):
        np.testing.assert_array_equal(X, table.X[np.concatenate([split.labeled, split.unlabeled])])
        np.testing.assert_array_equal(y[:10], table.y[split.labeled])
        np.testing.assert_array_equal(y[10:], -1)
        assert len(y) == 10 + len(split.unlabeled)


@pytest.mark.parametrize("protocol", [CURVES, FOLDS])
def test_the_oracle_sees_all_labels_and_the_supervised_one_only_its_own(protocol):
    table, every, own = two_classes(), [], []
    run_one(
        protocol,
        table,
        Contestant("oracle", Spy(every), sees=Sees.EVERYTHING),
        Contestant("supervised", Spy(own)),
    )
    splits = [split for group in protocol.splits(table, 0) for split in group]
    for (X, y, _), split in zip(every, splits, strict=True):
        rows = np.concatenate([split.labeled, split.unlabeled])
        np.testing.assert_array_equal(X, table.X[rows])
        np.testing.assert_array_equal(y, table.y[rows])
    for X, y, _ in own:
        assert len(X) == 10
        assert set(y) == {0, 1}


def test_nobody_is_trained_on_what_it_is_tested_on():
    table = two_classes()
    seen = {tuple(x) for x in table.X}
    for sees in Sees:
        notes = []
        run_one(FOLDS, table, Contestant("spy", Spy(notes), sees=sees))
        for (X, _, _), split in zip(notes, FOLDS.splits(table, 0)[0], strict=True):
            tested = {tuple(x) for x in table.X[split.test]}
            assert not tested & {tuple(x) for x in X}
            assert tested < seen


@pytest.mark.parametrize("protocol", [CURVES, FOLDS])
def test_every_contender_has_the_same_draws_whoever_else_takes_part(protocol):
    table, alone, together, another = two_classes(), [], [], []
    run_one(protocol, table, Contestant("spy", Spy(alone), "supervised"), repeat=2)
    run_one(
        protocol,
        table,
        *contestants("supervised", "ICLS"),
        Contestant("spy", Spy(together), "supervised"),
        Contestant("other", Spy(another), "supervised"),
        repeat=2,
    )
    for ours, theirs, others in zip(alone, together, another, strict=True):
        for one, two, three in zip(ours[:2], theirs[:2], others[:2], strict=True):
            np.testing.assert_array_equal(one, two)
            np.testing.assert_array_equal(one, three)


def test_a_supervised_fit_is_made_once_a_repeat_in_learning_curves():
    table, once, each = two_classes(), [], []
    runs = run_one(
        CURVES,
        table,
        Contestant("supervised", Spy(once)),
        Contestant("semi-supervised", Spy(each), "supervised"),
    )
    assert (len(once), len(each)) == (1, 2)
    assert len(runs) == 4
    assert len({run.seconds for run in runs if run.classifier == "supervised"}) == 1


def test_the_table_is_left_as_it_was():
    table = two_classes()
    X, y = table.X.copy(), table.y.copy()
    run_one(FOLDS, table, *contestants("supervised", "self-learning", "ICLS"))
    np.testing.assert_array_equal(table.X, X)
    np.testing.assert_array_equal(table.y, y)


# What comes out.


def test_a_repeat_of_cross_validation_has_the_error_over_all_objects():
    table = two_classes()
    (run,) = (r for r in run_one(FOLDS, table, *contestants("supervised")) if r.measure == ERROR)
    wrong = 0
    for split in FOLDS.splits(table, 0)[0]:
        model = LeastSquaresClassifier().fit(table.X[split.labeled], table.y[split.labeled])
        wrong += (model.predict(table.X[split.test]) != table.y[split.test]).sum()
    assert run.value == wrong / len(table.y)
    assert (run.n_labeled, run.n_unlabeled, run.repeat) == (10, 35, 0)
    assert (run.dataset, run.protocol, run.classifier) == ("two", "cross-validation", "supervised")
    assert run.status == "ok"
    assert run.seconds > 0.0


def test_unequal_folds_count_by_their_rows():
    # 59 rows in 4 folds: 15, 15, 15, 14.
    table = two_classes("odd", 59)
    (run,) = (r for r in run_one(FOLDS, table, *contestants("supervised")) if r.measure == ERROR)
    assert run.value * 59 == pytest.approx(round(run.value * 59), abs=1e-9)
    assert run.n_unlabeled == 34  # the smallest training set has 44 rows


def test_every_size_and_measure_has_one_row():
    runs = run_one(CURVES, two_classes(), *contestants("supervised", "ICLS"))
    keys = {(r.classifier, r.n_unlabeled, r.measure) for r in runs}
    assert len(keys) == len(runs) == 2 * 2 * len(MEASURES)


def test_three_classes_are_measured_for_all_contenders_of_the_paper():
    runs = run_one(FOLDS, three_classes(), *paper_contestants())
    assert {run.status for run in runs} == {"ok"}
    assert all(0 < run.value < 1 for run in runs)
    found = {(run.classifier, run.measure) for run in runs}
    assert len(found) == len(runs) == len(paper_contestants()) * len(MEASURES)


# Mishaps.


@pytest.mark.parametrize("in_predict", [False, True])
@pytest.mark.parametrize("protocol", [CURVES, FOLDS])
def test_a_contender_that_fails_loses_only_its_own_numbers(protocol, in_predict):
    table, sound = two_classes(), contestants("supervised", "ICLS")
    bad = Contestant("bad", Spy([], fail, in_predict), "supervised")
    runs = run_one(protocol, table, sound[0], bad, sound[1])
    failed = [run for run in runs if run.classifier == "bad"]
    assert len(failed) == len(protocol.splits(table, 0))
    for run in failed:
        assert run.measure == ERROR
        assert np.isnan(run.value)
        assert run.status == "failed: RuntimeError: no luck today"
    others = [run for run in runs if run.classifier != "bad"]
    assert without_seconds(others) == without_seconds(run_one(protocol, table, *sound))


def test_a_failure_in_one_fold_says_more_than_a_warning_in_another():
    def mishap(turn):
        if turn == 3:
            fail(turn)
        warnings.warn("not there yet", ConvergenceWarning, stacklevel=2)

    (run,) = run_one(FOLDS, two_classes(), Contestant("bad", Spy([], mishap), "supervised"))
    assert run.status == "failed: RuntimeError: no luck today"


def test_a_fit_that_did_not_converge_says_so_and_keeps_its_numbers():
    def mishap(turn):
        if turn == 2:
            warnings.warn("not there yet", ConvergenceWarning, stacklevel=2)
        warnings.warn("who knows", UserWarning, stacklevel=2)

    (run,) = run_one(FOLDS, two_classes(), Contestant("slow", Spy([], mishap), "supervised"))
    assert run.status == "not converged"
    assert np.isfinite(run.value)
    first, second = run_one(
        CURVES, two_classes(), Contestant("slow", Spy([], mishap), "supervised")
    )
    assert (first.status, second.status) == ("ok", "not converged")


def test_a_warning_is_noted_whatever_other_threads_do():
    """Recording warnings changes the state of the whole process, so only one may do it."""
    meeting = threading.Barrier(2)

    def meet():
        with suppress(threading.BrokenBarrierError):
            meeting.wait(0.5)

    def mishap(_):
        meet()  # both are here at once, if they can
        warnings.warn("not there yet", ConvergenceWarning, stacklevel=2)
        meet()  # and neither leaves before the other has warned

    statuses = []

    def work():
        protocol = LearningCurves(1, 10, (4,))  # one fit
        runs = run_one(protocol, two_classes(), Contestant("slow", Spy([], mishap), "supervised"))
        statuses.extend(run.status for run in runs)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == ["not converged"] * 2


def test_a_classifier_that_takes_the_mark_for_a_class_has_failed():
    table = two_classes()
    (run,) = run_one(FOLDS, table, Contestant("logistic", LogisticRegression(), "supervised"))
    assert run.status.startswith("failed: ValueError: it has learned the mark -1")
    assert "Sees.LABELED" in run.status
    runs = run_one(FOLDS, table, Contestant("logistic", LogisticRegression()))
    assert [run.measure for run in runs] == list(MEASURES)
    assert all(run.status == "ok" for run in runs)


def test_a_classifier_that_answers_with_probabilities_has_failed():
    class Unsure(Spy):
        def predict(self, X):
            return np.full(len(X), 0.25)

        def __sklearn_clone__(self):
            return Unsure(self.notes)

    (run,) = run_one(FOLDS, two_classes(), Contestant("unsure", Unsure([]), "supervised"))
    assert run.status.startswith("failed: ValueError: predict answered 0.25, which is none of the")
    assert np.isnan(run.value)


def test_the_measures_of_a_contender_that_has_no_probabilities_are_left_out():
    runs = run_one(FOLDS, two_classes(), Contestant("spy", Spy([]), "supervised"))
    assert [run.measure for run in runs] == [ERROR]
    assert TEST_LOSS not in {run.measure for run in runs}


# Seeds.


def test_seeds_differ_between_repeats_and_are_the_same_again():
    def seeds(repeat):
        notes = []
        run_one(CURVES, two_classes(), Contestant("spy", Spy(notes), "supervised"), repeat=repeat)
        return [seed for _, _, seed in notes]

    first, second = seeds(0), seeds(1)
    assert None not in first
    assert seeds(0) == first
    assert not set(first) & set(second)
