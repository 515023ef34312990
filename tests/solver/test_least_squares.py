"""Least squares, its hat matrix and the penalty by leave-one-out, against plain computations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tacit.rows import CentredRows, as_rows
from tacit.solver._least_squares import (
    LARGE_PENALTY,
    LOO_GRID,
    Principal,
    RowsRidge,
    _check_squares,
    column_squares,
    fit_supervised,
    is_small,
    leave_one_out_alpha,
    loses_columns,
)

SHAPES = [(12, 4), (6, 9), (5, 5)]  # more rows than columns, fewer, and as many
intercept = pytest.mark.parametrize("fit_intercept", [True, False])
shapes = pytest.mark.parametrize("shape", SHAPES)
weighted = pytest.mark.parametrize("weighted", [False, True])


def problem(shape: tuple[int, int], weighted: bool, n_columns: int = 2) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(shape[0])
    X = random.normal(size=shape) + 3.0
    Y = random.normal(size=(shape[0], n_columns)) + 1.0
    return X, Y, random.uniform(0.5, 2.0, shape[0]) if weighted else None


def plain(X: Any, Y: Any, weights: Any, alpha: float, fit_intercept: bool) -> tuple[Any, Any]:
    """Coefficients and constants that minimise sum w ||x'beta + b - y||^2 + alpha ||beta||^2."""
    w = np.ones(len(X)) if weights is None else weights
    mean, level = (w @ part / w.sum() * fit_intercept for part in (X, Y))
    roots = np.sqrt(w)[:, None]
    stacked = np.vstack([roots * (X - mean), np.sqrt(alpha) * np.eye(X.shape[1])])
    right = np.vstack([roots * (Y - level), np.zeros((X.shape[1], Y.shape[1]))])
    coef = np.linalg.lstsq(stacked, right, rcond=1e-12)[0]
    return coef, level - mean @ coef


