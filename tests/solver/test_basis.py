"""Rank and pseudo-inverse."""

import numpy as np
import pytest

from tacit.rows import CentredRows, Moments, NumpyRows
from tacit.solver import Basis, Coefficients
from tacit.solver._basis import eigen, low_rank_factor
from tacit.solver._least_squares import fit_least_squares

ROOT_EPS = np.sqrt(np.finfo(float).eps)


def _basis(X, alpha=0.0, fit_intercept=True):
    return Basis.of(Moments.of(NumpyRows(X)), alpha, fit_intercept)


@pytest.mark.parametrize("alpha", [0.0, 3.0])
@pytest.mark.parametrize(("n", "d"), [(30, 4), (5, 4), (3, 6)])
def test_the_basis_squares_to_the_pseudo_inverse_of_the_centred_gram_matrix(n, d, alpha):
    X = np.random.default_rng(n).normal(size=(n, d)) + 2.0
    centred = X - X.mean(axis=0)
    gram = centred.T @ centred + alpha * np.eye(d)
    expected = np.linalg.pinv(gram, rcond=ROOT_EPS, hermitian=True)
    B = _basis(X, alpha).functions
    np.testing.assert_allclose(B.coef @ B.coef.T, expected, atol=1e-8)
    design = np.column_stack([np.ones(n), X])
    A = design.T @ design + alpha * np.diag([0.0] + [1.0] * d)
    inverse = B.stacked() @ B.stacked().T
    np.testing.assert_allclose(A @ inverse @ A, A, atol=1e-8)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 3.0])
def test_inner_products_are_those_of_the_rows_and_of_the_penalty(alpha, fit_intercept):
    random = np.random.default_rng(0)
    X, weights = random.normal(size=(12, 4)) + 2.0, random.uniform(0.5, 2.0, 12)
    moments = Moments.of(NumpyRows(X, weights))
    basis = Basis.of(moments, alpha, fit_intercept)
    B = basis.functions
    np.testing.assert_allclose(basis.inner(moments, B), np.eye(basis.rank), atol=1e-12)
    other = Coefficients(random.normal(size=(4, 2)), random.normal(size=2))
    expected = B.values(X).T @ (weights[:, None] * other.values(X)) + alpha * B.coef.T @ other.coef
    np.testing.assert_allclose(basis.inner(moments, other), expected, atol=1e-12)


@pytest.mark.parametrize("rank", [2, 5, 8])
def test_eigenvalues_rise_and_belong_to_their_vectors_and_zeros_may_be_missing(rank):
    F = np.random.default_rng(0).normal(size=(8, rank))
    low = low_rank_factor(F @ F.T)
    assert low.shape == (8, rank)
    np.testing.assert_allclose(low @ low.T, F @ F.T, atol=1e-12)
    values, vectors = eigen(F @ F.T)
    assert len(values) == (8 if rank > 4 else rank)
    assert (np.diff(values) >= 0.0).all()
    np.testing.assert_allclose((vectors * values) @ vectors.T, F @ F.T, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-12)


@pytest.mark.parametrize(("n", "d"), [(5, 4), (3, 6)])
def test_missing_rank_gives_the_limit_of_ridge_regression(n, d):
    random = np.random.default_rng(n)
    X, y = random.normal(size=(n, d)) + 2.0, random.uniform(size=n)
    limit = fit_least_squares(_basis(X, 1e-6), X, y, None)
    ours = fit_least_squares(_basis(X), X, y, None)
    np.testing.assert_allclose(ours.coef, limit.coef, rtol=1e-3)


def test_without_an_intercept_columns_are_not_centred():
    X = np.random.default_rng(0).normal(size=(20, 3)) + 5.0
    B = _basis(X, fit_intercept=False).functions
    np.testing.assert_array_equal(B.intercept, 0.0)
    np.testing.assert_allclose(B.coef @ B.coef.T, np.linalg.inv(X.T @ X), atol=1e-12)


def test_collinear_constant_and_duplicate_columns_lower_the_rank():
    X = np.random.default_rng(0).normal(size=(40, 3))
    X = np.column_stack([X, X[:, 0] + X[:, 1], np.full(40, 0.1), X[:, 2]])
    assert _basis(X).rank == 4


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_a_constant_column_has_no_part_in_any_function(seed, alpha):
    # Not even by rounding, which numbers of 1e83 would make large.
    X = np.random.default_rng(seed).integers(0, 2, size=(4, 4)).astype(float)
    X[:, 0] = 1e6
    basis = _basis(X, alpha)
    assert (basis.functions.coef[0] == 0.0).all()
    assert basis.n_determined == (5 if alpha else basis.rank)


