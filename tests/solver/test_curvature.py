"""The matrix of Newton steps on the dual, beside the sum over rows that it stands for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tacit.solver._curvature import Curvature, Factor

RANDOM = np.random.default_rng(0)
V = RANDOM.normal(size=(30, 3))


def summed(V: Any, W: Any) -> Any:
    r = V.shape[1]
    whole = np.zeros((len(W) * r, len(W) * r))
    for v, w in zip(V, W.T, strict=True):
        if w.sum() > 0.0:
            whole += np.kron(np.diag(w) - np.outer(w, w) / w.sum(), np.outer(v, v))
    return whole


def few_classes(n_each: int, n_classes: int = 5) -> Any:
    order = RANDOM.permuted(np.tile(np.arange(n_classes), (30, 1)), axis=1)
    return order < n_each


def test_of_two_classes_it_is_one_matrix() -> None:
    W = RANDOM.uniform(0.1, 3.0, size=(2, 30))
    W[:, 4] = 0.0
    expected = summed(V, W)[:3, :3]
    found = Curvature(V, 2, is_interval=True).at(W)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("n_each", [1, 2, 3, 5])
@pytest.mark.parametrize("is_told", [False, True])
def test_of_more_classes_it_is_the_sum_over_the_pairs_of_them(n_each: int, is_told: bool) -> None:
    allowed = few_classes(n_each)
    W = np.where(allowed.T, RANDOM.uniform(0.1, 3.0, size=(5, 30)), 0.0)
    W[:, 7] = 0.0
    curvature = Curvature(V, 5, allowed if is_told else None)
    # A list of pairs is made where these are no more than rows times classes.
    assert (curvature._pairs is not None) == (is_told and n_each < 3)
    np.testing.assert_allclose(np.triu(curvature.at(W.copy())), np.triu(summed(V, W)), atol=1e-12)


def test_rows_of_unlike_numbers_of_classes_are_listed_too() -> None:
    allowed = few_classes(1) | (few_classes(3) & (np.arange(30) < 8)[:, None])
    W = np.where(allowed.T, RANDOM.uniform(0.1, 3.0, size=(5, 30)), 0.0)
    curvature = Curvature(V, 5, allowed)
    assert curvature._pairs is not None
    np.testing.assert_allclose(np.triu(curvature.at(W)), np.triu(summed(V, W)), atol=1e-12)


def test_as_many_pairs_as_rows_times_classes_are_few_enough_to_be_listed() -> None:
    assert Curvature(V, 3, np.ones((30, 3), dtype=bool))._pairs is None
    two = np.tile([True, True, False], (30, 1))
    assert Curvature(V, 2, two[:, :2])._pairs is not None
    assert Curvature(V, 3, two)._pairs is not None


@pytest.mark.parametrize("is_told", [False, True])
def test_no_digit_of_a_label_near_one_is_lost(is_told: bool) -> None:
    W = np.array([[1.0], [1e-25], [1e-27]])
    allowed = np.array([[True, True, False]]) if is_told else None
    W[2] *= not is_told
    found = Curvature(np.ones((1, 1)), 3, allowed).at(W.copy()).diagonal()
    np.testing.assert_allclose(found, [W[1:].sum(), *W[1:, 0]], rtol=1e-12)
    interval = Curvature(np.ones((1, 1)), 2, is_interval=True).at(W[:2].copy())
    np.testing.assert_allclose(interval, 1e-25, rtol=1e-12)


def test_rows_of_one_class_each_have_no_curvature() -> None:
    for n in (0, 4):
        allowed = np.tile([False, True, False], (n, 1))
        found = Curvature(V[:n], 3, allowed).at(allowed.T * 2.0)
        np.testing.assert_array_equal(found, np.zeros((9, 9)))


def test_a_factor_solves_with_its_diagonal_added() -> None:
    W = RANDOM.uniform(0.1, 3.0, size=(2, 30))
    matrix = Curvature(V, 2, is_interval=True).at(W)
    soft, right = np.array([0.5, 0.0, 2.0]), RANDOM.normal(size=3)
    whole = matrix + np.diag(soft)
    found = Factor(matrix.copy(), soft).solve(right)
    np.testing.assert_allclose(found, np.linalg.solve(whole, right), rtol=1e-10)
    ridged = whole + 0.5 * np.trace(whole) * np.eye(3)
    found = Factor(matrix.copy(), soft, 0.5).solve(right)
    np.testing.assert_allclose(found, np.linalg.solve(ridged, right), rtol=1e-10)


@pytest.mark.parametrize("n_hard", [0, 1, 2])
def test_equalities_hold_the_mean_over_the_classes_that_no_labels_move(n_hard: int) -> None:
    W = RANDOM.uniform(0.1, 3.0, size=(4, 30))
    soft = np.where(np.arange(3) < n_hard, 0.0, 1.5)[:, None] * np.ones(4)
    right = RANDOM.normal(size=(3, 4))
    right -= right.mean(axis=1, keepdims=True)
    found = Factor(Curvature(V, 4).at(W.copy()), soft).solve(right)
    assert found.shape == (3, 4)
    left = summed(V, W) @ found.T.ravel() + (soft * found).T.ravel()
    np.testing.assert_allclose(left, right.T.ravel(), atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 0.0, atol=1e-9)


def test_what_holds_the_mean_is_of_the_size_of_the_curvature() -> None:
    matrix = np.zeros((4, 4))
    np.einsum("ii->i", matrix)[:] = 8.0
    # A right-hand side with a mean is divided by the mean of the diagonal besides its own.
    found = Factor(matrix, np.zeros((1, 4))).solve(np.ones((1, 4)))
    np.testing.assert_allclose(found, 1.0 / (8.0 + 8.0))


def test_a_direction_that_no_label_moves_is_no_obstacle_and_a_negative_one_is() -> None:
    found = Factor(np.diag([2.0, 0.0]), np.zeros(2)).solve(np.array([1.0, 0.0]))
    np.testing.assert_allclose(found, [0.5, 0.0])
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        Factor(np.diag([2.0, -1.0]), np.zeros(2))
