import numpy as np
import pandas as pd
import pytest

from tacit import LeastSquaresClassifier
from tacit.evidence import probabilities
from tacit.tables import fit_table
from tacit.tables._fitting import calibrate


def problem(n, shift, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    return random.normal(size=(n, 3)) + shift * y[:, None], y.astype(object)


def fit(X, labels):
    return LeastSquaresClassifier(alpha=1.0, unlabeled=None).fit(X, labels)


def how_sure(calibration, decision):
    per_class = np.reshape(decision, (len(decision), -1))
    return probabilities(per_class, calibration.temperature).max(axis=1)


def test_calibration_agrees_with_how_often_new_rows_are_predicted_right():
    X, y = problem(200, 0.8)
    calibration = calibrate(fit(X, y), y)
    model = fit(X, y)
    new_X, new_y = problem(20_000, 0.8, seed=1)
    sure = how_sure(calibration, model.decision_function(new_X))
    right = model.predict(new_X) == new_y
    assert abs(sure.mean() - right.mean()) < 0.05
    for low, high in ((0.5, 0.7), (0.7, 0.85), (0.85, 0.95)):
        chosen = (sure >= low) & (sure < high)
        assert abs(sure[chosen].mean() - right[chosen].mean()) < 0.1


def test_a_larger_margin_is_never_less_sure():
    X, y = problem(60, 0.5)
    calibration = calibrate(fit(X, y), y)
    sure = how_sure(calibration, np.linspace(-1.0, 0.0, 50))
    assert (np.diff(sure) <= 0).all()


def test_labels_that_mean_nothing_do_not_make_anything_sure():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(200, 3)), random.integers(0, 2, 200).astype(object)
    sure = how_sure(calibrate(fit(X, y), y), fit(X, y).decision_function(X))
    assert sure.max() < 0.8


def test_only_right_answers_do_not_make_certainty():
    X, y = problem(20, 50.0)
    calibration = calibrate(fit(X, y), y)
    assert calibration.n_right == calibration.n_labels == 20
    assert how_sure(calibration, np.array([0.5]))[0] < 0.99


@pytest.mark.parametrize("labels", [["a"] * 30 + ["b"], ["a", "b"] * 4])
def test_too_few_labels_give_no_calibration(labels):
    X = np.random.default_rng(0).normal(size=(len(labels), 2))
    y = np.array(labels, dtype=object)
    assert calibrate(fit(X, y), y) is None


def test_of_several_classes_the_numbers_are_those_of_held_back_labels():
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 300)
    X = random.normal(size=(300, 2)) + 2.0 * np.array([[0, 0], [2, 0], [0, 2]])[y]
    labels = y.astype(object)
    calibration = calibrate(fit(X, labels), labels)
    assert calibration.n_labels == 300
    sure = how_sure(calibration, fit(X, y.astype(object)).decision_function(X))
    assert abs(sure.mean() - calibration.n_right / 300) < 0.05


def test_what_was_right_is_counted_by_the_threshold_of_the_model():
    random = np.random.default_rng(0)
    y = (random.random(400) < 0.1).astype(int)
    frame = pd.DataFrame({"a": random.normal(size=400) + y, "y": np.where(y, "yes", "no")})
    plain = fit_table(frame, "ridge", target="y")
    tuned = fit_table(frame, "ridge", target="y", scoring="balanced_accuracy")
    left_out = plain.classifier._held_back.left_out()
    assert plain.card.calibration.n_right == left_out.n_right() >= 350  # hardly ever "yes"
    found = left_out.decisions[:, 0] > tuned.card.threshold
    assert tuned.card.calibration.n_right == (found == left_out.codes).sum() < 340
