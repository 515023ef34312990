"""A dataset that is always at hand, with the paper's protocol, against the paper's numbers."""

from dataclasses import replace

import pytest

from tacit.research.datasets import load_prepared
from tacit.research.experiments import complete_table, run
from tacit.research.experiments._contestants import ICLS, SELF_LEARNING
from tacit.research.paper import _published as published
from tacit.research.paper._findings import TOLERANCES, WORSE_ELSEWHERE, table2_findings
from tacit.research.paper._reproduce import Effort, experiments
from tacit.research.paper._tables import PAPER_COLUMNS, RIVALS


@pytest.fixture(scope="module")
def results():
    ((wdbc,), _) = load_prepared(["WDBC"])
    tables = (complete_table(wdbc.name, wdbc.X, wdbc.y),)
    (whole,) = experiments(tables, {"table2"}, Effort(table_repeats=published.N_REPEATS))
    named = tuple(c for c in whole.contestants if c.name in published.TABLE_2["WDBC"])
    return run([replace(whole, contestants=named)])


@pytest.fixture(scope="module")
def cells(results):
    return results.error_cells(PAPER_COLUMNS, RIVALS)


@pytest.mark.parametrize("classifier", published.TABLE_2["WDBC"])
def test_the_mean_error_is_that_of_the_published_table(cells, classifier):
    cell = cells["WDBC", classifier]
    assert cell.n_repeats == published.N_REPEATS
    assert cell.mean == pytest.approx(
        published.TABLE_2["WDBC"][classifier].error, abs=dict(TOLERANCES)[published.N_REPEATS]
    )


def test_icls_beats_self_learning_and_is_hardly_ever_above_supervised(cells):
    assert cells["WDBC", ICLS].better
    assert not cells["WDBC", SELF_LEARNING].better
    assert cells["WDBC", ICLS].times_worse <= WORSE_ELSEWHERE


def test_every_statement_on_the_table_holds(results):
    found = list(table2_findings(results))
    assert found
    assert [finding.claim for finding in found if not finding.holds] == []
