import numpy as np
import pytest
from scipy import sparse

from tacit.rows import CsrRows, Moments, NumpyRows
from tacit.rows._memory_rows import MOST_IF_DENSE


def test_blocks_are_slices_in_csr_format_and_share_the_entries():
    X = sparse.random_array((100, 20), density=0.2, format="csr", rng=0)
    X.sum_duplicates()
    rows = CsrRows(X)
    rows.block_rows = 30
    blocks = list(rows.blocks())
    assert [block.start for block in blocks] == [0, 30, 60, 90]
    for block in blocks:
        assert isinstance(block.X, sparse.csr_array)
        assert np.shares_memory(block.X.data, X.data)
        expected = X[block.start : block.start + 30]
        np.testing.assert_array_equal(block.X.toarray(), expected.toarray())


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint8])
def test_real_types_are_swept_in_double_precision(dtype):
    X = sparse.csr_array(np.array([[1, 0], [0, 3]], dtype=dtype))
    (block,) = CsrRows(X).blocks()
    assert block.X.dtype == np.float64
    np.testing.assert_array_equal(block.X.toarray(), [[1.0, 0.0], [0.0, 3.0]])
    assert X.dtype == dtype


@pytest.mark.parametrize("dtype", [bool, complex])
def test_other_types_are_refused(dtype):
    with pytest.raises(TypeError, match="real numbers"):
        CsrRows(sparse.csr_array(np.eye(2, dtype=dtype)))


def test_what_is_not_sparse_is_refused():
    with pytest.raises(TypeError, match="ndarray; it must be a SciPy sparse"):
        CsrRows(np.eye(2))
    with pytest.raises(ValueError, match="rows and columns"):
        CsrRows(sparse.coo_array(np.ones(3)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_entries_that_are_not_finite_are_refused(bad):
    with pytest.raises(ValueError, match="NaN or infinity"):
        CsrRows(sparse.csr_array(np.array([[bad, 0.0]])))


def test_duplicate_and_unsorted_entries_are_summed_in_a_copy():
    X = sparse.csr_array(
        (np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1]), np.array([0, 3])), shape=(1, 2)
    )
    (block,) = CsrRows(X).blocks()
    np.testing.assert_array_equal(block.X.data, [2.0, 5.0])
    assert X.nnz == 3


def test_weights_are_those_of_the_same_rows_in_an_array():
    random = np.random.default_rng(0)
    X = random.normal(size=(100, 5)) * (random.uniform(size=(100, 5)) < 0.3)
    weights = random.uniform(size=100)
    rows = CsrRows(sparse.csr_array(X), weights)
    rows.block_rows = 7
    assert rows.total_weight == pytest.approx(weights.sum())
    expected = Moments.of(NumpyRows(X, weights))
    np.testing.assert_allclose(Moments.of(rows).scatter, expected.scatter, atol=1e-12)
    with pytest.raises(ValueError, match=r"weights has shape \(99,\)"):
        CsrRows(sparse.csr_array(X), weights[:99])


@pytest.mark.parametrize(("n", "d", "density"), [(1000, 5, 0.5), (1000, 20_000, 1e-4), (10, 3, 0)])
def test_blocks_are_bounded_as_if_they_were_dense(n, d, density):
    rows = CsrRows(sparse.random_array((n, d), density=density, format="csr", rng=0))
    assert 1 <= rows.block_rows * d <= MOST_IF_DENSE
