import numpy as np
import pytest

from tacit.rows import Moments, NumpyRows, Rows


def test_numpy_rows_keep_the_protocol():
    assert isinstance(NumpyRows(np.zeros((3, 2))), Rows)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 20])
def test_every_row_is_seen_once_and_in_order(n):
    rows = NumpyRows(np.arange(2.0 * n).reshape(n, 2))
    rows.block_rows = 4
    seen = rows.reduce(lambda block: [(block.start, block.X)], lambda a, b: a + b)
    np.testing.assert_array_equal(np.vstack([X for _, X in seen]), rows.X)
    assert [start for start, _ in seen] == list(range(0, max(n, 1), 4))


@pytest.mark.parametrize("weighted", [False, True])
def test_moments_do_not_depend_on_the_blocks(weighted):
    random = np.random.default_rng(0)
    X = random.normal(size=(50, 3)) + 100.0
    weights = random.uniform(size=50) if weighted else None
    whole = NumpyRows(X, weights)
    parts = NumpyRows(X, weights)
    parts.block_rows = 7
    a, b = Moments.of(whole), Moments.of(parts)
    np.testing.assert_allclose(a.weight, b.weight)
    np.testing.assert_allclose(a.mean, b.mean)
    np.testing.assert_allclose(a.scatter, b.scatter)
    np.testing.assert_allclose(a.mean, np.average(X, axis=0, weights=weights))
    cov = np.cov(X.T, aweights=weights, ddof=0)
    np.testing.assert_allclose(a.scatter / a.weight, cov)


def test_moments_keep_small_differences_of_a_large_mean():
    random = np.random.default_rng(0)
    x = random.normal(size=(1000, 1))
    np.testing.assert_allclose(
        Moments.of(NumpyRows(x + 1e8)).scatter, Moments.of(NumpyRows(x)).scatter, rtol=1e-6
    )


def test_no_rows_and_rows_without_weight_add_nothing():
    X = np.random.default_rng(0).normal(size=(5, 2))
    some = Moments.of(NumpyRows(X))
    for nothing in (NumpyRows(X[:0]), NumpyRows(X, np.zeros(5))):
        for both in (some + Moments.of(nothing), Moments.of(nothing) + some):
            np.testing.assert_array_equal(both.scatter, some.scatter)
            assert both.weight == 5.0


def test_single_precision_is_summed_in_double():
    X = (np.random.default_rng(0).normal(size=(1000, 2)) + 1000.0).astype(np.float32)
    exact = Moments.of(NumpyRows(X.astype(np.float64)))
    np.testing.assert_allclose(Moments.of(NumpyRows(X)).scatter, exact.scatter)
