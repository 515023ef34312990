"""Tables that live elsewhere than in an array: on disk, on a cluster, or in rows of any kind."""

from __future__ import annotations

import os
from typing import Any

from sklearn.base import BaseEstimator

from tacit.rows import ParquetRows, Rows, as_rows


def is_elsewhere(X: Any) -> bool:
    """Whether X is a path, Dask's, or Rows, and not something that scikit-learn validates."""
    if isinstance(X, str | os.PathLike):
        return True
    package, _, module = type(X).__module__.partition(".")
    if package == "dask" or (package == "pyarrow" and module == "_dataset"):
        return True
    return not hasattr(X, "dtype") and isinstance(X, Rows)


def read_rows(estimator: BaseEstimator, X: Any, name: str) -> Rows:
    """X as rows with the features that `estimator` was fitted on.

    Columns of Parquet files are chosen by the feature names of the labeled rows, where these had
    names.
    """
    features = getattr(estimator, "feature_names_in_", None)
    if isinstance(X, str | os.PathLike) and features is not None:
        X = ParquetRows(X, columns=[str(feature) for feature in features])
    rows = as_rows(X)
    columns = list(X.columns) if isinstance(X, ParquetRows) else None
    if columns and features is not None and columns != [str(feature) for feature in features]:
        raise ValueError(
            f"{name} has the columns {_shorten(columns)}, but the labeled rows have "
            f"{_shorten(features)}; name them in this order: ParquetRows(path, columns=[...])."
        )
    n_features = int(estimator.n_features_in_)
    if rows.n_features != n_features:
        raise ValueError(
            f"{name} has {rows.n_features} columns and X has {n_features}; both must have the same "
            "features in the same order."
        )
    return rows


def _shorten(names: Any, most: int = 6) -> str:
    shown = ", ".join(str(name) for name in list(names)[:most])
    return f"{shown}, ..." if len(names) > most else shown
