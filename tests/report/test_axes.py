from __future__ import annotations

import math

import pytest

from tacit.report._axes import decimals, logarithmic, roomy, straight


def texts(axis):
    return [tick.text for tick in axis.ticks]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([10.8, 28.1], ["10", "15", "20", "25", "30"]),
        ([0.131, 0.201], ["0.12", "0.14", "0.16", "0.18", "0.20", "0.22"]),
        ([-3.0, 1200.0], ["−250", "0", "250", "500", "750", "1,000", "1,250"]),
        ([math.nan, math.inf], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
    ],
)
def test_ticks_are_round_numbers_around_the_values(values, expected):
    assert texts(straight(values)) == expected


@pytest.mark.parametrize("values", [[0.2, 0.2], [0.0], [-5.0], [1e-12, 1e-12], [1e9, 1e9 + 0.1]])
def test_equal_values_still_have_an_axis_around_them(values):
    axis = straight(values)
    assert axis.low < values[0] < axis.high
    assert len(axis.ticks) >= 2


@pytest.mark.parametrize("low", [0.0, -3.7, 0.0123, 99.0])
@pytest.mark.parametrize("width", [1e-3, 0.7, 1.0, 13.0, 4e6])
def test_an_axis_holds_its_values_with_few_ticks(low: float, width: float):
    axis = straight([low, low + width])
    assert axis.low <= low + 1e-9 * width
    assert axis.high >= low + width * (1 - 1e-9)
    assert 3 <= len(axis.ticks) <= 8
    assert len(set(texts(axis))) == len(axis.ticks)


def test_an_axis_that_ends_at_its_values_has_its_ticks_within():
    axis = straight([10, 60], most_ticks=8, to_ticks=False)
    assert (axis.low, axis.high) == (10, 60)
    assert texts(axis) == ["10", "20", "30", "40", "50", "60"]
    assert axis.place(35) == 0.5


def test_equal_ratios_are_equally_far_apart_on_a_logarithmic_axis():
    axis = logarithmic([1, 4, 16, 64])
    assert [axis.place(v) for v in (1, 8, 64)] == pytest.approx([0, 0.5, 1])
    assert texts(axis) == ["1", "4", "16", "64"]


def test_zero_has_a_place_of_its_own_on_a_logarithmic_axis():
    axis = logarithmic([0, 10, 1000])
    assert axis.zero
    assert axis.place(0) == 0.0 < axis.place(10) < axis.place(1000) == 1.0


def test_many_values_get_ticks_at_powers_of_two():
    axis = logarithmic([3 * 1.3**k for k in range(30)])
    assert len(axis.ticks) <= 9
    assert all(math.log2(tick.value).is_integer() for tick in axis.ticks)


def test_one_value_is_in_the_middle():
    assert logarithmic([8]).place(8) == pytest.approx(0.5)
    assert straight([8], to_ticks=False).place(8) == pytest.approx(0.5)


def test_decimals_tell_steps_apart():
    assert [decimals(s) for s in (50.0, 1.0, 0.5, 0.25, 0.02)] == [0, 0, 1, 2, 2]


def test_labels_that_would_touch_are_left_out_and_the_last_one_stays():
    assert roomy([0.0, 0.1, 0.5, 0.95, 1.0], [30] * 5, 100) == [True, False, True, False, True]
    assert roomy([], [], 100) == []
