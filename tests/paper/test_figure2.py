from tacit.experiments import Results
from tacit.experiments.contenders import ICLS, SUPERVISED
from tacit.experiments.measures import ERROR
from tacit.paper.figure2 import figure2
from tests.paper.runs import curve_runs


def test_there_is_one_panel_a_dataset_and_one_curve_a_classifier():
    curves = {SUPERVISED: [0.3, 0.3, 0.3], ICLS: [0.3, 0.25, 0.2]}
    runs = [
        run
        for seed, name in enumerate(("Sonar", "WDBC", "USPS", "BCI", "SPECT"))
        for run in curve_runs(curves, n_repeats=3, dataset=name, seed=seed)
    ]
    panels = [axes for axes in figure2(Results.of(runs), ERROR).axes if axes.get_visible()]
    assert [panel.get_title() for panel in panels] == ["Sonar", "WDBC", "USPS", "BCI", "SPECT"]
    for panel in panels:
        assert [line.get_label() for line in panel.lines] == [SUPERVISED, ICLS]
        assert list(panel.lines[0].get_xdata()) == [2, 4, 8]
        assert panel.get_xscale() == "log"
