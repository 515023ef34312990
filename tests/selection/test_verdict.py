"""Which answer follows from which differences, and in which words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score, log_loss, make_scorer

from tacit.selection import Comparison, Verdict
from tacit.selection._measure import read_measure
from tacit.selection._verdict import (
    Kind,
    MethodVerdict,
    PairedDifference,
    decisive_method,
    judge_methods,
    labels_needed,
)
from tacit.selection._wording import rate_texts

MARGIN = 0.02


def difference(
    mean: float,
    error: float,
    name: str = "ICLS",
    reference: str = "ridge",
    disagreement: float | None = 0.3,
    n_labels: int = 60,
    n_unlabeled: int = 5000,
) -> PairedDifference:
    t = stats.t(50)
    width = t.ppf(0.95) * error
    return PairedDifference(
        name,
        reference,
        mean,
        error,
        mean - width,
        mean + width,
        float(t.cdf(mean / error)),
        float(t.sf(mean / error)),
        disagreement,
        None if disagreement is None else (disagreement * n_unlabeled + 1) / (n_unlabeled + 2),
        n_labels,
        trained_on=0.9,
    )


def judged(twin: PairedDifference, best: PairedDifference | None = None) -> MethodVerdict:
    best = twin if best is None else best
    return judge_methods({twin.name: twin}, {twin.name: best}, MARGIN)[twin.name]


@pytest.mark.parametrize(
    ("mean", "error", "kind"),
    [
        (-0.10, 0.03, Kind.HELPS),
        (-0.10, 0.08, Kind.TOO_FEW),
        (-0.01, 0.004, Kind.HELPS),
        (0.00, 0.005, Kind.NO_DIFFERENCE),
        (0.00, 0.02, Kind.TOO_FEW),
        (0.10, 0.03, Kind.MAY_HURT),
        (0.09, 0.05, Kind.MAY_HURT),
        (0.08, 0.05, Kind.TOO_FEW),
        (0.08, 0.08, Kind.TOO_FEW),
        (0.01, 0.007, Kind.TOO_FEW),
        (0.01, 0.004, Kind.MAY_HURT),
    ],
)
def test_the_answer_follows_from_mean_and_error(mean: float, error: float, kind: Kind) -> None:
    assert judged(difference(mean, error)).kind is kind


def test_the_same_answers_on_all_but_a_few_rows_make_no_difference_for_certain() -> None:
    verdict = judged(difference(-0.02, 0.03, disagreement=0.01))
    assert verdict.kind is Kind.NO_DIFFERENCE
    assert verdict.certain


@pytest.mark.parametrize("disagreement", [0.0, 0.004, 0.015, 0.3, None])
@pytest.mark.parametrize("error", [0.002, 0.005, 0.01, 0.03])
def test_no_difference_never_stands_beside_an_interval_that_excludes_it(
    error: float, disagreement: float | None
) -> None:
    for mean in np.linspace(-0.2, 0.2, 81).tolist():
        method = judged(difference(mean, error, disagreement=disagreement))
        low, high = method.decisive.low, method.decisive.high
        if method.kind is Kind.NO_DIFFERENCE:
            assert low <= 0.0 <= high or max(-low, high) <= MARGIN


def test_tests_that_contradict_the_same_answers_are_heard() -> None:
    assert judged(difference(0.108, 0.04, disagreement=0.0)).kind is Kind.MAY_HURT
    assert judged(difference(-0.108, 0.04, disagreement=0.01)).kind is Kind.HELPS


def test_the_same_answers_on_a_handful_of_rows_prove_nothing() -> None:
    few_rows = difference(0.0, 0.05, disagreement=0.0, n_unlabeled=6)
    assert judged(few_rows).kind is Kind.TOO_FEW
    many_rows = difference(0.0, 0.05, disagreement=0.0, n_unlabeled=100)
    assert judged(many_rows).kind is Kind.NO_DIFFERENCE


def test_a_method_that_another_classifier_beats_without_unlabeled_rows_does_not_help() -> None:
    twin = difference(-0.10, 0.02)
    better_baseline = difference(0.05, 0.02, reference="logistic")
    assert judged(twin, better_baseline).kind is Kind.MAY_HURT
    equal_baseline = difference(0.001, 0.004, reference="logistic")
    assert judged(twin, equal_baseline).kind is Kind.NO_DIFFERENCE
    worse_baseline = difference(-0.05, 0.2, reference="logistic")
    assert judged(twin, worse_baseline).kind is Kind.HELPS


def test_looking_at_more_methods_asks_for_more_proof() -> None:
    lucky = difference(-0.10, 0.055)
    others = {f"m{k}": difference(0.0, 0.05, name=f"m{k}") for k in range(4)}
    assert judged(lucky).kind is Kind.HELPS
    together = {"ICLS": lucky, **others}
    assert judge_methods(together, together, MARGIN)["ICLS"].kind is Kind.TOO_FEW
    unlucky = difference(0.10, 0.055)
    assert judged(unlucky).kind is Kind.MAY_HURT
    together = {"ICLS": unlucky, **others}
    assert judge_methods(together, together, MARGIN)["ICLS"].kind is Kind.TOO_FEW


def test_methods_that_change_no_answer_cost_the_others_nothing() -> None:
    lucky = difference(-0.10, 0.055)
    same = {f"m{k}": difference(0.0, 0.01, f"m{k}", disagreement=0.0) for k in range(4)}
    together = {"ICLS": lucky, **same}
    assert judge_methods(together, together, MARGIN)["ICLS"].kind is Kind.HELPS


def test_labels_needed_shrink_the_error_to_the_size_asked_about() -> None:
    z = stats.norm.isf(0.05) + stats.norm.isf(0.2)
    exact = 60 * (z * 0.05 / 0.04) ** 2
    found = labels_needed(difference(0.0, 0.05), 0.04)
    assert found is not None
    assert exact <= found <= 1.1 * exact
    assert found == 580


def test_labels_needed_are_more_than_there_are_and_unknown_without_spread() -> None:
    assert labels_needed(difference(-0.1, 0.001), 0.5) == 66
    assert labels_needed(difference(0.0, 1e-300), 0.0) is None


def test_too_few_labels_names_both_numbers_and_other_answers_none() -> None:
    few = judged(difference(-0.10, 0.08))
    assert few.labels_needed is not None
    assert few.labels_needed_at_most is not None
    assert 60 < few.labels_needed < few.labels_needed_at_most
    helps = judged(difference(-0.10, 0.03))
    assert helps.labels_needed is helps.labels_needed_at_most is None


def test_help_speaks_first_then_harm_then_doubt() -> None:
    def of(*kinds: tuple[float, float]) -> Kind:
        together = {
            f"m{k}": difference(mean, error, f"m{k}") for k, (mean, error) in enumerate(kinds)
        }
        return decisive_method(judge_methods(together, together, MARGIN)).kind

    helps, hurts, unsure, same = (-0.1, 0.02), (0.1, 0.02), (0.0, 0.05), (0.0, 0.001)
    assert of(same, unsure, hurts, helps) is Kind.HELPS
    assert of(same, unsure, hurts) is Kind.MAY_HURT
    assert of(same, unsure) is Kind.TOO_FEW
    assert of(same, same) is Kind.NO_DIFFERENCE


def told(
    methods: dict[str, MethodVerdict],
    losses: dict[str, float],
    baseline: str = "ridge",
    n_rows: int = 5000,
    scoring: str = "accuracy",
) -> Verdict:
    """The verdict of a comparison with 60 labels that found this."""
    comparison = Comparison(
        methods,
        losses,
        baseline,
        splits=(),
        contestants=(),
        measure=read_measure(scoring),
        margin=MARGIN,
        label_counts={0: 30, 1: 30},
        n_unlabeled=n_rows - 60,
        notes=("A note.",),
        models={},
    )
    return comparison.verdict


def together(*differences: PairedDifference) -> Verdict:
    by_name = {d.name: d for d in differences}
    methods = judge_methods(by_name, by_name, MARGIN)
    losses = {"ridge": 0.2, **{d.name: 0.2 + d.mean for d in differences}}
    return told(methods, losses)


UNCHANGED = (
    difference(0.0, 0.01, "ICLS", disagreement=0.0),
    difference(0.0, 0.01, "projected", disagreement=0.0),
)


def test_what_is_certain_comes_before_what_cannot_be_told() -> None:
    verdict = together(*UNCHANGED, difference(-0.05, 0.05, "self-learning"))
    assert verdict.kind is Kind.TOO_FEW
    assert verdict.sentence == (
        "With ICLS and projected the unlabeled rows change nothing, and 60 labels are too few to "
        "tell whether they help with self-learning; about "
        f"{verdict.labels_needed:,} might be enough."
    )
    assert verdict.evidence[1] == (
        "ICLS and projected make no difference: they give every unlabeled row, held back in turn, "
        "the same answer as ridge."
    )


def test_harm_by_one_method_is_not_blamed_on_those_that_change_nothing() -> None:
    verdict = together(*UNCHANGED, difference(0.10, 0.02, "self-learning"))
    assert verdict.kind is Kind.MAY_HURT
    assert verdict.sentence.endswith("; with ICLS and projected they change nothing.")


def test_a_few_changed_answers_are_almost_nothing_and_a_narrow_interval_no_difference() -> None:
    doubtful = difference(-0.05, 0.05, "self-learning")
    few = together(difference(0.0, 0.01, disagreement=0.004), doubtful)
    assert few.sentence.startswith("With ICLS the unlabeled rows change almost nothing, and 60")
    narrow = together(difference(0.0, 0.001), doubtful)
    assert narrow.sentence.startswith("With ICLS the unlabeled rows make no difference, and 60")


@pytest.mark.parametrize(
    ("mean", "looks"), [(-0.05, "better than it"), (0.01, "about as good"), (0.05, "worse than it")]
)
def test_advice_in_doubt_says_how_it_looks_so_far(mean: float, looks: str) -> None:
    verdict = together(difference(mean, 0.05))
    assert verdict.kind is Kind.TOO_FEW
    assert verdict.advice == (
        "Until there are more labels, use ridge, without the unlabeled rows. "
        f"So far ICLS looks {looks}, but that may be chance."
    )


def test_the_evidence_says_what_can_be_ruled_out_in_doubt() -> None:
    no_help = together(difference(0.01, 0.007))
    assert any("help of more than 2.0 points can be ruled out" in e for e in no_help.evidence)
    no_harm = together(difference(-0.01, 0.007))
    assert any("harm of more than 2.0 points can be ruled out" in e for e in no_harm.evidence)
    neither = together(difference(0.0, 0.05))
    assert not any("ruled out" in line for line in neither.evidence)


def test_nothing_has_no_sign() -> None:
    measure = read_measure("accuracy")
    assert [measure.signed(v) for v in (0.0, -1e-9, 0.021, -0.021)] == [
        "0.0",
        "0.0",
        "+2.1",
        "-2.1",
    ]


def written(twin: PairedDifference, losses: dict[str, float], **given: Any) -> Verdict:
    return told({twin.name: judged(twin)}, losses, n_rows=1000, **given)


def test_sentences_say_how_many_answers_are_wrong() -> None:
    verdict = written(difference(-0.10, 0.02), {"ridge": 0.23, "ICLS": 0.13})
    assert verdict.sentence == (
        "The unlabeled rows help: in tests with ICLS, about 13 in 100 answers were wrong instead "
        "of 23 in 100."
    )
    assert verdict.advice == "Use ICLS."
    assert verdict.evidence[-1] == "A note."
    assert any("10.0 points lower (90% interval: -13.4 to -6.6)" in e for e in verdict.evidence)


def test_the_evidence_bounds_what_tests_with_fewer_labels_overstate() -> None:
    losses = {"ridge": 0.23, "ICLS": 0.13}
    small = written(difference(-0.10, 0.02, disagreement=0.06), losses)
    large = written(difference(-0.10, 0.02, disagreement=0.3), losses)
    assert any("the difference is 6.0 points at most" in line for line in small.evidence)
    assert not any("at most" in line for line in large.evidence)


def test_sentences_tell_of_harm_doubt_and_no_difference() -> None:
    harm = written(difference(0.10, 0.02), {"ridge": 0.23, "ICLS": 0.33})
    assert "may hurt: in tests with ICLS, about 33 in 100" in harm.sentence
    assert harm.advice == "Use ridge, without the unlabeled rows."
    doubt = written(difference(-0.05, 0.05), {"ridge": 0.23, "ICLS": 0.18})
    assert doubt.sentence.startswith("60 labels are too few to tell")
    assert f"about {doubt.labels_needed:,} might be enough" in doubt.sentence
    hopeless = written(difference(-0.05, 0.3), {"ridge": 0.23, "ICLS": 0.18})
    assert "even labels for all 1,000 rows may not be enough" in hopeless.sentence
    none = written(difference(0.0, 0.01, disagreement=0.004), {"ridge": 0.2, "ICLS": 0.2})
    assert none.sentence == (
        "The unlabeled rows make no difference: in tests with or without them, about 20 in 100 "
        "answers were wrong."
    )
    assert any("differ by at most 0.4 points" in line for line in none.evidence)


def test_other_measures_are_told_by_name() -> None:
    verdict = written(
        difference(-0.10, 0.02, disagreement=None),
        {"ridge": 0.23, "ICLS": 0.13},
        scoring="balanced_accuracy",
    )
    assert "the balanced error was 13.0% instead of 23.0%" in verdict.sentence


def test_scores_made_of_a_function_are_named_for_it() -> None:
    assert read_measure(make_scorer(f1_score)).name == "negative f1 score"
    assert read_measure(make_scorer(log_loss, greater_is_better=False)).name == "log loss"


def test_the_evidence_says_why_the_tests_show_more_than_there_can_be_in_the_end() -> None:
    verdict = written(difference(-0.12, 0.02, disagreement=0.065), {"ridge": 0.13, "ICLS": 0.01})
    assert "about 1 in 100 answers were wrong instead of 13 in 100" in verdict.sentence
    assert any(
        "6.5 points at most; the tests show more because their fits had fewer labels (90% of them)"
        in line
        for line in verdict.evidence
    )


def beats_its_twin_only(
    mean: float, error: float, *others: PairedDifference
) -> tuple[Verdict, dict[str, MethodVerdict]]:
    """ICLS gains 17 points on its twin, and differs from logistic by `mean`."""
    twin = {d.name: d for d in (difference(-0.17, 0.03), *others)}
    best = {**twin, "ICLS": difference(mean, error, reference="logistic", disagreement=0.06)}
    methods = judge_methods(twin, best, MARGIN)
    losses = {"ridge": 0.24, "ICLS": 0.07, "logistic": 0.07 - mean}
    losses |= {d.name: 0.24 + d.mean for d in others}
    return told(methods, losses, "logistic"), methods


def test_a_method_that_only_beats_its_twin_is_judged_beside_the_best_in_all_that_is_said() -> None:
    verdict, methods = beats_its_twin_only(0.05, 0.02)
    assert methods["ICLS"].decisive.reference == "logistic"
    assert methods["ICLS"].only_beats_twin
    assert verdict.kind is Kind.MAY_HURT
    assert verdict.sentence == (
        "Using ICLS may hurt: it gains 17.0 points over its supervised twin ridge, but logistic is "
        "better still without the unlabeled rows: in tests with ICLS, about 7 in 100 answers were "
        "wrong instead of 2 in 100."
    )
    assert verdict.advice == "Use logistic, without the unlabeled rows."
    (line,) = [line for line in verdict.evidence if line.startswith("ICLS")]
    p_worse = methods["ICLS"].against_best.p_worse
    assert (
        "But that of logistic, without the unlabeled rows, is 2.0%; beside it ICLS is 5.0" in line
    )
    assert "5.0 points higher (90% interval: +1.6 to +8.4); chance alone would do as badly" in line
    assert f"with probability {p_worse:.2g}." in line
    assert "ICLS and logistic give different answers for 6.0% of the unlabeled rows, held" in line


def test_of_methods_that_may_hurt_the_one_that_costs_most_speaks() -> None:
    worse = difference(0.03, 0.005, "self-learning")
    assert beats_its_twin_only(0.05, 0.015, worse)[0].method == "ICLS"
    assert beats_its_twin_only(0.025, 0.005, worse)[0].method == "self-learning"


def test_doubt_beside_the_best_names_the_labels_needed_beside_the_best() -> None:
    verdict, methods = beats_its_twin_only(0.04, 0.04)
    assert verdict.kind is Kind.TOO_FEW
    assert verdict.labels_needed == labels_needed(methods["ICLS"].against_best, 0.04)
    assert verdict.sentence.startswith(
        "60 labels are too few to tell whether the unlabeled rows help (ICLS gains 17.0 points "
        "over its supervised twin ridge, but logistic may be better still without them); about "
    )
    assert any("if the difference between ICLS and logistic is as" in e for e in verdict.evidence)


def test_a_method_as_good_as_the_best_makes_no_difference_though_it_beats_its_twin() -> None:
    verdict, _ = beats_its_twin_only(0.001, 0.002)
    assert verdict.kind is Kind.NO_DIFFERENCE
    assert verdict.sentence == (
        "Using ICLS makes no difference: it gains 17.0 points over its supervised twin ridge, but "
        "logistic does as well without the unlabeled rows: in tests with either, about 7 in 100 "
        "answers were wrong."
    )
    assert any("0.1 points higher (90% interval: -0.2 to +0.4), within the 2.0" in e
               for e in verdict.evidence)  # fmt: skip


def test_no_difference_quotes_the_errors_of_the_classifier_that_does_not_differ() -> None:
    twin = difference(0.0, 0.01, disagreement=0.0)
    best = difference(0.19, 0.01, reference="logistic")
    methods = judge_methods({"ICLS": twin}, {"ICLS": best}, MARGIN)
    losses = {"ridge": 0.24, "ICLS": 0.24, "logistic": 0.05}
    verdict = told(methods, losses, "logistic")
    assert "in tests with ICLS or ridge, about 24 in 100" in verdict.sentence


def test_small_rates_are_counted_in_thousands() -> None:
    measure = read_measure("accuracy")
    assert rate_texts(measure, 0.004, 0.013) == ["4 in 1,000", "13 in 1,000"]
    assert rate_texts(measure, 0.13, 0.23) == ["13 in 100", "23 in 100"]
    assert rate_texts(measure, 0.13) == ["13 in 100"]
