"""The solver for many rows, watched: how few of 100,000 rows it has to look at, and how often."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np

from docs.pictures.theory_example import BLACK, BLUE, GREEN, GREY, PAPER, RED
from tacit import ProjectedLeastSquaresClassifier
from tacit._typing import Matrix, Vector
from tacit.report import new_figure
from tacit.solver import Solution
from tacit.solver import _working_set as working_set
from tacit.solver._labeling import LowestRule
from tacit.solver._rounds import Outcome, Point, Rounds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_UNLABELED = 100_000
N_FEATURES = 20
N_LABELED = 40
TOLERANCE = 1e-8


@dataclass(frozen=True)
class Stage:
    """Where the hyperplane was at one moment of the fit.

    Attributes
    ----------
    name : str
        What had been done.
    n_seen : int
        Rows that it took.
    wrong : int
        Of all unlabeled rows, those on another side of the hyperplane than in the end.
    relative_gap : float
        The duality gap of the labels that the signs give, over all rows, relative to the objective.
    """

    name: str
    n_seen: int
    wrong: int
    relative_gap: float


@dataclass(frozen=True)
class Watch:
    """A fit and what was seen of it.

    Attributes
    ----------
    solution : Solution
        The solver's result.
    slopes : ndarray of shape (U,)
        s = V q for all rows, where the labels were decided.
    labels : ndarray of shape (U,)
        The labels.
    stages : tuple of Stage
        In the order of the fit.
    """

    solution: Solution
    slopes: Vector
    labels: Vector
    stages: tuple[Stage, ...]

    @property
    def rule(self) -> LowestRule:
        """Label by sign, with the labels of the working set."""
        assert self.solution.labeling is not None
        assert isinstance(self.solution.labeling.rule, LowestRule)
        return self.solution.labeling.rule

    @property
    def in_set(self) -> Any:
        """Which rows are in the working set."""
        return np.abs(self.slopes) <= self.rule.margin * (1.0 + 1e-6)


@dataclass
class _Seen:
    """Every dual vector of a fit: the table it belongs to, and the table's number of rows."""

    points: list[tuple[Rounds, Vector]] = field(default_factory=list)
    outcome: Outcome | None = None


def _watched(seen: _Seen) -> type[Rounds]:
    class Watched(Rounds):
        """The solver's rounds as they are; every dual vector is noted down."""

        def _point(self, q: Matrix, sweep: Any) -> Point:
            seen.points.append((self, q))
            return super()._point(q, sweep)

        def _judge(self, *args: Any) -> Outcome:
            seen.outcome = super()._judge(*args)
            return seen.outcome

    return Watched


def table(seed: int = 1) -> tuple[Matrix, Vector]:
    """Two overlapping normal classes in 20 dimensions; the first 40 rows are the labeled ones."""
    random = np.random.default_rng(seed)
    n_rows = N_LABELED + N_UNLABELED
    y = random.integers(0, 2, n_rows).astype(np.float64)
    direction = random.normal(size=N_FEATURES)
    direction /= np.linalg.norm(direction)
    X = random.normal(size=(n_rows, N_FEATURES)) + np.outer(2.0 * y - 1.0, direction)
    return X, y


def compute() -> Watch:
    """Fit on 40 labeled and 100,000 unlabeled rows, and look at each hyperplane on the way."""
    X, y = table()
    X_u = X[N_LABELED:]
    seen = _Seen()
    model = ProjectedLeastSquaresClassifier(solver="working-set", tol=TOLERANCE)
    # The solver reports rounds, but not where the hyperplane was in between.
    with patch.object(working_set, "Rounds", _watched(seen)):
        model.fit(X[:N_LABELED], y[:N_LABELED], X_u)
    outcome = seen.outcome
    assert outcome is not None
    assert outcome.exact is not None

    last, _ = seen.points[-1]
    V = last.zonotope.generators(X_u, None)
    exact_q = outcome.exact.solution.dual
    end = V @ exact_q < 0
    stages: list[Stage] = []
    before: Vector | None = None
    for rounds, q in seen.points:
        # The last hyperplane of the sample is looked at again from all rows; the exact one is last.
        if np.array_equal(q, exact_q) or (before is not None and (q == before).all()):
            continue
        before = q
        name = "Newton step" if stages else "first sample"
        n_seen = rounds.zonotope.rows.n_rows if stages else working_set.FIRST_SAMPLE
        stages.append(_stage(name, n_seen, V, q, last.target, end))
    exact = Stage("exact solve", len(outcome.exact.near), 0, outcome.relative_gap)
    slopes = V @ outcome.previous
    labels = np.asarray(model.soft_labels_)
    return Watch(model.solution_, slopes, labels, (*stages, exact))


