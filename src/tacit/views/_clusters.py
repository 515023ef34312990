"""Co-membership in clusters of random halves of the rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import check_random_state

from tacit._forked import openmp_without_parent
from tacit._typing import Matrix
from tacit.views._embedding import EmbeddingView, Kernel

# As few clusters as there may be classes, and some more.
SIZES = (4, 12)
# Beyond the first principal components there is mostly noise, which k-means does not withstand.
COORDINATES = 15
# The average over these settles to within a few hundredths of the co-membership.
N_BAGS = 10
# k-means needs no more rows than this to find some dozen centres.
MOST_ROWS = 1000


class BaggedClusters(TransformerMixin, BaseEstimator):
    """Memberships in k-means clusterings of random samples, as indicators.

    Rows belong to their nearest centre, so new rows do too. Sparse: one entry for each clustering,
    of which there are `n_bags` for each number of clusters in `sizes`.
    """

    def __init__(
        self, sizes: tuple[int, ...] = SIZES, n_bags: int = N_BAGS, random_state: Any = None
    ) -> None:
        self.sizes = sizes
        self.n_bags = n_bags
        self.random_state = random_state

    @openmp_without_parent()
    def fit(self, X: Matrix, y: Any = None) -> BaggedClusters:
        """Find the centres, in the space of the first principal components."""
        random = check_random_state(self.random_state)
        n_coordinates = min(COORDINATES, *X.shape)
        pca = PCA(n_coordinates, random_state=random.randint(2**31 - 1))
        with np.errstate(invalid="ignore"):  # shares of a variance of zero
            self.pca_ = pca.set_output(transform="default").fit(X)
        coordinates = self.pca_.transform(X)
        sample = min(MOST_ROWS, max(1, X.shape[0] // 2))
        self.centres_: list[Matrix] = []
        for size in self.sizes:
            for _ in range(self.n_bags):
                rows = coordinates[random.choice(X.shape[0], sample, replace=False)]
                seed = random.randint(2**31 - 1)
                model = KMeans(min(size, sample), n_init=1, max_iter=20, random_state=seed)
                with warnings.catch_warnings():
                    # Fewer distinct rows than clusters: some centres coincide.
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    self.centres_.append(model.fit(rows).cluster_centers_)
        return self

    @openmp_without_parent()
    def transform(self, X: Matrix) -> Any:
        """Indicators of the cluster in each clustering: `max(sizes)` columns for each."""
        most, X = max(self.sizes), self.pca_.transform(X)
        columns = np.column_stack(
            [i * most + pairwise_distances_argmin(X, c) for i, c in enumerate(self.centres_)]
        )
        n, bags = columns.shape
        indptr = np.arange(0, n * bags + 1, bags)
        entries = (np.ones(n * bags), columns.ravel(), indptr)
        indicators = sparse.csr_array(entries, shape=(n, bags * most))
        # SciPy would not look, and centres that come from a file may be more than the sizes.
        indicators.check_format(full_check=True)
        return indicators


def clusters_view() -> EmbeddingView:
    """One kernel for each number of clusters: the share of clusterings in which two rows agree."""
    width = N_BAGS * max(SIZES)
    kernels = [
        Kernel("linear", 1.0, i * width, (i + 1) * width, f"of {size}")
        for i, size in enumerate(SIZES)
    ]
    return EmbeddingView(BaggedClusters(), kernels)
