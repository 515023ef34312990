"""What a fit says about every labeling of its unlabeled rows, checked with explicit labelings."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from tacit import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)
from tests.estimators.tables import PartlyLabeled, partly_labeled, regression_values

TABLES = [partly_labeled(seed=seed) for seed in range(4)]
MODELS: dict[str, Any] = {
    "ICLS": ICLSClassifier(),
    "ICLS ridge": ICLSClassifier(alpha=1.0),
    "ICLS without intercept": ICLSClassifier(fit_intercept=False),
    "projected": ProjectedLeastSquaresClassifier(),
    "projected ridge": ProjectedLeastSquaresClassifier(alpha=1.0, penalty="start"),
    "projected loo": ProjectedLeastSquaresClassifier(alpha="loo"),
    "projected labeled": ProjectedLeastSquaresClassifier("labeled"),
    "projected euclidean": ProjectedLeastSquaresClassifier("euclidean"),
    "self-learning": SelfLearningClassifier(),
    "self-learning ridge": SelfLearningClassifier(LeastSquaresClassifier(alpha=1.0)),
}


def start_of(model: Any, data: PartlyLabeled) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of the supervised fit that the model is compared with."""
    if hasattr(model, "supervised_coef_"):
        return model.supervised_coef_, model.supervised_intercept_
    base = LeastSquaresClassifier() if model.estimator is None else model.estimator
    supervised = type(base)(**base.get_params()).fit(*data.labeled)
    return supervised.coef_, supervised.intercept_


def change(model: Any, data: PartlyLabeled, labels: np.ndarray) -> float:
    """The change of the mean squared loss on all rows, with these labels for the unlabeled."""
    X = np.concatenate([data.X[data.known], data.pool])
    y = np.concatenate([data.y[data.known], labels])
    after = regression_values(model.coef_, model.intercept_, X)
    before = regression_values(*start_of(model, data), X)
    return float(np.mean((after - y) ** 2) - np.mean((before - y) ** 2))


def extreme_labels(model: Any, data: PartlyLabeled) -> tuple[np.ndarray, np.ndarray]:
    """The worst and the best labeling: against and along the move of each row's value."""
    after = regression_values(model.coef_, model.intercept_, data.pool)
    before = regression_values(*start_of(model, data), data.pool)
    return (after < before).astype(float), (after > before).astype(float)


@pytest.mark.parametrize("data", TABLES)
@pytest.mark.parametrize("kind", MODELS)
def test_both_bounds_are_attained_by_a_labeling_and_no_other_is_outside(
    kind: str, data: PartlyLabeled
) -> None:
    model = MODELS[kind].fit(data.X, data.marked)
    certificate: Any = model.certificate_
    worst, best = extreme_labels(model, data)
    assert change(model, data, worst) == pytest.approx(certificate.worst_change, abs=1e-12)
    assert change(model, data, best) == pytest.approx(certificate.best_change, abs=1e-12)
    random = np.random.default_rng(0)
    for labels in random.integers(0, 2, size=(50, len(data.pool))):
        assert (
            certificate.best_change - 1e-12
            <= change(model, data, labels)
            <= certificate.worst_change + 1e-12
        )
    soft = change(model, data, random.uniform(size=len(data.pool)))
    assert certificate.best_change <= soft <= certificate.worst_change + 1e-12


@pytest.mark.parametrize("data", TABLES)
@pytest.mark.parametrize("kind", MODELS)
def test_the_change_on_the_labeled_rows_and_the_counts_are_as_said(
    kind: str, data: PartlyLabeled
) -> None:
    model = MODELS[kind].fit(data.X, data.marked)
    X, y = data.labeled
    after = regression_values(model.coef_, model.intercept_, X)
    before = regression_values(*start_of(model, data), X)
    expected = np.mean((after - y) ** 2) - np.mean((before - y) ** 2)
    assert model.certificate_.labeled_change == pytest.approx(expected, abs=1e-12)
    assert model.certificate_.n_labeled == len(y)
    assert model.certificate_.n_unlabeled == len(data.pool)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("alpha", [0.0, 0.5, 20.0, "loo"])
@pytest.mark.parametrize("chosen", [{}, {"fit_intercept": False}, {"solver": "lbfgsb"}], ids=repr)
def test_the_projection_guarantees_what_it_says_for_any_start(
    seed: int, alpha: Any, chosen: dict[str, Any]
) -> None:
    data = partly_labeled(seed=seed)
    model: Any = ProjectedLeastSquaresClassifier(alpha=alpha, penalty="start", **chosen).fit(
        data.X, data.marked
    )
    certificate: Any = model.certificate_
    assert certificate.guaranteed_improvement >= 0.0
    assert certificate.worst_change <= -certificate.guaranteed_improvement + 1e-12
    # The soft labels themselves attain it, so that no larger number could be guaranteed.
    assert certificate.worst_change == pytest.approx(
        -certificate.guaranteed_improvement, rel=1e-6, abs=1e-12
    )
    assert change(model, data, model.soft_labels_) == pytest.approx(
        certificate.worst_change, rel=1e-6, abs=1e-9
    )
    assert (certificate.guaranteed_improvement > 0.0) == (not certificate.supervised_in_set)


