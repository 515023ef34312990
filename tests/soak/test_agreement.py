"""The same answer from every storage, whatever its layout and cuts, by any number of workers."""

from __future__ import annotations

import logging
import operator
import tempfile
from pathlib import Path
from threading import current_thread
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from threadpoolctl import threadpool_limits

from tacit import ICLSClassifier, ProjectedLeastSquaresClassifier
from tacit._typing import Matrix
from tacit.rows import as_rows
from tests.rows.storages import swept_in
from tests.soak.tally import IS_SOAK, TALLY, examples

dask = pytest.importorskip("dask", reason="Dask arrays need the extra dask")
da = pytest.importorskip("dask.array", reason="Dask arrays need the extra dask")
distributed = pytest.importorskip("distributed", reason="workers need the extra dask")
pa = pytest.importorskip("pyarrow", reason="Parquet files need the extra parquet")
pq = pytest.importorskip("pyarrow.parquet")

# Columns that every type holds exactly: yes or no, small whole numbers, quarters.
D, L = 5, 14
TYPES = {
    "bool": ["bool", "uint8", "float32", "float64"],
    "whole": ["int8", "int16", "uint32", "int64", "float32", "float64"],
    "quarters": ["float32", "float64"],
}
KINDS = ["bool", "whole", "quarters", "quarters", "quarters"]
STORAGES = ["NumPy", "Parquet", "Dask", "CSR", "memory map", "single precision"]
ESTIMATORS: dict[str, Any] = {
    "ICLS": lambda **options: ICLSClassifier(0.1, **options),
    "projected": lambda **options: ProjectedLeastSquaresClassifier(alpha=0.1, **options),
}


def rows_of(random: np.random.Generator, n: int) -> Matrix:
    columns = {
        "bool": lambda: random.integers(0, 2, n),
        "whole": lambda: random.integers(0, 7, n),
        "quarters": lambda: np.round(random.normal(size=n) * 4.0) / 4.0,
    }
    return np.column_stack([columns[kind]() for kind in KINDS]).astype(float)


def write_files(folder: Path, X: Matrix, random: np.random.Generator) -> Path:
    """Files of any length, none too, with columns of other types and in another order in each."""
    cuts = np.sort(random.integers(0, len(X) + 1, size=3))
    for number, part in enumerate(np.split(X, cuts)):
        order = random.permutation(D)
        arrays = [pa.array(part[:, j].astype(str(random.choice(TYPES[KINDS[j]])))) for j in order]
        size = int(random.choice([1, 2, 50]))
        table = pa.table(arrays, names=[f"x{j}" for j in order])
        pq.write_table(table, folder / f"{number}.parquet", row_group_size=size)
    return folder


def mapped(folder: Path, X: Matrix) -> Matrix:
    np.save(folder / "rows.npy", X)
    return np.load(folder / "rows.npy", mmap_mode="r")


def stored(storage: str, folder: Path, X: Matrix, random: np.random.Generator) -> Any:
    if storage == "NumPy":
        return X
    if storage == "Parquet":
        return write_files(folder, X, random)
    if storage == "Dask":
        cuts = np.sort(random.integers(0, len(X) + 1, size=int(random.choice([0, 3, 20]))))
        lengths = np.diff([0, *cuts, len(X)]).tolist()
        return da.from_array(X, chunks=(tuple(lengths), int(random.integers(1, D + 1))))
    if storage == "CSR":
        return sparse.csr_array(X)
    if storage == "memory map":
        return mapped(folder, X)
    return np.asfortranarray(X.astype(np.float32))


