"""What the margin classifiers share: rows as features or as a kernel, costs, and predicting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils._param_validation import StrOptions

from tacit._typing import Index, Matrix, Vector
from tacit.estimators._kernel import KernelClassifier, KernelFunction
from tacit.estimators._linear import Decision
from tacit.estimators._parameters import POSITIVE, POSITIVE_INTEGER, TOL
from tacit.estimators._training import TrainingData
from tacit.family._svm import (
    Features,
    Geometry,
    Gram,
    HingeProblem,
    HingeSolution,
    centred,
    check_kernel,
)
from tacit.family._svm_newton import solve_hinge

# Costs above this, in units of 1 / ||x||^2, are lowered: rounding errors of a margin, 1e-16 of it,
# times the cost must stay within the tolerance.
HIGHEST_COST = 1e8
# Squared norms up to this can be squared once more, as they are for the spread of inner products.
LARGEST_SQUARE = 1e150


@dataclass(frozen=True)
class MarginRows:
    """All rows of `fit`, labeled ones first, as features X or as a kernel K between them.

    K is None where the kernel is linear and the features are few. `index` are the positions of the
    rows among the columns that predictions need of a precomputed kernel.
    """

    data: TrainingData
    X: Any
    K: Matrix | None
    index: Index
    labeled_weights: Vector
    unlabeled_weights: Vector
    costs: Vector

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

    def without_zero_weights(self) -> MarginRows:
        """The same without the unlabeled rows of weight zero."""
        counts = self.unlabeled_weights > 0
        if counts.all():
            return self
        index = np.flatnonzero(np.append(np.ones(len(self.y), dtype=bool), counts))
        return replace(
            self,
            X=self.X[index],
            K=None if self.K is None else self.K[np.ix_(index, index)],
            index=self.index[index],
            unlabeled_weights=self.unlabeled_weights[counts],
            costs=self.costs[index],
        )

    def origin(self, of_unlabeled: bool) -> Vector:
        """Weights of the rows, of sum one: of the unlabeled rows' mean, or of all rows'."""
        labeled = np.zeros(len(self.y)) if of_unlabeled else self.labeled_weights
        weights = np.concatenate([labeled, self.unlabeled_weights])
        return np.asarray(weights / weights.sum())

    def geometry(self, origin: Vector, labeled_only: bool = False) -> Geometry:
        """The rows less their mean with the weights `origin`."""
        n = len(self.y) if labeled_only else len(origin)
        if self.K is not None:
            return Gram(centred(self.K, origin)[:n, :n])
        return Features(self.X[:n], np.asarray(self.X.T @ origin))

    def supervised(self, mean: float | None, origin: Vector, tol: float) -> HingeSolution:
        """The support vector machine on the labeled rows, under the balancing constraint if any."""
        y = self.y
        margins = np.ones(len(y)) if mean is None else 1.0 - mean * y
        geometry = self.geometry(origin, labeled_only=True)
        problem = HingeProblem(geometry, y, margins, self.costs[: len(y)], mean is None)
        return solve_hinge(problem, tol=tol)

    def with_costs_within_precision(self) -> tuple[MarginRows, float]:
        """The same with costs that double precision can weigh, and the factor that makes them so.

        A cost is felt in units of 1 / ||x||^2, so that lowering all of them by a factor is dividing
        the features by its root.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            square = self.geometry(self.origin(of_unlabeled=False)).mean_square()
        if not square < LARGEST_SQUARE:
            raise ValueError(
                "X or X_unlabeled has numbers too large to be multiplied; scale the features, as "
                "with sklearn.preprocessing.StandardScaler."
            )
        highest = square * float(self.costs.max())
        factor = min(1.0, HIGHEST_COST / highest) if highest > 0.0 else 1.0
        return replace(self, costs=factor * self.costs), factor

    def supervised_values(
        self, solution: HingeSolution, geometry: Geometry, mean: float | None
    ) -> Vector:
        """Its decisions on the unlabeled rows."""
        beta = np.concatenate([self.y * solution.alpha, np.zeros(len(self.unlabeled_weights))])
        values = geometry.values(geometry.combine(beta))[len(self.y) :]
        return np.asarray(values + (solution.b if mean is None else mean))