def test_the_guarantee_is_the_squared_distance_moved() -> None:
    data = TABLES[0]
    model: Any = ProjectedLeastSquaresClassifier().fit(data.X, data.marked)
    moved = model.decision_function(data.X) - (
        data.X @ model.supervised_coef_[0] + model.supervised_intercept_[0]
    )
    assert model.certificate_.guaranteed_improvement == pytest.approx(np.mean(moved**2), rel=1e-6)


@pytest.mark.parametrize("kind", sorted(set(MODELS) - {"projected", "projected ridge"}))
def test_only_the_projection_in_the_metric_of_all_rows_has_a_guarantee(kind: str) -> None:
    model = MODELS[kind].fit(TABLES[0].X, TABLES[0].marked)
    assert model.certificate_.guaranteed_improvement is None


def votes(n_each: int = 10) -> PartlyLabeled:
    """Two points, three labels at each of which one disagrees, and unlabeled rows at both.

    Supervised least squares says 1/3 and 2/3, which the soft labels 1/3 and 2/3 imply as well;
    self-learning rounds them and becomes too sure of itself.
    """
    X = np.repeat([-1.0, 1.0], 3 + n_each)[:, None]
    y = np.concatenate([[0, 0, 1], np.zeros(n_each), [1, 1, 0], np.ones(n_each)]).astype(int)
    known = np.tile(np.arange(3 + n_each) < 3, 2)
    return PartlyLabeled(X, y, known)


def test_self_learning_can_make_things_worse_and_says_by_how_much() -> None:
    data = votes()
    model: Any = SelfLearningClassifier().fit(data.X, data.marked)
    np.testing.assert_allclose(model.decision_function([[-1.0], [1.0]]), [-11 / 26, 11 / 26])
    # By hand: 6 labeled rows of which a third is off, 20 unlabeled rows that are all wrong.
    labeled = 4 * ((1 / 13) ** 2 - (1 / 3) ** 2) + 2 * ((12 / 13) ** 2 - (2 / 3) ** 2)
    wrong = 20 * ((12 / 13) ** 2 - (2 / 3) ** 2)
    right = 20 * ((1 / 13) ** 2 - (1 / 3) ** 2)
    certificate: Any = model.certificate_
    assert certificate.worst_change == pytest.approx((labeled + wrong) / 26)
    assert certificate.best_change == pytest.approx((labeled + right) / 26)
    assert certificate.labeled_change == pytest.approx(labeled / 6)
    assert certificate.worst_change > 0 > certificate.best_change
    assert certificate.supervised_in_set is True


@pytest.mark.parametrize("base", [LogisticRegression(), GaussianNB()], ids=repr)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_bases_with_probabilities_are_certified_by_the_squared_loss_of_these(
    base: Any, n_classes: int
) -> None:
    data = partly_labeled(n_labeled=15, n_classes=n_classes)
    model: Any = SelfLearningClassifier(base).fit(data.X, data.marked)
    certificate: Any = model.certificate_
    before = type(base)().fit(*data.labeled).predict_proba(data.pool)
    after = model.predict_proba(data.pool)
    # Half the sum over the classes, which for two classes is the square for either one.
    by_label = np.stack(
        [0.5 * ((after - one) ** 2 - (before - one) ** 2).sum(axis=1) for one in np.eye(n_classes)]
    )
    X, y = data.labeled
    ones = np.eye(n_classes)[y]
    supervised = type(base)().fit(X, y)
    on_labeled = 0.5 * (
        (model.predict_proba(X) - ones) ** 2 - (supervised.predict_proba(X) - ones) ** 2
    ).sum(axis=1)
    n = len(data.X)
    worst = (on_labeled.sum() + by_label.max(axis=0).sum()) / n
    best = (on_labeled.sum() + by_label.min(axis=0).sum()) / n
    assert certificate.worst_change == pytest.approx(worst)
    assert certificate.best_change == pytest.approx(best)
    assert certificate.labeled_change == pytest.approx(on_labeled.mean())
    assert certificate.supervised_in_set is None
    assert certificate.guaranteed_improvement is None


def test_bases_without_probabilities_have_no_certificate() -> None:
    model: Any = SelfLearningClassifier(RidgeClassifier()).fit(TABLES[0].X, TABLES[0].marked)
    assert model.certificate_ is None


def test_with_three_classes_the_bounds_are_attained_by_a_labeling_too() -> None:
    data = partly_labeled(n_labeled=9, n_classes=3, noise=2.0)
    model: Any = SelfLearningClassifier().fit(data.X, data.marked)
    supervised = LeastSquaresClassifier().fit(*data.labeled)
    rows = np.concatenate([data.X[data.known], data.pool])
    after, before = (m.decision_function(rows) + 0.5 for m in (model, supervised))

    def change_with(labels: np.ndarray) -> float:
        ones = np.eye(3)[np.concatenate([data.y[data.known], labels])]
        return float(0.5 * ((after - ones) ** 2 - (before - ones) ** 2).sum(axis=1).mean())

    move = (after - before)[len(data.X) - len(data.pool) :]
    certificate: Any = model.certificate_
    assert change_with(move.argmin(axis=1)) == pytest.approx(certificate.worst_change)
    assert change_with(move.argmax(axis=1)) == pytest.approx(certificate.best_change)
    for labels in np.random.default_rng(0).integers(0, 3, size=(50, len(data.pool))):
        assert certificate.best_change <= change_with(labels) <= certificate.worst_change
    assert certificate.supervised_in_set is None


