"""Two solvers that share no step of their iterations must find the same coefficients."""

import numpy as np
import pytest

from tests.problems import KINDS, projected, table

METRICS = ("labeled", "all", "euclidean")
SEEDS = range(12)
# The euclidean metric adds up coefficients in the units of their features. When these differ by
# many orders of magnitude it is decided by the smallest unit alone, and rounding ends both solvers.
WELL_POSED = [
    (kind, metric)
    for kind in KINDS
    for metric in METRICS
    if (kind, metric) != ("mixed scales", "euclidean")
]


@pytest.mark.parametrize(("kind", "metric"), WELL_POSED)
def test_the_interior_point_method_and_lbfgsb_agree(kind, metric):
    for seed in SEEDS:
        data = table(kind, seed)
        ours, start, _ = projected(data, metric, "interior-point")
        theirs = projected(data, metric, "lbfgsb")[0]
        assert ours.solution.status.is_success, (kind, metric, seed)
        assert ours.solution.is_optimal(1e-8)

        # Half the squared distance of each to the optimum, in the metric, is at most its gap.
        allowed = np.sqrt(2 * ours.solution.gap()) + np.sqrt(2 * theirs.solution.gap())
        rounding = 1e-7 * np.sqrt(2 * ours.solution.scale)
        apart = np.linalg.norm(ours.solution.residual - theirs.solution.residual)
        assert apart <= allowed + rounding, (kind, metric, seed)
        if metric != "euclidean" and theirs.solution.is_optimal(1e-12):
            X = np.vstack([data.X, data.X_u])
            difference = ours.coefficients.values(X) - theirs.coefficients.values(X)
            unit = np.abs(start.values(X)).max()
            assert np.abs(difference).max() <= 1e-6 * unit, (kind, metric, seed)


def test_ridge_penalties_do_not_part_them():
    for seed in SEEDS:
        data = table("plain", seed)
        for metric in METRICS:
            ours = projected(data, metric, "interior-point", alpha=0.7)[0].solution
            theirs = projected(data, metric, "lbfgsb", alpha=0.7)[0].solution
            allowed = np.sqrt(2 * ours.gap()) + np.sqrt(2 * theirs.gap())
            apart = np.linalg.norm(ours.residual - theirs.residual)
            assert apart <= allowed + 1e-7 * np.sqrt(2 * ours.scale)


def test_lbfgsb_meets_its_tolerance_on_nearly_all_problems():
    met = [
        projected(table(kind, seed), "labeled", "lbfgsb")[0].solution.is_optimal(1e-6)
        for kind in KINDS
        for seed in SEEDS
    ]
    assert np.mean(met) >= 0.97
