"""Optional packages, imported at their first use, so that their lack costs only that test."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _Waiting:
    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._module), name)


da: Any = _Waiting("dask.array")
ds: Any = _Waiting("pyarrow.dataset")
pa: Any = _Waiting("pyarrow")
pd: Any = _Waiting("pandas")
pq: Any = _Waiting("pyarrow.parquet")
