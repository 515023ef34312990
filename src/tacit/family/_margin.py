"""What the margin classifiers share: rows, kernels, costs, and predicting."""

from __future__ import annotations

import numbers
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from tacit._typing import AnyArray, Index, Matrix, Vector
from tacit.estimators._base import Winner
from tacit.estimators._kernel import KernelClassifier, KernelFunction
from tacit.estimators._linear import Decision
from tacit.estimators._training import TrainingData
from tacit.family.margin import (
    Features,
    Geometry,
    Gram,
    HingeProblem,
    HingeSolution,
    centred,
    check_kernel,
    solve_hinge,
)


@dataclass(frozen=True)
class MarginRows:
    """All rows of `fit`, labeled ones first, as features or as a kernel.

    Attributes
    ----------
    data : TrainingData
        What `fit` was given.
    X : ndarray, sparse matrix or None
        The rows; None for a precomputed kernel.
    K : ndarray of shape (N, N) or None
        Their kernel; None where the kernel is linear and the features are few.
    index : ndarray of int or None
        For a precomputed kernel, the positions of the rows among those given.
    n_columns : int
        The number of rows that predictions need the kernel with.
    labeled_weights, unlabeled_weights : ndarray
        The weights of the rows, ones where none were given.
    """

    data: TrainingData
    X: Any
    K: Matrix | None
    index: Index | None
    n_columns: int
    labeled_weights: Vector
    unlabeled_weights: Vector

    @property
    def y(self) -> Vector:
        """1 for the second class, -1 for the first."""
        return 2.0 * self.data.y - 1.0

    @property
    def mean_label(self) -> float:
        """The weighted mean of y."""
        return float(self.labeled_weights @ self.y / self.labeled_weights.sum())

    @property
    def has_unlabeled(self) -> bool:
        """Whether any unlabeled row counts."""
        return bool((self.unlabeled_weights > 0).any())

    def counted(self) -> MarginRows:
        """The same without the unlabeled rows of weight zero."""
        counts = self.unlabeled_weights > 0
        if counts.all():
            return self
        index = np.flatnonzero(np.append(np.ones(len(self.y), dtype=bool), counts))
        return replace(
            self,
            X=None if self.X is None else self.X[index],
            K=None if self.K is None else self.K[np.ix_(index, index)],
            index=None if self.index is None else self.index[index],
            unlabeled_weights=self.unlabeled_weights[counts],
        )

    def costs(self, C: float, C_unlabeled: float) -> Vector:
        """The cost of each row's loss."""
        return np.concatenate([C * self.labeled_weights, C_unlabeled * self.unlabeled_weights])

    def origin(self, of_unlabeled: bool) -> Vector:
        """Weights of the rows, of sum one: of the unlabeled rows' mean, or of all rows'."""
        labeled = np.zeros(len(self.y)) if of_unlabeled else self.labeled_weights
        weights = np.concatenate([labeled, self.unlabeled_weights])
        return np.asarray(weights / weights.sum())

    def geometry(self, origin: Vector) -> Geometry:
        """The rows less their mean with the weights `origin`."""
        if self.K is not None:
            return Gram(centred(self.K, origin))
        return Features(self.X, np.asarray(self.X.T @ origin))

    def labeled_geometry(self, origin: Vector) -> Geometry:
        """The labeled rows of `geometry(origin)`."""
        n = len(self.y)
        if self.K is not None:
            return Gram(centred(self.K, origin)[:n, :n])
        return Features(self.X[:n], np.asarray(self.X.T @ origin))

    def supervised(self, C: float, mean: float | None, origin: Vector, tol: float) -> HingeSolution:
        """The support vector machine on the labeled rows, under the balancing constraint if any."""
        y = self.y
        margins = np.ones(len(y)) if mean is None else 1.0 - mean * y
        problem = HingeProblem(
            self.labeled_geometry(origin), y, margins, C * self.labeled_weights, mean is None
        )
        return solve_hinge(problem, tol=tol)

    def supervised_values(
        self, solution: HingeSolution, geometry: Geometry, mean: float | None
    ) -> Vector:
        """Its decisions on the unlabeled rows."""
        beta = np.concatenate([self.y * solution.alpha, np.zeros(len(self.unlabeled_weights))])
        values = geometry.values(geometry.combine(beta))[len(self.y) :]
        return np.asarray(values + (solution.b if mean is None else mean))


