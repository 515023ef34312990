"""Where data lives: one small protocol and one file for each kind of storage."""

from tacit.rows.as_rows import as_rows
from tacit.rows.csr_rows import CsrRows
from tacit.rows.dask_rows import DaskRows
from tacit.rows.moments import Moments
from tacit.rows.numpy_rows import NumpyRows
from tacit.rows.parquet_rows import ParquetPredictions, ParquetRows
from tacit.rows.protocol import Block, Rows
from tacit.rows.sample import Sample, moments_and_sample
from tacit.rows.sweep import one_blas_thread

__all__ = [
    "Block",
    "CsrRows",
    "DaskRows",
    "Moments",
    "NumpyRows",
    "ParquetPredictions",
    "ParquetRows",
    "Rows",
    "Sample",
    "as_rows",
    "moments_and_sample",
    "one_blas_thread",
]
