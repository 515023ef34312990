from tacit.experiments import Results
from tacit.experiments.contenders import ICLS, SELF_LEARNING, SUPERVISED
from tacit.paper import findings as judge
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
    errors = {SUPERVISED: 0.29, SELF_LEARNING: 0.24, ICLS: 0.5}
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


def test_runs_that_did_not_converge_are_told():
    runs = published_like().runs
    assert judge.flawed_finding(Results.of(runs)).holds
    flawed = Results.of([*runs, *(r for r in _renamed(runs[:1], "not converged"))])
    finding = judge.flawed_finding(flawed)
    assert finding.holds is False
    assert "not converged" in finding.evidence


def _renamed(runs, status):
    from dataclasses import replace

    return [replace(run, repeat=99, status=status) for run in runs]
