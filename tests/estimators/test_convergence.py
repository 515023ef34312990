"""A solver that did not get there is heard of, with what to do about it."""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest
from sklearn.exceptions import ConvergenceWarning

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