def test_eigenvalues_below_the_root_of_the_machine_precision_are_cut():
    random = np.random.default_rng(0)
    x, noise = random.normal(size=(2, 200))
    noise -= noise @ x / (x @ x) * x
    for size, rank in [(1e-3, 3), (1e-5, 2)]:
        assert _basis(np.column_stack([x, x + size * noise])).rank == rank


@pytest.mark.parametrize("factor", [1e-9, 1e-3, 1e9])
def test_the_rank_does_not_depend_on_units(factor):
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[:, 1] *= factor
    assert _basis(X).rank == 4


def test_a_large_mean_does_not_hide_a_column():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(float)
    far = X + np.array([1e7, -1e6])
    near = fit_least_squares(_basis(X), X, y, None)
    moved = fit_least_squares(_basis(far), far, y, None)
    np.testing.assert_allclose(moved.coef, near.coef, rtol=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_functions_stay_orthonormal_where_units_differ_and_a_direction_is_barely_cut(seed):
    # Columns with large means are nearly the same; the unit of one is tiny, so that its coefficient
    # could be shortened by a long way along what is cut.
    random = np.random.default_rng(seed)
    spread, mean = [1e-6, 1e-4, 1e-2, 1.0, 100.0, 1e-5], [1e-3, 10.0, 10.0, 0.2, -2.0, 0.1]
    X = random.normal(size=(24, 6)) * spread + mean
    basis = Basis.of(Moments.of(NumpyRows(X)), fit_intercept=False)
    assert basis.rank == 5
    values = basis.functions.values(X)
    np.testing.assert_allclose(values.T @ values, np.eye(5), atol=1e-7)


@pytest.mark.parametrize("d", [20, 80])
def test_few_rows_of_many_columns_have_the_shortest_coefficients(d):
    # Some columns are constant, some equal, and the units differ.
    random = np.random.default_rng(d)
    X = random.normal(size=(9, d)) * 10.0 ** random.integers(-1, 2, size=d)
    X[:, 3], X[:, 5] = X[:, 4], 2.0
    basis = _basis(X)
    assert basis.rank == 9
    coef = basis.functions.coef
    inverse = np.linalg.pinv(X - X.mean(axis=0))
    np.testing.assert_allclose(coef @ coef.T, inverse @ inverse.T, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("units", [(1e-5, 1e5), (1.0, 1e4)])
def test_the_coefficients_are_the_shortest_whatever_the_units(seed, units):
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 9))
    unit = random.choice(units, size=n + int(random.integers(0, 3)))
    X = random.normal(size=(n, len(unit))) * unit
    y = (np.arange(n) % 2).astype(float)
    found = fit_least_squares(_basis(X), X, y, None)
    np.testing.assert_allclose(found.values(X), y, atol=1e-6)
    Q, R = np.linalg.qr((X[1:] - X[0]).T)
    shortest = Q @ np.linalg.solve(R.T, y[1:] - y[0])
    assert np.linalg.norm(found.coef) == pytest.approx(np.linalg.norm(shortest), rel=1e-3)


@pytest.mark.parametrize("value", [0.0, 0.1, 1.1e-6, 7.3e5])
def test_of_few_rows_too_a_constant_column_has_no_part_in_any_function(value):
    X = np.random.default_rng(0).normal(size=(10, 30))
    X[:, 4] = value
    X[:, 5] *= 1e-5 * value + (value == 0.0)  # hardly there, but not constant
    for centred in (False, True):
        basis = Basis.of_rows(CentredRows(X, None, centred), centred)
        assert basis.rank == 10
        is_used = basis.functions.coef.any(axis=1)
        assert is_used[4] == (value > 0.0 and not centred)
        assert is_used[np.arange(30) != 4].all()


def test_of_few_rows_too_what_rounding_leaves_of_a_constant_column_is_nothing():
    X = np.random.default_rng(0).normal(size=(10, 30))
    n_left = 0
    for value in np.linspace(1e-6, 1e-5, 100):
        X[:, 4] = value
        rows = CentredRows(X)
        n_left += rows.squares()[4] > 0.0
        assert not Basis.of_rows(rows).functions.coef[4].any()
    assert n_left > 0


def test_no_columns_have_a_basis():
    assert Basis.of(Moments.of(NumpyRows(np.zeros((4, 0))))).rank == 1


def test_refinement_makes_nearly_collinear_columns_accurate():
    random = np.random.default_rng(1)
    x = random.normal(size=100)
    X = np.column_stack([x, x + 1e-3 * random.normal(size=100)])
    y = X @ [1.0, -2.0] + 0.3
    fitted = fit_least_squares(_basis(X), X, y, None)
    np.testing.assert_allclose(fitted.coef, [1.0, -2.0], rtol=1e-9)
