"""Pictures of results: the curves they should have."""

import numpy as np
import pytest

from tacit.research.experiments import CrossValidation, Experiment, LearningCurves, Results, run
from tacit.research.experiments._measures import ERROR, TEST_LOSS
from tests.research.experiments.tables import contestants, two_classes

pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'tacit[plots]'")

from tacit.report import new_figure
from tacit.research.experiments._figures import draw_comparison, draw_curve

NAMES = ("supervised", "self-learning", "ICLS")
CURVES = "learning curves"


@pytest.fixture(scope="module")
def results():
    protocol = LearningCurves(4, 10, (2, 8, 32))
    return run([Experiment((two_classes(),), protocol, contestants(*NAMES))])


@pytest.mark.parametrize("measure", [ERROR, TEST_LOSS])
def test_a_curve_goes_through_the_means_and_ends_where_it_says(results, measure):
    axes = new_figure(4, 3).subplots()
    end = draw_curve(axes, results, "two", CURVES, "ICLS", measure, "#123456")
    (line,) = axes.lines
    means = [results.values("two", CURVES, "ICLS", measure, size).mean() for size in (2, 8, 32)]
    assert line.get_xdata().tolist() == [2, 8, 32]
    np.testing.assert_allclose(line.get_ydata(), means)
    assert end == (32.0, pytest.approx(means[-1]))
    assert (line.get_color(), line.get_label()) == ("#123456", "ICLS")
    assert axes.get_xscale() == "log"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["2", "8", "32"]


def test_the_band_is_one_standard_error_wide(results):
    axes = new_figure(4, 3).subplots()
    draw_curve(axes, results, "two", CURVES, "ICLS", ERROR, "#123456")
    (band,) = axes.collections
    at_two = band.get_paths()[0].vertices
    at_two = at_two[at_two[:, 0] == 2.0, 1]
    found = results.summary("two", CURVES, "ICLS", ERROR, 2)
    assert at_two.max() == pytest.approx(found.mean + found.standard_error)
    assert at_two.min() == pytest.approx(found.mean - found.standard_error)


def test_who_has_no_runs_has_no_curve(results):
    axes = new_figure(4, 3).subplots()
    assert draw_curve(axes, results, "two", CURVES, "nobody", ERROR, "#123456") is None
    assert len(axes.lines) == 0


def test_a_comparison_shows_every_classifier_and_is_written(results, tmp_path):
    figure = draw_comparison(results, "What it is about")
    left, right = figure.axes
    assert [line.get_label() for line in left.lines] == list(NAMES)
    assert len({line.get_color() for line in left.lines}) == len(NAMES)
    assert {text.get_text().strip() for text in left.texts} == set(NAMES)
    # One cloud of changes for each but the one they are compared with.
    assert [len(cloud.get_offsets()) for cloud in right.collections] == [4, 4]
    assert [label.get_text() for label in right.get_yticklabels()] == ["ICLS", "self-learning"]
    worse = results.summary("two", CURVES, "ICLS", ERROR, 32).times_worse
    assert f"worse in {worse} of 4" in {text.get_text() for text in right.texts}
    for name in ("figure.png", "figure.svg"):
        figure.savefig(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 5000


def test_a_comparison_is_of_one_dataset_and_one_protocol(results):
    other = run([Experiment((two_classes(),), CrossValidation(1, 10, 3), contestants(*NAMES))])
    with pytest.raises(ValueError, match="too many values"):
        draw_comparison(Results.of(results.runs + other.runs), "Both")
