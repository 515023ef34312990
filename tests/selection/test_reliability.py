"""How often a contestant is right where it is so and so sure."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest

from tacit import LeastSquaresClassifier
from tacit.selection import compare
from tests.selection.tables import Spy, pair


@pytest.mark.parametrize("n_classes", [2, 3])
def test_answers_are_right_as_often_as_the_probability_says(n_classes: int) -> None:
    random = np.random.default_rng(1)
    truth = np.arange(1300) % n_classes
    X = random.normal(size=(1300, 4))
    X[np.arange(1300), truth] += 1.5
    y = np.where(np.arange(1300) < 1200, truth, -1)
    found = compare(X, y, pair(), cv=5, n_repeats=1)
    points = found.reliability["ridge"]
    sure, right, counts = (
        np.array([getattr(p, k) for p in points]) for k in ("sure", "right", "count")
    )
    assert list(sure) == sorted(sure)
    assert counts.sum() == pytest.approx(1200, abs=5)
    # What was said and what came out, over all labels, and in each group within its chance.
    parts = counts / 1200
    assert parts @ sure == pytest.approx(parts @ right, abs=0.03)
    for point in points:
        assert point.low - 0.05 < point.sure < point.high + 0.05


def test_the_page_tells_of_the_recommended_model() -> None:
    random = np.random.default_rng(0)
    truth = np.arange(100) % 2
    X = random.normal(size=(100, 2)) + truth[:, None]
    found = compare(X, np.where(np.arange(100) < 60, truth, -1), pair(), n_repeats=1)
    page = html.unescape(found.to_html())
    assert "How sure it is, and how often right" in page
    told = re.findall(r"(\d+)% sure: (\d+)% of (\d+) labels right", page)
    assert 50 < sum(int(count) for *_, count in dict.fromkeys(told)) <= 60


def test_a_model_without_scores_has_none() -> None:
    X = np.arange(40.0)[:, None]
    y = np.where(np.arange(40) < 20, np.arange(40) % 2, -1)
    estimators = {"spy": Spy(), "ridge": LeastSquaresClassifier(), "same": (Spy(), "spy")}
    found = compare(X, y, estimators, cv=2, n_repeats=1)
    assert found.reliability["spy"] == ()
    assert len(found.reliability["ridge"]) > 0
