import numpy as np
import pytest

from tacit import LeastSquaresClassifier
from tacit.tables._calibration import calibrate, margins, probabilities
from tacit.tables._model_card import Calibration


def problem(n, shift, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    return random.normal(size=(n, 3)) + shift * y[:, None], y.astype(object)


def fit(X, labels):
    return LeastSquaresClassifier(alpha=1.0, unlabeled=None).fit(X, labels)


def test_calibration_agrees_with_how_often_new_rows_are_predicted_right():
    X, y = problem(200, 0.8)
    calibration = calibrate(fit, X, y)
    model = fit(X, y)
    new_X, new_y = problem(20_000, 0.8, seed=1)
    sure = probabilities(calibration, model.decision_function(new_X))
    right = model.predict(new_X) == new_y
    assert abs(sure.mean() - right.mean()) < 0.05
    for low, high in ((0.5, 0.7), (0.7, 0.85), (0.85, 0.95)):
        chosen = (sure >= low) & (sure < high)
        assert abs(sure[chosen].mean() - right[chosen].mean()) < 0.1


def test_a_larger_margin_is_never_less_sure():
    X, y = problem(60, 0.5)
    calibration = calibrate(fit, X, y)
    assert calibration.slope >= 0
    sure = probabilities(calibration, np.linspace(-1.0, 0.0, 50))
    assert (np.diff(sure) <= 0).all()


def test_labels_that_mean_nothing_do_not_make_anything_sure():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(200, 3)), random.integers(0, 2, 200).astype(object)
    sure = probabilities(calibrate(fit, X, y), fit(X, y).decision_function(X))
    assert sure.max() < 0.8


def test_only_right_answers_do_not_make_certainty():
    X, y = problem(20, 50.0)
    calibration = calibrate(fit, X, y)
    assert calibration.n_right == calibration.n_labels == 20
    assert probabilities(calibration, np.array([0.5]))[0] < 0.99


@pytest.mark.parametrize("labels", [["a"] * 30 + ["b"], ["a", "b"] * 4])
def test_too_few_labels_give_no_calibration(labels):
    X = np.random.default_rng(0).normal(size=(len(labels), 2))
    assert calibrate(fit, X, np.array(labels, dtype=object)) is None


def test_the_margin_of_several_classes_is_the_lead_over_the_runner_up():
    assert margins(np.array([[0.1, 0.7, 0.2], [0.5, 0.5, 0.0]])) == pytest.approx([0.5, 0.0])
    assert margins(np.array([-0.3, 0.2])) == pytest.approx([0.3, 0.2])
    assert probabilities(Calibration(1.0, 0.0, 1, 1), np.zeros(1))[0] == 0.5