class MarginClassifier(KernelClassifier):
    """Support vector machines with `coef_` for the linear kernel and `dual_coef_` for others."""

    C: Any
    C_unlabeled: Any
    tol: Any
    max_iter: Any

    gamma_: float | None
    coef_: Matrix

    def decision_function(self, X: Any) -> Any:
        """The value of the separating function.

        Parameters
        ----------
        X : array-like, sparse matrix, Dask array, Rows or path of shape (n, d)
            Rows to judge; with a precomputed kernel, the kernel between them and the rows given
            to `fit`.

        Returns
        -------
        ndarray of shape (n,)
            Positive values mean `classes_[1]`; -1 and 1 are the margins. For a Dask array a Dask
            array, for Parquet files an object that writes Parquet files.
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
        return self._map(X, Winner(self._decision(), self.classes_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _decision(self) -> Any:
        if self.kernel == "linear":
            return Decision(self.coef_, self.intercept_)
        return super()._decision()

    def _function(self) -> KernelFunction:
        return KernelFunction(self.kernel, self.gamma_, self.degree, self.coef0)

    def _read_margin_rows(self, X: Any, y: Any, X_unlabeled: Any, sample_weight: Any) -> MarginRows:
        data = self._read(X, y, X_unlabeled, sample_weight)
        _check_two_classes(self, data.classes)
        rows = self._rows(data, supervised=False)
        is_precomputed = self.kernel == "precomputed"
        self.gamma_ = None if is_precomputed else _read_gamma(self.gamma, rows, _weights_of(data))
        # The linear kernel is worth its matrix only where features are more than rows.
        is_wide = rows.shape[0] < rows.shape[1]
        K = self._kernel_between(rows, data) if is_wide or self.kernel != "linear" else None
        index, n_columns = None, rows.shape[0]
        if is_precomputed:
            rows, index, n_columns = None, data.order, data.n_rows
        if K is not None and (callable(self.kernel) or self.kernel == "precomputed"):
            check_kernel(K)
        labeled_weights, unlabeled_weights = _weights_of(data)
        return MarginRows(data, rows, K, index, n_columns, labeled_weights, unlabeled_weights)

    def _store(self, rows: MarginRows, origin: Vector, beta: Vector, at_origin: float) -> None:
        """Keep the function sum_i beta_i <x_i - o, x - o> + at_origin, o being the origin."""
        for name in ("coef_", "dual_coef_", "X_fit_"):
            self.__dict__.pop(name, None)  # of an earlier fit with another kernel
        self.classes_ = rows.data.classes
        beta = beta - beta.sum() * origin
        if self.kernel == "linear":
            w = np.asarray(rows.X.T @ beta)
            self.coef_ = w[None, :]
            self.intercept_ = np.array([at_origin - origin @ (rows.X @ w)])
            return
        assert rows.K is not None
        self.intercept_ = np.array([at_origin - origin @ (rows.K @ beta)])
        if rows.index is not None:
            arranged = np.zeros(rows.n_columns)
            arranged[rows.index] = beta
            beta = arranged
        self.X_fit_ = rows.X
        self.dual_coef_ = beta[None, :]

    def _check_margin_parameters(self) -> None:
        for name in ("C", "C_unlabeled"):
            value = getattr(self, name)
            if not is_number(value) or not 0.0 < float(value) < np.inf:
                raise ValueError(
                    f"{name} is {value!r}; it must be a positive, finite number, the cost of a "
                    "row's loss."
                )
        kernels = ["linear", "rbf", "poly", "precomputed"]
        if not callable(self.kernel) and self.kernel not in kernels:
            raise ValueError(
                f"kernel is {self.kernel!r}; it must be one of {kernels} or a function of two "
                "tables."
            )
        named = isinstance(self.gamma, str) and self.gamma in ("scale", "auto")
        if not named and not (is_number(self.gamma) and 0.0 < float(self.gamma) < np.inf):
            raise ValueError(
                f'gamma is {self.gamma!r}; it must be a positive number, "scale" or "auto".'
            )
        if not is_number(self.degree) or not 0.0 < float(self.degree) < np.inf:
            raise ValueError(f"degree is {self.degree!r}; it must be a positive number.")
        if not is_number(self.coef0) or not np.isfinite(float(self.coef0)):
            raise ValueError(f"coef0 is {self.coef0!r}; it must be a finite number.")
        if not is_number(self.tol) or not 0.0 < float(self.tol) < 1.0:
            raise ValueError(
                f"tol is {self.tol!r}; it must be a number between 0 and 1, the relative duality "
                "gap to reach."
            )
        check_positive_integer("max_iter", self.max_iter)


def is_number(value: Any) -> bool:
    """Whether a parameter is a real number, and not a truth value."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def check_positive_integer(name: str, value: Any) -> None:
    """Refuse a parameter that is not a positive integer."""
    is_integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_integer or value < 1:
        raise ValueError(f"{name} is {value!r}; it must be a positive integer.")


def _weights_of(data: TrainingData) -> tuple[Vector, Vector]:
    weights = data.unlabeled.weights  # type: ignore[attr-defined]
    return (
        np.ones(len(data.codes)) if data.weights is None else data.weights,
        np.ones(data.unlabeled.n_rows) if weights is None else weights,
    )


def _read_gamma(gamma: Any, rows: Any, weights: tuple[Vector, Vector]) -> float:
    """The number that `gamma` stands for, as scikit-learn has it, but with weights."""
    if gamma == "auto":
        return 1.0 / float(rows.shape[1])
    if gamma != "scale":
        return float(gamma)
    part = np.concatenate(weights)
    part = part / (part.sum() * rows.shape[1])
    mean = float((part @ rows).sum())
    is_sparse = bool(sparse.issparse(rows))
    squares = rows.multiply(rows) if is_sparse else (rows - mean) ** 2
    variance = float((part @ squares).sum()) - (mean**2 if is_sparse else 0.0)
    return 1.0 / (rows.shape[1] * variance) if variance > 0.0 else 1.0


def _check_two_classes(estimator: Any, classes: AnyArray) -> None:
    if len(classes) <= 2:
        return
    shown = ", ".join(repr(c) for c in classes[:5].tolist())
    more = ", ..." if len(classes) > 5 else ""
    raise ValueError(
        "Only binary classification is supported. The type of the target is multiclass: "
        f"{type(estimator).__name__} found the {len(classes)} classes {shown}{more} in y. Use "
        "a method for more than two classes, SelfLearningClassifier for one."
    )
