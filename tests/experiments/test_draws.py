import numpy as np
import pytest

from tacit.experiments import Draws, Run, default_classifiers, run_draws, summarise
from tacit.experiments.summary import values


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    return X, (X[:, 0] + random.normal(size=60) > 0).astype(int)


def test_a_draw_depends_on_its_number_and_not_on_what_was_drawn_before(data):
    _, y = data
    plan = Draws("d", 8, (5,), 3)
    first = plan.draw(y, 2)
    plan.draw(y, 0)
    again = Draws("d", 8, (5, 10), 10).draw(y, 2)
    for ours, theirs in zip(first, again, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert not np.array_equal(first[0], plan.draw(y, 1)[0])


def test_a_draw_has_every_class_and_every_row_once():
    y = np.array([1] + [0] * 30)
    plan = Draws("rare", 3, (5,), 1)
    for repeat in range(20):
        labeled, rest = plan.draw(y, repeat)
        assert 0 in labeled  # the only row of its class
        np.testing.assert_array_equal(np.sort(np.concatenate([labeled, rest])), np.arange(31))


def test_fewer_labels_than_classes_are_refused():
    with pytest.raises(ValueError, match="n_labeled is 1; it must be at least 2"):
        Draws("d", 1, (5,), 1).draw(np.array([0, 1, 1]), 0)


def test_every_draw_size_classifier_and_measure_has_one_row(data):
    plan = Draws("d", 8, (5, 20), 3)
    done = []
    runs = run_draws(*data, plan, on_draw=lambda: done.append(1))
    assert len(done) == 3
    assert len(runs) == 3 * 2 * len(default_classifiers()) * 2
    assert len({(r.classifier, r.n_unlabeled, r.repeat, r.measure) for r in runs}) == len(runs)


def test_the_projected_classifier_never_has_a_higher_loss(data):
    runs = run_draws(*data, Draws("d", 8, (20, 52), 5))
    worse = {(s.classifier, s.measure): s.times_worse for s in summarise(runs)}
    assert worse["projected", "squared loss"] == 0
    assert worse["supervised", "error"] == 0


def test_the_error_is_taken_on_the_rows_without_label(data):
    X, y = data
    plan = Draws("d", 8, (10,), 1)
    (value,) = values(run_draws(X, y, plan), "supervised", "error", 10)
    labeled, rest = plan.draw(y, 0)
    model = default_classifiers()["supervised"].fit(X[labeled], y[labeled])
    assert value == pytest.approx(1 - model.score(X[rest], y[rest]))


def test_a_summary_counts_the_draws_that_are_worse():
    def run(classifier, repeat, value):
        return Run("d", classifier, 5, 10, repeat, "error", value)

    runs = [run("supervised", k, 0.2) for k in range(4)]
    runs += [run("other", k, v) for k, v in enumerate([0.1, 0.2, 0.3, 0.4])]
    other = next(s for s in summarise(runs) if s.classifier == "other")
    assert (other.times_worse, other.n_repeats) == (2, 4)
    assert other.mean == pytest.approx(0.25)
    assert other.median == pytest.approx(0.25)
    assert other.standard_error == pytest.approx(np.std([0.1, 0.2, 0.3, 0.4], ddof=1) / 2)
