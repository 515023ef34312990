"""Rows in Parquet files."""

from __future__ import annotations

from typing import Any


class ParquetRows:
    """Being written."""

    def __init__(self, path: Any) -> None:
        raise NotImplementedError
