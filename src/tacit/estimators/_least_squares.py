"""The supervised classifier that all others start from."""

from __future__ import annotations

from typing import Any

from tacit.estimators._linear import LinearClassifier, read_alpha
from tacit.estimators._training import all_or_nothing, read_training_data
from tacit.solver._least_squares import fit_least_squares, supervised_basis


class LeastSquaresClassifier(LinearClassifier):
    r"""Supervised least squares classification: regression on the class labels.

    Minimises :math:`\sum_i w_i (x_i'\beta - y_i)^2 + \alpha \|\beta\|^2` over the labeled rows,
    with y the indicator of `classes_[1]` (one indicator a class for more than two classes), and
    decides at one half. Unlabeled rows are accepted and ignored, so that it can stand beside the
    semi-supervised classifiers in any comparison.

    Parameters
    ----------
    alpha : float or "loo", default=0.0
        Ridge penalty, never on the intercept. "loo" chooses the penalty with the smallest
        leave-one-out squared error on the labeled rows, from 41 values a quarter of a decade apart
        around the features' own scale, by one singular value decomposition and no refits.
    fit_intercept : bool, default=True
        Whether to fit a constant.
    unlabeled : object, default=-1
        The value of y that marks an unlabeled row, besides None, NaN and pandas NA, which always
        do. None: no other mark, so that -1 can be a class.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    coef_ : ndarray of shape (1, d) or (K, d)
        Coefficients; the decision is `X @ coef_.T + intercept_`.
    intercept_ : ndarray of shape (1,) or (K,)
        The regression's constant minus 1/2.
    alpha_ : float
        The penalty used.
    rank_ : int
        The number of directions that the labeled rows determine, the intercept's included.
    n_features_in_ : int
        Features seen in `fit`.
    feature_names_in_ : ndarray of shape (d,)
        Their names, where X had any.

    Notes
    -----
    Costs O(L d^2 + d^3). Directions whose eigenvalue in the Gram matrix of the scaled and
    centred columns is below the square root of the machine precision times the largest count as
    undetermined; among equally good coefficients the shortest are taken (pseudo-inverse).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from tacit import LeastSquaresClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> round(LeastSquaresClassifier(alpha="loo").fit(X, y).score(X, y), 2)
    0.96
    """

    def __init__(
        self, alpha: float | str = 0.0, fit_intercept: bool = True, unlabeled: Any = -1
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.unlabeled = unlabeled

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None
    ) -> LeastSquaresClassifier:
        """Fit on the labeled rows.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        y : array-like of shape (n,)
            Labels; rows marked as unlabeled are ignored.
        X_unlabeled : array-like of shape (m, d), optional
            Checked and ignored.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights.

        Returns
        -------
        LeastSquaresClassifier
            The fitted classifier.
        """
        with all_or_nothing(self):
            data = read_training_data(self, X, y, X_unlabeled, sample_weight, self.unlabeled)
            alpha = read_alpha(self.alpha, data.X, data.targets, data.weights, self.fit_intercept)
            basis, _ = supervised_basis(data.X, data.weights, alpha, self.fit_intercept)
            self._store(fit_least_squares(basis, data.X, data.targets, data.weights))
            self.classes_ = data.classes
            self.alpha_ = alpha
            self.rank_ = basis.rank
        return self
