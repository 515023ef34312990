"""What `fit` is given, checked and taken apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from tacit._typing import AnyArray, Index, Matrix, Vector
from tacit.estimators._labels import Labels, read_labels
from tacit.estimators._storage import is_elsewhere, read_rows
from tacit.rows import Rows, as_rows

DTYPES = (np.float64, np.float32)


@dataclass(frozen=True)
class TrainingData:
    """Labeled rows apart from unlabeled ones.

    Attributes
    ----------
    X : ndarray or scipy.sparse.csr_array of shape (L, d)
        Labeled rows.
    codes : ndarray of int of shape (L,)
        Their classes, as positions in `classes`.
    classes : ndarray of shape (K,)
        The labels.
    weights : ndarray of shape (L,) or None
        Weights of the labeled rows.
    unlabeled : Rows
        The rows marked in y, in order, then those of X_unlabeled.
    """

    X: Any
    codes: Index
    classes: AnyArray
    weights: Vector | None
    unlabeled: Rows

    @property
    def y(self) -> Vector:
        """1 for the second class, 0 for the first."""
        return np.asarray(self.codes == 1, dtype=np.float64)

    @property
    def targets(self) -> Matrix:
        """The targets of least squares: `y` for two classes, one indicator a class for more."""
        if len(self.classes) == 2:
            return self.y
        return np.asarray(self.codes[:, None] == np.arange(len(self.classes)), dtype=np.float64)


@contextmanager
def all_or_nothing(estimator: BaseEstimator) -> Iterator[None]:
    """Leave `estimator` as it was before, fitted or not, where fitting it fails."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def read_training_data(
    estimator: BaseEstimator,
    X: Any,
    y: Any,
    X_unlabeled: Any = None,
    sample_weight: Any = None,
    unlabeled: Any = -1,
) -> TrainingData:
    """Check everything that `fit` was given and take it apart.

    Sets `n_features_in_` and `feature_names_in_` of `estimator`.
    """
    if is_elsewhere(X):
        raise TypeError(
            f"X is a {type(X).__name__}; the labeled rows must be an array in memory. Pass rows "
            "that live on disk or on a cluster as X_unlabeled."
        )
    X = validate_data(estimator, X, dtype=DTYPES, accept_sparse="csr")
    labels = read_labels(y, unlabeled)
    if len(labels.is_labeled) != X.shape[0]:
        raise ValueError(
            f"y has {len(labels.is_labeled)} values and X has {X.shape[0]} rows; y needs one value "
            "for every row of X, a label or a mark."
        )
    weights = _read_weights(sample_weight, X.shape[0])

    is_labeled = labels.is_labeled
    labeled_weights = None if weights is None else weights[is_labeled]
    labeled_X, codes = X[is_labeled], labels.codes
    if labeled_weights is not None and (labeled_weights == 0).any():
        counts = labeled_weights > 0
        labeled_X, codes, labeled_weights = (
            labeled_X[counts],
            codes[counts],
            labeled_weights[counts],
        )
        used, codes = np.unique(codes, return_inverse=True)
        labels = Labels(is_labeled, labels.classes[used], codes)
    _check_classes(labels, len(codes), unlabeled)
    return TrainingData(
        X=labeled_X.astype(np.float64, copy=False),
        codes=codes,
        classes=labels.classes,
        weights=labeled_weights,
        unlabeled=_read_unlabeled(estimator, X, is_labeled, weights, X_unlabeled),
    )


def _read_unlabeled(
    estimator: BaseEstimator, X: Any, is_labeled: Any, weights: Vector | None, X_unlabeled: Any
) -> Rows:
    # With every row labeled there is nothing to copy, and X may be large.
    marked = X[:0] if is_labeled.all() else X[~is_labeled]
    marked_weights = None if weights is None else weights[~is_labeled]
    if X_unlabeled is None:
        return as_rows(marked, marked_weights)
    if is_elsewhere(X_unlabeled):
        if marked.shape[0]:
            raise ValueError(
                f"y marks {marked.shape[0]} rows of X as unlabeled, and X_unlabeled is not in "
                "memory; leave the marked rows out of X and y, or add them to X_unlabeled."
            )
        return read_rows(estimator, X_unlabeled, "X_unlabeled")
    shape = getattr(X_unlabeled, "shape", None)
    if shape is not None and len(shape) == 2 and shape[1] != X.shape[1]:
        raise ValueError(
            f"X_unlabeled has {shape[1]} columns and X has {X.shape[1]}; both must have the same "
            "features in the same order."
        )
    try:
        extra = validate_data(
            estimator,
            X_unlabeled,
            reset=False,
            dtype=DTYPES,
            ensure_min_samples=0,
            accept_sparse="csr",
        )
    except (ValueError, TypeError) as error:
        raise type(error)(f"X_unlabeled cannot be used: {error}") from error
    if marked.shape[0] == 0:
        return as_rows(extra)
    if marked_weights is not None:
        marked_weights = np.concatenate([marked_weights, np.ones(extra.shape[0])])
    return as_rows(stack(marked, extra), marked_weights)


def stack(first: Any, second: Any) -> Any:
    """Both tables, one below the other; sparse if either is."""
    if sparse.issparse(first) or sparse.issparse(second):
        return sparse.vstack([first, second], format="csr")
    return np.concatenate([first, second])


def _read_weights(sample_weight: Any, n_rows: int) -> Vector | None:
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise ValueError(f"sample_weight is not one number for every row: {error}") from error
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    if weights.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar; sample_weight has shape {weights.shape}."
        )
    if len(weights) != n_rows:
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}: one weight for every "
            "row of X, unlabeled rows included."
        )
    if not np.isfinite(weights).all():
        raise ValueError("sample_weight contains NaN or infinity; weights must be finite numbers.")
    if (weights < 0).any():
        raise ValueError(
            f"sample_weight contains {weights.min():g}; weights must be zero or positive."
        )
    return weights


def _check_classes(labels: Labels, n_labeled: int, unlabeled: Any) -> None:
    mark = "None, NaN" if unlabeled is None else f"{unlabeled!r}, None, NaN"
    if n_labeled == 0:
        raise ValueError(
            f"y has no labels: every row is marked as unlabeled ({mark}) or has weight zero, but "
            "at least one labeled row of each of two classes is needed."
        )
    if len(labels.classes) < 2:
        hint = ""
        if isinstance(unlabeled, int | float) and unlabeled == -1 and not labels.is_labeled.all():
            hint = " If -1 is a class of yours and not a mark, set unlabeled=None."
        raise ValueError(
            f"y has labels of only one class, {labels.classes.tolist()[0]!r}; at least two classes "
            f"are needed among the labeled rows.{hint}"
        )
