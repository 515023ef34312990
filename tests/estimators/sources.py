"""One table in every storage, and what the models fitted on it must agree on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tacit import (
    ICLSClassifier,
)
from tacit.rows import CsrRows, DaskRows, NumpyRows, ParquetRows
from tests.estimators.tables import partly_labeled
from tests.optional import da, ds, pd
from tests.rows.storages import memory_map, write_parquet

D = 6
NAMES = [f"x{j}" for j in range(D)]
# What is solved densely, what is solved in rounds by itself, and what only if asked to.
CASES = {"few rows": (300, "auto"), "many rows": (6000, "auto"), "asked": (2000, "working-set")}


@dataclass(frozen=True)
class Data:
    """Labeled rows in memory, and unlabeled ones that single precision holds exactly."""

    X: np.ndarray
    y: np.ndarray
    X_unlabeled: np.ndarray


@cache
def data(n_unlabeled: int, n_labeled: int = 12, kind: str = "gaussian") -> Data:
    table = partly_labeled(n_labeled, n_unlabeled, D, seed=3)
    X, y = table.labeled
    rows = table.pool
    if kind == "far from zero":
        X, rows = X + 2.0**14, rows + 2.0**14
    elif kind == "few distinct rows":
        rows = np.round(rows)
    elif kind == "no signal":
        y = np.random.default_rng(0).permutation(np.arange(len(y)) % 2)
    rows[np.abs(rows) < 0.3] = 0.0
    rows = rows.astype(np.float32).astype(np.float64)
    rows.flags.writeable = False
    return Data(X, y, rows)


@cache
def in_memory(estimator: Any, n_unlabeled: int, solver: str, **options: Any) -> Any:
    table = data(n_unlabeled, **options)
    return estimator(solver=solver).fit(table.X, table.y, table.X_unlabeled)


def folder_of_files(folder: Path, X: np.ndarray) -> Path:
    parts = folder / "parts"
    parts.mkdir()
    for i, part in enumerate(np.array_split(X, 3)):
        write_parquet(parts / f"part-{i}.parquet", part, row_group_size=101)
    (parts / "_SUCCESS").touch()
    return parts


def of_unknown_length(X: np.ndarray) -> Any:
    array = da.from_array(X, chunks=(91, D))
    return array[da.from_array(np.ones(len(X), dtype=bool), chunks=91)]


def of_sparse_chunks(X: np.ndarray) -> Any:
    return da.from_array(X, chunks=(200, D)).map_blocks(
        sparse.csr_array, meta=sparse.csr_array((0, D))
    )


Source = Callable[[Path, np.ndarray], Any]

ARRAYS: dict[str, Source] = {
    "C order": lambda folder, X: np.ascontiguousarray(X),
    "Fortran order": lambda folder, X: np.asfortranarray(X),
    "every other row and column": lambda folder, X: X.repeat(2, 0).repeat(2, 1)[::2, ::2],
    "single precision": lambda folder, X: X.astype(np.float32),
    "list": lambda folder, X: X.tolist(),
    "data frame": lambda folder, X: pd.DataFrame(X),
    "memory map": lambda folder, X: memory_map(folder, X),
    "memory map in single precision": lambda folder, X: memory_map(folder, X.astype(np.float32)),
    "rows in memory": lambda folder, X: NumpyRows(X),
    "sparse rows in memory": lambda folder, X: CsrRows(sparse.csr_array(X)),
    "CSR": lambda folder, X: sparse.csr_array(X),
    "CSR matrix in single precision": lambda folder, X: sparse.csr_matrix(X.astype(np.float32)),
    "CSC": lambda folder, X: sparse.csc_array(X),
    "COO": lambda folder, X: sparse.coo_array(X),
    "LIL": lambda folder, X: sparse.lil_array(X),
    "BSR": lambda folder, X: sparse.bsr_array(X),
}
PARQUET: dict[str, Source] = {
    "Parquet rows": lambda folder, X: ParquetRows(
        write_parquet(folder / "a.parquet", X, row_group_size=250), batch_rows=77
    ),
    "path as a string": lambda folder, X: str(write_parquet(folder / "a.parquet", X)),
    "path": lambda folder, X: write_parquet(folder / "a.parquet", X),
    "path of a file in single precision": lambda folder, X: write_parquet(
        folder / "a.parquet", X.astype(np.float32)
    ),
    "folder of files": folder_of_files,
    "folder as a string": lambda folder, X: str(folder_of_files(folder, X)),
    "pyarrow dataset": lambda folder, X: ds.dataset(folder_of_files(folder, X)),
}
DASK: dict[str, Source] = {
    "Dask array": lambda folder, X: da.from_array(X, chunks=(1000, D)),
    "Dask array in one chunk": lambda folder, X: da.from_array(X, chunks=-1),
    "Dask array cut across its columns": lambda folder, X: da.from_array(X, chunks=(170, 4)),
    "Dask array of odd chunks": lambda folder, X: da.from_array(
        X.astype(np.float32), chunks=((1, 0, 150, len(X) - 151), (D,))
    ),
    "Dask array of unknown length": lambda folder, X: of_unknown_length(X),
    "Dask array of sparse chunks": lambda folder, X: of_sparse_chunks(X),
    "Dask rows": lambda folder, X: DaskRows(da.from_array(X, chunks=(777, D))),
}
SOURCES = {**ARRAYS, **PARQUET, **DASK}


def assert_same_coefficients(model: Any, expected: Any) -> None:
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, rtol=1e-8, atol=1e-8)


def assert_same_fit(model: Any, expected: Any, unique_labels: bool = True) -> None:
    assert_same_coefficients(model, expected)
    if unique_labels:
        soft_labels = np.asarray(model.soft_labels_)
        np.testing.assert_allclose(soft_labels, expected.soft_labels_, atol=1e-6)
    assert model.solution_.status is expected.solution_.status
    assert model.solution_.solver == expected.solution_.solver
    assert model.solution_.is_optimal(1e-8)
    ours, theirs = model.certificate_, expected.certificate_
    assert ours.supervised_in_set == theirs.supervised_in_set
    assert (ours.n_labeled, ours.n_unlabeled) == (theirs.n_labeled, theirs.n_unlabeled)
    for name in ("worst_change", "best_change", "labeled_change"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-8, abs=1e-8)
    if isinstance(model, ICLSClassifier):
        assert ours.guaranteed_improvement is theirs.guaranteed_improvement is None
    elif model.metric == "all":
        name = "penalised_improvement" if model.alpha_ else "guaranteed_improvement"
        improvement = getattr(theirs, name)
        assert getattr(ours, name) == pytest.approx(improvement, rel=1e-8, abs=1e-8)


def assert_soft_labels_lead_to(model: Any, table: Data) -> None:
    """Least squares on all rows with the soft labels gives the model back."""
    rows = np.vstack([table.X, table.X_unlabeled])
    values = np.concatenate([table.y, np.asarray(model.soft_labels_)])
    beta = np.linalg.lstsq(np.column_stack([np.ones(len(rows)), rows]), values)[0]
    np.testing.assert_allclose(model.coef_[0], beta[1:], rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(model.intercept_[0] + 0.5, beta[0], rtol=1e-7, atol=1e-8)


@dataclass
class CountedRows:
    """Rows that are none of the library's, and count how often they are read."""

    rows: NumpyRows
    n_sweeps: int = field(default=0)

    n_rows = property(lambda self: self.rows.n_rows)
    n_features = property(lambda self: self.rows.n_features)
    total_weight = property(lambda self: self.rows.total_weight)

    def reduce(self, kernel: Any, combine: Any) -> Any:
        self.n_sweeps += 1
        return self.rows.reduce(kernel, combine)

    def map(self, kernel: Any) -> Any:
        return self.rows.map(kernel)
