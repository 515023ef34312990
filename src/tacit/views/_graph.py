"""Spectra of nearest-neighbour graphs: rows are alike that a random walk brings together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.polynomial.chebyshev import chebinterpolate
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.neighbors import NearestNeighbors

from tacit._cached import cached_property
from tacit._forked import openmp_without_parent
from tacit._typing import Index, Matrix, Vector
from tacit.views._embedding import fitted_transformer, transformed
from tacit.views._protocol import Reference, RowFunction

# Kernels are compared and averaged, for which six digits are more than enough.
PRECISION = 1e-6
MOST_TERMS = 256
# Columns at a time, so that the recurrence's three blocks of N rows stay small.
BLOCK_COLUMNS = 64
# Below this, exact search by scikit-learn takes less than a second.
MANY_ROWS = 5000
# Inverted lists: rows are searched for in the lists of the nearest centres. With 4 sqrt(N) lists a
# list and the centres take about as long to go through.
LISTS_PER_ROOT = 4
PROBES = 32


class NeighborIndex:
    """Finds nearest rows: exactly by scikit-learn, or for many rows nearly so by faiss.

    Of the libraries for approximate search (hnswlib, usearch, faiss) only the inverted lists of
    faiss give the same neighbours whatever the number of threads.
    """

    def __init__(self, X: Matrix) -> None:
        self.X = X

    def __getstate__(self) -> dict[str, Any]:
        """A stored index is its rows; it is built again when first asked."""
        return {"X": self.X}

    @cached_property
    def _lists(self) -> Any:
        faiss = _faiss() if len(self.X) > MANY_ROWS else None
        return None if faiss is None else _inverted_lists(faiss, self.X)

    @cached_property
    def _exact(self) -> Any:
        return NearestNeighbors().fit(self.X)

    @openmp_without_parent()
    def search(self, X: Matrix, k: int) -> tuple[Matrix, Index]:
        """Distances and positions of the k nearest rows, nearest first, each (n, k)."""
        if self._lists is None:
            distances, index = self._exact.kneighbors(X, k)
            return distances, index
        squares, index = self._lists.search(_single(X), k)
        # With few rows in the lists searched some places stay empty; the nearest stands in.
        index = np.where(index < 0, index[:, :1], index)
        return np.sqrt(np.maximum(squares, 0.0)), np.maximum(index, 0)


def _inverted_lists(faiss: Any, X: Matrix) -> Any:
    rows = _single(X)
    n, d = rows.shape
    # faiss asks for 39 rows a list to place its centre.
    n_lists = min(int(LISTS_PER_ROOT * np.sqrt(n)), n // 39)
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(d), d, n_lists)
    index.cp.niter = 5
    index.train(rows[:: max(1, n // (39 * n_lists))])
    index.add(rows)
    index.nprobe = PROBES
    return index


def _single(X: Matrix) -> NDArray[np.float32]:
    return np.ascontiguousarray(X, dtype=np.float32)


def _faiss() -> Any:
    """The optional library of the extra `graph`, or None."""
    try:
        import faiss
    except ImportError:
        return None
    return faiss


@dataclass(frozen=True)
class GraphFunction:
    """The mean of a function over the nearest reference rows, for graphs of several k.

    A row that coincides with reference rows takes their value.
    """

    transformer: Any
    index: NeighborIndex
    values: list[tuple[int, Matrix]]

    def __call__(self, X: Matrix) -> Matrix:
        """Values of shape (n, C)."""
        X = transformed(self.transformer, X)
        distances, index = self.index.search(X, self.values[-1][0])
        # In single precision, distances below this share of the rows' size are zero.
        same = distances <= 1e-4 * (1e-30 + np.linalg.norm(X, axis=1, keepdims=True))
        result = np.zeros((len(X), self.values[0][1].shape[1]))
        for k, values in self.values:
            weights = np.where(same[:, :1], same[:, :k], 1.0)
            weights = weights / weights.sum(axis=1, keepdims=True)
            result += np.einsum("nk,nkc->nc", weights, values[index[:, :k]])
        return result


class Rescaled(TransformerMixin, BaseEstimator):
    """Columns of deviation `scale` back in their units, where all have the same, as pixels do."""

    def __init__(self, scale: Vector | float = 1.0) -> None:
        self.scale = scale

    def fit(self, X: Matrix, y: Any = None) -> Rescaled:
        """Nothing is learned."""
        return self

    def transform(self, X: Matrix) -> Matrix:
        """Columns times their deviations."""
        return X * self.scale


class GraphView(BaseEstimator):
    """Filters of the normalised Laplacian of k-nearest-neighbour graphs.

    With A = D^-1/2 W D^-1/2 for the symmetric adjacency matrix W of the graph with degrees D, the
    Laplacian is I - A and a kernel is h(I - A): exp(-t (I - A)), which spreads labels like heat,
    or e (I - A + e I)^-1, which solves for the smoothest function. Both by one Chebyshev recurrence
    for all filters, O(degree nnz(W)) for each labeled row.

    Parameters
    ----------
    transformer : scikit-learn transformer or None
        Coordinates in which neighbours are near; None takes the rows as they are.
    neighbors : sequence of int
        A graph for each.
    heat, inverse : sequence of float
        A filter for each t and each e.
    """

    def __init__(
        self,
        transformer: Any = None,
        neighbors: Sequence[int] = (5, 10),
        heat: Sequence[float] = (10.0, 30.0, 100.0),
        inverse: Sequence[float] = (),
    ) -> None:
        self.transformer = transformer
        self.neighbors = neighbors
        self.heat = heat
        self.inverse = inverse

    def fit(self, reference: Reference) -> GraphView:
        """Find neighbours, build the graphs."""
        if not len(self.neighbors) or not (len(self.heat) or len(self.inverse)):
            raise ValueError("neighbors, or both heat and inverse, are empty; give one at least.")
        self.transformer_ = fitted_transformer(self.transformer, reference)
        X = transformed(self.transformer_, reference.X)
        self._order = reference.shuffled()
        self.index_ = NeighborIndex(X[self._order])
        sizes = sorted({min(k, len(X) - 1) for k in self.neighbors})
        index = self._order[self.index_.search(X, sizes[-1] + 1)[1]]
        # A row's first neighbour is itself, or one that coincides with it.
        return self.fit_graphs({k: adjacency(index[:, : k + 1]) for k in sizes}, reference)

    def fit_graphs(self, graphs: Mapping[int, Any], reference: Reference) -> GraphView:
        """Take these normalised adjacency matrices of the reference rows, by a number."""
        self._graphs, self._n_labeled = graphs, reference.n_labeled
        self._filters = {f"heat {t:g}": chebyshev(partial(_heat, t)) for t in self.heat}
        self._filters |= {f"inverse {e:g}": chebyshev(partial(_inverse, e)) for e in self.inverse}
        return self

    def blocks(self) -> dict[str, Matrix]:
        """The kernels between the labeled rows, a block of columns at a time."""
        n = self._n_labeled
        degree = max(map(len, self._filters.values()))
        kernels = {(k, name): np.zeros((n, n)) for k in self._graphs for name in self._filters}
        for k, A in self._graphs.items():
            for start in range(0, n, BLOCK_COLUMNS):
                stop = min(start + BLOCK_COLUMNS, n)
                unit = np.eye(A.shape[0], stop - start, -start)
                for j, term in zip(range(degree), chebyshev_terms(A, unit), strict=False):
                    for name, coefficients in self._filters.items():
                        if j < len(coefficients):
                            kernels[k, name][:, start:stop] += coefficients[j] * term[:n]
        return {_name(*key): 0.5 * (kernel + kernel.T) for key, kernel in kernels.items()}

    def functions(self, duals: Mapping[str, Matrix]) -> tuple[Matrix, RowFunction]:
        """Filtered labels on the reference rows; new rows take the mean of their neighbours."""
        by_graph = []
        for k, A in self._graphs.items():
            parts = [
                _filtered(A, coefficients, duals[_name(k, name)])
                for name, coefficients in self._filters.items()
                if _name(k, name) in duals
            ]
            if parts:
                by_graph.append((k, np.sum(parts, axis=0)))
        values = np.sum([total for _, total in by_graph], axis=0)
        in_index = [(k, total[self._order]) for k, total in by_graph]
        return values, GraphFunction(self.transformer_, self.index_, in_index)


def _name(k: int, filter_: str) -> str:
    """A kernel's name; a graph that was given has no number of neighbours."""
    return f"{k} neighbours, {filter_}" if k else filter_


