"""Gaussian classes that share one covariance: the models and their maximum-likelihood fits.

Discriminant analysis is fitted in whitened coordinates (`Space`), where the scatter of all rows is
the identity and the pooled scatter of the classes (`Scatter`) differs from it in K directions only.
Class moments are K x (1 + r) matrices `v`: the weight of each class, then the sum of its rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import qr

from tacit._typing import Index, Matrix, Vector
from tacit.rows import Moments, as_rows
from tacit.solver._basis import RANK_CUT, Basis, Coefficients


class UnboundedLikelihoodError(ValueError):
    """The pooled covariance is singular, so that the likelihood has no maximum."""

    def __init__(self) -> None:
        super().__init__(
            "The pooled within-class covariance is singular: in some direction the rows of every "
            "class are all the same, or so close that their variance is below 1e-8 of that of all "
            "rows (as when some rows are a million times farther away), and the likelihood has no "
            "maximum. Set alpha > 0, for example alpha=1.0 on standardised features, use fewer "
            "features, or bring distant rows and rows in other units to the scale of the rest."
        )


@dataclass(frozen=True)
class GaussianModel:
    """Class priors and Gaussian densities with a shared covariance.

    `discriminants` are log(prior density) up to a term that all classes share; linear in x. Added
    to the sum of the rows' discriminants (for unlabeled rows, of the logarithm of their summed
    exponentials), `constant` makes it the penalised log-likelihood of the rows of the fit.
    """

    priors: Vector
    means: Matrix
    covariance: Matrix
    discriminants: Coefficients
    constant: float


@dataclass(frozen=True)
class LabeledStatistics:
    """Weights and means of the labeled classes, their pooled scatter, and moments of all rows."""

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
        """The class moments of x - centre."""
        return np.column_stack([self.counts, self.counts[:, None] * (self.means - centre)])


@dataclass(frozen=True)
class Space:
    """Whitened coordinates z of a row x: the scatter of all rows plus alpha I is the identity.

    `functions` are z as a function of x, and `lift` (d x r) is x - mean as a function of z.
    `penalty` is alpha I in z, and `log_volume` the logarithm of the volume of z's unit cube in x.
    """

    functions: Coefficients
    lift: Matrix
    mean: Vector
    total_weight: float
    penalty: Matrix
    log_volume: float

    @classmethod
    def of(cls, moments: Moments, alpha: float = 0.0) -> Space:
        """From the moments of all rows, O(d^3)."""
        check_finite(moments)
        functions = Basis.of(moments, alpha).functions
        functions = Coefficients(functions.coef[:, 1:], functions.intercept[1:])
        P = functions.coef
        lift = moments.scatter @ P + alpha * P
        penalty = alpha * (P.T @ P)
        return cls(functions, lift, moments.mean, moments.weight, penalty, _log_volume(lift))

    @property
    def rank(self) -> int:
        """r, the number of directions in which the rows vary."""
        return int(self.lift.shape[1])

    def sums(self, v: Matrix) -> Matrix:
        """Class moments of x - mean in these coordinates."""
        return np.column_stack([v[:, 0], v[:, 1:] @ self.functions.coef])

    def form(self, scatter: Matrix) -> Matrix:
        """A scatter matrix of x in these coordinates."""
        P = self.functions.coef
        return np.asarray(P.T @ scatter @ P)

    def discriminants(self, in_space: Matrix) -> Coefficients:
        """Functions of x from functions of z, given as constants and slopes (K, 1 + r)."""
        combined = self.functions.combine(in_space[:, 1:].T)
        return Coefficients(combined.coef, combined.intercept + in_space[:, 0])


@dataclass(frozen=True)
class Scatter:
    """The pooled scatter W = I - spread'spread of classes, in whitened coordinates.

    W is the identity but for K directions, so that its determinant and inverse take the matrix
    `core`, the inverse of I - spread spread' (Woodbury), and no factorisation of order r.
    `singular` are orthonormal directions in which W is zero although the class means differ.
    """

    means: Matrix
    spread: Matrix
    core: Matrix
    log_determinant: float
    singular: Matrix

    @classmethod
    def of(cls, v: Matrix, drop: bool = False) -> Scatter:
        """From class moments, O(K^2 r).

        W is judged by its eigenvalues relative to all rows, whose scatter is the identity, so that
        the verdict depends neither on units nor on directions. A singular W is refused, or with
        `drop` its singular directions are left out: the inverse is the pseudo-inverse, and the
        determinant that of the rest.
        """
        spread = v[:, 1:] / np.sqrt(v[:, :1])
        between, vectors = np.linalg.eigh(spread @ spread.T)
        kept = 1.0 - between > RANK_CUT
        if not (drop or kept.all()):
            raise UnboundedLikelihoodError
        # W = I - C'C has the inverse I + C' (I - CC')^{-1} C; minus one over the eigenvalue of CC'
        # takes the direction out of the identity.
        factors = np.where(kept, 1.0 - between, -between)
        core = (vectors / factors) @ vectors.T
        directions = (vectors[:, ~kept] / np.sqrt(between[~kept])).T @ spread
        log_determinant = float(np.log(factors[kept]).sum())
        return cls(v[:, 1:] / v[:, :1], spread, core, log_determinant, directions)

    @property
    def within(self) -> Matrix:
        """W."""
        return np.asarray(np.eye(self.spread.shape[1]) - self.spread.T @ self.spread)

    @property
    def trace_of_inverse(self) -> float:
        """The trace of the inverse of W."""
        return float(self.spread.shape[1] + np.sum(self.core * (self.spread @ self.spread.T)))

    @property
    def inverse(self) -> Matrix:
        """The inverse of W, O(K r^2)."""
        return np.asarray(np.eye(self.spread.shape[1]) + self.spread.T @ self.core @ self.spread)

    def solve(self, rows: Matrix) -> Matrix:
        """Each of `rows` times the inverse of W, O(K r) a row."""
        return np.asarray(rows + (rows @ self.spread.T) @ self.core @ self.spread)

    def discriminants(self, v: Matrix, total_weight: float, slopes: Matrix | None = None) -> Matrix:
        """Constants and slopes in z of the model with class moments v, or with these slopes."""
        if slopes is None:
            slopes = total_weight * self.solve(self.means)
        constants = np.log(v[:, 0] / total_weight) - 0.5 * np.sum(slopes * self.means, axis=1)
        return np.column_stack([constants, slopes])

    def singular_discriminants(self, v: Matrix, space: Space) -> Matrix:
        """The same with the pseudo-inverse of the pooled covariance in the coordinates x.

        In z the singular directions U are at right angles to all others, and what tells the classes
        apart is lost with them; not so in x. With P the map from x to z and A = I - U (PU)^+ P,
        P A is P without its part along PU, so that P A W^+ A'P' is the pseudo-inverse in x.

        Where that tells no classes apart (one row a class, for example) U decides, as in the limit
        of alpha to zero: by the distance in x, with the least spread that would not be singular.
        """
        N, P, U = space.total_weight, space.functions.coef, self.singular.T
        Q, R = np.linalg.qr(P @ U)
        A = np.eye(len(U)) - U @ np.linalg.solve(R, Q.T @ P)
        slopes = N * self.solve(self.means @ A) @ A.T
        if float(np.sum(slopes * v[:, 1:])) <= RANK_CUT * N:
            to_x = U @ np.linalg.inv(R / np.linalg.norm(R, -2))
            slopes = N / RANK_CUT * (self.means @ to_x) @ to_x.T
        return self.discriminants(v, N, slopes)


def lda_model(space: Space, v: Matrix, drop: bool = False) -> GaussianModel:
    """Linear discriminant analysis for class moments v in `space`.

    Directions in which the pooled covariance is singular are an error, or with `drop` left out: the
    inverse is the pseudo-inverse in x.
    """
    N, r = space.total_weight, space.rank
    scatter = Scatter.of(v, drop)
    if len(scatter.singular):
        in_space = scatter.singular_discriminants(v, space)
    else:
        in_space = scatter.discriminants(v, N)
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


def nearest_mean_model(v: Matrix, total: Moments, alpha: float) -> GaussianModel:
    """The nearest-mean model, with covariance s2 I, for class moments v of x - total.mean.

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
    return nearest_mean_model(labeled.sums(labeled.total.mean), labeled.total, alpha)


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


def _log_volume(lift: Matrix) -> float:
    """The logarithm of the volume that the columns span, whatever the units of the rows.

    Rows in falling order and pivoted columns make the error of each row small beside that row
    (Cox & Higham 1998); the determinant of lift'lift would square the ratio of the units.
    """
    if lift.size == 0:
        return 0.0
    order = np.argsort(-np.abs(lift).max(axis=1))
    triangle = qr(lift[order], mode="r", pivoting=True)[0]
    return float(np.log(np.abs(triangle.diagonal())).sum())


def check_finite(moments: Moments) -> None:
    """Refuse NaN and infinity, which rows that live elsewhere show only here."""
    if not (np.isfinite(moments.mean).all() and np.isfinite(moments.scatter).all()):
        raise ValueError(
            "X_unlabeled contains NaN, infinity or numbers too large to be squared; fill in or "
            "leave out such rows."
        )
