"""Pictures of results: the curves they should have."""

import pytest

from tacit.research.experiments import CrossValidation, Experiment, LearningCurves, Results, run
from tacit.research.experiments._measures import ERROR, TEST_LOSS
from tests.research.experiments.tables import contestants, two_classes

pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'tacit[plots]'")

from tacit.report import COLOURS
from tacit.research.experiments._figures import curve_panel, draw_comparison

NAMES = ("supervised", "self-learning", "ICLS")
CURVES = "learning curves"


@pytest.fixture(scope="module")
def results():
    protocol = LearningCurves(4, 10, (2, 8, 32))
    return run([Experiment((two_classes(),), protocol, contestants(*NAMES))])


@pytest.mark.parametrize("measure", [ERROR, TEST_LOSS])
def test_a_curve_goes_through_the_means_with_one_standard_error(results, measure):
    panel = curve_panel(results, "two", CURVES, ("nobody", "ICLS"), measure)
    (series,) = panel.series  # who has no runs has no curve
    means = [results.values("two", CURVES, "ICLS", measure, size).mean() for size in (2, 8, 32)]
    assert panel.x == [2, 8, 32]
    assert series.y == pytest.approx(means)
    found = results.summary("two", CURVES, "ICLS", measure, 2)
    assert series.low[0] == pytest.approx(found.mean - found.standard_error)
    assert series.high[0] == pytest.approx(found.mean + found.standard_error)
    assert (series.name, series.colour) == ("ICLS", COLOURS[1])


def test_a_comparison_shows_every_classifier_and_is_written(results, tmp_path):
    figure = draw_comparison(results, "What it is about")
    left, right = figure.axes
    assert [line.get_label() for line in left.lines] == list(NAMES)
    assert len({line.get_color() for line in left.lines}) == len(NAMES)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(NAMES)
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
