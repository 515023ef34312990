import datetime

import numpy as np
import pandas as pd
import pytest

from tacit.tables import ReadOptions
from tacit.tables._columns import TIME, Column


def as_kind(values, kind, form, n_values, **options):
    column = Column("x", kind, format=form, n_values=n_values)
    return column.typed(values, ReadOptions(**options))


def kinds():
    whole = pd.array([1, None, 3], dtype="Int64")
    return {
        "whole numbers with gaps": (whole, "number", [1.0, np.nan, 3.0]),
        "booleans": ([True, False, True], "number", [1.0, 0.0, 1.0]),
        "numbers as text": ([" 1.5", "x", None], "number", [1.5, np.nan, np.nan]),
        "truth with gaps": ([True, None, False], "number", [1.0, np.nan, 0.0]),
        "truth as text": (["TRUE", None, "false"], "number", [1.0, np.nan, 0.0]),
        "infinity": ([1.0, np.inf, -np.inf], "number", [1.0, np.nan, np.nan]),
        "durations": (pd.to_timedelta([1, 2, None], unit="min"), "number", [60.0, 120.0, np.nan]),
    }


@pytest.mark.parametrize("name", kinds())
def test_numbers_of_every_kind_become_floats(name):
    values, kind, expected = kinds()[name]
    found = as_kind(pd.Series(values), kind, None, 3)
    assert found.dtype == np.float64
    assert np.allclose(found, expected, equal_nan=True)


def test_numbers_as_text_are_read_by_the_signs_that_are_given():
    texts = pd.Series(["1.234,5", "-12,25", "7", None])
    found = as_kind(texts, "number", None, 3, decimal=",", thousands=".")
    assert np.allclose(found, [1234.5, -12.25, 7.0, np.nan], equal_nan=True)


def test_dates_lose_their_time_zone_and_unreadable_ones_are_missing():
    aware = pd.Series(pd.to_datetime(["2024-06-01 12:00"]).tz_localize("Europe/Berlin"))
    assert as_kind(aware, "date", None, 1)[0] == pd.Timestamp("2024-06-01 10:00")
    text = as_kind(pd.Series(["31.12.2024", "soon", None]), "date", "%d.%m.%Y", 2)
    assert text[0] == pd.Timestamp("2024-12-31")
    assert text.isna().tolist() == [False, True, True]


def test_categories_are_text_whatever_they_were():
    numbers = as_kind(pd.Series(pd.Categorical([2, 1, None])), "category", None, 2)
    assert list(numbers.cat.categories) == ["1", "2"]
    assert numbers.isna().tolist() == [False, False, True]
    codes = as_kind(pd.Series([12.0, np.nan]), "category", None, 1000)
    assert codes.tolist() == ["12", None]
    many = as_kind(pd.Series(["a", None]), "category", None, 1000)
    assert many.tolist() == ["a", None]


def test_times_of_day_are_seconds_since_midnight_however_they_are_stored():
    expected = [49_500.0, 49_530.5, np.nan]
    texts = pd.Series(["13:45", "13:45:30.5", "later"])
    assert np.allclose(as_kind(texts, "number", TIME, 3), expected, equal_nan=True)
    times = pd.Series([datetime.time(13, 45), datetime.time(13, 45, 30, 500_000), None])
    assert np.allclose(as_kind(times, "number", TIME, 3), expected, equal_nan=True)
    assert as_kind(texts, "number", None, 3).isna().all()
