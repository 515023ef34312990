"""Kernel classifiers: reading tables as kernels, predicting, and the supervised one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics.pairwise import pairwise_kernels

from tacit._typing import Matrix, Vector
from tacit.estimators._base import DecisionClassifier
from tacit.estimators._linear import LeastSquaresClassifier, read_alpha
from tacit.estimators._parameters import ALPHA, FINITE, KERNEL, POSITIVE
from tacit.estimators._training import TrainingData, stack
from tacit.rows import NumpyRows, check_memory
from tacit.solver._kernel_features import KernelFeatures, fit_kernel_ridge
from tacit.solver._least_squares import is_small
from tacit.solver._many_columns import all_weights


@dataclass(frozen=True)
class KernelFunction:
    """A kernel by name, or a function of two tables, with its parameters."""

    kernel: str | Callable[[Any, Any], Any]
    gamma: float | None
    degree: float
    coef0: float
    with_intercept: bool = False  # which makes up for any shift of the rows

    def __call__(self, X: Any, Y: Any) -> Matrix:
        """The kernel between the rows of X and those of Y, which are those of the fit.

        Where a shift changes nothing they are taken less the mean of Y, because products of rows
        far from zero lose the differences between them to rounding.
        """
        may_shift = self.kernel == "rbf" or (self.kernel == "linear" and self.with_intercept)
        if may_shift and not issparse(X) and not issparse(Y):
            mean = Y.mean(axis=0)
            X, Y = X - mean, Y - mean
        with np.errstate(over="ignore", invalid="ignore"):
            K = np.asarray(self._between(X, Y), dtype=np.float64)
        if callable(self.kernel) and K.shape != (X.shape[0], Y.shape[0]):
            raise ValueError(
                f"kernel gave an array of shape {K.shape} for tables of {X.shape[0]} and "
                f"{Y.shape[0]} rows; it must take two tables and return one number for each "
                "pair of rows."
            )
        if not np.isfinite(K).all():
            raise ValueError(
                "kernel gave NaN or infinity; scale the features, or lower degree or coef0."
            )
        return K

    def _between(self, X: Any, Y: Any) -> Any:
        if callable(self.kernel):
            return self.kernel(X, Y)
        if self.kernel == "precomputed":
            return X
        given = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        return pairwise_kernels(X, Y, self.kernel, filter_params=True, **given)


def decide(function: KernelFunction, rows: Any, dual: Matrix, intercept: Vector, X: Any) -> Matrix:
    """One number for each row, or one for each row and class."""
    K = function(X.astype(np.float64, copy=False), rows)
    values = K @ dual.T + intercept
    return np.asarray(values[:, 0] if len(dual) == 1 else values)


class KernelClassifier(DecisionClassifier):
    """Decisions and predictions from `dual_coef_`, `X_fit_` and `intercept_`."""

    kernel: Any
    gamma: Any
    degree: Any
    coef0: Any

    X_fit_: Any
    dual_coef_: Matrix
    intercept_: Vector

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "kernel": KERNEL,
        "gamma": [*POSITIVE, None],
        "degree": POSITIVE,
        "coef0": FINITE,
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    def _decision(self) -> Callable[[Any], Matrix]:
        fitted = self._function(), self.X_fit_, self.dual_coef_, self.intercept_
        return partial(decide, *fitted)

    def _function(self) -> KernelFunction:
        return KernelFunction(self.kernel, self.gamma, self.degree, self.coef0)

    def _read(self, X: Any, y: Any, X_unlabeled: Any, sample_weight: Any) -> TrainingData:
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
        return super()._read(X, y, X_unlabeled, sample_weight)

    def _rows(self, data: TrainingData, supervised: bool) -> Any:
        """Labeled, then unlabeled rows; only the labeled ones if `supervised`."""
        pool = data.in_memory(
            "a kernel compares all rows",
            "; for many rows use n_landmarks of KernelICLSClassifier on a sample of them, or "
            "sklearn.kernel_approximation.Nystroem before a linear classifier",
        )
        if supervised or pool.n_rows == 0:
            return data.X
        return stack(data.X, pool.X.astype(np.float64, copy=False))

    def _kernel_between(self, rows: Any, data: TrainingData, others: Any = None) -> Matrix:
        """The kernel between these rows, of which a precomputed one is a part of the columns.

        With `others`, that between the rows and these.
        """
        n, m = rows.shape[0], rows.shape[0] if others is None else others.shape[0]
        advice = "use fewer unlabeled rows, n_landmarks of KernelICLSClassifier, or Nystroem"
        if self.kernel != "precomputed":
            check_memory(n * m, f"the kernel between {n:,} and {m:,} rows", advice)
        K = self._function()(rows, rows if others is None else others)
        if self.kernel != "precomputed":
            return K
        if data.n_rows != K.shape[1]:
            raise ValueError(
                f"X has {data.n_rows} rows and {K.shape[1]} columns; a precomputed kernel must be "
                "a square matrix, one number for each pair of rows."
            )
        return np.asarray(K[:, data.order[: len(K)]])

    def _arranged(self, dual: Matrix, data: TrainingData) -> Matrix:
        """Dual coefficients, one row each, in the order of the rows that predictions need."""
        dual = np.atleast_2d(dual.T)
        if self.kernel != "precomputed":
            return dual
        arranged = np.zeros((len(dual), data.n_rows))
        arranged[:, data.order[: dual.shape[1]]] = dual
        return arranged


class KernelRegressionClassifier(KernelClassifier):
    """Kernel ridge regression on class labels, decided at one half."""

    alpha_: float

    _parameter_constraints: ClassVar[dict[str, Any]] = {"alpha": ALPHA}

    def __init__(
        self,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        alpha: float | str = 1.0,
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        fit_intercept: bool = True,
        unlabeled: Any = -1,
        class_weight: Any = None,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.unlabeled = unlabeled
        self.class_weight = class_weight

    def _function(self) -> KernelFunction:
        return replace(super()._function(), with_intercept=self.fit_intercept)

    def _kernel_between(self, rows: Any, data: TrainingData, others: Any = None) -> Matrix:
        K = super()._kernel_between(rows, data, others)
        is_ours = isinstance(self.kernel, str) and self.kernel != "precomputed"
        return K if is_ours or others is not None else 0.5 * (K + K.T)  # symmetric, whoever made it

    def _read_alpha(self, K: Matrix, data: TrainingData) -> float:
        """The penalty that `alpha` stands for, by leave-one-out on features of the labeled rows."""
        n = len(data.codes)
        features = data.X
        if isinstance(self.alpha, str):
            features = KernelFeatures.of(K[:n, :n], self.fit_intercept).values
        return read_alpha(self.alpha, features, data.targets, data.weights, self.fit_intercept)

    def _as_attributes(
        self,
        features: KernelFeatures,
        coef: Matrix,
        intercept: Vector,
        data: TrainingData,
        soft_labels: Matrix | None = None,
    ) -> tuple[Matrix, Vector]:
        """`dual_coef_` and `intercept_` of a linear classifier of the features.

        Its regression is that to the labeled rows, or to all rows with these soft labels.
        """
        F, coef = features.values, coef.T
        if features.alpha == 0.0:
            dual = features.weights @ coef
        else:
            Y, weights = data.targets, data.weights
            if soft_labels is not None:
                Y, weights = np.concatenate([Y, soft_labels]), all_weights(data, data.unlabeled)
            n = len(Y)
            residuals = Y.reshape(n, -1) - 0.5 - intercept - F[:n] @ coef
            dual = np.zeros((len(F), coef.shape[1]))
            dual[:n] = residuals if weights is None else weights[:, None] * residuals
            dual /= features.alpha
        if features.means.any() and dual.any():
            # They sum to zero, but only to rounding errors, which would be in every value.
            counts = dual.any(axis=1)
            dual[counts] -= dual[counts].mean(axis=0)
        return self._arranged(dual, data), intercept - features.means @ dual


def in_features(data: TrainingData, features: KernelFeatures) -> TrainingData:
    """The same rows, labeled ones first, by their features."""
    n, weights = len(data.codes), data.unlabeled.weights  # type: ignore[attr-defined]
    unlabeled = NumpyRows(features.values[n:], weights)
    return replace(data, X=features.values[:n], unlabeled=unlabeled)


class KernelLeastSquaresClassifier(KernelRegressionClassifier):
    r"""Supervised kernel least squares classification: kernel ridge regression on class labels.

    Minimises :math:`\sum_i w_i (f(x_i) + b - y_i)^2 + \alpha \|f\|^2` over functions f of the
    kernel's space and constants b, with y the indicator of `classes_[1]` (one indicator a class
    for more than two), and decides at one half. Unlabeled rows are accepted and ignored.

    Parameters
    ----------
    $kernel
    $kernel_alpha
    $kernel_parameters
    $fit_intercept
    $unlabeled
    $class_weight

    Attributes
    ----------
    $classes_
    X_fit_ : ndarray, sparse matrix or None
        The labeled rows; None for a precomputed kernel.
    dual_coef_ : ndarray of shape (1, L) or (K, L)
        The decision is `kernel(X, X_fit_) @ dual_coef_.T + intercept_`, for the linear kernel with
        an intercept on rows less the mean of `X_fit_`. For a precomputed kernel there is one column
        for every row given to `fit`, zero for unlabeled ones.
    intercept_ : ndarray of shape (1,) or (K,)
        The regression's constant minus 1/2.
    $alpha_
    $features_

    See Also
    --------
    KernelICLSClassifier : Its semi-supervised twin.
    LeastSquaresClassifier : The same with the linear kernel, in O(L d^2).

    Notes
    -----
    Costs O(L^3). The linear kernel gives the answer of LeastSquaresClassifier with the same alpha.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from tacit import KernelLeastSquaresClassifier
    >>> X, y = make_moons(200, noise=0.1, random_state=0)
    >>> model = KernelLeastSquaresClassifier(gamma=2.0, alpha=0.1).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.99
    """

    def _fit(self, data: TrainingData) -> None:
        rows = self._rows(data, supervised=True)
        K = self._kernel_between(rows, data)
        self.alpha_ = self._read_alpha(K, data)
        if is_small(self.alpha_, K):
            features = KernelFeatures.of(K, self.fit_intercept)
            linear = LeastSquaresClassifier(self.alpha_, self.fit_intercept)
            linear._fit(replace(data, X=features.values))
            fitted = self._as_attributes(features, linear.coef_, linear.intercept_, data)
        else:
            settings = data.targets, data.weights, self.alpha_, self.fit_intercept
            dual, intercept = fit_kernel_ridge(K, *settings)
            fitted = self._arranged(dual, data), np.atleast_1d(intercept) - 0.5
        self.dual_coef_, self.intercept_ = fitted
        self.X_fit_ = None if self.kernel == "precomputed" else rows
