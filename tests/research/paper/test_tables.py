import csv
import io

import pytest

from tacit.research.datasets import PAPER
from tacit.research.experiments import Results
from tacit.research.experiments._contestants import (
    ICLS,
    LOGISTIC,
    ORACLE,
    PROJECTED,
    RIDGE,
    RIDGE_ICLS,
    RIDGE_PROJECTED,
    SELF_LEARNING,
    SUPERVISED,
)
from tacit.research.experiments._measures import ERROR
from tacit.research.paper import _published as published
from tacit.research.paper._figures import draw_figure2
from tacit.research.paper._tables import (
    PAPER_COLUMNS,
    RIVALS,
    difference,
    published_cell,
    regularised_table,
    table2,
)
from tests.research.paper.runs import curve_runs, published_like, table2_runs


def test_the_published_tables_cover_the_twelve_datasets():
    assert tuple(published.TABLE_1) == tuple(published.TABLE_2) == PAPER


def test_cells_hold_mean_difference_and_times_worse():
    cells = published_like().error_cells(PAPER_COLUMNS, RIVALS)
    icls = cells["Ionosphere", ICLS]
    assert icls.mean == pytest.approx(0.19)
    assert difference(icls) == pytest.approx(0.0, abs=1e-12)
    assert (icls.times_worse, published_cell(icls).times_worse) == (0, 0)
    assert cells["Ionosphere", SUPERVISED].times_worse is None
    assert published_cell(cells["Ionosphere", PROJECTED]) is None


def test_only_the_better_of_icls_and_self_learning_is_bold():
    cells = published_like().error_cells(PAPER_COLUMNS, RIVALS)
    assert cells["Ionosphere", ICLS].better
    assert not cells["Ionosphere", SELF_LEARNING].better
    swapped = published_like(**{ICLS: 0.24, SELF_LEARNING: 0.19}).error_cells(PAPER_COLUMNS, RIVALS)
    assert swapped["Ionosphere", SELF_LEARNING].better
    assert not swapped["Ionosphere", ICLS].better


def test_no_cell_is_bold_or_underlined_where_the_difference_is_noise():
    close = {ICLS: 0.2401, SELF_LEARNING: 0.24, SUPERVISED: 0.2399, PROJECTED: 0.24}
    close = published_like(**close)
    cells = close.error_cells(PAPER_COLUMNS, RIVALS)
    assert not any(cell.better or cell.worse for cell in cells.values())


def test_a_classifier_without_a_rival_is_never_bold():
    cells = published_like(**{PROJECTED: 0.05}).error_cells(PAPER_COLUMNS, RIVALS)
    assert not cells["Ionosphere", PROJECTED].better


def test_significantly_worse_than_supervised_is_underlined():
    cells = published_like(**{SELF_LEARNING: 0.33}).error_cells(PAPER_COLUMNS, RIVALS)
    assert cells["Ionosphere", SELF_LEARNING].worse
    assert cells["Ionosphere", SELF_LEARNING].times_worse == 20


def test_table_2_prints_standard_error_published_value_and_difference():
    grid = table2(published_like(**{ICLS: 0.2}))
    (row,) = grid.rows
    icls = row[1 + list(PAPER_COLUMNS).index(ICLS)]
    assert icls.text.startswith(".200\u00a0±\u00a0.00")
    assert icls.text.endswith("(0)")
    assert icls.beside == "paper\u00a0.19\u00a0(0), +.010"
    assert row[1].text.count("(") == 0  # supervised is not compared with itself


def test_the_csv_of_table_2_has_one_line_a_cell():
    rows = list(csv.DictReader(io.StringIO(table2(published_like()).csv())))
    assert [row["classifier"] for row in rows] == list(PAPER_COLUMNS)
    assert float(rows[2]["error"]) == pytest.approx(0.19)


def test_the_tuned_classifiers_are_compared_with_tuned_ridge():
    errors = {SUPERVISED: 0.3, ICLS: 0.2, RIDGE: 0.15, RIDGE_ICLS: 0.1, RIDGE_PROJECTED: 0.15}
    errors[LOGISTIC] = 0.2
    results = Results.of(table2_runs(errors))
    (row,) = regularised_table(results).rows
    cells = dict(zip(("dataset", SUPERVISED, *list(errors)[1:]), row, strict=True))
    assert cells[RIDGE_ICLS].bold
    assert cells[RIDGE_ICLS].text.endswith("(0)")
    assert cells[LOGISTIC].underline
    assert cells[LOGISTIC].text.endswith("(20)")
    assert not cells[RIDGE_PROJECTED].bold
    # Ridge itself is compared with supervised.
    assert cells[RIDGE].bold


def test_a_classifier_that_was_not_run_has_a_dash():
    results = Results.of(table2_runs({SUPERVISED: 0.3, ICLS: 0.2}))
    (row,) = table2(results).rows
    assert row[1 + list(PAPER_COLUMNS).index(ORACLE)].text == "–"


def test_own_methods_are_columns_of_the_tables_and_curves_of_the_figure():
    errors = {SUPERVISED: 0.29, SELF_LEARNING: 0.24, ICLS: 0.19, RIDGE: 0.2, "mine": 0.1}
    results = Results.of(table2_runs(errors))
    for grid in (table2(results), regularised_table(results)):
        assert grid.columns[-1] == "mine"
        assert grid.rows[0][-1].bold
        assert grid.rows[0][-1].text.endswith("(0)")
    assert "mine, where it beats supervised" in table2(results).note
    curves = Results.of(curve_runs({SUPERVISED: [0.3, 0.3], "mine": [0.3, 0.2]}, n_repeats=2))
    (panel,) = draw_figure2(curves, ERROR).axes
    assert [line.get_label() for line in panel.lines] == [SUPERVISED, "mine"]
