"""Kernels, graphs and embeddings that the user brings, for the rows of `fit` alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy import sparse

from tacit._typing import Matrix
from tacit.views._embedding import EmbeddingView, is_finite
from tacit.views._graph import GraphView, normalised_adjacency
from tacit.views._protocol import Reference, RowFunction

KINDS = ("kernel", "graph", "embedding")


def _no_extension(X: Matrix) -> Matrix:
    """What stands for the extension of a view that knows the rows of `fit` only."""
    raise ValueError(
        "The model has a precomputed view, which knows the rows of fit only: pass the rows to "
        "predict as X_unlabeled to fit and read transduction_."
    )


class PrecomputedView:
    """A geometry that was computed elsewhere.

    Parameters
    ----------
    values : ndarray or sparse matrix of shape (N, N) or (N, m)
        For all rows of `fit` in their order, those of X and then those of X_unlabeled: the kernel
        between them, the weights of a graph (symmetric or not, zero for no edge), or an embedding.
    kind : {"kernel", "graph", "embedding"}
        Which of these.
    """

    def __init__(
        self, values: Any, kind: Literal["kernel", "graph", "embedding"] = "kernel"
    ) -> None:
        self.values = values
        self.kind = kind

    def fit(self, reference: Reference) -> PrecomputedView:
        """Choose the reference rows among the values."""
        rows = reference.position
        values: Any = self.values if sparse.issparse(self.values) else np.asarray(self.values)
        if self.kind not in KINDS:
            raise ValueError(f"kind is {self.kind!r}; it must be one of {', '.join(KINDS)}.")
        if len(rows) < reference.n_rows:
            raise ValueError(
                f"A precomputed {self.kind} is for all {reference.n_rows:,} rows given to fit, of "
                f"which {len(rows):,} are kept; raise max_reference_rows."
            )
        square = self.kind != "embedding"
        if values.ndim != 2 or len(rows) != values.shape[0] or (square and np.ptp(values.shape)):
            raise ValueError(
                f"values of a precomputed {self.kind} has shape {values.shape}; it needs a row"
                f"{' and a column' if square else ''} for each of the {len(rows):,} given to fit."
            )
        if not is_finite(values):
            raise ValueError(f"values of a precomputed {self.kind} has NaN or infinity.")
        self._inner: Any = None
        if self.kind == "embedding":
            self._inner = EmbeddingView().fit(replace(reference, X=values[rows]))
        elif self.kind == "graph":
            W = sparse.csr_array(values)[rows][:, rows]
            self._inner = GraphView()
            self._inner.transformer_ = self._inner.index_ = None
            self._inner._order = np.arange(len(rows))
            self._inner.fit_graphs({0: normalised_adjacency(W)}, reference)
        else:
            columns: Any = values[:, rows[: reference.n_labeled]][rows]
            dense = columns.toarray() if hasattr(columns, "toarray") else columns
            self._columns = np.asarray(dense, dtype=np.float64)
        return self

    def blocks(self) -> dict[str, Matrix]:
        """The kernels between the labeled rows."""
        if self._inner is not None:
            return dict(self._inner.blocks())
        block = self._columns[: self._columns.shape[1]]
        return {"kernel": 0.5 * (block + block.T)}

    def functions(self, duals: Mapping[str, Matrix]) -> tuple[Matrix, RowFunction]:
        """Values on the rows of `fit`; there is no extension to others."""
        if self._inner is not None:
            return self._inner.functions(duals)[0], _no_extension
        return self._columns @ duals["kernel"], _no_extension