def _stage(name: str, n_seen: int, V: Matrix, q: Vector, target: Vector, end: Any) -> Stage:
    side = V @ q < 0
    z = side @ V - target
    # Labels by sign leave of the gap only 1/2 ||z - q||^2.
    gap = 0.5 * float((z - q) @ (z - q)) / (0.5 * float(z @ z))
    return Stage(name, n_seen, int((side != end).sum()), gap)


def draw(watch: Watch | None = None) -> Figure:
    """All rows by their distance from the hyperplane, those of the set closely, and the stages."""
    watch = compute() if watch is None else watch
    figure = new_figure(8.0, 6.2)
    halves: Any = figure.subfigures(1, 2, width_ratios=[1.0, 1.2])
    left, right = halves
    above, below = left.subplots(2, 1)
    _draw_all_rows(above, watch)
    _draw_set(below, watch)
    upper, lower = right.subplots(2, 1, sharex=True)
    _draw_wrong(upper, watch)
    _draw_gap(lower, watch)
    return figure


def _draw_all_rows(axes: Axes, watch: Watch) -> None:
    s = watch.slopes / np.abs(watch.slopes).max()
    edges = np.linspace(-1.0, 1.0, 121).tolist()
    heights = []
    for side, colour in ((s < 0, BLUE), (s >= 0, RED)):
        heights.append(axes.hist(s[side], edges, color=colour, alpha=0.45)[0])
    top = float(np.max(heights))
    axes.axvline(0.0, ymax=0.85, color=BLACK, lw=1.6)
    n_set = int(watch.in_set.sum())
    axes.text(-0.97, 0.55 * top, "label 1,\nby sign", color=BLUE, fontweight="bold")
    axes.text(0.97, 0.55 * top, "label 0,\nby sign", color=RED, fontweight="bold", ha="right")
    axes.annotate(
        f"in question: {n_set} rows",
        xy=(0.0, 1.09 * top),
        ha="center",
        fontweight="bold",
    )
    axes.set_xlim(-1.0, 1.0)
    axes.set_ylim(0.0, 1.25 * top)
    axes.set_yticks([])
    axes.set_xticks([-1, 0, 1])
    axes.set_xlabel("distance from the hyperplane, largest = 1")
    axes.set_title(f"All {len(s):,} unlabeled rows", loc="left", fontsize=11)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _draw_set(axes: Axes, watch: Watch) -> None:
    s = watch.slopes[watch.in_set] / watch.rule.margin
    labels = watch.labels[watch.in_set]
    fractional = (labels > 1e-9) & (labels < 1.0 - 1e-9)
    for side, colour in ((labels > 0.5, BLUE), (labels <= 0.5, RED)):
        own = side & ~fractional
        axes.scatter(s[own], labels[own], s=14, color=colour, alpha=0.25, lw=0)
    axes.scatter(s[fractional], labels[fractional], s=34, color=GREEN, zorder=3)
    axes.text(
        0.22,
        0.5,
        f"{fractional.sum()} fractional",
        color=GREEN,
        fontweight="bold",
        va="center",
    )
    axes.set_yticks([0.0, 0.5, 1.0])
    axes.set_xlim(-1.05, 1.05)
    axes.set_xticks([-1, 0, 1])
    axes.set_xlabel("the same, border of the set = 1")
    axes.set_ylabel("soft label")
    axes.set_title(f"The {len(s)} rows of the working set", loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_wrong(axes: Axes, watch: Watch) -> None:
    wrong = [stage.wrong for stage in watch.stages]
    bars = axes.bar(range(len(wrong)), wrong, color=GREY, width=0.62)
    axes.bar_label(bars, [f"{count:,}" for count in wrong], padding=2)
    axes.set_yticks([])
    axes.set_ylim(0, 1.12 * max(wrong))
    axes.set_title("Rows on the wrong side of the hyperplane", loc="left", fontsize=11)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _draw_gap(axes: Axes, watch: Watch) -> None:
    gaps = [stage.relative_gap for stage in watch.stages]
    axes.semilogy(range(len(gaps)), gaps, "o-", color=BLACK, lw=1.8)
    axes.axhline(TOLERANCE, color=GREEN, lw=1.2, ls="--")
    axes.text(-0.4, TOLERANCE, "tolerance", color=GREEN, fontweight="bold", va="center", bbox=PAPER)
    names = [
        f"sample\n{watch.stages[0].n_seen:,} rows",
        *(f"Newton\n{_rows(stage.n_seen)}" for stage in watch.stages[1:-1]),
        f"exact solve\n{watch.stages[-1].n_seen} rows",
    ]
    axes.set_xticks(range(len(names)), names, fontsize=8.5)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_yticks([1.0, 1e-4, 1e-8, 1e-12, 1e-16])
    axes.set_ylim(1e-20, 10.0)
    axes.minorticks_off()
    axes.set_title("Relative duality gap over all rows", loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)


def _rows(count: int) -> str:
    return "all rows" if count == N_UNLABELED else f"{count:,}"
