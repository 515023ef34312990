"""Features of a kernel, beside the inner products that they stand for."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tacit.solver import _kernel_features as module
from tacit.solver._kernel_features import KernelFeatures, fit_kernel_ridge

RANDOM = np.random.default_rng(0)


def gaussian(n: int, spread: float = 1.0) -> Any:
    X = np.random.default_rng(n).normal(size=(n, 2))
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    return np.exp(-squares / spread)


def low_rank(n: int, rank: int, offset: float = 3.0) -> Any:
    X = np.random.default_rng(n).normal(size=(n, rank)) + offset
    return X @ X.T


def centred(K: Any, weights: Any = None) -> Any:
    w = np.ones(len(K)) if weights is None else weights
    C = np.eye(len(K)) - np.outer(np.ones(len(K)), w / w.sum())
    return C @ K @ C.T


@pytest.mark.parametrize("is_centred", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_inner_products_are_the_kernel_but_for_a_shift_of_the_origin(
    is_centred: bool, alpha: float
) -> None:
    K = low_rank(30, 4)
    skew = np.triu(1e-3 * RANDOM.normal(size=K.shape))
    lopsided = K + skew - skew.T
    features = KernelFeatures.of(lopsided, is_centred, alpha)
    F = features.values
    assert F.shape == (30, 4)
    expected = centred(K) if is_centred else K
    np.testing.assert_allclose(F @ F.T, expected, atol=1e-10 * np.abs(K).max())
    assert features.alpha == alpha
    assert features.ridge is None
    # Coefficients of the kernel between a row and the table's have the values of those of features.
    # But for a constant, coefficients of the kernel with the table's rows have the same values.
    values = K @ features.weights - F
    np.testing.assert_allclose(values - values[0], 0.0, atol=1e-9 * np.abs(K).max())
    np.testing.assert_allclose(
        features.means, K.mean(axis=0) if is_centred else np.zeros(30), atol=1e-9
    )


def test_without_a_penalty_small_components_are_left_out_and_with_one_only_rounding_is() -> None:
    Q = np.linalg.qr(RANDOM.normal(size=(20, 20)))[0]
    eigenvalues = np.zeros(20)
    eigenvalues[:4] = 1.0, 1e-4, 1e-10, 1e-17
    K = (Q * eigenvalues) @ Q.T
    assert KernelFeatures.of(K, False).values.shape[1] == 2
    assert KernelFeatures.of(K, False, 0.1).values.shape[1] == 3
    # A penalty that is next to nothing is as good as none.
    tiny = KernelFeatures.of(K, False, 1e-12)
    assert tiny.values.shape[1] == 2
    assert tiny.alpha == 0.0


def test_of_a_constant_kernel_nothing_is_left_in_the_centre() -> None:
    for n, size in itertools.product((1, 9, 50, 400), (7.3, 1e-5)):
        K = np.full((n, n), size) * (1.0 + 1e-16 * RANDOM.normal(size=(n, n)))
        for alpha in (0.0, 0.1):
            assert KernelFeatures.of(K, True, alpha).values.shape == (n, 0)
        assert KernelFeatures.of(K, False).values.shape == (n, 1)


def test_constant_kernels_of_many_rows_are_kernels_whatever_rounding_makes_of_them() -> None:
    for size in np.linspace(1e-5, 1e-3, 30):
        assert KernelFeatures.of(np.full((400, 400), size), True).values.shape == (400, 0)


@pytest.mark.parametrize("size", [1.0, 1e-8, 1e8])
@pytest.mark.parametrize(
    "K",
    [
        -low_rank(12, 3),
        low_rank(12, 3) - 5.0 * np.eye(12),
        1.0 - np.eye(12),
        np.diag([1.0, 1.0, -0.01]),
    ],
    ids=["negative", "partly", "distances", "hardly"],
)
def test_what_is_not_a_kernel_is_refused(K: Any, size: float) -> None:
    with pytest.raises(ValueError, match="not positive semi-definite"):
        KernelFeatures.of(size * K, False)
    Y, w = np.ones(len(K)), np.ones(len(K))
    Y[::2] = 0.0
    with pytest.raises(ValueError, match="not positive semi-definite"):
        fit_kernel_ridge(size * K, Y, w, 1e-3 * size, False)


def test_a_kernel_is_not_refused_for_its_rounding() -> None:
    for offset, n in itertools.product((1e3, 1e4, 1e5, 1e6), (12, 60, 150)):
        K = low_rank(n, 4, offset)
        near = low_rank(n, 4, 0.0)
        for is_centred in (False, True):
            F = KernelFeatures.of(K, is_centred).values
            assert F.shape[1] <= 4
            expected = centred(near) if is_centred else K
            np.testing.assert_allclose(F @ F.T, expected, atol=1e-13 * n * K.max())
        w = np.geomspace(1e-4, 1e4, n)
        for weights, alpha in ((None, 1e-6 * K.max()), (w, 1e-2 * K.max())):
            dual, _ = fit_kernel_ridge(K, np.arange(1.0 * n), weights, alpha, True)
            assert np.isfinite(dual).all()


def test_landmarks_span_features_of_all_rows() -> None:
    K, landmarks = low_rank(30, 4), np.array([3, 8, 9, 15, 20])
    features = KernelFeatures.of_landmarks(K[:, landmarks], landmarks)
    np.testing.assert_allclose(features.values @ features.values.T, K, atol=1e-7 * K.max())
    np.testing.assert_allclose(
        K[:, landmarks] @ features.weights, features.values, atol=1e-9 * K.max()
    )
    assert features.alpha == 0.0
    assert features.means.tolist() == [0.0] * 5


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("is_centred", [False, True])
def test_a_kernel_that_tells_rows_apart_needs_its_inner_products_alone(
    is_centred: bool, weighted: bool
) -> None:
    K = gaussian(40, 0.05)
    w = RANDOM.uniform(0.2, 3.0, 40) if weighted else None
    features = KernelFeatures.of_ridge(K, w, 0.3, is_centred, 10)
    assert features.ridge is not None
    assert features.alpha == features.ridge.alpha == 0.3
    assert features.weights.shape == (40, 0)
    F, roots = features.values, np.sqrt(np.ones(40) if w is None else w)
    expected = centred(K, w) if is_centred else K
    np.testing.assert_allclose(F @ F.T, expected, atol=1e-12)
    gram = np.outer(roots, roots) * expected
    np.testing.assert_allclose(features.ridge.gram, gram, atol=1e-12)
    np.testing.assert_allclose(features.ridge.roots, roots)
    assert features.ridge.fit_intercept == is_centred
    rows = features.ridge.rows
    assert rows is not None
    np.testing.assert_allclose(rows.gram(), gram, atol=1e-12)
    assert not rows.mean.any()
    means = K.mean(axis=0) if w is None else w @ K / w.sum()
    np.testing.assert_allclose(features.means, means if is_centred else 0.0 * means, atol=1e-12)


def test_principal_components_are_taken_where_a_factor_has_no_use() -> None:
    few, many = low_rank(30, 4), gaussian(30, 0.05)
    assert KernelFeatures.of_ridge(few, None, 0.3, True, 5).ridge is None
    # Features must be more than half the rows, and than labels.
    half = low_rank(30, 15)
    assert KernelFeatures.of_ridge(half, None, 0.3, False, 5).ridge is None
    assert KernelFeatures.of_ridge(low_rank(30, 16), None, 0.3, False, 5).ridge is not None
    assert KernelFeatures.of_ridge(low_rank(30, 16), None, 0.3, False, 16).ridge is None
    assert KernelFeatures.of_ridge(many, None, 0.3, True, 5).ridge is not None
    # Below a small penalty components are known better, and of a tiny one nothing is left.
    for alpha, told in [(0.99e-7, 0.99e-7), (1.01e-9, 0.0), (0.99e-9, 0.0)]:
        features = KernelFeatures.of_ridge(many, None, alpha, False, 5)
        assert features.ridge is None
        assert features.alpha == (told if alpha > 1e-7 * many.max() else 0.0)
    assert KernelFeatures.of_ridge(many, None, 1.01e-7, False, 5).ridge is not None
    # By the largest of the weights, if that is more than one.
    w = np.ones(30)
    w[4] = 100.0
    assert KernelFeatures.of_ridge(many, w, 1e-6, False, 5).ridge is None
    assert KernelFeatures.of_ridge(many, 1e-3 * w, 1e-6, False, 5).ridge is not None


def test_a_tiny_penalty_is_told_from_a_small_one_by_the_weights() -> None:
    K, w = gaussian(30, 0.05), np.ones(30)
    w[4] = 1e4
    # Both are small beside the weights, but only the first is known to some digits.
    for alpha, told in [(1.1e-5, 1.1e-5), (0.9e-5, 0.0)]:
        assert KernelFeatures.of_ridge(K, w, alpha, False, 5).alpha == told


def test_what_a_factor_misses_is_found_and_refused() -> None:
    K = gaussian(30, 0.05)
    K[:, 3] = K[3] = 0.0
    K[3, 3] = -0.5
    with pytest.raises(ValueError, match="not positive semi-definite"):
        KernelFeatures.of_ridge(K, None, 0.3, False, 5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_ridge_regression_by_a_kernel_solves_its_equations(
    fit_intercept: bool, weighted: bool
) -> None:
    K, Y = gaussian(25) + 2.0, RANDOM.normal(size=(25, 2))
    w = RANDOM.uniform(0.2, 3.0, 25) if weighted else np.ones(25)
    dual, level = fit_kernel_ridge(K, Y, w if weighted else None, 0.3, fit_intercept)
    # Residuals times weights are the penalty times the coefficients.
    residual = Y - K @ dual - level
    np.testing.assert_allclose(w[:, None] * residual, 0.3 * dual, atol=1e-9)
    if fit_intercept:
        np.testing.assert_allclose(dual.sum(axis=0), 0.0, atol=1e-9)
    else:
        np.testing.assert_array_equal(level, [0.0, 0.0])


def test_numbers_that_are_nothing_beside_the_largest_are_none() -> None:
    F = np.array([[1e10, 1e-30], [-1e-10, 0.0]])
    np.testing.assert_array_equal(module._plain(F), [[1e10, 0.0], [-1e-10, 0.0]])
    assert module._plain(np.zeros((3, 0))).shape == (3, 0)


def test_what_is_larger_beside_the_diagonal_is_seen_with_either_sign() -> None:
    for sign in (1.0, -1.0):
        gram = np.array([[1.0, 3.0 * sign], [3.0 * sign, 2.0]])
        assert module._beside(gram) == 1.0
    assert module._beside(np.eye(2)) == 0.0
    assert module._beside(np.zeros((0, 0))) == 0.0
