"""Benchmark data by name, from a folder, installed packages, a cache or OpenML; and generators."""

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
