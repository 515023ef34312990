"""The projection of any linear model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import (
    ElasticNet,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    OrthogonalMatchingPursuit,
    Ridge,
    RidgeClassifier,
)
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tacit import ICLSClassifier, LeastSquaresClassifier, ProjectedLeastSquaresClassifier
from tests.estimators.tables import assert_same_model, partly_labeled

STARTS = [Lasso(0.05), ElasticNet(0.05), LassoCV(), Ridge(3.0), LinearRegression()]


def targets(data: Any, n_classes: int) -> np.ndarray:
    y = data.y[data.known]
    return (y == 1).astype(float) if n_classes == 2 else np.eye(n_classes)[y]


def data_of(n_classes: int) -> Any:
    return partly_labeled(24, 80, 6, n_classes, seed=n_classes)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("start", [*STARTS, "lasso", "elastic-net"], ids=str)
def test_the_guarantee_holds_for_any_start(start: Any, n_classes: int) -> None:
    data = data_of(n_classes)
    model = ProjectedLeastSquaresClassifier(start=start).fit(data.X, data.marked)
    certificate = model.certificate_
    assert model.solution_.status.is_success
    assert certificate.guaranteed_improvement is not None
    assert certificate.guaranteed_improvement >= 0.0
    assert certificate.worst_change <= -certificate.guaranteed_improvement + 1e-9


@pytest.mark.parametrize("n_classes", [2, 4])
def test_what_is_projected_is_the_model_itself(n_classes: int) -> None:
    data = data_of(n_classes)
    lasso = Lasso(0.05).fit(data.X[data.known], targets(data, n_classes))
    model = ProjectedLeastSquaresClassifier(start=Lasso(0.05)).fit(data.X, data.marked)
    np.testing.assert_allclose(model.supervised_coef_, np.atleast_2d(lasso.coef_), atol=1e-12)
    np.testing.assert_allclose(model.supervised_intercept_, lasso.intercept_ - 0.5, atol=1e-12)
    assert (model.supervised_coef_ == 0.0).any()


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_fitted_model_is_used_as_it_is(n_classes: int) -> None:
    data = data_of(n_classes)
    fitted = Lasso(0.05).fit(data.X[data.known], targets(data, n_classes))
    coef = fitted.coef_.copy()
    ours = ProjectedLeastSquaresClassifier(start=fitted).fit(data.X, data.marked)
    np.testing.assert_array_equal(fitted.coef_, coef)
    other = ProjectedLeastSquaresClassifier(start=Lasso(0.05)).fit(data.X, data.marked)
    assert_same_model(ours, other)


def test_an_unfitted_model_stays_unfitted() -> None:
    data = data_of(2)
    start = Lasso(0.05)
    ProjectedLeastSquaresClassifier(start=start).fit(data.X, data.marked)
    assert not hasattr(start, "coef_")


@pytest.mark.parametrize("n_classes", [2, 4])
def test_least_squares_as_a_start_is_the_default(n_classes: int) -> None:
    data = data_of(n_classes)
    given = ProjectedLeastSquaresClassifier(start=LinearRegression()).fit(data.X, data.marked)
    default = ProjectedLeastSquaresClassifier().fit(data.X, data.marked)
    assert_same_model(given, default, atol=1e-8)


def test_ridge_as_a_start_is_the_penalty_of_the_start() -> None:
    data = data_of(2)
    given = ProjectedLeastSquaresClassifier(start=Ridge(3.0)).fit(data.X, data.marked)
    default = ProjectedLeastSquaresClassifier(alpha=3.0, penalty="start").fit(data.X, data.marked)
    assert_same_model(given, default, atol=1e-8)


@pytest.mark.parametrize("start", ["lasso", Lasso(0.02)], ids=str)
def test_sparse_rows_give_the_same_model(start: Any) -> None:
    data = data_of(3)
    dense = ProjectedLeastSquaresClassifier(start=start).fit(data.X, data.marked)
    ours = ProjectedLeastSquaresClassifier(start=start).fit(sparse.csr_array(data.X), data.marked)
    assert_same_model(ours, dense, rtol=1e-3, atol=1e-4)


def test_weights_reach_the_start() -> None:
    data = data_of(2)
    weights = np.where(np.arange(len(data.X)) % 2 == 0, 1.0, 3.0)
    model = ProjectedLeastSquaresClassifier(start=Lasso(0.02))
    model.fit(data.X, data.marked, sample_weight=weights)
    lasso = Lasso(0.02).fit(data.X[data.known], targets(data, 2), sample_weight=weights[data.known])
    np.testing.assert_allclose(model.supervised_coef_[0], lasso.coef_, atol=1e-12)


WRITERS = [
    Lasso(0.01, copy_X=False),
    Ridge(0.5, copy_X=False),
    LinearRegression(copy_X=False),
    "lasso",
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n_features", [1, 3])
@pytest.mark.parametrize("start", WRITERS, ids=str)
def test_a_start_that_writes_into_its_rows_leaves_those_of_the_fit_alone(
    start: Any, n_features: int, fit_intercept: bool, weighted: bool
) -> None:
    # Had failed: one column is in Fortran order already, so that it was handed over without a copy.
    data = partly_labeled(24, 80, n_features, 3, seed=1)
    if not isinstance(start, str):
        start = clone(start).set_params(fit_intercept=fit_intercept)
    X, y = data.X + 2.0, data.marked
    weights = np.random.default_rng(0).uniform(0.5, 3.0, len(X)) if weighted else None
    before = X.copy()
    model = ProjectedLeastSquaresClassifier(start=start, fit_intercept=fit_intercept)
    model.fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(X, before)
    # A fitted start cannot write any more, so it shows what the rows should lead to.
    fitted = clone(model).set_params(start=_Given(model))
    assert_same_model(fitted.fit(X, y, sample_weight=weights), model, atol=1e-8)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_start_may_write_into_all_that_it_is_given(kind: Any, n_classes: int) -> None:
    data = partly_labeled(24, 80, 1, n_classes, seed=1)
    X, weights = kind(data.X + 2.0), np.linspace(0.5, 3.0, len(data.X))
    ours, other = (
        ProjectedLeastSquaresClassifier(start=start).fit(X, data.marked, sample_weight=weights)
        for start in (_Writer(0.5), Ridge(0.5))
    )
    assert_same_model(ours, other)


class _Writer(Ridge):
    """Leaves nothing as it was of what it is fitted to."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        super().fit(X, y, sample_weight)
        for given in (X if isinstance(X, np.ndarray) else X.data, y, sample_weight):
            given *= 0.0
        return self


