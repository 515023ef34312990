"""Benchmark data by name, from a folder, installed packages, a cache or OpenML; and generators."""

from typing import TYPE_CHECKING

from tacit._lazy import public_names

if TYPE_CHECKING:
    from tacit.datasets.dataset import Dataset
    from tacit.datasets.loading import (
        Availability,
        DatasetNotFoundError,
        available,
        load,
        load_prepared,
    )
    from tacit.datasets.registry import PAPER, names
    from tacit.datasets.sources import DatasetFileError

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
        "dataset": ("Dataset",),
        "loading": ("Availability", "DatasetNotFoundError", "available", "load", "load_prepared"),
        "registry": ("PAPER", "names"),
        "sources": ("DatasetFileError",),
    },
)
