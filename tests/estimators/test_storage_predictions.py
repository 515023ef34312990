"""Predictions come as the kind of the rows."""

from __future__ import annotations

import copy
import tracemalloc
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

from tacit import (
    ICLSClassifier,
    LeastSquaresClassifier,
)
from tacit.rows import ParquetPredictions, ParquetRows
from tests.estimators.sources import (
    DASK,
    NAMES,
    PARQUET,
    SOURCES,
    D,
    Data,
    assert_same_coefficients,
    assert_same_fit,
    assert_soft_labels_lead_to,
    data,
    folder_of_files,
    in_memory,
)
from tests.estimators.tables import IMPLICIT
from tests.rows.storages import write_parquet


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rows_in_single_precision_are_judged_without_a_copy_in_double(n_classes: int) -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60_000, 100)).astype(np.float32), np.arange(60) % n_classes
    model = LeastSquaresClassifier(1.0).fit(X[:60], y)
    expected = model.decision_function(X.astype(np.float64))
    tracemalloc.start()
    try:
        values, classes = model.decision_function(X), model.predict(X)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    np.testing.assert_allclose(values, expected, rtol=0.0, atol=1e-13)
    np.testing.assert_array_equal(classes, model.predict(X.astype(np.float64)))
    assert peak < X.nbytes / 2  # of which a copy in double precision has twice as many
    assert model.decision_function(sparse.csr_array(X[:9])).shape == values[:9].shape


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
    with pytest.raises(ValueError, match=r"X_unlabeled has the columns 'x5'.*rows have 'x0', 'x1'"):
        ICLSClassifier().fit(frame(table), table.y, turned)
    model = ICLSClassifier().fit(frame(table), table.y, path)
    with pytest.raises(ValueError, match=r"X has the columns 'x5', 'x4'.*rows have 'x0', 'x1'"):
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