class _Given(LinearRegression):
    """A fitted regressor with the coefficients that some model has started from."""

    def __init__(self, model: Any = None) -> None:
        super().__init__()
        self.model = model
        if model is not None:
            self.coef_ = model.supervised_coef_
            self.intercept_ = model.supervised_intercept_ + 0.5


def test_it_can_be_cloned_and_its_penalty_set() -> None:
    model = clone(ProjectedLeastSquaresClassifier(start=Lasso(0.05)))
    model.set_params(start__alpha=0.2)
    assert model.start.alpha == 0.2


@pytest.mark.parametrize(
    ("start", "error", "message"),
    [
        ("ridge", ValueError, r"start is 'ridge'; it must be None, one of \['lasso', 'elastic-net"),
        (3, TypeError, r"start is 3; it must be None"),
        (Lasso, TypeError, r"it must be None, one of .* or a regressor with coef_"),
        (KNeighborsRegressor(3), ValueError, r"KNeighborsRegressor, which has no coef_"),
    ],
)
def test_what_is_no_linear_model_is_refused(start: Any, error: Any, message: str) -> None:
    data = data_of(2)
    with pytest.raises(error, match=message):
        ProjectedLeastSquaresClassifier(start=start).fit(data.X, data.marked)


def test_a_fitted_model_of_another_shape_is_refused() -> None:
    data = data_of(4)
    binary = Lasso(0.05).fit(data.X[data.known], data.y[data.known] == 1)
    with pytest.raises(ValueError, match=r"shape \(6,\); for these rows it must be \(4, 6\)"):
        ProjectedLeastSquaresClassifier(start=binary).fit(data.X, data.marked)


