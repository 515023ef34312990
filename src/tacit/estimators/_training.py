"""What `fit` is given, checked and taken apart."""

from __future__ import annotations

import operator
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from tacit._cached import cached_property
from tacit._typing import AnyArray, Index, Matrix, Vector
from tacit.estimators._labels import check_classes, read_labels
from tacit.rows import (
    Block,
    CsrRows,
    NumpyRows,
    ParquetRows,
    Rows,
    as_rows,
    one_blas_thread,
    with_short_indices,
)
from tacit.rows._as_rows import is_dask, is_parquet

DTYPES = (np.float64, np.float32)
# Shares given as decimal numbers need not add up to one to the last digit.
ROUNDING = 1e-6
# Squares of weights and of values must have room in a number.
LARGEST_WEIGHT = 1e100
# Numbers up to which BLAS threads cost more than they bring, above all on a busy machine.
SMALL = 20_000_000


@dataclass(frozen=True)
class TrainingData:
    """Labeled rows apart from unlabeled ones."""

    X: Any  # the labeled rows of a weight above zero, an array or CSR
    codes: Index  # their classes, as positions in `classes`
    classes: AnyArray
    weights: Vector | None  # theirs
    unlabeled: Rows  # those marked in y, in order, then those of X_unlabeled
    order: Index  # the positions in X of the labeled rows, then of those marked in y
    n_rows: int  # of X, rows of weight zero included

    @property
    def targets(self) -> Matrix:
        """The targets of least squares, `y` for two classes."""
        return indicators(self.codes, len(self.classes))

    @cached_property
    def signs(self) -> Matrix:
        """Targets -1 and 1: of shape (L, 1) for two classes, (L, K) for more."""
        return 2.0 * self.targets.reshape(len(self.codes), -1) - 1.0

    @cached_property
    def unit_weights(self) -> Vector:
        """The weights of the labeled rows, scaled to a mean of one."""
        given = self.weights
        return np.ones(len(self.codes)) if given is None else given / given.mean()

    def in_memory(self, method: str, advice: str = "") -> NumpyRows | CsrRows:
        """The unlabeled rows for a method that needs all of them at once."""
        if isinstance(self.unlabeled, NumpyRows | CsrRows):
            return self.unlabeled
        raise TypeError(
            f"X_unlabeled is a {type(self.unlabeled).__name__}; {method} and needs them in memory, "
            f"as an array or a sparse matrix{advice}."
        )


def threads_for(data: TrainingData) -> AbstractContextManager[None]:
    """One BLAS thread for rows so few that more cost more than they bring."""
    rows = data.unlabeled
    if not isinstance(rows, NumpyRows | CsrRows):
        return nullcontext()
    n_numbers = (rows.n_rows + len(data.codes)) * rows.n_features
    return one_blas_thread() if n_numbers <= SMALL else nullcontext()


def indicators(codes: Index, n_classes: int) -> Matrix:
    """Targets of least squares: one column for two classes, one a class for more."""
    if n_classes == 2:
        return codes.astype(np.float64)
    return np.asarray(codes[:, None] == np.arange(n_classes), dtype=np.float64)


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
    X = with_short_indices(validate_data(estimator, X, dtype=DTYPES, accept_sparse="csr"))
    labels = read_labels(y, unlabeled, X.shape[0])
    weights = _read_weights(sample_weight, X.shape[0])

    counts = labels.is_labeled if weights is None else labels.is_labeled & (weights > 0)
    positions, marked = np.flatnonzero(counts), np.flatnonzero(~labels.is_labeled)
    classes, codes = labels.classes, labels.codes
    if len(positions) < len(codes):  # rows of weight zero, the only ones of a class perhaps
        used, codes = np.unique(codes[counts[labels.is_labeled]], return_inverse=True)
        classes = classes[used]
    check_classes(classes, bool(len(marked)), unlabeled)
    if len(marked):
        _refuse_marks_in_calibration()
    return TrainingData(
        X=X[positions].astype(np.float64, copy=False),
        codes=codes,
        classes=classes,
        weights=None if weights is None else weights[positions],
        unlabeled=_read_unlabeled(estimator, X, marked, weights, X_unlabeled),
        order=np.concatenate([positions, marked]),
        n_rows=X.shape[0],
    )


