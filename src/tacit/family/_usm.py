"""The updated second moment classifier."""

from __future__ import annotations

from tacit.estimators._linear import RegressionClassifier
from tacit.estimators._training import TrainingData
from tacit.rows import Moments, moments_and_sample
from tacit.solver import Basis
from tacit.solver._label_sets import NearestLabels


class USMClassifier(RegressionClassifier):
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
    $class_weight

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

    Examples
    --------
    $partly_labeled
    >>> from tacit.family import USMClassifier
    >>> model = USMClassifier().fit(X, partly)
    >>> model.certificate_.worst_change > 0  # it may have made things worse
    True
    """

    def _fit(self, data: TrainingData) -> None:
        supervised = self._fit_supervised(data)
        answer = supervised.coefficients
        # The sample is not needed, but the check for NaN and infinity that comes with it is.
        unlabeled, _ = moments_and_sample(data.unlabeled, 1)
        if unlabeled.weight > 0.0:
            labeled, both = supervised.moments, supervised.moments + unlabeled
            # All rows scaled to the weight of the labeled ones: A is on the scale of S, so that the
            # same penalty means the same in both.
            share = labeled.weight / both.weight
            moments = Moments(labeled.weight, both.mean, share * both.scatter)
            basis = Basis.of(moments, supervised.alpha, self.fit_intercept)
            Z = basis.functions.values(data.X)
            right = (Z if data.weights is None else Z * data.weights[:, None]).T @ data.targets
            # One step of refinement for what squaring has lost.
            error = right - basis.inner(moments, basis.functions.combine(right))
            answer = basis.functions.combine(right + error)
        self._store(answer, supervised.coefficients)
        self.n_iter_ = 1
        self.soft_labels_ = data.unlabeled.map(NearestLabels(answer))
        self.certificate_ = supervised.certify(answer)
