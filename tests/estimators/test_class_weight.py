"""`class_weight`: the same as weights of the labeled rows, by class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from tacit import (
    ICLSClassifier,
    KernelICLSClassifier,
    KernelLeastSquaresClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
    TacitClassifier,
    TunedLogisticRegression,
)
from tacit.family import SoftSelfLearningClassifier, USMClassifier

MODELS = [
    LeastSquaresClassifier("loo"),
    ICLSClassifier(0.1),
    ProjectedLeastSquaresClassifier(alpha=0.1),
    KernelLeastSquaresClassifier(),
    KernelICLSClassifier(),
    SelfLearningClassifier(),
    SelfLearningClassifier(LogisticRegression()),
    TunedLogisticRegression(),
    TacitClassifier(["linear", "rbf"], ["components"], random_state=0),
    USMClassifier(0.1),
    SoftSelfLearningClassifier(0.1),
]


def rare(n: int = 200, n_labeled: int = 60, seed: int = 0) -> tuple[Any, Any]:
    """One row of ten is "yes"."""
    random = np.random.default_rng(seed)
    is_rare = random.random(n) < 0.1
    X = random.normal(size=(n, 3)) + 1.3 * is_rare[:, None]
    y = np.where(is_rare, "yes", "no").astype(object)
    y[n_labeled:] = None
    return X, y


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_weights_of_classes_are_weights_of_their_labeled_rows(model: Any) -> None:
    X, y = rare()
    given = np.linspace(0.5, 2.0, len(y))  # the unlabeled rows keep theirs
    factors = np.where(y == "yes", 5.0, 1.0)
    by_row = clone(model).fit(X, y, sample_weight=given * factors)
    by_class = clone(model).set_params(class_weight={"yes": 5.0})
    by_class.fit(X, y, sample_weight=given)
    np.testing.assert_array_equal(by_class.decision_function(X), by_row.decision_function(X))
    np.testing.assert_array_equal(by_class.predict_proba(X), by_row.predict_proba(X))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_balanced_classes_weigh_the_same_and_more_of_the_rare_one_are_found(model: Any) -> None:
    X, y = rare()
    counts = {name: float((y == name).sum()) for name in ("no", "yes")}
    by_hand = {name: sum(counts.values()) / (2.0 * count) for name, count in counts.items()}
    balanced = clone(model).set_params(class_weight="balanced").fit(X, y)
    same = clone(model).set_params(class_weight=by_hand).fit(X, y)
    np.testing.assert_allclose(balanced.decision_function(X), same.decision_function(X), atol=1e-8)
    plain = clone(model).fit(X, y)
    assert (balanced.predict(X) == "yes").sum() > (plain.predict(X) == "yes").sum()


def test_balanced_rows_of_weight_two_are_two_rows() -> None:
    X, y = rare()
    y[60:] = y[:60].repeat(3)[: len(y) - 60]
    twice = LeastSquaresClassifier(class_weight="balanced").fit(X.repeat(2, axis=0), y.repeat(2))
    weighted = clone(twice).fit(X, y, sample_weight=np.full(len(y), 2.0))
    np.testing.assert_allclose(weighted.coef_, twice.coef_)


def test_the_certificate_says_that_its_loss_is_weighted() -> None:
    X, y = rare()
    plain = ProjectedLeastSquaresClassifier().fit(X, y).certificate_
    weighted = ProjectedLeastSquaresClassifier(class_weight="balanced").fit(X, y).certificate_
    assert weighted.is_weighted
    assert not plain.is_weighted
    assert "weighted squared loss" in str(weighted)
    assert "weighted" not in str(plain)
    assert weighted.worst_change <= 0.0


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({"yess": 2.0}, "a weight for 'yess', which is no class of y; the classes are 'no', 'yes'"),
        ({"yes": 0.0}, "weights must be positive and finite"),
        ({"yes": -1.0}, "weights must be positive and finite"),
        ({"yes": float("nan")}, "weights must be positive and finite"),
        ({"yes": "much"}, "weights must be positive and finite"),
        ("even", "The 'class_weight' parameter of LeastSquaresClassifier must be"),
    ],
)
def test_weights_that_make_no_sense_are_refused(class_weight: Any, message: str) -> None:
    X, y = rare()
    with pytest.raises(ValueError, match=message):
        LeastSquaresClassifier(class_weight=class_weight).fit(X, y)


def test_a_weight_of_a_class_that_a_fold_lacks_is_left_out() -> None:
    X, y = rare()
    weights = {"yes": 2.0, "no": 1.0, "perhaps": 3.0}
    found = LeastSquaresClassifier(class_weight=weights).fit(X, y)
    wanted = LeastSquaresClassifier(class_weight={"yes": 2.0}).fit(X, y)
    np.testing.assert_array_equal(found.coef_, wanted.coef_)


def test_a_weight_of_the_base_counts_for_the_labels_that_self_learning_makes_up() -> None:
    X, y = rare()
    base = LeastSquaresClassifier(class_weight="balanced")
    model = SelfLearningClassifier(base).fit(X, y)
    made_up = np.where(model.soft_labels_ > 0.5, "yes", "no")
    everything = np.concatenate([y[:60], made_up.astype(object)])
    np.testing.assert_allclose(model.coef_, clone(base).fit(X, everything).coef_, atol=1e-9)
