"""Which rows are labeled, unlabeled and tested."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_matrix

from tacit.research.experiments import CrossValidation, LearningCurves, complete_table
from tests.research.experiments.tables import three_classes, two_classes


def table_of(y, name="data", n_features=2):
    return complete_table(name, np.zeros((len(y), n_features)), np.asarray(y))


def halves(n_rows, name="data"):
    return table_of(np.arange(n_rows) % 2, name)


def assert_same_splits(ours, theirs):
    for one, other in zip(ours, theirs, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a.labeled, b.labeled)
            np.testing.assert_array_equal(a.unlabeled, b.unlabeled)
            np.testing.assert_array_equal(a.test, b.test)


# Cross-validation.


@pytest.mark.parametrize("n_rows", [24, 25, 30, 61, 100, 107, 351])
@pytest.mark.parametrize("n_folds", [2, 3, 5, 10, 12])
def test_every_object_is_tested_exactly_once_a_repeat(n_rows, n_folds):
    protocol = CrossValidation(3, 4, n_folds)
    for repeat in range(3):
        (group,) = protocol.splits(halves(n_rows), repeat)
        assert len(group) == n_folds
        tested = np.concatenate([split.test for split in group])
        np.testing.assert_array_equal(np.sort(tested), np.arange(n_rows))
        sizes = [len(split.test) for split in group]
        assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("n_rows", [12, 13, 61, 107])
def test_every_fold_uses_every_object_for_one_thing(n_rows):
    for split in CrossValidation(1, 4, 5).splits(halves(n_rows), 0)[0]:
        assert len(split.labeled) == 4
        together = np.concatenate([split.labeled, split.unlabeled, split.test])
        np.testing.assert_array_equal(np.sort(together), np.arange(n_rows))


def test_as_many_folds_as_rows_leave_one_out():
    y = np.arange(9) % 3
    (group,) = CrossValidation(1, 4, 9).splits(table_of(y), 0)
    assert sorted(split.test.tolist() for split in group) == [[row] for row in range(9)]


def test_repeats_differ_in_their_folds_and_folds_in_their_labels():
    protocol, table = CrossValidation(2, 10, 5), halves(60)
    first, second = protocol.splits(table, 0)[0], protocol.splits(table, 1)[0]
    assert not np.array_equal(first[0].test, second[0].test)
    assert set(first[0].labeled) != set(first[1].labeled)


# Learning curves.


@pytest.mark.parametrize("n_rows", [20, 33, 64, 500])
def test_learning_curves_use_every_object_for_one_thing(n_rows):
    for repeat in range(3):
        for (split,) in LearningCurves(3, 6).splits(halves(n_rows), repeat):
            together = np.concatenate([split.labeled, split.unlabeled, split.test])
            np.testing.assert_array_equal(np.sort(together), np.arange(n_rows))
            assert len(split.labeled) == 6


def test_the_unlabeled_rows_of_a_size_are_among_those_of_the_next():
    groups = LearningCurves(1, 6).splits(halves(500), 0)
    assert [len(split.unlabeled) for (split,) in groups] == [2, 4, 8, 16, 32, 64, 128, 256]
    largest = groups[-1][0].unlabeled
    for (split,) in groups:
        np.testing.assert_array_equal(split.unlabeled, largest[: len(split.unlabeled)])
        np.testing.assert_array_equal(split.labeled, groups[0][0].labeled)


@pytest.mark.parametrize(("n_rows", "largest"), [(21, 8), (22, 8), (23, 16), (24, 16)])
def test_sizes_that_leave_no_row_to_test_are_left_out(n_rows, largest):
    protocol, table = LearningCurves(1, 6), halves(n_rows)
    groups = protocol.splits(table, 0)
    assert len(groups[-1][0].unlabeled) == largest
    assert len(groups[-1][0].test) >= 1


# Labels.


@pytest.mark.parametrize(
    ("n_features", "n_labeled"), [(1, 20), (15, 20), (16, 21), (33, 38), (241, 246)]
)
def test_the_paper_has_d_plus_5_labels_but_20_at_least(n_features, n_labeled):
    table = table_of(np.arange(300) % 2, n_features=n_features)
    for protocol in (LearningCurves(1), CrossValidation(1)):
        assert protocol.labels(table) == n_labeled
        for split in protocol.splits(table, 0)[0]:
            assert len(split.labeled) == n_labeled


@pytest.mark.parametrize(
    "y",
    [
        [1] + [0] * 30,
        [2, 1] + [0] * 40,
        ["rare"] + ["common"] * 2000,
        list(range(20)) * 3,  # by chance alone it would not happen in a lifetime
    ],
)
def test_every_class_is_among_the_labels_also_when_it_is_rare(y):
    table, n_labeled = table_of(y), max(3, len(set(y)))
    for repeat in range(5):
        (split,) = LearningCurves(5, n_labeled, (2,)).splits(table, repeat)[0]
        assert set(table.y[split.labeled]) == set(table.y)
        together = np.concatenate([split.labeled, split.unlabeled, split.test])
        np.testing.assert_array_equal(np.sort(together), np.arange(len(y)))


def test_a_rare_class_has_one_label_and_its_share_of_the_others():
    y = np.repeat([0, 1], [30, 10])
    protocol, table = LearningCurves(400, 10, (2,)), table_of(y)
    counts = [y[protocol.splits(table, k)[0][0].labeled].sum() for k in range(400)]
    assert min(counts) == 1
    # 8 of the 38 that remain are drawn, 9 of which are of the class; 10 of 40 would be 2.5.
    assert np.mean(counts) == pytest.approx(1 + 8 * 9 / 38, abs=0.2)


def test_labels_are_drawn_from_all_rows_alike():
    counts = np.zeros(30)
    protocol = LearningCurves(400, 6, (2,))
    for repeat in range(400):
        counts[protocol.splits(halves(30), repeat)[0][0].labeled] += 1
    # 80 each are expected, with a standard deviation of 8.
    assert counts.sum() == 2400
    assert counts.min() > 45
    assert counts.max() < 115


# What a draw depends on.


def test_a_draw_depends_on_its_number_and_not_on_what_was_drawn_before():
    for make in (
        lambda n: LearningCurves(n, 8, (4, 16)),
        lambda n: CrossValidation(n, 8, 5),
    ):
        first = make(3).splits(halves(60), 2)
        protocol = make(50)
        for repeat in (7, 0):
            protocol.splits(halves(40, "another"), repeat)
        assert_same_splits(first, protocol.splits(halves(60), 2))


def test_a_draw_depends_neither_on_the_features_nor_on_the_other_sizes():
    few = LearningCurves(3, 8, (4,)).splits(halves(60), 2)
    many = LearningCurves(3, 8, (2, 4, 8)).splits(table_of(np.arange(60) % 2, n_features=7), 2)
    assert_same_splits(few, many[1:2])


def test_a_draw_depends_on_the_table_the_labels_and_the_repeat():
    def labeled(name="data", n_labeled=8, repeat=0):
        return set(LearningCurves(9, n_labeled).splits(halves(60, name), repeat)[0][0].labeled)

    draws = [labeled(), labeled(name="other"), labeled(repeat=1), labeled(n_labeled=9)]
    assert all(not draws[0] <= other for other in draws[1:])


def test_the_draws_are_the_same_on_every_machine_and_in_every_version():
    split = LearningCurves(1, 4, (2,)).splits(halves(12), 0)[0][0]
    assert (split.labeled.tolist(), split.unlabeled.tolist()) == ([0, 11, 7, 10], [5, 1])


# What is refused.


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LearningCurves(0), r"n_repeats is 0; it must be an integer from 1 on"),
        (
            lambda: CrossValidation(2.5),  # type: ignore[arg-type]
            r"n_repeats is 2\.5; it must be an integer",
        ),
        (lambda: CrossValidation(1, 1), r"n_labeled is 1; it must be an integer from 2 on"),
        (lambda: CrossValidation(1, 4, 1), r"n_folds is 1; it must be an integer from 2 on"),
        (lambda: LearningCurves(1, 4, (2, -1)), r"n_unlabeled is \(2, -1\); it must be some sizes"),
        (lambda: LearningCurves(1, 4, ()), r"n_unlabeled is \(\); it must be some sizes"),
        (lambda: LearningCurves(1, 4, (2, 4, 2)), r"n_unlabeled is \(2, 4, 2\); .* once"),
    ],
)
def test_settings_that_no_table_could_have_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("protocol", "table", "message"),
    [
        (LearningCurves(1, 20), halves(20), "n_labeled is 20; .* below the 20 rows"),
        (CrossValidation(1, 16, 5), halves(20), "n_labeled is 16; .* below the 16 rows"),
        (LearningCurves(1, 2), three_classes(), "number of its classes, 3"),
        (LearningCurves(1, 6, (64,)), halves(60), r"54 rows beside .* n_unlabeled=\(64,\)"),
        (CrossValidation(1, 4, 21), halves(20), "n_folds is 21; it must be from 2 to the 20 rows"),
        (CrossValidation(1, 4, 5), table_of([1] + [0] * 30), "so rare that it is missing"),
    ],
)
def test_settings_that_a_table_cannot_have_are_refused(protocol, table, message):
    with pytest.raises(ValueError, match=message):
        protocol.splits(table, 0)
    with pytest.raises(ValueError, match=message):
        protocol.check(table)


# Tables.


def test_a_table_codes_labels_of_any_kind():
    assert three_classes().y.max() == 2
    assert set(two_classes().y) == {0, 1}
    np.testing.assert_array_equal(table_of(["b", "a", "c", "b"]).y, [1, 0, 2, 1])


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.zeros((3, 2)), [0, 1], r"X of shape \(3, 2\) and y of shape \(2,\)"),
        (np.zeros((3, 2)), [[0], [1], [0]], r"y of shape \(3, 1\)"),
        (np.zeros(3), [0, 1, 0], r"X of shape \(3,\)"),
        (np.zeros((3, 2)), [1, 1, 1], "one class only"),
        (np.zeros((3, 2)), [0.0, 1.0, np.nan], "1 rows without label"),
        (np.zeros((3, 2)), ["a", None, "b"], "1 rows without label"),
        (np.zeros((3, 2)), [-1, 0, 1], "the label -1 beside 2 others; if it marks rows without"),
        (np.zeros((3, 2)), [-1.0, 0.0, 1.0], "the label -1 beside 2 others"),
        (np.zeros((3, 2)), ["no", "-1", "yes"], "the label -1 beside 2 others"),
        (np.zeros((3, 2)), np.array([1, "a", 2], dtype=object), "y mixes labels of the kinds"),
        (np.zeros((3, 2)), [0.1, 0.7, 0.3], "labels that cannot be used: .*continuous"),
        (np.zeros((0, 2)), [], "one class only"),
        (
            csr_matrix(np.eye(3)),
            [0, 1, 0],
            r"an X \(csr_matrix\) that is no dense .* X\.toarray\(\)",
        ),
        (coo_array(np.eye(3)), [0, 1, 0], r"an X \(coo_array\) that is no dense"),
        ([["red", 1], ["blue", 2]], [0, 1], r"no dense matrix of numbers \(.*'red'"),
        ([[1, 2], [3]], [0, 1], "no dense matrix of numbers"),
    ],
)
def test_data_without_numbers_and_one_known_label_a_row_are_refused(X, y, message):
    with pytest.raises(ValueError, match=f"Dataset 'odd' has .*{message}"):
        complete_table("odd", X, np.asarray(y))


def test_minus_one_and_another_label_are_two_classes():
    for y in ([-1, 1, 1, -1], [-1.0, 1.0, 1.0, -1.0], [0, -1, -1, 0]):
        assert sorted(table_of(y).y) == [0, 0, 1, 1]


def test_frames_and_nullable_labels_of_pandas_are_tables_too():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2, 3], "b": [0.5, 1.5, 2.5]})
    for y in (
        pandas.Series(["x", "y", "x"], dtype="category"),
        pandas.array([4, 5, 4], dtype="Int64"),
        pandas.Series(["x", "y", "x"], dtype="string"),
    ):
        table = complete_table("frame", frame, y)
        np.testing.assert_array_equal(table.y, [0, 1, 0])
        np.testing.assert_array_equal(table.X, frame.to_numpy())
    with pytest.raises(ValueError, match="1 rows without label"):
        complete_table("frame", frame, pandas.array([4, None, 5], dtype="Int64"))
