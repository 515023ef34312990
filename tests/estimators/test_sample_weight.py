"""Weights of rows, labeled and unlabeled."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from tacit import (
    ICLSClassifier,
    KernelICLSClassifier,
    LeastSquaresClassifier,
    SelfLearningClassifier,
    TacitClassifier,
)
from tests.estimators.tables import ALL, SEMI_SUPERVISED, assert_same_model, partly_labeled
from tests.optional import pd

DATA = partly_labeled(n_labeled=14, n_unlabeled=30)


def integer_weights(lowest: int) -> np.ndarray:
    return np.random.default_rng(3).integers(lowest, 4, size=len(DATA.X))


CASES = [(estimator, chosen) for estimator in ALL for chosen in ({}, {"ridge": True})]


def make(estimator: Any, chosen: dict[str, Any]) -> Any:
    if not chosen:
        return estimator()
    if estimator is SelfLearningClassifier:
        return estimator(LeastSquaresClassifier(alpha=0.7))
    return estimator(alpha=0.7)


@pytest.mark.parametrize(("estimator", "chosen"), CASES)
def test_integer_weights_equal_repeated_rows(estimator: Any, chosen: dict[str, Any]) -> None:
    weights = integer_weights(lowest=1)
    repeated = np.repeat(np.arange(len(DATA.X)), weights)
    weighted = make(estimator, chosen).fit(DATA.X, DATA.marked, sample_weight=weights)
    plain = make(estimator, chosen).fit(DATA.X[repeated], DATA.marked[repeated])
    assert_same_model(weighted, plain)
    unweighted = make(estimator, chosen).fit(DATA.X, DATA.marked)
    assert not np.allclose(weighted.coef_, unweighted.coef_, rtol=1e-3)


@pytest.mark.parametrize(("estimator", "chosen"), CASES)
def test_rows_of_weight_zero_might_as_well_not_be_there(
    estimator: Any, chosen: dict[str, Any]
) -> None:
    weights = np.minimum(integer_weights(lowest=0), 1)
    kept = weights > 0
    weighted = make(estimator, chosen).fit(DATA.X, DATA.marked, sample_weight=weights)
    fewer = make(estimator, chosen).fit(DATA.X[kept], DATA.marked[kept])
    assert 0 < kept.sum() < len(kept)
    assert_same_model(weighted, fewer)


@pytest.mark.parametrize(
    "model", [ICLSClassifier(), KernelICLSClassifier("linear", alpha=0.0)], ids=repr
)
def test_rows_of_weight_zero_do_not_count_where_columns_outnumber_rows(model: Any) -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(30, 40)), random.integers(0, 2, 30)
    y[:2], y[10:] = (0, 1), -1
    weighted = clone(model).fit(X, y, sample_weight=np.arange(30) < 25)
    fewer = clone(model).fit(X[:25], y[:25])
    np.testing.assert_allclose(weighted.decision_function(X), fewer.decision_function(X), atol=1e-8)
    assert weighted.certificate_.supervised_in_set == fewer.certificate_.supervised_in_set


@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
def test_weights_count_in_the_certificate(estimator: Any) -> None:
    weights = integer_weights(lowest=1)
    repeated = np.repeat(np.arange(len(DATA.X)), weights)
    weighted = estimator().fit(DATA.X, DATA.marked, sample_weight=weights).certificate_
    plain = estimator().fit(DATA.X[repeated], DATA.marked[repeated]).certificate_
    for name in ("worst_change", "best_change", "labeled_change", "guaranteed_improvement"):
        first, second = getattr(weighted, name), getattr(plain, name)
        assert (first is None) == (second is None)
        if first is not None:
            assert first == pytest.approx(second, abs=1e-9)
    assert weighted.n_labeled + weighted.n_unlabeled == len(DATA.X)


@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
def test_soft_labels_keep_a_place_for_unlabeled_rows_of_weight_zero(estimator: Any) -> None:
    weights = np.ones(len(DATA.X))
    weights[np.flatnonzero(~DATA.known)[:5]] = 0.0
    model = estimator().fit(DATA.X, DATA.marked, sample_weight=weights)
    assert model.soft_labels_.shape == (len(DATA.pool),)


@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
def test_unlabeled_rows_that_all_weigh_nothing_leave_the_supervised_model(estimator: Any) -> None:
    model = estimator().fit(DATA.X, DATA.marked, sample_weight=DATA.known.astype(float))
    assert_same_model(model, LeastSquaresClassifier().fit(*DATA.labeled))


@pytest.mark.parametrize("estimator", ALL)
def test_one_common_weight_changes_nothing_without_a_penalty(estimator: Any) -> None:
    plain = estimator().fit(DATA.X, DATA.marked)
    scalar = estimator().fit(DATA.X, DATA.marked, sample_weight=3)
    equal = estimator().fit(DATA.X, DATA.marked, sample_weight=np.full(len(DATA.X), 3.0))
    assert_same_model(scalar, plain)
    assert_same_model(equal, plain)


def test_with_a_penalty_weight_and_penalty_trade_off() -> None:
    heavy = ICLSClassifier(alpha=6.0).fit(DATA.X, DATA.marked, sample_weight=3.0)
    assert_same_model(heavy, ICLSClassifier(alpha=2.0).fit(DATA.X, DATA.marked))


@pytest.mark.parametrize("estimator", SEMI_SUPERVISED)
@pytest.mark.parametrize("n_marked", [0, 10])
def test_rows_apart_have_weight_one(estimator: Any, n_marked: int) -> None:
    X, y = DATA.labeled
    X = np.concatenate([X, DATA.pool[:n_marked]])
    y = np.concatenate([y, np.full(n_marked, -1)])
    rest = DATA.pool[n_marked:]
    weights = np.arange(1.0, len(X) + 1)
    apart = estimator().fit(X, y, rest, sample_weight=weights)
    together = estimator().fit(
        np.concatenate([X, rest]),
        np.concatenate([y, np.full(len(rest), -1)]),
        sample_weight=np.concatenate([weights, np.ones(len(rest))]),
    )
    assert_same_model(apart, together)


@pytest.mark.parametrize("kind", [list, tuple, "Series", np.float32, np.int64])
def test_weights_can_be_any_sequence_of_numbers(kind: Any) -> None:
    weights = integer_weights(lowest=1)
    given = (
        weights.astype(kind)
        if isinstance(kind, type) and issubclass(kind, np.generic)
        else (pd.Series if kind == "Series" else kind)(weights)
    )
    model = ICLSClassifier().fit(DATA.X, DATA.marked, sample_weight=given)
    reference = ICLSClassifier().fit(DATA.X, DATA.marked, sample_weight=weights)
    assert_same_model(model, reference)


def test_a_class_all_of_whose_rows_weigh_nothing_is_no_class() -> None:
    data = partly_labeled(n_classes=3, n_labeled=12)
    weights = np.where(data.marked == 1, 0.0, 1.0)
    model = LeastSquaresClassifier().fit(data.X, data.marked, sample_weight=weights)
    assert model.classes_.tolist() == [0, 2]
    binary = ICLSClassifier().fit(data.X, data.marked, sample_weight=weights)
    assert binary.classes_.tolist() == [0, 2]


def test_self_learning_passes_weights_on_to_its_base() -> None:
    weights = integer_weights(lowest=1)
    repeated = np.repeat(np.arange(len(DATA.X)), weights)
    base = LogisticRegression(C=0.5, tol=1e-10)
    weighted: Any = SelfLearningClassifier(base).fit(DATA.X, DATA.marked, sample_weight=weights)
    plain: Any = SelfLearningClassifier(base).fit(DATA.X[repeated], DATA.marked[repeated])
    assert_same_model(weighted, plain, rtol=1e-4)
    assert weighted.certificate_.worst_change == pytest.approx(
        plain.certificate_.worst_change, abs=1e-5
    )


def test_self_learning_refuses_weights_that_its_base_cannot_take() -> None:
    model = SelfLearningClassifier(KNeighborsClassifier(3))
    with pytest.raises(ValueError, match=r"sample_weight was given.*KNeighborsClassifier does not"):
        model.fit(DATA.X, DATA.marked, sample_weight=np.ones(len(DATA.X)))


BAD = {
    "negative": (np.r_[-2.5, np.ones(43)], r"sample_weight contains -2\.5; .* zero or positive"),
    "negative scalar": (-1, r"sample_weight contains -1; .* zero or positive"),
    "NaN": (np.r_[np.nan, np.ones(43)], r"sample_weight contains nan; .* finite"),
    "infinite": (np.r_[np.inf, np.ones(43)], r"sample_weight contains inf; .* finite"),
    "too short": (np.ones(14), r"sample_weight\.shape == \(14,\), expected \(44,\).*unlabeled"),
    "two columns": (np.ones((44, 2)), r"sample_weight\.shape == \(44, 2\), expected \(44,\)"),
    "words": (["a"] * 44, r"sample_weight is not one number for every row: .*'a'"),
    "ragged": ([[1], [1, 2]], r"sample_weight is not one number for every row"),
    "far too large": (np.r_[1e154, np.ones(43)], r"of up to 1e\+154.* divide them by it"),
    "far too small": (1e-200, r"of up to 1e-200.* divide them by it"),
    "all zero": (np.zeros(44), r"y has no labels.*weight zero"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("estimator", ALL)
def test_weights_that_make_no_sense_are_refused(estimator: Any, case: str) -> None:
    weights, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        estimator().fit(DATA.X, DATA.marked, sample_weight=weights)


def test_nearly_all_unlabeled_rows_of_three_classes_may_weigh_nothing() -> None:
    for seed in range(5):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(41, 4)), random.integers(0, 3, 41)
        y[:3], y[12:] = (0, 1, 2), -1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ICLSClassifier().fit(X, y, sample_weight=np.arange(41) < 13)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rows_of_weight_zero_among_many_do_not_count(n_classes: int) -> None:
    data = partly_labeled(n_labeled=6, n_unlabeled=4000, n_features=1, n_classes=n_classes)
    weights = np.where((np.arange(len(data.y)) % 3 == 0) & ~data.known, 0.0, 1.0)
    with_them = ICLSClassifier().fit(data.X, data.marked, sample_weight=weights)
    there = weights > 0.0
    without = ICLSClassifier().fit(data.X[there], data.marked[there])
    assert_same_model(with_them, without, rtol=1e-6, atol=1e-6)


def test_views_do_not_see_rows_of_weight_zero_nor_does_the_certificate_count_them() -> None:
    X, y = load_digits(n_class=4, return_X_y=True)
    X, y = X[:240], np.where(np.arange(240) < 40, y[:240], -1)
    there = np.arange(240) < 160
    with_them = TacitClassifier(random_state=0).fit(X, y, sample_weight=there)
    without = TacitClassifier(random_state=0).fit(X[there], y[there])
    assert with_them.evidence_.uses_views
    np.testing.assert_array_equal(with_them.decision_function(X), without.decision_function(X))
    assert len(with_them.transduction_) == 200
    assert with_them.certificate_.n_unlabeled == without.certificate_.n_unlabeled == 120
