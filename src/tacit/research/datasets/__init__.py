"""Benchmark data by name, from a folder, installed packages, a cache or OpenML; and generators."""

from typing import TYPE_CHECKING

from tacit._lazy import public_names

if TYPE_CHECKING:
    from tacit.research.datasets._generators import aligned_clusters as aligned_clusters
    from tacit.research.datasets._generators import opposed_clusters as opposed_clusters
    from tacit.research.datasets._generators import overlapping as overlapping
    from tacit.research.datasets._loading import Availability as Availability
    from tacit.research.datasets._loading import Dataset as Dataset
    from tacit.research.datasets._loading import DatasetNotFoundError as DatasetNotFoundError
    from tacit.research.datasets._loading import available as available
    from tacit.research.datasets._loading import load as load
    from tacit.research.datasets._loading import load_prepared as load_prepared
    from tacit.research.datasets._registry import PAPER as PAPER
    from tacit.research.datasets._registry import names as names
    from tacit.research.datasets._sources import DatasetFileError as DatasetFileError

__getattr__, __dir__, __all__ = public_names(__name__)
