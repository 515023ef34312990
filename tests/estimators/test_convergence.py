"""A solver that did not get there is heard of, and its answer promises no more than it keeps."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

from tacit import ICLSClassifier, KernelICLSClassifier, ProjectedLeastSquaresClassifier
from tacit.selection import LabeledKFold
from tacit.solver import Status
from tests.estimators.tables import IMPLICIT, partly_labeled

DATA = partly_labeled()
SOLVERS = ["auto", "interior-point", "lbfgsb"]


def warned_by(model: Any) -> warnings.WarningMessage:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(DATA.X, DATA.marked)
    assert len(caught) == 1
    assert caught[0].category is ConvergenceWarning
    return caught[0]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", IMPLICIT)
def test_too_few_iterations_are_warned_about_with_gap_tolerance_and_advice(
    estimator: Any, solver: str
) -> None:
    model = estimator(solver=solver, max_iter=1, tol=1e-6)
    message = str(warned_by(model).message)
    gap = model.solution_.relative_gap()
    kept = " The answer might have raised the loss, so the supervised classifier was kept."
    assert message == (
        f"{estimator.__name__} stopped with status 'max_iterations' at a relative duality gap of "
        f"{gap:.2g}, above the tolerance tol=1e-06; raise max_iter (now 1)."
        f"{kept if model.certificate_.kept_start else ''}"
    )
    assert gap > 1e-6
    assert model.solution_.status is Status.MAX_ITERATIONS
    assert not model.solution_.is_optimal(1e-6)
    assert model.n_iter_ == 1


@pytest.mark.parametrize(
    ("solver", "advice"),
    [
        ("auto", r"raise tol \(now 1e-200\) or scale the features"),
        ("lbfgsb", r'use solver="interior-point"'),
    ],
)
@pytest.mark.parametrize("estimator", IMPLICIT)
def test_a_tolerance_below_rounding_is_warned_about_with_other_advice(
    estimator: Any, solver: str, advice: str
) -> None:
    message = str(warned_by(estimator(solver=solver, tol=1e-200)).message)
    assert re.search(rf"'stalled' .* above the tolerance tol=1e-200; {advice}\.$", message)


@pytest.mark.parametrize("estimator", IMPLICIT)
def test_the_warning_points_at_the_line_that_called_fit(estimator: Any) -> None:
    # Had failed: it pointed into the package, where Python shows it once for all callers.
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator(max_iter=1).fit(DATA.X, DATA.marked)
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", IMPLICIT)
def test_an_unfinished_model_certifies_what_it_is_and_not_what_it_should_be(
    estimator: Any, solver: str
) -> None:
    unfinished = estimator(solver=solver, max_iter=1)
    warned_by(unfinished)
    finished = estimator(solver=solver).fit(DATA.X, DATA.marked)
    promised = unfinished.certificate_.guaranteed_improvement
    if promised is not None:
        assert unfinished.certificate_.worst_change <= -promised + 1e-12
        assert promised < finished.certificate_.guaranteed_improvement
    assert unfinished.certificate_.worst_change != finished.certificate_.worst_change


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", IMPLICIT)
def test_a_looser_tolerance_is_met_in_no_more_iterations(estimator: Any, solver: str) -> None:
    loose = estimator(solver=solver, tol=1e-2).fit(DATA.X, DATA.marked)
    tight = estimator(solver=solver, tol=1e-10).fit(DATA.X, DATA.marked)
    assert loose.solution_.relative_gap() <= 1e-2
    assert tight.solution_.relative_gap() <= 1e-10
    assert loose.n_iter_ <= tight.n_iter_


ROUNDING = 1e-12
SEEDS = range(6)


def table(n_classes: int, seed: int, n_labeled: int = 8, n_unlabeled: int = 40) -> Any:
    """Few labels of classes that overlap, and wider unlabeled rows: starts far from the set."""
    random = np.random.default_rng([n_classes, seed])
    centres = random.normal(size=(n_classes, 3))
    y = np.concatenate([np.arange(n_classes), random.integers(0, n_classes, n_labeled - n_classes)])
    unknown = random.integers(0, n_classes, n_unlabeled)
    X = random.normal(size=(n_labeled, 3)) + centres[y]
    return X, y, 1.3 * random.normal(size=(n_unlabeled, 3)) + centres[unknown]


def fitted(model: Any, data: Any) -> tuple[Any, list[str]]:
    """The model, and what it has warned of."""
    X, y, X_u = data
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model.fit(X, y, X_unlabeled=X_u)
    return model, [str(warning.message) for warning in caught]


def loss_changes(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The change of the loss of each row for each label it may have."""
    if before.ndim == 1:
        before, after = (np.column_stack([1.0 - v, v]) for v in (before, after))
    squares = 0.5 * (after**2 - before**2).sum(axis=1, keepdims=True)
    return np.asarray(squares - (after - before))


