"""Which rows are suggested, why, and what is refused."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

from tacit.selection import _suggest as suggesting
from tacit.selection import suggest_labels
from tests.optional import pd


@pytest.fixture(scope="module")
def table():
    """Four clusters of 60 rows; the first two labels of each of the first two are known."""
    centres = [(0.0, 0.0), (0.0, 9.0), (9.0, 0.0), (9.0, 9.0)]
    X, cluster = make_blobs([60] * 4, centers=centres, cluster_std=1.0, random_state=0)
    y = np.full(len(X), -1)
    for label in (0, 1):
        y[np.flatnonzero(cluster == label)[:2]] = label
    return X, y, cluster


def test_suggestions_are_different_unlabeled_rows_that_cover_the_table(table):
    X, y, cluster = table
    found = suggest_labels(X, y, 4)
    rows = [suggestion.row for suggestion in found]
    assert len(set(rows)) == 4
    assert (y[rows] == -1).all()
    assert set(cluster[rows]) == {0, 1, 2, 3}
    assert sum(suggestion.n_around for suggestion in found) == (y == -1).sum()
    assert sum(suggestion.n_labeled_around for suggestion in found) == (y != -1).sum()


def test_what_is_decided_already_comes_last(table):
    X, y, cluster = table
    rows = [suggestion.row for suggestion in suggest_labels(X, y, 4)]
    # Of the clusters without a label nothing is known.
    assert set(cluster[rows[:2]]) == {2, 3}


def test_a_batch_is_drawn_to_where_the_classifier_is_undecided():
    random = np.random.default_rng(0)
    X = random.uniform(-1.0, 1.0, size=(600, 2))
    y = np.where(np.arange(600) < 40, X[:, 0] > 0.0, -1)
    rows = [suggestion.row for suggestion in suggest_labels(X, y, 20)]
    distance = np.abs(X[rows, 0])
    assert distance.mean() < 0.9 * np.abs(X[:, 0]).mean()
    assert distance[:5].mean() < 0.2 * distance[-5:].mean()


def test_the_same_seed_gives_the_same_rows(table):
    X, y, _ = table
    assert suggest_labels(X, y, 7, random_state=3) == suggest_labels(X, y, 7, random_state=3)


def test_reasons_name_classes_as_they_are_called_and_add_up(table):
    X, y, _ = table
    names = np.array(["ham", "spam", None], dtype=object)[y]
    for suggestion in suggest_labels(X, names, 6):
        assert list(suggestion.probabilities) == ["ham", "spam"]
        assert sum(suggestion.probabilities.values()) == pytest.approx(1.0)
        first = max(suggestion.probabilities.values())
        assert f"({first:.0%}" in suggestion.reason
        assert suggestion.reason.startswith(("between ", "most likely "))
        assert f"typical of {suggestion.n_around} unlabeled rows" in suggestion.reason


def test_more_than_two_classes_are_two_that_are_in_question():
    told = suggesting._expectation({"a": 0.45, "b": 0.03, "c": 0.52})
    assert told == "between c and a (52% / 45%)"
    assert suggesting._expectation({"a": 0.9, "b": 0.04, "c": 0.06}) == "most likely a (90%)"
    assert suggesting._place(1, 0) == "unlike the others here"
    assert suggesting._place(240, 0).endswith("240 unlabeled rows around it, no label among them")


def test_frames_sparse_rows_and_rows_apart_are_read(table):
    pandas = pytest.importorskip("pandas")
    X, y, _ = table
    expected = suggest_labels(X, y, 5)
    assert suggest_labels(pandas.DataFrame(X, columns=["a", "b"]), y, 5) == expected
    known = y != -1
    apart = suggest_labels(X[known], y[known], 5, X_unlabeled=X[~known])
    assert all(suggestion.row >= known.sum() for suggestion in apart)
    wide = sparse.csr_array(np.maximum(np.hstack([X, -X]), 0.0))
    rows = [suggestion.row for suggestion in suggest_labels(wide, y, 5)]
    assert len(set(rows)) == 5
    assert (y[rows] == -1).all()


def test_minus_one_can_be_a_class(table):
    X, y, _ = table
    labels = [None if label == -1 else (-1, 1)[label] for label in y]
    found = suggest_labels(X, labels, 3, unlabeled=None)
    assert list(found[0].probabilities) == [-1, 1]


def test_there_are_no_more_suggestions_than_different_rows(table):
    X, y, _ = table
    assert len(suggest_labels(X[:30], np.where(np.arange(30) < 4, [0, 1] * 15, -1), 99)) == 26
    alike = np.concatenate([X[y != -1], np.repeat(X[:3], 20, axis=0)])
    marked = np.concatenate([y[y != -1], np.full(60, -1)])
    assert len(suggest_labels(alike, marked, 10)) <= 3


def test_of_very_many_labels_some_of_each_class_teach_the_classifier(table, monkeypatch):
    X, _, cluster = table
    y = np.where(np.arange(len(X)) % 3 == 0, cluster, -1)
    monkeypatch.setattr(suggesting, "MOST_LABELS", 6)
    fitted = []
    original = suggesting.TacitClassifier.fit
    monkeypatch.setattr(
        suggesting.TacitClassifier,
        "fit",
        lambda self, X, y: fitted.append(y) or original(self, X, y),
    )
    found = suggest_labels(X, y, 5)
    assert (fitted[0] != -1).sum() == 6
    assert set(fitted[0]) == {-1, 0, 1, 2, 3}
    # Labels that it has not seen are labels all the same.
    assert all(y[suggestion.row] == -1 for suggestion in found)


@pytest.mark.parametrize("n", [0, -3, 2.5, "5"])
def test_a_number_of_rows_that_makes_no_sense_is_refused(n, table):
    X, y, _ = table
    with pytest.raises(ValueError, match=r"n is .*; it must be a whole number of rows from 1 on"):
        suggest_labels(X, y, n)


def test_a_table_without_unlabeled_rows_or_without_two_classes_is_refused(table):
    X, y, _ = table
    with pytest.raises(ValueError, match="Every row has a label"):
        suggest_labels(X, np.arange(len(X)) % 2)
    with pytest.raises(ValueError, match="only one class"):
        suggest_labels(X, np.where(y == 1, -1, y))


def test_columns_that_are_not_numbers_are_named() -> None:
    X = pd.DataFrame({"a": np.arange(20.0), "town": ["x", "y"] * 10})
    y = np.where(np.arange(20) < 10, np.arange(20) % 2, -1)
    with pytest.raises(ValueError, match=r"not numbers \(town\).*use `tacit label`"):
        suggest_labels(X, y, 3)
