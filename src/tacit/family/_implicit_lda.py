"""Implicitly constrained linear discriminant analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.estimators._training import TrainingData
from tacit.family._gaussian import (
    GaussianModel,
    LabeledStatistics,
    Scatter,
    Space,
    UnboundedLikelihoodError,
)
from tacit.family._generative import SimplexClassifier, posteriors
from tacit.rows import Moments
from tacit.solver._basis import Coefficients


class ICLDAClassifier(SimplexClassifier):
    r"""Implicitly constrained linear discriminant analysis (Krijthe & Loog 2014).

    Of all models that discriminant analysis gives for some soft labeling of the unlabeled rows, the
    one with the highest likelihood on the labeled rows:

    .. math:: \max_{u} \sum_{i \le L} \log p(x_i, y_i; \hat\theta(u)), \qquad
        \hat\theta(u) = \arg\max_\theta \sum_i \log p(x_i, y_i; \theta)
        + \sum_{jk} u_{jk} \log p(x_j, k; \theta).

    What ICLS is for the squared loss.

    Parameters
    ----------
    $gaussian_alpha
    $simplex_stopping
    $unlabeled

    Attributes
    ----------
    $classes_
    $discriminants_
    $gaussian_
    $simplex_
    log_likelihood_ : float
        The penalised log-likelihood of the labeled rows.
    $features_

    See Also
    --------
    LDAClassifier : The supervised twin.

    Notes
    -----
    The labels matter only through class weights and sums, so a Newton step costs O(U d^2) for two
    classes. The problem is not convex: the gap bounds how fast any labeling could improve, to first
    order, and vanishes at stationary points. Three deterministic starts are tried, the supervised
    posteriors, those of the nearest mean on standardised features, and the class priors, then the
    mean of their answers where these differ, and the best answer is kept. Fewer labels than
    features are no obstacle as long as all rows together determine the covariance.

    References
    ----------
    Krijthe & Loog, Implicitly constrained semi-supervised linear discriminant analysis, ICPR 2014.

    Examples
    --------
    $partly_labeled
    >>> from tacit.family import ICLDAClassifier
    >>> round(ICLDAClassifier().fit(X, partly).score(X, y), 2)
    0.94
    """

    log_likelihood_: float

    def _fit(self, data: TrainingData) -> None:
        super()._fit(data)
        self.log_likelihood_ = -self.solution_.objective

    def _objective(self, labeled: LabeledStatistics, space: Space) -> LabeledLikelihood:
        return LabeledLikelihood.of(labeled, space)

    def _starts(
        self, model: GaussianModel, labeled: LabeledStatistics, everything: Moments, X: Any
    ) -> list[Matrix]:
        nearest_mean = standardised_nearest_mean(labeled, everything)
        priors = super()._starts(model, labeled, everything, X)
        return [posteriors(model.discriminants, X), posteriors(nearest_mean, X), *priors]

    def _value_without_rows(self, labeled: LabeledStatistics, space: Space) -> float:
        try:
            return LabeledLikelihood.of(labeled, space).value(space.sums(labeled.sums(space.mean)))
        except UnboundedLikelihoodError:  # the twin has no maximum either
            return -np.inf


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

    `counts` are l, `means` m, `pooled` is S_0 and the penalty, `total_weight` N, and `constant`
    makes the value minus the penalised log-likelihood in the coordinates x.
    """

    counts: Vector
    means: Matrix
    pooled: Matrix
    total_weight: float
    constant: float = 0.0

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
        r"""Second derivatives, O(K^2 r^2).

        With :math:`X = W^{-1}` and :math:`Y = \tfrac L2 X - \tfrac N2 XSX` the block of the sums of
        classes k and j is a combination of X and Y and of the products of a few vectors: no product
        of matrices of order r is needed.
        """
        N, L, (K, width) = self.total_weight, float(self.counts.sum()), v.shape
        scatter = Scatter.of(v)
        mu, n, share = scatter.means, v[:, 0], self.counts / v[:, 0]
        offsets = self.means - mu
        a, pull = scatter.solve(mu), scatter.solve(offsets)
        S_a = a @ self.pooled + (a @ offsets.T) @ (self.counts[:, None] * offsets)
        b = scatter.solve(S_a)  # XS X mu
        X, XSX = scatter.inverse, self._between_inverses(scatter, pull)
        Y = 0.5 * L * X - 0.5 * N * XSX
        y = 0.5 * L * a - 0.5 * N * b  # Y mu
        h = -0.5 * L * a + N * b - N * share[:, None] * pull
        # Row k, column j: mu_k'X mu_j, mu_k'XSX mu_j, and the labeled offsets against the means.
        G, T, F = mu @ a.T, mu @ b.T, share[:, None] * (offsets @ a.T)
        F = F + F.T
        by_X, by_Y = N * (T - F), -2.0 * G
        by_X.flat[:: K + 1] += N * share / n
        by_Y.flat[:: K + 1] -= 2.0 / n
        by_a = 0.5 * L * G - N * T + N * F
        H = np.empty((K, width, K, width))
        H[:, 0, :, 0] = -0.5 * L * G**2 + N * G * T - N * G * F
        for k in range(K):
            for j in range(k + 1):
                sums = H[k, 1:, j, 1:]
                np.multiply(X, by_X[k, j], out=sums)
                sums += by_Y[k, j] * Y
                sums += np.column_stack([a[j], h[j]]) @ np.vstack([h[k], a[k]])
                H[j, 1:, k, 1:] = sums.T
            for j in range(K):
                H[k, 1:, j, 0] = by_a[k, j] * a[j] - G[k, j] * h[j]
            H[k, 1:, k, 0] += (2.0 * y[k] + N * share[k] * (pull[k] - a[k])) / n[k]
            H[:, 0, k, 1:] = H[k, 1:, :, 0].T
            H[k, 0, k, 0] += share[k] / n[k] * (1.0 + N * (G[k, k] - 2.0 * mu[k] @ pull[k]))
            H[k, 0, k, 0] -= 2.0 * (mu[k] @ y[k]) / n[k]
        return H.reshape(K * width, K * width)

    def _between_inverses(self, scatter: Scatter, pull: Matrix) -> Matrix:
        """X S X, where X is the identity but for K directions, O(K r^2)."""
        weighted = scatter.core @ scatter.spread
        right = self.pooled + (self.pooled @ scatter.spread.T) @ weighted
        both = right + weighted.T @ (scatter.spread @ right)
        return np.asarray(both + pull.T @ (self.counts[:, None] * pull))
