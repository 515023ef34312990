"""Known shares of the classes among the unlabeled rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tacit import ICLSClassifier, ProjectedLeastSquaresClassifier
from tests.estimators.tables import IMPLICIT, assert_same_model, partly_labeled
from tests.optional import pd

PRIORS = {2: (0.3, 0.7), 3: (0.5, 0.2, 0.3), 5: (0.1, 0.3, 0.2, 0.15, 0.25)}


def shares(model: Any, weights: Any = None) -> np.ndarray:
    """The weighted mean of the soft labels, one number a class."""
    labels = np.asarray(model.soft_labels_)
    mean = np.average(labels, axis=0, weights=weights)
    return np.array([1.0 - mean, mean]) if labels.ndim == 1 else mean


def data_of(n_classes: int, n_unlabeled: int = 60, n_labeled: int = 20) -> Any:
    return partly_labeled(n_labeled, n_unlabeled, 6, n_classes, seed=n_classes)


@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("n_labeled", [5, 20])
def test_the_soft_labels_have_the_shares(estimator: Any, n_classes: int, n_labeled: int) -> None:
    data = data_of(n_classes, n_labeled=n_labeled)
    model = estimator(class_prior=PRIORS[n_classes]).fit(data.X, data.marked)
    np.testing.assert_allclose(shares(model), PRIORS[n_classes], atol=1e-9)
    assert model.solution_.status.is_success
    assert model.certificate_.class_prior == pytest.approx(PRIORS[n_classes])


@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_labeled", [5, 60])
def test_sweeps_over_rows_give_the_answer_in_memory(
    estimator: Any, n_classes: int, n_labeled: int
) -> None:
    data = data_of(n_classes, 4000, n_labeled)
    dense, swept = (
        estimator(class_prior=PRIORS[n_classes], solver=solver).fit(data.X, data.marked)
        for solver in ("interior-point", "working-set")
    )
    np.testing.assert_allclose(shares(swept), PRIORS[n_classes], atol=1e-9)
    expected = dense.decision_function(data.X)
    unit = 1.0 + np.abs(expected).max()
    np.testing.assert_allclose(swept.decision_function(data.X), expected, atol=1e-6 * unit)


@pytest.mark.parametrize("estimator", IMPLICIT)
def test_shares_may_be_given_by_class_or_as_those_of_the_labeled_rows(estimator: Any) -> None:
    data = data_of(3)
    names = np.array(["a", "b", "c"])[data.y].astype(object)
    names[~data.known] = None
    by_order = estimator(class_prior=[0.5, 0.2, 0.3]).fit(data.X, names)
    by_class = estimator(class_prior={"b": 0.2, "c": 0.3, "a": 0.5}).fit(data.X, names)
    assert_same_model(by_class, by_order)
    labeled = estimator(class_prior="labeled").fit(data.X, names)
    counts = np.bincount(data.y[data.known]) / data.known.sum()
    np.testing.assert_allclose(shares(labeled), counts, atol=1e-9)


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_series_gives_shares_by_its_index_and_not_by_its_order(
    n_classes: int, named: bool
) -> None:
    # Had failed: value_counts comes in the order of the counts, which was taken for the classes'.
    data = data_of(n_classes)
    names = np.array(["a", "b", "c"])[data.y] if named else data.y
    counts = pd.Series(PRIORS[n_classes], index=np.unique(names)).sort_values()
    marked = np.where(data.known, names.astype(object), None)
    model = ICLSClassifier(class_prior=counts).fit(data.X, marked)
    np.testing.assert_allclose(shares(model), PRIORS[n_classes], atol=1e-9)


def test_a_series_of_shares_must_name_each_class_once() -> None:
    data = data_of(2)
    with pytest.raises(ValueError, match=r"the class 1 in its index more than once"):
        ICLSClassifier(class_prior=pd.Series([0.5, 0.5], index=[1, 1])).fit(data.X, data.marked)
    with pytest.raises(ValueError, match=r"no share for the class 0 and a share for 2"):
        ICLSClassifier(class_prior=pd.Series([0.5, 0.5], index=[1, 2])).fit(data.X, data.marked)
    with pytest.raises(ValueError, match="class_prior is a table with rows and columns; it must"):
        ICLSClassifier(class_prior=pd.DataFrame({0: [0.5, 0.5]})).fit(data.X, data.marked)


@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_shares_are_those_of_the_weights(estimator: Any, n_classes: int) -> None:
    data = data_of(n_classes)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=len(data.X))
    model = estimator(class_prior=PRIORS[n_classes])
    model.fit(data.X, data.marked, sample_weight=weights)
    np.testing.assert_allclose(shares(model, weights[~data.known]), PRIORS[n_classes], atol=1e-9)
    by_rows = estimator(class_prior="labeled").fit(data.X, data.marked, sample_weight=weights)
    counts = np.bincount(data.y[data.known], weights[data.known])
    assert by_rows.certificate_.class_prior == pytest.approx(counts / counts.sum())


@pytest.mark.parametrize("estimator", IMPLICIT)
def test_a_class_without_share_gets_no_label(estimator: Any) -> None:
    data = data_of(4)
    model = estimator(class_prior=[0.5, 0.0, 0.5, 0.0]).fit(data.X, data.marked)
    assert (model.soft_labels_[:, [1, 3]] == 0.0).all()
    np.testing.assert_allclose(shares(model), [0.5, 0.0, 0.5, 0.0], atol=1e-9)


@pytest.mark.parametrize("estimator", IMPLICIT)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("only", [0, 1])
def test_a_single_class_with_all_of_the_share_fixes_every_label(
    estimator: Any, n_classes: int, only: int
) -> None:
    data = data_of(n_classes)
    prior = np.eye(n_classes)[only]
    model = estimator(class_prior=prior).fit(data.X, data.marked)
    np.testing.assert_array_equal(shares(model), prior)
    # What least squares gives when all rows have these labels.
    Y = np.eye(n_classes)[np.where(data.known, data.y, only)]
    rows = np.column_stack([np.ones(len(data.X)), data.X])
    expected = rows @ np.linalg.lstsq(rows, Y, rcond=None)[0]
    ours = model.decision_function(data.X) + 0.5
    np.testing.assert_allclose(ours, expected[:, 1] if n_classes == 2 else expected, atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_guarantee_holds_for_labelings_with_the_shares(n_classes: int) -> None:
    data = data_of(n_classes)
    true = np.bincount(data.y[~data.known], minlength=n_classes) / (~data.known).sum()
    model = ProjectedLeastSquaresClassifier(class_prior=true).fit(data.X, data.marked)
    guaranteed = model.certificate_.guaranteed_improvement
    assert guaranteed is not None
    Y = np.eye(n_classes)
    random = np.random.default_rng(0)

    def values(coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        raw = data.X @ coef.T + intercept + 0.5
        return np.column_stack([1.0 - raw[:, 0], raw[:, 0]]) if n_classes == 2 else raw

    before = values(model.supervised_coef_, model.supervised_intercept_)
    after = values(model.coef_, model.intercept_)
    for _ in range(20):
        y = data.y.copy()
        y[~data.known] = random.permutation(y[~data.known])
        change = 0.5 * ((after - Y[y]) ** 2 - (before - Y[y]) ** 2).sum(axis=1).mean()
        assert change <= -guaranteed + 1e-9


def test_knowing_the_shares_improves_on_not_knowing_them() -> None:
    data = data_of(3)
    without = ProjectedLeastSquaresClassifier().fit(data.X, data.marked)
    true = np.bincount(data.y[~data.known]) / (~data.known).sum()
    model = ProjectedLeastSquaresClassifier(class_prior=true).fit(data.X, data.marked)
    more, less = (m.certificate_.guaranteed_improvement for m in (model, without))
    assert more is not None
    assert less is not None
    assert more >= less - 1e-9


def test_the_words_of_the_certificate_name_the_condition() -> None:
    data = data_of(2)
    model = ProjectedLeastSquaresClassifier(class_prior=[0.9, 0.1]).fit(data.X, data.marked)
    words = str(model.certificate_)
    assert "with the given class prior" in words
    assert "if the classes have the shares of the class prior among them" in words


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ([0.5, 0.6], r"with a sum of 1.1; the shares of all classes must add up to 1"),
        ([-0.5, 1.5], r"every share must lie between 0 and 1"),
        ([np.nan, 1.0], r"every share must lie between 0 and 1"),
        ([0.2, 0.3, 0.5], r"has shape \(3,\); it must have one share for each of the 2 classes"),
        (0.5, r"has shape \(\); it must have one share"),
        ("uniform", r"class_prior is 'uniform'; it must be \"labeled\""),
        ({0: 1.0}, r"no share for the class 1"),
        ({0: 0.5, 1: 0.5, 7: 0.0}, r"a share for 7, which is no class of y"),
        (["a", "b"], r"it must be numbers"),
    ],
)
def test_shares_that_no_labels_can_have_are_refused(prior: Any, message: str) -> None:
    data = data_of(2)
    with pytest.raises(ValueError, match=message):
        ICLSClassifier(class_prior=prior).fit(data.X, data.marked)
