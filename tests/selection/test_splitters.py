"""Cross-validation that tests on labeled rows only and trains on every unlabeled one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import (
    KFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
    cross_val_score,
)

from tacit import ICLSClassifier
from tacit.selection import LabeledKFold, LabeledStratifiedShuffleSplit
from tests.optional import pd


def labels(n_first: int = 14, n_second: int = 7, n_unlabeled: int = 30, seed: int = 0) -> Any:
    y = np.repeat([0, 1, -1], [n_first, n_second, n_unlabeled])
    return np.random.default_rng(seed).permutation(y)


def splits(splitter: Any, y: Any) -> list[tuple[Any, Any]]:
    return list(splitter.split(np.zeros((len(y), 2)), y))


@pytest.mark.parametrize("stratify", [True, False])
@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("n_splits", [2, 5, 7])
def test_every_labeled_row_is_tested_exactly_once_and_no_unlabeled_one(
    stratify: bool, shuffle: bool, n_splits: int
) -> None:
    y = labels()
    splitter = LabeledKFold(n_splits, stratify=stratify, shuffle=shuffle)
    tested = np.concatenate([test for _, test in splits(splitter, y)])
    assert sorted(tested) == np.flatnonzero(y != -1).tolist()


@pytest.mark.parametrize("stratify", [True, False])
@pytest.mark.parametrize("shuffle", [True, False])
def test_training_is_every_row_that_is_not_tested_in_order(stratify: bool, shuffle: bool) -> None:
    y = labels()
    unlabeled = set(np.flatnonzero(y == -1))
    for train, test in splits(LabeledKFold(5, stratify=stratify, shuffle=shuffle), y):
        assert unlabeled <= set(train)
        assert sorted([*train, *test]) == list(range(len(y)))
        assert (np.diff(train) > 0).all()


def test_each_fold_has_its_part_of_every_class() -> None:
    y = labels(n_first=20, n_second=10)
    for train, test in splits(LabeledKFold(5), y):
        assert np.bincount(y[test]).tolist() == [4, 2]
        assert np.bincount(y[train][y[train] != -1]).tolist() == [16, 8]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (LabeledKFold(5), StratifiedKFold(5)),
        (LabeledKFold(5, stratify=False), KFold(5)),
        (
            LabeledKFold(3, shuffle=True, random_state=4),
            StratifiedKFold(3, shuffle=True, random_state=4),
        ),
        (
            LabeledStratifiedShuffleSplit(4, test_size=0.2, random_state=3),
            StratifiedShuffleSplit(4, test_size=0.2, random_state=3),
        ),
    ],
    ids=lambda splitter: type(splitter).__name__,
)
def test_the_splits_are_those_of_scikit_learn_on_the_labeled_rows(ours: Any, theirs: Any) -> None:
    y = labels()
    rows = np.flatnonzero(y != -1)
    expected = [rows[test].tolist() for _, test in theirs.split(y[rows], y[rows])]
    assert [test.tolist() for _, test in splits(ours, y)] == expected


def test_without_unlabeled_rows_it_is_plain_stratified_cross_validation() -> None:
    y = labels(n_unlabeled=0)
    for (train, test), (their_train, their_test) in zip(
        splits(LabeledKFold(4), y), StratifiedKFold(4).split(y, y), strict=True
    ):
        np.testing.assert_array_equal(train, their_train)
        np.testing.assert_array_equal(test, their_test)


def test_a_shuffle_depends_on_its_seed_alone() -> None:
    y = labels()

    def tests(seed: int) -> list[list[int]]:
        shuffled = LabeledKFold(5, shuffle=True, random_state=seed)
        return [test.tolist() for _, test in splits(shuffled, y)]

    assert tests(0) == tests(0)
    assert tests(0) != tests(1)
    assert tests(0) != [test.tolist() for _, test in splits(LabeledKFold(5), y)]


def test_the_number_of_splits_needs_no_data() -> None:
    assert LabeledKFold().get_n_splits() == 5
    assert LabeledKFold(3).get_n_splits(np.zeros((4, 1)), [0, 1, -1, -1]) == 3
    assert len(splits(LabeledKFold(3), labels())) == 3
    assert LabeledStratifiedShuffleSplit().get_n_splits() == 10
    assert LabeledStratifiedShuffleSplit(3).get_n_splits() == 3


MARKED = {
    "NaN": np.array([0.0, 1.0, np.nan, 0.0, 1.0, np.nan]),
    "None": np.array([0, 1, None, 0, 1, None], dtype=object),
    "names and None": ["a", "b", None, "a", "b", None],
    "names and -1": ["a", "b", -1, "a", "b", -1],
    "nullable": lambda: pd.Series([0, 1, pd.NA, 0, 1, pd.NA], dtype="Int64"),
    "categorical": lambda: pd.Categorical(["a", "b", None, "a", "b", None]),
}


@pytest.mark.parametrize("kind", MARKED)
def test_every_mark_of_an_unlabeled_row_is_understood(kind: str) -> None:
    y = MARKED[kind]
    first, second = splits(LabeledKFold(2), y() if callable(y) else y)
    assert first[0].tolist() == [2, 3, 4, 5]
    assert first[1].tolist() == [0, 1]
    assert second[0].tolist() == [0, 1, 2, 5]
    assert second[1].tolist() == [3, 4]


def test_the_mark_can_be_chosen() -> None:
    y = ["a", "b", "?", "a", "b", "?"]
    tested = np.concatenate([test for _, test in splits(LabeledKFold(2, unlabeled="?"), y)])
    assert sorted(tested) == [0, 1, 3, 4]
    signs = [-1, 1, 1, -1]
    tested = np.concatenate([test for _, test in splits(LabeledKFold(2, unlabeled=None), signs)])
    assert sorted(tested) == [0, 1, 2, 3]


def test_x_may_be_left_out() -> None:
    y = labels()
    for (train, test), (_, same) in zip(
        LabeledKFold(3).split(None, y), splits(LabeledKFold(3), y), strict=True
    ):
        np.testing.assert_array_equal(test, same)
        assert len(train) + len(test) == len(y)


@pytest.mark.parametrize("kind", [LabeledKFold, LabeledStratifiedShuffleSplit])
def test_without_y_or_labels_the_errors_say_so(kind: Any) -> None:
    with pytest.raises(ValueError, match=f"{kind.__name__} needs y to tell labeled .* pass y"):
        list(kind().split(np.zeros((6, 1))))
    for unknown in (-1, np.nan):
        with pytest.raises(ValueError, match="y has no labels: there is nothing to test on"):
            splits(kind(), np.full(6, unknown))


def test_x_and_y_must_have_as_many_rows() -> None:
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[5, 6\]"):
        list(LabeledKFold(2).split(np.zeros((5, 1)), [0, 1, -1, 0, 1, -1]))


def test_more_folds_than_labels_are_refused() -> None:
    with pytest.raises(ValueError, match=r"n_splits=5 greater than .* n_samples=4"):
        splits(LabeledKFold(5), [0, 1, -1, 0, 1, -1])
    with pytest.raises(ValueError, match=r"n_splits=3 cannot be greater .* in each class"):
        splits(LabeledKFold(3), [0, 1, -1, 0, 1, -1])


def test_a_fold_without_some_class_is_warned_about() -> None:
    y = labels(n_first=8, n_second=3)
    with pytest.warns(UserWarning, match="least populated class in y has only 3 members"):
        splits(LabeledKFold(5), y)


def test_a_seed_without_a_shuffle_is_refused() -> None:
    with pytest.raises(ValueError, match="random_state"):
        splits(LabeledKFold(2, random_state=0), labels())


def test_it_can_be_printed_copied_and_handed_to_scikit_learn() -> None:
    splitter = LabeledKFold(3, shuffle=True, random_state=1)
    assert repr(splitter) == (
        "LabeledKFold(n_splits=3, random_state=1, shuffle=True, stratify=True,\n"
        "       unlabeled=-1)"
    )
    copy = clone(splitter, safe=False)
    y = labels()
    assert copy is not splitter
    for (_, test), (_, same) in zip(splits(copy, y), splits(splitter, y), strict=True):
        np.testing.assert_array_equal(test, same)
    assert check_cv(splitter, y, classifier=True) is splitter


def test_splitting_twice_gives_the_same_folds() -> None:
    y = labels()
    splitter = LabeledKFold(5)
    first, second = splits(splitter, y), splits(splitter, y)
    assert [test.tolist() for _, test in first] == [test.tolist() for _, test in second]


@pytest.mark.parametrize("test_size", [None, 0.3, 9])
def test_unlabeled_rows_are_always_in_training_and_never_tested(test_size: Any) -> None:
    y = labels(20, 10, 25)
    unlabeled = set(np.flatnonzero(y == -1))
    made = splits(LabeledStratifiedShuffleSplit(6, test_size=test_size, random_state=0), y)
    assert len(made) == 6
    for train, test in made:
        assert unlabeled <= set(train)
        assert not unlabeled & set(test)
        assert not set(train) & set(test)
        assert (np.diff(train) > 0).all()


def test_the_part_to_test_on_is_of_the_labeled_rows_and_stratified() -> None:
    y = labels(20, 10, 25)
    for train, test in splits(LabeledStratifiedShuffleSplit(test_size=0.3, random_state=0), y):
        assert np.bincount(y[test]).tolist() == [6, 3]
        assert len(train) == len(y) - 9
    for _, test in splits(LabeledStratifiedShuffleSplit(random_state=0), y):
        assert len(test) == 3


def test_the_part_to_train_on_can_be_smaller_than_the_rest() -> None:
    y = labels(20, 10, 25)
    splitter = LabeledStratifiedShuffleSplit(test_size=9, train_size=6, random_state=0)
    for train, test in splits(splitter, y):
        trained = y[train]
        assert np.bincount(trained[trained != -1]).tolist() == [4, 2]
        assert (trained == -1).sum() == 25
        assert len(test) == 9


def test_random_splits_depend_on_the_seed_alone() -> None:
    y = labels(20, 10, 25)

    def tests(seed: int) -> list[list[int]]:
        splitter = LabeledStratifiedShuffleSplit(4, test_size=0.3, random_state=seed)
        return [test.tolist() for _, test in splits(splitter, y)]

    assert tests(0) == tests(0)
    assert tests(0) != tests(1)
    assert len({tuple(test) for test in tests(0)}) == 4


@pytest.mark.parametrize("mark", [None, float("nan"), "?"], ids=repr)
def test_names_and_other_marks_give_the_same_splits(mark: Any) -> None:
    y = labels(20, 10, 25)
    names = np.array(["a", "b", mark], dtype=object)[y]
    chosen = mark if isinstance(mark, str) else -1
    splitter = LabeledStratifiedShuffleSplit(3, random_state=0, unlabeled=chosen)
    reference = LabeledStratifiedShuffleSplit(3, random_state=0)
    for (train, test), (same_train, same_test) in zip(
        splits(splitter, names), splits(reference, y), strict=True
    ):
        np.testing.assert_array_equal(train, same_train)
        np.testing.assert_array_equal(test, same_test)


def test_it_can_be_printed_copied_and_used_for_scores() -> None:
    splitter = LabeledStratifiedShuffleSplit(4, test_size=0.3, random_state=1)
    assert repr(splitter) == (
        "LabeledStratifiedShuffleSplit(n_splits=4, random_state=1, test_size=0.3,\n"
        "               train_size=None, unlabeled=-1)"
    )
    y = labels(20, 10, 25)
    copy = clone(splitter, safe=False)
    for (_, test), (_, same) in zip(splits(copy, y), splits(splitter, y), strict=True):
        np.testing.assert_array_equal(test, same)
    X = np.random.default_rng(1).normal(size=(len(y), 2))
    scores = cross_val_score(ICLSClassifier(), X, y, cv=splitter)
    assert scores.shape == (4,)
    # Nine rows are tested in each split.
    np.testing.assert_allclose(9 * scores, np.round(9 * scores))
