"""Maximum contrastive pessimistic likelihood for discriminant analysis."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit._typing import Matrix
from tacit.estimators._training import all_or_nothing, read_training_data
from tacit.family._generative import (
    GaussianClassifier,
    check_alpha,
    check_stopping,
    in_memory,
    statistics_of,
    threads_for,
    weights_of,
)
from tacit.family.generative import (
    PessimisticObjective,
    SimplexProblem,
    SimplexSolution,
    Space,
    as_soft_labels,
    lda_model,
    solve_simplex,
    supervised_lda,
)
from tacit.rows import Moments


class MCPLDAClassifier(GaussianClassifier):
    r"""Maximum contrastive pessimistic likelihood discriminant analysis (Loog 2016).

    The model whose gain in likelihood over the supervised model, on all rows and for the worst
    labels of the unlabeled ones, is the largest:

    .. math:: \max_\theta \min_{q} \sum_i \log \frac{p(x_i, y_i; \theta)}{p(x_i, y_i; \theta_{sup})}
        + \sum_{jk} q_{jk} \log \frac{p(x_j, k; \theta)}{p(x_j, k; \theta_{sup})}.

    The gain is never negative, whatever the labels are: `guaranteed_gain_`.

    Parameters
    ----------
    alpha : float, default=0.0
        Added to the diagonal of the pooled scatter matrix: the model maximises the log-likelihood
        minus :math:`\tfrac\alpha2\operatorname{tr}\Sigma^{-1}`. Needed
        where the labeled rows do not determine the covariance.
    tol : float, default=1e-10
        The gap to reach, in units of the log-likelihood of a row.
    max_iter : int, default=500
        Newton steps at the most.
    unlabeled : object, default=-1
        The value of y that marks an unlabeled row, besides None, NaN and pandas NA, which always
        do. None: no other mark, so that -1 can be a class.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    coef_ : ndarray of shape (1, d) or (K, d)
        Slopes of the discriminants; of the logarithm of the odds for two classes.
    intercept_ : ndarray of shape (1,) or (K,)
        Their constants.
    priors_ : ndarray of shape (K,)
        Probabilities of the classes.
    means_ : ndarray of shape (K, d)
        Means of the classes.
    covariance_ : ndarray of shape (d, d)
        The covariance within each class, the penalty included.
    soft_labels_ : ndarray of shape (U,) or (U, K)
        The worst labels of the unlabeled rows, 1 for `classes_[1]`, or one column a class
        for more than two: those marked in y, in order, then those of X_unlabeled.
    guaranteed_gain_ : float
        By how much the penalised log-likelihood of all rows exceeds that of the supervised model at
        the least, over all labelings of the unlabeled rows.
    solution_ : tacit.family.generative.SimplexSolution
        The worst labels, with status and duality gap.
    n_iter_ : int
        Newton steps; 0 without unlabeled rows.
    n_features_in_ : int
        Features seen in `fit`.
    feature_names_in_ : ndarray of shape (d,)
        Their names, where X had any.

    See Also
    --------
    LDAClassifier : The supervised twin.

    Notes
    -----
    For fixed labels q the best model is a closed form, and what remains is a convex function of q,
    minimised by an interior-point method at O(U d^2) a Newton step for two classes. At its solution
    the worst labels for the model are a closed form too; the difference of both values is the
    duality gap, on which it stops. The supervised model must be a density: where the labeled rows
    do not determine the covariance (as with L < d + K), alpha > 0 is needed.

    References
    ----------
    Loog, Contrastive pessimistic likelihood estimation for semi-supervised classification, IEEE
    Transactions on Pattern Analysis and Machine Intelligence 38, 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from tacit.family import MCPLDAClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> partly = y.copy()
    >>> partly[np.arange(len(y)) % 10 > 0] = -1  # 57 labels, 512 unlabeled rows
    >>> round(MCPLDAClassifier().fit(X, partly).score(X, y), 2)
    0.89
    """

    covariance_: Matrix
    soft_labels_: Matrix
    solution_: SimplexSolution
    n_iter_: int
    guaranteed_gain_: float

    def __init__(
        self,
        alpha: float = 0.0,
        tol: float = 1e-10,
        max_iter: int = 500,
        unlabeled: Any = -1,
    ) -> None:
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.unlabeled = unlabeled

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None
    ) -> MCPLDAClassifier:
        """Fit on labeled and unlabeled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Rows, labeled and unlabeled.
        y : array-like of shape (n,)
            Labels, and marks for unlabeled rows.
        X_unlabeled : array-like or sparse matrix of shape (m, d), optional
            More unlabeled rows of the same features, of weight one.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights of the rows of X.

        Returns
        -------
        MCPLDAClassifier
            The fitted classifier.
        """
        with all_or_nothing(self):
            alpha = check_alpha(self.alpha)
            check_stopping(self.tol, self.max_iter, "the duality gap of a row to reach")
            data = read_training_data(self, X, y, X_unlabeled, sample_weight, self.unlabeled)
            rows = in_memory(data, "MCPLDAClassifier")
            with threads_for(data):
                labeled = statistics_of(data)
                model = supervised_lda(labeled, alpha)
                space = Space.of(labeled.total + Moments.of(rows), alpha)
                sums = space.sums(labeled.sums(space.mean))
                if rows.n_rows:
                    Z, start = space.coordinates(rows.X), np.tile(model.priors, (rows.n_rows, 1))
                    objective = PessimisticObjective.of(labeled, space)
                    problem = SimplexProblem(Z, weights_of(rows), sums, objective)
                    solution = solve_simplex(problem, start, self.tol, self.max_iter)
                    model = lda_model(space, solution.moments)
                else:
                    solution = SimplexSolution.without_rows(sums, 0.0)
            self._store_model(model, data)
            self.soft_labels_ = as_soft_labels(solution.soft_labels)
            self.solution_, self.n_iter_ = solution, solution.n_iter
            self.guaranteed_gain_ = solution.objective - solution.gap()
            self._warn_about_gap(solution, self.tol, self.max_iter)
        return self
