"""Cross-validation that tests on labeled rows only and trains on every unlabeled one."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from sklearn import model_selection
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from tacit._typing import AnyArray, Index
from tacit._words import number_of
from tacit.estimators._labels import read_labels
from tacit.selection._evaluate import Split
from tacit.selection._labeled_table import LabeledTable

FOLDS = 10
# Of the unlabeled rows: fits without one of them are nearly the fits on all rows.
PARTS = 5
# Points of a learning curve.
N_SIZES = 5
# What grows along a learning curve.
Along = Literal["labels", "unlabeled rows"]
Sizes = Sequence[int] | None


class _LabeledSplitter(model_selection.BaseCrossValidator):
    """Splits the labeled rows with another splitter and adds all unlabeled rows to training."""

    n_splits: int
    unlabeled: Any
    _splitter: Callable[[], Any]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of splits; the arguments are ignored."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Index, Index]]:
        """Positions of training rows, every unlabeled one among them, and of labeled test rows.

        `y` has labels, and marks for unlabeled rows. Of X only the number of rows counts, and
        `groups` is here for scikit-learn.
        """
        if y is None:
            raise ValueError(
                f"{type(self).__name__} needs y to tell labeled rows from unlabeled ones; pass y."
            )
        labels = read_labels(y, self.unlabeled)
        if X is not None:
            check_consistent_length(X, labels.is_labeled)
        labeled = np.flatnonzero(labels.is_labeled)
        unlabeled = np.flatnonzero(~labels.is_labeled)
        if len(labeled) == 0:
            raise ValueError("y has no labels: there is nothing to test on.")
        for train, test in self._splitter().split(np.zeros((len(labeled), 1)), labels.codes):
            yield np.sort(np.concatenate([labeled[train], unlabeled])), labeled[test]


class LabeledKFold(_LabeledSplitter):
    """K-fold cross-validation over the labeled rows; every unlabeled row is always in training.

    Parameters
    ----------
    n_splits : int, default=5
        Folds.
    stratify : bool, default=True
        Whether each fold has about the same part of every class. With few labels a plain fold
        easily loses a class.
    shuffle : bool, default=False
        Whether to shuffle the labeled rows first.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffle.
    unlabeled : object, default=-1
        The value of y that marks an unlabeled row, besides None, NaN and pandas NA.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.selection import LabeledKFold
    >>> y = np.array([0, 1, -1, 0, 1, -1])
    >>> for train, test in LabeledKFold(2).split(np.zeros((6, 1)), y):
    ...     print(train, test)
    [2 3 4 5] [0 1]
    [0 1 2 5] [3 4]
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        stratify: bool = True,
        shuffle: bool = False,
        random_state: Any = None,
        unlabeled: Any = -1,
    ) -> None:
        self.n_splits = n_splits
        self.stratify = stratify
        self.shuffle = shuffle
        self.random_state = random_state
        self.unlabeled = unlabeled

    def _splitter(self) -> Any:
        kind = model_selection.StratifiedKFold if self.stratify else model_selection.KFold
        return kind(self.n_splits, shuffle=self.shuffle, random_state=self.random_state)


class LabeledStratifiedShuffleSplit(_LabeledSplitter):
    """Random stratified splits of the labeled rows; every unlabeled row is always in training.

    Parameters
    ----------
    n_splits : int, default=10
        Splits.
    test_size, train_size : float or int, optional
        Part or number of the labeled rows to test on and to train on; 0.1 of them are tested on
        when both are None.
    random_state : int, RandomState instance or None, default=None
        Seed.
    unlabeled : object, default=-1
        The value of y that marks an unlabeled row, besides None, NaN and pandas NA.
    """

    def __init__(
        self,
        n_splits: int = 10,
        *,
        test_size: float | int | None = None,
        train_size: float | int | None = None,
        random_state: Any = None,
        unlabeled: Any = -1,
    ) -> None:
        self.n_splits = n_splits
        self.test_size = test_size
        self.train_size = train_size
        self.random_state = random_state
        self.unlabeled = unlabeled

    def _splitter(self) -> Any:
        return model_selection.StratifiedShuffleSplit(
            self.n_splits,
            test_size=self.test_size,
            train_size=self.train_size,
            random_state=self.random_state,
        )


def plan_splits(table: LabeledTable, cv: Any, n_repeats: int, seed: int) -> list[Split]:
    """Repeated stratified folds of the labeled rows, the same for all contestants.

    No more folds than the rarest class has labels, so that every fold tests and trains on every
    class; none at all where some class has a single label. A splitter is asked once.
    """
    if not _is_count(n_repeats, 1):
        raise ValueError(f"n_repeats is {n_repeats!r}; it must be a positive whole number.")
    if _is_splitter(cv):
        return _splits_by([cv], table)
    if cv is not None and not _is_count(cv, 2):
        # Splits as arrays would fill pages, and rows of the table might be meant, or labeled rows.
        shown = repr(cv) if isinstance(cv, (str, numbers.Number)) else f"a {type(cv).__name__}"
        raise ValueError(
            f"cv is {shown}; it must be a whole number of folds from 2 on, a splitter with a "
            "`split` method, or None."
        )
    rarest = min(table.label_counts.values())
    if rarest < 2:
        return []
    n_folds = min(FOLDS if cv is None else int(cv), rarest)
    seeds = np.random.SeedSequence(seed).generate_state(n_repeats).tolist()
    folds = [model_selection.StratifiedKFold(n_folds, shuffle=True, random_state=s) for s in seeds]
    return _splits_by(folds, table)


