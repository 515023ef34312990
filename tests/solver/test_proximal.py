"""Many classes and directions, without matrices of the order of the dual."""

from dataclasses import replace

import numpy as np
import pytest

from tacit import ICLSClassifier
from tacit.solver import Problem, Status, solve_interior_point
from tacit.solver import _method as method
from tacit.solver import _proximal as proximal
from tacit.solver._label_sets import Simplex
from tacit.solver._proximal import _nearest, solve_proximal


def _problem(n_classes, distance, seed):
    random = np.random.default_rng(seed)
    V = random.normal(size=(150, 6))
    labels = random.dirichlet(np.ones(n_classes), 150)
    return Problem(V, V.T @ labels + distance * random.normal(size=(6, n_classes)))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("distance", [3.0, 30.0, 300.0])
@pytest.mark.parametrize("n_classes", [3, 8])
def test_it_finds_what_the_interior_point_method_finds(n_classes, distance, seed):
    problem = _problem(n_classes, distance, seed)
    ours, theirs = solve_proximal(problem), solve_interior_point(problem)
    assert ours.status.is_success
    assert ours.relative_gap() <= 1e-8
    labels = ours.labels()
    assert labels.min() >= 0.0
    np.testing.assert_allclose(labels.sum(axis=1), 1.0)
    scale = np.abs(theirs.residual).max() + 1e-4 * np.sqrt(theirs.scale)
    np.testing.assert_allclose(ours.residual, theirs.residual, atol=1e-3 * scale)


@pytest.mark.parametrize("seed", range(3))
def test_with_many_classes_few_pairs_are_looked_at_and_the_answer_is_the_same(seed, monkeypatch):
    pairs = []

    class Counting(proximal._Pairs):
        def __init__(self, table, is_open):
            pairs.append(is_open.mean())
            super().__init__(table, is_open)

    monkeypatch.setattr(proximal, "_Pairs", Counting)
    random = np.random.default_rng(seed)
    V = random.normal(size=(400, 5))
    problem = Problem(V, 60.0 * random.normal(size=(5, 20)))
    ours, theirs = solve_proximal(problem), solve_interior_point(problem)
    assert pairs
    assert max(pairs) <= proximal.MANY
    assert ours.status is Status.OPTIMAL
    np.testing.assert_allclose(ours.objective, theirs.objective, rtol=1e-7)


def test_where_near_rows_do_not_settle_many_classes_the_proximal_method_does(monkeypatch):
    X, y = _table_of_classes()
    theirs = ICLSClassifier(1.0, solver="interior-point").fit(X, y)
    _with_bounds_of_small_tables(monkeypatch, 0)
    solve = method.solve_working_set

    def stalled(problem, tol, max_iter, report, only_near):
        assert only_near
        return replace(solve(problem, tol, max_iter, report), status=Status.STALLED)

    monkeypatch.setattr(method, "solve_working_set", stalled)
    ours = ICLSClassifier(1.0).fit(X, y)
    assert ours.solution_.solver == "proximal"
    assert ours.solution_.status is Status.OPTIMAL
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


def test_a_target_that_can_be_reached_is_optimal_or_inside():
    solution = solve_proximal(_problem(5, 0.0, 0))
    assert solution.status in (Status.OPTIMAL, Status.INSIDE)
    assert solution.relative_gap() <= 1e-8


def test_the_nearest_labels_need_only_the_highest_values():
    values = 3.0 * np.random.default_rng(0).normal(size=(200, 30))
    np.testing.assert_allclose(_nearest(values), Simplex(30).project(values), atol=1e-12)


def test_a_fit_of_many_classes_is_that_of_the_interior_point_method(monkeypatch):
    random = np.random.default_rng(0)
    centres = random.normal(size=(6, 5))
    y = random.integers(0, 6, 400)
    X = 1.5 * centres[y] + random.normal(size=(400, 5))
    y[60:] = -1
    theirs = ICLSClassifier(1.0, solver="interior-point").fit(X, y)
    monkeypatch.setattr(method, "MANY_UNKNOWNS", 10)
    ours = ICLSClassifier(1.0).fit(X, y)
    assert ours.solution_.solver == "proximal"
    assert ours.solution_.status is Status.OPTIMAL
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


def test_more_unknowns_than_memory_are_refused_before_anything_is_allocated(monkeypatch):
    monkeypatch.setattr("tacit.rows._sweep._free_bytes", lambda: 1e3)
    with pytest.raises(MemoryError, match=r"equations of 8 classes in 6 directions"):
        method.Method().dense(_problem(8, 3.0, 0))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("n_classes", "d", "n"), [(26, 6, 600), (100, 3, 800)])
def test_a_catalogue_of_classes_is_solved_as_by_the_interior_point_method(n_classes, d, n, seed):
    random = np.random.default_rng(seed)
    y = random.integers(0, n_classes, n)
    centres = 5.0 / np.sqrt(d) * random.normal(size=(n_classes, d))
    V = np.column_stack([np.ones(n), centres[y] + random.normal(size=(n, d))])
    supervised = np.linalg.lstsq(V[:200], np.eye(n_classes)[y[:200]])[0]
    problem = Problem(V, 1.5 * V.T @ (V @ supervised))
    ours, theirs = solve_proximal(problem), solve_interior_point(problem)
    assert ours.status is Status.OPTIMAL
    assert ours.relative_gap() <= 1e-8
    np.testing.assert_allclose(ours.objective, theirs.objective, rtol=1e-8)
    size = np.abs(theirs.residual).max()
    np.testing.assert_allclose(ours.residual, theirs.residual, atol=1e-4 * size)


def _table_of_classes():
    random = np.random.default_rng(0)
    centres = random.normal(size=(8, 4))
    y = random.integers(0, 8, 900)
    X = 2.0 * centres[y] + random.normal(size=(900, 4))
    y[80:] = -1
    return X, y


def _with_bounds_of_small_tables(monkeypatch, few_each):
    bounds = {"SOME_UNKNOWNS": 10, "DIRECT": 100, "DIRECT_EACH": 1, "FEW_EACH": few_each}
    for name, value in bounds.items():
        monkeypatch.setattr(method, name, value)


@pytest.mark.parametrize(("few_each", "solver"), [(0, "working-set"), (64, "proximal")])
def test_few_rows_for_each_unknown_are_solved_together(few_each, solver, monkeypatch):
    X, y = _table_of_classes()
    theirs = ICLSClassifier(1.0, solver="interior-point").fit(X, y)
    _with_bounds_of_small_tables(monkeypatch, few_each)
    ours = ICLSClassifier(1.0).fit(X, y)
    assert ours.solution_.solver == solver
    assert ours.solution_.status is Status.OPTIMAL
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


def test_where_rounds_on_few_rows_stall_near_rows_take_over(monkeypatch):
    X, y = _table_of_classes()
    _with_bounds_of_small_tables(monkeypatch, 64)
    solve = method.solve_proximal

    def stalled(*args):
        return replace(solve(*args), status=Status.STALLED)

    monkeypatch.setattr(method, "solve_proximal", stalled)
    solution = ICLSClassifier(1.0).fit(X, y).solution_
    assert solution.solver == "working-set"
    assert solution.status is Status.OPTIMAL
