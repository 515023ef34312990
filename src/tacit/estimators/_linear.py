"""Linear classifiers, and the supervised one that all others start from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.utils.validation import check_is_fitted

from tacit._cached import cached_property
from tacit._typing import Matrix, Vector
from tacit._words import listed
from tacit.estimators._base import DecisionClassifier, ProbableClassifier, finite
from tacit.estimators._parameters import ALPHA
from tacit.estimators._training import TrainingData
from tacit.rows import Moments, as_rows
from tacit.rows._moments import check_columns
from tacit.solver import Certificate, Coefficients, ConstraintSet, LabeledRows, certify
from tacit.solver._least_squares import fit_supervised, leave_one_out_alpha

NOTHING: Mapping[str, str] = MappingProxyType({})


def decide(coef: Matrix, intercept: Vector, X: Any) -> Matrix:
    """One number for each row, or one for each row and class.

    In single precision rows are taken in blocks, for a product makes a copy in double precision.
    """
    if X.dtype != np.float64:
        return np.asarray(as_rows(X).map(partial(decide, coef, intercept)))
    with np.errstate(invalid="ignore", over="ignore"):
        values = finite(np.asarray(X @ coef.T) + intercept)
    return np.asarray(values[:, 0] if len(coef) == 1 else values)


class LinearClassifier(DecisionClassifier):
    """Decisions and predictions from `coef_`, `intercept_` and `classes_`."""

    coef_: Matrix
    intercept_: Vector

    def _decision(self) -> Callable[[Any], Matrix]:
        return partial(decide, self.coef_, self.intercept_)


def _probabilities(decision: Callable[[Any], Matrix], of_two: Any, of_more: Any, X: Any) -> Matrix:
    """Columns of `of_two` for both signs of the log-odds, or `of_more` of a column a class."""
    values = decision(X)
    if values.ndim == 1:
        return np.column_stack([of_two(-values), of_two(values)])
    return np.asarray(of_more(values, axis=1))


class ProbabilityClassifier(LinearClassifier, ProbableClassifier):
    """A linear classifier whose decisions are log-odds, or logits of more than two classes."""

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithms of `predict_proba`, finite also where these are too small for a number.

        Parameters
        ----------
        X : array-like, sparse matrix, Dask array, Rows or path of shape (n, d)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n, K)
            Columns in the order of `classes_`; for rows elsewhere as `predict_proba`.
        """
        check_is_fitted(self)
        return self._map(X, partial(_probabilities, self._decision(), log_expit, log_softmax))

    def _probabilities(self) -> Callable[[Any], Matrix]:
        return partial(_probabilities, self._decision(), expit, softmax)


@dataclass(frozen=True)
class SupervisedFit:
    """Least squares on the labeled rows, with what semi-supervised fits share with it."""

    data: TrainingData
    alpha: float
    fit_intercept: bool
    coefficients: Coefficients
    rank: int  # the number of directions that the labeled rows determine, with the penalty

    @property
    def labeled(self) -> LabeledRows:
        """The labeled rows, as the solver has them."""
        return LabeledRows(self.data.X, self.data.targets, self.data.weights)

    @cached_property
    def moments(self) -> Moments:
        """Those of the labeled rows, d^2 numbers."""
        return Moments.of(as_rows(self.data.X, self.data.weights))

    def constraint_set(
        self, alpha: float, class_prior: Vector | None = None, asking: Mapping[str, str] = NOTHING
    ) -> ConstraintSet:
        """All coefficients of some labeling of the unlabeled rows, with this penalty.

        It takes a matrix of the columns. Where rows are fewer that is because of the parameters
        `asking` for it, each with what to use in its place.
        """
        n_columns = self.data.X.shape[1]
        if asking and len(self.data.codes) + self.data.unlabeled.n_rows < n_columns:
            check_columns(
                n_columns,
                f"with {listed(list(asking))} they are needed, so use {listed([*asking.values()])},"
                " or fewer columns (for example TruncatedSVD)",
            )
        prior: Any = class_prior
        if prior is not None and len(self.data.classes) == 2:
            prior = float(prior[1])
        rows, intercept = self.data.unlabeled, self.fit_intercept
        return ConstraintSet.of(self.labeled, self.moments, rows, alpha, intercept, prior)

    def certify(
        self, answer: Coefficients, start: Coefficients | None = None, **facts: Any
    ) -> Certificate:
        """What `answer` does to the squared loss of the start, this fit by default."""
        data, start = self.data, self.coefficients if start is None else start
        labeled = (data.X, data.targets, data.weights)
        return certify(start.values, answer.values, *labeled, data.unlabeled, **facts)


