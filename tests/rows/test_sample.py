import numpy as np
import pytest
from scipy import sparse

from tacit.rows import CsrRows, NumpyRows, moments_and_sample
from tacit.rows._moments import _GOLDEN, _mix, row_hash


def positions(n, n_sample, seed=0):
    return moments_and_sample(NumpyRows(np.zeros((n, 1))), n_sample, seed)[1].index


def test_the_hash_is_splitmix64():
    # The first outputs of the reference implementation with seed 0.
    state = np.arange(1, 4, dtype=np.uint64) * _GOLDEN
    expected = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    np.testing.assert_array_equal(_mix(state), np.array(expected, dtype=np.uint64))


def test_the_size_of_a_sample_is_as_expected_and_its_rows_are_spread_evenly():
    index = positions(100_000, 5_000)
    assert abs(len(index) - 5_000) < 5 * np.sqrt(5_000)
    tenths = np.bincount(index // 10_000, minlength=10)
    assert (abs(tenths - 500) < 5 * np.sqrt(500)).all()
    assert (np.diff(index) > 0).all()


def test_neighbouring_rows_are_drawn_independently():
    index = positions(100_000, 50_000)
    together = (np.diff(index) == 1).sum()
    assert abs(together - 25_000) < 5 * np.sqrt(25_000)


def test_another_seed_draws_another_sample():
    a, b = positions(100_000, 10_000, seed=1), positions(100_000, 10_000, seed=2)
    common = len(np.intersect1d(a, b))
    assert abs(common - 1_000) < 5 * np.sqrt(1_000)
    for shift in (-1, 1):
        assert len(np.intersect1d(a + shift, b)) < 1_200
    assert len(row_hash(np.arange(3, dtype=np.uint64), -7)) == 3


def test_a_sample_has_the_rows_and_weights_at_its_positions():
    random = np.random.default_rng(0)
    X, weights = random.normal(size=(1000, 3)), random.uniform(size=1000)
    rows = NumpyRows(X, weights)
    rows.block_rows = 13
    _, sample = moments_and_sample(rows, 100)
    np.testing.assert_array_equal(sample.X, X[sample.index])
    np.testing.assert_array_equal(sample.weights, weights[sample.index])
    assert sample.index.dtype == np.int64
    assert len(sample) == len(sample.index)


def test_a_sample_of_sparse_rows_is_sparse():
    X = sparse.random_array((1000, 30), density=0.1, format="csr", rng=0)
    _, sample = moments_and_sample(CsrRows(X), 100)
    assert isinstance(sample.X, sparse.csr_array)
    np.testing.assert_array_equal(sample.X.toarray(), X.toarray()[sample.index])


def test_a_sample_does_not_share_memory_with_the_table():
    X = np.ones((5, 2))
    _, sample = moments_and_sample(NumpyRows(X), 10)
    assert not np.shares_memory(sample.X, X)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e200])
def test_a_column_that_cannot_be_summed_is_named(bad):
    X = np.random.default_rng(0).normal(size=(50, 3))
    X[17, 1] = bad
    with pytest.raises(ValueError, match=r"Column 1 .*NaN, infinity"):
        moments_and_sample(NumpyRows(X), 10)
