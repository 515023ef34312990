"""Coefficients do not change from one version to the next unless somebody says so."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.golden.problems import ABSOLUTE, FILE, PROBLEMS, RELATIVE, answers

KEPT = json.loads(FILE.read_text(encoding="utf-8"))


def test_fifty_problems_are_kept() -> None:
    assert list(KEPT) == [": ".join(problem) for problem in PROBLEMS]
    assert len(KEPT) == 50


@pytest.mark.parametrize("problem", PROBLEMS, ids=": ".join)
def test_the_coefficients_are_those_of_the_versions_before(problem: tuple[str, str]) -> None:
    expected = KEPT[": ".join(problem)]
    np.testing.assert_allclose(answers(problem), expected, rtol=RELATIVE, atol=ABSOLUTE)
