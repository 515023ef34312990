"""What the proximal method is made of: its tables, its rounds and its steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tacit.solver import Problem, Status, solve_interior_point
from tacit.solver import _proximal as module
from tacit.solver._label_sets import Simplex
from tacit.solver._proximal import (
    _Between,
    _by_class,
    _Everything,
    _nearest,
    _nearest_of_pairs,
    _Pairs,
    _parts,
    _Rounds,
    solve_proximal,
)

U, R = 60, 4


def drawn(n_classes: int = 5, distance: float = 3.0) -> Problem:
    random = np.random.default_rng(n_classes)
    V = random.normal(size=(U, R))
    labels = random.dirichlet(np.ones(n_classes), U)
    problem = Problem(V, V.T @ labels + distance * random.normal(size=(R, n_classes))).centred()
    return replace(problem, V=V / problem.unit, target=problem.target / problem.unit)


def some_open(n_classes: int = 5) -> Any:
    is_open = np.random.default_rng(1).random((U, n_classes)) < 0.4
    is_open[:, 1] |= ~is_open.any(axis=1)
    assert (is_open.sum(axis=1) == 1).any()
    return is_open


def labels_and_dual(n_classes: int, is_open: Any = None) -> tuple[Any, Any]:
    random = np.random.default_rng(2)
    labels = random.random((U, n_classes)) * (1.0 if is_open is None else is_open)
    q = random.normal(size=(R, n_classes))
    return labels / labels.sum(axis=1, keepdims=True), q - q.mean(axis=1, keepdims=True)


@pytest.mark.parametrize("n_classes", [3, module.SPARSE, module.SPARSE + 1])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_all_rows_and_classes_are_judged_as_the_problem_does(n_classes: int, dtype: Any) -> None:
    problem = drawn(n_classes)
    table = _Everything(problem, dtype)
    labels, q = labels_and_dual(n_classes)
    labels[labels < 0.5 / n_classes] = 0.0
    digits = 1e-12 if dtype is np.float64 else 1e-5
    np.testing.assert_allclose(table.times(q), problem.V @ q, atol=digits)
    np.testing.assert_allclose(table.sum(labels), problem.V.T @ labels, atol=10 * digits)
    assert table.times(q).dtype == dtype
    assert table.sum(labels).dtype == np.float64
    judged, expected = table.judge(labels, q, table.excess(q)), problem.judge(labels, q)
    assert judged.gap == pytest.approx(expected.gap, rel=100 * digits)
    assert judged.objective == pytest.approx(expected.objective, rel=100 * digits)
    assert judged.scale == problem.scale
    assert judged.infeasibility == judged.rounding == 0.0
    between = table.between(labels)
    assert len(between.rows) == np.count_nonzero((labels > 0.0) & (labels < 1.0))


def test_some_pairs_are_judged_as_the_problem_in_which_no_others_are_allowed() -> None:
    is_open = some_open()
    problem = replace(drawn(), allowed=is_open)
    table = _Pairs(_Everything(problem), is_open)
    labels, q = labels_and_dual(5, is_open)
    part = table.part(labels)
    # Rows with one class left are decided.
    assert len(part) == is_open[is_open.sum(axis=1) > 1].sum()
    np.testing.assert_allclose(table.whole(part), labels)
    np.testing.assert_allclose(table.times(q), (problem.V @ q)[table.rows, table.classes])
    np.testing.assert_allclose(table.sum(part) - table.target, problem.residual(labels), atol=1e-12)
    excess = table.excess(q)
    np.testing.assert_allclose(excess, problem.excess(q).T[table.rows, table.classes], atol=1e-12)
    assert table.judge(part, q, excess).gap == pytest.approx(problem.judge(labels, q).gap)
    values = 2.0 * np.random.default_rng(3).normal(size=(U, 5))
    found = table.whole(table.nearest(values[table.rows, table.classes]))
    expected = Simplex(5).project(np.where(is_open, values, -1e6))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    between = table.between(found[table.rows, table.classes])
    fractional = (found > 0.0) & (found < 1.0)
    assert sorted(between.rows.tolist()) == np.nonzero(fractional)[0].tolist()
    # Pairs of a table of some pairs would be those of all of it.
    assert table.is_open is is_open


def test_pairs_in_single_precision_stay_so_and_their_sums_do_not() -> None:
    is_open = some_open()
    table = _Pairs(_Everything(drawn(), np.float32), is_open)
    labels, q = labels_and_dual(5, is_open)
    assert table.part(labels).dtype == table.times(q).dtype == np.float32
    assert table.nearest(table.part(labels)).dtype == np.float32
    assert table.sum(table.part(labels)).dtype == table.whole(table.part(labels)).dtype
    np.testing.assert_allclose(
        table.sum(table.part(labels)) - table.target, drawn().residual(labels), atol=1e-4
    )


@pytest.mark.parametrize("is_part", [False, True])
def test_a_round_ends_at_the_lowest_value(is_part: bool) -> None:
    whole = _Everything(drawn())
    is_open = some_open()
    table = _Pairs(whole, is_open) if is_part else whole
    labels, q = labels_and_dual(5, is_open)
    last, weight = table.part(labels), 0.05
    rounds = _Rounds(table, weight)

    def look(q: Any) -> tuple[float, Any]:
        moved = last - table.times(q) / weight
        found = table.nearest(moved)
        return rounds.value(q, moved, found), rounds.slope(q, found)

    # The slope is that of the value.
    direction = labels_and_dual(5)[1]
    ahead, behind = (look(q + step * direction)[0] for step in (1e-5, -1e-5))
    slope = look(q)[1]
    assert (ahead - behind) / 2e-5 == pytest.approx(np.vdot(slope, direction), rel=1e-5)
    for enough in (1e-2, 1e-10):
        best, found = rounds.solve(q, last, enough)
        moved = last - table.times(best) / weight
        np.testing.assert_allclose(found, table.nearest(moved), atol=1e-9)
        assert np.linalg.norm(look(best)[1]) <= enough
        assert look(best)[0] < look(q)[0]
    # There the gap in the problem itself is at most the weight times what labels could still move.
    judged = table.judge(found, best, table.excess(best))
    assert 0.0 <= judged.gap <= 2.0 * weight * U


def test_a_round_that_is_done_changes_nothing() -> None:
    table = _Everything(drawn())
    labels, q = labels_and_dual(5)
    rounds = _Rounds(table, 0.05)
    found, _ = rounds.solve(q, labels, 1e9)
    np.testing.assert_array_equal(found, q)
    assert rounds.inverse.size == 0


def test_a_round_takes_few_steps_and_few_factors(monkeypatch: pytest.MonkeyPatch) -> None:
    steps, factors = [], []
    solve, inverse = _Between.solve, _Between.inverse

    def counted(self: Any, *arguments: Any) -> Any:
        found = solve(self, *arguments)
        steps.append(found[1])
        return found

    def factored(self: Any, weight: float) -> Any:
        factors.append(weight)
        return inverse(self, weight)

    monkeypatch.setattr(_Between, "solve", counted)
    monkeypatch.setattr(_Between, "inverse", factored)
    table = _Everything(drawn())
    labels, q = labels_and_dual(5)
    _Rounds(table, 1e-2).solve(q, labels, 1e-9)
    assert 3 <= len(steps) <= 15
    assert 1 <= min(steps) <= max(steps) <= 12
    assert factors == [1e-2]
    monkeypatch.setattr(module, "WORTH", 0)
    steps.clear()
    factors.clear()
    _Rounds(table, 1e-2).solve(q, labels, 1e-9)
    assert 1 < len(factors) <= len(steps)


def test_steps_are_those_of_the_curvature(monkeypatch: pytest.MonkeyPatch) -> None:
    is_open = some_open()
    V, weight, K = drawn().V, 0.05, 5
    rows, classes = _by_class(is_open)
    between = _Between(V[rows].astype(np.float32), rows, classes, is_open.shape)
    whole = np.eye(K * R)
    for v, own in zip(V, is_open * 1.0, strict=True):
        whole += np.kron(np.diag(own) - np.outer(own, own) / own.sum(), np.outer(v, v)) / weight
    direction = labels_and_dual(5)[1].T
    product = between.times(np.ascontiguousarray(direction, np.float32), np.float32(weight))
    np.testing.assert_allclose(product.ravel(), whole @ direction.ravel(), rtol=1e-4, atol=1e-4)
    inverse = between.inverse(weight)
    for k in range(K):
        own = whole[k * R : (k + 1) * R, k * R : (k + 1) * R]
        np.testing.assert_allclose(inverse[k] @ own, np.eye(R), atol=1e-4)
    right = 1e8 * direction.T  # in whatever unit
    for accuracy in (0.15, 1e-4):
        monkeypatch.setattr(module, "ACCURACY", accuracy)
        step, n_products = between.solve(right, weight, inverse)
        left = right.T.ravel() - whole @ step.T.ravel()
        assert np.linalg.norm(left) <= 3.0 * accuracy * np.linalg.norm(right)
        assert 1 <= n_products <= (4 if accuracy > 0.1 else 14)
        np.testing.assert_allclose(step.sum(axis=1), 0.0, atol=1e-6)
        assert step.dtype == np.float64


def test_pairs_of_a_class_lie_together() -> None:
    mask = np.array([[True, False, True], [False, False, True], [True, False, False]])
    rows, classes = _by_class(mask)
    assert rows.tolist() == [0, 2, 0, 1]
    assert classes.tolist() == [0, 0, 2, 2]
    assert _parts(classes, 3) == [slice(0, 2), slice(2, 2), slice(2, 4)]


def test_the_nearest_labels_of_pairs_are_those_of_their_rows() -> None:
    values = 3.0 * np.random.default_rng(0).normal(size=(40, 6))
    rows = np.repeat(np.arange(40), 6)
    expected = Simplex(6).project(values)
    found = _nearest_of_pairs(values.ravel(), rows, 40)
    np.testing.assert_allclose(found.reshape(40, 6), expected, atol=1e-12)
    np.testing.assert_allclose(_nearest(values), expected, atol=1e-12)
    np.testing.assert_allclose(_nearest(np.array([[0.0, -1.0, 0.0]])), [[0.5, 0.0, 0.5]])
    # Rows without any pair are no obstacle.
    np.testing.assert_allclose(
        _nearest_of_pairs(np.array([0.3, 0.1]), np.array([4, 4]), 9), [0.6, 0.4]
    )


@pytest.mark.parametrize("n_classes", [3, 9])
@pytest.mark.parametrize("distance", [0.0, 3.0, 30.0])
def test_looks_at_all_rows_are_few(n_classes: int, distance: float) -> None:
    problem = drawn(n_classes, distance)
    solution = solve_proximal(problem, 1e-8)
    assert solution.is_optimal(1e-8)
    assert solution.n_iter <= 13
    best = solve_interior_point(problem)
    assert solution.objective == pytest.approx(best.objective, rel=1e-7, abs=1e-10)


def test_as_many_looks_are_taken_as_are_granted() -> None:
    problem = drawn()
    before = np.inf
    for most in (1, 2, 3):
        solution = solve_proximal(problem, max_iter=most)
        assert solution.status is Status.MAX_ITERATIONS
        assert solution.n_iter == most
        assert solution.gap() <= before
        before = solution.gap()
    assert before < 0.5 * solve_proximal(problem, max_iter=1).gap()


def test_where_only_rounding_is_left_it_ends() -> None:
    solution = solve_proximal(drawn(), tol=0.0, max_iter=200)
    assert solution.status is Status.STALLED
    assert solution.is_optimal(1e-11)
    assert solution.n_iter < 150


def test_a_slope_that_the_preconditioner_takes_away_is_no_division_by_zero() -> None:
    between = _Everything(drawn()).between(labels_and_dual(5)[0])
    nothing = np.zeros((5, R, R), dtype=np.float32)
    step, n_products = between.solve(labels_and_dual(5)[1], 0.05, nothing)
    assert n_products == 0
    assert not step.any()
