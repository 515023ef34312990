import operator
import os

import dask
import dask.array as da
import numpy as np
import pytest

from tacit.rows import Block, DaskRows, Moments, NumpyRows, moments_and_sample
from tacit.rows import _dask_rows as dask_rows
from tacit.rows._sweep import BLOCK_NUMBERS, blas_threads
from tests.rows.storages import Product, Values, positions, table

X = table()
BETA = np.linspace(-1.0, 1.0, X.shape[1])


def chunked(rows_per_chunk=100):
    return da.from_array(X, chunks=(rows_per_chunk, X.shape[1]))


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
@pytest.mark.parametrize("rows_per_chunk", [3, 100, 1003])
def test_every_scheduler_gives_the_same_result_to_the_last_digit(scheduler, rows_per_chunk):
    rows = DaskRows(chunked(rows_per_chunk))
    with dask.config.set(scheduler=scheduler):
        moments, sample = moments_and_sample(rows, 100)
        assert rows.reduce(positions, operator.add) == list(range(len(X)))
    with dask.config.set(scheduler="synchronous"):
        expected = Moments.of(rows)
    np.testing.assert_array_equal(moments.scatter, expected.scatter)
    np.testing.assert_array_equal(sample.index, moments_and_sample(NumpyRows(X), 100)[1].index)


def test_a_sweep_is_one_task_a_chunk_and_a_tree_that_combines_them(monkeypatch):
    asked = []

    def compute(*collections, **options):
        asked.append(collections)
        return original(*collections, **options)

    original = dask.base.compute
    monkeypatch.setattr(dask.base, "compute", compute)
    DaskRows(chunked(3)).reduce(Product(BETA), operator.add)
    ((result,),) = asked
    keys = [str(key) for key in result.dask]
    assert sum("_sweep" in key for key in keys) == 335
    assert sum("reduce" in key for key in keys) == 42 + 6 + 1


def test_a_large_chunk_is_swept_in_blocks_inside_its_task():
    n = 3 * BLOCK_NUMBERS // 2
    rows = DaskRows(da.zeros((2 * n, 2), chunks=(n, 2)))
    starts = rows.reduce(lambda block: [(block.start, len(block.X))], operator.add)
    assert max(length for _, length in starts) * 2 <= BLOCK_NUMBERS
    assert [start for start, _ in starts] == np.cumsum([0, *(m for _, m in starts)])[:-1].tolist()
    assert sum(length for _, length in starts) == 2 * n
    assert n in [start for start, _ in starts]


def test_blas_has_one_thread_in_a_task():
    allowed = blas_threads()
    assert DaskRows(chunked()).reduce(lambda block: {blas_threads()}, operator.or_) == {1}
    assert blas_threads() == allowed


def test_a_map_computes_nothing_and_keeps_the_chunks():
    calls = []

    def source(block):
        calls.append(1)
        return block

    array = chunked().map_blocks(source, meta=np.empty((0, X.shape[1])))
    rows = DaskRows(array)
    values, labels = rows.map(Values(BETA)), rows.map(lambda block: block[:, 0] > 0)
    several = rows.map(Values(np.eye(7)[:, :2]))
    assert not calls
    assert (values.dtype, labels.dtype) == (np.float64, np.bool_)
    assert values.chunks == (array.chunks[0],)
    assert several.chunks == (array.chunks[0], (2,))
    np.testing.assert_allclose(values.compute(), X @ BETA, atol=1e-12)
    np.testing.assert_array_equal(labels.compute(), X[:, 0] > 0)
    np.testing.assert_array_equal(several.compute(), X[:, :2])


