"""Every method beside its supervised twin."""

import inspect

import numpy as np
import pytest
from sklearn.base import is_classifier

import tacit
from tacit.experiments import CrossValidation, Results, Run, Table, run
from tacit.experiments.family import (
    MANY_FEATURES,
    SLOW,
    family_contenders,
    family_experiments,
    family_table,
)
from tacit.experiments.family_figure import PROBLEMS, draw_family

CONTENDERS = family_contenders()


def test_every_classifier_takes_part_but_the_one_for_counts_and_the_twin_of_none():
    public = {getattr(tacit, name) for name in tacit.__all__ if name != "__version__"}
    classifiers = {cls for cls in public if inspect.isclass(cls) and is_classifier(cls())}
    taking_part = {type(contender.estimator) for contender in CONTENDERS}
    without = {tacit.EMNaiveBayesClassifier, tacit.TunedLogisticRegression}
    assert classifiers - taking_part == without


def test_every_twin_is_there_and_is_its_own():
    by_name = {contender.name: contender for contender in CONTENDERS}
    for contender in CONTENDERS:
        assert by_name[contender.twin].twin == contender.twin
    assert len(by_name) == len(CONTENDERS)


def test_slow_methods_are_left_out_where_there_are_many_features():
    random = np.random.default_rng(0)
    y = np.arange(400) % 2
    tables = [
        Table.of("few", random.normal(size=(60, 3)), y[:60]),
        Table.of("many", random.normal(size=(400, MANY_FEATURES + 1)), y),
    ]
    few, many = family_experiments(tables, CrossValidation(1, n_folds=2), CONTENDERS)
    assert {c.name for c in few.contenders} - {c.name for c in many.contenders} == SLOW
    assert [table.name for table in many.tables] == ["many"]


def test_all_of_them_run_on_a_small_table():
    random = np.random.default_rng(0)
    y = np.arange(80) % 2
    table = Table.of("small", random.normal(size=(80, 3)) + 2.0 * y[:, None], y)
    protocol = CrossValidation(1, n_labeled=12, n_folds=2)
    results = run(family_experiments([table], protocol, CONTENDERS))
    assert {r.status for r in results.runs} == {"ok"}
    grid = family_table(results, CONTENDERS, 2)
    assert [row[0].text for row in grid.rows] == [contender.name for contender in CONTENDERS]
    assert all(float(row[1].text) < 0.3 for row in grid.rows)


@pytest.fixture
def made_up():
    def runs(name, errors):
        return [
            Run("d", "cross-validation", name, 10, 50, repeat, "error", value, 0.1, "ok")
            for repeat, value in enumerate(errors)
        ]

    twin = np.linspace(0.2, 0.3, 10)
    return Results.of(
        runs("LDA", twin) + runs("EM LDA", twin + 0.05) + runs("pessimistic LDA", twin - 0.05)
    )


def test_better_is_bold_and_worse_is_underlined_against_the_own_twin(made_up):
    rows = {row[0].text: row for row in family_table(made_up, CONTENDERS, 5).rows}
    assert set(rows) == {"LDA", "EM LDA", "pessimistic LDA"}
    assert rows["LDA"][0].bold
    worse, better = rows["EM LDA"], rows["pessimistic LDA"]
    assert (worse[4].underline, worse[4].bold, worse[4].text) == (True, False, ".300 (10)")
    assert (better[4].underline, better[4].bold, better[4].text) == (False, True, ".200 (0)")
    assert [cell.text for cell in worse[1:4]] == [".300", "0", "1"]
    assert [cell.text for cell in better[1:4]] == [".200", "1", "0"]


def test_the_figure_has_a_panel_for_every_method_and_problem():
    figure = draw_family()
    panels = [axes for axes in figure.axes if axes.get_visible()]
    methods = [contender for contender in CONTENDERS if contender.twin != contender.name]
    assert len(panels) == len(PROBLEMS) * len(methods)
    assert "self-learning" in panels[0].get_title()
