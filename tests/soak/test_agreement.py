"""The same answer from every storage, whatever its layout, and with any number of threads."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from threadpoolctl import threadpool_limits

from tacit import ICLSClassifier, ProjectedLeastSquaresClassifier
from tacit._typing import Matrix
from tests.soak.tally import TALLY, examples

da = pytest.importorskip("dask.array", reason="Dask arrays need the extra dask")
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
    if storage == "Parquet":
        return write_files(folder, X, random)
    if storage == "Dask":
        cuts = np.sort(random.integers(0, len(X) + 1, size=3))
        lengths = np.diff([0, *cuts, len(X)]).tolist()
        return da.from_array(X, chunks=(tuple(lengths), int(random.integers(1, D + 1))))
    if storage == "CSR":
        return sparse.csr_array(X)
    if storage == "memory map":
        return mapped(folder, X)
    return np.asfortranarray(X.astype(np.float32))


@pytest.mark.parametrize("storage", ["Parquet", "Dask", "CSR", "memory map", "single precision"])
@given(
    seed=st.integers(0, 2**32 - 1),
    n_unlabeled=st.sampled_from([1, 30, 200]),
    name=st.sampled_from(list(ESTIMATORS)),
    solver=st.sampled_from(["auto", "working-set"]),
    n_threads=st.sampled_from([1, 2, 5]),
)
@examples(test=6, soak=200)
def test_the_predictions_are_those_of_rows_in_memory(
    storage: str, seed: int, n_unlabeled: int, name: str, solver: str, n_threads: int
) -> None:
    random = np.random.default_rng(seed)
    X, X_u = rows_of(random, L), rows_of(random, n_unlabeled)
    y = random.permutation(np.arange(L) % 2)
    expected = ESTIMATORS[name]().fit(X, y, X_unlabeled=X_u)
    other = X_u[random.permutation(n_unlabeled)]
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(n_threads):
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
