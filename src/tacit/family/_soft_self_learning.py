"""Self-learning with soft labels: one convex problem."""

from __future__ import annotations

from typing import Any, ClassVar

from tacit.estimators._linear import RegressionClassifier
from tacit.estimators._parameters import POSITIVE_INTEGER, TOL
from tacit.estimators._training import TrainingData
from tacit.family._soft_self_learning_solver import SoftSelfLearningResult, solve_soft_self_learning
from tacit.solver import Certificate, Status
from tacit.solver._label_sets import NearestLabels


class SoftSelfLearningClassifier(RegressionClassifier):
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
    $fit_intercept
    $tol
    max_iter : int, default=100
        Newton steps at the most; about ten are needed.
    $unlabeled

    Attributes
    ----------
    $classes_
    $coef_
    soft_labels_ : ndarray of shape (U,) or (U, K)
        The labels nearest to the values of the unlabeled rows, which are those that least squares
        on all rows needs to give the answer back. For rows on disk or on a cluster computed on
        demand.
    solution_ : tacit.family._soft_self_learning_solver.SoftSelfLearningResult
        The solver's result, with status and duality gap.
    certificate_ : tacit.solver.Certificate
        Best and worst change of the squared loss over all labelings, against the supervised fit.
        There is no guarantee.
    $supervised_coef_
    $alpha_
    n_iter_ : int
        Newton steps; 0 where the supervised classifier is the answer.
    $features_

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
    n_iter_: int

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **RegressionClassifier._parameter_constraints,
        "tol": TOL,
        "max_iter": POSITIVE_INTEGER,
    }

    def __init__(
        self,
        alpha: float | str = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-8,
        max_iter: int = 100,
        unlabeled: Any = -1,
    ) -> None:
        super().__init__(alpha, fit_intercept, unlabeled)
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, data: TrainingData) -> None:
        supervised = self._fit_supervised(data)
        start, basis = supervised.coefficients, supervised.basis
        constraints = supervised.constraint_set(supervised.alpha)
        result = solve_soft_self_learning(constraints, start, basis, self.tol, self.max_iter)
        answer = result.coefficients
        self._store(answer, start)
        self.solution_ = result
        self.n_iter_ = result.n_iter
        self.soft_labels_ = data.unlabeled.map(NearestLabels(answer))
        unchanged = result.status in (Status.INSIDE, Status.EMPTY)
        # Values that are labels agree with themselves as labels. Of others the method does not
        # know.
        in_set = True if unchanged else None
        self.certificate_ = supervised.certify(answer, supervised_in_set=in_set)
        self._warn_if_unfinished()

    def _warn_if_unfinished(self) -> None:
        result = self.solution_
        if result.status.is_success:
            return
        advice = (
            f"raise max_iter (now {self.max_iter})"
            if result.n_iter >= self.max_iter
            else f"raise tol (now {self.tol:g}) or scale the features"
        )
        self._warn(
            f"stopped with status {result.status.value!r} at a relative duality gap of "
            f"{result.relative_gap():.2g}, above the tolerance tol={self.tol:g}; {advice}"
        )
