"""The supervised twins: linear discriminant analysis and the nearest mean."""

from __future__ import annotations

from tacit.estimators._training import TrainingData
from tacit.family._gaussian import supervised_lda, supervised_nearest_mean
from tacit.family._generative import GaussianClassifier, SphericalClassifier, statistics_of


class LDAClassifier(GaussianClassifier):
    r"""Linear discriminant analysis: Gaussian classes with a shared covariance.

    Maximises :math:`\sum_i w_i \log \pi_{y_i} N(x_i; \mu_{y_i}, \Sigma)` over the labeled rows. The
    covariance is the maximum-likelihood estimate, with divisor n. Unlabeled rows are accepted and
    ignored, so that it can stand beside the semi-supervised classifiers in any comparison.

    Parameters
    ----------
    $gaussian_alpha
    $unlabeled

    Attributes
    ----------
    $classes_
    $discriminants_
    $gaussian_
    $features_

    See Also
    --------
    sklearn.discriminant_analysis.LinearDiscriminantAnalysis : Divides by n too with its solver
        "lsqr", but takes no marks; its solvers "svd" and "eigen" scale otherwise.

    Notes
    -----
    Costs O(L d^2 + d^3). Where alpha is zero, directions in which the rows of each class do not
    vary (as with L < d + K) are left out: the inverse of the covariance is the pseudo-inverse, as
    with scikit-learn's solver "lsqr". It depends on the units of the features, so standardise
    them. Where nothing else tells the classes apart, as with one row a class, these directions
    decide, with probabilities close to 0 and 1.

    Examples
    --------
    $partly_labeled
    >>> from tacit.family import LDAClassifier
    >>> round(LDAClassifier().fit(X, partly).score(X, y), 2)
    0.85
    """

    def _fit(self, data: TrainingData) -> None:
        self._store_model(supervised_lda(statistics_of(data), self.alpha))


class NearestMeanClassifier(SphericalClassifier):
    r"""Nearest mean: Gaussian classes with one variance for all features.

    Maximises :math:`\sum_i w_i \log \pi_{y_i} N(x_i; \mu_{y_i}, \sigma^2 I)` over the labeled rows.
    Because of the priors a row goes to the class of the nearest mean only where these are equal.
    Unlabeled rows are accepted and ignored, so that it can stand beside the semi-supervised
    classifiers in any comparison.

    Parameters
    ----------
    $gaussian_alpha
    $unlabeled

    Attributes
    ----------
    $classes_
    $discriminants_
    $spherical_
    $features_

    See Also
    --------
    sklearn.neighbors.NearestCentroid : Has neither priors by maximum likelihood nor this variance.

    Notes
    -----
    Costs O(L d^2).

    Examples
    --------
    $partly_labeled
    >>> from tacit.family import NearestMeanClassifier
    >>> round(NearestMeanClassifier().fit(X, partly).score(X, y), 2)
    0.93
    """

    def _fit(self, data: TrainingData) -> None:
        self._store_model(supervised_nearest_mean(statistics_of(data), self.alpha))
