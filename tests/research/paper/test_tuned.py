"""What is said of tuned penalties, also where fits failed."""

from dataclasses import replace

import pytest

from tacit.research.experiments import Results
from tacit.research.experiments._contestants import (
    ICLS,
    LOGISTIC,
    RIDGE,
    RIDGE_ICLS,
    RIDGE_PROJECTED,
    SUPERVISED,
)
from tacit.research.paper._findings import regularised_words
from tacit.research.paper._reproduce import _regularised, _table2
from tests.research.paper.runs import published_like, table2_runs


def runs_with(ridge=0.15, **options):
    errors = {SUPERVISED: 0.3, ICLS: 0.2, RIDGE: ridge, RIDGE_ICLS: ridge - 0.05}
    errors |= {RIDGE_PROJECTED: ridge, LOGISTIC: ridge + 0.05}
    return table2_runs(errors, **options)


def failing(runs, n_failed):
    """The same with the first repeats of logistic regression failed."""
    return [
        replace(run, value=float("nan"), status="failed: ValueError: no answer")
        if run.classifier == LOGISTIC and run.repeat < n_failed
        else run
        for run in runs
    ]


def test_no_runs_have_no_words():
    assert regularised_words(Results.of([])) == ""


@pytest.mark.parametrize(
    ("ridge", "words"),
    [(0.15, "as much as ICLS does"), (0.25, "50% of what"), (0.35, "does not stand in")],
)
def test_what_is_said_of_penalties_follows_from_the_numbers(ridge, words):
    said = regularised_words(Results.of(runs_with(ridge)))
    assert words in said
    assert f"ICLS has {ridge - 0.05:.3f} (significantly better than supervised ridge on 1" in said


def test_few_repeats_give_numbers_but_no_verdict():
    said = regularised_words(Results.of(runs_with(n_repeats=2)))
    assert "takes the mean error of 1 dataset from 0.300 to 0.150" in said
    assert "With 2 repeats no difference can be significant: that takes at least 8." in said
    for word in ("few careful users", "significantly better", "worse on"):
        assert word not in said


@pytest.mark.parametrize(("n_failed", "shown"), [(15, "5\u00a0of\u00a020\u00a0repeats"), (20, "")])
def test_failed_fits_are_told_under_the_table_of_their_classifier(n_failed, shown):
    results = Results.of(failing(runs_with(), n_failed))
    section = _regularised(results)
    (finding,) = section.findings
    assert finding.holds is False
    assert f"{LOGISTIC} on Ionosphere, {n_failed} of 20 (failed: ValueError" in finding.evidence
    cell = section.grid.rows[0][-1]
    assert cell.beside == shown
    assert (cell.text == "failed") == (n_failed == 20)
    assert "over 20 repeats" in section.grid.note
    assert section.words == (
        "On no dataset did the fits of all classifiers end in every repeat, so there are no means "
        "to compare."
    )


def test_table_2_tells_of_its_own_classifiers_only():
    results = Results.of([*failing(runs_with(), 15), *published_like().runs])
    assert not any("ended properly" in finding.claim for finding in _table2(results).findings)


def test_means_are_over_the_datasets_on_which_all_fits_ended():
    whole = runs_with(dataset="Sonar")
    said = regularised_words(Results.of([*failing(runs_with(), 1), *whole]))
    assert "1 dataset (without Ionosphere, where some fits failed) from 0.300" in said