class MarginClassifier(KernelClassifier):
    """Support vector machines with `coef_` for the linear kernel and `dual_coef_` for others."""

    C: float
    C_unlabeled: float

    gamma_: float | None
    coef_: Matrix

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **KernelClassifier._parameter_constraints,
        "C": POSITIVE,
        "C_unlabeled": POSITIVE,
        "gamma": [*POSITIVE, StrOptions({"scale", "auto"})],
        "tol": TOL,
        "max_iter": POSITIVE_INTEGER,
    }
    _doc_entries: ClassVar[dict[str, str]] = {
        **KernelClassifier._doc_entries,
        "margin_kernel": """
kernel : {"linear", "rbf", "poly", "precomputed"} or callable, default="linear"
    A function takes two tables and returns one number for each pair of rows. With
    "precomputed", X is the kernel between all rows of `fit`, labeled and unlabeled, which are
    marked in y (`X_unlabeled` is refused), and `predict` takes the kernel between new rows and
    all these, in the same order.
gamma : {"scale", "auto"} or float, default="scale"
    Of "rbf" and "poly". "scale" is one over the number of features and the variance of all
    rows, "auto" one over the number of features.
degree : float, default=3
    Of "poly".
coef0 : float, default=0.0
    Of "poly".""",
        "margin_": """
classes_ : ndarray of shape (2,)
    The labels.
coef_ : ndarray of shape (1, d)
    Coefficients, for the linear kernel.
X_fit_ : ndarray, sparse matrix or None
    For other kernels, the labeled and then the unlabeled rows; None for a precomputed kernel.
dual_coef_ : ndarray of shape (1, N)
    For other kernels: the decision is `kernel(X, X_fit_) @ dual_coef_.T + intercept_`.
intercept_ : ndarray of shape (1,)
    The constant of f.""",
    }

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
        return super().decision_function(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _decision(self) -> Callable[[Any], Matrix]:
        if self.kernel == "linear":
            return Decision(self.coef_, self.intercept_)
        return super()._decision()

    def _function(self) -> KernelFunction:
        return KernelFunction(self.kernel, self.gamma_, self.degree, self.coef0)

    def _margin_rows(self, data: TrainingData) -> MarginRows:
        if len(data.classes) > 2:
            raise ValueError(_too_many_classes(type(self).__name__, data.classes.tolist()))
        rows = self._rows(data, supervised=False)
        is_precomputed = self.kernel == "precomputed"
        labeled_weights = np.ones(len(data.codes)) if data.weights is None else data.weights
        given = data.in_memory("a margin method labels single rows").weights
        unlabeled_weights = np.ones(data.unlabeled.n_rows) if given is None else given
        weights = np.concatenate([labeled_weights, unlabeled_weights])
        self.gamma_ = None if is_precomputed else _read_gamma(self.gamma, rows, weights)
        # The linear kernel is worth its matrix only where features are more than rows.
        is_wide = rows.shape[0] < rows.shape[1]
        K = self._kernel_between(rows, data) if is_wide or self.kernel != "linear" else None
        if K is not None and (callable(self.kernel) or is_precomputed):
            check_kernel(K)
        index = data.order if is_precomputed else np.arange(rows.shape[0])
        costs = np.concatenate([self.C * labeled_weights, self.C_unlabeled * unlabeled_weights])
        read = MarginRows(data, rows, K, index, labeled_weights, unlabeled_weights, costs)
        read, factor = read.with_costs_within_precision()
        if factor < 1.0:
            self._warn(
                f"lowered C and C_unlabeled by the factor {factor:.2g}, which is the same as "
                f"dividing the features by {factor**-0.5:.2g}: an error at these costs weighs more "
                "than numbers have digits for; scale the features, or lower C"
            )
        return read

    def _store(self, rows: MarginRows, origin: Vector, beta: Vector, at_origin: float) -> None:
        """Keep the function sum_i beta_i <x_i - o, x - o> + at_origin, o being the origin."""
        for name in ("coef_", "dual_coef_", "X_fit_"):
            self.__dict__.pop(name, None)  # of an earlier fit with another kernel
        beta = beta - beta.sum() * origin
        if self.kernel == "linear":
            w = np.asarray(rows.X.T @ beta)
            self.coef_ = w[None, :]
            self.intercept_ = np.array([at_origin - origin @ (rows.X @ w)])
            return
        assert rows.K is not None
        self.intercept_ = np.array([at_origin - origin @ (rows.K @ beta)])
        self.X_fit_ = rows.X
        if self.kernel == "precomputed":
            arranged = np.zeros(rows.data.n_rows)
            arranged[rows.index] = beta
            beta, self.X_fit_ = arranged, None
        self.dual_coef_ = beta[None, :]


def _read_gamma(gamma: Any, rows: Any, weights: Vector) -> float:
    """The number that `gamma` stands for, as scikit-learn has it, but with weights."""
    if gamma == "auto":
        return 1.0 / float(rows.shape[1])
    if gamma != "scale":
        return float(gamma)
    part = weights / (weights.sum() * rows.shape[1])
    mean = float((part @ rows).sum())
    is_sparse = bool(sparse.issparse(rows))
    with np.errstate(over="ignore"):  # the kernel itself will tell
        squares = rows.multiply(rows) if is_sparse else (rows - mean) ** 2
        variance = float((part @ squares).sum()) - (mean * mean if is_sparse else 0.0)
    return 1.0 / (rows.shape[1] * variance) if variance > 0.0 else 1.0


def _too_many_classes(name: str, classes: list[Any]) -> str:
    shown = ", ".join(repr(c) for c in classes[:5]) + (", ..." if len(classes) > 5 else "")
    return (
        "Only binary classification is supported. The type of the target is multiclass: "
        f"{name} found the {len(classes)} classes {shown} in y. Use a method for more than two "
        "classes, SelfLearningClassifier for one."
    )
