"""Gaussian classes by expectation maximisation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tacit._typing import Matrix
from tacit.estimators._training import TrainingData, threads_for
from tacit.family._em import EMClassifier
from tacit.family._gaussian import (
    GaussianModel,
    LabeledStatistics,
    Space,
    UnboundedLikelihoodError,
    check_finite,
    lda_model,
    nearest_mean_model,
    supervised_lda,
    supervised_nearest_mean,
    with_spherical_covariance,
)
from tacit.family._generative import (
    GaussianClassifier,
    SphericalClassifier,
    statistics_of,
)
from tacit.rows import Moments


class GaussianEMClassifier(EMClassifier, GaussianClassifier):
    """Expectation maximisation of Gaussian classes."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **EMClassifier._parameter_constraints,
        **GaussianClassifier._parameter_constraints,
    }

    def __init__(
        self,
        unlabeled_weight: float = 1.0,
        alpha: float = 0.0,
        tol: float = 1e-8,
        max_iter: int = 10_000,
        unlabeled: Any = -1,
    ) -> None:
        super().__init__(alpha, unlabeled)
        self.unlabeled_weight = unlabeled_weight
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, data: TrainingData) -> None:
        with threads_for(data):
            labeled = statistics_of(data)
            everything = labeled.total + scaled(Moments.of(data.unlabeled), self.unlabeled_weight)
            check_finite(everything)
            start, maximise = self._start(labeled, everything)
            centre = everything.mean
            model = self._maximise(data, centre, labeled.sums(centre), start, maximise)
        self._store_model(model)

    def _start(
        self, labeled: LabeledStatistics, everything: Moments
    ) -> tuple[GaussianModel, Callable[[Matrix], GaussianModel]]:
        """The supervised model, and the one for class moments of x less the mean of all rows."""
        raise NotImplementedError


class EMLDAClassifier(GaussianEMClassifier):
    r"""Linear discriminant analysis by expectation maximisation.

    Maximises the likelihood of all that was observed, labels of labeled rows and features of all,

    .. math:: \sum_i \log \pi_{y_i} N(x_i; \mu_{y_i}, \Sigma)
        + \lambda \sum_j \log \sum_k \pi_k N(x_j; \mu_k, \Sigma),

    from the supervised fit, by turns of class probabilities for the unlabeled rows and a weighted
    fit. Good where the classes are clusters, harmful where they are not: no guarantee.

    Parameters
    ----------
    $unlabeled_weight
    $gaussian_alpha
    $em_stopping
    $unlabeled

    Attributes
    ----------
    $classes_
    $discriminants_
    $gaussian_
    $em_
    $features_

    See Also
    --------
    LDAClassifier : The supervised twin, where it starts.

    Notes
    -----
    One sweep of O(U d^2), then one of O(U d K) an iteration: the scatter of all rows never
    changes, so that class sums give the pooled covariance. A local maximum.

    References
    ----------
    Dempster, Laird & Rubin, Maximum likelihood from incomplete data via the EM algorithm, JRSS
    B 39, 1977.
    Nigam, McCallum, Thrun & Mitchell, Text classification from labeled and unlabeled documents
    using EM, Machine Learning 39, 2000.

    Examples
    --------
    $partly_labeled
    >>> from tacit.family import EMLDAClassifier
    >>> round(EMLDAClassifier().fit(X, partly).score(X, y), 2)
    0.93
    """

    def _start(
        self, labeled: LabeledStatistics, everything: Moments
    ) -> tuple[GaussianModel, Callable[[Matrix], GaussianModel]]:
        space = Space.of(everything, self.alpha)
        start = supervised_lda(labeled, self.alpha)
        return start, lambda v: lda_model(space, space.sums(v))


class EMNearestMeanClassifier(GaussianEMClassifier, SphericalClassifier):
    r"""Nearest mean by expectation maximisation.

    Maximises the likelihood of all that was observed, labels of labeled rows and features of all,

    .. math:: \sum_i \log \pi_{y_i} N(x_i; \mu_{y_i}, \sigma^2 I)
        + \lambda \sum_j \log \sum_k \pi_k N(x_j; \mu_k, \sigma^2 I),

    from the supervised fit, by turns of class probabilities for the unlabeled rows and a weighted
    fit. Good where the classes are round clusters, harmful where they are not: no guarantee.

    Parameters
    ----------
    $unlabeled_weight
    $gaussian_alpha
    $em_stopping
    $unlabeled

    Attributes
    ----------
    $classes_
    $discriminants_
    $spherical_
    $em_
    $features_

    See Also
    --------
    NearestMeanClassifier : The supervised twin, where it starts.
    EMLDAClassifier : The same with a covariance, with references.

    Notes
    -----
    One sweep of O(U d^2), then one of O(U d K) an iteration. A local maximum. Where no class has
    labeled rows that differ, as with one label a class, it starts from the means of the twin with
    the variance of all rows.

    Examples
    --------
    $partly_labeled
    >>> from tacit.family import EMNearestMeanClassifier
    >>> round(EMNearestMeanClassifier().fit(X, partly).score(X, y), 2)
    0.92
    """

    def _start(
        self, labeled: LabeledStatistics, everything: Moments
    ) -> tuple[GaussianModel, Callable[[Matrix], GaussianModel]]:
        start = nearest_mean_start(labeled, everything, self.alpha)
        return start, lambda v: nearest_mean_model(v, everything, self.alpha)


def scaled(moments: Moments, weight: float) -> Moments:
    """The moments of rows whose weights are multiplied by `weight`."""
    return Moments(weight * moments.weight, moments.mean, weight * moments.scatter)


def nearest_mean_start(
    labeled: LabeledStatistics, everything: Moments, alpha: float
) -> GaussianModel:
    """The nearest-mean model of the labeled rows, with a variance wherever any row has one.

    Where no class has labeled rows that differ, as with one label a class, the variance is that of
    all rows: an upper bound of the one that is looked for.
    """
    try:
        return supervised_nearest_mean(labeled, alpha)
    except UnboundedLikelihoodError:
        N, d = everything.weight, len(everything.mean)
        variance = (float(everything.scatter.trace()) + alpha * d) / (N * d)
        if labeled.total.weight >= N or variance <= 0.0:
            raise
    priors, means = labeled.counts / labeled.total.weight, labeled.means - everything.mean
    return with_spherical_covariance(priors, means, everything.mean, variance)
