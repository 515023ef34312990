"""Cross-validation that tests on labeled rows only and trains on every unlabeled one."""

from __future__ import annotations

from collections.abc import Iterator
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
from tacit.estimators._labels import read_labels

Split = tuple[Index, Index]


class _LabeledSplitter(BaseCrossValidator):
    """Splits the labeled rows with another splitter and adds all unlabeled rows to training."""

    unlabeled: Any

    def _splitter(self) -> Any:
        raise NotImplementedError

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
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

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of splits; the arguments are ignored."""
        return self.n_splits

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

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of splits; the arguments are ignored."""
        return self.n_splits

    def _splitter(self) -> Any:
        return StratifiedShuffleSplit(
            self.n_splits,
            test_size=self.test_size,
            train_size=self.train_size,
            random_state=self.random_state,
        )
