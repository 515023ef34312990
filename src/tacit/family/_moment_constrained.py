"""Moment-constrained classifiers: class moments that agree with the moments of all rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit._typing import Matrix
from tacit.estimators._training import TrainingData, threads_for
from tacit.family._gaussian import (
    GaussianModel,
    LabeledStatistics,
    Space,
    check_finite,
    lda_model,
    supervised_nearest_mean,
    with_spherical_covariance,
)
from tacit.family._generative import (
    GaussianClassifier,
    SoftLabels,
    SphericalClassifier,
    statistics_of,
)
from tacit.rows import Moments
from tacit.solver._basis import RANK_CUT


class MomentConstrainedClassifier(GaussianClassifier):
    """A model in closed form from the labeled classes and the moments of all rows."""

    soft_labels_: Any
    n_iter_: int

    def _model(self, labeled: LabeledStatistics, everything: Moments) -> GaussianModel:
        raise NotImplementedError

    def _fit(self, data: TrainingData) -> None:
        with threads_for(data):
            labeled = statistics_of(data)
            model = self._model(labeled, labeled.total + Moments.of(data.unlabeled))
        self._store_model(model)
        self.n_iter_ = 1
        self.soft_labels_ = data.unlabeled.map(SoftLabels(model.discriminants))


class MCLDAClassifier(MomentConstrainedClassifier):
    r"""Moment-constrained linear discriminant analysis (Loog 2014).

    With priors :math:`\pi_k`, class means :math:`\mu_k` and covariance :math:`\Sigma`, the means
    average to the mean m of all rows and
    :math:`\Sigma + \sum_k \pi_k (\mu_k - m)(\mu_k - m)' = T`, the covariance of all rows, if all
    labels are known. Labeled data alone hardly ever agree with that. The labeled rows are moved by
    the affine map that makes them agree,
    :math:`x \mapsto (T T_l^{-1})^{1/2}(x - \bar x) + m`, :math:`T_l` their own covariance, and
    discriminant analysis follows.

    Parameters
    ----------
    $gaussian_alpha
    $unlabeled

    Attributes
    ----------
    $classes_
    $discriminants_
    $gaussian_
    $posteriors_
    n_iter_ : int
        1: the answer is a closed form.
    $features_

    See Also
    --------
    LDAClassifier : The supervised twin.

    Notes
    -----
    Closed form: one sweep of O(U d^2), then O(d^3). The square root is the one whose eigenvalues
    are positive, so that an invertible map of the features changes no prediction where the
    covariance is not singular. Directions in which only unlabeled rows vary belong to the
    covariance within the classes. With few labels (L < d + K) and alpha zero it is singular, and
    its pseudo-inverse is taken, as in `LDAClassifier`: standardise the features, or set alpha > 0.

    References
    ----------
    Loog, Semi-supervised linear discriminant analysis through moment-constraint parameter
    estimation, Pattern Recognition Letters 37, 2014.

    Examples
    --------
    $partly_labeled
    >>> from tacit.family import MCLDAClassifier
    >>> round(MCLDAClassifier().fit(X, partly).score(X, y), 2)
    0.91
    """

    def _model(self, labeled: LabeledStatistics, everything: Moments) -> GaussianModel:
        return constrained_lda(labeled, everything, self.alpha)


class MCNearestMeanClassifier(MomentConstrainedClassifier, SphericalClassifier):
    r"""Moment-constrained nearest mean (Loog 2010; Loog & Jensen 2015).

    The class means, weighted with the priors, average to the mean m of all rows:

    .. math:: \mu_k = m_k + m - \sum_j \pi_j m_j.

    Of all means that do, these have the highest likelihood on the labeled rows. Priors and variance
    stay those of the labeled rows.

    Parameters
    ----------
    $gaussian_alpha
    $unlabeled

    Attributes
    ----------
    $classes_
    $discriminants_
    $spherical_
    $posteriors_
    n_iter_ : int
        1: the answer is a closed form.
    $features_

    See Also
    --------
    NearestMeanClassifier : The supervised twin.

    Notes
    -----
    Closed form: one sweep of O(U d^2) over the unlabeled rows.

    References
    ----------
    Loog, Constrained parameter estimation for semi-supervised learning: the case of the nearest
    mean classifier, ECML PKDD 2010.
    Loog & Jensen, Semi-supervised nearest mean classification through a constrained log-likelihood,
    IEEE Transactions on Neural Networks and Learning Systems 26, 2015.

    Examples
    --------
    $partly_labeled
    >>> from tacit.family import MCNearestMeanClassifier
    >>> round(MCNearestMeanClassifier().fit(X, partly).score(X, y), 2)
    0.93
    """

    def _model(self, labeled: LabeledStatistics, everything: Moments) -> GaussianModel:
        return constrained_nearest_mean(labeled, everything, self.alpha)


def constrained_nearest_mean(
    labeled: LabeledStatistics, everything: Moments, alpha: float
) -> GaussianModel:
    """Nearest mean whose weighted class means average to the mean of all rows (Loog 2010).

    Of all means that do, these have the highest labeled likelihood: all are moved by the same
    vector. The variance stays that of the labeled rows.
    """
    check_finite(everything)
    supervised = supervised_nearest_mean(labeled, alpha)
    means = labeled.means - labeled.total.mean  # about the mean of all rows, after the move
    variance = float(supervised.covariance[0, 0])
    return with_spherical_covariance(supervised.priors, means, everything.mean, variance)


def constrained_lda(labeled: LabeledStatistics, everything: Moments, alpha: float) -> GaussianModel:
    """LDA whose class means and pooled covariance add up to the covariance of all rows.

    In coordinates in which T is a multiple of the identity the map (T T_l^-1)^(1/2) is symmetric,
    and the pooled covariance is what the class means leave of T. Its inverse is the pseudo-inverse
    in x where they leave nothing.
    """
    space = Space.of(everything, alpha)
    root = _inverse_root(space, labeled)
    share = labeled.counts / labeled.total.weight
    means = (labeled.means - labeled.total.mean) @ space.functions.coef @ root
    weights = space.total_weight * share
    v = np.column_stack([weights, weights[:, None] * means])
    return lda_model(space, v, drop=True)


def _inverse_root(space: Space, labeled: LabeledStatistics) -> Matrix:
    """The map, with zeros in directions in which the labeled rows do not vary."""
    ratio = space.total_weight / labeled.total.weight
    within = ratio * (space.form(labeled.total.scatter) + space.penalty)
    eigenvalues, vectors = np.linalg.eigh(within)
    kept = eigenvalues > RANK_CUT * eigenvalues.max(initial=0.0)
    vectors = vectors[:, kept]
    return np.asarray((vectors / np.sqrt(eigenvalues[kept])) @ vectors.T)
