"""Classifiers that tune themselves on however few labels there are."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.utils import _safe_indexing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit._typing import AnyArray
from tacit.estimators import LeastSquaresClassifier, SelfLearningClassifier
from tacit.estimators.labels import read_labels
from tacit.selection.logistic import choose_penalty

# Decades from "all but the intercept is shrunk away" to "all but unpenalised", for features of unit
# variance.
PENALTIES = tuple(10.0**k for k in range(-4, 3))
MAX_FOLDS = 5


class TunedLogisticRegression(ClassifierMixin, BaseEstimator):
    """Logistic regression whose penalty is chosen by cross-validated log loss.

    Unlike scikit-learn's `LogisticRegressionCV` it needs no number of folds: there are five, fewer
    where a class has fewer labels, and with a single label of some class nothing is tuned.

    Parameters
    ----------
    penalties : sequence of float
        Values of `C` to choose from; features should have about unit variance.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    estimator_ : LogisticRegression
        The fit on all rows.
    C_ : float
        The chosen inverse penalty.
    n_features_in_ : int
        Features seen in `fit`.
    """

    classes_: AnyArray

    def __init__(self, penalties: tuple[float, ...] = PENALTIES) -> None:
        self.penalties = penalties

    def fit(self, X: Any, y: Any) -> TunedLogisticRegression:
        """Choose the penalty and fit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Labeled rows.
        y : array-like of shape (n,)
            Their labels, all known.

        Returns
        -------
        TunedLogisticRegression
            The fitted classifier.
        """
        X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr")
        check_classification_targets(y)
        classes, counts = np.unique(y, return_counts=True)
        if len(classes) < 2:
            raise ValueError(
                f"y has labels of only one class, {classes.tolist()[0]!r}; at least two are needed."
            )
        smallest = int(counts.min())
        self.C_ = 1.0
        if smallest > 1:
            self.C_ = choose_penalty(X, y, self.penalties, min(MAX_FOLDS, smallest))
        self.estimator_ = LogisticRegression(C=self.C_, max_iter=1000).fit(X, y)
        self.classes_ = self.estimator_.classes_
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def predict(self, X: Any) -> Any:
        """The more probable class of each row.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n,)
            Members of `classes_`.
        """
        X = self._checked(X)
        return self.estimator_.predict(X)

    def decision_function(self, X: Any) -> Any:
        """The log-odds of each row.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n,) or (n, K)
            As scikit-learn's LogisticRegression has it.
        """
        X = self._checked(X)
        return self.estimator_.decision_function(X)

    def predict_proba(self, X: Any) -> Any:
        """The class probabilities of each row.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n, K)
            In the order of `classes_`.
        """
        X = self._checked(X)
        return self.estimator_.predict_proba(X)

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=np.float64, accept_sparse="csr")


class TunedSelfLearningClassifier(ClassifierMixin, BaseEstimator):
    """Self-learning that starts from the tuned ridge and keeps its penalty.

    The penalty is chosen once, by leave-one-out on the labeled rows, so that all refits share one
    factorisation; `SelfLearningClassifier(LeastSquaresClassifier(alpha="loo"))` would choose it
    again at each refit, on labels that it made up itself, at some twenty times the cost.

    Parameters
    ----------
    max_iter : int, default=100
        Refits at the most.
    unlabeled : object, default=-1
        The value of y that marks an unlabeled row, besides None, NaN and pandas NA.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    estimator_ : SelfLearningClassifier
        The fit, with its certificate.
    alpha_ : float
        The penalty of the supervised start.
    n_features_in_ : int
        Features seen in `fit`.
    """

    classes_: AnyArray

    def __init__(self, max_iter: int = 100, unlabeled: Any = -1) -> None:
        self.max_iter = max_iter
        self.unlabeled = unlabeled

    def fit(self, X: Any, y: Any) -> TunedSelfLearningClassifier:
        """Choose the penalty on the labeled rows, then learn from all.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Rows, labeled and unlabeled.
        y : array-like of shape (n,)
            Labels, and marks for unlabeled rows.

        Returns
        -------
        TunedSelfLearningClassifier
            The fitted classifier.
        """
        labels = read_labels(y, self.unlabeled)
        rows = _safe_indexing(X, np.flatnonzero(labels.is_labeled))
        tuned = LeastSquaresClassifier(alpha="loo", unlabeled=None).fit(rows, labels.values)
        self.alpha_ = tuned.alpha_
        base = LeastSquaresClassifier(alpha=self.alpha_, unlabeled=self.unlabeled)
        model = SelfLearningClassifier(base, max_iter=self.max_iter, unlabeled=self.unlabeled)
        self.estimator_ = model.fit(X, y)
        self.classes_ = self.estimator_.classes_
        self.n_features_in_ = self.estimator_.n_features_in_
        return self

    def predict(self, X: Any) -> Any:
        """The class of each row.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n,)
            Members of `classes_`.
        """
        check_is_fitted(self)
        return self.estimator_.predict(X)

    def decision_function(self, X: Any) -> Any:
        """The regression value minus one half, by the last refit.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n,) or (n, K)
            As LeastSquaresClassifier has it.
        """
        check_is_fitted(self)
        return self.estimator_.decision_function(X)
