"""What must hold for ICLS on any data."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacit import ICLSClassifier, LeastSquaresClassifier
from tests.problems import generators, projected
from tests.properties.strategies import seeds, tables


def _loss(data, coefficients):
    return float(np.sum((coefficients.values(data.X) - data.y) ** 2))


@given(tables())
def test_the_labeled_loss_is_never_below_the_supervised_minimum(data):
    answer, start, _ = projected(data, "labeled")
    assert _loss(data, answer.coefficients) >= _loss(data, start) - 1e-9


@given(tables(), seeds, st.sampled_from(["soft", "hard", "mixed", "near"]))
def test_the_labeled_loss_is_never_above_that_of_another_member_of_the_set(data, seed, kind):
    answer, _, constraints = projected(data, "labeled")
    random = np.random.default_rng(seed)
    n = len(data.X_u)
    u = {
        "soft": random.uniform(size=n),
        "hard": random.integers(0, 2, size=n).astype(float),
        "mixed": np.clip(random.normal(0.5, 1.0, size=n), 0.0, 1.0),
        "near": np.clip(answer.solution.soft_labels + random.normal(0.0, 1e-3, size=n), 0.0, 1.0),
    }[kind]
    member = constraints.coefficients(constraints.offset + u @ generators(constraints))
    assert _loss(data, answer.coefficients) <= _loss(data, member) + 1e-8


@given(tables())
def test_no_unlabeled_rows_equals_the_supervised_fit(data):
    ours = ICLSClassifier().fit(data.X, data.y.astype(int))
    supervised = LeastSquaresClassifier().fit(data.X, data.y.astype(int))
    np.testing.assert_array_equal(ours.coef_, supervised.coef_)
    np.testing.assert_array_equal(ours.intercept_, supervised.intercept_)


@given(tables())
def test_soft_labels_are_labels(data):
    u = projected(data, "labeled")[0].solution.soft_labels
    assert u.shape == (len(data.X_u),)
    assert ((u >= 0.0) & (u <= 1.0)).all()
