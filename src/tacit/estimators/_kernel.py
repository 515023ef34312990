"""What the kernel classifiers share: reading tables as kernels, and predicting."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit._typing import AnyArray, Index, Matrix, Vector
from tacit.estimators._labels import ScoresLabeledRows, is_labeled
from tacit.estimators._linear import Winner, read_alpha
from tacit.estimators._storage import is_elsewhere, read_rows
from tacit.estimators._training import DTYPES, TrainingData, read_training_data, stack
from tacit.rows import CsrRows, NumpyRows
from tacit.solver.kernel import Expansion, KernelFeatures

KERNELS = ("linear", "rbf", "poly", "precomputed")


@dataclass(frozen=True)
class KernelFunction:
    """A kernel by name, or a function of two tables, with its parameters."""

    kernel: str | Callable[[Any, Any], Any]
    gamma: float | None
    degree: float
    coef0: float

    def __call__(self, X: Any, Y: Any) -> Matrix:
        """The kernel between the rows of X and those of Y."""
        with np.errstate(over="ignore", invalid="ignore"):
            K = self._evaluate(X, Y)
        if not np.isfinite(K).all():
            raise ValueError(
                "kernel gave NaN or infinity; scale the features, or lower degree or coef0."
            )
        return K

    def _evaluate(self, X: Any, Y: Any) -> Matrix:
        if callable(self.kernel):
            K = np.asarray(self.kernel(X, Y), dtype=np.float64)
            if K.shape != (X.shape[0], Y.shape[0]):
                raise ValueError(
                    f"kernel gave an array of shape {K.shape} for tables of {X.shape[0]} and "
                    f"{Y.shape[0]} rows; it must take two tables and return one number for each "
                    "pair of rows."
                )
        elif self.kernel == "precomputed":
            K = X
        elif self.kernel == "linear":
            K = linear_kernel(X, Y)
        elif self.kernel == "rbf":
            K = rbf_kernel(X, Y, gamma=self.gamma)
        else:
            K = polynomial_kernel(X, Y, self.degree, self.gamma, self.coef0)
        return np.asarray(K, dtype=np.float64)


@dataclass(frozen=True)
class KernelDecision:
    """The decision on rows; a value, so that it can travel to another process."""

    function: KernelFunction
    rows: Any
    dual: Matrix
    intercept: Vector

    def __call__(self, X: Any) -> Matrix:
        """One number for each row, or one for each row and class."""
        values = self.function(X, self.rows) @ self.dual.T + self.intercept
        return np.asarray(values[:, 0] if len(self.dual) == 1 else values)


@dataclass(frozen=True)
class KernelTraining:
    """The rows of `fit`, and the kernel between them, labeled ones first.

    Attributes
    ----------
    data : TrainingData
        The rows.
    K : ndarray of shape (N, N)
        The kernel.
    rows : ndarray, sparse matrix or None
        Labeled, then unlabeled rows; None for a precomputed kernel.
    index : ndarray of int of shape (N,) or None
        For a precomputed kernel, their positions among the rows given.
    n_columns : int
        The number of rows that predictions need the kernel with.
    """

    data: TrainingData
    K: Matrix
    rows: Any
    index: Index | None
    n_columns: int


class KernelClassifier(ScoresLabeledRows, ClassifierMixin, BaseEstimator):
    """Decisions and predictions from `dual_coef_`, `X_fit_`, `intercept_` and `classes_`."""

    kernel: Any
    gamma: Any
    degree: Any
    coef0: Any
    fit_intercept: bool
    unlabeled: Any

    classes_: AnyArray
    X_fit_: Any
    dual_coef_: Matrix
    intercept_: Vector

    def decision_function(self, X: Any) -> Any:
        """The regression value minus one half.

        Parameters
        ----------
        X : array-like, sparse matrix, Dask array, Rows or path of shape (n, d)
            Rows to judge; with a precomputed kernel, the kernel between them and the rows given
            to `fit`.

        Returns
        -------
        ndarray of shape (n,) or (n, K)
            For two classes, positive values mean `classes_[1]`; for more, the largest wins. For a
            Dask array a Dask array, for Parquet files an object that writes Parquet files.
        """
        check_is_fitted(self)
        return self._map(X, self._decision())

    def predict(self, X: Any) -> Any:
        """The class of each row.

        Parameters
        ----------
        X : array-like, sparse matrix, Dask array, Rows or path of shape (n, d)
            Rows to classify; with a precomputed kernel, the kernel between them and the rows given
            to `fit`.

        Returns
        -------
        ndarray of shape (n,)
            Members of `classes_`. For a Dask array a Dask array, for Parquet files an object that
            writes Parquet files.
        """
        check_is_fitted(self)
        return self._map(X, Winner(self._decision(), self.classes_))  # type: ignore[arg-type]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    def _map(self, X: Any, kernel: Any) -> Any:
        if is_elsewhere(X):
            return read_rows(self, X, "X").map(kernel)
        sparse: Any = False if self.kernel == "precomputed" else "csr"
        X = validate_data(self, X, reset=False, dtype=DTYPES, accept_sparse=sparse)
        return kernel(X.astype(np.float64, copy=False))

    def _decision(self) -> KernelDecision:
        return KernelDecision(self._function(), self.X_fit_, self.dual_coef_, self.intercept_)

    def _function(self) -> KernelFunction:
        return KernelFunction(self.kernel, self.gamma, self.degree, self.coef0)

    def _read(
        self, X: Any, y: Any, X_unlabeled: Any, sample_weight: Any, supervised: bool
    ) -> KernelTraining:
        """Check everything and evaluate the kernel, between labeled rows only if `supervised`."""
        if self.kernel == "precomputed" and issparse(X):
            raise TypeError(
                "X is sparse, and sparse input is not supported with a precomputed kernel; use "
                "X.toarray()."
            )
        if self.kernel == "precomputed" and X_unlabeled is not None:
            raise ValueError(
                "X_unlabeled was given with a precomputed kernel; give the kernel between all rows "
                "as X and mark the unlabeled ones in y."
            )
        data = read_training_data(self, X, y, X_unlabeled, sample_weight, self.unlabeled)
        if not isinstance(data.unlabeled, NumpyRows | CsrRows):
            raise TypeError(
                f"X_unlabeled is a {type(X_unlabeled).__name__}; a kernel needs all rows in "
                "memory. For many rows use sklearn.kernel_approximation.Nystroem before a linear "
                "classifier."
            )
        unlabeled = data.unlabeled.X.astype(np.float64, copy=False)
        if self.kernel == "precomputed":
            return self._read_precomputed(data, unlabeled, y, sample_weight, supervised)
        rows = data.X
        if not supervised and unlabeled.shape[0]:
            rows = stack(data.X, unlabeled)
        K = self._function()(rows, rows)
        return KernelTraining(data, K, rows, None, rows.shape[0])

    def _read_precomputed(
        self, data: TrainingData, unlabeled: Any, y: Any, sample_weight: Any, supervised: bool
    ) -> KernelTraining:
        known = is_labeled(y, self.unlabeled)
        if len(known) != self.n_features_in_:
            raise ValueError(
                f"X has {len(known)} rows and {self.n_features_in_} columns; a precomputed kernel "
                "must be a square matrix, one number for each pair of rows."
            )
        counts = (
            known
            if sample_weight is None
            else known
            & (np.broadcast_to(np.asarray(sample_weight, dtype=np.float64), known.shape) > 0)
        )
        index = np.flatnonzero(counts)
        K = data.X
        if not supervised:
            index = np.concatenate([index, np.flatnonzero(~known)])
            K = stack(data.X, unlabeled)
        return KernelTraining(data, self._function()(K, K)[:, index], None, index, len(known))

    def _read_alpha(self, alpha: Any, training: KernelTraining) -> float:
        """The penalty that `alpha` stands for, by leave-one-out on features of the labeled rows."""
        data = training.data
        n = len(data.codes)
        features = data.X
        if isinstance(alpha, str):
            features = KernelFeatures.of(training.K[:n, :n], self.fit_intercept).values
        return read_alpha(alpha, features, data.targets, data.weights, self.fit_intercept)

    def _arranged(self, expansion: Expansion, training: KernelTraining) -> tuple[Matrix, Vector]:
        """Dual coefficients and intercept in the order of the rows that predictions need."""
        dual = np.atleast_2d(expansion.dual.T)
        if training.index is not None:
            arranged = np.zeros((len(dual), training.n_columns))
            arranged[:, training.index] = dual
            dual = arranged
        return dual, np.atleast_1d(expansion.intercept) - 0.5

    def _check_kernel(self) -> None:
        if not callable(self.kernel) and self.kernel not in KERNELS:
            raise ValueError(
                f"kernel is {self.kernel!r}; it must be one of {list(KERNELS)} or a function of "
                "two tables."
            )
        if self.gamma is not None and not _is_number(self.gamma, above=0.0):
            raise ValueError(
                f"gamma is {self.gamma!r}; it must be a positive number, or None for one over the "
                "number of features."
            )
        if not _is_number(self.degree, above=0.0):
            raise ValueError(f"degree is {self.degree!r}; it must be a positive number.")
        if not _is_number(self.coef0, above=-np.inf):
            raise ValueError(f"coef0 is {self.coef0!r}; it must be a finite number.")


def _is_number(value: Any, above: float) -> bool:
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return is_number and above < float(value) < np.inf
