"""The one place that imports what the extra `tables` brings, when it is needed."""

from __future__ import annotations

import importlib
from typing import Any


def import_pandas() -> Any:
    """The package pandas."""
    return _import("pandas", "pandas", "Tables")


def import_pyarrow() -> Any:
    """The package pyarrow, with its readers of CSV, Parquet and Feather files."""
    for part in ("pyarrow.csv", "pyarrow.parquet", "pyarrow.feather"):
        _import(part, "pyarrow", "Files of tables")
    return _import("pyarrow", "pyarrow", "Files of tables")


def import_skrub() -> Any:
    """The package skrub, which turns mixed columns into features."""
    return _import("skrub", "skrub", "Tables of mixed columns")


def import_skops() -> Any:
    """The module skops.io, which saves models without pickle."""
    return _import("skops.io", "skops", "Saved models")


def _import(module: str, package: str, what: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{what} need {package}, which cannot be imported; install it with: "
            "pip install 'tacit[tables]'"
        ) from error