def _refuse_marks_in_calibration() -> None:
    """An error where scikit-learn's CalibratedClassifierCV has taken the mark for a class.

    It makes its classes of all values of y and has no way to ask the classifier in it about them,
    so that nothing but the call itself gives it away.
    """
    frame: Any = sys._getframe()
    while frame is not None:
        if frame.f_globals.get("__name__") == "sklearn.calibration":
            raise ValueError(
                "CalibratedClassifierCV takes the marks of unlabeled rows in y for a class; give "
                "it the labeled rows alone and the others as X_unlabeled, "
                "CalibratedClassifierCV(model).fit(X, y, X_unlabeled=X_u), or use predict_proba of "
                "the model, which is calibrated already."
            )
        frame = frame.f_back


def weighted_by_class(data: TrainingData, class_weight: Any) -> TrainingData:
    """The same rows, the weights of the labeled ones times those of their classes.

    "balanced" is by weight and not by number, so that rows of weight two are two rows.
    """
    if class_weight is None:
        return data
    weights = np.ones(len(data.codes)) if data.weights is None else data.weights
    classes = data.classes.tolist()
    if isinstance(class_weight, str):
        totals = np.bincount(data.codes, weights)
        factors = weights.sum() / (len(classes) * totals)
    else:
        # Of a class that a part of the table lacks there may be a weight, but not a misspelled one.
        strange = [each for each in class_weight if each not in classes]
        if strange and any(each not in class_weight for each in classes):
            raise ValueError(
                f"class_weight has a weight for {strange[0]!r}, which is no class of y; the "
                f"classes are {shorten(classes)}."
            )
        factors = np.array([class_weight.get(each, 1.0) for each in classes])
        if factors.dtype.kind not in "iuf" or not (np.isfinite(factors) & (factors > 0.0)).all():
            raise ValueError(
                f"class_weight is {class_weight!r}; weights must be positive and finite numbers."
            )
    return replace(data, weights=weights * factors[data.codes])


def _read_unlabeled(
    estimator: BaseEstimator, X: Any, marked: Index, weights: Vector | None, X_unlabeled: Any
) -> Rows:
    rows = X[marked]
    weights = None if weights is None else weights[marked]
    if X_unlabeled is None:
        return as_rows(rows, weights)
    if is_elsewhere(X_unlabeled):
        if len(marked):
            raise ValueError(
                f"y marks {len(marked)} rows of X as unlabeled, and X_unlabeled is not in "
                "memory; leave the marked rows out of X and y, or add them to X_unlabeled."
            )
        return read_rows(estimator, X_unlabeled, "X_unlabeled")
    check_width(getattr(X_unlabeled, "shape", ()), X.shape)
    try:
        options: Any = {"dtype": DTYPES, "accept_sparse": "csr", "ensure_min_samples": 0}
        options["ensure_all_finite"] = not _has_finite_sum(X_unlabeled)
        extra = validate_data(estimator, X_unlabeled, reset=False, **options)
    except (ValueError, TypeError) as error:
        raise type(error)(f"X_unlabeled cannot be used: {error}") from error
    extra = with_short_indices(extra)
    if len(marked) == 0:
        return as_rows(extra)
    if weights is not None:
        weights = np.concatenate([weights, np.ones(extra.shape[0])])
    return as_rows(stack(rows, extra), weights)


def _has_finite_sum(X: Any) -> bool:
    """Whether an array is known to be without NaN and infinity: a sweep in threads tells."""
    if not isinstance(X, np.ndarray) or X.dtype != np.float64 or X.ndim != 2:
        return False
    return bool(np.isfinite(NumpyRows(X).reduce(_sum_of_block, operator.add)))


def _sum_of_block(block: Block) -> float:
    with np.errstate(invalid="ignore", over="ignore"):
        return float(block.X.sum())


def check_width(extra: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """Refuse unlabeled rows of the shape `extra` below labeled ones of another width."""
    if len(extra) == 2 and extra[1] != shape[1]:
        raise ValueError(
            f"X_unlabeled has {extra[1]} columns and X has {shape[1]}; both must have the same "
            "features in the same order."
        )


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
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}: one weight for every "
            "row of X, unlabeled rows included, or one number for all."
        )
    bad = weights[~(np.isfinite(weights) & (weights >= 0.0))]
    if len(bad):
        raise ValueError(
            f"sample_weight contains {bad[0]:g}; weights must be finite numbers, zero or positive."
        )
    largest = float(weights.max(initial=0.0))
    if largest and not 1.0 / LARGEST_WEIGHT <= largest <= LARGEST_WEIGHT:
        raise ValueError(
            f"sample_weight has weights of up to {largest:g}; the largest must lie between "
            f"{1.0 / LARGEST_WEIGHT:g} and {LARGEST_WEIGHT:g}, so that products with them are "
            "numbers: divide them by it."
        )
    return weights


