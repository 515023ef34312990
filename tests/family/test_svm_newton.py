"""The convex problem: solved to a duality gap that is what it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import SVC

from tacit.family._svm import Features, HingeProblem, kernel_features, solve_hinge
from tacit.solver import Status
from tests.family.machines import machine, rows_and_signs

SIZES = [(12, 2), (40, 5), (30, 60), (200, 10)]
COSTS = [1e-3, 0.1, 1.0, 100.0]


@pytest.mark.parametrize(("n", "d"), SIZES)
@pytest.mark.parametrize("C", COSTS)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("gram", [True, False])
def test_the_gap_is_closed_to_rounding(n, d, C, intercept, gram):
    X, signs = rows_and_signs(n, d, seed=n)
    solution = solve_hinge(machine(X, signs, C, intercept, gram))
    assert solution.status is Status.OPTIMAL
    assert solution.relative_gap() < 1e-8


def test_objective_and_dual_are_those_of_the_definition():
    X, signs = rows_and_signs(40, 5, seed=1)
    costs = np.random.default_rng(0).uniform(0.1, 2.0, len(X))
    problem = replace(machine(X, signs), costs=costs, margins=np.linspace(0.5, 1.5, len(X)))
    solution = solve_hinge(problem)
    w, b = solution.w, solution.b
    centred = X - X.mean(axis=0)
    values = centred @ w + b
    np.testing.assert_allclose(solution.values, values, atol=1e-12)
    loss = costs @ np.maximum(problem.margins - signs * values, 0)
    assert solution.objective == pytest.approx(0.5 * w @ w + loss, rel=1e-12)
    alpha = solution.alpha
    assert (alpha >= 0).all()
    assert (alpha <= costs).all()
    assert signs @ alpha == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(centred.T @ (signs * alpha), w, atol=1e-12)
    assert solution.dual_objective == pytest.approx(problem.margins @ alpha - 0.5 * w @ w)
    # Any other point is worse by no less than the modulus of strong convexity says.
    random = np.random.default_rng(3)
    for _ in range(50):
        step, shift = 0.1 * random.normal(size=5), 0.1 * random.normal()
        moved = centred @ (w + step) + b + shift
        other = 0.5 * (w + step) @ (w + step) + costs @ np.maximum(
            problem.margins - signs * moved, 0
        )
        assert other >= solution.dual_objective + 0.5 * step @ step - 1e-9


@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize(("n", "d"), SIZES[:3])
def test_decisions_are_those_of_scikit_learn(n, d, C):
    X, signs = rows_and_signs(n, d, seed=2)
    solution = solve_hinge(machine(X, signs, C))
    expected = SVC(kernel="linear", C=C, tol=1e-12).fit(X, signs).decision_function(X)
    np.testing.assert_allclose(solution.values, expected, atol=1e-6)


def test_features_and_those_of_their_inner_products_give_one_answer():
    X, signs = rows_and_signs(60, 8, seed=3)
    dense = solve_hinge(machine(X, signs))
    by_products = solve_hinge(machine(X, signs, gram=True))
    np.testing.assert_allclose(by_products.values, dense.values, atol=1e-9)


def test_of_an_interval_of_best_intercepts_the_middle_is_taken():
    # All dual values at their bounds: the loss is flat in b between the two inner rows.
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    problem = machine(X, np.array([-1.0, -1.0, 1.0, 1.0]), C=0.01)
    solution = solve_hinge(problem)
    assert (solution.alpha == 0.01).all()
    assert solution.b == pytest.approx(0.0, abs=1e-12)
    shifted = problem.best_intercept(solution.values - solution.b + 5.0)
    assert shifted == pytest.approx(-5.0)


def test_repairing_a_dual_point_keeps_bounds_and_meets_the_sum():
    random = np.random.default_rng(0)
    for _ in range(50):
        X, signs = rows_and_signs(20, 3, seed=int(random.integers(100)))
        problem = machine(X, signs)
        alpha = np.clip(random.normal(0.5, 1.0, 20), 0, 1)
        repaired = problem.feasible(alpha)
        assert (repaired >= 0).all()
        assert (repaired <= 1).all()
        assert signs @ repaired == pytest.approx(0.0, abs=1e-12)
    assert (problem.feasible(np.where(signs > 0, 1.0, 0.0)) == 0).all()


def test_rows_without_cost_change_nothing():
    X, signs = rows_and_signs(40, 5, seed=4)
    costs = np.where(np.arange(40) < 30, 1.0, 0.0)
    whole = solve_hinge(replace(machine(X, signs), costs=costs))
    features = Features(X[:30] - X.mean(axis=0), True)
    part = solve_hinge(HingeProblem(features, signs[:30], np.ones(30), np.ones(30)))
    np.testing.assert_allclose(whole.w, part.w, atol=1e-9)
    assert whole.b == pytest.approx(part.b, abs=1e-9)


def test_a_start_near_the_answer_saves_steps_and_changes_nothing():
    X, signs = rows_and_signs(300, 10, seed=5)
    problem = machine(X, signs)
    cold = solve_hinge(problem)
    flipped = signs.copy()
    flipped[:3] *= -1
    near = solve_hinge(machine(X, flipped))
    warm = solve_hinge(problem, near)
    np.testing.assert_allclose(warm.values, cold.values, atol=1e-9)
    again = solve_hinge(problem, cold)
    assert again.n_iter == 0
    assert warm.n_iter < cold.n_iter


def test_a_separable_problem_with_a_huge_cost_gives_the_widest_margin():
    X = np.array([[0.0, 0.0], [0.0, 2.0], [4.0, 0.0], [5.0, 1.0]])
    solution = solve_hinge(machine(X, np.array([-1.0, -1.0, 1.0, 1.0]), C=1e6))
    assert solution.status is Status.OPTIMAL
    np.testing.assert_allclose(solution.values, [-1.0, -1.0, 1.0, 1.5], atol=1e-6)


def test_too_few_steps_are_said_to_be_too_few():
    X, signs = rows_and_signs(200, 10, seed=6)
    solution = solve_hinge(machine(X, signs), max_iter=2)
    assert solution.status is Status.MAX_ITERATIONS
    assert not solution.status.is_success
    assert solution.n_iter == 2
    assert solution.gap() > 0


def test_a_kernel_too_steep_for_its_digits_stops_at_rounding():
    X = 100.0 + np.random.default_rng(0).normal(size=(40, 2))
    K = (X @ X.T + 1.0) ** 2
    signs = np.where(np.arange(40) % 2, 1.0, -1.0)
    problem = HingeProblem(Features(kernel_features(K), True), signs, np.ones(40), np.ones(40))
    solution = solve_hinge(problem)
    assert solution.is_optimal(1e-8) == (solution.status is Status.OPTIMAL)
    assert solution.noise > 0
    assert np.isfinite(solution.objective)


@pytest.mark.parametrize("intercept", [True, False])
def test_costs_far_above_the_scale_of_the_rows_take_few_steps(intercept):
    for seed in range(5):
        X, signs = rows_and_signs(150, 12, seed=seed)
        solution = solve_hinge(machine(1000.0 * X, signs, C=1.0, intercept=intercept))
        assert solution.status is Status.OPTIMAL
        assert solution.n_iter < 300
