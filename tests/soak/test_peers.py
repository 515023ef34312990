"""Other people's solvers as judges: none finds better labels than ours."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from sklearn.exceptions import ConvergenceWarning

from tacit import ICLSClassifier, ProjectedLeastSquaresClassifier
from tests.soak.judge import HAS_EXTENDED_PRECISION, Projection
from tests.soak.peers import PEERS
from tests.soak.problems import Recipe, fit, recipes
from tests.soak.tally import TALLY, examples

pytestmark = pytest.mark.skipif(
    not HAS_EXTENDED_PRECISION, reason="this machine has no numbers longer than double precision"
)

# Part of the objective, or of a ten-thousandth of that of labels drawn by lot.
ROUNDING = 1e-7


@pytest.mark.parametrize("metric", ["all", "labeled"])
@given(recipe=recipes(most_unlabeled=100, wild=False, classes=(2,)))
# Of a fifth there is nothing to judge; more than 1,000 are.
@examples(test=15, soak=750)
def test_no_other_solver_finds_a_lower_objective(metric: str, recipe: Recipe) -> None:
    alpha = recipe.alpha
    model: Any = ICLSClassifier(alpha)
    if metric == "all":
        model = ProjectedLeastSquaresClassifier(alpha=alpha)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        try:
            fit(model, recipe)
        except ConvergenceWarning:
            return  # it says that it is not exact
    problem = Projection.of(recipe.table, 2, alpha, has_intercept=True)
    if recipe.n_unlabeled == 0 or not problem.is_well_posed():
        return
    c_sup = problem.coordinates(model.supervised_coef_, model.supervised_intercept_)
    M = problem.A if metric == "all" else problem.S
    labels = np.asarray(model.soft_labels_)[:, None]
    ours, gap = problem.objective(labels, c_sup, M), problem.relative_gap(labels, c_sup, M)
    if gap.noise > ROUNDING:
        return  # weights differ so much that rounding of the start decides
    TALLY.n_problems += 1
    unit = gap.unit
    V, t = problem.generators(c_sup, M)
    for name, solve in PEERS.items():
        u = np.clip(solve(V / np.sqrt(unit), t / np.sqrt(unit)), 0.0, 1.0)
        theirs = problem.objective(u[:, None], c_sup, M)
        assert theirs >= ours - ROUNDING * unit, f"{name} finds {theirs}, and we have {ours}"
