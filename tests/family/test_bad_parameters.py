"""Parameters of the family out of range are refused, with what they were and what is allowed."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tacit.family import EMNaiveBayesClassifier, S3VMClassifier, S4VMClassifier
from tests.family.generative_models import EM, GAUSSIAN, SEARCHES, table

DATA = table()
MARGIN: tuple[Any, ...] = (S3VMClassifier, S4VMClassifier)
POSITIVE = r"a float in the range \(0.0, inf\)"

# By parameter: who has it, what is allowed in the words of the error, and what is not.
REFUSED: list[tuple[str, tuple[Any, ...], str, list[Any]]] = [
    (
        "alpha",
        GAUSSIAN,
        r"a float in the range \[0.0, inf\)",
        [-1, np.nan, np.inf, "loo", None, True],
    ),
    ("alpha", (EMNaiveBayesClassifier,), POSITIVE, [0, -1, np.nan, np.inf, "loo", None, True]),
    (
        "unlabeled_weight",
        EM,
        r"a float in the range \[0.0, 1.0\]",
        [-0.1, 1.5, np.nan, "half", None, True],
    ),
    (
        "tol",
        (*EM, *SEARCHES, *MARGIN),
        r"a float in the range \(0.0, 1.0\)",
        [0, 1, -1e-8, "small", None],
    ),
    (
        "max_iter",
        (*EM, *SEARCHES, *MARGIN),
        r"an int in the range \[1, inf\)",
        [0, 2.5, None, True],
    ),
    ("C", MARGIN, POSITIVE, [0, -1, np.inf, np.nan, "1", None, True]),
    ("C_unlabeled", MARGIN, POSITIVE, [0, -0.1, "much"]),
    ("kernel", MARGIN, r"a str among {.*'rbf'.*} or a callable", ["gauss", None, 3]),
    (
        "gamma",
        MARGIN,
        POSITIVE + r" or a str among {.*'scale'.*}",
        [0, -1, "big", None, True],
    ),
    ("degree", MARGIN, POSITIVE, [0, "two"]),
    ("coef0", MARGIN, r"a float in the range \(-inf, inf\)", [np.inf, "one"]),
    (
        "balance",
        (S3VMClassifier,),
        r".*'bool'.* or a float in the range \(0.0, 1.0\)",
        [0.0, 1.0, -1, "yes", None],
    ),
    ("n_switches", (S3VMClassifier,), r"an int in the range \[0, inf\)", [-1, 2.5, None]),
    ("n_samples", (S4VMClassifier,), r"an int in the range \[1, inf\)", [0, 2.5, None]),
    ("n_clusters", (S4VMClassifier,), r"an int in the range \[1, inf\) or None", [0, 1.5, "ten"]),
    (
        "loss_weight",
        (S4VMClassifier,),
        r"a float in the range \[1.0, inf\)",
        [0.5, np.inf, "three", None],
    ),
    (
        "balance_tolerance",
        (S4VMClassifier,),
        r"a float in the range \[0.0, 2.0\]",
        [-0.1, 3, None],
    ),
    ("random_state", (S4VMClassifier,), r".*RandomState.*", ["x", -1, 1.5]),
]


@pytest.mark.parametrize(
    ("estimator", "name", "value", "allowed"),
    [
        pytest.param(estimator, name, value, allowed, id=f"{estimator.__name__}-{name}-{value!r}")
        for name, estimators, allowed, values in REFUSED
        for estimator in estimators
        for value in values
    ],
)
def test_a_bad_parameter_is_named_with_what_it_was_and_what_is_allowed(
    estimator: Any, name: str, value: Any, allowed: str
) -> None:
    with pytest.raises(ValueError, match=rf"^The '{name}' parameter of ") as caught:
        estimator(**{name: value}).fit(DATA.X, DATA.marked)
    expected = rf"{estimator.__name__} must be {allowed}\. Got {re.escape(repr(value))} instead\.$"
    assert re.search(expected, str(caught.value))
