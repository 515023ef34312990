"""Generated problems have the error that they claim."""

import numpy as np
import pytest
from scipy.stats import norm

from tacit.research.datasets import aligned_clusters, opposed_clusters, overlapping

N_ROWS = 200_000
# Four standard errors of a proportion near one quarter.
TOLERANCE = 4 * np.sqrt(0.25 * 0.75 / N_ROWS)


@pytest.mark.parametrize(
    ("problem", "rule"),
    [
        (aligned_clusters(N_ROWS, 0, radius=1.0), lambda X: (X[:, 0] < 0).astype(int)),
        (opposed_clusters(N_ROWS, 3), lambda X: (X[:, 1] > 0).astype(int)),
        (overlapping(N_ROWS, 4), lambda X: (X[:, 0] > 0).astype(int)),
        (overlapping(N_ROWS, 5, slope=0.5), lambda X: (X[:, 0] > 0).astype(int)),
    ],
    ids=["aligned", "opposed", "overlapping", "flat"],
)
def test_the_best_rule_errs_as_often_as_the_problem_says(problem, rule):
    assert np.mean(rule(problem.X) != problem.y) == pytest.approx(
        problem.bayes_error, abs=TOLERANCE
    )


def test_the_gap_between_opposed_clusters_says_nothing_about_the_classes():
    problem = opposed_clusters(N_ROWS, 0)
    beside_the_gap = np.abs(problem.X[:, 0]) < 1.0
    assert beside_the_gap.mean() < 0.03
    right = problem.X[:, 0] > 0
    assert np.mean(right == (problem.y == 1)) == pytest.approx(0.5, abs=TOLERANCE)


def test_all_rows_of_the_overlapping_problem_together_are_one_normal_cloud():
    X = overlapping(N_ROWS, 0, slope=3.0).X
    for quantile in (0.05, 0.3, 0.5, 0.7, 0.95):
        below = (norm.ppf(quantile) > X).mean(axis=0)
        np.testing.assert_allclose(below, quantile, atol=TOLERANCE * 1.2)


@pytest.mark.parametrize("make", [aligned_clusters, opposed_clusters, overlapping])
def test_a_seed_gives_the_same_rows_again_and_the_classes_are_balanced(make):
    first, again, other = make(7, 0), make(7, 0), make(7, 1)
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.X, other.X)
    assert sorted(np.bincount(first.y)) == [3, 4]
    assert first.X.shape == (7, 2)
    assert make(7, np.random.default_rng(0)).X.tolist() == first.X.tolist()
