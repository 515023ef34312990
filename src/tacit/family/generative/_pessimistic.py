"""Contrastive pessimistic likelihood: the objective over soft labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit._typing import Matrix
from tacit.family.generative._gaussian import LabeledStatistics, fitted_discriminants
from tacit.family.generative._scatter import Scatter, UnboundedLikelihoodError
from tacit.family.generative._space import Space
from tacit.solver._basis import RANK_CUT


@dataclass(frozen=True)
class PessimisticObjective:
    r"""The log-likelihood of the best model minus that of the supervised one.

    In coordinates in which the scatter of all rows is the identity (see `Space`) the best model
    for class weights :math:`n_k` and sums :math:`s_k` has the pooled scatter
    :math:`W = I - \sum_k s_k s_k' / n_k`, and up to a constant

    .. math:: \Phi(v) = \sum_k n_k \log n_k - \tfrac N2 \log|W|
        - \sum_k (a_k n_k + b_k's_k),

    where :math:`a_k + b_k'z` is the discriminant of the supervised model. A maximum of functions
    that are linear in the labels, it is convex.

    Attributes
    ----------
    discriminants : ndarray of shape (K, 1 + r)
        The supervised discriminants: constant, then slopes.
    constant : float
        What the supervised log-likelihood has beside its discriminants, and ours beside Phi.
    total_weight : float
        N, the weight of all rows.
    """

    discriminants: Matrix
    constant: float
    total_weight: float

    is_convex = True

    @classmethod
    def of(cls, labeled: LabeledStatistics, space: Space) -> PessimisticObjective:
        """Against the supervised model, which must be a density on `space`."""
        N, r = space.total_weight, space.rank
        scatter = space.form(labeled.pooled) + space.penalty
        eigenvalues, vectors = np.linalg.eigh(scatter)
        # Relative to the scatter of all rows, the identity, and to the labeled rows' part of it.
        if eigenvalues.min(initial=1.0) < RANK_CUT * labeled.total.weight / N:
            raise UnboundedLikelihoodError
        eigenvalues = eigenvalues / labeled.total.weight
        means = (labeled.means - space.mean) @ space.functions.coef
        slopes = means @ (vectors / eigenvalues) @ vectors.T
        constants = np.log(labeled.counts / labeled.total.weight)
        constants = constants - 0.5 * np.sum(slopes * means, axis=1)
        # The traces come from the rows' scatter and the penalty, the identity in these coordinates.
        theirs = -0.5 * float(np.sum(1.0 / eigenvalues) + N * np.sum(np.log(eigenvalues)))
        ours = 0.5 * N * r * (np.log(N) - 1.0)
        return cls(np.column_stack([constants, slopes]), float(ours - theirs), N)

    def value(self, v: Matrix) -> float:
        """The contrast: how much higher the best model's log-likelihood is for these labels."""
        n = v[:, 0]
        scatter = Scatter.of(v)
        own = float(n @ np.log(n / self.total_weight))
        own -= 0.5 * self.total_weight * scatter.log_determinant
        return own - float(np.sum(self.discriminants * v)) + self.constant

    def gradient(self, v: Matrix) -> Matrix:
        """The discriminants of the best model minus the supervised ones."""
        best = fitted_discriminants(v, Scatter.of(v), self.total_weight)
        best[:, 0] += 1.0  # the derivative of n log n has a one beside the logarithm
        return best - self.discriminants

    def hessian(self, v: Matrix) -> Matrix:
        """Second derivatives, O(K^2 r^2)."""
        N, (K, width) = self.total_weight, v.shape
        scatter = Scatter.of(v)
        X, mu = scatter.inverse, scatter.means
        a = scatter.solve(mu)
        G = a @ mu.T
        H = np.zeros((K, width, K, width))
        H[:, 0, :, 0] = 0.5 * N * G**2
        for k in range(K):
            for j in range(K):
                H[k, 1:, j, 1:] = N * (G[k, j] * X + np.outer(a[j], a[k]))
                H[k, 1:, j, 0] = -N * G[k, j] * a[j]
                H[j, 0, k, 1:] = H[k, 1:, j, 0]
            n = v[k, 0]
            H[k, 0, k, 0] += (1.0 + N * G[k, k]) / n
            H[k, 1:, k, 1:] += N * X / n
            H[k, 1:, k, 0] -= N * a[k] / n
            H[k, 0, k, 1:] -= N * a[k] / n
        return H.reshape(K * width, K * width)
