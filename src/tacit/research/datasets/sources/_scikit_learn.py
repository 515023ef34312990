"""WDBC, which scikit-learn ships."""

from __future__ import annotations

import numpy as np
import sklearn
from sklearn.datasets import load_breast_cancer

from tacit.research.datasets._entry import Entry
from tacit.research.datasets.sources._protocol import Absence, Copy, Table

DISTRIBUTION = "scikit-learn"


class ScikitLearn:
    """Wraps `sklearn.datasets.load_breast_cancer`."""

    def find(self, entry: Entry) -> Copy | Absence:
        """Look whether the dataset is the one that scikit-learn ships."""
        if entry.package is None or entry.package.distribution != DISTRIBUTION:
            return Absence(f"{DISTRIBUTION} does not hold it")
        label = f"{DISTRIBUTION} {sklearn.__version__}"
        return Copy(label, f"Package {label}, load_breast_cancer.", _read)


def _read() -> Table:
    bunch = load_breast_cancer()
    return Table(bunch.data.astype(np.float64), bunch.target_names[bunch.target])
