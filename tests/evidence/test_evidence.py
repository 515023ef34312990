"""Leave-one-out, averages, the gate and calibration, against plain computations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from tacit.evidence import (
    ALPHAS,
    Candidate,
    Evidence,
    average,
    calibrated_temperature,
    kernel_scale,
    probabilities,
    ridge_path,
    weigh,
)
from tacit.evidence._average import row_losses, smoothed_errors, winners

L = 12


def problem(n_columns: int = 1, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(L, 3))
    Y = np.where(random.random((L, n_columns)) < 0.5, -1.0, 1.0)
    return X @ X.T, Y, random.uniform(0.5, 2.0, L)


def plain_ridge(K: Any, Y: Any, w: Any, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Minimise sum w (y - K c - b)^2 + alpha c'Kc by its stationary equations."""
    n = len(K)
    system = np.block([[K + alpha * np.diag(1.0 / w), np.ones((n, 1))], [np.ones((1, n)), 0.0]])
    solution = np.linalg.solve(system, np.vstack([Y, np.zeros((1, Y.shape[1]))]))
    return solution[:-1], solution[-1]


@pytest.mark.parametrize("n_columns", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_is_that_of_refits_without_the_row(n_columns: int, weighted: bool) -> None:
    K, Y, w = problem(n_columns)
    Y = Y * np.linspace(0.5, 2.0, L)[:, None]  # a label is one of -1 and 1, a target any number
    w = w if weighted else np.ones(L)
    path = ridge_path(K, Y, w)
    for a, alpha in enumerate(ALPHAS):
        dual, intercept = plain_ridge(K, Y, w, alpha)
        np.testing.assert_allclose(path.dual[a], dual, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(path.intercept[a], intercept, rtol=1e-6, atol=1e-8)
        for i in range(L):
            rest = np.arange(L) != i
            c, b = plain_ridge(K[np.ix_(rest, rest)], Y[rest], w[rest], alpha)
            expected = K[i, rest] @ c + b
            np.testing.assert_allclose(path.left_out[a, i], expected, rtol=1e-5, atol=1e-6)


def test_leave_one_out_does_not_know_the_label_of_the_row() -> None:
    K, Y, w = problem()
    flipped = Y.copy()
    flipped[3] *= -1.0
    before, after = ridge_path(K, Y, w), ridge_path(K, flipped, w)
    np.testing.assert_allclose(before.left_out[:, 3], after.left_out[:, 3], atol=1e-8)


def test_the_scale_of_a_kernel_is_the_spread_of_its_rows_wherever_they_lie() -> None:
    X = np.random.default_rng(0).normal(size=(L, 3))
    spread = X.var(axis=0).sum()
    assert kernel_scale(X @ X.T) == pytest.approx(spread)
    assert kernel_scale((X + 5.0) @ (X + 5.0).T) == pytest.approx(spread)
    assert kernel_scale(np.ones((L, L))) == 1.0
    assert kernel_scale(np.zeros((L, L))) == 1.0
    # Whatever the unit of the rows is, and where their mean is a million times their spread.
    for unit in (1e-20, 1e20):
        assert kernel_scale(unit * X @ X.T) == pytest.approx(unit * spread)
        assert kernel_scale(unit * np.ones((L, L)) + 1e-14 * unit * X @ X.T) == 1.0


def test_penalties_go_from_interpolation_to_nearly_the_constant() -> None:
    np.testing.assert_allclose(ALPHAS, [1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0])


def test_rounding_errors_of_a_kernel_do_not_count_as_its_penalty() -> None:
    # A kernel that should be of rank one and has eigenvalues below zero by rounding.
    random = np.random.default_rng(0)
    x, Y = random.normal(size=(L, 1)), random.normal(size=(L, 1))
    noise = random.normal(size=(L, L))
    K = x @ x.T
    exact, near = (ridge_path(each, Y, np.ones(L)) for each in (K, K + 1e-3 * (noise + noise.T)))
    np.testing.assert_allclose(near.left_out[-1], exact.left_out[-1], atol=1e-3)
    assert np.abs(near.left_out).max() < 1e2


def candidates(Y: np.ndarray, noises: tuple[float, ...], views: tuple[bool, ...]) -> list[Any]:
    random = np.random.default_rng(0)
    fits = [Y + noise * random.normal(size=Y.shape) for noise in noises]
    shares = [1.0 / len(noises)] * len(noises)
    return [
        Candidate(f"c{i}", fit, share, is_view)
        for i, (fit, share, is_view) in enumerate(zip(fits, shares, views, strict=True))
    ]


def test_weights_are_exponential_and_the_honest_average_leaves_a_rows_own_loss_out() -> None:
    _, Y, w = problem(3)
    all_ = candidates(Y, (0.5, 1.0, 2.0), (False, False, True))
    result = average(all_, Y, w)
    losses = np.stack([0.25 * ((c.left_out - Y) ** 2).sum(axis=1) for c in all_])
    raw = np.exp(-0.5 * losses @ w)
    np.testing.assert_allclose(result.weights, raw / raw.sum())
    for i in range(L):
        rest = np.arange(L) != i
        raw = np.exp(-0.5 * losses[:, rest] @ w[rest])
        expected = sum(
            share * c.left_out[i] for share, c in zip(raw / raw.sum(), all_, strict=True)
        )
        np.testing.assert_allclose(result.left_out[i], expected)
    np.testing.assert_allclose(result.loss, 0.25 * ((result.left_out - Y) ** 2).sum(axis=1))


def test_two_classes_weigh_the_same_as_one_column_and_as_two() -> None:
    _, Y, w = problem()
    one = candidates(Y, (0.5, 1.0), (False, True))
    two = [Candidate(c.name, np.hstack([-c.left_out, c.left_out]), c.prior, c.is_view) for c in one]
    np.testing.assert_allclose(
        average(one, Y, w).weights, average(two, np.hstack([-Y, Y]), w).weights
    )


def test_a_view_that_predicts_better_is_used() -> None:
    _, Y, w = problem()
    weighing = weigh(candidates(Y, (1.5, 0.1), (False, True)), Y, w, 0.5, 100)
    evidence = weighing.evidence
    assert evidence.uses_views
    assert evidence.gain > 0.5 * evidence.standard_error
    assert weighing.chosen.weights[1] > 0.5
    assert weighing.anchors.weights.tolist() == [1.0, 0.0]
    assert "So the 100 unlabeled rows are used" in str(evidence)


@pytest.mark.parametrize(("factor", "caution"), [(-0.5, 0.0), (1.0, np.inf)])
def test_without_evidence_enough_the_answer_is_the_anchors(factor: float, caution: float) -> None:
    _, Y, w = problem()
    all_ = [Candidate("anchor", 0.2 * Y, 0.5, False), Candidate("view", factor * Y, 0.5, True)]
    weighing = weigh(all_, Y, w, caution, 100)
    assert not weighing.evidence.uses_views
    np.testing.assert_array_equal(weighing.chosen.weights, weighing.anchors.weights)
    assert "the answer is the anchors' average" in str(weighing.evidence)


def test_what_rounding_gains_is_no_evidence() -> None:
    _, Y, w = problem()
    all_ = [Candidate("anchor", 0.2 * Y, 0.5, False), Candidate("view", 0.2 * Y + 1e-15, 0.5, True)]
    for sign in (1.0, -1.0):
        assert not weigh(all_, sign * Y, w, 0.0, 100).evidence.uses_views


def test_smoothed_errors_that_fall_by_next_to_nothing_are_no_evidence() -> None:
    # Four rows stay wrong, two change places, and four that were right are a little more so.
    Y = np.ones((10, 1))
    anchor = np.array([[-0.5] * 4 + [0.1, -0.1] + [0.99] * 4]).T
    view = np.array([[-0.5] * 4 + [-0.1, 0.1] + [1.0] * 4]).T
    both = [Candidate("a", anchor, 1e-13, False), Candidate("v", view, 1.0, True)]
    evidence = weigh(both, Y, np.ones(10), 0.0, 3).evidence
    assert evidence.gain > 1e-5
    assert evidence.all_error == evidence.anchors_error
    assert 0.0 < evidence.smoothed_gain < 3e-10
    assert not evidence.uses_views


def test_the_standard_error_is_that_of_a_weighted_mean() -> None:
    random = np.random.default_rng(5)
    w = np.ones(40)
    w[:2] = 30.0
    ratios = []
    for _ in range(300):
        Y = np.where(random.random((40, 1)) < 0.5, -1.0, 1.0)
        two = [random.normal(size=(40, 1)) for _ in range(2)]
        both = [Candidate(str(k), each, 0.5, bool(k)) for k, each in enumerate(two)]
        evidence = weigh(both, Y, w / w.mean(), 0.5, 1).evidence
        ratios.append(evidence.gain / evidence.standard_error)
    assert np.std(ratios) < 1.8  # 2.75 where the weights are not looked at


def test_a_lower_loss_with_more_errors_is_not_enough() -> None:
    Y = np.ones((10, 1))
    Y[5:] = -1.0
    hesitant = 0.05 * Y  # right everywhere, and far from the targets
    bold = Y.copy()
    bold[0] = -0.1  # one error, and else perfect
    both = [Candidate("hesitant", hesitant, 0.5, False), Candidate("bold", bold, 0.5, True)]
    evidence = weigh(both, Y, np.ones(10), 0.5, 7).evidence
    assert evidence.gain > evidence.standard_error
    assert evidence.all_error > evidence.anchors_error
    assert not evidence.uses_views


def test_a_lower_loss_of_rows_that_were_right_before_is_not_enough() -> None:
    # Ten classes; the anchor is right everywhere and shy, the view is bold and nearly wrong twice.
    Y = -np.ones((40, 10))
    Y[np.arange(40), np.arange(40) % 10] = 1.0
    shy, bold = 0.3 * Y, 0.9 * Y
    bold[:8] = 0.01 * Y[:8]
    both = [Candidate("shy", shy, 0.5, False), Candidate("bold", bold, 0.5, True)]
    evidence = weigh(both, Y, np.ones(40), 0.5, 7).evidence
    assert evidence.gain > evidence.standard_error
    assert evidence.all_error == evidence.anchors_error == 0.0
    assert evidence.smoothed_gain < 0.0
    assert not evidence.uses_views
    assert f"the smoothed error by +{-evidence.smoothed_gain:.3f}" in str(evidence)


def test_smoothed_errors_follow_the_margin_and_are_the_same_for_one_column_and_two() -> None:
    truth = np.array([[1.0], [-1.0], [1.0], [-1.0]])
    predictions = np.array([[0.9], [0.9], [0.0], [-0.05]])
    found = smoothed_errors(predictions, truth)
    np.testing.assert_allclose(
        found, [1 / (1 + np.e**18), 1 / (1 + np.e**-18), 0.5, 1 / (1 + np.e)]
    )
    two = smoothed_errors(np.hstack([-predictions, predictions]), np.hstack([-truth, truth]))
    np.testing.assert_allclose(two, found)
    # Of several classes the largest other one counts.
    three = smoothed_errors(np.array([[0.2, 0.1, -0.9]]), np.array([[1.0, -1.0, -1.0]]))
    np.testing.assert_allclose(three, [1 / (1 + np.e)])


def test_evidence_tells_three_sentences_a_table_and_a_picture() -> None:
    _, Y, w = problem()
    all_ = candidates(Y, (1.5, 0.1, 0.3), (False, True, True))
    evidence = weigh([*all_, all_[1]], Y, w, 0.5, 1).evidence
    assert len(str(evidence).splitlines()) == 3
    frame = evidence.frame()
    assert frame["name"].tolist()[0] == "c1"
    assert len(frame) == 3  # the same name is one entry
    assert frame["weight"].sum() == pytest.approx(1.0)
    figure = evidence.plot()
    assert len(figure.axes[0].patches) == 3
    alone = weigh(all_[:1], Y, w, 0.5, 0).evidence
    assert "no views" in str(alone)


def test_probabilities_are_calibrated_and_keep_the_order_of_the_decisions() -> None:
    random = np.random.default_rng(0)
    decisions = random.normal(size=(4000, 1))
    truth = np.where(random.random((4000, 1)) < 1.0 / (1.0 + np.exp(-3.0 * decisions)), 1.0, -1.0)
    temperature = calibrated_temperature(decisions, truth, np.ones(4000))
    assert temperature == pytest.approx(1.5, rel=0.1)
    shares = probabilities(decisions, temperature)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(shares[:, 1] > 0.5, decisions[:, 0] > 0.0)


def test_a_perfect_score_is_not_taken_for_certainty() -> None:
    Y = 2.0 * np.eye(3)[np.arange(9) % 3] - 1.0
    shares = probabilities(Y, calibrated_temperature(Y, Y, np.ones(9)))
    assert 0.8 < shares.max() < 0.95


def brute_temperature(left_out: Any, Y: Any, weights: Any) -> float:
    """The least weighted log loss with targets drawn towards even odds."""
    n_classes = Y.shape[1]
    total = weights.sum()
    smooth = ((Y > 0.0) * total + 1.0 / n_classes) / (total + 1.0)

    def loss(log_factor: float) -> float:
        return -float(
            weights @ (smooth * log_softmax(np.exp(log_factor) * left_out, axis=1)).sum(1)
        )

    return float(np.exp(minimize_scalar(loss, bounds=(-5.0, 5.0), options={"xatol": 1e-9}).x))


def test_the_temperature_minimises_the_log_loss_with_targets_of_even_odds_mixed_in() -> None:
    random = np.random.default_rng(3)
    Y = 2.0 * np.eye(3)[random.integers(0, 3, 15)] - 1.0
    decisions, w = Y + 1.2 * random.normal(size=Y.shape), random.uniform(0.1, 2.0, 15)
    expected = brute_temperature(decisions, Y, w)
    assert calibrated_temperature(decisions, Y, w) == pytest.approx(expected, rel=1e-5)
    one, two = decisions[:, :1], np.hstack([-decisions[:, :1], decisions[:, :1]])
    expected = brute_temperature(two, np.hstack([-Y[:, :1], Y[:, :1]]), w)
    assert calibrated_temperature(one, Y[:, :1], w) == pytest.approx(expected, rel=1e-5)


def test_beyond_its_range_the_temperature_says_nothing_or_everything() -> None:
    Y = np.array([[1.0], [-1.0], [1.0]])
    assert calibrated_temperature(-Y, Y, np.ones(3)) == 1e-6  # wrong everywhere
    assert calibrated_temperature(0.0 * Y, Y, np.ones(3)) == 1e-6
    assert calibrated_temperature(1e-4 * Y, Y, np.ones(3)) == 100.0
    assert probabilities(np.array([[0.5]]), 2.0)[0, 1] == pytest.approx(1.0 / (1.0 + np.e**-2))


def test_of_equal_values_the_first_class_wins() -> None:
    assert winners(np.array([[0.0], [0.5], [-0.5]])).tolist() == [False, True, False]
    assert winners(np.array([[0.3, 0.3, 0.1], [0.1, 0.2, 0.4]])).tolist() == [0, 2]


def test_losses_of_a_row_are_squares_halved_for_each_kind_of_target() -> None:
    assert row_losses(np.array([[4.0]]), np.ones((1, 1))).tolist() == [4.5]
    assert row_losses(np.array([[4.0, 1.0]]), np.array([[1.0, -1.0]])).tolist() == [13.0 / 4.0]


def test_candidates_that_are_all_hopeless_still_have_weights() -> None:
    _, Y, w = problem()
    found = average(
        [Candidate("a", 300.0 * Y, 0.5, False), Candidate("b", 301.0 * Y, 0.5, False)], Y, w
    )
    assert found.weights == pytest.approx([1.0, 0.0])
    assert np.isfinite(found.loss).all()


def test_the_standard_error_of_rows_alike_is_the_usual_one() -> None:
    random = np.random.default_rng(0)
    Y = np.where(random.random((20, 1)) < 0.5, -1.0, 1.0)
    anchor, view = Y + random.normal(size=Y.shape), Y + 0.1 * random.normal(size=Y.shape)
    both = [Candidate("a", anchor, 1.0, False), Candidate("v", view, 1e9, True)]
    evidence = weigh(both, Y, np.ones(20), 0.5, 3).evidence
    for losses, gain, error in (
        (row_losses, evidence.gain, evidence.standard_error),
        (smoothed_errors, evidence.smoothed_gain, evidence.smoothed_standard_error),
    ):
        differences = losses(anchor, Y) - losses(view, Y)
        assert gain == pytest.approx(differences.mean(), rel=1e-6)
        assert error == pytest.approx(differences.std(ddof=1) / np.sqrt(20), rel=1e-6)
    alone = weigh(
        [Candidate(c.name, c.left_out[:1], 1.0, c.is_view) for c in both], Y[:1], np.ones(1), 0.5, 3
    ).evidence
    assert alone.standard_error == 0.0


def test_both_gains_are_asked_for_and_each_has_its_own_standard_error() -> None:
    random = np.random.default_rng(0)
    Y = np.where(random.random((30, 1)) < 0.5, -1.0, 1.0)
    anchor, view = Y + random.normal(size=Y.shape), Y + 0.7 * random.normal(size=Y.shape)
    both = [Candidate("a", anchor, 0.5, False), Candidate("v", view, 0.5, True)]
    evidence = weigh(both, Y, np.ones(30), 0.0, 3).evidence
    assert evidence.all_error <= evidence.anchors_error
    sure = [
        evidence.gain / evidence.standard_error,
        evidence.smoothed_gain / evidence.smoothed_standard_error,
    ]
    assert evidence.uses_views
    assert min(sure) > 0.5
    assert weigh(both, Y, np.ones(30), min(sure) - 1e-6, 3).evidence.uses_views
    for caution in (min(sure) + 1e-6, max(sure) - 1e-6, max(sure) + 1e-6):
        assert not weigh(both, Y, np.ones(30), caution, 3).evidence.uses_views


def test_scores_are_by_name_with_the_best_penalty_and_the_weight_of_all() -> None:
    Y = np.array([[1.0], [-1.0], [1.0], [-1.0]])
    w = np.array([1.0, 1.0, 1.0, 5.0])
    fits = [0.5 * Y, Y * [[1.0], [1.0], [-1.0], [1.0]], 0.0 * Y]
    names, views = ("ridge", "ridge", "view"), (False, False, True)
    all_ = [
        Candidate(name, fit, 1.0, is_view, "root" if is_view else "")
        for name, fit, is_view in zip(names, fits, views, strict=True)
    ]
    weighing = weigh(all_, Y, w, 0.5, 9)
    ridge, view = weighing.evidence.scores
    # The first has loss 1/8 everywhere, the second 2 in one row of eight.
    assert ridge["loss"] == pytest.approx(0.125)
    assert ridge["error"] == 0.0
    assert ridge["weight"] == pytest.approx(weighing.chosen.weights[:2].sum()) == pytest.approx(1.0)
    assert (ridge["name"], ridge["source"], ridge["is_view"]) == ("ridge", "ridge", False)
    assert view["loss"] == pytest.approx(0.5)
    assert view["error"] == pytest.approx(2.0 / 8.0)
    assert (view["name"], view["source"], view["is_view"]) == ("view", "root", True)
    assert view["weight"] == 0.0
    # The better of two penalties is told wherever it comes.
    (other, _) = weigh([all_[1], all_[0], all_[2]], Y, w, 0.5, 9).evidence.scores
    assert other["loss"] == pytest.approx(0.125)


SCORES = tuple(
    {"name": name, "source": source, "is_view": is_view, "loss": loss, "error": 0.1, "weight": part}
    for name, source, is_view, loss, part in (
        ("line", "line", False, 0.3, 0.2),
        ("graph 5", "graph", True, 0.1, 0.3),
        ("graph 9", "graph", True, 0.2, 0.1),
        ("ranks", "ranks", True, 0.25, 0.35),
        ("parts", "parts", True, 0.4, 0.045),
        ("groups", "groups", True, 0.5, 0.005),
    )
)
EVIDENCE = Evidence(
    uses_views=True,
    anchors_loss=0.25,
    all_loss=0.125,
    anchors_error=0.2,
    all_error=0.05,
    gain=0.125,
    standard_error=0.03,
    smoothed_gain=0.1,
    smoothed_standard_error=0.02,
    caution=0.5,
    n_labeled=20,
    n_unlabeled=1000,
    scores=SCORES,
)


def test_what_the_evidence_says_is_what_it_holds() -> None:
    alone = (
        "Each of the 20 labeled rows was predicted from the others: the anchors alone have loss "
        "0.250 and error 20.0%"
    )
    assert str(EVIDENCE).split("\n") == [
        f"{alone}, anchors and views together 0.125 and 5.0%.",
        "The views change the loss by -0.125 (standard error 0.030) and the smoothed error by "
        "-0.100 (0.020); both are asked to fall by 0.5 standard errors, and the error not to rise.",
        "So the 1,000 unlabeled rows are used: views carry 80% of the answer, most of it by graph "
        "(40%), ranks (35%) and parts (4%).",
    ]
    # Three sources are enough of the answer.
    fourth = replace(EVIDENCE, scores=(*SCORES[:-1], SCORES[-1] | {"weight": 0.02}))
    assert str(fourth).endswith("by graph (40%), ranks (35%) and parts (4%).")
    few = replace(EVIDENCE, scores=(*SCORES[:2], SCORES[5]))
    assert str(few).endswith("views carry 30% of the answer, most of it by graph (30%).")
    unused = replace(EVIDENCE, uses_views=False, n_unlabeled=1)
    assert str(unused).split("\n")[2] == (
        "So the 1 unlabeled row is not used: the answer is the anchors' average, the supervised "
        "classifier."
    )
    without = replace(EVIDENCE, uses_views=False, n_unlabeled=0, scores=SCORES[:1])
    assert str(without).split("\n") == [
        f"{alone}.",
        "There are no views to compare them with.",
        "There are no unlabeled rows: the answer is the anchors' average.",
    ]


def test_the_table_and_the_picture_have_the_heaviest_first() -> None:
    assert EVIDENCE.frame()["name"].tolist()[:3] == ["ranks", "graph 5", "line"]
    axes: Any = EVIDENCE.plot(most=3).axes[0]
    # From the bottom to the top.
    assert [label.get_text() for label in axes.get_yticklabels()] == ["line", "graph 5", "ranks"]
    assert [bar.get_width() for bar in axes.patches] == [0.3, 0.1, 0.25]
    colours = [bar.get_facecolor() for bar in axes.patches]
    assert colours[0] != colours[1] == colours[2]
    assert [text.get_text().strip() for text in axes.texts] == ["20%", "30%", "35%"]
    assert [text.get_position() for text in axes.texts] == [(0.3, 0), (0.1, 1), (0.25, 2)]
    assert [line.get_xdata()[0] for line in axes.lines] == [0.25, 0.125]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "anchors' average",
        "anchors and views",
    ]
    assert len(EVIDENCE.plot().axes[0].patches) == 6
