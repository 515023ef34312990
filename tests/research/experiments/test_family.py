"""Every method beside its supervised twin."""

import inspect

import numpy as np
import pytest
from sklearn.base import ClassifierMixin

import tacit
from docs.pictures.family import PROBLEMS, draw_family
from tacit.research.experiments import (
    CrossValidation,
    Experiment,
    Results,
    Run,
    complete_table,
    run,
)
from tacit.research.experiments._family import family_contestants, family_table

CONTESTANTS = family_contestants()


def test_every_classifier_takes_part_but_the_one_for_counts_and_those_without_twin():
    public = {
        getattr(package, name)
        for package in (tacit, tacit.family)
        for name in package.__all__
        if name != "__version__"
    }
    classifiers = {
        cls for cls in public if inspect.isclass(cls) and issubclass(cls, ClassifierMixin)
    }
    taking_part = {type(contestant.estimator) for contestant in CONTESTANTS}
    # The flagship has many anchors in place of one twin, and a suite of its own.
    without = {
        tacit.family.EMNaiveBayesClassifier,
        tacit.TunedLogisticRegression,
        tacit.TacitClassifier,
    }
    assert classifiers - taking_part == without


def test_every_twin_is_there_and_has_none_itself():
    by_name = {contestant.name: contestant for contestant in CONTESTANTS}
    for contestant in CONTESTANTS:
        assert contestant.twin is None or by_name[contestant.twin].twin is None
    assert len(by_name) == len(CONTESTANTS)


def test_all_of_them_run_on_a_small_table():
    random = np.random.default_rng(0)
    y = np.arange(80) % 2
    table = complete_table("small", random.normal(size=(80, 3)) + 2.0 * y[:, None], y)
    protocol = CrossValidation(1, n_labeled=12, n_folds=2)
    results = run([Experiment((table,), protocol, CONTESTANTS)])
    assert {r.status for r in results.runs} == {"ok"}
    grid = family_table(results, CONTESTANTS, 2)
    assert [row[0].text for row in grid.rows] == [contestant.name for contestant in CONTESTANTS]
    assert all(float(row[1].text) < 0.3 for row in grid.rows)


def runs(name, errors, dataset="d"):
    """Runs with these errors, one a repeat; those that are NaN have failed."""
    return [
        Run(dataset, "cross-validation", name, 10, 50, repeat, "error", value, 0.1, status)
        for repeat, value in enumerate(errors)
        for status in ("ok" if np.isfinite(value) else "failed: ValueError: no answer",)
    ]


def table_of(*groups):
    grid = family_table(Results.of([run for group in groups for run in group]), CONTESTANTS, 5)
    return {row[0].text: row for row in grid.rows}, grid


def twin_of(n_repeats):
    return np.linspace(0.2, 0.3, n_repeats)


def test_better_is_bold_and_worse_is_underlined_against_the_own_twin():
    twin = twin_of(10)
    rows, grid = table_of(
        runs("LDA", twin), runs("EM LDA", twin + 0.05), runs("pessimistic LDA", twin - 0.05)
    )
    assert set(rows) == {"LDA", "EM LDA", "pessimistic LDA"}
    assert rows["LDA"][0].bold
    worse, better = rows["EM LDA"], rows["pessimistic LDA"]
    assert (worse[4].underline, worse[4].bold, worse[4].text) == (True, False, ".300 (10)")
    assert (better[4].underline, better[4].bold, better[4].text) == (False, True, ".200 (0)")
    assert [cell.text for cell in worse[1:4]] == [".300", "0", "1"]
    assert [cell.text for cell in better[1:4]] == [".200", "1", "0"]
    assert "properly" not in grid.note
    assert "left out" not in grid.note


def test_a_method_whose_fits_all_failed_stays_and_has_no_mean():
    twin = twin_of(10)
    rows, grid = table_of(
        runs("LDA", twin), runs("LDA", twin, "e"),
        runs("EM LDA", twin), runs("EM LDA", np.full(10, np.nan), "e"),
        runs("pessimistic LDA", np.full(10, np.nan)),
    )  # fmt: skip
    assert [cell.text for cell in rows["EM LDA"][1:]] == ["–", "0", "0", ".250 (0)", "failed"]
    assert [cell.text for cell in rows["pessimistic LDA"][1:]] == ["–", "0", "0", "failed", "–"]
    assert "EM LDA on e, 10 of 10 (failed: ValueError: no answer)" in grid.note
    (record,) = [r for r in grid.records if (r["method"], r["dataset"]) == ("EM LDA", "e")]
    assert (record["error"], record["repeats"], record["incomplete"]) == (None, 0, 10)


def test_a_failed_repeat_is_told_and_the_others_are_compared():
    twin = twin_of(10)
    once = twin - 0.05
    once[3] = np.nan
    rows, grid = table_of(runs("LDA", twin), runs("EM LDA", once))
    cell = rows["EM LDA"][4]
    assert cell.bold
    assert cell.beside == "9\u00a0of\u00a010\u00a0repeats"
    assert "EM LDA on d, 1 of 10 (failed: ValueError: no answer)" in grid.note


def test_nothing_is_counted_against_a_twin_that_failed():
    rows, grid = table_of(runs("LDA", np.full(8, np.nan)), runs("EM LDA", twin_of(8)))
    assert rows["LDA"][4].text == "failed"
    assert rows["EM LDA"][4].text == ".250"
    assert "LDA on d, 8 of 8 (failed" in grid.note


def test_a_method_that_was_not_run_on_a_dataset_has_no_number_there():
    twin = twin_of(8)
    rows, _ = table_of(runs("SVM", twin), runs("SVM", twin, "many"), runs("S4VM", twin))
    assert [cell.text for cell in rows["S4VM"][4:]] == [".250 (0)", "–"]
    assert rows["S4VM"][1].text == ".250"


@pytest.mark.parametrize(
    ("n_repeats", "count", "words"),
    [
        (1, "–", "With 1 repeat no difference can be significant: that takes at least 8."),
        (7, "–", "With 7 repeats no difference can be significant: that takes at least 8."),
        (8, "1", "With 8 repeats that takes a difference of the same sign in every one of them."),
    ],
)
def test_what_so_few_repeats_can_tell_is_said(n_repeats, count, words):
    twin = twin_of(n_repeats)
    rows, grid = table_of(runs("LDA", twin), runs("EM LDA", twin - 0.05))
    assert [cell.text for cell in rows["EM LDA"][2:4]] == [count, "0" if count == "1" else "–"]
    assert [cell.text for cell in rows["LDA"][2:4]] == ["", ""]
    assert words in grid.note
    assert "1 repeats" not in grid.note


def test_the_figure_has_a_panel_for_every_method_and_problem():
    figure = draw_family()
    panels = [axes for axes in figure.axes if axes.get_visible()]
    methods = [contestant for contestant in CONTESTANTS if contestant.twin is not None]
    assert len(panels) == len(PROBLEMS) * len(methods)
    assert "self-learning" in panels[0].get_title()
