"""Losses against ever more labels, and against ever more unlabeled rows."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tacit._typing import AnyArray, Index
from tacit.selection._compare import read_or_default
from tacit.selection._contestants import Estimators
from tacit.selection._curve import Along, LearningCurve
from tacit.selection._evaluate import Progress, Split, evaluate_all, runs_of
from tacit.selection._labeled_table import LabeledTable, read_table
from tacit.selection._measure import check_classes, loss_of, read_measure
from tacit.selection._splitters import plan_splits, read_seed

N_SIZES = 5


def learning_curve(
    X: Any,
    y: Any,
    estimators: Estimators | None = None,
    *,
    n_labeled: Sequence[int] | None = None,
    n_unlabeled: Sequence[int] | None = None,
    cv: Any = 5,
    n_repeats: int = 2,
    scoring: Any = "accuracy",
    n_jobs: int | None = None,
    X_unlabeled: Any = None,
    random_state: Any = 0,
    unlabeled: Any = -1,
    on_progress: Progress | None = None,
) -> LearningCurve:
    """Loss against the number of labels, and against the number of unlabeled rows.

    As in `compare`, labels are held back in folds, every contestant gets the same rows, and rows
    without label are never scored. Smaller training sets are parts of larger ones.

    Parameters
    ----------
    X, y, estimators, scoring, n_jobs, X_unlabeled, random_state, unlabeled, on_progress
        As in `compare`.
    n_labeled : sequence of int, optional
        Numbers of labels to train on, with all unlabeled rows; by default five, from a few of each
        class to all that a fold leaves. An empty sequence leaves this curve out.
    n_unlabeled : sequence of int, optional
        Numbers of unlabeled rows to train on, with all labels that a fold leaves; by default none,
        and four more up to all. An empty sequence leaves this curve out.
    cv : int or splitter, default=5
        Folds; fewer where a class has fewer labels.
    n_repeats : int, default=2
        How often the labels are shuffled and split anew; not used where `cv` is a splitter.

    Returns
    -------
    LearningCurve
        With `frame()`, `plot()`, `to_html()` and `forecast(n_more)`; print it.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.selection import learning_curve
    >>> random = np.random.default_rng(0)
    >>> y = random.integers(0, 2, 300)
    >>> X = random.normal(size=(300, 5)) + 0.7 * (2 * y - 1)[:, None]
    >>> y[60:] = -1  # 60 labels, 240 unlabeled rows
    >>> curve = learning_curve(X, y, n_labeled=[12, 24, 48], n_unlabeled=[], n_repeats=1)
    >>> [point.n_labeled for point in curve.points("labels", "ridge")]
    [12, 24, 48]
    """
    measure = read_measure(scoring)
    table = read_table(X, y, X_unlabeled, unlabeled)
    check_classes(measure, len(table.classes))
    contestants = read_or_default(estimators, table)
    if isinstance(cv, numbers.Integral) and not isinstance(cv, bool):
        cv = min(int(cv), len(table.labeled))
    seed = read_seed(random_state)
    splits = plan_splits(table, cv, n_repeats, seed)
    if not splits:
        rare = [name for name, count in table.label_counts.items() if count < 2]
        raise ValueError(
            f"y has a single label of the class {rare[0]!r}; a learning curve needs at least two "
            "of each class, one to learn from and one to test on."
        )
    plan = _plan(table, splits, n_labeled, n_unlabeled, seed)
    # Where both curves have all rows they share a point, which is measured once.
    unique = {_rows_of(split): split for _, split in plan}
    judge = partial(loss_of, measure=measure)
    tasks = [(judge, split) for split in unique.values()]
    found = evaluate_all(table, contestants, tasks, str(seed), n_jobs, on_progress)
    outcomes = dict(zip(unique, found, strict=True))
    losses = tuple(
        run
        for along, split in plan
        for run in runs_of(table, split, outcomes[_rows_of(split)], measure.name, along)
    )
    return LearningCurve(
        losses,
        contestants,
        measure,
        table.label_counts,
        len(table.unlabeled),
        float(np.mean([len(split.test) / len(split.labeled) for split in splits])),
    )


def _plan(
    table: LabeledTable,
    splits: Sequence[Split],
    n_labeled: Sequence[int] | None,
    n_unlabeled: Sequence[int] | None,
    seed: int,
) -> list[tuple[Along, Split]]:
    smallest = min(len(split.labeled) for split in splits)
    n_classes, all_unlabeled = len(table.classes), len(table.unlabeled)
    labeled = _read_sizes("n_labeled", n_labeled, n_classes, smallest)
    if labeled is None:
        labeled = _geometric(max(2 * n_classes, smallest // 8), smallest, N_SIZES)
    unlabeled = _read_sizes("n_unlabeled", n_unlabeled, 0, all_unlabeled)
    if unlabeled is None:
        unlabeled = [0, *_geometric(max(10, all_unlabeled // 64), all_unlabeled, N_SIZES - 1)]
    if not labeled and not unlabeled:
        raise ValueError(
            "n_labeled and n_unlabeled are both empty, so there is no curve to measure; give sizes "
            "for one of them, or leave it out for the usual ones."
        )
    plan: list[tuple[Along, Split]] = []
    for split in splits:
        random = np.random.default_rng([split.repeat, split.fold, seed])
        ordered = _prefixes_with_all_classes(split.labeled, table.y, random)
        shuffled = random.permutation(table.unlabeled)
        for size in labeled:
            plan.append(("labels", replace(split, labeled=np.sort(ordered[:size]))))
        for size in unlabeled:
            plan.append(("unlabeled rows", replace(split, unlabeled=np.sort(shuffled[:size]))))
    return plan


def _rows_of(split: Split) -> tuple[int, ...]:
    return (split.repeat, split.fold, len(split.labeled), len(split.unlabeled))


def _geometric(first: int, last: int, n_sizes: int) -> list[int]:
    return sorted({round(size) for size in np.geomspace(min(first, last), last, n_sizes)})


def _read_sizes(name: str, sizes: Any, least: int, most: int) -> list[int] | None:
    """The sizes given, ascending; None where none are."""
    if sizes is None:
        return None
    if isinstance(sizes, str) or np.ndim(sizes) != 1:
        example = f"[{sizes}]" if isinstance(sizes, numbers.Number) else "[10, 20, 40]"
        raise ValueError(
            f"{name} is {sizes!r}; it must be a list of whole numbers, such as {example}, or None."
        )
    for size in sizes:
        is_number = isinstance(size, numbers.Real) and not isinstance(size, bool)
        if not is_number or size % 1 != 0 or not least <= size <= most:
            raise ValueError(
                f"{name} has {size!r}; each must be a whole number from {least} to {most:,}, the "
                "rows that every split leaves to train on."
            )
    return sorted({int(size) for size in sizes})


def _prefixes_with_all_classes(rows: Index, y: AnyArray, random: np.random.Generator) -> Index:
    """The rows in a random order in which every beginning has the classes in proportion."""
    rows = random.permutation(rows)
    place = np.empty(len(rows))
    for label in np.unique(y[rows]):
        own = np.flatnonzero(y[rows] == label)
        place[own] = (np.arange(len(own)) + random.uniform(size=len(own))) / len(own)
        place[own[0]] = -1.0  # one of each class comes first
    return np.asarray(rows[np.argsort(place, kind="stable")])