def test_the_lengths_of_chunks_are_computed_once_and_not_written_into_the_array():
    calls = []

    def source(block):
        calls.append(1)
        return block

    array = chunked(100).map_blocks(source, meta=np.empty((0, X.shape[1])))
    array = array[array[:, 0] > 0]
    rows = DaskRows(array)
    assert len(calls) == 11
    assert rows.n_rows == (X[:, 0] > 0).sum()
    assert np.isnan(array.shape[0])
    np.testing.assert_allclose(rows.map(Values(BETA)).compute(), X[X[:, 0] > 0] @ BETA, atol=1e-12)
    assert rows.reduce(positions, operator.add) == list(range(rows.n_rows))


def test_chunks_that_turn_out_empty_are_skipped():
    array = chunked(10)
    array = array[da.arange(len(X), chunks=10) >= 500]
    seen = DaskRows(array).reduce(lambda block: [(block.start, len(block.X))], operator.add)
    assert [length for _, length in seen] == [10] * 50 + [3]
    assert [start for start, _ in seen] == list(range(0, 503, 10))


def test_a_data_frame_is_refused_with_what_to_write_instead():
    class DataFrame:  # like Dask's, which needs more packages
        def to_dask_array(self, lengths=None):
            raise NotImplementedError

    with pytest.raises(TypeError, match=r"X\.to_dask_array\(lengths=True\)"):
        DaskRows(DataFrame())


@pytest.mark.parametrize(
    ("array", "error", "message"),
    [
        (da.zeros(3), ValueError, "shape"),
        (da.zeros((3, 2), dtype=complex), TypeError, "real numbers"),
        (da.from_array(np.array([["a"]])), TypeError, "real numbers"),
    ],
)
def test_what_is_not_a_table_of_real_numbers_is_refused(array, error, message):
    with pytest.raises(error, match=message):
        DaskRows(array)


def test_nan_is_found_with_its_column():
    broken = X.copy()
    broken[700, 3] = np.nan
    with pytest.raises(ValueError, match="Column 3"):
        moments_and_sample(DaskRows(da.from_array(broken, chunks=(100, 7))), 10)


def test_the_whole_backend_is_short():
    with open(dask_rows.__file__) as source:
        assert len(source.readlines()) < 130


def process_and_sum(block: Block) -> tuple[set[int], float]:
    return {os.getpid()}, float(block.X.sum())


def both(a, b):
    return a[0] | b[0], a[1] + b[1]


@pytest.mark.slow
# Said by distributed when a busy machine takes more than a second to make a folder.
@pytest.mark.filterwarnings("ignore:Creating scratch directories is taking:UserWarning")
def test_a_cluster_of_processes_gives_the_same_result(tmp_path):
    distributed = pytest.importorskip("distributed")
    array = chunked(50)
    beta = np.ones(X.shape[1])
    with (
        dask.config.set({"distributed.worker.memory.spill": False}),
        distributed.LocalCluster(
            processes=True,
            n_workers=2,
            threads_per_worker=1,
            # None would be the default port, and a warning where another cluster has it.
            dashboard_address=":0",
            local_directory=str(tmp_path),
        ) as cluster,
        distributed.Client(cluster),
    ):
        rows = DaskRows(array)
        moments, sample = moments_and_sample(rows, 100)
        processes, total = rows.reduce(process_and_sum, both)
        values = rows.map(Values(beta)).compute()
    with dask.config.set(scheduler="synchronous"):
        expected, expected_sample = moments_and_sample(DaskRows(array), 100)
    assert os.getpid() not in processes
    assert total == pytest.approx(X.sum())
    np.testing.assert_array_equal(moments.scatter, expected.scatter)
    np.testing.assert_array_equal(sample.X, expected_sample.X)
    np.testing.assert_allclose(values, X @ beta, atol=1e-12)


def test_chunks_of_another_length_than_announced_are_refused():
    whole = da.ones((1000, 3), chunks=(250, 3))
    shorter = whole.map_blocks(lambda block: block[:-50], dtype=float, chunks=whole.chunks)
    with pytest.raises(ValueError, match="has 200 rows and its Dask array says 250"):
        DaskRows(shorter).reduce(lambda block: len(block.X), operator.add)
