"""Logistic regression that tunes itself agrees with one that is tuned by others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from tacit import TunedLogisticRegression
from tacit.estimators._tuned_logistic import PENALTIES, choose_penalty, fit_logistic
from tests.selection.tables import two_classes


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("shape", [(40, 3), (20, 30)])
def test_newton_finds_the_coefficients_of_scikit_learn(C: float, shape: tuple[int, int]) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=shape)
    y = (X[:, 0] + random.normal(size=shape[0]) > 0).astype(float)
    ones = np.ones(len(X))
    beta = fit_logistic(np.column_stack([X, ones]), y, ones, C, np.zeros(shape[1] + 1))
    theirs = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X, y)

    def objective(coef: Any, intercept: float) -> float:
        signs = np.where(y > 0, 1.0, -1.0)
        return C * np.logaddexp(0.0, -signs * (X @ coef + intercept)).sum() + 0.5 * coef @ coef

    best = objective(theirs.coef_[0], theirs.intercept_[0])
    assert objective(beta[:-1], beta[-1]) == pytest.approx(best, rel=1e-3)
    if C <= 1.0:  # with hardly a penalty, many coefficients are nearly as good
        decisions = theirs.decision_function(X)
        assert X @ beta[:-1] + beta[-1] == pytest.approx(decisions, rel=0.02, abs=0.01)


@pytest.mark.parametrize("d", [4, 60])
@pytest.mark.parametrize("seed", range(3))
def test_the_penalty_is_that_of_a_search_by_refits(d: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    X = random.normal(size=(50, d))
    y = (X[:, 0] + 0.5 * random.normal(size=50) > 0).astype(int)
    losses = []
    for C in PENALTIES:
        loss = 0.0
        for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
            model = LogisticRegression(C=C, tol=1e-8, max_iter=10_000).fit(X[train], y[train])
            loss += log_loss(y[test], model.predict_proba(X[test])) * len(test)
        losses.append(loss)
    assert choose_penalty(X, y, PENALTIES, 5) == PENALTIES[int(np.argmin(losses))]


def test_logistic_regression_does_without_tuning_where_a_class_has_one_label() -> None:
    X, y = two_classes(n_labeled=12, n_unlabeled=0)
    y[np.flatnonzero(y == 1)[1:]] = 0
    assert TunedLogisticRegression().fit(X, y).C_ == 1.0


def test_logistic_regression_tunes_on_three_classes() -> None:
    random = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = random.normal(size=(60, 4)) + 2.0 * np.eye(4)[y]
    model = TunedLogisticRegression().fit(X, y)
    assert model.predict_proba(X).shape == (60, 3)
    assert model.score(X, y) > 0.7


def test_unlabeled_rows_are_ignored() -> None:
    X, y = two_classes()
    known = y != -1
    model = TunedLogisticRegression().fit(X, y)
    expected = TunedLogisticRegression().fit(X[known], y[known])
    assert (model.coef_ == expected.coef_).all()


@pytest.mark.parametrize("penalties", [(), (1.0, -1.0), ("a",), 1.0, (np.nan,)])
def test_penalties_that_are_none_are_refused(penalties: Any) -> None:
    X, y = two_classes()
    with pytest.raises(ValueError, match="penalties"):
        TunedLogisticRegression(penalties).fit(X, y)
