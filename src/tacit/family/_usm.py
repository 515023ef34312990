"""The updated second moment classifier."""

from __future__ import annotations

from typing import Any, ClassVar

from tacit._typing import Matrix, Vector
from tacit.estimators._linear import LinearClassifier, read_alpha
from tacit.estimators._parameters import ALPHA
from tacit.estimators._training import TrainingData
from tacit.rows import moments_and_sample
from tacit.solver import Certificate, certify
from tacit.solver._label_sets import NearestLabels
from tacit.solver._least_squares import (
    fit_least_squares,
    fit_second_moment,
    supervised_basis,
    updated_basis,
)


class USMClassifier(LinearClassifier):
    r"""Updated second moment least squares (Shaffer 1991).

    Least squares needs the second moment S = X'X of the rows and their product with the labels.
    Only the second needs labels, so the first is estimated from all rows:

    .. math:: \beta = \left(\tfrac{L}{N}(S + G) + \alpha J\right)^{+} X'y.

    Parameters
    ----------
    alpha : float or "loo", default=0.0
        Ridge penalty, never on the intercept. "loo" chooses the penalty of the supervised
        classifier with the smallest leave-one-out squared error on the labeled rows.
    $fit_intercept
    $unlabeled

    Attributes
    ----------
    $classes_
    $coef_
    soft_labels_ : ndarray of shape (U,) or (U, K)
        The regression values of the unlabeled rows, brought into [0, 1] (or onto the simplex): the
        method imputes no labels itself. For rows on disk or on a cluster computed on demand.
    certificate_ : tacit.solver.Certificate
        Best and worst change of the squared loss over all labelings, against the supervised fit.
        There is no guarantee.
    supervised_coef_, supervised_intercept_ : ndarray
        The supervised classifier, with the second moment of the labeled rows.
    $alpha_
    n_iter_ : int
        1: the answer is a closed form.
    $features_

    See Also
    --------
    LeastSquaresClassifier : The supervised twin.
    ICLSClassifier : Uses the unlabeled rows without the risk that the moments disagree.

    Notes
    -----
    One sweep of O(U d^2) for the second moment, and O(d^3). The second moment and X'y come from
    different rows, and they need not fit each other: with few labels the answer can be far worse
    than the supervised one, and it is not symmetric in the classes (swapping them does not mirror
    the decision). For more than two classes there is one indicator a class.

    References
    ----------
    Shaffer, The Gauss-Markov theorem and random regressors, The American Statistician 45, 1991.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from tacit.family import USMClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> partly = y.copy()
    >>> partly[200:] = -1  # 200 labels, 369 unlabeled rows
    >>> model = USMClassifier().fit(X, partly)
    >>> model.certificate_.worst_change > 0  # it may have made things worse
    True
    """

    soft_labels_: Any
    certificate_: Certificate
    supervised_coef_: Matrix
    supervised_intercept_: Vector
    alpha_: float
    n_iter_: int

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **LinearClassifier._parameter_constraints,
        "alpha": ALPHA,
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self, alpha: float | str = 0.0, fit_intercept: bool = True, unlabeled: Any = -1
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.unlabeled = unlabeled

    def _fit(self, data: TrainingData) -> None:
        alpha = read_alpha(self.alpha, data.X, data.targets, data.weights, self.fit_intercept)
        basis, labeled = supervised_basis(data.X, data.weights, alpha, self.fit_intercept)
        supervised = fit_least_squares(basis, data.X, data.targets, data.weights)
        answer = supervised
        # The sample is not needed, but the check for NaN and infinity that comes with it is.
        unlabeled, _ = moments_and_sample(data.unlabeled, 1)
        if unlabeled.weight > 0.0:
            updated, moments = updated_basis(labeled, unlabeled, alpha, self.fit_intercept)
            answer = fit_second_moment(updated, moments, data.X, data.targets, data.weights)
        self._store(supervised)
        self.supervised_coef_, self.supervised_intercept_ = self.coef_, self.intercept_
        self._store(answer)
        self.alpha_ = alpha
        self.n_iter_ = 1
        self.soft_labels_ = data.unlabeled.map(NearestLabels(answer))
        self.certificate_ = certify(
            supervised.values,
            answer.values,
            data.X,
            data.targets,
            data.weights,
            data.unlabeled,
        )