class RegressionClassifier(LinearClassifier):
    """Least squares on class labels with a ridge penalty, decided at one half."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {"alpha": ALPHA}

    def __init__(
        self,
        alpha: float | str = 0.0,
        fit_intercept: bool = True,
        unlabeled: Any = -1,
        class_weight: Any = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.unlabeled = unlabeled
        self.class_weight = class_weight

    def _fit_supervised(self, data: TrainingData) -> SupervisedFit:
        X, Y, weights = data.X, data.targets, data.weights
        alpha = read_alpha(self.alpha, X, Y, weights, self.fit_intercept)
        coefficients, rank = fit_supervised(X, Y, weights, alpha, self.fit_intercept)
        self.alpha_ = alpha
        return SupervisedFit(data, alpha, self.fit_intercept, coefficients, rank)

    def _store(self, coefficients: Coefficients, start: Coefficients | None = None) -> None:
        self.coef_, self.intercept_ = _attributes(coefficients)
        if start is not None:
            self.supervised_coef_, self.supervised_intercept_ = _attributes(start)


def _attributes(coefficients: Coefficients) -> tuple[Matrix, Vector]:
    """`coef_` and `intercept_` as scikit-learn's linear classifiers have them: decided at zero."""
    return np.atleast_2d(coefficients.coef.T), np.atleast_1d(coefficients.intercept) - 0.5


class LeastSquaresClassifier(RegressionClassifier):
    r"""Supervised least squares classification: regression on the class labels.

    Minimises :math:`\sum_i w_i (x_i'\beta - y_i)^2 + \alpha \|\beta\|^2` over the labeled rows,
    with y the indicator of `classes_[1]` (one indicator a class for more than two classes), and
    decides at one half. Unlabeled rows are accepted and ignored, so that it can stand beside the
    semi-supervised classifiers in any comparison.

    Parameters
    ----------
    alpha : float or "loo", default=0.0
        Ridge penalty, never on the intercept. "loo" chooses the penalty with the smallest
        leave-one-out squared error on the labeled rows, from 41 values a quarter of a decade apart
        around the features' own scale, by one singular value decomposition and no refits.
    $fit_intercept
    $unlabeled
    $class_weight

    Attributes
    ----------
    $classes_
    $coef_
    $alpha_
    rank_ : int
        The number of directions that the labeled rows determine, the intercept's included.
    $features_

    Notes
    -----
    Costs O(L d min(L, d)), in the space of the labels where these are fewer than the columns, and
    sparse rows stay sparse. Directions whose eigenvalue in the Gram matrix of the scaled and
    centred columns is below the square root of the machine precision times the largest count as
    undetermined; among equally good coefficients the shortest are taken (pseudo-inverse).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from tacit import LeastSquaresClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> round(LeastSquaresClassifier(alpha="loo").fit(X, y).score(X, y), 2)
    0.96
    """

    def _fit(self, data: TrainingData) -> None:
        fitted = self._fit_supervised(data)
        self._store(fitted.coefficients)
        self.rank_ = fitted.rank


def read_alpha(
    alpha: float | str, X: Any, Y: Matrix, weights: Vector | None, intercept: bool
) -> float:
    """The ridge penalty that the parameter `alpha` stands for."""
    if isinstance(alpha, str):
        return leave_one_out_alpha(X, Y, weights, intercept)
    return float(alpha)
