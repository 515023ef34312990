import numpy as np
import pandas as pd
import pytest

from tacit.tables import TableError
from tacit.tables.targets import find_column, read_target


def target(values, mark=None, **options):
    return read_target(pd.Series(values), "y", mark, "'t.csv'", **options)


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


def test_booleans_become_their_names():
    assert target([True, None, False]).classes == ["False", "True"]


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
