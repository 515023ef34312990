"""Generated problems have the error that they claim."""

import numpy as np
import pytest
from scipy.stats import norm

from tacit.research.datasets._generators import aligned_clusters, opposed_clusters, overlapping

N_ROWS = 200_000
# Four standard errors of a proportion near one quarter.
TOLERANCE = 4 * np.sqrt(0.25 * 0.75 / N_ROWS)


def sectors(X, n_classes):
    angle = np.arctan2(X[:, 1], X[:, 0])
    return np.round(angle / (2 * np.pi / n_classes)).astype(int) % n_classes


@pytest.mark.parametrize(
    ("problem", "rule"),
    [
        (aligned_clusters(N_ROWS, 0, radius=1.0), lambda X: (X[:, 0] < 0).astype(int)),
        (aligned_clusters(N_ROWS, 1, n_classes=3), lambda X: sectors(X, 3)),
        (aligned_clusters(N_ROWS, 2, n_classes=5), lambda X: sectors(X, 5)),
        (opposed_clusters(N_ROWS, 3), lambda X: (X[:, 1] > 0).astype(int)),
        (overlapping(N_ROWS, 4), lambda X: (X[:, 0] > 0).astype(int)),
        (overlapping(N_ROWS, 5, slope=0.5), lambda X: (X[:, 0] > 0).astype(int)),
    ],
    ids=["two clusters", "three clusters", "five clusters", "opposed", "overlapping", "flat"],
)
def test_the_best_rule_errs_as_often_as_the_problem_says(problem, rule):
    assert np.mean(rule(problem.X) != problem.y) == pytest.approx(
        problem.bayes_error, abs=TOLERANCE
    )


def test_two_aligned_clusters_have_the_error_of_two_normal_tails():
    assert aligned_clusters(10, 0, radius=1.5).bayes_error == pytest.approx(norm.cdf(-1.5))


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
    assert sorted(first.class_counts.values()) == [3, 4]
    assert first.X.shape == (7, 2)
    assert make(7, np.random.default_rng(0)).X.tolist() == first.X.tolist()


def test_preparing_a_generated_problem_keeps_its_lowest_error():
    problem = aligned_clusters(50, 0)
    assert problem.prepared().bayes_error == problem.bayes_error


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: aligned_clusters(2, n_classes=3), "n_rows was 2; it must be at least 3"),
        (lambda: aligned_clusters(9, n_classes=1), "n_classes was 1"),
        (lambda: aligned_clusters(9, radius=0.0), "radius was 0.0"),
        (lambda: opposed_clusters(9, gap=float("inf")), "gap was inf"),
        (lambda: opposed_clusters(9, margin=-1.0), "margin was -1.0"),
        (lambda: overlapping(1), "n_rows was 1"),
        (lambda: overlapping(9, slope=float("nan")), "slope was nan"),
    ],
)
def test_a_parameter_out_of_range_is_an_error_that_names_it(call, message):
    with pytest.raises(ValueError, match=message):
        call()