def test_a_penalty_beside_a_start_is_refused() -> None:
    data = data_of(2)
    with pytest.raises(ValueError, match=r"alpha is 0\.5 and start is .*belongs to the start"):
        ProjectedLeastSquaresClassifier(alpha=0.5, start="lasso").fit(data.X, data.marked)


def test_a_start_with_an_intercept_needs_fit_intercept() -> None:
    data = data_of(2)
    with pytest.raises(ValueError, match=r"start has an intercept and fit_intercept is False"):
        ProjectedLeastSquaresClassifier(start=Lasso(0.05), fit_intercept=False).fit(
            data.X, data.marked
        )


def test_weights_that_a_start_cannot_take_are_refused() -> None:
    data = data_of(2)
    with pytest.raises(ValueError, match=r"whose fit takes no sample_weight"):
        ProjectedLeastSquaresClassifier(start=OrthogonalMatchingPursuit()).fit(
            data.X, data.marked, sample_weight=np.ones(len(data.X))
        )


CLASSIFIERS = [
    RidgeClassifier(),
    LogisticRegression(),
    ICLSClassifier(),
    make_pipeline(StandardScaler(), RidgeClassifier()),
]


@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("start", CLASSIFIERS, ids=lambda start: type(start).__name__)
def test_a_classifier_is_no_start(start: Any, fitted: bool) -> None:
    # Had failed: targets -1 and 1, logits and shifted constants were projected as regressions.
    data = data_of(2)
    start = clone(start)
    if fitted:
        start.fit(*data.labeled)
    message = rf"start is a {type(start).__name__}, a classifier.*it must be None, one of .*Lasso"
    with pytest.raises(TypeError, match=message):
        ProjectedLeastSquaresClassifier(start=start).fit(data.X, data.marked)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_least_squares_classifier_stands_for_its_regression(
    n_classes: int, fitted: bool, fit_intercept: bool
) -> None:
    # Had failed: the constant minus 1/2 was taken for the constant.
    data = data_of(n_classes)
    start = LeastSquaresClassifier(alpha=3.0, fit_intercept=fit_intercept, unlabeled=0)
    if fitted:
        start.set_params(unlabeled=-1).fit(*data.labeled)
    chosen: dict[str, Any] = {"fit_intercept": fit_intercept}
    given = ProjectedLeastSquaresClassifier(start=start, **chosen).fit(data.X, data.marked)
    plain = ProjectedLeastSquaresClassifier(alpha=3.0, penalty="start", **chosen)
    plain.fit(data.X, data.marked)
    np.testing.assert_allclose(given.supervised_intercept_, plain.supervised_intercept_, atol=1e-12)
    assert_same_model(given, plain, atol=1e-8)


def test_a_least_squares_classifier_of_other_classes_is_refused() -> None:
    data = data_of(2)
    start = LeastSquaresClassifier().fit(data.X[data.known], data.y[data.known] + 1)
    with pytest.raises(ValueError, match=r"start is .* classes \[1, 2\], and y has \[0, 1\]"):
        ProjectedLeastSquaresClassifier(start=start).fit(data.X, data.marked)


def test_a_start_that_does_not_converge_is_warned_of_once() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40, 6)), random.integers(0, 3, 40)
    y[:3], y[20:] = (0, 1, 2), -1
    start = LassoCV(max_iter=1, tol=1e-12, cv=3)
    with pytest.warns(ConvergenceWarning, match=r"did not converge for \d+ of its fits") as caught:
        ProjectedLeastSquaresClassifier(start=start).fit(X, y)
    assert len(caught) == 1
