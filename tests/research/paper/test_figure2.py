from dataclasses import replace

import pytest

from tacit.report import COLOURS
from tacit.research.experiments import Experiment, LearningCurves, Results, run
from tacit.research.experiments._contestants import ICLS, SUPERVISED
from tacit.research.experiments._measures import ERROR, TEST_LOSS
from tacit.research.paper._figures import curve_panel, draw_figure2
from tests.research.experiments.tables import contestants, two_classes
from tests.research.paper.runs import curve_runs


def test_there_is_one_panel_a_dataset_and_one_curve_a_classifier():
    curves = {SUPERVISED: [0.3, 0.3, 0.3], ICLS: [0.3, 0.25, 0.2]}
    runs = [
        run
        for seed, name in enumerate(("Sonar", "WDBC", "USPS", "BCI", "SPECT"))
        for run in curve_runs(curves, n_repeats=3, dataset=name, seed=seed)
    ]
    panels = [axes for axes in draw_figure2(Results.of(runs), ERROR).axes if axes.get_visible()]
    assert [panel.get_title(loc="left") for panel in panels] == [
        "Sonar",
        "WDBC",
        "USPS",
        "BCI",
        "SPECT",
    ]
    for panel in panels:
        assert [line.get_label() for line in panel.lines] == [SUPERVISED, ICLS]
        assert list(panel.lines[0].get_xdata()) == [1.0, 2.0, 3.0]  # powers of two
        assert [label.get_text() for label in panel.get_xticklabels()] == ["2", "4", "8"]


@pytest.mark.parametrize(
    ("losses", "labels"),
    [
        ([0.21, 0.22, 0.28], ["0.2", "0.22", "0.24", "0.26", "0.28", "0.3"]),
        ([0.55, 0.6, 0.95], ["0.5", "0.6", "0.7", "0.8", "0.9", "1"]),
        ([30.0, 40.0, 210.0], ["50", "100", "150", "200"]),
        ([0.15, 0.3, 15.0], ["0.1", "0.2", "0.5", "1", "2", "5", "10", "20"]),
    ],
    ids=["a third", "nearly a double", "sevenfold", "two decades"],
)
def test_the_scale_of_the_loss_can_be_read_however_little_it_changes(losses, labels):
    runs = [
        replace(run, measure=measure)
        for run in curve_runs({SUPERVISED: losses}, n_repeats=2, spread=0.0)
        for measure in (ERROR, TEST_LOSS)
    ]
    figure = draw_figure2(Results.of(runs), TEST_LOSS)
    figure.draw_without_rendering()
    (panel,) = figure.axes
    low, high = panel.get_ylim()
    assert panel.get_yscale() == "log"
    shown = {
        tick.label1.get_text(): tick.get_loc()
        for tick in (*panel.yaxis.get_major_ticks(), *panel.yaxis.get_minor_ticks())
        if low <= tick.get_loc() <= high and tick.label1.get_text()
    }
    for text, place in shown.items():
        assert float(text) == pytest.approx(place)
    assert len(shown) >= 4
    assert set(shown) <= set(labels)


@pytest.fixture(scope="module")
def results():
    protocol = LearningCurves(4, 10, (2, 8, 32))
    return run(
        [Experiment((two_classes(),), protocol, contestants("supervised", "self-learning", "ICLS"))]
    )


@pytest.mark.parametrize("measure", [ERROR, TEST_LOSS])
def test_a_curve_goes_through_the_means_with_one_standard_error(results, measure):
    panel = curve_panel(results, "two", ("nobody", "ICLS"), measure)
    (series,) = panel.series  # who has no runs has no curve
    means = [
        results.values("two", LearningCurves.name, "ICLS", measure, size).mean()
        for size in (2, 8, 32)
    ]
    assert panel.x == [2, 8, 32]
    assert series.y == pytest.approx(means)
    found = results.summary("two", LearningCurves.name, "ICLS", measure, 2)
    assert series.low[0] == pytest.approx(found.mean - found.standard_error)
    assert series.high[0] == pytest.approx(found.mean + found.standard_error)
    assert (series.name, series.colour) == ("ICLS", COLOURS[1])
