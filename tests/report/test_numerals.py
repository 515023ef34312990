from __future__ import annotations

import math

import pytest

from tacit.report._numerals import between, fixed, plain, signed


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4940, "4,940"),
        (0.12345, "0.1235"),
        (-0.5, "−0.5"),
        (math.nan, "–"),
        (-math.inf, "−∞"),
        (1e20, "1e+20"),
    ],
)
def test_numbers_are_written_for_people(value: float, text: str):
    assert plain(value) == text


def test_rounding_leaves_no_minus_before_zero():
    assert fixed(-0.004, 2) == "0.00"
    assert signed(-0.004, 2) == signed(0.004, 2) == "0.00"


def test_a_difference_has_its_sign():
    assert [signed(v, 1) for v in (3.5, -7.04, math.inf)] == ["+3.5", "−7.0", "+∞"]
    assert between(-1.0, 2.0, 1, with_sign=True) == "−1.0 to +2.0"
    assert between(1.0, 2.0, 0) == "1 to 2"
