"""The max-min program: exact, and safe where one of the candidates is the truth."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tacit.family import WorstCase
from tacit.family._worst_case import improvements, worst_case


def random_program(seed, n_candidates=3, n_rows=8, weighted=False):
    random = np.random.default_rng(seed)
    candidates = random.choice([-1.0, 1.0], (n_candidates, n_rows))
    baseline = random.choice([-1.0, 1.0], n_rows)
    weights = random.uniform(0.2, 2.0, n_rows) if weighted else np.ones(n_rows)
    return candidates, baseline, weights


def by_enumeration(candidates, baseline, loss_weight, weights):
    return max(
        improvements(np.array(labels), candidates, baseline, loss_weight, weights).min()
        for labels in product([-1.0, 1.0], repeat=candidates.shape[1])
    )


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("loss_weight", [1.0, 1.5, 3.0])
@pytest.mark.parametrize("n_candidates", [1, 2, 3, 5])
def test_the_answer_is_the_best_of_all_labelings(n_candidates, loss_weight, weighted):
    for seed in range(4):
        candidates, baseline, weights = random_program(seed, n_candidates, weighted=weighted)
        answer = worst_case(candidates, baseline, loss_weight, weights)
        best = by_enumeration(candidates, baseline, loss_weight, weights)
        assert answer.value == pytest.approx(best, abs=1e-9)
        assert answer.is_exact
        assert answer.relaxed >= best - 1e-9
        own = improvements(answer.labels, candidates, baseline, loss_weight, weights).min()
        assert own == pytest.approx(answer.value, abs=1e-9)


def test_gain_and_loss_are_counted_by_hand():
    truth = np.array([[1.0, 1.0, -1.0, -1.0, 1.0]])
    baseline = np.array([1.0, -1.0, -1.0, 1.0, -1.0])
    labels = np.array([-1.0, 1.0, -1.0, -1.0, -1.0])
    # Rows 1 and 3 are made right, row 0 is made wrong, rows 2 and 4 stay as they were.
    assert improvements(labels, truth, baseline, 3.0, np.ones(5)) == pytest.approx([2.0 - 3.0])
    assert improvements(baseline, truth, baseline, 3.0, np.ones(5)) == pytest.approx([0.0])


def test_labels_are_no_worse_than_the_baseline_if_a_candidate_is_the_truth():
    strictly = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        truth = random.choice([-1.0, 1.0], 40)
        noisy = [np.where(random.random(40) < 0.15, -truth, truth) for _ in range(5)]
        candidates = np.array([truth, *noisy[:4]])
        answer = worst_case(candidates, noisy[4], 3.0, np.ones(40))
        after, before = (answer.labels == truth).mean(), (noisy[4] == truth).mean()
        assert after >= before
        strictly += after > before
    assert strictly >= 10


def test_without_a_gain_for_every_candidate_the_baseline_stays():
    baseline = np.ones(6)
    candidates = np.array([np.ones(6), -np.ones(6)])
    answer = worst_case(candidates, baseline, 3.0, np.ones(6))
    assert answer.is_baseline
    assert answer.value == 0.0
    np.testing.assert_array_equal(answer.labels, baseline)


def test_candidates_that_agree_are_followed():
    baseline = np.ones(6)
    truth = np.array([1.0, 1.0, -1.0, -1.0, 1.0, 1.0])
    answer = worst_case(np.array([truth, truth]), baseline, 3.0, np.ones(6))
    np.testing.assert_array_equal(answer.labels, truth)
    assert answer.value == 2.0
    assert not answer.is_baseline


def test_many_rows_with_few_patterns_are_quickly_exact():
    random = np.random.default_rng(0)
    truth = random.choice([-1.0, 1.0], 5000)
    candidates = np.array([np.where(random.random(5000) < 0.1, -truth, truth) for _ in range(8)])
    baseline = np.where(random.random(5000) < 0.3, -truth, truth)
    answer = worst_case(candidates, baseline, 3.0, np.ones(5000))
    assert answer.is_exact
    assert answer.value > 0
    assert answer.bound == pytest.approx(np.floor(answer.relaxed + 1e-6))


def test_the_order_of_rows_and_candidates_changes_no_value():
    candidates, baseline, weights = random_program(5, 4, 30)
    answer = worst_case(candidates, baseline, 2.0, weights)
    random = np.random.default_rng(0)
    rows, order = random.permutation(30), random.permutation(4)
    other = worst_case(candidates[order][:, rows], baseline[rows], 2.0, weights)
    assert other.value == answer.value


@pytest.mark.parametrize("unit", [1e-12, 1e-8, 1e-6, 1e-3, 1e6, 1e9])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_unit_of_the_weights_makes_no_difference(unit, weighted, capfd):
    # HiGHS has absolute tolerances: weights of 1e-6 had wrong answers, and it printed a line.
    for seed in range(30):
        candidates, baseline, weights = random_program(seed, 1 + seed % 5, weighted=weighted)
        if seed % 3 == 0:
            candidates[:, :5] = -baseline[:5]
        loss_weight = (1.0, 1.5, 3.0)[seed % 3]
        answer = worst_case(candidates, baseline, loss_weight, unit * weights)
        best = by_enumeration(candidates, baseline, loss_weight, unit * weights)
        assert answer.value == pytest.approx(best, rel=1e-6, abs=1e-6 * unit)
        assert answer.is_exact
        assert answer.relaxed >= best - 1e-9 * unit
    assert capfd.readouterr() == ("", "")


def test_weights_of_very_different_size_are_solved_in_units_of_the_largest():
    for seed in range(30):
        candidates, baseline, _ = random_program(seed, 1 + seed % 5)
        weights = 10.0 ** np.random.default_rng(seed).uniform(-9.0, 0.0, 8)
        answer = worst_case(candidates, baseline, 3.0, weights)
        best = by_enumeration(candidates, baseline, 3.0, weights)
        assert answer.value == pytest.approx(best, abs=1e-6 * weights.max())
        assert answer.bound >= best - 1e-6 * weights.max()


def test_exactness_is_judged_in_units_of_the_weights():
    labels = np.ones(2)
    assert not WorstCase(labels, 8e-6, 9e-6, 9e-6, False, unit=1e-6).is_exact
    assert WorstCase(labels, 8e-6, 8e-6 + 1e-13, 9e-6, False, unit=1e-6).is_exact


def test_contested_rows_without_weight_keep_the_baseline():
    candidates = np.array([[1.0, 1.0, -1.0], [-1.0, 1.0, -1.0]])
    baseline = np.array([1.0, -1.0, -1.0])
    answer = worst_case(candidates, baseline, 3.0, np.array([0.0, 1.0, 1.0]))
    np.testing.assert_array_equal(answer.labels, [1.0, 1.0, -1.0])
    assert answer.value == 1.0
