"""What the margin classifiers share: rows as features, costs, the problem, and predicting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.utils._param_validation import StrOptions

from tacit._typing import Matrix, Vector
from tacit.estimators._kernel import KernelClassifier, KernelFunction
from tacit.estimators._linear import decide
from tacit.estimators._parameters import POSITIVE
from tacit.estimators._training import TrainingData
from tacit.family._svm import Features, HingeProblem, HingeSolution, kernel_features, solve_hinge
from tacit.solver._many_columns import all_weights

# Costs above this, in units of 1 / ||x||^2, are lowered: rounding errors of a margin, 1e-16 of it,
# times the cost must stay within the tolerance.
HIGHEST_COST = 1e8
# Squared norms up to this can be squared once more, as they are for the spread of inner products.
LARGEST_SQUARE = 1e150


@dataclass(frozen=True)
class MarginProblem:
    """Labeled rows with hinge losses and unlabeled ones with the symmetric one, max(0, 1 - |f|).

    The rows of `features` are the labeled and then the unlabeled ones. Without an intercept there
    is the balancing constraint: f has the mean `mean` over the unlabeled rows, which are centred.
    """

    features: Features
    y: Vector
    costs: Vector
    mean: float = 0.0

    def values(self, machine: HingeSolution) -> Vector:
        """f on the unlabeled rows."""
        return np.asarray(machine.values[len(self.y) :] + self.mean)

    def with_labels(self, labels: Vector, part: float = 1.0) -> HingeProblem:
        """The convex problem for given labels and a part of the unlabeled cost.

        Its objective is never below that of this problem, and equal to it wherever the labels are
        the signs of f.
        """
        signs, costs = np.concatenate([self.y, labels]), self.costs.copy()
        costs[len(self.y) :] *= part
        return HingeProblem(self.features, signs, 1.0 - self.mean * signs, costs)

    def supervised(self, is_balanced: bool, tol: float) -> tuple[HingeSolution, Vector]:
        """The machine on the labeled rows, with the constraint or not; its values on others."""
        Z, n = self.features.Z, len(self.y)
        mean = self.mean if is_balanced else 0.0
        features = Features(Z[:n], intercept=not is_balanced)
        labeled = HingeProblem(features, self.y, 1.0 - mean * self.y, self.costs[:n])
        machine = solve_hinge(labeled, tol=tol)
        return machine, Z[n:] @ machine.w + machine.b + mean


@dataclass(frozen=True)
class MarginRows:
    """All rows of `fit`, labeled ones first: as given, as dense features Z, and their costs."""

    data: TrainingData
    X: Any
    Z: Matrix
    y: Vector  # 1 for the second class, -1 for the first
    weights: Vector
    costs: Vector

    @property
    def mean_label(self) -> float:
        """The weighted mean of y."""
        return float(np.average(self.y, weights=self.weights[: len(self.y)]))

    @property
    def unlabeled_weights(self) -> Vector:
        """Weights of the unlabeled rows."""
        return self.weights[len(self.y) :]

    def origin(self, of_unlabeled: bool) -> Vector:
        """Weights of the rows, of sum one: of the unlabeled rows' mean, or of all rows'."""
        weights = self.weights.copy()
        if of_unlabeled:
            weights[: len(self.y)] = 0.0
        return np.asarray(weights / weights.sum())


class MarginClassifier(KernelClassifier):
    """Support vector machines with `coef_` for the linear kernel and `dual_coef_` for others."""

    C: float
    C_unlabeled: float
    tol: float

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "C": POSITIVE,
        "C_unlabeled": POSITIVE,
        "gamma": [*POSITIVE, StrOptions({"scale", "auto"})],
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
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _decision(self) -> Callable[[Any], Matrix]:
        if self.kernel == "linear":
            return partial(decide, self.coef_, self.intercept_)
        return super()._decision()

    def _function(self) -> KernelFunction:
        return KernelFunction(self.kernel, self.gamma_, self.degree, self.coef0)

    def _margin_rows(self, data: TrainingData) -> MarginRows:
        """Read the rows, with costs that double precision can weigh."""
        if (K := len(data.classes)) > 2:
            shown = ", ".join(repr(c) for c in data.classes.tolist()[:5]) + ", ..." * (K > 5)
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"{type(self).__name__} found the {K} classes {shown} in y. Use a method for more "
                "than two classes, SelfLearningClassifier for one."
            )
        X, n = self._rows(data, supervised=False), len(data.codes)
        given = all_weights(data, data.unlabeled)
        weights = np.ones(X.shape[0]) if given is None else given
        Z = self._features(X, weights, data)
        with np.errstate(over="ignore", invalid="ignore"):
            square = float(((Z - weights @ Z / weights.sum()) ** 2).sum() / len(Z))
        if not square < LARGEST_SQUARE:
            raise ValueError(
                "X or X_unlabeled has numbers too large to be multiplied; scale the features, as "
                "with sklearn.preprocessing.StandardScaler."
            )
        costs = np.concatenate([self.C * weights[:n], self.C_unlabeled * weights[n:]])
        # A cost is felt in units of 1 / ||x||^2: lowering all by a factor divides the features.
        highest = square * float(costs.max())
        factor = min(1.0, HIGHEST_COST / highest) if highest > 0.0 else 1.0
        if factor < 1.0:
            self._warn(
                f"lowered C and C_unlabeled by the factor {factor:.2g}, which is the same as "
                f"dividing the features by {factor**-0.5:.2g}: an error at these costs weighs more "
                "than numbers have digits for; scale the features, or lower C"
            )
        return MarginRows(data, X, Z, data.signs[:, 0], weights, factor * costs)

    def _features(self, X: Any, weights: Vector, data: TrainingData) -> Matrix:
        """The rows themselves, or for kernels and more features than rows those of the kernel."""
        self.gamma_ = None if self.kernel == "precomputed" else _read_gamma(self.gamma, X, weights)
        if self.kernel == "linear" and X.shape[0] >= X.shape[1]:
            return X if isinstance(X, np.ndarray) else np.asarray(X.toarray())
        return kernel_features(self._kernel_between(X, data))

    def _warn_of_gap(self, machine: HingeSolution) -> None:
        if not machine.status.is_success:
            self._warn(
                f"stopped at a relative duality gap of {machine.relative_gap():.2g}, above the "
                f"tolerance tol={self.tol:g}; raise tol, scale the features or lower C"
            )

    def _store(self, rows: MarginRows, origin: Vector, beta: Vector, at_origin: float) -> None:
        """Keep the function sum_i beta_i <x_i - o, x - o> + at_origin, o being the origin."""
        for name in ("coef_", "dual_coef_", "X_fit_"):
            self.__dict__.pop(name, None)  # of an earlier fit with another kernel
        beta = beta - beta.sum() * origin
        self.intercept_ = np.array([at_origin - origin @ (rows.Z @ (rows.Z.T @ beta))])
        if self.kernel == "linear":
            self.coef_ = np.asarray(rows.X.T @ beta)[None, :]
        else:
            self.X_fit_ = None if self.kernel == "precomputed" else rows.X
            self.dual_coef_ = self._arranged(beta, rows.data)


def _read_gamma(gamma: Any, X: Any, weights: Vector) -> float:
    """The number that `gamma` stands for, as scikit-learn has it, but with weights."""
    if gamma == "auto":
        return 1.0 / float(X.shape[1])
    if gamma != "scale":
        return float(gamma)
    with np.errstate(over="ignore", invalid="ignore"):  # the kernel itself will tell
        columns = StandardScaler(with_mean=False).fit(X, sample_weight=weights)
        variance = float(columns.var_.mean() + columns.mean_.var())
    return 1.0 / (X.shape[1] * variance) if variance > 0.0 else 1.0
