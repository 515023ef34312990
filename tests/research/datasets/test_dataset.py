"""What the paper's preprocessing does."""

import dataclasses

import numpy as np
import pytest

from tacit.research.datasets import Dataset, load


def dataset(X, names, zero_is_missing=()):
    y = np.arange(len(X)) % 2
    return Dataset(
        "Made up", np.array(X, float), y, names, ("even", "odd"), "", "", "", zero_is_missing
    )


def test_every_column_has_mean_zero_and_deviation_one_with_n_minus_one():
    prepared = load("WDBC").prepared()
    np.testing.assert_allclose(prepared.X.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(prepared.X.std(axis=0, ddof=1), 1.0, rtol=1e-12)


def test_constant_columns_are_dropped_with_their_names():
    prepared = dataset([[1, 7, 2], [2, 7, 3], [3, 7, 7]], ("a", "b", "c")).prepared()
    assert prepared.feature_names == ("a", "c")
    np.testing.assert_allclose(prepared.X[:, 0], [-1.0, 0.0, 1.0])


def test_zeros_that_stand_for_missing_values_become_the_median_of_the_others():
    raw = dataset([[0, 0], [1, 1], [2, 2], [9, 9]], ("seen", "unseen"), ("seen",))
    expected = dataset([[2, 0], [1, 1], [2, 2], [9, 9]], ("seen", "unseen"))
    np.testing.assert_array_equal(raw.prepared().X, expected.prepared().X)


def test_a_column_of_missing_values_alone_is_dropped():
    prepared = dataset([[0, 1], [0, 2], [0, 3]], ("none", "some"), ("none",)).prepared()
    assert prepared.feature_names == ("some",)


def test_preparing_leaves_the_raw_data_alone_and_is_done_after_one_time():
    raw = dataset([[0, 4], [1, 1], [2, 2], [9, 9]], ("seen", "unseen"), ("seen",))
    before = raw.X.copy()
    prepared = raw.prepared()
    np.testing.assert_array_equal(raw.X, before)
    np.testing.assert_array_equal(prepared.y, raw.y)
    np.testing.assert_allclose(prepared.prepared().X, prepared.X, atol=1e-14)


def test_a_dataset_is_a_value_that_tells_what_it_is():
    raw = load("wdbc")
    assert (raw.name, raw.n_rows, raw.n_features) == ("WDBC", 569, 30)
    assert raw.class_counts == {"benign": 357, "malignant": 212}
    assert repr(raw) == "<Dataset WDBC: 569 rows, 30 features; 357 benign, 212 malignant>"
    assert raw.licence == "CC BY 4.0"
    assert "Wolberg" in raw.citation
    with pytest.raises(dataclasses.FrozenInstanceError):
        raw.name = "other"
