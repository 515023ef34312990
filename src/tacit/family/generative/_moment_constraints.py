"""Class moments that agree with the moments of all rows, in closed form."""

from __future__ import annotations

import numpy as np

from tacit._typing import Matrix
from tacit.family.generative._gaussian import (
    GaussianModel,
    LabeledStatistics,
    lda_model,
    supervised_nearest_mean,
    with_spherical_covariance,
)
from tacit.family.generative._space import Space, check_finite
from tacit.rows import Moments
from tacit.solver._basis import RANK_CUT


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
    r"""LDA whose class means and pooled covariance add up to the covariance of all rows.

    The labeled rows are mapped by :math:`x \mapsto M(x - \bar x) + m` with
    :math:`M = (T T_l^{-1})^{1/2}`, :math:`T_l` the total covariance of the labeled rows and
    :math:`T` that of all rows (Loog 2014). In coordinates in which T is a multiple of the identity
    M is symmetric, and the pooled covariance is what the class means leave of T. Its
    inverse is the pseudo-inverse in x where they leave nothing.
    """
    space = Space.of(everything, alpha)
    root = _inverse_root(space, labeled)
    share = labeled.counts / labeled.total.weight
    means = (labeled.means - labeled.total.mean) @ space.functions.coef @ root
    weights = space.total_weight * share
    v = np.column_stack([weights, weights[:, None] * means])
    return lda_model(space, v, drop=True)


def _inverse_root(space: Space, labeled: LabeledStatistics) -> Matrix:
    """M, with zeros in directions in which the labeled rows do not vary."""
    ratio = space.total_weight / labeled.total.weight
    within = ratio * (space.form(labeled.total.scatter) + space.penalty)
    eigenvalues, vectors = np.linalg.eigh(within)
    kept = eigenvalues > RANK_CUT * eigenvalues.max(initial=0.0)
    vectors = vectors[:, kept]
    return np.asarray((vectors / np.sqrt(eigenvalues[kept])) @ vectors.T)
