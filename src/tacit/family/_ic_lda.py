"""Implicitly constrained linear discriminant analysis."""

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
    LabeledLikelihood,
    SimplexProblem,
    SimplexSolution,
    Space,
    UnboundedLikelihoodError,
    as_soft_labels,
    best_of_starts,
    lda_model,
    posteriors,
    standardised_nearest_mean,
    supervised_lda,
)
from tacit.rows import Moments


class ICLDAClassifier(GaussianClassifier):
    r"""Implicitly constrained linear discriminant analysis (Krijthe & Loog 2014).

    Of all models that discriminant analysis gives for some soft labeling of the unlabeled rows, the
    one with the highest likelihood on the labeled rows:

    .. math:: \max_{u} \sum_{i \le L} \log p(x_i, y_i; \hat\theta(u)), \qquad
        \hat\theta(u) = \arg\max_\theta \sum_i \log p(x_i, y_i; \theta)
        + \sum_{jk} u_{jk} \log p(x_j, k; \theta).

    What ICLS is for the squared loss.

    Parameters
    ----------
    alpha : float, default=0.0
        Added to the diagonal of the pooled scatter matrix: the model maximises the log-likelihood
        minus :math:`\tfrac\alpha2\operatorname{tr}\Sigma^{-1}`.
    tol : float, default=1e-10
        The gap to reach, in units of the log-likelihood of a row.
    max_iter : int, default=500
        Newton steps for each start at the most.
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
        The imputed labels of the unlabeled rows, 1 for `classes_[1]`, or one column a class
        for more than two: those marked in y, in order, then those of X_unlabeled.
    log_likelihood_ : float
        The penalised log-likelihood of the labeled rows.
    solution_ : tacit.family.generative.SimplexSolution
        The best solution found, with status and gap.
    n_iter_ : int
        Newton steps, of all starts together; 0 without unlabeled rows.
    n_features_in_ : int
        Features seen in `fit`.
    feature_names_in_ : ndarray of shape (d,)
        Their names, where X had any.

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
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from tacit.family import ICLDAClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> partly = y.copy()
    >>> partly[np.arange(len(y)) % 10 > 0] = -1  # 57 labels, 512 unlabeled rows
    >>> round(ICLDAClassifier().fit(X, partly).score(X, y), 2)
    0.94
    """

    covariance_: Matrix
    soft_labels_: Matrix
    solution_: SimplexSolution
    n_iter_: int
    log_likelihood_: float

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
    ) -> ICLDAClassifier:
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
        ICLDAClassifier
            The fitted classifier.
        """
        with all_or_nothing(self):
            alpha = check_alpha(self.alpha)
            check_stopping(self.tol, self.max_iter, "the gap of a row to reach")
            data = read_training_data(self, X, y, X_unlabeled, sample_weight, self.unlabeled)
            rows = in_memory(data, "ICLDAClassifier")
            with threads_for(data):
                labeled = statistics_of(data)
                everything = labeled.total + Moments.of(rows)
                space = Space.of(everything, alpha)
                model = supervised_lda(labeled, alpha)
                objective = LabeledLikelihood.of(labeled, space)
                sums = space.sums(labeled.sums(space.mean))
                if rows.n_rows:
                    Z = space.coordinates(rows.X)
                    starts = [
                        posteriors(model.discriminants, rows.X),
                        posteriors(standardised_nearest_mean(labeled, everything), rows.X),
                        np.tile(model.priors, (rows.n_rows, 1)),
                    ]
                    problem = SimplexProblem(Z, weights_of(rows), sums, objective)
                    solution = best_of_starts(problem, starts, self.tol, self.max_iter)
                    model = lda_model(space, solution.moments)
                else:
                    solution = SimplexSolution.without_rows(sums, _value(objective, sums))
            self._store_model(model, data)
            self.soft_labels_ = as_soft_labels(solution.soft_labels)
            self.solution_, self.n_iter_ = solution, solution.n_iter
            self.log_likelihood_ = -solution.objective
            self._warn_about_gap(solution, self.tol, self.max_iter)
        return self


def _value(objective: LabeledLikelihood, sums: Matrix) -> float:
    """The objective without unlabeled rows, whose maximum the twin may not attain."""
    try:
        return objective.value(sums)
    except UnboundedLikelihoodError:
        return -np.inf
