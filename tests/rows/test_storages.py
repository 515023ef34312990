"""Whatever holds a table, the mathematics sees the same table."""

import operator
import pickle

import numpy as np
import pytest
from scipy import sparse

from tacit.rows import Block, Moments, NumpyRows, Rows, moments_and_sample
from tests.rows.storages import N_FEATURES, N_ROWS, STORAGES, Product, Values, positions, table

X = table()
BETA = np.linspace(-1.0, 1.0, N_FEATURES)


@pytest.fixture(params=STORAGES)
def rows(request, tmp_path):
    return STORAGES[request.param](tmp_path, X)


def dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def test_every_storage_keeps_the_protocol(rows):
    assert isinstance(rows, Rows)
    assert (rows.n_rows, rows.n_features) == (N_ROWS, N_FEATURES)
    assert rows.total_weight == N_ROWS


def test_every_storage_sees_each_row_once_in_order(rows):
    assert rows.reduce(positions, operator.add) == list(range(N_ROWS))


def check_block(block: Block) -> list[int]:
    assert block.weights is None
    assert block.X.dtype == np.float64
    assert isinstance(block.X, np.ndarray | sparse.csr_array)
    np.testing.assert_array_equal(
        dense(block.X), X[block.start : block.start + block.X.shape[0]], strict=True
    )
    return [block.X.shape[0]]


def test_every_storage_gives_the_rows_themselves_in_double_precision(rows):
    assert sum(rows.reduce(check_block, operator.add)) == N_ROWS


def test_every_storage_has_the_same_moments(rows):
    expected, found = Moments.of(NumpyRows(X)), Moments.of(rows)
    scale = np.sqrt(np.outer(expected.scatter.diagonal(), expected.scatter.diagonal()))
    assert found.weight == N_ROWS
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-12)
    np.testing.assert_allclose(found.scatter / scale, expected.scatter / scale, atol=1e-12)
    np.testing.assert_array_equal(found.scatter, found.scatter.T)


@pytest.mark.parametrize("n_sample", [0, 50, N_ROWS - 1, N_ROWS])
def test_every_storage_draws_the_same_sample(rows, n_sample):
    moments, sample = moments_and_sample(rows, n_sample)
    _, expected = moments_and_sample(NumpyRows(X), n_sample)
    np.testing.assert_array_equal(sample.index, expected.index, strict=True)
    np.testing.assert_array_equal(dense(sample.X), X[expected.index], strict=True)
    assert sample.weights is None
    np.testing.assert_allclose(moments.mean, X.mean(axis=0))


def test_every_storage_gives_the_same_sum_over_rows(rows):
    found = rows.reduce(Product(BETA), operator.add)
    np.testing.assert_allclose(found, X.T @ (X @ BETA), rtol=1e-12)


def test_a_sweep_gives_the_same_result_to_the_last_digit_every_time(rows):
    first, second = (rows.reduce(Product(BETA), operator.add) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_every_storage_maps_a_number_to_each_row(rows):
    found = rows.map(Values(BETA))
    assert len(found) == N_ROWS
    np.testing.assert_allclose(np.asarray(found), X @ BETA, rtol=1e-12, atol=1e-12)


def test_every_storage_maps_several_numbers_to_each_row(rows):
    betas = np.column_stack([BETA, BETA**2])
    np.testing.assert_allclose(np.asarray(rows.map(Values(betas))), X @ betas, atol=1e-11)


def sign(block_X):
    return np.array(["minus", "plus"])[(block_X @ BETA > 0).astype(int)]


def test_every_storage_maps_a_label_to_each_row(rows):
    np.testing.assert_array_equal(np.asarray(rows.map(sign)), sign(X))


def fail_in_the_middle(block: Block) -> int:
    if block.start + block.X.shape[0] > N_ROWS // 2:
        raise ZeroDivisionError("the kernel failed")
    return 1


def test_an_error_in_the_kernel_comes_through(rows):
    with pytest.raises(ZeroDivisionError, match="the kernel failed"):
        rows.reduce(fail_in_the_middle, operator.add)


def fail_to_combine(left: int, right: int) -> int:
    raise ZeroDivisionError("combining failed")


def test_an_error_while_combining_comes_through(tmp_path):
    for name in ("array in small blocks", "Parquet file in odd batches", "Dask array"):
        folder = tmp_path / name
        folder.mkdir()
        with pytest.raises(ZeroDivisionError, match="combining failed"):
            STORAGES[name](folder, X).reduce(len_of_block, fail_to_combine)


def len_of_block(block: Block) -> int:
    return int(block.X.shape[0])


def test_every_storage_survives_pickling(rows):
    copy = pickle.loads(pickle.dumps(rows))
    assert copy.reduce(positions, operator.add) == list(range(N_ROWS))


def test_an_empty_table_has_one_empty_block_in_every_storage(tmp_path):
    for name in ("array", "Fortran order", "CSR", "COO", "Parquet file", "Dask array"):
        folder = tmp_path / name
        folder.mkdir()
        rows = STORAGES[name](folder, X[:0])
        assert rows.reduce(positions, operator.add) == []
        moments, sample = moments_and_sample(rows, 10)
        assert moments.weight == 0.0
        np.testing.assert_array_equal(moments.scatter, np.zeros((N_FEATURES, N_FEATURES)))
        assert (len(sample), sample.X.shape) == (0, (0, N_FEATURES))
        assert len(rows.map(Values(BETA))) == 0