@pytest.mark.parametrize("storage", STORAGES)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_unlabeled=st.sampled_from([1, 30, 200, 2000] if IS_SOAK else [1, 30, 200]),
    name=st.sampled_from(list(ESTIMATORS)),
    solver=st.sampled_from(["auto", "working-set"]),
    # From a row a block to the whole table in one, also where a thread takes several at a time.
    block_rows=st.sampled_from([1, 2, 7, 60, 5000]),
    n_workers=st.sampled_from([1, 2, 5]),
    n_threads=st.sampled_from([1, 2]),
)
@examples(test=8, soak=200)
def test_the_predictions_are_those_of_rows_in_memory(
    storage: str,
    seed: int,
    n_unlabeled: int,
    name: str,
    solver: str,
    block_rows: int,
    n_workers: int,
    n_threads: int,
) -> None:
    random = np.random.default_rng(seed)
    X, X_u = rows_of(random, L), rows_of(random, n_unlabeled)
    y = random.permutation(np.arange(L) % 2)
    expected = ESTIMATORS[name]().fit(X, y, X_unlabeled=X_u)
    other = X_u[random.permutation(n_unlabeled)]
    with (
        tempfile.TemporaryDirectory() as folder,
        threadpool_limits(n_threads),
        swept_in(block_rows, n_workers),
        dask.config.set(scheduler="threads", num_workers=n_workers),
    ):
        rows = stored(storage, Path(folder), other, random)
        # Frames have names, by which Parquet files are read; arrays have none.
        labeled: Any = X
        if storage == "Parquet":
            pd = pytest.importorskip("pandas")
            labeled = pd.DataFrame(X, columns=[f"x{j}" for j in range(D)])
        model = ESTIMATORS[name](solver=solver).fit(labeled, y, X_unlabeled=rows)
        where_they_live = np.asarray(model.decision_function(rows))
    TALLY.n_problems += 1
    np.testing.assert_allclose(where_they_live, expected.decision_function(other), atol=1e-7)
    ours = X_u @ model.coef_[0] + model.intercept_
    theirs = expected.decision_function(X_u)
    np.testing.assert_allclose(ours, theirs, atol=1e-7)


@pytest.mark.parametrize("storage", [name for name in STORAGES if name != "Dask"])
def test_the_blocks_and_threads_are_those_that_are_asked_for(storage: str, tmp_path: Path) -> None:
    """So that the agreement is about what it says."""
    random = np.random.default_rng(0)
    with swept_in(3, 2):
        rows: Any = as_rows(stored(storage, tmp_path, rows_of(random, 200), random))
        blocks = rows.reduce(
            lambda block: [(block.X.shape[0], current_thread().name)], operator.add
        )
    sizes, threads = zip(*blocks, strict=True)
    assert sum(sizes) == 200
    assert max(sizes) == 3
    assert all(name.startswith("tacit") for name in threads)


@pytest.mark.filterwarnings("ignore:Creating scratch directories is:UserWarning")  # when busy
@pytest.mark.parametrize("processes", [False, True] if IS_SOAK else [False])
@pytest.mark.parametrize(
    ("n_workers", "n_threads"), [(1, 2), (2, 1), *([(1, 1), (2, 2)] if IS_SOAK else [])]
)
def test_the_predictions_are_the_same_by_any_number_of_dask_workers(
    n_workers: int, n_threads: int, processes: bool, tmp_path: Path
) -> None:
    random = np.random.default_rng(0)
    n_unlabeled = 3000 if IS_SOAK else 300
    X, X_u = rows_of(random, L), rows_of(random, n_unlabeled)
    y = random.permutation(np.arange(L) % 2)
    with (
        distributed.LocalCluster(
            processes=processes,
            n_workers=n_workers,
            threads_per_worker=n_threads,
            dashboard_address=":0",  # None would be port 8787, which another cluster may have
            local_directory=str(tmp_path),
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert len(client.nthreads()) == n_workers
        for name, make in ESTIMATORS.items():
            expected = make().fit(X, y, X_unlabeled=X_u).decision_function(X_u)
            for chunk in (n_unlabeled // 7, n_unlabeled):
                rows = da.from_array(X_u, chunks=(chunk, D))
                model = make(solver="working-set").fit(X, y, X_unlabeled=rows)
                found = model.decision_function(rows).compute()
                np.testing.assert_allclose(found, expected, atol=1e-7, err_msg=f"{name}, {chunk}")
                TALLY.n_problems += 1
