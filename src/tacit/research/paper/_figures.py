"""Figure 1 of the paper, why the constraint helps in one dimension; and Figure 2, the curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from scipy.special import expit

from tacit._cached import cached_property
from tacit._typing import Vector
from tacit.report import COLOURS, Panel, Series, add_legend, draw_panel, new_figure, set_log_heights
from tacit.research.experiments import LearningCurves, Results
from tacit.research.paper._population import Mixture, Population, least_squares
from tacit.research.paper._tables import PAPER_COLUMNS, own_methods

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BLACK, _RED, _BLUE, _GREEN = COLOURS[:4]
# Chosen so that the supervised coefficient lies outside of the interval, where there is something
# to see; it does so in about a third of samples of this size.
_SEED = 11
_N_LABELED = 4

FIGURE1_CAPTION = (
    f"Theorem 1 in one dimension, drawn from a computation. Above: the loss on {_N_LABELED} "
    "labeled rows is least at the supervised coefficient, but no labeling of the unlabeled rows "
    "leads outside of the shaded interval C. Below: the true risk, which nobody sees, is least "
    "inside the interval whatever the labels are, so stopping at its border lowers the risk. The "
    "labeled rows were chosen so that the supervised coefficient lies outside of the interval, as "
    "it does in about a third of samples of this size from this population; where it lies "
    "inside, nothing changes."
)

# The panels of Figure 2 in a row.
COLUMNS = 4


@dataclass(frozen=True)
class Example:
    """A population, of which the classifier knows the distribution of x, and labeled rows."""

    population: Population
    x: Vector
    y: Vector

    @cached_property
    def beta_sup(self) -> float:
        """Minimises the loss on the labeled rows."""
        return float(least_squares(self.x, self.y))

    @property
    def beta_semi(self) -> float:
        """Minimises the loss on the labeled rows within the interval."""
        return float(self.population.beta_semi(self.beta_sup))

    def loss(self, beta: Any) -> Any:
        """Mean squared loss on the labeled rows, for a coefficient or several."""
        return ((np.asarray(beta)[..., None] * self.x - self.y) ** 2).mean(axis=-1)


@cache
def _population() -> Population:
    feature = Mixture([0.5, 0.5], [stats.norm(-1, 0.8), stats.norm(1, 0.8)])
    return Population(feature, lambda x: 0.2 + 0.6 * expit(3 * x))


def example(seed: int = _SEED) -> Example:
    """The example that the figure shows; another seed draws other labeled rows."""
    population = _population()
    return Example(population, *population.sample(_N_LABELED, np.random.default_rng(seed)))


def draw_figure1() -> Figure:
    """The labeled loss above the true risk, over the same axis of coefficients."""
    shown = example()
    lower, upper = shown.population.interval
    figure = new_figure(7.0, 6.4)
    figure.suptitle(
        "Unlabeled data rules out the supervised coefficient,\nand the nearest one it allows has a "
        "lower risk",
        fontsize=12,
    )
    top, bottom = figure.subplots(2, 1, sharex=True)
    _curve(top, shown, shown.loss)
    top.set_ylabel("loss on the labeled rows")
    top.set_title("What the labels say", loc="left", fontsize=10)
    low, high = top.get_ylim()
    words = "C: coefficients that some\nlabeling of the unlabeled\nrows leads to"
    _note(top, words, (lower + upper) / 2, low + 0.06 * (high - low), (0, 0), _BLUE)
    sup, semi, star = shown.beta_sup, shown.beta_semi, shown.population.beta_star
    _note(top, "supervised:\nleast loss", sup, shown.loss(sup), (6, 10), _RED)
    words = "semi-supervised:\nleast loss\nwithin C"
    _note(top, words, semi, shown.loss(semi), (6, 26), _BLUE)

    risk = shown.population.risk
    _curve(bottom, shown, risk)
    bottom.set_ylabel("true risk  E (xβ − y)²")
    bottom.set_title("What nobody sees: the true risk is least inside C", loc="left", fontsize=10)
    bottom.plot(star, risk(star), "*", color=_GREEN, ms=13)
    _note(bottom, "best possible", star, risk(star), (0, -19), _GREEN)
    left = bottom.get_xlim()[0]
    for position, colour in ((sup, _RED), (semi, _BLUE)):
        bottom.hlines(risk(position), left, position, color=colour, lw=0.8, ls=":")
        _note(bottom, f"risk {risk(position):.3f}", left, risk(position), (5, 3), colour)
    bottom.set_xlabel("coefficient β")
    names = ("lower end of C", r"$\beta^*$", r"$\beta_{semi}$", r"$\beta_{sup}$")
    places = (lower, star, semi, sup)
    labels = [f"{name}\n{place:.2f}" for name, place in zip(names, places, strict=True)]
    bottom.set_xticks(places, [label.replace("-", "\N{MINUS SIGN}") for label in labels])
    return figure


def _curve(axes: Axes, shown: Example, values: Callable[[Any], Any]) -> None:
    """A curve over the coefficients, the interval, and the step from supervised into it."""
    lower, upper = shown.population.interval
    sup, semi = shown.beta_sup, shown.beta_semi
    first, last = min(lower, sup), max(upper, sup)
    width = last - first
    beta = np.linspace(first - 0.15 * width, last + 0.3 * width, 400)
    height = values(beta)
    axes.plot(beta, height, color=_BLACK, lw=1.8)
    axes.set_xlim(beta[0], beta[-1])
    span = height.max() - height.min()
    axes.set_ylim(height.min() - 0.16 * span, height.max() + 0.05 * span)
    axes.spines[["top", "right"]].set_visible(False)
    axes.axvspan(lower, upper, color=_BLUE, alpha=0.13, lw=0)
    for position, colour in ((sup, _RED), (semi, _BLUE)):
        axes.axvline(position, color=colour, lw=0.8, ls=":")
        axes.plot([position], [values(position)], "o", color=colour, ms=7)
    # Bowed so as not to cover the curve.
    bow = f"arc3,rad={0.25 if sup > semi else -0.25}"
    arrow = {"arrowstyle": "->", "color": _RED, "lw": 1.6, "shrinkA": 6, "shrinkB": 6}
    ends = (semi, values(semi)), (sup, values(sup))
    axes.annotate("", *ends, arrowprops={**arrow, "connectionstyle": bow})


def _note(axes: Axes, words: str, x: float, y: float, offset: tuple[int, int], colour: str) -> None:
    """Words beside a point, or centred where they are right above or below it."""
    side = "left" if offset[0] else "center"
    place: Any = {"xytext": offset, "textcoords": "offset points"}
    axes.annotate(words, (x, y), ha=side, color=colour, fontsize=9, **place)


def draw_figure2(results: Results, measure: str) -> Figure:
    """One panel a dataset, mean and a band of one standard error for each classifier.

    Squared losses are drawn on a logarithmic axis, since they differ by orders of magnitude.
    """
    datasets = results.names("dataset")
    shown = (*PAPER_COLUMNS, *own_methods(results))
    n_rows = -(-len(datasets) // COLUMNS)
    n_columns = min(COLUMNS, len(datasets))
    figure = new_figure(3.2 * n_columns, 2.7 * n_rows + 0.7)
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for panel in panels[len(datasets) :]:
        panel.set_visible(False)
    for panel, dataset in zip(panels, datasets, strict=False):
        values = curve_panel(results, dataset, shown, measure)
        draw_panel(panel, values, 3.2, with_bands=True)
        if measure != "error":
            set_log_heights(panel)
        panel.tick_params(labelsize=7, which="both")
    add_legend(figure, 3.2 * n_columns)
    figure.supxlabel("unlabeled rows", fontsize=10)
    label = "mean error on the test rows" if measure == "error" else f"mean {measure}"
    figure.supylabel(label, fontsize=10)
    return figure


def curve_panel(results: Results, dataset: str, classifiers: Sequence[str], measure: str) -> Panel:
    """A measure against unlabeled rows, plus and minus one standard error, as plain values.

    Who has no runs has no curve; the others keep their colours.
    """
    rule = LearningCurves.name
    sizes = sorted({n for name in classifiers for n in results.sizes(dataset, rule, name)})
    series = []
    for name, colour in zip(classifiers, cycle(COLOURS), strict=False):
        found = [results.summary(dataset, rule, name, measure, size) for size in sizes]
        if any(point is not None for point in found):
            mean = np.array([np.nan if point is None else point.mean for point in found])
            error = np.array([np.nan if p is None else p.standard_error for p in found])
            low, high = mean - error, mean + error
            series.append(Series(name, mean.tolist(), low.tolist(), high.tolist(), colour=colour))
    return Panel(dataset, "", sizes, series)
