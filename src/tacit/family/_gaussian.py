"""Gaussian classes that share one covariance: the models and their maximum-likelihood fits.

Discriminant analysis is fitted in whitened coordinates (`Space`), where the scatter of all rows is
the identity and the pooled scatter W of the classes differs from it in K directions only.
Class moments are K x (1 + r) matrices `v`: the weight of each class, then the sum of its rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from scipy.linalg import qr

from tacit._typing import AnyArray, Index, Matrix, Vector
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
class Mixture:
    """A fitted model of all classes.

    `discriminants` are log(prior density) up to a term that all classes share; linear in x.
    `constant` is what the penalised log-likelihood of the rows has beside them.
    """

    discriminants: Coefficients
    constant: float


@dataclass(frozen=True)
class GaussianModel(Mixture):
    """Class priors and Gaussian densities with a shared covariance."""

    priors: Vector
    means: Matrix
    covariance: Matrix


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
        members = [codes == k for k in range(n_classes)]
        own = [None if weights is None else weights[rows] for rows in members]
        parts = [Moments.of(as_rows(X[rows], w)) for rows, w in zip(members, own, strict=True)]
        counts = np.array([part.weight for part in parts])
        means = np.array([part.mean for part in parts])
        pooled = np.asarray(sum(part.scatter for part in parts))
        return cls(counts, means, pooled, reduce(Moments.__add__, parts))

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


def solve_within(v: AnyArray, rows: AnyArray) -> AnyArray:
    """Each of `rows` times W^-1 = I + S'(diag(n) - SS')^-1 S (Woodbury), also for stacks of v."""
    sums = v[..., 1:]
    core = v[..., :1] * np.eye(v.shape[-2]) - sums @ sums.swapaxes(-1, -2)
    return np.asarray(rows + (rows @ sums.swapaxes(-1, -2)) @ np.linalg.solve(core, sums))


def eigenvalues_within(v: Matrix) -> Vector:
    """The eigenvalues of W that are not one, K or fewer; in units of the scatter of all rows."""
    spread = v[:, 1:] / np.sqrt(v[:, :1])
    return np.asarray(1.0 - np.linalg.eigvalsh(spread @ spread.T))


def log_determinant(v: Matrix) -> float:
    """The logarithm of the determinant of W; a singular one is refused."""
    eigenvalues = eigenvalues_within(v)
    if not (eigenvalues > RANK_CUT).all():
        raise UnboundedLikelihoodError
    return float(np.log(eigenvalues).sum())


def lda_model(space: Space, v: Matrix, drop: bool = False) -> GaussianModel:
    """Linear discriminant analysis for class moments v in `space`.

    A singular pooled covariance is an error, or with `drop` it has the pseudo-inverse in x.
    """
    N, r, lift = space.total_weight, space.rank, space.lift
    means, eigenvalues = v[:, 1:] / v[:, :1], eigenvalues_within(v)
    within = np.eye(r) - means.T @ v[:, 1:]
    kept = eigenvalues[eigenvalues > RANK_CUT]
    n_dropped = len(eigenvalues) - len(kept)
    if n_dropped and not drop:
        raise UnboundedLikelihoodError
    slopes = _singular_slopes(space, v, within) if n_dropped else N * solve_within(v, means)
    constants = np.log(v[:, 0] / N) - 0.5 * np.sum(slopes * means, axis=1)
    trace = r - n_dropped + np.sum(1.0 / kept - 1.0)
    log_volume = np.log(kept).sum() - r * np.log(N) + 2.0 * space.log_volume
    return GaussianModel(
        discriminants=space.discriminants(np.column_stack([constants, slopes])),
        constant=float(-0.5 * N * (trace + r * np.log(2.0 * np.pi) + log_volume)),
        priors=v[:, 0] / N,
        means=space.mean + means @ lift.T,
        covariance=lift @ within @ lift.T / N,
    )


def _singular_slopes(space: Space, v: Matrix, within: Matrix) -> Matrix:
    """Slopes of the discriminants with the pseudo-inverse of the covariance in the coordinates x.

    With P the map from x to z, U the singular directions and A = I - U (PU)^+ P it is P A W^+ A'P'.
    Where that tells no classes apart (one row a class, for example) U decides: by the distance in
    x, with the least spread that would not be singular.
    """
    N, P, means = space.total_weight, space.functions.coef, v[:, 1:] / v[:, :1]
    eigenvalues, vectors = np.linalg.eigh(within)
    kept = eigenvalues > RANK_CUT
    U = vectors[:, ~kept]
    Q, R = np.linalg.qr(P @ U)
    A = np.eye(len(U)) - U @ np.linalg.solve(R, Q.T @ P)
    root = A @ vectors[:, kept] / np.sqrt(eigenvalues[kept])
    slopes = N * (means @ root) @ root.T
    if float(np.sum(slopes * v[:, 1:])) <= RANK_CUT * N:
        to_x = U @ np.linalg.inv(R / np.linalg.norm(R, -2))
        slopes = N / RANK_CUT * (means @ to_x) @ to_x.T
    return np.asarray(slopes)


def supervised_lda(labeled: LabeledStatistics, alpha: float) -> GaussianModel:
    """Linear discriminant analysis of the labeled rows, with the pseudo-inverse in x."""
    space = Space.of(labeled.total, alpha)
    return lda_model(space, space.sums(labeled.sums(space.mean)), drop=True)


def nearest_mean_model(v: Matrix, total: Moments, alpha: float) -> GaussianModel:
    """The nearest-mean model for class moments v of x - total.mean."""
    N, d = total.weight, len(total.mean)
    means = v[:, 1:] / v[:, :1]
    spread = float(total.scatter.trace()) + alpha * d
    within = spread - float(np.sum(v[:, 1:] * means))
    variance = within / (N * d)
    if within <= RANK_CUT * spread:
        raise UnboundedLikelihoodError
    constant = -0.5 * spread / variance - 0.5 * N * d * np.log(2.0 * np.pi * variance)
    variances = np.full(d, variance)
    return with_diagonal_covariance(v[:, 0] / N, means, total.mean, variances, float(constant))


def supervised_nearest_mean(labeled: LabeledStatistics, alpha: float) -> GaussianModel:
    """The nearest-mean model of the labeled rows."""
    return nearest_mean_model(labeled.sums(labeled.total.mean), labeled.total, alpha)


def constrained_nearest_mean(
    labeled: LabeledStatistics, everything: Moments, alpha: float
) -> GaussianModel:
    """Nearest mean whose weighted class means average to the mean of all rows (Loog 2010)."""
    check_finite(everything)
    supervised = supervised_nearest_mean(labeled, alpha)
    means = labeled.means - labeled.total.mean  # about the mean of all rows, after the move
    variances = supervised.covariance.diagonal()
    return with_diagonal_covariance(supervised.priors, means, everything.mean, variances)


def constrained_lda(labeled: LabeledStatistics, everything: Moments, alpha: float) -> GaussianModel:
    """LDA whose class means and pooled covariance add up to the covariance T of all rows.

    In coordinates in which T is a multiple of the identity the map (T T_l^-1)^(1/2) is symmetric.
    """
    space = Space.of(everything, alpha)
    means = (labeled.means - labeled.total.mean) @ space.functions.coef
    # The map, with zeros in directions in which the labeled rows do not vary.
    ratio = space.total_weight / labeled.total.weight
    within = ratio * (space.form(labeled.total.scatter) + space.penalty)
    eigenvalues, vectors = np.linalg.eigh(within)
    kept = eigenvalues > RANK_CUT * eigenvalues.max(initial=0.0)
    vectors = vectors[:, kept]
    moved = (means @ vectors / np.sqrt(eigenvalues[kept])) @ vectors.T
    weights = ratio * labeled.counts
    return lda_model(space, np.column_stack([weights, weights[:, None] * moved]), drop=True)


def with_diagonal_covariance(
    priors: Vector, means: Matrix, centre: Vector, variances: Vector, constant: float = 0.0
) -> GaussianModel:
    """The model with these means, measured from `centre`, and a variance for each feature.

    Features without any variance have no say.
    """
    slopes = np.divide(means, variances, out=np.zeros_like(means), where=variances > 0.0)
    intercept = np.log(priors) - 0.5 * np.sum(slopes * means, axis=1) - slopes @ centre
    discriminants, covariance = Coefficients(slopes.T, intercept), np.diag(variances)
    return GaussianModel(discriminants, constant, priors, centre + means, covariance)


def _log_volume(lift: Matrix) -> float:
    """The logarithm of the volume that the columns span, whatever the units of the rows.

    Rows in falling order and pivoted columns keep the error small in each row (Cox & Higham 1998).
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
