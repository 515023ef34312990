"""Probabilities of every public classifier: what they are, and that they can be believed."""

from __future__ import annotations

import inspect
import pickle
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tacit
import tacit.family
from tacit import (
    ICLSClassifier,
    KernelICLSClassifier,
    KernelLeastSquaresClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
    TacitClassifier,
)
from tacit.estimators import _held_back
from tacit.family import S4VMClassifier, SoftSelfLearningClassifier, USMClassifier

# What takes long with its defaults, and a base whose decisions are not the package's own.
OTHERWISE: dict[type, Any] = {
    TacitClassifier: TacitClassifier(["linear", "rbf"], random_state=0),
    S4VMClassifier: S4VMClassifier(n_samples=4, random_state=0),
}


def public_classifiers() -> list[Any]:
    exported = [
        getattr(module, name) for module in (tacit, tacit.family) for name in module.__all__
    ]
    classes = [cls for cls in exported if inspect.isclass(cls) and hasattr(cls, "get_params")]
    made = [OTHERWISE.get(cls) or cls() for cls in classes]
    return [*filter(is_classifier, made), SelfLearningClassifier(RidgeClassifier())]


def problem(n: int, seed: int, n_classes: int = 2) -> tuple[Any, Any]:
    """Counts of four words, for classes of unequal size that overlap, with some noise."""
    random = np.random.default_rng(seed)
    y = (random.random(n) > 0.7).astype(int)
    if n_classes == 3:
        y += random.random(n) > 0.7
    means = np.array([[5.0, 2.0, 4.0, 2.0], [2.0, 5.0, 4.0, 2.0], [2.0, 2.0, 4.0, 5.0]])
    return random.poisson(means[y]) + 0.1 * random.random((n, 4)), y


def partly(n: int, n_labeled: int, n_classes: int = 2, seed: int = 0) -> tuple[Any, Any]:
    X, y = problem(n, seed, n_classes)
    y[n_labeled:] = -1
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("estimator", public_classifiers(), ids=repr)
def test_probabilities_sum_to_one_agree_with_predictions_and_beat_the_class_frequencies(
    estimator: Any, n_classes: int
) -> None:
    if n_classes > 2 and not estimator.__sklearn_tags__().classifier_tags.multi_class:
        pytest.skip("for two classes")
    X, y = partly(120, 50, n_classes)
    new_X, new_y = problem(500, 1, n_classes)
    model = clone(estimator).fit(X, y)
    shares = model.predict_proba(new_X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares >= 0.0).all()
    np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(new_X))
    frequencies = np.bincount(y[y >= 0]) / (y >= 0).sum()
    guess = log_loss(new_y, np.tile(frequencies, (len(new_y), 1)))
    assert log_loss(new_y, shares) < 0.85 * guess


@pytest.mark.parametrize("estimator", [LeastSquaresClassifier(), ICLSClassifier()], ids=repr)
def test_rows_with_a_probability_are_right_that_often(estimator: Any) -> None:
    X, y = partly(600, 300)
    new_X, new_y = problem(40_000, 1)
    sure = clone(estimator).fit(X, y).predict_proba(new_X)[:, 1]
    for low in np.arange(0.0, 1.0, 0.2):
        chosen = (sure >= low) & (sure < low + 0.2)
        assert abs(sure[chosen].mean() - new_y[chosen].mean()) < 0.08


@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_label_a_class_gives_the_slope_of_the_regression(n_classes: int) -> None:
    X, y = problem(60, 0, n_classes)
    y[np.setdiff1d(np.arange(60), np.unique(y, return_index=True)[1])] = -1
    model = LeastSquaresClassifier(alpha=1.0).fit(X, y)
    decision = model.decision_function(X).reshape(60, -1)
    values = np.exp(2.0 * (np.hstack([-decision, decision]) if n_classes == 2 else decision))
    np.testing.assert_allclose(model.predict_proba(X), values / values.sum(axis=1, keepdims=True))


def test_the_only_label_of_a_class_is_never_held_back() -> None:
    X, y = problem(40, 0)
    rare = np.where(np.arange(40) == 7, 5, y)
    model = LeastSquaresClassifier(alpha=1.0).fit(X, rare)
    assert len(model._held_back.left_out().codes) == 39
    assert np.isfinite(model.predict_proba(X)).all()


def test_equal_rows_are_held_back_together() -> None:
    X, y = partly(80, 30)
    weights = np.where(y >= 0, 3.0, 1.0)
    once = LeastSquaresClassifier(alpha=1.0).fit(X, y, sample_weight=weights)
    labeled = y >= 0
    thrice = clone(once).fit(np.repeat(X[labeled], 3, axis=0), np.repeat(y[labeled], 3))
    np.testing.assert_allclose(thrice.predict_proba(X), once.predict_proba(X), rtol=1e-6)


def test_sparse_rows_have_the_same_probabilities() -> None:
    X, y = partly(80, 30)
    dense = ICLSClassifier(alpha=0.1).fit(X, y).predict_proba(X)
    rows = sparse.csr_array(X)
    found = ICLSClassifier(alpha=0.1).fit(rows, y).predict_proba(rows)
    np.testing.assert_allclose(found, dense, rtol=1e-5)


