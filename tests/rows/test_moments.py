import pickle

import numpy as np
import pytest
from scipy import sparse

from tacit.rows import Block, CsrRows, Moments, NumpyRows
from tacit.rows._moments import moments_of_block


def exactly(X, weights=None):
    """The moments in extended precision."""
    X = X.astype(np.longdouble)
    w = np.ones(len(X), dtype=np.longdouble) if weights is None else weights
    mean = w @ X / w.sum()
    return Moments(float(w.sum()), mean, ((X - mean) * w[:, None]).T @ (X - mean))


def assert_moments(found, expected, tolerance=1e-13):
    scale = np.sqrt(np.outer(expected.scatter.diagonal(), expected.scatter.diagonal()))
    np.testing.assert_allclose(found.weight, expected.weight, rtol=1e-14)
    np.testing.assert_allclose(found.mean, expected.mean.astype(float), rtol=tolerance)
    assert np.abs(found.scatter - expected.scatter).max() <= tolerance * scale.max()
    relative = np.abs((found.scatter - expected.scatter) / scale)
    assert relative.max() <= tolerance, relative.max()


@pytest.fixture(params=[False, True], ids=["unweighted", "weighted"])
def weights(request):
    return np.random.default_rng(1).uniform(size=500) if request.param else None


@pytest.mark.parametrize("order", ["C", "F"])
def test_centred_rows_are_summed_without_a_second_pass_and_without_loss(weights, order):
    X = np.asarray(np.random.default_rng(0).normal(size=(500, 4)), order=order)
    assert_moments(moments_of_block(Block(X, weights, 0)), exactly(X, weights))


@pytest.mark.parametrize("mean", [1.0, 3.0, 5.0, 100.0, 1e6])
def test_a_mean_costs_no_more_digits_than_the_numbers_themselves_lost(weights, mean):
    X = np.random.default_rng(0).normal(size=(500, 4)) + mean
    # What cancels in two passes is only what a mean with a rounding error leaves.
    assert_moments(moments_of_block(Block(X, weights, 0)), exactly(X, weights), 1e-12)


def test_a_mean_that_every_sixteenth_row_hides_costs_nothing():
    X = np.random.default_rng(0).normal(size=(512, 2)) + 1000.0
    X[::16] = np.linspace(-1e4, 1e4, 32)[:, None]
    assert_moments(moments_of_block(Block(X, None, 0)), exactly(X), 1e-12)


def sparse_table(density=0.02):
    random = np.random.default_rng(0)
    X = random.normal(size=(500, 40)) * (random.uniform(size=(500, 40)) < density)
    X[:, 3] = random.normal(size=500) + 1e6  # full, with a large mean
    X[:, 5] = 7.0  # full and constant
    X[:, 6] = 0.0
    return X


@pytest.mark.parametrize("density", [0.0, 0.002, 0.5])
def test_sparse_rows_lose_nothing_even_with_a_full_column_of_large_mean(weights, density):
    X = sparse_table(density)
    found = Moments.of(CsrRows(sparse.csr_array(X), weights))
    expected = exactly(X, weights)
    varies = expected.scatter.diagonal() > 1e-6
    assert varies.sum() >= 1
    np.testing.assert_allclose(found.mean, expected.mean.astype(float), rtol=1e-12, atol=1e-12)
    inner = np.ix_(varies, varies)
    assert_moments(
        Moments(found.weight, found.mean, found.scatter[inner]),
        Moments(expected.weight, expected.mean, expected.scatter[inner]),
        1e-9,  # the numbers themselves have lost 1e6 * 1e-16 of their standard deviation
    )
    np.testing.assert_allclose(found.scatter[5], 0.0, atol=1e-6)


def test_a_column_that_is_full_but_for_rows_without_weight_is_centred_too():
    X = sparse_table(0.002)
    weights = np.ones(500)
    X[:100], weights[:100] = 0.0, 0.0
    found = Moments.of(CsrRows(sparse.csr_array(X), weights))
    np.testing.assert_allclose(found.scatter[3, 3], 400 * X[100:, 3].var(), rtol=1e-9)


def test_sparse_rows_with_duplicate_entries_are_summed_first():
    X = sparse.csr_array(
        (np.array([1.0, 2.0, 4.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 100)
    )
    found = moments_of_block(Block(X, None, 0))
    np.testing.assert_array_equal(found.mean[:2], [1.5, 2.0])
    assert X.nnz == 3


def test_sparse_rows_are_never_made_dense_as_a_whole():
    tracemalloc = pytest.importorskip("tracemalloc")
    X = sparse.random_array((200_000, 200), density=0.05, format="csr", rng=0)
    rows = CsrRows(X)
    tracemalloc.start()
    Moments.of(rows)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 80e6 < 200_000 * 200 * 8


def test_moments_survive_pickling():
    moments = Moments.of(NumpyRows(np.eye(3)))
    copy = pickle.loads(pickle.dumps(moments))
    np.testing.assert_array_equal(copy.scatter, moments.scatter)
    assert pickle.loads(pickle.dumps(moments_of_block)) is moments_of_block


def test_adding_moments_changes_neither_of_them():
    a, b = (Moments.of(NumpyRows(np.random.default_rng(i).normal(size=(9, 2)))) for i in range(2))
    before = pickle.dumps((a, b))
    a + b
    assert pickle.dumps((a, b)) == before


def test_weights_of_very_sparse_rows_count_in_their_moments():
    X = sparse.random_array((60, 300), density=0.01, format="csr", rng=np.random.default_rng(0))
    weights = np.random.default_rng(1).uniform(size=60)
    found, dense = Moments.of(CsrRows(X, weights)), Moments.of(NumpyRows(X.toarray(), weights))
    np.testing.assert_allclose(found.mean, dense.mean, atol=1e-12)
    np.testing.assert_allclose(found.scatter, dense.scatter, atol=1e-12)
