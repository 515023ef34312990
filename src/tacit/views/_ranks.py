"""Columns through their empirical distribution functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from tacit._typing import Matrix
from tacit.views._embedding import EmbeddingView, Kernel

# Of longer columns this many quantiles are kept: they know a rank to a thousandth.
MOST_QUANTILES = 1000


class AveragedRanks(TransformerMixin, BaseEstimator):
    """Each value as its rank between 0 and 1 among the values of its column.

    Equal values are at the middle of their ranks: ranks that ties get by their order would tell
    of the order of the rows, which is often that of the classes. Values between two that were
    fitted on have the rank between theirs.
    """

    def fit(self, X: Matrix, y: Any = None) -> AveragedRanks:
        """Sort the columns."""
        ordered = np.sort(X, axis=0)
        if len(ordered) > MOST_QUANTILES:
            middle = (np.arange(MOST_QUANTILES) + 0.5) * len(ordered) / MOST_QUANTILES
            ordered = ordered[middle.astype(np.intp)]
        self.quantiles_ = np.ascontiguousarray(ordered.T)
        return self

    def transform(self, X: Matrix) -> Matrix:
        """The ranks."""
        ranks = np.empty(X.shape)
        for j, quantiles in enumerate(self.quantiles_):
            below = np.searchsorted(quantiles, X[:, j], "left")
            ranks[:, j] = below + np.searchsorted(quantiles, X[:, j], "right")
        return np.asarray(ranks / (2.0 * self.quantiles_.shape[1]))


def ranks_view() -> EmbeddingView:
    """Kernels on ranks: free of units, skew and outliers, which small tables are full of."""
    kernels = Kernel("linear"), Kernel("gaussian", 0.3), Kernel("gaussian"), Kernel("laplacian")
    return EmbeddingView(AveragedRanks(), kernels)