@pytest.mark.parametrize("kind", [KernelLeastSquaresClassifier, KernelICLSClassifier])
def test_a_precomputed_kernel_has_the_probabilities_of_the_named_one(kind: Any) -> None:
    X, y = partly(60, 30)
    X, y = X[::-1], y[::-1]
    named = kind("rbf", gamma=0.1).fit(X, y).predict_proba(X)
    K = rbf_kernel(X, gamma=0.1)
    found = kind("precomputed").fit(K, y).predict_proba(K)
    # Which rows are held back together depends on the numbers in them.
    np.testing.assert_allclose(found, named, atol=0.03)


def test_a_model_can_be_pickled_before_and_after_its_probabilities_are_asked_for() -> None:
    X, y = partly(400, 30)
    model = ICLSClassifier(alpha=0.1).fit(X, y)
    before = pickle.dumps(model)
    shares = model.predict_proba(X)
    after = pickle.dumps(model)
    for text in (before, after):
        np.testing.assert_array_equal(pickle.loads(text).predict_proba(X), shares)
    assert len(before) - len(after) > X[y < 0].nbytes  # the rows are kept until then only


def test_parameters_that_are_set_after_the_fit_do_not_change_its_probabilities() -> None:
    X, y = partly(80, 30)
    model = ICLSClassifier(alpha=0.1).fit(X, y)
    wanted = clone(model).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(model.set_params(alpha=100.0).predict_proba(X), wanted)


def test_held_back_labels_see_a_sample_of_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = partly(2000, 60)
    kinds = (ICLSClassifier, ProjectedLeastSquaresClassifier, USMClassifier)
    for kind in (*kinds, SoftSelfLearningClassifier):
        wanted = kind(alpha=0.1).fit(X, y).predict_proba(X)
        with monkeypatch.context() as patch:
            patch.setattr(_held_back, "MOST_ROWS", 300)
            model = kind(alpha=0.1).fit(X, y)
            assert len(pickle.dumps(model._held_back)) < X.nbytes
            np.testing.assert_allclose(model.predict_proba(X), wanted, atol=0.05)


def test_rows_on_disk_need_not_be_there_for_the_probabilities_of_a_pickled_model(
    tmp_path: Path,
) -> None:
    pandas, _ = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    X, y = problem(230, 0)
    frame = partial(pandas.DataFrame, columns=list("abcd"))
    frame(X[30:]).to_parquet(path := tmp_path / "rows.parquet")
    model = ICLSClassifier(alpha=0.1).fit(frame(X[:30]), y[:30], path)
    there = model.predict_proba(frame(X))
    model.fit(frame(X[:30]), y[:30], path)
    del model.soft_labels_  # which are rows on disk themselves
    del model.solution_
    saved = pickle.dumps(model)
    path.unlink()
    np.testing.assert_array_equal(pickle.loads(saved).predict_proba(frame(X)), there)
    in_memory = ICLSClassifier(alpha=0.1).fit(X[:30], y[:30], X[30:]).predict_proba(X)
    np.testing.assert_allclose(there, in_memory, rtol=1e-4)


def test_self_learning_holds_back_labels_that_were_given_not_those_it_made_up() -> None:
    X, y = partly(300, 30)
    model = SelfLearningClassifier(KernelLeastSquaresClassifier(gamma=0.1)).fit(X, y)
    assert len(model._held_back.left_out().codes) == 30
    np.testing.assert_array_equal(model.predict_proba(X), model.estimator_.predict_proba(X))
    plain = SelfLearningClassifier().fit(X, y)
    np.testing.assert_array_equal(plain.predict_proba(X), plain.estimator_.predict_proba(X))


@pytest.mark.parametrize("ensemble", [True, False])
def test_scikit_learns_calibration_takes_unlabeled_rows_apart_and_refuses_marks(
    ensemble: bool,
) -> None:
    X, y = problem(130, 0)
    model = make_pipeline(StandardScaler(), ICLSClassifier(alpha=0.1))
    marked = np.where(np.arange(130) < 60, y, -1)
    with pytest.raises(ValueError, match="CalibratedClassifierCV takes the marks of unlabeled"):
        CalibratedClassifierCV(model, ensemble=ensemble, cv=3).fit(X, marked)
    calibrated = CalibratedClassifierCV(ICLSClassifier(alpha=0.1), ensemble=ensemble, cv=3)
    calibrated.fit(X[:60], y[:60], X_unlabeled=X[60:])
    assert calibrated.classes_.tolist() == [0, 1]
    inner = calibrated.calibrated_classifiers_[0].estimator
    assert inner.certificate_.n_unlabeled == 70


def test_scikit_learns_choice_of_a_threshold_takes_unlabeled_rows_apart_and_refuses_marks() -> None:
    X, y = problem(130, 0)
    tuned = TunedThresholdClassifierCV(ICLSClassifier(alpha=0.1), scoring="f1", cv=3)
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        tuned.fit(X, np.where(np.arange(130) < 60, y, -1))
    with config_context(enable_metadata_routing=True):
        tuned.estimator.set_fit_request(X_unlabeled=True)
        tuned.fit(X[:60], y[:60], X_unlabeled=X[60:])
    assert tuned.estimator_.certificate_.n_unlabeled == 70


def test_where_no_row_can_be_held_back_the_regression_decides() -> None:
    # Without the first row the column is too small to be squared, and with it it is not.
    X = np.array([[1e-145], [1e-147], [3e-147], [2e-147]])
    model = LeastSquaresClassifier().fit(X, [0, 1, 0, 1])
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
