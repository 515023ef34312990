"""What a fitted TacitClassifier predicts with, and the rows it is learned from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import Normalizer, StandardScaler

from tacit._typing import Index, Matrix, Vector
from tacit.estimators._base import finite
from tacit.estimators._training import TrainingData, stack
from tacit.rows import CsrRows, NumpyRows, n_counted
from tacit.rows._moments import random_sample
from tacit.views import Reference

# Coordinates of sparse rows for the views: what latent semantic analysis commonly keeps of text.
SPARSE_COORDINATES = 100
# Trees take single precision, and squares of more would overflow.
LARGEST = float(np.finfo(np.float32).max)


def check_size(X: Any) -> None:
    """Raise an error that says so, if values are too large to scale."""
    entries = X if isinstance(X, np.ndarray) else X.data
    largest = max(entries.max(initial=0.0), -entries.min(initial=0.0))
    if largest > LARGEST:
        raise ValueError(
            f"X has values of up to {largest:.3g}; TacitClassifier takes them up to {LARGEST:.2g}, "
            "as trees do: divide the columns by their size."
        )


def _in_arrays(transformer: Any) -> Any:
    """One that gives arrays where others are set to give frames."""
    return transformer.set_output(transform="default")


@dataclass(frozen=True)
class Space:
    """The rows as kernels see them.

    Dense columns are standardised. Sparse rows are scaled to length one, as is usual for text,
    and stay sparse; the views see them through a truncated SVD.
    """

    scaler: Any
    svd: Any

    @classmethod
    def of(cls, X: Any, seed: int) -> Space:
        """The space that the reference rows span."""
        if isinstance(X, np.ndarray):
            return cls(_in_arrays(StandardScaler()).fit(X), None)
        scaler = _in_arrays(Normalizer())
        svd = _in_arrays(TruncatedSVD(min(SPARSE_COORDINATES, *X.shape), random_state=seed))
        with np.errstate(invalid="ignore"):  # its shares of the variance, where rows have none
            return cls(scaler, svd.fit(scaler.transform(X)))

    def rows(self, X: Any) -> Any:
        """Scaled rows, dense or sparse as the reference rows are."""
        if self.svd is not None:
            return self.scaler.transform(sparse.csr_array(X))
        # A model that was fitted on dense rows has few columns.
        return self.scaler.transform(X if isinstance(X, np.ndarray) else X.toarray())

    def coordinates(self, rows: Any) -> Matrix:
        """Dense coordinates of scaled rows."""
        return np.asarray(rows if self.svd is None else self.svd.transform(rows))


@dataclass(frozen=True)
class ScoredEstimator:
    """A fitted classifier whose answer is a decision between -1 and 1."""

    estimator: Any  # fitted on positions of classes
    n_classes: int

    def __call__(self, X: Any) -> Matrix:
        """Twice its probability of each class minus one: of shape (n, K), or (n, 1) for two."""
        shares = np.zeros((X.shape[0], self.n_classes))
        if hasattr(self.estimator, "predict_proba"):
            shares[:, self.estimator.classes_] = self.estimator.predict_proba(X)
        else:
            shares[np.arange(len(shares)), self.estimator.predict(X)] = 1.0
        return decisions_of(shares)


def decisions_of(shares: Matrix) -> Matrix:
    """Class shares as decisions, one column for two classes."""
    return 2.0 * shares[:, 1:] - 1.0 if shares.shape[1] == 2 else 2.0 * shares - 1.0


@dataclass(frozen=True)
class TacitModel:
    """The weighted average of all candidates, as one function of rows.

    A value, so that it can travel to another process.
    """

    space: Space
    intercept: Vector
    anchors: list[Any]  # functions of scaled rows
    views: list[Any]  # functions of coordinates
    estimators: list[tuple[float, ScoredEstimator]]  # functions of the rows themselves

    def __call__(self, X: Any) -> Matrix:
        """Decisions of shape (n, C)."""
        values = np.tile(self.intercept, (X.shape[0], 1))
        if X.shape[0] == 0:
            return values
        check_size(X)
        if self.anchors or self.views:
            rows = self.space.rows(X)
            for function in self.anchors:
                values += function(rows)
            if self.views:
                coordinates = self.space.coordinates(rows)
                for function in self.views:
                    values += function(coordinates)
        for weight, estimator in self.estimators:
            values += weight * estimator(X)
        return finite(values)


@dataclass(frozen=True)
class ReferenceRows:
    """The rows that geometry is learned from: all labeled ones, then all or some of the others."""

    X: Any  # ndarray or csr_array of shape (N, d), as given
    space: Space  # learned from them
    scaled: Any  # the rows that anchors see
    position: Index  # (N,), their places among the rows of X and X_unlabeled
    n_labeled: int
    n_unlabeled: int  # in all that count, those that were left out too

    @classmethod
    def of(cls, data: TrainingData, most: int, seed: int) -> ReferenceRows:
        """Draw at most about `most` unlabeled rows in one sweep, and learn their scale."""
        rows, n_labeled = data.unlabeled, len(data.codes)
        if rows.n_rows <= most and isinstance(rows, NumpyRows | CsrRows):
            others, index = rows.X.astype(np.float64, copy=False), np.arange(rows.n_rows)
            weights = rows.weights
        else:
            sample = random_sample(rows, most, seed)
            others, index, weights = sample.X, sample.index, sample.weights
        if weights is not None and not weights.all():  # rows of weight zero are none
            others, index = others[weights > 0], index[weights > 0]
        X = stack(data.X, others)
        n_more = n_labeled + rows.n_rows - len(data.order)  # those of X_unlabeled
        positions = np.concatenate([data.order, data.n_rows + np.arange(n_more)])
        position = np.concatenate([positions[:n_labeled], positions[n_labeled + index]])
        check_size(X)
        space = Space.of(X, seed)
        return cls(X, space, space.rows(X), position, n_labeled, n_counted(rows))

    @property
    def n_kept(self) -> int:
        """Unlabeled rows among them."""
        return len(self.position) - self.n_labeled

    def reference(self, rows: Any, seed: int) -> Reference:
        """What a view is fitted on: scaled rows, or their coordinates."""
        n_rows = self.n_labeled + self.n_unlabeled
        return Reference(rows, self.n_labeled, self.position, seed, n_rows)
