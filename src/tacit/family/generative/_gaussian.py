"""Gaussian classes that share one covariance: the model and its maximum-likelihood fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit._typing import Index, Matrix, Vector
from tacit.family.generative._scatter import Scatter, UnboundedLikelihoodError
from tacit.family.generative._space import Space
from tacit.rows import Moments, as_rows
from tacit.solver._basis import RANK_CUT, Coefficients


@dataclass(frozen=True)
class GaussianModel:
    """Class priors and Gaussian densities with a shared covariance.

    Attributes
    ----------
    priors : ndarray of shape (K,)
        Probabilities of the classes.
    means : ndarray of shape (K, d)
        Their means.
    covariance : ndarray of shape (d, d)
        The covariance of each class.
    discriminants : Coefficients
        For each class, log(prior density) up to a term that all classes share; linear in x.
    constant : float
        What has to be added to the sum over the rows that the model was fitted on of their
        discriminants (for unlabeled rows, of the logarithm of the summed exponentials) to make it
        their penalised log-likelihood.
    """

    priors: Vector
    means: Matrix
    covariance: Matrix
    discriminants: Coefficients
    constant: float


@dataclass(frozen=True)
class LabeledStatistics:
    """What the labeled rows say about Gaussian classes.

    Attributes
    ----------
    counts : ndarray of shape (K,)
        Weights of the classes.
    means : ndarray of shape (K, d)
        Their means.
    pooled : ndarray of shape (d, d)
        The scatter about the means of the classes.
    total : Moments
        The moments of all labeled rows.
    """

    counts: Vector
    means: Matrix
    pooled: Matrix
    total: Moments

    @classmethod
    def of(cls, X: Any, codes: Index, weights: Vector | None, n_classes: int) -> LabeledStatistics:
        """One pass over the labeled rows, O(L d^2)."""
        parts = []
        for k in range(n_classes):
            members = codes == k
            own = None if weights is None else weights[members]
            parts.append(Moments.of(as_rows(X[members], own)))
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return cls(
            counts=np.array([part.weight for part in parts]),
            means=np.array([part.mean for part in parts]),
            pooled=np.asarray(sum(part.scatter for part in parts)),
            total=total,
        )

    def sums(self, centre: Vector) -> Matrix:
        """Class weights, and sums of x - centre, side by side."""
        return np.column_stack([self.counts, self.counts[:, None] * (self.means - centre)])


def fitted_discriminants(v: Matrix, scatter: Scatter, total_weight: float) -> Matrix:
    """Constants and slopes, in whitened coordinates, of the model with class moments v."""
    return _through_means(v, scatter, total_weight, total_weight * scatter.solve(scatter.means))


def singular_discriminants(v: Matrix, scatter: Scatter, space: Space) -> Matrix:
    """The same with the pseudo-inverse of the pooled covariance in the coordinates x.

    `scatter` leaves singular directions U out. In whitened coordinates they are at right angles to
    all others, and what tells the classes apart is lost with them; not so in x. With P the map
    from x to z, P A for A = I - U (PU)^+ P is P without its part along PU, so that P A W^+ A'P' is
    the pseudo-inverse in x.

    Where that tells no classes apart (one row a class, for example) U decides, as in the limit of
    alpha to zero: by the distance in x, with the least spread that would not be singular.
    """
    N, P, U = space.total_weight, space.functions.coef, scatter.singular.T
    Q, R = np.linalg.qr(P @ U)
    A = np.eye(len(U)) - U @ np.linalg.solve(R, Q.T @ P)
    slopes = N * scatter.solve(scatter.means @ A) @ A.T
    if float(np.sum(slopes * v[:, 1:])) <= RANK_CUT * N:
        to_x = U @ np.linalg.inv(R / np.linalg.norm(R, -2))
        slopes = N / RANK_CUT * (scatter.means @ to_x) @ to_x.T
    return _through_means(v, scatter, N, slopes)


def _through_means(v: Matrix, scatter: Scatter, total_weight: float, slopes: Matrix) -> Matrix:
    """Constants that go with slopes."""
    constants = np.log(v[:, 0] / total_weight) - 0.5 * np.sum(slopes * scatter.means, axis=1)
    return np.column_stack([constants, slopes])


def lda_model(space: Space, v: Matrix, drop: bool = False) -> GaussianModel:
    """The model of linear discriminant analysis for class moments v in `space`.

    Directions in which the pooled covariance is singular are an error, or with `drop` left out: the
    inverse is the pseudo-inverse in x.
    """
    N, r = space.total_weight, space.rank
    scatter = Scatter.of(v, drop)
    if len(scatter.singular):
        in_space = singular_discriminants(v, scatter, space)
    else:
        in_space = fitted_discriminants(v, scatter, N)
    log_determinant = scatter.log_determinant - r * np.log(N) + 2.0 * space.log_volume
    constant = -0.5 * N * (scatter.trace_of_inverse + r * np.log(2.0 * np.pi) + log_determinant)
    lift = space.lift
    return GaussianModel(
        priors=v[:, 0] / N,
        means=space.mean + scatter.means @ lift.T,
        covariance=lift @ scatter.within @ lift.T / N,
        discriminants=space.discriminants(in_space),
        constant=float(constant),
    )


def supervised_lda(labeled: LabeledStatistics, alpha: float) -> GaussianModel:
    """Linear discriminant analysis of the labeled rows, with the pseudo-inverse in x."""
    space = Space.of(labeled.total, alpha)
    return lda_model(space, space.sums(labeled.sums(space.mean)), drop=True)


def spherical_model(v: Matrix, total: Moments, alpha: float) -> GaussianModel:
    """The nearest-mean model: covariance s2 I, for class sums v of x - total.mean.

    The variance s2 is (tr W + alpha d) / (N d), W the pooled scatter of the classes.
    """
    N, d = total.weight, len(total.mean)
    means = v[:, 1:] / v[:, :1]
    spread = float(total.scatter.trace()) + alpha * d
    within = spread - float(np.sum(v[:, 1:] * means))
    variance = within / (N * d)
    if within <= RANK_CUT * spread:
        raise UnboundedLikelihoodError
    constant = -0.5 * spread / variance - 0.5 * N * d * np.log(2.0 * np.pi * variance)
    return with_spherical_covariance(v[:, 0] / N, means, total.mean, variance, float(constant))


def supervised_nearest_mean(labeled: LabeledStatistics, alpha: float) -> GaussianModel:
    """The nearest-mean model of the labeled rows."""
    return spherical_model(labeled.sums(labeled.total.mean), labeled.total, alpha)


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


def with_spherical_covariance(
    priors: Vector, means: Matrix, centre: Vector, variance: float, constant: float = 0.0
) -> GaussianModel:
    """The model with these means, measured from `centre`, and one variance for all features."""
    slopes = means / variance
    intercept = np.log(priors) - 0.5 * np.sum(slopes * means, axis=1) - slopes @ centre
    return GaussianModel(
        priors=priors,
        means=centre + means,
        covariance=variance * np.eye(len(centre)),
        discriminants=Coefficients(slopes.T, intercept),
        constant=constant,
    )


def standardised_nearest_mean(labeled: LabeledStatistics, everything: Moments) -> Coefficients:
    """Discriminants of the nearest mean after scaling each feature by its spread in all rows.

    Needs no spread within classes and no covariance, so that a search can start from it even with
    one label a class.
    """
    variances = everything.scatter.diagonal() / everything.weight
    means = labeled.means - everything.mean
    slopes = np.divide(means, variances, out=np.zeros_like(means), where=variances > 0.0)
    constants = np.log(labeled.counts / labeled.total.weight) - 0.5 * np.sum(slopes * means, axis=1)
    return Coefficients(slopes.T, constants - slopes @ everything.mean)