def changes_of(model: Any, data: Any) -> tuple[float, np.ndarray]:
    """The change on the labeled rows, and that of each unlabeled row for each of its labels."""
    X, y, X_u = data
    rows = np.concatenate([X, X_u])
    before = rows @ model.supervised_coef_.T + model.supervised_intercept_ + 0.5
    after = model.decision_function(rows).reshape(before.shape) + 0.5
    if before.shape[1] == 1:
        before, after = before[:, 0], after[:, 0]
    changes = loss_changes(before, after)
    return float(changes[np.arange(len(y)), y].sum()), changes[len(y) :]


def assert_start_is_kept(model: Any, messages: list[str]) -> None:
    certificate = model.certificate_
    np.testing.assert_array_equal(model.coef_, model.supervised_coef_)
    np.testing.assert_array_equal(model.intercept_, model.supervised_intercept_)
    assert certificate.worst_change == certificate.best_change == certificate.labeled_change == 0.0
    assert certificate.guaranteed_improvement == 0.0
    assert certificate.supervised_in_set is None
    assert "so the supervised classifier was kept." in str(certificate)
    assert messages[0].endswith(
        "might have raised the loss, so the supervised classifier was kept."
    )


@pytest.mark.parametrize(
    ("n_classes", "solver"),
    [
        (2, "interior-point"),
        (2, "lbfgsb"),
        (2, "working-set"),
        (3, "interior-point"),
        (3, "working-set"),
    ],
)
def test_a_fit_that_stops_early_never_raises_the_loss(n_classes: int, solver: str) -> None:
    # Had failed: an answer that could raise the loss was said to lower it by at least zero.
    n_kept, n_unfinished = 0, 0
    for seed in SEEDS:
        data = table(n_classes, seed)
        for max_iter in (1, 2, 3):
            model, messages = fitted(
                ProjectedLeastSquaresClassifier(solver=solver, max_iter=max_iter), data
            )
            certificate = model.certificate_
            on_labeled, changes = changes_of(model, data)
            worst = (on_labeled + changes.max(axis=1).sum()) / (len(data[1]) + len(changes))
            assert certificate.guaranteed_improvement >= 0.0
            assert certificate.worst_change <= -certificate.guaranteed_improvement + ROUNDING
            assert worst <= -certificate.guaranteed_improvement + ROUNDING
            if not model.solution_.status.is_success:
                n_unfinished += 1
                assert len(messages) == 1
            if certificate.kept_start:
                n_kept += 1
                assert not model.solution_.status.is_success
                assert_start_is_kept(model, messages)
    if solver != "working-set":  # which solves so few rows at once
        assert n_kept > 0
        assert n_unfinished > n_kept


