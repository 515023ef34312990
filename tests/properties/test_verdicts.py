"""Verdicts are right where the truth is known: "helps" is hardly ever said wrongly.

`python -m benchmarks.verdicts` says how often, over hundreds of problems with all contestants; here
are as many as a test may take.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from benchmarks.verdicts import against, featureless, hidden, pure_noise
from tacit.selection import Kind, compare, default_contestants
from tacit.selection._labeled_table import default_preprocessing
from tacit.selection._verdict import judge_methods, paired_difference

MARGIN = 0.02
FOLDS, REPEATS = 10, 2
N_TABLES = 200


def simulated(
    random: np.random.Generator, n_labels: int, disagreement: float, gain: float, n_methods: int
) -> Kind:
    """The best answer among methods whose rows change from wrong to right as often as said.

    Rows keep their difference from shuffle to shuffle, up to a fifth of them that do not, as
    training sets vary: that is what makes splits less independent than they look.
    """
    differences = {}
    for k in range(n_methods):
        chances = [(disagreement + gain) / 2, 1.0 - disagreement, (disagreement - gain) / 2]
        rows = random.choice([-1.0, 0.0, 1.0], size=n_labels, p=chances)
        losses = []
        for _ in range(REPEATS):
            fresh = random.choice([-1.0, 0.0, 1.0], size=n_labels, p=chances)
            now = np.where(random.uniform(size=n_labels) < 0.2, fresh, rows)
            folds = np.array_split(random.permutation(n_labels), FOLDS)
            losses += [float(now[fold].mean()) for fold in folds]
        differences[f"m{k}"] = paired_difference(
            f"m{k}", "twin", np.array(losses), 1.0 / (FOLDS - 1), n_labels, disagreement, 5000
        )
    kinds = [m.kind for m in judge_methods(differences, differences, MARGIN).values()]
    return Kind.HELPS if Kind.HELPS in kinds else kinds[0]


def answers(**given: Any) -> Counter[Kind]:
    random = np.random.default_rng(0)
    return Counter(simulated(random, **given) for _ in range(N_TABLES))


@pytest.mark.parametrize("n_methods", [1, 4])
@pytest.mark.parametrize("disagreement", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("n_labels", [20, 60, 200])
def test_help_is_promised_in_at_most_one_of_twenty_tables_where_there_is_none(
    n_labels: int, disagreement: float, n_methods: int
) -> None:
    found = answers(n_labels=n_labels, disagreement=disagreement, gain=0.0, n_methods=n_methods)
    assert found[Kind.HELPS] <= 0.05 * N_TABLES


def test_help_is_seen_where_there_are_labels_enough() -> None:
    some = answers(n_labels=60, disagreement=0.2, gain=0.15, n_methods=1)
    many = answers(n_labels=400, disagreement=0.2, gain=0.1, n_methods=3)
    assert some[Kind.HELPS] > 0.6 * N_TABLES
    assert many[Kind.HELPS] > 0.9 * N_TABLES


def test_harm_is_seen_where_there_are_labels_enough() -> None:
    found = answers(n_labels=400, disagreement=0.2, gain=-0.1, n_methods=1)
    assert found[Kind.MAY_HURT] > 0.9 * N_TABLES


def test_few_labels_leave_it_open_and_many_settle_it() -> None:
    few = answers(n_labels=30, disagreement=0.2, gain=0.0, n_methods=1)
    many = answers(n_labels=5000, disagreement=0.05, gain=0.0, n_methods=1)
    assert few[Kind.TOO_FEW] > 0.7 * N_TABLES
    assert many[Kind.NO_DIFFERENCE] > 0.8 * N_TABLES


def verdict_on(draw: Any, n_labels: int, d: int, seed: int, n_unlabeled: int = 200) -> Kind:
    random = np.random.default_rng([seed, n_labels, d])
    X, y = draw(random, n_labels + n_unlabeled, d)
    y = y.copy()
    y[n_labels:] = -1
    # The other two cost most and decide nothing here.
    names = ("ridge", "ICLS", "self-learning")
    everybody = default_contestants(default_preprocessing(X)).values()
    contestants = [contestant for contestant in everybody if contestant.name in names]
    return compare(X, y, contestants, n_repeats=1, random_state=seed).verdict.kind


@pytest.mark.parametrize("draw", [featureless, pure_noise, against])
def test_no_help_is_promised_where_rows_cannot_help_or_mislead(draw: Any) -> None:
    kinds = [verdict_on(draw, 40, 5, seed) for seed in range(4)]
    assert Kind.HELPS not in kinds


def test_help_is_found_where_noise_hides_the_classes() -> None:
    kinds = [verdict_on(hidden, 100, 80, seed, 500) for seed in range(4)]
    assert Kind.MAY_HURT not in kinds
    assert kinds.count(Kind.HELPS) >= 2
