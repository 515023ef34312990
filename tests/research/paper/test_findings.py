from dataclasses import replace

import numpy as np

from tacit.research.experiments import Results
from tacit.research.experiments._contestants import ICLS, ORACLE, SELF_LEARNING, SUPERVISED
from tacit.research.paper import _findings as judge
from tacit.research.paper import check_theorem
from tacit.research.paper._tables import PAPER_COLUMNS
from tests.research.paper.runs import curve_runs, published_like, table2_runs

GOOD = {SUPERVISED: [0.3, 0.3], SELF_LEARNING: [0.3, 0.35], ICLS: [0.3, 0.25]}


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
    below, ends = judge.figure2_findings(Results.of(curve_runs(GOOD)))
    assert below.holds
    assert ends.holds
    bad = GOOD | {ICLS: [0.31, 0.25], SELF_LEARNING: [0.3, 0.25]}
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


def test_a_classifier_that_never_ended_is_told_and_nothing_is_claimed_of_it():
    runs = [
        replace(run, value=float("nan"), status="failed: x") if run.classifier == ICLS else run
        for run in published_like().runs
    ]
    (flaw,) = judge.incomplete_findings(Results.of(runs), PAPER_COLUMNS)
    assert flaw.holds is False
    assert "ICLS on Ionosphere, 20 of 20" in flaw.evidence
    assert not any("ICLS" in found.claim for found in judge.table2_findings(Results.of(runs)))


def test_one_dataset_on_which_icls_does_not_beat_self_learning_does_not_agree():
    equal = published_like(**{ICLS: 0.24})
    finding = by_word(judge.table2_findings(equal), "beats self-learning")
    assert finding.holds is False
    assert "at least 1 of 1" in finding.claim


def test_no_runs_have_no_findings():
    assert not list(judge.table2_findings(Results.of([])))
    assert not list(judge.figure2_findings(Results.of([])))


def test_the_theorem_finding_counts_violations():
    assert judge.theorem_finding(check_theorem(200)).holds
    shrunk = check_theorem(
        2000, projection=lambda beta, low, up: np.clip(beta, 0.8 * low, 0.8 * up)
    )
    assert judge.theorem_finding(shrunk).holds is False


def test_runs_that_did_not_converge_are_told():
    runs = published_like().runs
    assert not list(judge.incomplete_findings(Results.of(runs), PAPER_COLUMNS))
    late = [replace(run, repeat=99, status="not converged") for run in runs[:1]]
    (finding,) = judge.incomplete_findings(Results.of([*runs, *late]), PAPER_COLUMNS)
    assert finding.holds is False
    assert "100 of 101 runs" in finding.evidence
    assert "supervised on Ionosphere, 1 of 21 (not converged)" in finding.evidence


def test_flaws_of_classifiers_that_are_not_shown_are_not_told():
    strange = [replace(run, classifier="another", status="failed: x") for run in curve_runs(GOOD)]
    assert not list(judge.incomplete_findings(Results.of(strange), PAPER_COLUMNS))


def test_a_long_list_of_flaws_is_cut_and_says_so():
    runs = [
        replace(run, dataset=f"d{place}", status="failed: " + 50 * "why\n ")
        for place, run in enumerate(published_like().runs[:9])
    ]
    (finding,) = judge.incomplete_findings(Results.of(runs), PAPER_COLUMNS)
    assert finding.evidence.endswith("and 4 more.")
    assert "\n" not in finding.evidence
    assert len(finding.evidence) < 900


def test_of_too_few_repeats_it_is_said_that_none_can_be_significant():
    errors = {SUPERVISED: 0.29, SELF_LEARNING: 0.34, ICLS: 0.19, ORACLE: 0.13}
    few = Results.of(table2_runs(errors, n_repeats=7, dataset="Diabetes"))
    found = [f for f in judge.table2_findings(few) if "significantly" in f.claim]
    assert len(found) == 3
    for finding in found:
        assert "With 7 repeats no difference can be significant" in finding.evidence
        assert "It is on none" not in finding.evidence
        assert "It does on" not in finding.evidence


def test_one_repeat_has_no_standard_error_and_settles_nothing():
    above, ends = judge.figure2_findings(Results.of(curve_runs(GOOD, n_repeats=1)))
    assert (above.holds, ends.holds) == (None, None)
    assert "no standard error" in above.evidence
    assert "above at none" not in above.evidence
    assert ends.evidence.endswith("from that of supervised, in 1 repeat.")
    for finding in (above, ends):
        assert "inf" not in finding.evidence
        assert "±" not in finding.evidence


def test_points_where_hardly_a_fit_ended_are_named():
    runs = [
        replace(run, value=float("nan"))
        if run.classifier == ICLS and run.n_unlabeled == 4 and run.repeat > 0
        else run
        for run in curve_runs(GOOD)
    ]
    above, _ = judge.figure2_findings(Results.of(runs))
    assert above.holds is None
    assert "above at none; too few repeats to tell at Diabetes at U = 4." in above.evidence
