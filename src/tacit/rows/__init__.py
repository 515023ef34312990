"""Where data lives: one small protocol and one file for each kind of storage."""

from tacit.rows.moments import Moments
from tacit.rows.numpy_rows import NumpyRows
from tacit.rows.protocol import Block, Rows
from tacit.rows.sample import Sample, moments_and_sample

__all__ = ["Block", "Moments", "NumpyRows", "Rows", "Sample", "moments_and_sample"]
