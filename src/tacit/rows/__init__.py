"""Where data lives: one small protocol and one file for each kind of storage."""

from tacit.rows._as_rows import as_rows
from tacit.rows._dask_rows import DaskRows
from tacit.rows._memory_rows import CsrRows, NumpyRows, with_short_indices
from tacit.rows._moments import CentredRows, Moments, Sample, moments_and_sample
from tacit.rows._parquet_files import ParquetFiles
from tacit.rows._parquet_rows import ParquetPredictions, ParquetRows, TransformedRows
from tacit.rows._protocol import Block, Rows, n_counted
from tacit.rows._sweep import check_memory, one_blas_thread

__all__ = [
    "Block",
    "CentredRows",
    "CsrRows",
    "DaskRows",
    "Moments",
    "NumpyRows",
    "ParquetFiles",
    "ParquetPredictions",
    "ParquetRows",
    "Rows",
    "Sample",
    "TransformedRows",
    "as_rows",
    "check_memory",
    "moments_and_sample",
    "n_counted",
    "one_blas_thread",
    "with_short_indices",
]
