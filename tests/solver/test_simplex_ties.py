"""Fewer labels than columns: among all minimisers, the one nearest in the metric of all rows."""

import numpy as np
import pytest

from tacit import ICLSClassifier
from tacit.solver import Problem, solve_interior_point
from tacit.solver._ties import solve_with_ties


def _rows(seed, kind, n_unlabeled=4000):
    random = np.random.default_rng(seed)
    n = 6 + n_unlabeled
    if kind == "categories":
        # Labeled rows have only some of the levels, so the loss cannot tell the others apart.
        levels = random.integers(0, 6, size=(n, 2))
        levels[:6] %= 3
        X = np.hstack([np.eye(6)[levels[:, 0]], np.eye(6)[levels[:, 1]]])
    else:
        X = random.normal(size=(n, 12)) + (random.normal(size=12) if kind == "shifted" else 0.0)
        X[:6] *= 3.0 if kind == "far" else 1.0
    y = np.array([0, 1, 2, 0, 1, 2])
    return X[:6], y, X[6:]


@pytest.mark.parametrize("kind", ["plain", "shifted", "far", "categories"])
@pytest.mark.parametrize("seed", range(2))
def test_rounds_over_rows_break_ties_as_the_dense_method_does(kind, seed):
    X, y, X_u = _rows(seed, kind)
    dense = ICLSClassifier(solver="interior-point").fit(X, y, X_unlabeled=X_u)
    swept = ICLSClassifier(solver="working-set").fit(X, y, X_unlabeled=X_u)
    expected = dense.decision_function(X_u)
    unit = 1.0 + np.abs(expected).max()
    np.testing.assert_allclose(swept.decision_function(X_u), expected, atol=1e-6 * unit)


@pytest.mark.parametrize("kind", ["plain", "far", "categories"])
def test_neither_the_order_of_rows_nor_of_classes_matters(kind):
    X, y, X_u = _rows(3, kind, 200)
    expected = ICLSClassifier().fit(X, y, X_unlabeled=X_u).decision_function(X_u)
    other = ICLSClassifier().fit(X[::-1], 2 - y[::-1], X_unlabeled=X_u[::-1])
    unit = 1.0 + np.abs(expected).max()
    np.testing.assert_allclose(other.decision_function(X_u)[:, ::-1], expected, atol=1e-6 * unit)


@pytest.mark.parametrize("distance", [0.0, 5.0])
def test_no_other_minimiser_is_nearer_in_the_second_metric(distance):
    random = np.random.default_rng(0)
    V = random.integers(-1, 2, size=(40, 4)).astype(np.float64)
    start = V.T @ random.dirichlet(np.ones(3), size=40)
    target = start + distance * random.normal(size=(4, 3))
    first = Problem(V[:, :2], target[:2]).centred()
    second = Problem(V[:, 2:], target[2:] + 8.0 * random.normal(size=(2, 3))).centred()
    solution = solve_with_ties(first, second, solve_interior_point)
    assert solution.status.is_success
    alone = solve_interior_point(first)
    P = solution.labels()
    assert first.objective(P) == pytest.approx(alone.objective, rel=1e-7, abs=1e-9 * first.scale)
    # Minimising both with nearly all weight on the first comes close to it from below.
    weight = 1e3
    both = Problem(
        np.hstack([weight * first.V, second.V]), np.vstack([weight * first.target, second.target])
    )
    bound = solve_interior_point(both).labels()
    assert second.objective(P) >= second.objective(bound) - 1e-6 * second.scale
    assert second.objective(P) <= second.objective(bound) + 1e-3 * second.scale
