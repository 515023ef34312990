"""Wherever the unlabeled rows live, the model is the same, and predictions come as their kind."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV

from tacit import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)
from tacit.rows import CsrRows, DaskRows, NumpyRows, ParquetPredictions, ParquetRows
from tacit.solver import Status
from tests.estimators.tables import IMPLICIT, partly_labeled
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
    "pyarrow dataset": lambda folder, X: pyarrow.dataset.dataset(folder_of_files(folder, X)),
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
        improvement = theirs.guaranteed_improvement
        assert ours.guaranteed_improvement == pytest.approx(improvement, rel=1e-8, abs=1e-8)


def assert_soft_labels_lead_to(model: Any, table: Data) -> None:
    """Least squares on all rows with the soft labels gives the model back."""
    rows = np.vstack([table.X, table.X_unlabeled])
    values = np.concatenate([table.y, np.asarray(model.soft_labels_)])
    beta = np.linalg.lstsq(np.column_stack([np.ones(len(rows)), rows]), values)[0]
    np.testing.assert_allclose(model.coef_[0], beta[1:], rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(model.intercept_[0] + 0.5, beta[0], rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("source", SOURCES)
def test_every_storage_gives_the_model_of_the_rows_in_memory(
    estimator: Any, case: str, source: str, tmp_path: Path
) -> None:
    n_unlabeled, solver = CASES[case]
    table = data(n_unlabeled)
    rows = SOURCES[source](tmp_path, table.X_unlabeled)
    model = estimator(solver=solver).fit(table.X, table.y, X_unlabeled=rows)
    expected = in_memory(estimator, n_unlabeled, solver)
    assert expected.solution_.status is Status.OPTIMAL  # so that there is something to compare
    assert np.abs(expected.coef_ - expected.supervised_coef_).max() > 1e-3
    assert expected.solution_.solver == ("interior-point" if case == "few rows" else "working-set")
    assert_same_fit(model, expected)
    kind: Any = np.ndarray
    if case != "few rows" and source in PARQUET:
        kind = ParquetPredictions
    elif case != "few rows" and source in DASK:
        kind = da.Array
    assert isinstance(model.soft_labels_, kind)
    assert len(model.soft_labels_) == n_unlabeled


@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", ["far from zero", "few distinct rows", "no signal", "few labels"])
@pytest.mark.parametrize("source", ["CSR", "folder of files", "Dask array cut across its columns"])
def test_every_storage_gives_the_same_model_of_difficult_rows(
    estimator: Any, case: str, kind: str, source: str, tmp_path: Path
) -> None:
    n_unlabeled, solver = CASES[case]
    n_labeled = {"few labels": 4, "no signal": 100}.get(kind, 12)
    options: Any = {"n_labeled": n_labeled, "kind": kind}
    table = data(n_unlabeled, **options)
    rows = SOURCES[source](tmp_path, table.X_unlabeled)
    model = estimator(solver=solver).fit(table.X, table.y, X_unlabeled=rows)
    # More equal rows on the hyperplane than there are directions can share their labels out in
    # many ways, all with the same coefficients.
    expected = in_memory(estimator, n_unlabeled, solver, **options)
    assert_same_fit(model, expected, unique_labels=kind != "few distinct rows")
    assert_soft_labels_lead_to(model, table)
    if kind == "no signal":
        assert model.certificate_.supervised_in_set
        np.testing.assert_array_equal(model.coef_, model.supervised_coef_)


@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize("source", ["path", "Dask array", "CSR"])
def test_penalty_intercept_and_weights_of_labeled_rows_work_with_every_storage(
    estimator: Any, source: str, tmp_path: Path
) -> None:
    table = data(6000)
    rows = SOURCES[source](tmp_path, table.X_unlabeled)
    weights = np.linspace(0.5, 2.0, len(table.y))
    chosen = {"alpha": "loo", "fit_intercept": False}
    model = estimator(**chosen).fit(table.X, table.y, rows, sample_weight=weights)
    expected = estimator(**chosen).fit(table.X, table.y, table.X_unlabeled, sample_weight=weights)
    assert model.alpha_ == expected.alpha_ > 0
    assert_same_fit(model, expected)


def test_the_metric_may_be_euclidean_on_every_storage(tmp_path: Path) -> None:
    table = data(6000)
    model = ProjectedLeastSquaresClassifier(metric="euclidean")
    expected = copy.deepcopy(model.fit(table.X, table.y, table.X_unlabeled))
    for source in ("path", "Dask array", "CSR"):
        rows = SOURCES[source](tmp_path, table.X_unlabeled)
        assert_same_fit(model.fit(table.X, table.y, rows), expected)


@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize("case", ["few rows", "many rows"])
@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
@pytest.mark.parametrize("chunk", [130, 999, 10_000])
def test_the_scheduler_and_the_chunks_of_dask_do_not_matter(
    estimator: Any, case: str, scheduler: str, chunk: int
) -> None:
    n_unlabeled, solver = CASES[case]
    table = data(n_unlabeled)
    rows = da.from_array(table.X_unlabeled, chunks=(chunk, D))
    with dask.config.set(scheduler=scheduler):
        model = estimator(solver=solver).fit(table.X, table.y, rows)
        assert_same_fit(model, in_memory(estimator, n_unlabeled, solver))


@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize(
    "source", ["memory map in single precision", "CSR", "folder of files", "Dask array"]
)
def test_several_rounds_over_the_rows_end_at_the_same_model(
    estimator: Any, source: str, tmp_path: Path
) -> None:
    table = data(40_000)
    rows = SOURCES[source](tmp_path, table.X_unlabeled)
    model = estimator().fit(table.X, table.y, rows)
    expected = in_memory(estimator, 40_000, "auto")
    assert model.n_iter_ == expected.n_iter_ >= 2
    assert model.solution_.n_sweeps == expected.solution_.n_sweeps
    assert_same_fit(model, expected)
    assert_soft_labels_lead_to(model, table)


def test_the_answer_is_the_same_whichever_solver_finds_it() -> None:
    table = data(6000)
    for estimator in IMPLICIT:
        fits = [
            estimator(solver=solver).fit(table.X, table.y, table.X_unlabeled)
            for solver in ("auto", "working-set", "interior-point")
        ]
        assert [fit.solution_.solver for fit in fits] == [
            "working-set",
            "working-set",
            "interior-point",
        ]
        for fit in fits[1:]:
            assert_same_coefficients(fit, fits[0])


@pytest.mark.parametrize("solver", ["interior-point", "lbfgsb"])
@pytest.mark.parametrize("source", ["path", "Dask array", "CSR"])
def test_every_solver_takes_every_storage(source: str, solver: str, tmp_path: Path) -> None:
    table = data(6000)
    rows = SOURCES[source](tmp_path, table.X_unlabeled)
    model = ICLSClassifier(solver=solver).fit(table.X, table.y, rows)
    assert model.solution_.solver == solver
    assert_same_coefficients(model, in_memory(ICLSClassifier, 6000, "auto"))


@pytest.mark.parametrize("source", ["path", "path as a string", "Dask array"])
def test_a_grid_search_takes_rows_from_elsewhere(source: str, tmp_path: Path) -> None:
    table = data(6000)
    rows = SOURCES[source](tmp_path, table.X_unlabeled)
    grid = {"alpha": [0.0, 1.0, 100.0]}
    search = GridSearchCV(ICLSClassifier(), grid, cv=3)
    expected = GridSearchCV(ICLSClassifier(), grid, cv=3)
    search.fit(table.X, table.y, X_unlabeled=rows)
    expected.fit(table.X, table.y, X_unlabeled=table.X_unlabeled)
    assert search.best_params_ == expected.best_params_
    assert_same_coefficients(search.best_estimator_, expected.best_estimator_)


# Predictions.


@pytest.mark.parametrize("names", [(0, 1), ("no", "yes")], ids=["numbers", "strings"])
@pytest.mark.parametrize("source", SOURCES)
def test_predictions_come_as_the_kind_of_the_rows(
    source: str, names: tuple[Any, Any], tmp_path: Path
) -> None:
    table = data(300)
    labels = np.array(names)[table.y]
    rows = SOURCES[source](tmp_path, table.X_unlabeled)
    model = ICLSClassifier().fit(table.X, labels, X_unlabeled=rows)
    kind = ParquetPredictions if source in PARQUET else da.Array if source in DASK else np.ndarray
    values, classes = model.decision_function(rows), model.predict(rows)
    expected = table.X_unlabeled @ model.coef_[0] + model.intercept_[0]
    assert isinstance(values, kind)
    assert isinstance(classes, kind)
    assert len(values) == len(classes) == 300
    np.testing.assert_allclose(np.asarray(values), expected, atol=1e-12)
    np.testing.assert_array_equal(np.asarray(classes), np.array(names)[(expected > 0).astype(int)])
    assert set(np.asarray(classes)) == set(names)


@pytest.mark.parametrize("source", [*PARQUET, *DASK])
def test_more_than_two_classes_have_a_decision_each(source: str, tmp_path: Path) -> None:
    table = data(300)
    labels = np.array(["a", "b", "c"])[np.arange(len(table.y)) % 3]
    model = LeastSquaresClassifier().fit(table.X, labels)
    rows = SOURCES[source](tmp_path, table.X_unlabeled)
    values = np.asarray(model.decision_function(rows))
    assert values.shape == (300, 3)
    np.testing.assert_allclose(values, model.decision_function(table.X_unlabeled), atol=1e-12)
    np.testing.assert_array_equal(np.asarray(model.predict(rows)), model.predict(table.X_unlabeled))


def test_predictions_for_dask_compute_nothing_until_they_are_asked_for() -> None:
    table = data(6000)
    rows = da.from_array(table.X_unlabeled, chunks=(1000, D))
    model = ICLSClassifier().fit(table.X, table.y, rows)

    def refuse(*args: Any, **options: Any) -> None:
        raise AssertionError("something was computed")

    with dask.config.set(scheduler=refuse):
        lazy = [model.predict(rows), model.decision_function(rows), model.soft_labels_]
    for array in lazy:
        assert array.chunks == (rows.chunks[0],)
    assert lazy[0].dtype == model.classes_.dtype
    np.testing.assert_array_equal(lazy[0].compute(), model.predict(table.X_unlabeled))


@pytest.mark.parametrize("names", [(0, 1), ("no", "yes")], ids=["numbers", "strings"])
def test_predictions_for_parquet_are_written_in_row_order(
    names: tuple[Any, Any], tmp_path: Path
) -> None:
    table = data(6000)
    labels = np.array(names)[table.y]
    rows = ParquetRows(folder_of_files(tmp_path, table.X_unlabeled), batch_rows=450)
    model: Any = ICLSClassifier().fit(table.X, labels, rows)
    expected = in_memory(ICLSClassifier, 6000, "auto")

    model.predict(rows).to_parquet(tmp_path / "classes.parquet")
    classes = pq.read_table(tmp_path / "classes.parquet")
    assert classes.column_names == ["prediction"]
    truth = np.array(names)[expected.predict(table.X_unlabeled)]
    assert classes["prediction"].to_pylist() == truth.tolist()

    model.decision_function(rows).to_parquet(str(tmp_path / "values.parquet"), name="decision")
    values = pq.read_table(tmp_path / "values.parquet")["decision"].to_numpy()
    np.testing.assert_allclose(values, expected.decision_function(table.X_unlabeled), atol=1e-8)

    model.soft_labels_.to_parquet(tmp_path / "soft.parquet", name="soft label")
    soft = pq.read_table(tmp_path / "soft.parquet")["soft label"].to_numpy()
    np.testing.assert_allclose(soft, expected.soft_labels_, atol=1e-6)
    assert_soft_labels_lead_to(model, table)


def test_several_decisions_are_written_as_several_columns(tmp_path: Path) -> None:
    table = data(300)
    model = LeastSquaresClassifier().fit(table.X, np.arange(len(table.y)) % 3)
    path = write_parquet(tmp_path / "a.parquet", table.X_unlabeled)
    model.decision_function(path).to_parquet(tmp_path / "values.parquet", name="class")
    written = pq.read_table(tmp_path / "values.parquet")
    assert written.column_names == ["class_0", "class_1", "class_2"]
    values = np.column_stack([written[name].to_numpy() for name in written.column_names])
    np.testing.assert_allclose(values, model.decision_function(table.X_unlabeled), atol=1e-12)


def test_a_model_fitted_in_memory_predicts_rows_elsewhere_and_the_other_way_round(
    tmp_path: Path,
) -> None:
    table = data(300)
    path = write_parquet(tmp_path / "a.parquet", table.X_unlabeled)
    array = da.from_array(table.X_unlabeled, chunks=(70, D))
    expected = in_memory(ICLSClassifier, 300, "auto").predict(table.X_unlabeled)
    for fitted_on in (table.X_unlabeled, path, array):
        model = ICLSClassifier().fit(table.X, table.y, fitted_on)
        for rows in (table.X_unlabeled, sparse.csr_array(table.X_unlabeled), path, array):
            np.testing.assert_array_equal(np.asarray(model.predict(rows)), expected)


@pytest.mark.parametrize("source", ["path", "Parquet rows", "Dask array", "CSR"])
def test_the_score_of_rows_elsewhere_is_that_of_rows_in_memory(source: str, tmp_path: Path) -> None:
    table = data(300)
    model = in_memory(ICLSClassifier, 300, "auto")
    truth = np.random.default_rng(0).integers(0, 2, size=300)
    rows = SOURCES[source](tmp_path, table.X_unlabeled)
    assert model.score(rows, truth) == model.score(table.X_unlabeled, truth)


# Names of columns.


def frame(table: Data) -> pd.DataFrame:
    return pd.DataFrame(table.X, columns=NAMES)


@pytest.mark.parametrize("read", [str, Path, pyarrow.dataset.dataset])
def test_columns_are_chosen_by_the_names_of_the_labeled_rows(read: Any, tmp_path: Path) -> None:
    table = data(6000)
    columns = {name: table.X_unlabeled[:, j] for j, name in enumerate(NAMES)}
    shuffled = {name: columns[name] for name in reversed(NAMES)}
    other = pa.array(["text"] * 6000)
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": other, **shuffled, "more": columns["x0"]}), path)
    model = ICLSClassifier().fit(frame(table), table.y, read(path))
    expected = in_memory(ICLSClassifier, 6000, "auto")
    assert model.feature_names_in_.tolist() == NAMES
    assert_same_fit(model, expected)
    np.testing.assert_array_equal(
        np.asarray(model.predict(read(path))), expected.predict(table.X_unlabeled)
    )


def test_the_index_of_a_frame_written_by_pandas_is_no_feature(tmp_path: Path) -> None:
    table = data(300)
    rows = pd.DataFrame(table.X_unlabeled, columns=NAMES).sample(frac=1.0, random_state=0)
    rows.to_parquet(tmp_path / "a.parquet")
    model = ICLSClassifier().fit(table.X, table.y, tmp_path / "a.parquet")
    assert_same_coefficients(model, in_memory(ICLSClassifier, 300, "auto"))


def test_columns_in_another_order_than_the_labeled_rows_are_refused(tmp_path: Path) -> None:
    table = data(300)
    path = write_parquet(tmp_path / "a.parquet", table.X_unlabeled)
    turned = ParquetRows(path, columns=NAMES[::-1])
    with pytest.raises(ValueError, match=r"X_unlabeled has the columns x5, x4.*rows have x0, x1"):
        ICLSClassifier().fit(frame(table), table.y, turned)
    model = ICLSClassifier().fit(frame(table), table.y, path)
    with pytest.raises(ValueError, match=r"X has the columns x5, x4.*rows have x0, x1"):
        model.predict(turned)


def test_a_column_that_the_file_lacks_is_named(tmp_path: Path) -> None:
    table = data(300)
    path = write_parquet(tmp_path / "a.parquet", table.X_unlabeled, [*NAMES[:-1], "other"])
    with pytest.raises(ValueError, match=r"no column named 'x5'; its columns are x0, .*, other"):
        ICLSClassifier().fit(frame(table), table.y, path)


@pytest.mark.parametrize("source", ["path", "Parquet rows", "Dask array", "rows in memory"])
def test_a_wrong_number_of_columns_is_refused(source: str, tmp_path: Path) -> None:
    table = data(300)
    model = ICLSClassifier().fit(table.X, table.y, table.X_unlabeled)
    rows = SOURCES[source](tmp_path, table.X_unlabeled)
    with pytest.raises(ValueError, match="X_unlabeled has 6 columns and the labeled rows have 4"):
        ICLSClassifier().fit(table.X[:, :4], table.y, rows)
    narrow = ICLSClassifier().fit(table.X[:, :4], table.y, table.X_unlabeled[:, :4])
    with pytest.raises(ValueError, match="X has 6 columns and the labeled rows have 4"):
        narrow.predict(rows)
    assert len(np.asarray(model.predict(rows))) == 300


# What cannot be fitted on.


@pytest.mark.parametrize("source", ["path", "Dask array", "rows in memory"])
@pytest.mark.parametrize("estimator", IMPLICIT)
def test_marked_rows_and_rows_elsewhere_do_not_go_together(
    estimator: Any, source: str, tmp_path: Path
) -> None:
    table = data(300)
    marked = table.y.copy()
    marked[3:5] = -1
    rows = SOURCES[source](tmp_path, table.X_unlabeled)
    with pytest.raises(ValueError, match=r"y marks 2 rows of X as unlabeled.*leave the marked"):
        estimator().fit(table.X, marked, rows)


@pytest.mark.parametrize("source", [*PARQUET, *DASK, "rows in memory"])
def test_labeled_rows_must_be_in_memory(source: str, tmp_path: Path) -> None:
    table = data(300)
    rows = SOURCES[source](tmp_path, table.X)
    with pytest.raises(TypeError, match=r"X is a .*labeled rows must be an array in memory"):
        ICLSClassifier().fit(rows, table.y)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    table = data(300)
    with pytest.raises(FileNotFoundError, match=r"nowhere.parquet' does not exist"):
        ICLSClassifier().fit(table.X, table.y, tmp_path / "nowhere.parquet")
    model = ICLSClassifier().fit(table.X, table.y, table.X_unlabeled)
    with pytest.raises(FileNotFoundError, match=r"nowhere.parquet' does not exist"):
        model.predict(str(tmp_path / "nowhere.parquet"))
    with pytest.raises(ValueError, match=r"has no files named \*.parquet"):
        model.predict(tmp_path)


def test_a_file_that_is_not_parquet_is_named(tmp_path: Path) -> None:
    table = data(300)
    np.savetxt(tmp_path / "rows.csv", table.X_unlabeled)
    with pytest.raises(ValueError, match=r"rows.csv cannot be read as a Parquet file"):
        ICLSClassifier().fit(table.X, table.y, tmp_path / "rows.csv")


def spoiled(value: Any, path: Path) -> Path:
    """A file whose column x2 has `value` in its eighth row."""
    rows = data(6000).X_unlabeled
    columns = {name: rows[:, j].tolist() for j, name in enumerate(NAMES)}
    columns["x2"][7] = value
    pq.write_table(pa.table(columns), path)
    return path


def test_a_column_that_is_not_numeric_is_named(tmp_path: Path) -> None:
    table = data(6000)
    path = tmp_path / "a.parquet"
    columns: dict[str, Any] = dict.fromkeys(NAMES, table.X_unlabeled[:, 0])
    pq.write_table(pa.table({**columns, "x2": ["text"] * 6000}), path)
    with pytest.raises(TypeError, match=r"Column 'x2' of .*a.parquet has type string"):
        ICLSClassifier().fit(table.X, table.y, path)


@pytest.mark.parametrize("value", [None, np.nan, np.inf], ids=["null", "NaN", "infinity"])
def test_a_value_that_is_no_number_is_found_in_its_column_and_row(
    value: Any, tmp_path: Path
) -> None:
    table = data(6000)
    path = spoiled(value, tmp_path / "a.parquet")
    where = r"Column 'x2' has (null|NaN or infinity) in row 7 \(counted from 0\) of .*a.parquet"
    for estimator in IMPLICIT:
        with pytest.raises(ValueError, match=where):
            estimator().fit(table.X, table.y, path)
    model = in_memory(ICLSClassifier, 6000, "auto")
    predictions = model.predict(path)  # nothing read yet
    with pytest.raises(ValueError, match=where):
        np.asarray(predictions)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("n_unlabeled", [300, 6000])
def test_a_value_that_is_no_number_is_found_in_a_dask_array(value: float, n_unlabeled: int) -> None:
    table = data(n_unlabeled)
    rows = table.X_unlabeled.copy()
    rows[7, 2] = value
    array = da.from_array(rows, chunks=(100, D))
    for estimator in IMPLICIT:
        with pytest.raises(ValueError, match=r"Column 2 \(counted from 0\) contains NaN, infinity"):
            estimator().fit(table.X, table.y, array)
    model = in_memory(ICLSClassifier, n_unlabeled, "auto")
    for lazy in (model.predict(array), model.decision_function(array)):
        with pytest.raises(ValueError, match="X contains NaN, infinity"):
            lazy.compute()


def test_other_types_of_dask_are_refused() -> None:
    table = data(300)
    with pytest.raises(TypeError, match="array of real numbers"):
        ICLSClassifier().fit(table.X, table.y, da.from_array(table.X_unlabeled.astype(str)))
    with pytest.raises(ValueError, match="must have rows and known columns"):
        ICLSClassifier().fit(table.X, table.y, da.from_array(table.X_unlabeled[:, 0]))
    frames = pytest.importorskip("dask.dataframe")
    rows = frames.from_pandas(pd.DataFrame(table.X_unlabeled), npartitions=2)
    model = in_memory(ICLSClassifier, 300, "auto")
    with pytest.raises(TypeError, match=r"Dask DataFrame; use X.to_dask_array\(lengths=True\)"):
        model.predict(rows)
    np.testing.assert_array_equal(
        model.predict(rows.to_dask_array(lengths=True)).compute(), model.predict(table.X_unlabeled)
    )


def test_a_fit_that_fails_leaves_the_model_as_it_was(tmp_path: Path) -> None:
    table = data(6000)
    model = copy.deepcopy(in_memory(ICLSClassifier, 6000, "auto"))
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="Column 'x2'"):
        model.fit(table.X[:, ::-1], table.y, spoiled(np.nan, tmp_path / "a.parquet"))
    np.testing.assert_array_equal(model.coef_, before)


# The other classifiers.


@pytest.mark.parametrize("source", [*PARQUET, *DASK])
def test_self_learning_says_that_it_needs_rows_in_memory(source: str, tmp_path: Path) -> None:
    table = data(300)
    rows = SOURCES[source](tmp_path, table.X_unlabeled)
    with pytest.raises(TypeError, match=r"X_unlabeled is a .*self-learning .*needs them in memory"):
        SelfLearningClassifier().fit(table.X, table.y, rows)


@pytest.mark.parametrize("source", ARRAYS)
def test_self_learning_takes_every_kind_of_rows_in_memory(source: str, tmp_path: Path) -> None:
    table = data(300)
    rows = SOURCES[source](tmp_path, table.X_unlabeled)
    model = SelfLearningClassifier().fit(table.X, table.y, rows)
    expected = SelfLearningClassifier().fit(table.X, table.y, table.X_unlabeled)
    assert_same_coefficients(model, expected)
    np.testing.assert_array_equal(model.soft_labels_, expected.soft_labels_)


@pytest.mark.parametrize("source", SOURCES)
def test_the_supervised_classifier_ignores_unlabeled_rows_of_every_kind(
    source: str, tmp_path: Path
) -> None:
    table = data(300)
    rows = SOURCES[source](tmp_path, table.X_unlabeled)
    model = LeastSquaresClassifier().fit(table.X, table.y, rows)
    expected = LeastSquaresClassifier().fit(table.X, table.y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    np.testing.assert_array_equal(
        np.asarray(model.predict(rows)), expected.predict(table.X_unlabeled)
    )


# Keeping a model.


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("source", ["Parquet rows", "folder of files", "Dask array", "memory map"])
def test_a_model_can_be_pickled_whatever_it_was_fitted_on(
    source: str, case: str, tmp_path: Path
) -> None:
    n_unlabeled, solver = CASES[case]
    table = data(n_unlabeled)
    rows = SOURCES[source](tmp_path, table.X_unlabeled)
    model = ICLSClassifier(solver=solver).fit(table.X, table.y, rows)
    again = pickle.loads(pickle.dumps(model))
    assert_same_fit(again, in_memory(ICLSClassifier, n_unlabeled, solver))
    np.testing.assert_array_equal(np.asarray(again.predict(rows)), np.asarray(model.predict(rows)))
    np.testing.assert_array_equal(again.predict(table.X), model.predict(table.X))


def test_a_pickled_model_of_a_large_file_is_small(tmp_path: Path) -> None:
    table = data(6000)
    path = write_parquet(tmp_path / "a.parquet", table.X_unlabeled)
    model = ICLSClassifier().fit(table.X, table.y, path)
    # The near rows of the last round, not the 288 kB of the table.
    assert len(pickle.dumps(model)) < 0.5 * table.X_unlabeled.nbytes


# No rows.


@pytest.mark.parametrize("source", ["path", "Dask array in one chunk", "CSR", "C order"])
@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize("solver", ["auto", "working-set"])
def test_a_table_without_rows_gives_the_supervised_model(
    estimator: Any, source: str, solver: str, tmp_path: Path
) -> None:
    table = data(300)
    nothing = SOURCES[source](tmp_path, np.zeros((0, D)))
    model = estimator(solver=solver).fit(table.X, table.y, nothing)
    supervised = LeastSquaresClassifier().fit(table.X, table.y)
    np.testing.assert_allclose(model.coef_, supervised.coef_, atol=1e-12)
    assert model.solution_.status is Status.EMPTY
    assert np.asarray(model.soft_labels_).shape == (0,)
    assert model.certificate_.n_unlabeled == 0
    assert model.certificate_.worst_change == model.certificate_.best_change == 0.0


def test_predictions_of_a_table_without_rows_are_none(tmp_path: Path) -> None:
    model = in_memory(ICLSClassifier, 300, "auto")
    path = write_parquet(tmp_path / "a.parquet", np.zeros((0, D)))
    assert np.asarray(model.predict(path)).shape == (0,)
    assert model.predict(da.zeros((0, D))).compute().shape == (0,)


# Sweeps and what is told about them.


@dataclass
class CountedRows:
    """Rows that are none of the library's, and count how often they are read."""

    rows: NumpyRows
    n_sweeps: int = field(default=0)

    n_rows = property(lambda self: self.rows.n_rows)
    n_features = property(lambda self: self.rows.n_features)
    total_weight = property(lambda self: self.rows.total_weight)
    is_weighted = property(lambda self: self.rows.is_weighted)

    def reduce(self, kernel: Any, combine: Any) -> Any:
        self.n_sweeps += 1
        return self.rows.reduce(kernel, combine)

    def map(self, kernel: Any) -> Any:
        return self.rows.map(kernel)