def read_class_prior(class_prior: Any, data: TrainingData) -> Vector | None:
    """The share of each class that the parameter `class_prior` stands for, or None.

    It is given in the order of the sorted classes, by class (a mapping, or a pandas Series with the
    classes in its index), or as "labeled": the weighted shares among the labeled rows.
    """
    if class_prior is None:
        return None
    if isinstance(class_prior, str):
        if class_prior != "labeled":
            raise ValueError(
                f'class_prior is {class_prior!r}; it must be "labeled", one share for each class, '
                "or None."
            )
        counts = np.bincount(data.codes, data.weights, minlength=len(data.classes))
        return np.asarray(counts / counts.sum(), dtype=np.float64)
    classes = data.classes.tolist()
    # A Series without an index of its own is numbered, which is an index by class for classes
    # 0, 1, ... and refused for others: its order is never taken for that of the classes.
    if hasattr(class_prior, "index") and hasattr(class_prior, "to_dict"):
        if class_prior.ndim != 1:
            raise ValueError(
                "class_prior is a table with rows and columns; it must be one share for each "
                "class: a list, a mapping or a Series with the classes as its index."
            )
        twice = class_prior.index[class_prior.index.duplicated()].tolist()
        if twice:
            raise ValueError(
                f"class_prior has the class {twice[0]!r} in its index more than once; give one "
                "share for each class."
            )
        class_prior = class_prior.to_dict()
    if isinstance(class_prior, Mapping):
        missing = [f"no share for the class {c!r}" for c in classes if c not in class_prior]
        others = [c for c in class_prior if c not in classes]
        strange = [f"a share for {c!r}, which is no class of y" for c in others]
        if missing or strange:
            problems = " and ".join(missing[:1] + strange[:1])
            raise ValueError(f"class_prior has {problems}; the classes are {shorten(classes)}.")
        class_prior = [class_prior[c] for c in classes]
    try:
        shares = np.asarray(class_prior, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise ValueError(f"class_prior is {class_prior!r}; it must be numbers: {error}") from error
    if shares.shape != (len(classes),):
        raise ValueError(
            f"class_prior has shape {shares.shape}; it must have one share for each of the "
            f"{len(classes)} classes, in their order {shorten(classes)}."
        )
    if not ((shares >= 0.0) & (shares <= 1.0)).all():
        raise ValueError(
            f"class_prior is {shares.tolist()}; every share must lie between 0 and 1, for no "
            "labels have another."
        )
    if abs(float(shares.sum()) - 1.0) > ROUNDING:
        raise ValueError(
            f"class_prior is {shares.tolist()} with a sum of {shares.sum():g}; the shares of all "
            "classes must add up to 1."
        )
    return np.asarray(shares / shares.sum())


def is_elsewhere(X: Any) -> bool:
    """Whether X is a path, Dask's, or Rows, and not something that scikit-learn validates."""
    return is_parquet(X) or is_dask(X) or (not hasattr(X, "dtype") and isinstance(X, Rows))


def read_rows(estimator: BaseEstimator, X: Any, name: str) -> Rows:
    """X as rows with the features that `estimator` was fitted on.

    Columns of Parquet files are chosen by the feature names of the labeled rows, where these had
    names.
    """
    features = getattr(estimator, "feature_names_in_", None)
    names = None if features is None else [str(feature) for feature in features]
    rows = ParquetRows(X, columns=names) if is_parquet(X) else as_rows(X)
    if isinstance(rows, ParquetRows) and names is not None and list(rows.columns) != names:
        raise ValueError(
            f"{name} has the columns {shorten(rows.columns)}, but the labeled rows have "
            f"{shorten(names)}; name them in this order: ParquetRows(path, columns=[...])."
        )
    n_features = int(estimator.n_features_in_)
    if rows.n_features != n_features:
        raise ValueError(
            f"{name} has {rows.n_features} columns and the labeled rows have {n_features}; both "
            "must have the same features in the same order."
        )
    return rows


def shorten(names: Any, most: int = 6) -> str:
    """The first few of them, for an error."""
    shown = ", ".join(repr(name) for name in list(names)[:most])
    return f"{shown}, ..." if len(names) > most else shown
