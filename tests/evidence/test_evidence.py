"""Leave-one-out, averages, the gate and calibration, against plain computations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tacit.evidence import (
    ALPHAS,
    Candidate,
    average,
    calibrated_temperature,
    kernel_scale,
    probabilities,
    ridge_path,
    weigh,
)
from tacit.evidence._average import smoothed_errors

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
