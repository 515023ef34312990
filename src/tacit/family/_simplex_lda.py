"""Discriminant analysis by a search over soft labels: implicit constraints, and pessimism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tacit._typing import AnyArray, Matrix, Vector
from tacit.estimators._training import TrainingData, threads_for
from tacit.family._gaussian import (
    LabeledStatistics,
    Space,
    UnboundedLikelihoodError,
    lda_model,
    log_determinant,
    solve_within,
    with_diagonal_covariance,
)
from tacit.family._generative import GaussianClassifier, as_soft_labels, posteriors, statistics_of
from tacit.family._simplex_interior_point import (
    MomentObjective,
    SimplexProblem,
    SimplexSolution,
    best_of_starts,
)
from tacit.rows import Moments
from tacit.solver import Coefficients, Status
from tacit.solver._basis import RANK_CUT


@dataclass(frozen=True)
class LabeledLikelihood(MomentObjective):
    """Minus the log-likelihood of the labeled rows under the model of all rows.

    In whitened coordinates (see `Space`), with class weights n_k, sums s_k, means mu_k = s_k / n_k
    and W = I - sum_k s_k s_k' / n_k, it is up to a constant

        -sum_k l_k log n_k + L/2 log|W| + N/2 tr(W^-1 S),
        S = S_0 + sum_k l_k (m_k - mu_k)(m_k - mu_k)'.

    `counts` are l (together L), `means` m, `pooled` is S_0 and the penalty, `total_weight` N.
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
        means = (labeled.means - space.mean) @ space.functions.coef
        pooled = space.form(labeled.pooled) + space.penalty
        constant = 0.5 * labeled.total.weight * float(each)
        return cls(labeled.counts, means, pooled, space.total_weight, constant)

    def value(self, v: Matrix) -> float:
        """Minus the log-likelihood, O(K r^2)."""
        N, L = self.total_weight, float(self.counts.sum())
        spread = 0.5 * L * log_determinant(v)  # first, as it refuses a singular W
        offsets = self.means - v[:, 1:] / v[:, :1]
        trace = float(solve_within(v, self.pooled).trace())
        trace += float(self.counts @ np.sum(offsets * solve_within(v, offsets), axis=1))
        own = -float(self.counts @ np.log(v[:, 0] / N))
        return own + spread + 0.5 * N * trace + self.constant

    def gradient(self, v: AnyArray) -> AnyArray:
        """The gradient, O(K r^2)."""
        N, L = self.total_weight, float(self.counts.sum())
        mu, share = v[..., 1:] / v[..., :1], self.counts / v[..., 0]
        offsets = self.means - mu
        a = solve_within(v, mu)
        S_a = a @ self.pooled + (a @ offsets.swapaxes(-1, -2)) @ (self.counts[:, None] * offsets)
        Y_mu = 0.5 * L * a - 0.5 * N * solve_within(v, S_a)
        pull = N * share[..., None] * solve_within(v, offsets)
        weights = -share + np.sum(mu * (Y_mu + pull), axis=-1)
        return np.concatenate([weights[..., None], -2.0 * Y_mu - pull], axis=-1)


