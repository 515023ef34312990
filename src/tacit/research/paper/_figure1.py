"""Figure 1 of the paper: why the constraint helps, in one dimension."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats
from scipy.special import expit

from tacit._typing import Vector
from tacit.report import COLOURS, new_figure
from tacit.research.paper.theorem import Mixture, Population, Sample, least_squares

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BLACK, _RED, _BLUE, _GREEN = COLOURS[:4]
# Chosen so that the supervised coefficient lies outside of the interval, where there is something
# to see; it does so in about a third of samples of this size.
_SEED = 11
_N_LABELED = 4

CAPTION = (
    f"Theorem 1 in one dimension, drawn from a computation. Above: the loss on {_N_LABELED} "
    "labeled rows is least at the supervised coefficient, but no labeling of the unlabeled rows "
    "leads outside of the shaded interval C. Below: the true risk, which nobody sees, is least "
    "inside the interval whatever the labels are, so stopping at its border lowers the risk. The "
    "labeled rows were chosen so that the supervised coefficient lies outside of the interval, as "
    "it does in about a third of samples of this size from this population; where it lies "
    "inside, nothing changes."
)


@dataclass(frozen=True)
class Example:
    """A population, of which the classifier knows the distribution of x, and labeled rows."""

    population: Population
    sample: Sample

    @cached_property
    def beta_sup(self) -> float:
        """Minimises the loss on the labeled rows."""
        return float(least_squares(self.sample.x, self.sample.y))

    @property
    def beta_semi(self) -> float:
        """Minimises the loss on the labeled rows within the interval."""
        return self.population.beta_semi(self.beta_sup)

    def loss(self, beta: Vector) -> Vector:
        """Mean squared loss on the labeled rows, for each of several coefficients."""
        residual = np.asarray(beta)[..., None] * self.sample.x - self.sample.y
        loss: Vector = (residual**2).mean(axis=-1)
        return loss


@cache
def _population() -> Population:
    feature = Mixture([0.5, 0.5], [stats.norm(-1, 0.8), stats.norm(1, 0.8)])
    return Population(feature, lambda x: 0.2 + 0.6 * expit(3 * x))


def example(seed: int = _SEED, n_labeled: int = _N_LABELED) -> Example:
    """The example that the figure shows; another seed draws other labeled rows."""
    population = _population()
    return Example(population, population.sample(n_labeled, np.random.default_rng(seed)))


def draw_figure1(shown: Example | None = None) -> Figure:
    """The labeled loss above the true risk, over the same axis of coefficients.

    What is shown must have its supervised coefficient outside of the interval.
    """
    shown = example() if shown is None else shown
    population = shown.population
    lower, upper = population.interval
    if lower <= shown.beta_sup <= upper:
        raise ValueError(
            "shown must have its supervised coefficient outside of the interval, got "
            f"{shown.beta_sup:.3g} in [{lower:.3g}, {upper:.3g}], where nothing changes; draw "
            "other labeled rows."
        )
    marks = [lower, upper, shown.beta_sup]
    width = max(marks) - min(marks)
    beta = np.linspace(min(marks) - 0.15 * width, max(marks) + 0.3 * width, 400)

    figure = new_figure(7.0, 6.4)
    top, bottom = figure.subplots(2, 1, sharex=True)
    _curve(top, beta, shown.loss(beta), "loss on the labeled rows")
    _curve(bottom, beta, population.risk(beta), "true risk  E (xβ − y)²")
    figure.suptitle(
        "Unlabeled data rules out the supervised coefficient,\nand the nearest one it allows has a "
        "lower risk",
        fontsize=12,
    )
    for axes, values in ((top, shown.loss), (bottom, population.risk)):
        axes.axvspan(lower, upper, color=_BLUE, alpha=0.13, lw=0)
        for position, colour in ((shown.beta_sup, _RED), (shown.beta_semi, _BLUE)):
            axes.axvline(position, color=colour, lw=0.8, ls=":")
            axes.plot([position], [float(values(np.array(position)))], "o", color=colour, ms=7)
        axes.set_xlim(beta[0], beta[-1])
    _label_top(top, shown)
    _label_bottom(bottom, shown)
    bottom.set_xlabel("coefficient β")
    bottom.set_xticks(
        [lower, population.beta_star, shown.beta_semi, shown.beta_sup],
        [
            f"lower end of C\n{lower:.2f}".replace("-", "\N{MINUS SIGN}"),
            rf"$\beta^*$" f"\n{population.beta_star:.2f}",
            rf"$\beta_{{semi}}$" f"\n{shown.beta_semi:.2f}",
            rf"$\beta_{{sup}}$" f"\n{shown.beta_sup:.2f}",
        ],
    )
    return figure


def _curve(axes: Axes, beta: Vector, values: Vector, name: str) -> None:
    axes.plot(beta, values, color=_BLACK, lw=1.8)
    span = float(values.max() - values.min())
    axes.set_ylim(float(values.min()) - 0.16 * span, float(values.max()) + 0.05 * span)
    axes.set_ylabel(name)
    axes.spines[["top", "right"]].set_visible(False)


def _arrow(axes: Axes, shown: Example, values: Callable[[Vector], Vector]) -> None:
    """From the supervised to the semi-supervised point, bowed so as not to cover the curve."""
    start, end = (np.array(beta) for beta in (shown.beta_sup, shown.beta_semi))
    bow = 0.25 if shown.beta_sup > shown.beta_semi else -0.25
    axes.annotate(
        "",
        xy=(float(end), float(values(end))),
        xytext=(float(start), float(values(start))),
        arrowprops={
            "arrowstyle": "->",
            "color": _RED,
            "lw": 1.6,
            "shrinkA": 6,
            "shrinkB": 6,
            "connectionstyle": f"arc3,rad={bow}",
        },
    )


def _label_top(axes: Axes, shown: Example) -> None:
    lower, upper = shown.population.interval
    height = axes.get_ylim()
    axes.set_title("What the labels say", loc="left", fontsize=10)
    _arrow(axes, shown, shown.loss)
    words = "C: coefficients that some\nlabeling of the unlabeled\nrows leads to"
    foot = height[0] + 0.06 * (height[1] - height[0])
    _note(axes, words, ((lower + upper) / 2, foot), (0, 0), _BLUE, centred=True)
    sup, semi = shown.beta_sup, shown.beta_semi
    above = (sup, float(shown.loss(np.array(sup))))
    _note(axes, "supervised:\nleast loss", above, (6, 10), _RED)
    above = (semi, float(shown.loss(np.array(semi))))
    _note(axes, "semi-supervised:\nleast loss\nwithin C", above, (6, 26), _BLUE)


def _label_bottom(axes: Axes, shown: Example) -> None:
    population = shown.population
    best = (population.beta_star, float(population.risk(population.beta_star)))
    axes.set_title("What nobody sees: the true risk is least inside C", loc="left", fontsize=10)
    axes.plot(*best, "*", color=_GREEN, ms=13)
    _note(axes, "best possible", best, (0, -19), _GREEN, centred=True)
    _arrow(axes, shown, population.risk)
    for position, colour in ((shown.beta_sup, _RED), (shown.beta_semi, _BLUE)):
        risk = float(population.risk(position))
        axes.hlines(risk, axes.get_xlim()[0], position, color=colour, lw=0.8, ls=":")
        _note(axes, f"risk {risk:.3f}", (axes.get_xlim()[0], risk), (5, 3), colour)


def _note(
    axes: Axes,
    words: str,
    at: tuple[float, float],
    offset: tuple[int, int],
    colour: str,
    centred: bool = False,
) -> None:
    axes.annotate(
        words,
        at,
        xytext=offset,
        textcoords="offset points",
        ha="center" if centred else "left",
        color=colour,
        fontsize=9,
    )
