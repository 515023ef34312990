"""Tables that live elsewhere than in an array: on disk, on a cluster, or in rows of any kind."""

from __future__ import annotations

import os
from typing import Any

from sklearn.base import BaseEstimator

from tacit.rows import ParquetRows, Rows, as_rows


def is_elsewhere(X: Any) -> bool:
    """Whether X is a path, Dask's, or Rows, and not something that scikit-learn validates."""
    if _is_parquet(X) or type(X).__module__.partition(".")[0] == "dask":
        return True
    return not hasattr(X, "dtype") and isinstance(X, Rows)


def read_rows(estimator: BaseEstimator, X: Any, name: str) -> Rows:
    """X as rows with the features that `estimator` was fitted on.

    Columns of Parquet files are chosen by the feature names of the labeled rows, where these had
    names.
    """
    features = getattr(estimator, "feature_names_in_", None)
    names = None if features is None else [str(feature) for feature in features]
    rows = ParquetRows(X, columns=names) if _is_parquet(X) else as_rows(X)
    if isinstance(rows, ParquetRows) and names is not None and list(rows.columns) != names:
        raise ValueError(
            f"{name} has the columns {_shorten(rows.columns)}, but the labeled rows have "
            f"{_shorten(names)}; name them in this order: ParquetRows(path, columns=[...])."
        )
    n_features = int(estimator.n_features_in_)
    if rows.n_features != n_features:
        raise ValueError(
            f"{name} has {rows.n_features} columns and the labeled rows have {n_features}; both "
            "must have the same features in the same order."
        )
    return rows


def _is_parquet(X: Any) -> bool:
    """Whether X says where Parquet files are: a path or a dataset of pyarrow."""
    return isinstance(X, str | os.PathLike) or type(X).__module__ == "pyarrow._dataset"


def _shorten(names: Any, most: int = 6) -> str:
    shown = ", ".join(str(name) for name in list(names)[:most])
    return f"{shown}, ..." if len(names) > most else shown