@dataclass(frozen=True)
class PessimisticObjective(MomentObjective):
    """The log-likelihood of the best model minus that of the supervised one.

    With W as in `LabeledLikelihood` it is, up to a constant,

        sum_k n_k log n_k - N/2 log|W| - sum_k (a_k n_k + b_k's_k),

    where a_k + b_k'z is the discriminant of the supervised model, `discriminants` (K x (1 + r)).
    """

    is_convex: ClassVar[bool] = True
    discriminants: Matrix
    constant: float
    total_weight: float

    @classmethod
    def of(cls, labeled: LabeledStatistics, space: Space) -> PessimisticObjective:
        """Against the supervised model, which must be a density on `space`."""
        N, r = space.total_weight, space.rank
        scatter = space.form(labeled.pooled) + space.penalty
        eigenvalues = np.linalg.eigvalsh(scatter)
        # Relative to the scatter of all rows, the identity, and to the labeled rows' part of it.
        if eigenvalues.min(initial=1.0) < RANK_CUT * labeled.total.weight / N:
            raise UnboundedLikelihoodError
        eigenvalues = eigenvalues / labeled.total.weight
        means = (labeled.means - space.mean) @ space.functions.coef
        slopes = np.linalg.solve(scatter / labeled.total.weight, means.T).T
        constants = np.log(labeled.counts / labeled.total.weight)
        constants = constants - 0.5 * np.sum(slopes * means, axis=1)
        # The traces come from the rows' scatter and the penalty, the identity in these coordinates.
        theirs = -0.5 * float(np.sum(1.0 / eigenvalues) + N * np.sum(np.log(eigenvalues)))
        ours = 0.5 * N * r * (np.log(N) - 1.0)
        return cls(np.column_stack([constants, slopes]), float(ours - theirs), N)

    def value(self, v: Matrix) -> float:
        """The contrast: how much higher the best model's log-likelihood is for these labels."""
        n = v[:, 0]
        own = float(n @ np.log(n / self.total_weight))
        own -= 0.5 * self.total_weight * log_determinant(v)
        return own - float(np.sum(self.discriminants * v)) + self.constant

    def gradient(self, v: AnyArray) -> AnyArray:
        """The discriminants of the best model minus the supervised ones."""
        N, mu = self.total_weight, v[..., 1:] / v[..., :1]
        slopes = N * solve_within(v, mu)
        constants = np.log(v[..., 0] / N) - 0.5 * np.sum(slopes * mu, axis=-1)
        # The derivative of n log n has a one beside the logarithm.
        best = np.concatenate([1.0 + constants[..., None], slopes], axis=-1)
        return np.asarray(best - self.discriminants)


def standardised_nearest_mean(labeled: LabeledStatistics, everything: Moments) -> Coefficients:
    """Discriminants of the nearest mean on standardised features; one label a class will do."""
    variances = everything.scatter.diagonal() / everything.weight
    priors, means = labeled.counts / labeled.total.weight, labeled.means - everything.mean
    return with_diagonal_covariance(priors, means, everything.mean, variances).discriminants


class SimplexClassifier(GaussianClassifier):
    """A Gaussian classifier by a search over soft labels."""

    _objective: ClassVar[type[LabeledLikelihood | PessimisticObjective]]
    _parameter_entries = "gaussian_alpha simplex_stopping unlabeled"
    _doc_entries: ClassVar[dict[str, str]] = {
        **GaussianClassifier._doc_entries,
        "simplex_stopping": """
tol : float, default=1e-10
    The gap to reach, in units of the log-likelihood of a row.
max_iter : int, default=500
    Newton steps for each start at the most.""",
        "log_likelihood_": """
log_likelihood_ : float
    The penalised log-likelihood of the labeled rows.""",
        "guaranteed_gain_": """
guaranteed_gain_ : float
    By how much the penalised log-likelihood of all rows exceeds that of the supervised model at
    the least, over all labelings of the unlabeled rows.""",
        "simplex_": """
soft_labels_ : ndarray of shape (U,) or (U, K)
    The labels of the unlabeled rows that were found, 1 for `classes_[1]`, or one column a class
    for more than two: those marked in y, in order, then those of X_unlabeled.
solution_ : tacit.family.SimplexSolution
    The same with status and gap.
n_iter_ : int
    Newton steps, of all starts together; 0 without unlabeled rows.""",
    }

    def __init__(
        self, alpha: float = 0.0, tol: float = 1e-10, max_iter: int = 500, unlabeled: Any = -1
    ) -> None:
        super().__init__(alpha, unlabeled)
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, data: TrainingData) -> None:
        rows = data.in_memory(f"{type(self).__name__} finds a label for every single row")
        with threads_for(data):
            labeled = statistics_of(data)
            everything = labeled.total + Moments.of(rows)
            model, space = self._supervised(labeled), Space.of(everything, self.alpha)
            sums = space.sums(labeled.sums(space.mean))
            if rows.n_rows:
                weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
                objective, Z = self._objective.of(labeled, space), space.functions.values(rows.X)
                starts = [np.tile(model.priors, (rows.n_rows, 1))]
                if not objective.is_convex:
                    nearest = standardised_nearest_mean(labeled, everything)
                    others = model.discriminants, nearest
                    starts = [posteriors(other, rows.X) for other in others] + starts
                moments = np.column_stack([weights, weights[:, None] * Z])
                problem = SimplexProblem(moments, sums, objective)
                solution = best_of_starts(problem, starts, self.tol, self.max_iter)
                model = lda_model(space, solution.moments)
            else:
                value, nothing = self._value_without_rows(labeled, space), np.zeros((0, len(sums)))
                total = labeled.total.weight
                solution = SimplexSolution(nothing, sums, value, 0.0, total, Status.EMPTY, 0)
        self._store_model(model)
        self.soft_labels_ = as_soft_labels(solution.soft_labels)
        self.solution_, self.n_iter_ = solution, solution.n_iter
        if not solution.status.is_success:
            self._warn(
                f"stopped with status {solution.status.value!r} at a gap of "
                f"{solution.relative_gap():.2g} a row, above the tolerance tol={self.tol:g}; raise "
                f"max_iter (now {self.max_iter}) or tol, or set alpha > 0"
            )

    def _value_without_rows(self, labeled: LabeledStatistics, space: Space) -> float:
        """The objective where there is nothing to label."""
        return 0.0