@shapes
@weighted
@intercept
@pytest.mark.parametrize("alpha", [0.0, 1e-9, 0.7])
def test_it_is_the_shortest_least_squares_or_ridge_regression(
    shape: tuple[int, int], weighted: bool, fit_intercept: bool, alpha: float
) -> None:
    X, Y, w = problem(shape, weighted)
    found, rank = fit_supervised(X, Y, w, alpha, fit_intercept)
    coef, constant = plain(X, Y, w, alpha, fit_intercept)
    np.testing.assert_allclose(found.coef, coef, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(found.intercept, constant, rtol=1e-7, atol=1e-7)
    n, d = shape
    n_seen = d if alpha > 1e-6 else min(d, n - fit_intercept)
    # A penalty sees every direction; where rows are fewer than columns, however small it is.
    assert rank == (d if alpha > 0.0 and n < d else n_seen) + fit_intercept


@shapes
@pytest.mark.parametrize("alpha", [0.0, 1e-9, 0.7])
def test_the_unit_of_the_columns_is_that_of_the_coefficients(
    shape: tuple[int, int], alpha: float
) -> None:
    X, Y, _ = problem(shape, False)
    expected, rank = fit_supervised(X, Y, None, alpha, True)
    for unit in (1e-12, 1e12):
        found, same = fit_supervised(unit * X, Y, None, unit**2 * alpha, True)
        assert same == rank
        np.testing.assert_allclose(unit * found.coef, expected.coef, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(found.intercept, expected.intercept, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_numbers_whose_squares_are_no_numbers_are_refused_by_name(container: Any) -> None:
    def check(value: float, weights: Any = None) -> None:
        X = np.ones((4, 3))
        X[:, 1] = [value, -value, 0.0, value]
        _check_squares(container(X), weights)

    # The squares of four rows add up to a hundredth of the largest number.
    largest = np.sqrt(np.finfo(float).max / 400.0)
    check(0.999 * largest)
    check(0.499 * largest, np.full(4, 4.0))
    check(1.999 * largest, np.full(4, 1e-3))  # less than one row is taken for one
    for value, weights in ((1.001, None), (0.501, np.full(4, 4.0)), (2.001, np.full(4, 1e-3))):
        with pytest.raises(ValueError, match=r"Column 1 \(counted from 0\) has numbers too large"):
            check(value * largest, weights)
    check(1.1e-146)
    check(0.0)
    with pytest.raises(ValueError, match=r"Column 1 \(counted from 0\) has numbers too small"):
        check(0.9e-146)


@shapes
@weighted
@intercept
@pytest.mark.parametrize("n_columns", [1, 3])
def test_the_penalty_is_that_with_the_least_error_of_refits_without_each_row(
    shape: tuple[int, int], weighted: bool, fit_intercept: bool, n_columns: int
) -> None:
    X, Y, w = problem(shape, weighted, n_columns)
    Y = Y + X[:, :1] if shape[0] > shape[1] else Y
    each = np.ones(len(X)) if w is None else w
    mean = each @ X / each.sum() * fit_intercept
    unit = float((each @ (X - mean) ** 2).mean())
    errors = []
    for alpha in LOO_GRID * unit:
        error = 0.0
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            own = None if w is None else w[rest]
            coef, constant = plain(X[rest], Y[rest], own, alpha, fit_intercept)
            error += each[i] * float(((X[i] @ coef + constant - Y[i]) ** 2).sum())
        errors.append(error)
    expected = LOO_GRID[int(np.argmin(errors))] * unit
    found = leave_one_out_alpha(X, Y[:, 0] if n_columns == 1 else Y, w, fit_intercept)
    assert found == pytest.approx(expected, rel=1e-10)


def test_rows_of_no_weight_have_no_say_in_the_penalty() -> None:
    X, Y, w = problem((12, 4), True)
    w[:3] = 0.0
    Y[:3] = 1e3
    expected = leave_one_out_alpha(X[3:], Y[3:], w[3:])
    assert leave_one_out_alpha(X, Y, w) == expected


def test_columns_that_say_nothing_need_no_penalty() -> None:
    _, Y, _ = problem((12, 4), False)
    assert leave_one_out_alpha(np.full((12, 2), 7.0), Y, None) == 0.0
    assert leave_one_out_alpha(np.zeros((12, 2)), Y, None, fit_intercept=False) == 0.0
    assert leave_one_out_alpha(np.zeros((12, 0)), Y, None) == 0.0


def test_the_grid_reaches_from_none_to_speak_of_to_the_constant() -> None:
    assert LOO_GRID[[0, 4, -1]] == pytest.approx([1e-6, 1e-5, 1e4])


def test_a_penalty_is_small_beside_the_largest_entry_of_the_diagonal() -> None:
    gram = np.diag([1.0, 4.0])
    assert is_small(3.9e-7, gram)
    assert not is_small(4.1e-7, gram)
    assert is_small(0.0, np.zeros((0, 0)))


def test_columns_are_lost_beside_others_unless_the_penalty_hides_them() -> None:
    for unit in (1e-10, 1.0, 1e10):
        for small, alpha, is_lost in (
            (1e-17, 1e-12, True),
            (1e-17, 0.0, False),  # a rank rule sees to it
            (1e-17, 1e-6, False),  # a penalty that is not small
            (1e-15, 1e-12, False),  # a column that is not
            (1e-21, 1e-12, False),  # a column that the penalty hides
        ):
            squares = unit * np.array([1.0, small, 0.5])
            assert loses_columns(squares, unit * alpha) == is_lost
    assert not loses_columns(np.zeros(0), 1.0)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_squares_of_columns_are_those_of_their_widths_over_all_rows(container: Any) -> None:
    X, more = container([[1.0, 2.0], [3.0, -4.0]]), container([[5.0, 1.0]])
    none = as_rows(container(np.zeros((0, 2))), None)
    both = as_rows(more, None)
    assert column_squares(X, both, True).tolist() == [16.0, 36.0]
    assert column_squares(X, both, False).tolist() == [25.0, 16.0]
    assert column_squares(X, none, True).tolist() == [4.0, 36.0]
    assert column_squares(X, none, False).tolist() == [9.0, 16.0]


@pytest.mark.parametrize("alpha", [0.3, 1e6])
@pytest.mark.parametrize("of_all", [True, False])
@weighted
@intercept
def test_the_metric_is_what_changed_targets_do_to_the_fit(
    alpha: float, of_all: bool, weighted: bool, fit_intercept: bool
) -> None:
    X, _, w = problem((6, 9), weighted)
    rows = CentredRows(X, w, fit_intercept)
    ridge = RowsRidge(rows.gram(), rows.roots, alpha, fit_intercept)
    assert (alpha > LARGE_PENALTY * ridge.largest) == (alpha == 1e6)
    n_known = 2
    changes = np.vstack([np.zeros((n_known, 4)), np.eye(4)])
    coef, constant = plain(X, changes, w, alpha, fit_intercept)
    n = len(X) if of_all else n_known
    each = np.ones(n) if w is None else w[:n]
    values = X[:n] @ coef + constant
    expected = values.T @ (each[:, None] * values) + alpha * coef.T @ coef
    np.testing.assert_allclose(ridge.metric(n_known, of_all), expected, rtol=1e-7, atol=1e-12)


@weighted
@intercept
@pytest.mark.parametrize("alpha", [1e-5, 0.3])
def test_the_dual_coefficients_give_the_values_of_the_fit(
    weighted: bool, fit_intercept: bool, alpha: float
) -> None:
    X, Y, w = problem((6, 9), weighted)
    rows = CentredRows(X, w, fit_intercept)
    ridge = RowsRidge(rows.gram(), rows.roots, alpha, fit_intercept)
    coef, constant = plain(X, Y, w, alpha, fit_intercept)
    fitted = (rows.gram() @ ridge.dual(Y)) / rows.roots[:, None] + ridge.level(Y)
    np.testing.assert_allclose(fitted, X @ coef + constant, rtol=1e-9, atol=1e-9)
    sums = rows.roots @ ridge.dual(Y)
    assert not fit_intercept or np.abs(sums).max() < 1e-9


def spread_rows(lengths: Any, fit_intercept: bool = True) -> tuple[Any, Any]:
    """Rows whose columns have these lengths, nearly orthogonal."""
    random = np.random.default_rng(0)
    X = np.linalg.qr(random.normal(size=(30, len(lengths))))[0] * lengths + 2.0 * fit_intercept
    return X, CentredRows(X, None, fit_intercept)


@intercept
def test_principal_directions_that_inner_products_know_are_theirs(fit_intercept: bool) -> None:
    _, rows = spread_rows([3.0, 1.0, 1e-2], fit_intercept)
    gram = rows.gram()
    for known in (rows, None):
        # But for the constant a penalty of a millionth of the largest square is enough to know all.
        alpha = 1.1e-6 * np.linalg.eigvalsh(gram)[-1]
        principal = Principal.of(gram, alpha, known)
        assert principal.right is None
        product = (principal.left * principal.lengths**2) @ principal.left.T
        np.testing.assert_allclose(product, gram, atol=1e-13)
        Y = np.random.default_rng(1).normal(size=(30, 2))
        inside = principal.left @ (principal.left.T @ Y)
        expected = np.linalg.solve(gram + alpha * np.eye(30), inside)
        np.testing.assert_allclose(
            principal.solve(Y, alpha), expected, rtol=1e-6, atol=1e-7 / alpha
        )


@intercept
def test_principal_directions_that_squares_lose_are_those_of_the_rows(fit_intercept: bool) -> None:
    X, rows = spread_rows([3.0, 1.0, 1e-9], fit_intercept)
    principal = Principal.of(rows.gram(), 0.0, rows)
    assert principal.right is not None
    assert principal.right.shape == (3, 3)
    found = (principal.left * principal.lengths) @ principal.right.T
    np.testing.assert_allclose(found, rows.dense(), atol=1e-14)
    assert principal.lengths.min() < 2e-9
    # Without the rows, what is lost is lost.
    lost = Principal.of(rows.gram(), 0.0, None)
    assert lost.right is None
    ridge = RowsRidge(rows.gram(), rows.roots, 1e-26, fit_intercept, rows)
    y = X @ np.array([0.5, -1.0, 1e9])
    np.testing.assert_allclose(ridge.coefficients(y).coef, [0.5, -1.0, 1e9], rtol=1e-4)


def test_rows_are_asked_where_directions_are_lost_beside_the_constant_too() -> None:
    # As many columns as rows less one: all but the direction of the constant.
    random = np.random.default_rng(0)
    X = np.linalg.qr(random.normal(size=(6, 5)))[0] + 3.0
    rows = CentredRows(X, None, True)
    assert Principal.of(rows.gram(), 0.0, rows).right is None
    plain = CentredRows(X - X.mean(axis=0), None, False)
    assert Principal.of(plain.gram(), 0.0, plain).right is not None


def test_refinement_makes_coefficients_as_good_as_orthogonal_factors() -> None:
    X = spread_rows(np.logspace(0.0, -3.0, 6), False)[0]
    rows = CentredRows(X, None, False)
    alpha, y = 2e-7, X @ np.ones(6) + np.cos(np.arange(30.0))
    found = RowsRidge(rows.gram(), rows.roots, alpha, False, rows).coefficients(y)
    coef, _ = plain(X, y[:, None], None, alpha, False)
    np.testing.assert_allclose(found.coef, coef[:, 0], rtol=1e-11, atol=1e-11)


def test_one_row_has_a_ridge_regression_too() -> None:
    ridge = RowsRidge(np.array([[4.0]]), np.ones(1), 1.0, False)
    assert ridge.dual(np.array([[10.0]])).tolist() == [[2.0]]
