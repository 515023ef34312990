"""Rounds over rows for several classes give the answer of the dense method."""

import numpy as np
import pytest

from tacit import ICLSClassifier
from tacit.rows import CsrRows, NumpyRows, moments_and_sample
from tacit.solver import (
    Coefficients,
    RowsProblem,
    Status,
    solve_interior_point,
    solve_working_set,
)
from tacit.solver._zonotope import Zonotope


def _problem(seed, distance=1.0, n_rows=6000, kind="normal", n_classes=4, n_equalities=0):
    random = np.random.default_rng(seed)
    d = 5
    X = random.normal(size=(n_rows, d))
    if kind == "categories":
        X = np.hstack([np.eye(3)[random.integers(0, 3, size=n_rows)] for _ in range(2)])
    if kind == "heavy tails":
        X = random.standard_t(1.5, size=(n_rows, d))
    if kind == "far from zero":
        X = X + 1e6
    weights = random.integers(0, 3, size=n_rows) + 0.5 if kind == "weights" else None
    mean = X.mean(axis=0)
    coef = random.normal(size=(X.shape[1], 3))
    functions = Coefficients(coef, -mean @ coef + random.normal(size=3))
    w = np.ones(n_rows) if weights is None else weights
    V = functions.values(X) * w[:, None]
    P = random.dirichlet(np.full(n_classes, 0.5), size=n_rows)
    change = random.normal(size=(3, n_classes)) * np.abs(V).sum(axis=0)[:, None] / n_classes
    change[:n_equalities] = 0.0
    target = V.T @ P + distance * (change - change.mean(axis=1, keepdims=True))
    rows = NumpyRows(X, weights)
    moments, sample = moments_and_sample(rows, 1024)
    return RowsProblem(rows, moments, sample, functions, target, n_equalities)


