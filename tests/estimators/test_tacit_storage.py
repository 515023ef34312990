"""TacitClassifier on unlabeled rows wherever they live."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import pytest

from tacit import TacitClassifier
from tests.estimators.sources import ARRAYS, DASK, PARQUET, data

SOURCES = [
    "Fortran order",
    "single precision",
    "data frame",
    "memory map",
    "path",
    "folder of files",
    "Dask array",
    "Dask rows",
]


def fitted(X_unlabeled: Any, most: int = 20_000) -> TacitClassifier:
    table = data(300)
    model = TacitClassifier(["linear", "rbf"], caution=0.0, max_reference_rows=most, random_state=0)
    return model.fit(table.X, table.y, X_unlabeled)


@pytest.mark.parametrize("most", [20_000, 100])
@pytest.mark.parametrize("source", SOURCES)
def test_every_storage_gives_the_same_model(source: str, most: int, tmp_path: Path) -> None:
    table = data(300)
    expected = fitted(table.X_unlabeled, most)
    model = fitted((ARRAYS | PARQUET | DASK)[source](tmp_path, table.X_unlabeled), most)
    ours, theirs = (m.decision_function(table.X_unlabeled) for m in (model, expected))
    np.testing.assert_allclose(ours, theirs, atol=1e-8)
    for name in ("worst_change", "best_change"):
        ours, theirs = (getattr(m.certificate_, name) for m in (model, expected))
        assert ours == pytest.approx(theirs, abs=1e-8)
    if source in ARRAYS:
        np.testing.assert_array_equal(model.transduction_, expected.transduction_)


def test_frames_of_numbers_are_read_by_column_and_predictions_are_of_the_storages_kind(
    tmp_path: Path,
) -> None:
    table = data(300)
    names = [f"x{j}" for j in range(table.X.shape[1])]
    expected = fitted(table.X_unlabeled)
    for frame in (pd.DataFrame, pl.DataFrame):
        X, pool = (frame(dict(zip(names, A.T, strict=True))) for A in (table.X, table.X_unlabeled))
        model = TacitClassifier(["linear", "rbf"], caution=0.0, random_state=0)
        model.fit(X, table.y, pool)
        np.testing.assert_array_equal(model.predict(pool), expected.transduction_)
    lazily = expected.predict(da.from_array(table.X_unlabeled, chunks=(100, -1)))
    assert isinstance(lazily, da.Array)
    np.testing.assert_array_equal(lazily.compute(), expected.transduction_)


def test_unlabeled_rows_with_holes_are_refused(tmp_path: Path) -> None:
    rows = data(300).X_unlabeled.copy()
    rows[250, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        fitted(da.from_array(rows, chunks=(100, -1)))