@pytest.mark.parametrize("solver", ["interior-point", "working-set"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("tol", [0.9, 0.1, 1e-3])
def test_a_loose_tolerance_promises_no_more_than_holds(
    n_classes: int, solver: str, tol: float
) -> None:
    for seed in SEEDS:
        data = table(n_classes, seed)
        model, messages = fitted(ProjectedLeastSquaresClassifier(solver=solver, tol=tol), data)
        certificate = model.certificate_
        assert certificate.guaranteed_improvement >= 0.0
        assert certificate.worst_change <= -certificate.guaranteed_improvement + ROUNDING
        assert bool(messages) == certificate.kept_start
        if certificate.kept_start:
            assert_start_is_kept(model, messages)
            assert f"within the tolerance tol={tol:g}; lower tol" in messages[0]


def test_classes_that_share_rows_do_not_raise_the_promise() -> None:
    # Had failed: the gap was that of a dual matrix a little off, and the promise 2e-7 too high.
    random = np.random.default_rng(221)
    random.integers(2, 5), random.integers(3, 23), random.choice([3000, 20000])
    random.integers(2, 6)
    centres = random.normal(size=(3, 3))
    y = np.concatenate([np.arange(3), random.integers(0, 3, 9)])
    X = random.normal(size=(12, 3)) + centres[y]
    unknown = random.integers(0, 3, 3000)
    X_u = 1.3 * random.normal(size=(3000, 3)) + centres[unknown]
    model = ProjectedLeastSquaresClassifier(solver="working-set", tol=0.5)
    certificate = model.fit(X, y, X_unlabeled=X_u).certificate_
    promised = certificate.guaranteed_improvement
    assert promised is not None
    assert promised > 0.0
    assert certificate.worst_change <= -promised * (1.0 - 1e-10)


def worst_with_shares(changes: np.ndarray, shares: np.ndarray) -> float:
    """The largest sum of changes over labelings with these shares, a linear program."""
    n, n_classes = changes.shape
    equations = np.concatenate(
        [np.kron(np.eye(n), np.ones(n_classes)), np.kron(np.ones(n), np.eye(n_classes))]
    )
    right = np.concatenate([np.ones(n), n * shares])
    # The last equation follows from the others.
    program = linprog(-changes.ravel(), A_eq=equations[:-1], b_eq=right[:-1], bounds=(0, 1))
    return float(changes.ravel() @ program.x)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("chosen", [{"tol": 0.5}, {"tol": 1e-3}, {"max_iter": 3}, {}], ids=repr)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_with_a_class_prior_the_worst_labeling_with_the_shares_is_covered(
    n_classes: int, chosen: dict[str, Any], fit_intercept: bool
) -> None:
    # Had failed: the gap was measured at a dual vector that does not belong to the labels.
    for seed in SEEDS:
        data = table(n_classes, seed)
        shares = np.random.default_rng(seed).dirichlet(np.ones(n_classes))
        if seed == 0:
            shares = np.eye(n_classes)[1]
        if seed == 1 and n_classes == 3:
            shares = np.array([0.4, 0.0, 0.6])
        model, _ = fitted(
            ProjectedLeastSquaresClassifier(
                class_prior=shares, fit_intercept=fit_intercept, **chosen
            ),
            data,
        )
        on_labeled, changes = changes_of(model, data)
        n_rows = len(data[1]) + len(changes)
        worst = (on_labeled + worst_with_shares(changes, shares)) / n_rows
        promised = model.certificate_.guaranteed_improvement
        assert promised is not None
        assert worst <= -promised + 1e-9
        if not chosen:  # and no less than holds is promised
            assert worst >= -promised - 1e-6


@pytest.mark.parametrize("estimator", [ICLSClassifier, ProjectedLeastSquaresClassifier])
@pytest.mark.parametrize("solver", ["interior-point", "working-set"])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("tol", [0.5, 0.1, 1e-2])
def test_the_shares_are_met_however_loose_the_tolerance(
    estimator: Any, n_classes: int, tol: float, solver: str
) -> None:
    # Had failed: shares off by up to 0.46, without a warning, where the start was far away.
    for seed in SEEDS:
        data = table(n_classes, seed, n_labeled=n_classes + 1)
        shares = np.random.default_rng(seed).dirichlet(np.ones(n_classes))
        for fit_intercept in (True, False):
            model = estimator(
                class_prior=shares, tol=tol, fit_intercept=fit_intercept, solver=solver
            )
            model, messages = fitted(model, data)
            mean = model.soft_labels_.mean(axis=0)
            mean = np.array([1.0 - mean, mean]) if n_classes == 2 else mean
            if not messages or model.certificate_.kept_start:
                np.testing.assert_allclose(mean, shares, atol=2e-6)
            assert model.solution_.status.is_success
            assert model.solution_.relative_gap() <= tol


def test_shares_that_were_not_reached_are_told_in_the_warning() -> None:
    for seed in SEEDS:
        model = ICLSClassifier(class_prior=[0.9, 0.1], max_iter=1, fit_intercept=False)
        model, messages = fitted(model, table(2, seed, n_labeled=3))
        missed = abs(float(model.soft_labels_.mean()) - 0.1)
        assert len(messages) == 1
        told = f"the shares of the soft labels miss class_prior by {missed:.2g}"
        assert (told in messages[0]) == (missed > 1e-6)


@pytest.mark.parametrize("chosen", [{"max_iter": 1}, {"max_iter": 2}, {"tol": 0.9}], ids=repr)
@pytest.mark.parametrize("alpha", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_with_a_kernel_an_inexact_answer_keeps_its_promise_on_the_penalised_loss(
    n_classes: int, alpha: float, chosen: dict[str, Any]
) -> None:
    # Had failed: as for rows, a bound below zero was reported as zero.
    for seed in SEEDS:
        X, y, X_u = data = table(n_classes, seed)
        model = KernelICLSClassifier(
            "rbf", "all", alpha=alpha, gamma=0.7, solver="interior-point", **chosen
        )
        model, messages = fitted(model, data)
        certificate = model.certificate_
        K = rbf_kernel(np.concatenate([X, X_u]), gamma=0.7)
        pairs = [
            (model.supervised_dual_coef_.T, model.supervised_intercept_ + 0.5),
            (model.dual_coef_.T, model.intercept_ + 0.5),
        ]
        before, after = (K @ dual + intercept for dual, intercept in pairs)
        norms = [float(np.vdot(dual, K @ dual)) for dual, _ in pairs]
        share = 1.0
        if n_classes == 2:
            before, after = before[:, 0], after[:, 0]
        else:
            share = 0.5
        changes = loss_changes(before, after)
        worst = changes[np.arange(len(y)), y].sum() + changes[len(y) :].max(axis=1).sum()
        penalty = share * alpha * (norms[1] - norms[0])
        promised = certificate.penalised_improvement
        assert promised >= 0.0
        assert (worst + penalty) / len(K) <= -promised + 1e-9
        if certificate.kept_start:
            np.testing.assert_array_equal(model.dual_coef_, model.supervised_dual_coef_)
            assert certificate.worst_change == certificate.best_change == 0.0
            assert "so the supervised classifier was kept" in str(certificate)
            assert messages[0].endswith("so the supervised classifier was kept.")


def test_labels_that_miss_the_target_by_rounding_are_no_reason_to_warn():
    # The target of the labeled loss is reached to 1e-11 in each direction, and a gap that is
    # linear in that is beyond any tolerance; the loss itself is 1e-22.
    digits, number = load_digits(return_X_y=True)
    y = number % 2
    y[np.random.default_rng(0).permutation(len(y))[80:]] = -1
    folds = list(LabeledKFold(5, shuffle=True, random_state=0).split(digits, y))
    for train, _ in folds[2::2]:
        X = StandardScaler().fit_transform(digits[train])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = ICLSClassifier(alpha=100.0).fit(X, y[train])
        assert model.solution_.status.is_success
