"""Random splits of the labeled rows with every unlabeled row in training."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedShuffleSplit, cross_val_score

from tacit import ICLSClassifier
from tacit.selection import LabeledStratifiedShuffleSplit


def labels() -> np.ndarray:
    y = np.repeat([0, 1, -1], [20, 10, 25])
    return np.random.default_rng(0).permutation(y)


def splits(splitter: Any, y: Any) -> list[tuple[Any, Any]]:
    return list(splitter.split(np.zeros((len(y), 2)), y))


@pytest.mark.parametrize("test_size", [None, 0.3, 9])
def test_unlabeled_rows_are_always_in_training_and_never_tested(test_size: Any) -> None:
    y = labels()
    unlabeled = set(np.flatnonzero(y == -1))
    made = splits(LabeledStratifiedShuffleSplit(6, test_size=test_size, random_state=0), y)
    assert len(made) == 6
    for train, test in made:
        assert unlabeled <= set(train)
        assert not unlabeled & set(test)
        assert not set(train) & set(test)
        assert (np.diff(train) > 0).all()


def test_the_part_to_test_on_is_of_the_labeled_rows_and_stratified() -> None:
    y = labels()
    for train, test in splits(LabeledStratifiedShuffleSplit(test_size=0.3, random_state=0), y):
        assert np.bincount(y[test]).tolist() == [6, 3]
        assert len(train) == len(y) - 9
    for _, test in splits(LabeledStratifiedShuffleSplit(random_state=0), y):
        assert len(test) == 3


def test_the_part_to_train_on_can_be_smaller_than_the_rest() -> None:
    y = labels()
    splitter = LabeledStratifiedShuffleSplit(test_size=9, train_size=6, random_state=0)
    for train, test in splits(splitter, y):
        trained = y[train]
        assert np.bincount(trained[trained != -1]).tolist() == [4, 2]
        assert (trained == -1).sum() == 25
        assert len(test) == 9


def test_the_splits_are_those_of_scikit_learn_on_the_labeled_rows() -> None:
    y = labels()
    rows = np.flatnonzero(y != -1)
    theirs = StratifiedShuffleSplit(4, test_size=0.2, random_state=3).split(y[rows], y[rows])
    ours = splits(LabeledStratifiedShuffleSplit(4, test_size=0.2, random_state=3), y)
    assert [test.tolist() for _, test in ours] == [rows[test].tolist() for _, test in theirs]


def test_the_splits_depend_on_the_seed_alone() -> None:
    y = labels()

    def tests(seed: int) -> list[list[int]]:
        splitter = LabeledStratifiedShuffleSplit(4, test_size=0.3, random_state=seed)
        return [test.tolist() for _, test in splits(splitter, y)]

    assert tests(0) == tests(0)
    assert tests(0) != tests(1)
    assert len({tuple(test) for test in tests(0)}) == 4


def test_the_number_of_splits_needs_no_data() -> None:
    assert LabeledStratifiedShuffleSplit().get_n_splits() == 10
    assert LabeledStratifiedShuffleSplit(3).get_n_splits() == 3


@pytest.mark.parametrize("mark", [None, float("nan"), "?"], ids=repr)
def test_names_and_other_marks_give_the_same_splits(mark: Any) -> None:
    y = labels()
    names = np.array(["a", "b", mark], dtype=object)[y]
    chosen = mark if isinstance(mark, str) else -1
    splitter = LabeledStratifiedShuffleSplit(3, random_state=0, unlabeled=chosen)
    reference = LabeledStratifiedShuffleSplit(3, random_state=0)
    for (train, test), (same_train, same_test) in zip(
        splits(splitter, names), splits(reference, y), strict=True
    ):
        np.testing.assert_array_equal(train, same_train)
        np.testing.assert_array_equal(test, same_test)


def test_without_y_or_labels_the_errors_say_so() -> None:
    splitter = LabeledStratifiedShuffleSplit()
    with pytest.raises(ValueError, match="LabeledStratifiedShuffleSplit needs y to tell labeled"):
        list(splitter.split(np.zeros((6, 1))))
    with pytest.raises(ValueError, match="y has no labels: there is nothing to test on"):
        splits(splitter, np.full(6, np.nan))


def test_it_can_be_printed_copied_and_used_for_scores() -> None:
    splitter = LabeledStratifiedShuffleSplit(4, test_size=0.3, random_state=1)
    assert repr(splitter) == (
        "LabeledStratifiedShuffleSplit(n_splits=4, random_state=1, test_size=0.3,\n"
        "               train_size=None, unlabeled=-1)"
    )
    y = labels()
    copy = clone(splitter, safe=False)
    for (_, test), (_, same) in zip(splits(copy, y), splits(splitter, y), strict=True):
        np.testing.assert_array_equal(test, same)
    X = np.random.default_rng(1).normal(size=(len(y), 2))
    scores = cross_val_score(ICLSClassifier(), X, y, cv=splitter)
    assert scores.shape == (4,)
    # Nine rows are tested in each split.
    np.testing.assert_allclose(9 * scores, np.round(9 * scores))
