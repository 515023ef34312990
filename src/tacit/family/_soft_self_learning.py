"""Self-learning with soft labels: one convex problem."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from tacit._typing import Matrix, Vector
from tacit.estimators._implicit import check_max_iter
from tacit.estimators._linear import LinearClassifier, read_alpha
from tacit.estimators._training import all_or_nothing, read_training_data
from tacit.family._soft_self_learning_solver import SoftSelfLearningResult, solve_soft_self_learning
from tacit.solver import Certificate, ConstraintSet, LabeledRows, Status, certify
from tacit.solver._label_sets import NearestLabels
from tacit.solver._least_squares import fit_least_squares, supervised_basis


class SoftSelfLearningClassifier(LinearClassifier):
    r"""Soft-label self-learning for least squares (Krijthe & Loog 2016).

    The labels of the unlabeled rows are chosen together with the coefficients so that the squared
    loss on all rows is smallest, which leaves

    .. math:: \min_\beta \|X\beta - y\|^2 + \alpha\|\beta\|^2
        + \sum_{i=1}^{U} \operatorname{dist}(x_{u,i}'\beta, [0, 1])^2.

    For more than two classes, the distance is to the simplex. An unlabeled row only counts where
    its value is not a label, so values are kept from running away and nothing else happens.

    Parameters
    ----------
    alpha : float or "loo", default=0.0
        Ridge penalty, never on the intercept. "loo" chooses it by leave-one-out on the labeled
        rows.
    fit_intercept : bool, default=True
        Whether to fit a constant.
    tol : float, default=1e-8
        The relative duality gap to reach.
    max_iter : int, default=100
        Newton steps at the most; about ten are needed.
    unlabeled : object, default=-1
        The value of y that marks an unlabeled row, besides None, NaN and pandas NA, which always
        do. None: no other mark, so that -1 can be a class.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    coef_ : ndarray of shape (1, d) or (K, d)
        Coefficients; the decision is `X @ coef_.T + intercept_`.
    intercept_ : ndarray of shape (1,) or (K,)
        The regression's constant minus 1/2.
    soft_labels_ : ndarray of shape (U,) or (U, K)
        The labels nearest to the values of the unlabeled rows, which are those that least squares
        on all rows needs to give the answer back. For rows on disk or on a cluster computed on
        demand.
    solution_ : tacit.family._soft_self_learning_solver.SoftSelfLearningResult
        The solver's result, with status and duality gap.
    certificate_ : tacit.solver.Certificate
        Best and worst change of the squared loss over all labelings, against the supervised fit.
        There is no guarantee.
    supervised_coef_, supervised_intercept_ : ndarray
        The supervised classifier that this one started from.
    alpha_ : float
        The penalty used.
    n_iter_ : int
        Newton steps; 0 where the supervised classifier is the answer.
    n_features_in_ : int
        Features seen in `fit`.
    feature_names_in_ : ndarray of shape (d,)
        Their names, where X had any.

    See Also
    --------
    LeastSquaresClassifier : The supervised twin.
    SelfLearningClassifier : With hard labels, which ends in a local minimum.

    Notes
    -----
    A Newton step is one sweep of O(U d^2) at the most, and its line search one or three of O(U d);
    the method ends after finitely many steps and stops on the duality gap. Where the labeled
    rows do not determine all coefficients (L < p), the minimiser nearest to the supervised
    solution in the metric of all rows is taken, so the answer is unique.

    References
    ----------
    Krijthe & Loog, Optimistic semi-supervised least squares classification, ICPR 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from tacit.family import SoftSelfLearningClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> partly = y.copy()
    >>> partly[100:] = -1  # 100 labels, 469 unlabeled rows
    >>> round(SoftSelfLearningClassifier().fit(X, partly).score(X, y), 2)
    0.94
    """

    soft_labels_: Any
    solution_: SoftSelfLearningResult
    certificate_: Certificate
    supervised_coef_: Matrix
    supervised_intercept_: Vector
    alpha_: float
    n_iter_: int

    def __init__(
        self,
        alpha: float | str = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-8,
        max_iter: int = 100,
        unlabeled: Any = -1,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.unlabeled = unlabeled

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None
    ) -> SoftSelfLearningClassifier:
        """Fit on labeled and unlabeled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Rows, labeled and unlabeled.
        y : array-like of shape (n,)
            Labels, and marks for unlabeled rows.
        X_unlabeled : array-like, sparse matrix, Dask array, Rows or path, optional
            More unlabeled rows of the same features, of weight one. A path names a Parquet file or
            a folder of them.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights of the rows of X.

        Returns
        -------
        SoftSelfLearningClassifier
            The fitted classifier.
        """
        self._check_parameters()
        with all_or_nothing(self):
            data = read_training_data(self, X, y, X_unlabeled, sample_weight, self.unlabeled)
            alpha = read_alpha(self.alpha, data.X, data.targets, data.weights, self.fit_intercept)
            basis, moments = supervised_basis(data.X, data.weights, alpha, self.fit_intercept)
            start = fit_least_squares(basis, data.X, data.targets, data.weights)
            labeled = LabeledRows(data.X, data.targets, data.weights)
            constraints = ConstraintSet.of(
                labeled, moments, data.unlabeled, alpha, self.fit_intercept
            )
            result = solve_soft_self_learning(constraints, start, basis, self.tol, self.max_iter)
            answer = result.coefficients
            self._store(start)
            self.supervised_coef_, self.supervised_intercept_ = self.coef_, self.intercept_
            self._store(answer)
            self.classes_ = data.classes
            self.alpha_ = alpha
            self.solution_ = result
            self.n_iter_ = result.n_iter
            self.soft_labels_ = data.unlabeled.map(NearestLabels(answer))
            unchanged = result.status in (Status.INSIDE, Status.EMPTY)
            self.certificate_ = certify(
                start.values,
                answer.values,
                data.X,
                data.targets,
                data.weights,
                data.unlabeled,
                # Values that are labels agree with themselves as labels. Of others the method
                # does not know.
                supervised_in_set=True if unchanged else None,
            )
            self._warn_if_unfinished()
        return self

    def _check_parameters(self) -> None:
        if not isinstance(self.tol, numbers.Real) or not 0 < self.tol < 1:
            raise ValueError(
                f"tol is {self.tol!r}; it must be a number between 0 and 1, the relative duality "
                "gap to reach."
            )
        check_max_iter(self.max_iter)

    def _warn_if_unfinished(self) -> None:
        result = self.solution_
        if result.status.is_success:
            return
        advice = (
            f"raise max_iter (now {self.max_iter})"
            if result.n_iter >= self.max_iter
            else f"raise tol (now {self.tol:g}) or scale the features"
        )
        warnings.warn(
            f"{type(self).__name__} stopped with status {result.status.value!r} at a relative "
            f"duality gap of {result.relative_gap():.2g}, above the tolerance tol={self.tol:g}; "
            f"{advice}.",
            ConvergenceWarning,
            stacklevel=3,  # the caller of `fit`
        )
