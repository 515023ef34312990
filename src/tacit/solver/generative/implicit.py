"""Implicitly constrained LDA: the labeled likelihood as a function of soft labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.solver.generative.gaussian import LabeledStatistics
from tacit.solver.generative.scatter import Scatter
from tacit.solver.generative.space import Space


@dataclass(frozen=True)
class LabeledLikelihood:
    r"""Minus the log-likelihood of the labeled rows under the model of all rows.

    In coordinates in which the scatter of all rows is the identity (see `Space`) the model for
    class weights :math:`n_k` and sums :math:`s_k` has means :math:`\mu_k = s_k / n_k` and
    covariance :math:`W / N`, :math:`W = I - \sum_k s_k s_k' / n_k`. With labeled weights
    :math:`l_k` (together :math:`L`), means :math:`m_k` and pooled scatter :math:`S_0`, minus the
    log-likelihood is up to a constant

    .. math::

        \psi(v) = -\sum_k l_k \log n_k + \tfrac L2 \log|W| + \tfrac N2 \operatorname{tr}(W^{-1}S),
        \qquad S = S_0 + \sum_k l_k (m_k - \mu_k)(m_k - \mu_k)'.

    Not convex.

    Attributes
    ----------
    counts : ndarray of shape (K,)
        l, the weights of the labeled rows of each class.
    means : ndarray of shape (K, r)
        m, their means.
    pooled : ndarray of shape (r, r)
        S_0, their scatter about these means, and the penalty.
    total_weight : float
        N, the weight of all rows.
    constant : float
        What makes the value minus the penalised log-likelihood in the coordinates x.
    """

    counts: Vector
    means: Matrix
    pooled: Matrix
    total_weight: float
    constant: float = 0.0

    is_convex = False

    @classmethod
    def of(cls, labeled: LabeledStatistics, space: Space) -> LabeledLikelihood:
        """Of these labeled rows, in the coordinates of all rows."""
        each = space.rank * np.log(2.0 * np.pi / space.total_weight) + 2.0 * space.log_volume
        return cls(
            counts=labeled.counts,
            means=(labeled.means - space.mean) @ space.functions.coef,
            pooled=space.form(labeled.pooled) + space.penalty,
            total_weight=space.total_weight,
            constant=0.5 * labeled.total.weight * float(each),
        )

    def value(self, v: Matrix) -> float:
        """Minus the log-likelihood, O(K r^2)."""
        scatter = Scatter.of(v)
        N, L = self.total_weight, float(self.counts.sum())
        offsets = self.means - scatter.means
        # tr(W^{-1} S_0) by Woodbury: W^{-1} = I + spread' core spread.
        trace = float(self.pooled.trace())
        trace += float(np.sum(scatter.core * (scatter.spread @ self.pooled @ scatter.spread.T)))
        trace += float(self.counts @ np.sum(offsets * scatter.solve(offsets), axis=1))
        own = -float(self.counts @ np.log(v[:, 0] / N))
        return own + 0.5 * L * scatter.log_determinant + 0.5 * N * trace + self.constant

    def gradient(self, v: Matrix) -> Matrix:
        """The gradient, O(K r^2)."""
        N, L = self.total_weight, float(self.counts.sum())
        scatter = Scatter.of(v)
        mu, share = scatter.means, self.counts / v[:, 0]
        offsets = self.means - mu
        a = scatter.solve(mu)
        S_a = a @ self.pooled + (a @ offsets.T) @ (self.counts[:, None] * offsets)
        Y_mu = 0.5 * L * a - 0.5 * N * scatter.solve(S_a)
        pull = N * share[:, None] * scatter.solve(offsets)
        gradient = np.empty_like(v)
        gradient[:, 1:] = -2.0 * Y_mu - pull
        gradient[:, 0] = -share + np.sum(mu * Y_mu, axis=1) + np.sum(pull * mu, axis=1)
        return gradient

    def hessian(self, v: Matrix) -> Matrix:
        """Second derivatives by the rules for differentials, O(K^2 r^3)."""
        return _Differentials(self, v).hessian()


class _Differentials:
    """Changes of vectors with a change of v, as matrices with one column for each entry of v."""

    def __init__(self, objective: LabeledLikelihood, v: Matrix) -> None:
        scatter = Scatter.of(v)
        self.K, self.width = v.shape
        self.n, self.mu, self.X = v[:, 0], scatter.means, scatter.inverse
        self.N, self.L = objective.total_weight, float(objective.counts.sum())
        self.counts = objective.counts
        self.offsets = objective.means - self.mu
        self.S = objective.pooled + self.offsets.T @ (self.counts[:, None] * self.offsets)
        self.d_mean = [self._mean(k) for k in range(self.K)]

    def _zeros(self, rows: int) -> Matrix:
        return np.zeros((rows, self.K, self.width))

    def _mean(self, k: int) -> Matrix:
        """Of mu_k."""
        change = self._zeros(self.width - 1)
        change[:, k, 0] = -self.mu[k] / self.n[k]
        change[:, k, 1:] = np.eye(self.width - 1) / self.n[k]
        return change.reshape(self.width - 1, -1)

    def _within(self, p: Vector) -> Matrix:
        """Of W times a fixed p."""
        change = self._zeros(self.width - 1)
        along = self.mu @ p
        change[:, :, 0] = self.mu.T * along
        change[:, :, 1:] = -self.mu.T[:, :, None] * p
        i = np.arange(self.width - 1)
        change[i, :, 1 + i] -= along
        return change.reshape(self.width - 1, -1)

    def _labeled(self, p: Vector) -> Matrix:
        """Of S times a fixed p."""
        change = np.zeros((self.width - 1, self.K * self.width))
        for count, offset, d_mean in zip(self.counts, self.offsets, self.d_mean, strict=True):
            change -= count * (np.outer(offset, p @ d_mean) + (offset @ p) * d_mean)
        return change

    def _inverse(self, p: Vector) -> Matrix:
        """Of X times a fixed p."""
        return -self.X @ self._within(self.X @ p)

    def hessian(self) -> Matrix:
        """The change of every entry of the gradient."""
        N, L, X, S = self.N, self.L, self.X, self.S
        H = np.empty((self.K, self.width, self.K * self.width))
        Y = 0.5 * L * X - 0.5 * N * X @ S @ X
        for k in range(self.K):
            mu, offset, n = self.mu[k], self.offsets[k], self.n[k]
            count = self.counts[k]
            d_mean, d_a = self.d_mean[k], self._inverse(mu)
            d_Y_mu = 0.5 * L * d_a - 0.5 * N * (
                self._inverse(S @ (X @ mu)) + X @ self._labeled(X @ mu) + X @ (S @ d_a)
            )
            d_n = np.zeros(self.K * self.width)
            d_n[k * self.width] = 1.0
            pull = X @ offset
            d_pull = self._inverse(offset) - X @ d_mean
            H[k, 1:] = -2.0 * (d_Y_mu + Y @ d_mean) - N * count / n * d_pull
            H[k, 1:] += np.outer(N * count / n**2 * pull, d_n)
            H[k, 0] = count / n**2 * d_n + 2.0 * (Y @ mu) @ d_mean + mu @ d_Y_mu
            H[k, 0] += N * count / n * (pull @ d_mean + mu @ d_pull)
            H[k, 0] -= N * count / n**2 * (pull @ mu) * d_n
        hessian = H.reshape(self.K * self.width, -1)
        return np.asarray(0.5 * (hessian + hessian.T))
