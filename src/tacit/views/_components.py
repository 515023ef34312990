"""Principal components, plain and whitened."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA

from tacit._typing import Matrix
from tacit.views._embedding import EmbeddingView, Kernel

# From the two directions in which classes that are clusters differ to about as many as a few
# dozen labels can tell apart.
SIZES = (2, 5, 15)


class ComponentScores(TransformerMixin, BaseEstimator):
    """Scores on the first principal components, then the same scores with variance one."""

    def __init__(self, n_components: int = SIZES[-1], random_state: Any = None) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: Matrix, y: Any = None) -> ComponentScores:
        """Find the components."""
        n_components = min(self.n_components, *X.shape)
        pca = PCA(n_components, random_state=self.random_state)
        with np.errstate(invalid="ignore"):  # shares of a variance of zero
            self.pca_ = pca.set_output(transform="default").fit(X)
        deviations = np.sqrt(self.pca_.explained_variance_)
        # Directions of no variance are rounding, and stay as small as they are.
        self.deviations_ = np.where(deviations > 1e-6 * deviations[0], deviations, 1.0)
        return self

    def transform(self, X: Matrix) -> Matrix:
        """Scores and whitened scores, side by side."""
        scores = self.pca_.transform(X)
        return np.hstack([scores, scores / self.deviations_])


def components_view(n_rows: int, n_features: int) -> EmbeddingView:
    """Kernels on a few principal components, where the variance is what tells the classes apart."""
    most = min(SIZES[-1], n_rows, n_features)
    kernels = [
        Kernel(kind, 0.3, first, first + size, f"{size}{whitened}, {kind}")
        for size in sorted({min(size, most) for size in SIZES})
        for first, whitened in ((0, ""), (most, " whitened"))
        for kind in ("linear", "gaussian")
    ]
    return EmbeddingView(ComponentScores(most), kernels)