KINDS = ["normal", "categories", "heavy tails", "far from zero", "weights"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("distance", [0.0, 0.3, 1.0, 10.0])
@pytest.mark.parametrize("n_equalities", [0, 1])
def test_it_finds_the_answer_of_the_interior_point_method(kind, distance, n_equalities):
    problem = _problem(1, distance, kind=kind, n_equalities=n_equalities)
    ours = solve_working_set(problem)
    dense = solve_interior_point(problem.dense())
    assert ours.status.is_success
    assert ours.relative_gap() <= 1e-8
    apart = np.linalg.norm(ours.residual[n_equalities:] - dense.residual[n_equalities:])
    allowed = np.sqrt(2.0 * ours.gap()) + np.sqrt(2.0 * dense.gap())
    assert apart <= allowed + 1e-8 * np.sqrt(2.0 * problem.scale)


# A little more than there are on any processor, without and with an equality. Far from zero it is
# rounding that decides whether the first way, with classes in groups, is good enough.
SWEEPS = {
    ("normal", 0.0): (9, 9),
    ("normal", 1.0): (11, 21),
    ("normal", 10.0): (3, 4),
    ("categories", 0.0): (9, 9),
    ("categories", 1.0): (29, 15),
    ("categories", 10.0): (6, 12),
    ("heavy tails", 1.0): (12, 24),
    ("far from zero", 1.0): (45, 45),
    ("weights", 0.0): (8, 8),
    ("weights", 1.0): (12, 30),
}


@pytest.mark.parametrize(("kind", "distance"), SWEEPS)
def test_few_sweeps_suffice(kind, distance):
    for n_equalities, most in enumerate(SWEEPS[kind, distance]):
        problem = _problem(1, distance, kind=kind, n_equalities=n_equalities)
        solution = solve_working_set(problem)
        assert solution.is_optimal(1e-8)
        assert solution.n_sweeps <= most


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("distance", [0.0, 1.0])
def test_the_rule_gives_the_labels_that_the_sums_are_made_of(kind, distance):
    problem = _problem(2, distance, kind=kind)
    solution = solve_working_set(problem)
    P = solution.labeling.of_rows(problem.rows)
    assert P.shape == (problem.n_labels, 4)
    assert P.min() >= 0.0
    np.testing.assert_allclose(P.sum(axis=1), 1.0, atol=1e-12)
    w = np.ones(problem.n_labels) if problem.rows.weights is None else problem.rows.weights
    np.testing.assert_allclose(w @ P, solution.labeling.mass, rtol=1e-9)
    residual = problem.dense().V.T @ P - problem.target
    unit = np.sqrt(2.0 * problem.scale)
    np.testing.assert_allclose(residual, solution.residual, atol=1e-8 * unit)


def test_a_reachable_target_is_reached():
    solution = solve_working_set(_problem(3, distance=0.0))
    assert solution.status is Status.INSIDE
    assert not solution.dual.any()


def test_sparse_rows_give_the_same_answer():
    from scipy import sparse

    problem = _problem(4, kind="categories")
    rows = CsrRows(sparse.csr_array(problem.rows.X))
    moments, sample = moments_and_sample(rows, 1024)
    other = RowsProblem(rows, moments, sample, problem.functions, problem.target, 0)
    expected = solve_working_set(problem).residual
    unit = np.sqrt(2.0 * problem.scale)
    np.testing.assert_allclose(solve_working_set(other).residual, expected, atol=1e-8 * unit)


def test_a_sweep_counts_every_row_once_ties_included():
    random = np.random.default_rng(0)
    X = random.integers(-1, 2, size=(500, 3)).astype(np.float64)
    functions = Coefficients(np.eye(3), np.zeros(3))
    Q = np.array([[1.0, 1.0, -1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])  # the first two are tied
    sweep = Zonotope(NumpyRows(X), functions).sweep([Q], 0.0, 1000)
    slopes = X @ Q
    assert sweep.mass.sum() == 500.0
    assert sweep.minima[0] == pytest.approx(slopes.min(axis=1).sum())
    np.testing.assert_allclose(sweep.reached.sum(axis=1), X.sum(axis=0))
    ordered = np.sort(slopes, axis=1)
    tied = np.unique(X[ordered[:, 0] == ordered[:, 1]], axis=0)
    assert len(sweep.near) == len(tied)
    assert sweep.near.counted.sum() == sweep.near.weights.sum()


def test_what_crossed_is_what_the_old_classes_cost_at_the_new_dual_matrix():
    random = np.random.default_rng(1)
    X = random.normal(size=(400, 3))
    functions = Coefficients(np.eye(3), np.zeros(3))
    old, new = random.normal(size=(2, 3, 4))
    sweep = Zonotope(NumpyRows(X), functions).sweep([new], 0.1, 1000, (old, 0.2))
    before, after = X @ old, X @ new
    open_classes = before - before.min(axis=1, keepdims=True) <= 0.2
    kept = np.where(open_classes, after, np.inf).min(axis=1)
    assert sweep.crossed == pytest.approx(float((kept - after.min(axis=1)).sum()))


def test_rounds_that_run_out_are_admitted():
    solution = solve_working_set(_problem(5, kind="heavy tails"), tol=1e-8, max_iter=1)
    assert solution.status in (Status.MAX_ITERATIONS, Status.OPTIMAL)
    assert (solution.status is Status.OPTIMAL) == (solution.relative_gap() <= 1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_rare_marks_of_which_none_is_between_classes_are_no_obstacle(seed):
    # A handful of distinct rows: a round without any near row had ended in an error.
    random = np.random.default_rng(seed)
    X = (random.random((4000, 3)) < 0.05).astype(float)
    y = random.integers(0, 3, 4000)
    y[:3] = 0, 1, 2
    y[15:] = -1
    model = ICLSClassifier().fit(X, y)
    assert model.solution_.status.is_success
    P = np.asarray(model.soft_labels_)
    np.testing.assert_allclose(P.sum(axis=1), 1.0, atol=1e-12)
