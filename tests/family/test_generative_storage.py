"""Generative classifiers on rows that live elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tests.family.generative_models import EM, SWEEPS, table
from tests.rows.storages import write_parquet

da = pytest.importorskip("dask.array")
pytest.importorskip("pyarrow")

DATA = table(3, n_unlabeled=90)


def stored(kind: str, folder: Path) -> Any:
    if kind == "Parquet":
        return write_parquet(folder / "pool.parquet", DATA.pool, row_group_size=17)
    if kind == "Dask":
        return da.from_array(DATA.pool, chunks=(25, 4))
    return da.from_array(DATA.pool, chunks=(25, 4)).map_blocks(
        sparse.csr_array, meta=sparse.csr_array((0, 4))
    )


@pytest.mark.parametrize("kind", ["Parquet", "Dask", "sparse Dask"])
@pytest.mark.parametrize("estimator", SWEEPS)
def test_rows_elsewhere_give_the_model_of_rows_in_memory(
    estimator: Any, kind: str, tmp_path: Path
) -> None:
    model = estimator().fit(*DATA.labeled, stored(kind, tmp_path))
    expected = estimator().fit(*DATA.labeled, DATA.pool)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(np.asarray(model.soft_labels_), expected.soft_labels_, atol=1e-7)
    if estimator in EM:
        assert model.n_iter_ == expected.n_iter_


@pytest.mark.parametrize("estimator", SWEEPS)
def test_probabilities_of_a_dask_array_are_a_dask_array(estimator: Any, tmp_path: Path) -> None:
    model = estimator().fit(*DATA.labeled, DATA.pool)
    pool = stored("Dask", tmp_path)
    lazy = model.predict_proba(pool)
    assert isinstance(lazy, da.Array)
    np.testing.assert_allclose(lazy.compute(), model.predict_proba(DATA.pool))


@pytest.mark.parametrize("estimator", SWEEPS)
def test_nan_on_a_cluster_is_refused(estimator: Any) -> None:
    pool = DATA.pool.copy()
    pool[30, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        estimator().fit(*DATA.labeled, da.from_array(pool, chunks=(25, 4)))
