from dataclasses import replace

import numpy as np
import pytest

from tacit.experiments import Results
from tacit.experiments.contenders import ICLS, ORACLE, SELF_LEARNING, SUPERVISED
from tacit.paper import findings as judge
from tacit.paper.plans import LOGISTIC, RIDGE, RIDGE_ICLS, RIDGE_PROJECTED
from tacit.paper.theorem import check
from tests.paper.runs import curve_runs, published_like, table2_runs


def by_word(findings, word):
    (found,) = [finding for finding in findings if word in finding.claim]
    return found


def test_means_as_published_agree():
    finding = by_word(judge.table2_findings(published_like()), "mean error")
    assert finding.holds
    assert "4 of 4 cells" in finding.evidence


def test_a_mean_that_is_far_off_is_named():
    finding = by_word(judge.table2_findings(published_like(**{ICLS: 0.23})), "mean error")
    assert finding.holds is False
    assert "Ionosphere, ICLS (+0.040)" in finding.evidence


def test_with_a_hundred_repeats_the_tolerance_is_tighter():
    errors = {SUPERVISED: 0.29, SELF_LEARNING: 0.24, ICLS: 0.215}
    twenty = by_word(judge.table2_findings(Results.of(table2_runs(errors))), "mean error")
    hundred = Results.of(table2_runs(errors, n_repeats=100))
    assert twenty.holds
    assert by_word(judge.table2_findings(hundred), "mean error").holds is False


def test_few_repeats_settle_nothing():
    errors = {SUPERVISED: 0.29, SELF_LEARNING: 0.24, ICLS: 0.5, ORACLE: 0.13}
    results = Results.of(table2_runs(errors, n_repeats=2))
    assert {finding.holds for finding in judge.table2_findings(results)} == {None}


def test_icls_above_supervised_too_often_does_not_agree():
    rarely = by_word(judge.table2_findings(published_like()), "rarely")
    assert rarely.holds
    often = by_word(judge.table2_findings(published_like(**{ICLS: 0.29})), "rarely")
    assert often.holds is False
    assert "Ionosphere" in often.evidence


def test_curves_of_icls_above_supervised_are_named():
    good = {SUPERVISED: [0.3, 0.3], SELF_LEARNING: [0.3, 0.35], ICLS: [0.3, 0.25]}
    below, ends = judge.figure2_findings(Results.of(curve_runs(good)))
    assert below.holds
    assert ends.holds
    bad = good | {ICLS: [0.31, 0.25], SELF_LEARNING: [0.3, 0.25]}
    above, ends = judge.figure2_findings(Results.of(curve_runs(bad)))
    assert above.holds is False
    assert "Diabetes at U = 2 " in above.evidence
    assert ends.holds is False


def test_a_failed_fit_leaves_the_curves_open_and_hides_nothing():
    curves = {SUPERVISED: [0.3, 0.3], SELF_LEARNING: [0.3, 0.35], ICLS: [0.4, 0.4]}
    runs = [
        replace(run, value=float("nan")) if run.classifier == ICLS and run.repeat == 0 else run
        for run in curve_runs(curves)
    ]
    above, _ = judge.figure2_findings(Results.of(runs))
    assert above.holds is None
    assert "Diabetes at U = 2 " in above.evidence
    assert "99 repeats" in above.evidence


def test_a_classifier_that_never_ended_does_not_agree():
    runs = [
        replace(run, value=float("nan")) if run.classifier == ICLS else run
        for run in published_like().runs
    ]
    found = list(judge.table2_findings(Results.of(runs)))
    assert by_word(found, "Every cell").holds is False
    assert "ICLS on Ionosphere" in by_word(found, "Every cell").evidence
    assert not any("ICLS" in finding.claim for finding in found)


def test_one_dataset_on_which_icls_does_not_beat_self_learning_does_not_agree():
    equal = published_like(**{ICLS: 0.24})
    finding = by_word(judge.table2_findings(equal), "beats self-learning")
    assert finding.holds is False
    assert "at least 1 of 1" in finding.claim


def test_no_runs_have_no_findings():
    assert not list(judge.table2_findings(Results.of([])))
    assert not list(judge.figure2_findings(Results.of([])))
    assert judge.regularised_words(Results.of([])) == ""


@pytest.mark.parametrize(
    ("ridge", "words"),
    [(0.15, "as much as ICLS does"), (0.25, "50% of what"), (0.35, "does not stand in")],
)
def test_what_is_said_of_penalties_follows_from_the_numbers(ridge, words):
    errors = {SUPERVISED: 0.3, ICLS: 0.2, RIDGE: ridge, RIDGE_ICLS: ridge - 0.05}
    errors |= {RIDGE_PROJECTED: ridge, LOGISTIC: ridge + 0.05}
    said = judge.regularised_words(Results.of(table2_runs(errors)))
    assert words in said
    assert f"ICLS has {ridge - 0.05:.3f} (significantly better than supervised ridge on 1" in said


def test_the_theorem_finding_counts_violations():
    assert judge.theorem_finding(check(200)).holds
    shrunk = check(2000, projection=lambda beta, low, up: np.clip(beta, 0.8 * low, 0.8 * up))
    assert judge.theorem_finding(shrunk).holds is False


def test_runs_that_did_not_converge_are_told():
    runs = published_like().runs
    assert not list(judge.flawed_findings(Results.of(runs)))
    late = [replace(run, repeat=99, status="not converged") for run in runs[:1]]
    (finding,) = judge.flawed_findings(Results.of([*runs, *late]))
    assert finding.holds is False
    assert "not converged" in finding.evidence
