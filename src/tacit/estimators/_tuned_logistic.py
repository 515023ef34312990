"""The other supervised classifier that careful users would fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit._typing import AnyArray, Matrix
from tacit.estimators._labels import ScoresLabeledRows
from tacit.estimators._logistic_penalty import choose_penalty
from tacit.estimators._training import DTYPES, all_or_nothing, read_training_data

# Decades from "all but the intercept is shrunk away" to "all but unpenalised", for features of unit
# variance.
PENALTIES = tuple(10.0**k for k in range(-4, 3))
MAX_FOLDS = 5


class TunedLogisticRegression(ScoresLabeledRows, ClassifierMixin, BaseEstimator):
    """Supervised logistic regression whose penalty is chosen by cross-validated log loss.

    The baseline beside the tuned ridge: a semi-supervised method that does not beat it has not
    shown that unlabeled rows are worth anything. Unlike scikit-learn's `LogisticRegressionCV` it
    needs no number of folds: there are five, fewer where a class has fewer labels, and with a
    single label of some class nothing is tuned. Unlabeled rows are accepted and ignored.

    Parameters
    ----------
    penalties : sequence of float
        Values of `C` to choose from; features should have about unit variance.
    unlabeled : object, default=-1
        The value of y that marks an unlabeled row, besides None, NaN and pandas NA, which always
        do. None: no other mark, so that -1 can be a class.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    estimator_ : LogisticRegression
        The fit on all labeled rows.
    C_ : float
        The chosen inverse penalty.
    coef_, intercept_ : ndarray
        Those of `estimator_`.
    n_features_in_ : int
        Features seen in `fit`.
    feature_names_in_ : ndarray of shape (d,)
        Their names, where X had any.

    Notes
    -----
    Choosing costs some six Newton steps of O(L r^2 + r^3) for each fold and penalty, with
    r = min(L, d).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from tacit import TunedLogisticRegression
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> model = TunedLogisticRegression().fit(X[:40], y[:40])
    >>> model.score(X[40:], y[40:]) > 0.9
    True
    """

    classes_: AnyArray
    coef_: Matrix
    intercept_: Matrix
    C_: float

    def __init__(self, penalties: Sequence[float] = PENALTIES, unlabeled: Any = -1) -> None:
        self.penalties = penalties
        self.unlabeled = unlabeled

    def fit(self, X: Any, y: Any, X_unlabeled: Any = None) -> TunedLogisticRegression:
        """Choose the penalty and fit, on the labeled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Rows.
        y : array-like of shape (n,)
            Labels; rows marked as unlabeled are ignored.
        X_unlabeled : array-like of shape (m, d), optional
            Checked and ignored.

        Returns
        -------
        TunedLogisticRegression
            The fitted classifier.
        """
        penalties = self._read_penalties()
        with all_or_nothing(self):
            data = read_training_data(self, X, y, X_unlabeled, None, self.unlabeled)
            smallest = int(np.bincount(data.codes).min())
            self.C_ = 1.0
            if smallest > 1:
                n_folds = min(MAX_FOLDS, smallest)
                self.C_ = choose_penalty(data.X, data.codes, penalties, n_folds)
            model = LogisticRegression(C=self.C_, max_iter=1000)
            self.estimator_ = model.fit(data.X, data.classes[data.codes])
            self.classes_ = data.classes
            self.coef_, self.intercept_ = self.estimator_.coef_, self.estimator_.intercept_
        return self

    def _read_penalties(self) -> Sequence[float]:
        numeric = np.asarray(self.penalties)
        if numeric.ndim != 1 or not len(numeric) or numeric.dtype.kind not in "iuf":
            raise ValueError(f"penalties is {self.penalties!r}; it must be a list of numbers.")
        if not (np.isfinite(numeric) & (numeric > 0)).all():
            raise ValueError(f"penalties has {self.penalties!r}; all must be positive and finite.")
        return [float(penalty) for penalty in numeric]

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
        return validate_data(self, X, reset=False, dtype=DTYPES, accept_sparse="csr")
