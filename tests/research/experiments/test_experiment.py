"""Whole experiments: the same results however they come about."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from tacit import ICLSClassifier, SelfLearningClassifier
from tacit.research.experiments import (
    Contestant,
    CrossValidation,
    Experiment,
    LearningCurves,
    RunStore,
    Sees,
    complete_table,
    run,
)
from tacit.research.experiments import _experiment as experiment
from tacit.research.experiments._measures import MEASURES
from tests.research.experiments.tables import contestants, experiments, three_classes, two_classes
from tests.research.experiments.tables import without_seconds as plain

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'tacit[parquet]'")
pytestmark = pytest.mark.usefixtures("written_at_once")

TABLE = two_classes()


# The same results.


def test_every_run_is_there_once_and_in_the_order_of_the_plan():
    runs = run(experiments()).runs
    assert len({r.key for r in runs}) == len(runs) == 3 * 2 * 2 * (2 + 1) * len(MEASURES)
    groups = list(dict.fromkeys((r.protocol, r.dataset, r.classifier) for r in runs))
    assert groups == [
        (protocol, dataset, classifier)
        for protocol in ("learning curves", "cross-validation")
        for dataset in ("first", "second")
        for classifier in ("supervised", "ICLS")
    ]
    assert all(r.status == "ok" for r in runs)


def test_results_depend_neither_on_the_number_of_processes_nor_on_the_store(tmp_path):
    expected = plain(run(experiments()).runs)
    stored = RunStore(tmp_path)
    calls = []
    assert (
        plain(run(experiments(), jobs=2, on_progress=lambda *c: calls.append(c)).runs) == expected
    )
    assert_grows_to_all(calls)
    assert plain(run(experiments(), stored, jobs=2).runs) == expected
    assert sorted(plain(stored.read())) == sorted(expected)


def test_results_do_not_depend_on_the_order_in_which_tasks_end(monkeypatch):
    expected = plain(run(experiments()).runs)
    original = experiment.run_all

    def shuffled(function, tables, tasks, *others, **options):
        order = np.random.default_rng(0).permutation(len(tasks))
        assert order.tolist() != sorted(order)
        ended = original(function, tables, [tasks[i] for i in order], *others, **options)
        for place, (_, runs) in zip(order, ended, strict=True):
            yield int(place), runs

    monkeypatch.setattr(experiment, "run_all", shuffled)
    assert plain(run(experiments()).runs) == expected


def test_an_experiment_alone_gives_what_it_gives_among_others():
    together = run(experiments()).runs
    alone = [r for e in experiments() for r in run([e]).runs]
    assert plain(together) == plain(alone)


def test_names_with_odd_characters_are_just_names(tmp_path):
    table = replace(two_classes(), name="a/b\\c|é\n%s {x} ' \"\0")
    plan = [Experiment((table,), CrossValidation(1, 10, 3), contestants("supervised"))]
    runs = run(plan, RunStore(tmp_path)).runs
    assert {r.dataset for r in runs} == {table.name}
    assert plain(run(plan, RunStore(tmp_path)).runs) == plain(runs)


def test_three_classes_with_names_run_like_two():
    plan = Experiment(
        (three_classes(),), CrossValidation(2, 20, 5), contestants("supervised", "self-learning")
    )
    results = run([plan])
    assert len(results.runs) == 2 * 2 * len(MEASURES)
    assert all(0 < r.value < 1 for r in results.runs)


def test_each_contender_is_compared_with_the_twin_that_it_names():
    plain = Contestant("plain", GaussianNB())
    learner = Contestant("learner", SelfLearningClassifier(GaussianNB()), twin="plain")
    results = run([Experiment((TABLE,), CrossValidation(10, 10, 3), (plain, learner))])
    before, after = (
        results.values("two", "cross-validation", name, "error", 30)
        for name in ("plain", "learner")
    )
    worse = int((after > before + 1e-9).sum())
    assert 0 < worse < 10
    found = {s.classifier: s for s in results.summaries() if s.measure == "error"}
    assert (found["plain"].times_worse, found["learner"].times_worse) == (0, worse)


def test_without_anybody_to_be_compared_with_there_is_no_count():
    results = run([Experiment((TABLE,), CrossValidation(2, 10, 3), contestants("ICLS"))])
    assert {s.times_worse for s in results.summaries()} == {None}


def test_one_contender_with_two_twins_is_refused():
    one = Experiment((TABLE,), CrossValidation(1, 10, 3), contestants("supervised", "ICLS"))
    other = replace(one, contestants=(*contestants("supervised", "projected"),))
    other = replace(
        other,
        contestants=(*other.contestants, Contestant("ICLS", ICLSClassifier(), twin="projected")),
    )
    with pytest.raises(
        ValueError, match=r"'ICLS' for different twins \(supervised and projected\)"
    ):
        run([one, other])


# Several experiments at once.


def test_experiments_that_share_contestants_run_them_once(tmp_path, tasks_run):
    tables, protocol = (two_classes(),), CrossValidation(2, 10, 3)
    plan = [
        Experiment(tables, protocol, contestants("supervised", "ICLS")),
        Experiment(tables, replace(protocol, n_repeats=3), contestants("supervised", "projected")),
    ]
    results = run(plan)
    assert len({r.key for r in results.runs}) == len(results.runs)
    ran = [(repeat, name) for *_, repeat, names in tasks_run for name in names]
    assert len(set(ran)) == len(ran) == 2 + 3 + 3
    assert len(results.values("two", "cross-validation", "supervised", "error", 30)) == 3
    assert len(results.values("two", "cross-validation", "ICLS", "error", 30)) == 2
    # The longer one first changes nothing but the order.
    turned = run(plan[::-1])
    assert sorted(plain(turned.runs)) == sorted(plain(results.runs))
    assert plain(run(plan, RunStore(tmp_path)).runs) == plain(results.runs)


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"protocol": CrossValidation(1, 12, 3)}, "protocols"),
        ({"protocol": CrossValidation(1, 10, 4)}, "protocols"),
        ({"tables": (replace(TABLE, X=TABLE.X + 1.0),)}, "datasets"),
        ({"tables": (replace(TABLE, y=1 - TABLE.y),)}, "datasets"),
        (
            {"contestants": (Contestant("ICLS", ICLSClassifier(alpha=1.0), "supervised"),)},
            "classifiers",
        ),
        (
            {
                "contestants": (
                    Contestant("ICLS", ICLSClassifier(), "supervised", sees=Sees.EVERYTHING),
                )
            },
            "classifiers",
        ),
    ],
)
def test_one_name_for_two_things_is_refused(tmp_path, stored, change, kind):
    one = Experiment((TABLE,), CrossValidation(1, 10, 3), contestants("ICLS"))
    other = replace(one, **change)
    with pytest.raises(ValueError, match=f"for different {kind} "):
        run([one, other], RunStore(tmp_path) if stored else None)
    run([one], RunStore(tmp_path))
    with pytest.raises(ValueError, match=f"another {kind[:-1]} under the name"):
        run([other], RunStore(tmp_path))
    run([one], RunStore(tmp_path))


# Before anything runs.


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda c: Experiment((), CrossValidation(), c), "tables is empty"),
        (lambda c: Experiment((TABLE,), CrossValidation(), ()), "contestants is empty"),
        (lambda c: Experiment((TABLE, TABLE), CrossValidation(), c), "tables has 'two' twice"),
        (
            lambda c: Experiment((TABLE,), CrossValidation(), (*c, *c)),
            "contestants has 'ICLS' twice",
        ),
        (
            lambda c: Experiment((three_classes(), TABLE), LearningCurves(1, 70), c),
            "n_labeled is 70; for dataset 'two'",
        ),
        (
            lambda c: Experiment((TABLE,), CrossValidation(1, 10, 99), c),
            "n_folds is 99",
        ),
        (
            lambda c: Experiment(
                (TABLE,), CrossValidation(1, 10), (*c, Contestant("own", GaussianNB(), twin="icls"))
            ),
            "Contestant 'own' has the twin 'icls', which is none of the contestants 'ICLS', 'own';",
        ),
    ],
)
def test_what_cannot_be_run_is_refused_at_once(make, message):
    with pytest.raises(ValueError, match=message):
        make(contestants("ICLS"))


@pytest.mark.parametrize("name", ["a", "b", "c", "d", "e", "f"])
def test_an_experiment_that_is_accepted_can_draw_all_its_repeats(name):
    y = np.repeat([0, 1, 2], [50, 48, 2])
    table = complete_table(name, np.zeros((100, 2)), y)
    protocol = CrossValidation(12, 10, 10)

    def is_drawn(repeat):
        try:
            return bool(protocol.splits(table, repeat))
        except ValueError:
            return False

    drawn = [is_drawn(repeat) for repeat in range(12)]
    if all(drawn):
        Experiment((table,), protocol, contestants("supervised"))
    else:
        first = drawn.index(False)
        message = f"'{name}' has a class so rare .* of 90 rows;"
        with pytest.raises(ValueError, match=message):
            Experiment((table,), protocol, contestants("supervised"))
        if first:
            Experiment((table,), replace(protocol, n_repeats=first), contestants("supervised"))


@pytest.mark.parametrize("finished", [False, True])
def test_no_process_at_all_is_refused(tmp_path, finished):
    if finished:
        run(experiments(1), RunStore(tmp_path))
    with pytest.raises(ValueError, match="jobs is 0; it must be a positive number"):
        run(experiments(1), RunStore(tmp_path), jobs=0)


def test_nothing_is_no_experiment_too_much():
    assert run([]).runs == ()


def test_a_table_that_is_written_to_by_nobody_is_enough():
    X, y = two_classes().X.copy(), two_classes().y.copy()
    X.flags.writeable = y.flags.writeable = False
    frozen = Experiment(
        (replace(two_classes(), X=X, y=y),), CrossValidation(1, 10, 3), contestants("ICLS")
    )
    plan = replace(frozen, tables=(two_classes(),))
    assert plain(run([frozen]).runs) == plain(run([plan]).runs)


# Progress.


def test_progress_grows_from_nothing_to_all():
    calls = []
    run(experiments(), on_progress=lambda *call: calls.append(call))
    assert_grows_to_all(calls)


def assert_grows_to_all(calls):
    done, totals = zip(*calls, strict=True)
    assert len(calls) == 1 + 12
    assert done[0] == 0.0
    assert all(before < after for before, after in pairwise(done))
    assert set(totals) == {done[-1]}
