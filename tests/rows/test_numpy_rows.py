import tracemalloc

import numpy as np
import pytest

from tacit.rows import Moments, NumpyRows, Rows, moments_and_sample
from tacit.rows import _sweep as sweep
from tests.rows.storages import memory_map


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


def test_blocks_of_an_array_in_double_precision_are_views_in_its_order():
    for order in ("C", "F"):
        X = np.asarray(np.random.default_rng(0).normal(size=(100, 3)), order=order)
        rows = NumpyRows(X)
        rows.block_rows = 40
        for block in rows.blocks():
            assert np.shares_memory(block.X, X)
            assert (block.X.strides[0] == 8) == (order == "F")


@pytest.mark.parametrize("step", [1, 2, -1])
def test_blocks_lie_together_along_an_axis_so_that_their_products_are_symmetric(step):
    # Of every other column NumPy copies each side of X'X for itself, and the sides may round apart.
    X = np.random.default_rng(0).normal(size=(4001, 70))[::step, ::step]
    rows = NumpyRows(X)
    for block in rows.blocks():
        assert 8 in block.X.strides
    scatter = Moments.of(rows).scatter
    np.testing.assert_array_equal(scatter, scatter.T)


def test_blocks_begin_at_even_addresses():
    # Arrays from the network need not, and then had other last digits than those of this process.
    X = np.random.default_rng(0).normal(size=(50, 7))
    odd = np.frombuffer(b"." + X.tobytes(), dtype=np.float64, offset=1).reshape(X.shape)
    assert not odd.flags.aligned
    (block,) = NumpyRows(odd).blocks()
    assert block.X.flags.aligned
    np.testing.assert_array_equal(
        Moments.of(NumpyRows(odd)).scatter, Moments.of(NumpyRows(X)).scatter
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.uint8, bool])
def test_other_real_types_are_converted_block_by_block(dtype):
    X = np.array([[1, 0], [0, 1]], dtype=dtype)
    (block,) = NumpyRows(X).blocks()
    assert block.X.dtype == np.float64
    np.testing.assert_array_equal(block.X, np.eye(2))


@pytest.mark.parametrize("dtype", [complex, object, "U3"])
def test_what_is_not_a_real_number_is_refused(dtype):
    with pytest.raises(TypeError, match="real numbers"):
        NumpyRows(np.ones((2, 2)).astype(dtype))


def test_what_is_not_a_table_is_refused():
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        NumpyRows(np.ones(3))
    with pytest.raises(ValueError, match=r"weights has shape \(2,\)"):
        NumpyRows(np.ones((3, 1)), np.ones(2))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_memory_map_stays_on_disk(tmp_path, monkeypatch, dtype):
    X = np.random.default_rng(0).normal(size=(1_000_000, 8)).astype(dtype)
    mapped = memory_map(tmp_path, X)
    size, expected = X.nbytes, X.mean(axis=0, dtype=np.float64)
    del X
    monkeypatch.setattr(sweep, "blas_threads", lambda: 2)
    tracemalloc.start()
    try:
        rows = NumpyRows(mapped)
        moments, _ = moments_and_sample(rows, 1000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(rows.X, np.memmap)
    assert peak < size / 2
    np.testing.assert_allclose(moments.mean, expected, atol=1e-12)
