import numpy as np
import pytest

from tacit.research.paper._figures import FIGURE1_CAPTION, draw_figure1, example

pytest.importorskip("matplotlib", reason="figures need the extra plots")


def test_the_example_shows_the_point_of_the_theorem():
    shown = example()
    lower, upper = shown.population.interval
    assert shown.beta_sup > upper == shown.beta_semi
    assert lower < shown.population.beta_star < upper
    assert shown.population.risk(shown.beta_semi) < shown.population.risk(shown.beta_sup)


def test_the_supervised_coefficient_is_the_minimiser_of_the_loss_drawn():
    shown = example()
    beta = shown.beta_sup + np.linspace(-1, 1, 41)
    assert shown.loss(beta).argmin() == 20


def test_the_figure_draws_the_numbers_of_the_computation():
    shown = example()
    figure = draw_figure1()
    top, bottom = figure.axes
    curve = bottom.lines[0]
    np.testing.assert_allclose(curve.get_ydata(), shown.population.risk(curve.get_xdata()))
    curve = top.lines[0]
    np.testing.assert_allclose(curve.get_ydata(), shown.loss(curve.get_xdata()))
    words = " ".join(text.get_text() for axes in figure.axes for text in axes.texts)
    assert f"risk {shown.population.risk(shown.beta_sup):.3f}" in words
    assert f"risk {shown.population.risk(shown.beta_semi):.3f}" in words


def test_the_caption_says_how_often_the_supervised_coefficient_lies_outside():
    outside = [
        shown.beta_sup != shown.beta_semi for shown in (example(seed) for seed in range(500))
    ]
    assert "about a third of samples" in FIGURE1_CAPTION
    assert 0.28 < np.mean(outside) < 0.39
    assert f"{len(example().x)} labeled rows" in FIGURE1_CAPTION
