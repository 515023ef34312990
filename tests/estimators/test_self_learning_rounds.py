import numpy as np

from tacit.estimators._self_learning import SelfLearningStatus, self_learn


def _labels(*values):
    return np.array(values, dtype=np.intp)


def test_it_stops_when_no_label_changes():
    steps = {(0, 0): _labels(0, 1), (0, 1): _labels(1, 1), (1, 1): _labels(1, 1)}
    result = self_learn(lambda labels: steps[tuple(labels)], _labels(0, 0), 10)
    assert result.status is SelfLearningStatus.FIXED_POINT
    assert result.changes == (1, 1, 0)
    assert result.n_iter == 3
    np.testing.assert_array_equal(result.labels, [1, 1])


def test_a_cycle_is_told_from_slow_progress():
    steps = {
        (0, 0): _labels(0, 1),
        (0, 1): _labels(1, 1),
        (1, 1): _labels(1, 0),
        (1, 0): _labels(0, 1),
    }
    result = self_learn(lambda labels: steps[tuple(labels)], _labels(0, 0), 100)
    assert result.status is SelfLearningStatus.CYCLE
    assert result.cycle_length == 3
    assert result.n_iter == 4


def test_the_last_model_was_fitted_on_the_labels_returned():
    fitted_on = []

    def refit(labels):
        fitted_on.append(labels.copy())
        return labels + 1

    result = self_learn(refit, _labels(0, 0), 5)
    assert result.status is SelfLearningStatus.MAX_ITERATIONS
    assert result.n_iter == 5
    np.testing.assert_array_equal(result.labels, fitted_on[-1])


def test_nothing_to_label_is_no_failure():
    result = self_learn(lambda labels: labels, _labels(), 5)
    assert result.status is SelfLearningStatus.EMPTY
    assert result.status.is_success
