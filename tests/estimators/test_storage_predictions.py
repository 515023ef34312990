"""Predictions come as the kind of the rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
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
    PARQUET,
    SOURCES,
    D,
    assert_soft_labels_lead_to,
    data,
    folder_of_files,
    in_memory,
)
from tests.rows.storages import write_parquet


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
