"""Every storage gives the model of the rows in memory."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from sklearn.model_selection import GridSearchCV

from tacit import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)
from tacit.rows import NumpyRows, ParquetPredictions, ParquetRows
from tacit.solver import Status
from tests.estimators.sources import (
    ARRAYS,
    CASES,
    DASK,
    NAMES,
    PARQUET,
    SOURCES,
    CountedRows,
    D,
    assert_same_coefficients,
    assert_same_fit,
    assert_soft_labels_lead_to,
    data,
    in_memory,
)
from tests.estimators.tables import IMPLICIT
from tests.rows.storages import swept_in, write_parquet


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


@pytest.mark.parametrize("source", ["C order", "CSR", "path"])
@pytest.mark.parametrize("block_rows", [997, 40_000])
def test_rounds_in_threads_over_blocks_of_any_size_end_at_the_same_model(
    block_rows: int, source: str, tmp_path: Path
) -> None:
    table = data(40_000)
    expected = in_memory(ICLSClassifier, 40_000, "auto")
    with swept_in(block_rows, n_workers=2):
        rows = SOURCES[source](tmp_path, table.X_unlabeled)
        model = ICLSClassifier().fit(table.X, table.y, rows)
        assert model.n_iter_ == expected.n_iter_ >= 2
        assert model.solution_.n_sweeps == expected.solution_.n_sweeps
        assert_same_fit(model, expected)


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