def adjacency(index: Index) -> Any:
    """D^-1/2 W D^-1/2 for the graph in which rows are joined if either is near the other."""
    n, k = index.shape
    ones = np.ones(n * k)
    near = sparse.csr_array((ones, index.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    return normalised_adjacency(near.minimum(1.0))


def normalised_adjacency(W: Any) -> Any:
    """D^-1/2 W D^-1/2 of weights that are made symmetric, without loops."""
    W = W.maximum(W.T)
    W = sparse.csr_array(W - sparse.diags_array(W.diagonal()))
    degrees = W.sum(axis=1)
    roots = sparse.diags_array(1.0 / np.sqrt(np.where(degrees > 0.0, degrees, 1.0)))
    return (roots @ W @ roots).tocsr()


def chebyshev(function: Callable[[Any], Any]) -> Vector:
    """Coefficients of a function on [-1, 1], without the tail that is below the precision."""
    coefficients = chebinterpolate(function, MOST_TERMS)
    counts = np.flatnonzero(np.abs(coefficients) > PRECISION * np.abs(coefficients).max())
    return np.asarray(coefficients[: counts[-1] + 1])


def chebyshev_terms(A: Any, start: Matrix) -> Iterator[Matrix]:
    """T_0(A) B, T_1(A) B, ... of a symmetric matrix with eigenvalues in [-1, 1]."""
    before, now = start, A @ start
    yield before
    while True:
        yield now
        before, now = now, 2.0 * (A @ now) - before


def _filtered(A: Any, coefficients: Vector, dual: Matrix) -> Matrix:
    """h(A) applied to columns that are zero but on the labeled rows."""
    start = np.zeros((A.shape[0], dual.shape[1]))
    start[: len(dual)] = dual
    total = np.zeros_like(start)
    for coefficient, term in zip(coefficients, chebyshev_terms(A, start), strict=False):
        total += coefficient * term
    return total


def _heat(t: float, a: Vector) -> Vector:
    return np.exp(-t * (1.0 - a))


def _inverse(e: float, a: Vector) -> Vector:
    return e / (1.0 - a + e)