def plan_held_back(table: LabeledTable, seed: int) -> list[Split]:
    """All labels, and parts of the unlabeled rows held back in turn.

    On rows that it was fitted on, a method with as many columns as rows can give any answer, its
    twin's among them, and still be another function.
    """
    rows = np.random.default_rng(seed).permutation(table.unlabeled)
    return [
        Split(table.labeled, np.setdiff1d(rows, part), np.sort(part), repeat=-1, fold=fold)
        for fold, part in enumerate(np.array_split(rows, min(PARTS, len(rows))))
    ]


def _splits_by(splitters: Sequence[Any], table: LabeledTable) -> list[Split]:
    """The splits of the labeled rows by each splitter in turn."""
    y = table.y[table.labeled]
    splits = []
    for repeat, splitter in enumerate(splitters):
        for fold, (train, test) in enumerate(splitter.split(np.zeros((len(y), 1)), y)):
            if len(np.unique(y[train])) < len(table.classes):
                raise ValueError(
                    f"cv is a {type(splitter).__name__} with a split whose training rows lack a "
                    "class; use a stratified splitter with fewer folds."
                )
            labeled, tested = table.labeled[train], table.labeled[test]
            splits.append(Split(labeled, table.unlabeled, tested, repeat, fold))
    return splits


def plan_curves(
    table: LabeledTable, splits: Sequence[Split], n_labeled: Sizes, n_unlabeled: Sizes, seed: int
) -> list[tuple[Along, Split]]:
    """Parts of the training rows of each split for the points of both curves."""
    smallest = min(len(split.labeled) for split in splits)
    n_classes, all_unlabeled = len(table.classes), len(table.unlabeled)
    if n_labeled is None:
        first = min(max(2 * n_classes, smallest // 8), smallest)
        n_labeled = np.geomspace(first, smallest, N_SIZES).round().tolist()
    if n_unlabeled is None:
        first = min(max(10, all_unlabeled // 64), all_unlabeled)
        n_unlabeled = [0, *np.geomspace(first, all_unlabeled, N_SIZES - 1).round().tolist()]
    labeled = _read_sizes("n_labeled", n_labeled, n_classes, smallest)
    unlabeled = _read_sizes("n_unlabeled", n_unlabeled, 0, all_unlabeled)
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
            part = replace(split, labeled=np.sort(ordered[:size]))
            plan.append(("labels", part if size < len(ordered) else split))
        for size in unlabeled:
            part = replace(split, unlabeled=np.sort(shuffled[:size]))
            plan.append(("unlabeled rows", part if size < len(shuffled) else split))
    return plan


def _read_sizes(name: str, sizes: Any, least: int, most: int) -> list[int]:
    """The sizes given, ascending, each once."""
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


def describe_splits(table: LabeledTable, splits: Sequence[Split], cv: Any) -> str:
    """Which labels were held back and predicted, and how often, in a sentence."""
    n_labels, by = len(table.labeled), type(cv).__name__
    rows, times = np.unique(np.concatenate([split.test for split in splits]), return_counts=True)
    if len(rows) == n_labels and times.min() == times.max():
        shuffles = "once" if times[0] == 1 else f"{times[0]} times over"
        folds = f"{1 + max(split.fold for split in splits)} folds"
        parts = f"{len(splits)} splits by {by}" if _is_splitter(cv) else folds
        said = f"Every label was held back and predicted {shuffles}, in {parts}"
    else:
        sizes = sorted({len(split.test) for split in splits})
        held = " to ".join(f"{size:,}" for size in dict.fromkeys((sizes[0], sizes[-1])))
        each = "it" if len(splits) == 1 else "each of them"
        said = (
            f"{by} made {number_of(len(splits), 'split')}: {each} held back and predicted "
            f"{held} of the {n_labels:,} labels, and {len(rows):,} labels were held back at least "
            "once"
        )
    ignored = "; n_repeats is not used with a splitter" if _is_splitter(cv) else ""
    return f"{said}; rows without label were never scored{ignored}."


def read_seed(random_state: Any) -> int:
    """The number that `random_state` stands for; for None a new one each time."""
    if _is_count(random_state, 0):
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(2**31))
    raise ValueError(
        f"random_state is {random_state!r}; it must be a whole number from 0 on, a RandomState "
        "or a Generator of NumPy, or None."
    )


def _is_splitter(cv: Any) -> bool:
    return hasattr(cv, "split") and not isinstance(cv, str)


def _is_count(value: Any, least: int) -> bool:
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    return is_whole and int(value) >= least
