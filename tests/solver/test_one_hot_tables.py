"""Tiny tables of categories: every label fractional, and some of them barely."""

from __future__ import annotations

import numpy as np
import pytest

from tests.problems import Table, projected


def one_hot_table(seed: int, n_classes: int) -> Table:
    """A dozen rows of two to four categorical columns with two to four categories each."""
    random = np.random.default_rng(seed)
    n_columns = random.integers(2, 5)
    n_labeled, n_unlabeled = max(int(random.integers(4, 7)), n_classes + 1), random.integers(5, 8)
    n = int(n_labeled + n_unlabeled)
    columns = []
    for _ in range(n_columns):
        n_categories = int(random.integers(2, 5))
        columns.append(np.eye(n_categories)[random.integers(0, n_categories, n)])
    X = np.hstack(columns)
    y = random.integers(0, n_classes, n_labeled)
    y[:n_classes] = np.arange(n_classes)
    labels = y.astype(np.float64) if n_classes == 2 else np.eye(n_classes)[y]
    return Table(X[:n_labeled], labels, X[n_labeled:], labels[:0])


# Each of them has tables on which progress used to end above the tolerance.
@pytest.mark.parametrize(
    ("metric", "alpha", "n_classes", "seeds"),
    [
        ("all", 1e-4, 2, range(20)),
        ("all", 1e-3, 2, range(20)),
        ("all", 1e-2, 2, range(20)),
        ("euclidean", 1e-3, 2, range(20)),
        ("labeled", 1e-3, 2, [555, 1659]),
        ("labeled", 0.0, 2, [10654]),
        ("all", 1e-3, 3, [38, 58]),
        ("euclidean", 1e-2, 3, [38]),
        ("labeled", 1e-4, 3, [2]),
        ("all", 1e-3, 4, [38]),
    ],
)
def test_tables_of_categories_are_solved_to_the_tolerance(metric, alpha, n_classes, seeds):
    for seed in seeds:
        data = one_hot_table(seed, n_classes)
        solution = projected(data, metric, alpha=alpha)[0].solution
        assert solution.status.is_success, seed
        assert solution.is_optimal(1e-8), seed
        labels = solution.labels()
        assert labels.min() >= -1e-15, seed
        assert labels.max() <= 1.0 + 1e-15, seed
