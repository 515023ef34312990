"""Benchmark data by name, from a folder, installed packages, a cache or OpenML; and generators."""

from typing import TYPE_CHECKING

from tacit._lazy import public_names

if TYPE_CHECKING:
    from tacit.research.datasets._dataset import Dataset
    from tacit.research.datasets._loading import (
        Availability,
        DatasetNotFoundError,
        available,
        load,
        load_prepared,
    )
    from tacit.research.datasets._registry import PAPER, names
    from tacit.research.datasets._sources import DatasetFileError

__all__ = [
    "PAPER",
    "Availability",
    "Dataset",
    "DatasetFileError",
    "DatasetNotFoundError",
    "available",
    "load",
    "load_prepared",
    "names",
]

__getattr__, __dir__ = public_names(
    __name__,
    {
        "_dataset": ("Dataset",),
        "_loading": ("Availability", "DatasetNotFoundError", "available", "load", "load_prepared"),
        "_registry": ("PAPER", "names"),
        "_sources": ("DatasetFileError",),
    },
)
