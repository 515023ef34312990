"""Which labeled rows are tested on when; unlabeled rows are always in training."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit._typing import Index
from tacit.selection._labeled_table import LabeledTable
from tacit.selection._splitters import LabeledKFold, _LabeledSplitter

FOLDS = 10


@dataclass(frozen=True, eq=False)
class Fold:
    """One split of the labeled rows.

    Attributes
    ----------
    repeat, fold : int
        Its number.
    train, test : ndarray of int
        Positions of labeled rows in the whole table.
    """

    repeat: int
    fold: int
    train: Index
    test: Index


def plan_folds(table: LabeledTable, cv: Any, n_repeats: int, random_state: Any) -> list[Fold]:
    """Repeated stratified folds, the same for all contestants.

    No more folds than the rarest class has labels, so that every fold tests and trains on every
    class; none at all where some class has a single label.

    Parameters
    ----------
    table : LabeledTable
        The rows.
    cv : int, splitter or None
        Folds; None stands for 10. A splitter is asked once, for splits of the labeled rows.
    n_repeats : int
        How often the labeled rows are shuffled and split anew; not used with a splitter.
    random_state : int, RandomState, Generator or None
        Seed.
    """
    seed = read_seed(random_state)
    if not _is_count(n_repeats):
        raise ValueError(f"n_repeats is {n_repeats!r}; it must be a positive whole number.")
    if _is_splitter(cv):
        return _folds_of_splitter(table, cv)
    n_labeled = len(table.labeled)
    if cv is not None and (not _is_count(cv) or cv < 2):
        raise ValueError(
            f"cv is {_shown(cv)}; it must be a whole number of folds from 2 on, a splitter with a "
            "`split` method, or None."
        )
    if cv is not None and cv > n_labeled:
        raise ValueError(
            f"cv is {cv} and there are only {n_labeled} labels; use at most {n_labeled} folds, or "
            "leave cv out."
        )
    rarest = min(table.label_counts.values())
    if rarest < 2:
        return []
    n_folds = min(FOLDS if cv is None else int(cv), rarest)
    seeds = np.random.SeedSequence(seed).generate_state(n_repeats)
    labels = table.targets[table.labeled]
    folds = []
    for repeat, seed in enumerate(seeds):
        splitter = LabeledKFold(n_folds, shuffle=True, random_state=int(seed), unlabeled=None)
        for fold, (train, test) in enumerate(splitter.split(None, labels)):
            folds.append(Fold(repeat, fold, table.labeled[train], table.labeled[test]))
    return folds


def say_how_tested(table: LabeledTable, folds: Sequence[Fold], cv: Any) -> str:
    """Which labels were held back and predicted, and how often, in a sentence."""
    never = "rows without label were never scored"
    n_labels = len(table.labeled)
    rows, times = np.unique(np.concatenate([fold.test for fold in folds]), return_counts=True)
    often = set(times.tolist())
    if len(rows) == n_labels and len(often) == 1:
        shuffles = "once" if often == {1} else f"{often.pop()} times over"
        parts = f"{1 + max(fold.fold for fold in folds)} folds"
        if _is_splitter(cv):
            parts = f"{len(folds)} splits by {type(cv).__name__}"
        said = f"Every label was held back and predicted {shuffles}, in {parts}"
    else:
        sizes = sorted({len(fold.test) for fold in folds})
        held = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
        splits = "1 split" if len(folds) == 1 else f"{len(folds):,} splits"
        each = "it" if len(folds) == 1 else "each of them"
        said = (
            f"{type(cv).__name__} made {splits}: {each} held back and predicted {held} of the "
            f"{n_labels:,} labels, and {len(rows):,} labels were held back at least once"
        )
    ignored = "; n_repeats is not used with a splitter" if _is_splitter(cv) else ""
    return f"{said}; {never}{ignored}."


def _is_splitter(cv: Any) -> bool:
    return hasattr(cv, "split") and not isinstance(cv, str)


def read_seed(random_state: Any) -> int:
    """The number that `random_state` stands for; for None a new one each time."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    is_whole = isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool)
    if not is_whole or int(random_state) < 0:
        raise ValueError(
            f"random_state is {random_state!r}; it must be a whole number from 0 on, a RandomState "
            "or a Generator of NumPy, or None."
        )
    return int(random_state)


def _folds_of_splitter(table: LabeledTable, splitter: Any) -> list[Fold]:
    labels = table.targets[table.labeled]
    if isinstance(splitter, _LabeledSplitter):
        pairs = list(splitter.split(None, labels))
    else:
        pairs = list(splitter.split(np.zeros((len(labels), 1)), labels))
    n_classes = len(table.classes)
    for train, _ in pairs:
        if len(np.unique(labels[train])) < n_classes:
            raise ValueError(
                f"cv is a {type(splitter).__name__} with a split whose training rows lack a class; "
                "use a stratified splitter with fewer folds."
            )
    return [
        Fold(0, number, table.labeled[train], table.labeled[test])
        for number, (train, test) in enumerate(pairs)
    ]


def _shown(cv: Any) -> str:
    if isinstance(cv, (str, numbers.Number)):
        return repr(cv)
    # Splits as arrays would fill pages, and rows of the table might be meant, or labeled rows.
    return f"a {type(cv).__name__}"


def _is_count(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, numbers.Integral) and int(value) >= 1