@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize("case", CASES)
def test_anything_with_the_methods_of_rows_can_be_fitted_on_and_its_sweeps_are_counted(
    estimator: Any, case: str
) -> None:
    n_unlabeled, solver = CASES[case]
    table = data(n_unlabeled)
    rows = CountedRows(NumpyRows(table.X_unlabeled))
    model = estimator(solver=solver).fit(table.X, table.y, rows)
    assert_same_fit(model, in_memory(estimator, n_unlabeled, solver))
    # One sweep comes before for the moments and one after for the certificate.
    assert rows.n_sweeps == model.solution_.n_sweeps + 2
    assert rows.n_sweeps <= 12
    assert model.n_iter_ == model.solution_.n_iter >= 1
    np.testing.assert_array_equal(model.predict(rows), model.predict(table.X_unlabeled))


@pytest.mark.parametrize("source", ["C order", "path", "Dask array"])
@pytest.mark.parametrize("estimator", IMPLICIT)
def test_rounds_are_told_on_the_standard_error_if_asked_for(
    estimator: Any, source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = data(6000)
    rows = SOURCES[source](tmp_path, table.X_unlabeled)
    quiet = estimator().fit(table.X, table.y, rows)
    told = capsys.readouterr()
    assert told.out == told.err == ""
    model = estimator(verbose=1).fit(table.X, table.y, rows)
    told = capsys.readouterr()
    assert told.out == ""
    lines = told.err.splitlines()
    assert all(line.startswith(f"[{estimator.__name__}] ") for line in lines)
    for round_ in range(1, model.n_iter_ + 1):
        assert sum(f"round {round_}:" in line for line in lines) == 1
    assert "relative gap" in lines[-1]
    assert f"{model.solution_.n_sweeps} sweeps" in lines[-1]
    assert_same_coefficients(model, quiet)


def test_memory_does_not_grow_with_the_rows_of_a_file(tmp_path: Path) -> None:
    table, path = data(300), tmp_path / "a.parquet"
    random = np.random.default_rng(0)
    n_rows, part = 1_000_000, 50_000
    with pq.ParquetWriter(path, pa.schema([(name, pa.float32()) for name in NAMES])) as writer:
        for _ in range(n_rows // part):
            columns = random.normal(size=(D, part)).astype(np.float32)
            writer.write_table(pa.table(list(columns), names=NAMES))
    rows = ParquetRows(path, batch_rows=part)
    tracemalloc.start()
    try:
        model = ICLSClassifier().fit(table.X, table.y, rows)
        model.predict(rows).to_parquet(tmp_path / "predictions.parquet")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert model.solution_.status is Status.OPTIMAL
    assert pq.read_metadata(tmp_path / "predictions.parquet").num_rows == n_rows
    assert peak < 0.6 * 8 * n_rows * D
