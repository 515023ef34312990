"""The interval and the simplex: vertices, the lowest of them, and the nearest label."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.solver._basis import Coefficients
from tacit.solver._label_sets import Interval, LabelSet, NearestLabels, Simplex, label_set


@pytest.mark.parametrize("kind", [Interval(), Simplex(2), Simplex(4)], ids=["[0, 1]", "2", "4"])
def test_the_centre_is_the_mean_of_the_vertices_and_the_variance_their_spread(
    kind: LabelSet,
) -> None:
    assert len(kind.vertices) == kind.n_vertices
    np.testing.assert_allclose(kind.vertices.mean(axis=0).squeeze(), kind.centre)
    distances = ((kind.vertices - np.atleast_1d(kind.centre)) ** 2).sum(axis=1)
    assert kind.variance == pytest.approx(distances.mean())


def test_labels_of_the_interval_are_the_part_of_the_second_vertex() -> None:
    kind = Interval()
    weights = kind.weights(np.array([0.25, 1.0]))
    assert weights.tolist() == [[0.75, 0.0], [0.25, 1.0]]
    assert kind.labels(weights).tolist() == [0.25, 1.0]
    assert kind.slopes(np.array([0.5, -2.0])).tolist() == [[0.0, 0.0], [0.5, -2.0]]


def test_labels_of_the_simplex_are_the_parts_of_its_vertices_as_they_are() -> None:
    kind, labels = Simplex(3), np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
    for turned in (kind.weights(labels), kind.labels(labels), kind.slopes(labels)):
        assert turned.tolist() == labels.T.tolist()
        assert turned.flags.c_contiguous


def test_the_label_of_a_slope_is_the_second_vertex_where_it_falls() -> None:
    chosen, lowest, above = Interval().decide(np.array([[-2.0, 0.0, 3.0]]))
    assert chosen.tolist() == [[True, False, False]]
    assert lowest.tolist() == [-2.0, 0.0, 0.0]
    assert above.tolist() == [2.0, 0.0, 3.0]


def test_the_class_with_the_lowest_slope_is_chosen_and_the_first_of_equals() -> None:
    slopes = np.array([[3.0, 1.0, 2.0, 5.0], [-1.0, 1.0, 4.0, 0.0], [0.0, 2.0, 2.0, 0.0]])
    chosen, lowest, above = Simplex(3).decide(slopes)
    assert chosen.T.tolist() == np.eye(3, dtype=bool)[[1, 0, 0, 1]].tolist()
    assert lowest.tolist() == [-1.0, 1.0, 2.0, 0.0]
    assert above.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_the_nearest_label_is_a_label_that_no_other_one_is_nearer_than() -> None:
    random = np.random.default_rng(0)
    values = 1.5 * random.normal(size=(50, 3))
    nearest = Simplex(3).project(values)
    assert nearest.min() == 0.0
    np.testing.assert_allclose(nearest.sum(axis=1), 1.0)
    # From the nearest point every other one of a convex set lies at an obtuse angle.
    for vertex in np.eye(3):
        assert (((values - nearest) * (vertex - nearest)).sum(axis=1) <= 1e-12).all()
    inside = random.dirichlet(np.ones(3), size=5)
    np.testing.assert_allclose(Simplex(3).project(inside), inside, atol=1e-15)
    assert Interval().project(np.array([-0.5, 0.3, 1.5])).tolist() == [0.0, 0.3, 1.0]


def test_the_nearest_label_of_huge_values_is_a_label() -> None:
    values = np.array([[1e20, -1e20, 1e20], [3e17, 3e17 - 64.0, 0.0]])
    np.testing.assert_array_equal(Simplex(3).project(values), [[0.5, 0.0, 0.5], [1.0, 0.0, 0.0]])


def test_values_in_one_column_belong_to_the_interval() -> None:
    assert isinstance(label_set(np.zeros(3)), Interval)
    assert isinstance(label_set(np.zeros((3, 1))), Interval)
    two, three = (label_set(np.zeros((3, n))) for n in (2, 3))
    assert isinstance(two, Simplex)
    assert isinstance(three, Simplex)
    assert (two.n_vertices, three.n_vertices) == (2, 3)
    rule = NearestLabels(Coefficients(np.array([2.0]), np.asarray(0.5)))
    assert rule(np.array([[-1.0], [0.1], [1.0]])).tolist() == [0.0, 0.7, 1.0]