class ICLDAClassifier(SimplexClassifier):
    r"""Implicitly constrained linear discriminant analysis (Krijthe & Loog 2014).

    Of all models that discriminant analysis gives for some soft labeling of the unlabeled rows, the
    one with the highest likelihood on the labeled rows:

    .. math:: \max_{u} \sum_{i \le L} \log p(x_i, y_i; \hat\theta(u)), \qquad
        \hat\theta(u) = \arg\max_\theta \sum_i \log p(x_i, y_i; \theta)
        + \sum_{jk} u_{jk} \log p(x_j, k; \theta).

    What ICLS is for the squared loss.

    $sections

    $lda_twin

    Notes
    -----
    The labels matter only through class weights and sums, so a Newton step costs O(U d^2 + d^3)
    for two classes. The problem is not convex: the gap bounds how fast any labeling could improve,
    to first order, and vanishes at stationary points. Three starts are tried, the supervised
    posteriors, those of the nearest mean on standardised features, and the class priors, then the
    mean of their answers where these differ, and the best answer is kept. Fewer labels than
    features are no obstacle as long as all rows together determine the covariance.

    $example
    """

    _example_accuracy = 0.94
    _objective = LabeledLikelihood
    _attribute_entries = f"{GaussianClassifier._attribute_entries} simplex_ log_likelihood_"

    def _fit(self, data: TrainingData) -> None:
        super()._fit(data)
        self.log_likelihood_ = -self.solution_.objective

    def _value_without_rows(self, labeled: LabeledStatistics, space: Space) -> float:
        try:
            return LabeledLikelihood.of(labeled, space).value(space.sums(labeled.sums(space.mean)))
        except UnboundedLikelihoodError:  # the twin has no maximum either
            return -np.inf


class MCPLDAClassifier(SimplexClassifier):
    r"""Maximum contrastive pessimistic likelihood discriminant analysis (Loog 2016).

    The model whose gain in likelihood over the supervised model, on all rows and for the worst
    labels of the unlabeled ones, is the largest:

    .. math:: \max_\theta \min_{q} \sum_i \log \frac{p(x_i, y_i; \theta)}{p(x_i, y_i; \theta_{sup})}
        + \sum_{jk} q_{jk} \log \frac{p(x_j, k; \theta)}{p(x_j, k; \theta_{sup})}.

    The gain is never negative, whatever the labels are: `guaranteed_gain_`.

    $sections

    $lda_twin

    Notes
    -----
    For fixed labels q the best model is a closed form, and what remains is a convex function of q,
    minimised by an interior-point method, O(U d^2 + d^3) a step for two classes. At its solution
    the worst labels for the model are a closed form too; the difference of both values is the
    duality gap, on which it stops. The supervised model must be a density: where the labeled rows
    do not determine the covariance (as with L < d + K), alpha > 0 is needed.

    $example
    """

    _example_accuracy = 0.89
    _objective = PessimisticObjective
    _attribute_entries = f"{GaussianClassifier._attribute_entries} simplex_ guaranteed_gain_"

    def _fit(self, data: TrainingData) -> None:
        super()._fit(data)
        self.guaranteed_gain_ = self.solution_.objective - self.solution_.gap()