Fitted = Callable[[], Any]
KINDS: dict[str, tuple[Fitted, tuple[str, str, str]]] = {
    "no unlabeled rows": (
        lambda: ICLSClassifier().fit(*TABLES[0].labeled),
        ("There were no unlabeled rows", "that of the supervised classifier", "unchanged"),
    ),
    "nothing to change": (
        lambda: ICLSClassifier().fit(votes().X, votes().marked),
        ("20 unlabeled and 6 labeled rows, so the unlabeled data changes nothing", "", "unchanged"),
    ),
    "no set": (
        lambda: SelfLearningClassifier(GaussianNB()).fit(TABLES[0].X, TABLES[0].marked),
        ("method that gives no guarantee", "can get worse", "On the labeled rows it"),
    ),
    "left for no reason": (
        lambda: SelfLearningClassifier().fit(votes().X, votes().marked),
        ("no reason to leave it, but this method did", "can get worse", "it rises by"),
    ),
    "guarantee": (
        lambda: ProjectedLeastSquaresClassifier().fit(TABLES[0].X, TABLES[0].marked),
        ("has something to say", "Whatever .* falls by at least", "it rises by"),
    ),
    "no harm": (
        lambda: ICLSClassifier().fit(TABLES[0].X, TABLES[0].marked),
        ("has something to say", "Whatever .* does not rise", "it rises by"),
    ),
    "harm is possible": (
        lambda: ICLSClassifier().fit(TABLES[1].X, TABLES[1].marked),
        ("has something to say", "Depending on .* can get worse", "it rises by"),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_printed_it_is_three_sentences(kind: str) -> None:
    fitted, phrases = KINDS[kind]
    lines = str(fitted().certificate_).split("\n")
    assert len(lines) == 3
    for line, phrase in zip(lines, phrases, strict=True):
        assert re.fullmatch(r"[A-Z][^\n]*[^.]\.", line)
        assert not re.search(r"[.!?] ", line)
        assert re.search(phrase, line)


def test_the_numbers_in_the_sentences_are_those_of_the_certificate() -> None:
    model: Any = ProjectedLeastSquaresClassifier().fit(TABLES[0].X, TABLES[0].marked)
    certificate: Any = model.certificate_
    text = str(certificate)
    assert f"falls by at least {certificate.guaranteed_improvement:.4g}" in text
    assert f"{certificate.best_change:+.4g} at best" in text
    assert f"{certificate.worst_change:+.4g} at worst" in text
    assert f"rises by {certificate.labeled_change:.4g}." in text


@pytest.mark.parametrize("seed", [2, 3, 11, 705])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("solver", ["interior-point", "working-set"])
def test_the_guarantee_holds_where_columns_are_nearly_collinear(
    seed: int, n_classes: int, solver: str
) -> None:
    # Around the cut, a direction may count in the labeled rows and not in all rows, and the
    # supervised coefficients along it are in the hundreds.
    for gap in np.logspace(-4.5, -3.0, 8):
        random = np.random.default_rng(seed)
        a = random.normal(size=60)
        X = np.column_stack([a, a + gap * random.normal(size=60), random.normal(size=60)])
        noisy = a + random.normal(size=60)
        y = np.searchsorted(np.quantile(noisy, np.arange(1, n_classes) / n_classes), noisy)
        y[15:] = -1
        found = ProjectedLeastSquaresClassifier(solver=solver).fit(X, y).certificate_
        assert found.guaranteed_improvement is not None
        assert found.worst_change <= -found.guaranteed_improvement + 1e-8


@pytest.mark.parametrize("scale", [1.0, 1e10, 1e12])
def test_the_unit_of_the_features_does_not_decide_what_is_in_the_set(scale: float) -> None:
    for seed in range(8):
        random = np.random.default_rng(seed)
        X = random.normal(size=(60, 4))
        y = (X[:, 0] + random.normal(size=60) > 0).astype(int)
        y[:2], y[12:] = (0, 1), -1
        euclidean, every = (
            ProjectedLeastSquaresClassifier(metric).fit(X * scale, y)
            for metric in ("euclidean", "all")
        )
        inside = every.certificate_.supervised_in_set
        assert euclidean.certificate_.supervised_in_set == inside


def test_a_promise_of_nothing_is_put_as_such() -> None:
    model: Any = ProjectedLeastSquaresClassifier().fit(TABLES[0].X, TABLES[0].marked)
    nothing = replace(model.certificate_, guaranteed_improvement=0.0, worst_change=9.5e-08)
    assert "does not rise beyond rounding" in str(nothing)
    assert "falls by at least" not in str(nothing)
