import datetime

import numpy as np
import pandas as pd
import pytest

from tacit.tables._columns import describe_columns, typed_frame

N = 200
RANDOM = np.random.default_rng(0)
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa")
TEXTS = [" ".join(RANDOM.choice(WORDS, 8)) + f" {k}" for k in range(N)]
COLUMNS = {
    "measure": (RANDOM.normal(size=N), "number"),
    "count": (RANDOM.integers(0, 9, N), "number"),
    "flag": (RANDOM.random(N) < 0.5, "number"),
    "income": (RANDOM.permutation(N) * 977 + 13, "number"),
    "as text": ([f"{v:.2f}" for v in RANDOM.normal(size=N)], "number"),
    "declared": (pd.Categorical(np.arange(N) % 3), "category"),
    "colour": (RANDOM.choice(["red", "blue"], N), "category"),
    "grade": (RANDOM.choice(["1", "2", "x"], N), "category"),
    "town": ([f"Town {k % 90}" for k in range(N)], "category"),
    "long but few": (RANDOM.choice(["a very long sentence indeed " * 9, "b"], N), "category"),
    "note": (TEXTS, "text"),
    "day": (pd.date_range("2024-01-01", periods=N), "date"),
    "day as text": ([f"{1 + k % 28:02d}/{1 + k % 12:02d}/2024" for k in range(N)], "date"),
    "month name": ([f"{1 + k % 28} March 20{10 + k % 9}" for k in range(N)], "date"),
    "row": (np.arange(1, N + 1), "identifier"),
    "shuffled": (RANDOM.permutation(N), "identifier"),
    "user_id": (RANDOM.permutation(N) * 977 + 13, "identifier"),
    "hash": ([f"{k * 7919:08x}" + "ef" for k in range(N)], "identifier"),
    "truth with gaps": ([(True, False, None)[k % 3] for k in range(N)], "number"),
    "truth as text": ([("TRUE", "FALSE", None)[k % 3] for k in range(N)], "number"),
    "truth as categories": (pd.Categorical(np.arange(N) % 2 == 0), "number"),
    "time": ([datetime.time(k % 24, k % 60, 7) for k in range(N)], "number"),
    "time as text": ([f"{k % 24}:{k % 60:02d}" for k in range(N)], "number"),
    "bytes": ([bytes([200, k]) for k in range(N)], "bytes"),
    "bytes as categories": (pd.Categorical([bytes([200, k % 2]) for k in range(N)]), "bytes"),
    "lists": ([[1.0, float(k)] for k in range(N)], "nested"),
    "arrays": ([np.array([1.0, k]) for k in range(N)], "nested"),
    "records": ([{"p": k} for k in range(N)], "nested"),
    "all infinite": ([np.inf, -np.inf] * (N // 2), "empty"),
    "same": (["EUR"] * N, "constant"),
    "nothing": ([None] * N, "empty"),
    "version": ([f"1.{k % 3}.{k % 5}" for k in range(N)], "category"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_each_column_is_taken_for_what_it_is(name):
    values, kind = COLUMNS[name]
    (column,) = describe_columns(pd.DataFrame({name: values}))
    assert column.kind == kind


def test_an_identifier_can_be_kept_and_any_column_dropped():
    frame = pd.DataFrame({"row": np.arange(N), "hash": COLUMNS["hash"][0], "x": COLUMNS["note"][0]})
    columns = describe_columns(frame, keep=["row", "hash"], drop=["x"])
    assert [column.kind for column in columns] == ["number", "category", "left out by choice"]
    assert [column.is_feature for column in columns] == [True, True, False]


def test_few_different_values_are_no_identifier():
    (column,) = describe_columns(pd.DataFrame({"x": ["a", "b", "c"]}))
    assert column.kind == "category"


def test_numbers_that_cannot_be_read_are_counted_and_shown():
    values = ["<5"] * 4 + [f"{k}.5" for k in range(N - 4)]
    (column,) = describe_columns(pd.DataFrame({"crp": values}))
    assert column.kind == "number"
    assert "4 values are no numbers" in column.note
    assert "'<5'" in column.note


def test_the_order_of_day_and_month_is_told_by_the_data_or_said_to_be_open():
    told = pd.DataFrame({"d": [f"{k:02d}.02.2024" for k in range(1, 29)] * 2})
    assert describe_columns(told)[0].format == "%d.%m.%Y"
    assert describe_columns(told)[0].note == ""
    open_ = pd.DataFrame({"d": [f"{k:02d}/02/2024" for k in range(1, 9)] * 9})
    assert "which the data leaves open" in describe_columns(open_)[0].note


def test_a_constant_with_gaps_is_a_feature():
    (column,) = describe_columns(pd.DataFrame({"x": ["yes", None] * 50}))
    assert column.kind == "category"
    assert column.n_missing == 50


@pytest.mark.parametrize("large", [np.inf, 1e160])
def test_infinite_and_very_large_values_are_counted_and_said(large):
    values = RANDOM.normal(size=N)
    values[[3, 5]] = large, -large
    (column,) = describe_columns(pd.DataFrame({"x": values}))
    assert (column.kind, column.n_missing) == ("number", 2)
    assert column.note == "2 values beyond 1e150 taken as missing"
    assert typed_frame(pd.DataFrame({"x": values}), [column])["x"].isna().sum() == 2
    texts = [repr(float(value)) for value in values]
    (column,) = describe_columns(pd.DataFrame({"x": texts}))
    shown = f"{texts[3]!r}, {texts[5]!r}"
    assert column.note == f"2 values are no numbers and count as missing ({shown})"
