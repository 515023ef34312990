"""Cross-validation that tests on labeled rows only and trains on every unlabeled one."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import (
    BaseCrossValidator,
    KFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from sklearn.utils.validation import check_consistent_length

from tacit._typing import Index
from tacit._words import number_of
from tacit.estimators._labels import read_labels
from tacit.selection._evaluate import Split
from tacit.selection._labeled_table import LabeledTable

FOLDS = 10


class _LabeledSplitter(BaseCrossValidator):
    """Splits the labeled rows with another splitter and adds all unlabeled rows to training."""

    n_splits: int
    unlabeled: Any

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of splits; the arguments are ignored."""
        return self.n_splits

    def _splitter(self) -> Any:
        raise NotImplementedError

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Index, Index]]:
        """Positions of training and test rows, one pair a split.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows; only their number counts.
        y : array-like of shape (n,)
            Labels, and marks for unlabeled rows.
        groups : None
            Ignored; here for scikit-learn.

        Yields
        ------
        train, test : ndarray of int
            Training holds every unlabeled row; test holds labeled rows only.
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
        kind = StratifiedKFold if self.stratify else KFold
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
        return StratifiedShuffleSplit(
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
    if not _is_count(n_repeats):
        raise ValueError(f"n_repeats is {n_repeats!r}; it must be a positive whole number.")
    if _is_splitter(cv):
        return _splits_by([cv], table)
    n_labeled = len(table.labeled)
    if cv is not None and (not _is_count(cv) or cv < 2):
        # Splits as arrays would fill pages, and rows of the table might be meant, or labeled rows.
        shown = repr(cv) if isinstance(cv, (str, numbers.Number)) else f"a {type(cv).__name__}"
        raise ValueError(
            f"cv is {shown}; it must be a whole number of folds from 2 on, a splitter with a "
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
    seeds = np.random.SeedSequence(seed).generate_state(n_repeats).tolist()
    return _splits_by(
        [StratifiedKFold(n_folds, shuffle=True, random_state=s) for s in seeds], table
    )


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


def describe_splits(table: LabeledTable, splits: Sequence[Split], cv: Any) -> str:
    """Which labels were held back and predicted, and how often, in a sentence."""
    never = "rows without label were never scored"
    n_labels = len(table.labeled)
    rows, times = np.unique(np.concatenate([split.test for split in splits]), return_counts=True)
    often = set(times.tolist())
    if len(rows) == n_labels and len(often) == 1:
        shuffles = "once" if often == {1} else f"{often.pop()} times over"
        parts = f"{1 + max(split.fold for split in splits)} folds"
        if _is_splitter(cv):
            parts = f"{len(splits)} splits by {type(cv).__name__}"
        said = f"Every label was held back and predicted {shuffles}, in {parts}"
    else:
        sizes = sorted({len(split.test) for split in splits})
        held = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
        each = "it" if len(splits) == 1 else "each of them"
        said = (
            f"{type(cv).__name__} made {number_of(len(splits), 'split')}: {each} held back and "
            f"predicted {held} of the {n_labels:,} labels, and {len(rows):,} labels were held back "
            "at least once"
        )
    ignored = "; n_repeats is not used with a splitter" if _is_splitter(cv) else ""
    return f"{said}; {never}{ignored}."


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


def _is_splitter(cv: Any) -> bool:
    return hasattr(cv, "split") and not isinstance(cv, str)


def _is_count(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, numbers.Integral) and int(value) >= 1
