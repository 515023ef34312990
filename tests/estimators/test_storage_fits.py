"""Every storage gives the model of the rows in memory."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from tacit import (
    ICLSClassifier,
    ProjectedLeastSquaresClassifier,
)
from tacit.rows import ParquetPredictions
from tacit.solver import Status
from tests.estimators.sources import (
    CASES,
    DASK,
    PARQUET,
    SOURCES,
    D,
    assert_same_coefficients,
    assert_same_fit,
    assert_soft_labels_lead_to,
    data,
    in_memory,
)
from tests.estimators.tables import IMPLICIT


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
