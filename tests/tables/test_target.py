import numpy as np
import pandas as pd
import pytest

from tacit.tables import TableError
from tacit.tables._target import UnlabeledMarkers, find_column, read_target


def target(values, mark=None, labels=(), **options):
    markers = UnlabeledMarkers.of(mark, labels)
    return read_target(pd.Series(values), "y", markers, "'t.csv'", **options)


def test_blank_and_missing_mean_unlabeled():
    found = target(["a", "", None, np.nan, "b ", "a"])
    assert found.values.tolist() == ["a", None, None, None, "b", "a"]
    assert found.counts == {"a": 2, "b": 1}
    assert found.is_labeled.tolist() == [True, False, False, False, True, True]


def test_a_mark_means_unlabeled_too_for_text_and_for_numbers():
    assert target(["a", "?", "b"], "?").values.tolist() == ["a", None, "b"]
    assert target([0, -1, 1], "-1").values.tolist() == [0, None, 1]
    assert target([0.0, 9.0, 1.0, np.nan], "9").values.tolist() == [0, None, 1, None]


def test_numbers_with_gaps_stay_whole_numbers():
    assert target([0.0, np.nan, 1.0]).classes == [0, 1]
    assert target(pd.array([0, None, 1], dtype="Int64")).classes == [0, 1]


def test_truth_values_stay_what_they_are():
    assert target([True, None, False]).classes == [False, True]


def test_several_marks_mean_unlabeled_and_each_is_told_with_its_rows():
    found = target(["a", "?", "b", "NA", "NA", "tbd", None, ""], ["?", "tbd"])
    assert found.values.tolist() == ["a", None, "b", None, None, None, None, None]
    assert found.notes() == [
        "2 rows with 'NA' were taken as unlabeled.",
        "1 row with '?' was taken as unlabeled.",
        "1 row with 'tbd' was taken as unlabeled.",
    ]
    assert target([0, -1, 1, -1], "-1").notes() == ["2 rows with '-1' were taken as unlabeled."]


@pytest.mark.parametrize("word", ["?", "-", "unknown", "missing", "null", "None", "N/A", "nan"])
@pytest.mark.parametrize("blank", [[None], []], ids=["with blanks", "without"])
def test_a_word_that_may_mean_unlabeled_is_asked_about(word, blank):
    values = ["a", "b", word, word, *blank]
    with pytest.raises(TableError, match="whether they are unlabeled") as caught:
        target(values, need_unlabeled=False)
    assert f"2 rows with {word!r}" in str(caught.value)
    assert ("besides rows without label" in str(caught.value)) == bool(blank)
    assert target(values, word, need_unlabeled=False).classes == ["a", "b"]
    assert set(target(values, None, [word], need_unlabeled=False).classes) == {"a", "b", word}


def test_minus_one_beside_two_other_numbers_is_asked_about_and_beside_one_is_a_class():
    with pytest.raises(TableError, match="--unlabeled -1"):
        target([0.0, 1.0, -1.0, np.nan])
    assert target([1.0, -1.0, np.nan]).classes == [-1, 1]
    assert target([0.0, 1.0, -1.0, np.nan], labels=["-1"]).classes == [-1, 0, 1]


def test_a_word_without_which_one_class_would_be_left_is_a_class():
    assert target(["None", "mild", None]).classes == ["None", "mild"]


def test_na_is_a_class_where_it_is_said_to_be_one():
    assert target(["NA", "EU", None], labels=["NA"]).classes == ["EU", "NA"]
    with pytest.raises(TableError, match="only one"):
        target(["NA", "EU"], "NA", ["NA"])


MARKS_OF_NO_ROW = {
    "another spelling": (["a", "b", "tbd", None], "TBD", "mark 'TBD'; did you mean 'tbd'?"),
    "a typing error": (["a", "b", "unknwn", None], "unknown", "did you mean 'unknwn'?"),
    "nothing like it": (["a", "b", None], "?", "its labels are 'a', 'b'. Correct --unlabeled"),
    "a number": ([0.0, 1.0, np.nan], "-1", "mark '-1'; its labels are 0, 1"),
    "a word among numbers": ([0.0, 1.0, np.nan], "?", "mark '?'"),
    "one of two": (["a", "b", "?"], ["?", "tbd"], "mark 'tbd'"),
    "no other unlabeled rows": (["a", "b"], "?", "mark '?'"),
}


@pytest.mark.parametrize(("values", "mark", "words"), MARKS_OF_NO_ROW.values(), ids=MARKS_OF_NO_ROW)
def test_a_mark_that_no_row_has_is_refused(values, mark, words):
    with pytest.raises(TableError) as caught:
        target(values, mark)
    assert words in str(caught.value)


def test_truth_values_and_numbers_are_marks_however_they_are_written():
    values = [True, False, True, None, "other"]
    assert target(values, "FALSE").values.tolist() == ["True", None, "True", None, "other"]
    assert target(["a", "b", -1.0], "-1").values.tolist() == ["a", "b", None]
    assert target([0.0, 1.0, -1.0], "-1.0").values.tolist() == [0, 1, None]


def test_a_word_by_which_missing_values_are_printed_need_not_be_written():
    assert target(["a", "b", None], "None").classes == ["a", "b"]
    assert target(["a", "b", None], "").classes == ["a", "b"]
    with pytest.raises(TableError, match="no row with the mark 'None'"):
        target(["a", "b"], "None")


BAD = {
    "no labels": ([None, "", np.nan], "no labels"),
    "one class": (["a", None, "a"], "only one class, 'a'"),
    "decimals": ([0.5, 0.25, np.nan], "measurement"),
    "infinity": ([0.0, np.inf, np.nan], "infinite"),
    "all labeled": (["a", "b"], "label in every row"),
    "too many": ([f"name {k}" for k in range(60)] + [None], "does not look like classes"),
}


@pytest.mark.parametrize(("values", "words"), BAD.values(), ids=BAD)
def test_labels_that_cannot_be_used_are_refused_in_one_sentence(values, words):
    with pytest.raises(TableError, match=words) as caught:
        target(values)
    assert "\n" not in str(caught.value)


def test_a_table_with_a_label_in_every_row_is_fine_where_no_unlabeled_rows_are_needed():
    assert target(["a", "b"], need_unlabeled=False).counts == {"a": 1, "b": 1}


def test_a_column_that_is_not_there_comes_with_its_nearest_neighbour():
    with pytest.raises(TableError, match="did you mean 'Label'"):
        find_column("label", ["x", "Label"], "t")
    with pytest.raises(TableError, match="did you mean 'churned'"):
        find_column("churn", ["x", "churned"], "t")
    with pytest.raises(TableError, match="its columns are 'x', 'z'"):
        find_column("label", ["x", "z"], "t")
