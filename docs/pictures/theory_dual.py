"""The dual: two unknowns for two coefficients, and two values that meet at the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from docs.pictures.theory_example import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    PAPER,
    RED,
    SmallProblem,
    box_problem,
    small_problem,
)
from tacit._typing import Index, Matrix, Vector
from tacit.report import new_figure
from tacit.rows import Moments, NumpyRows
from tacit.solver import (
    ConstraintSet,
    LabeledRows,
    Problem,
    Solution,
    Status,
    solve_interior_point,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_LABELED = 40
TOLERANCE = 1e-8


@dataclass(frozen=True)
class Meeting:
    """The solver stopped after 0, 1, 2, ... iterations, until it is done.

    Attributes
    ----------
    problem : Problem
        What is solved.
    stopped : tuple of Solution
        The last of them is the answer.
    """

    problem: Problem
    stopped: tuple[Solution, ...]

    @property
    def primal(self) -> Vector:
        """The objective at the labels of each iteration: never below the optimum."""
        return np.array([solution.objective for solution in self.stopped])

    @property
    def dual(self) -> Vector:
        """The dual objective there: never above the optimum."""
        return np.array([dual_objective(self.problem, s.residual) for s in self.stopped])


def dual_objective(problem: Problem, q: Matrix) -> Any:
    """d(q) = -1/2 ||q||^2 - q't + sum_i min(0, v_i'q), for one q or for the last axis of many."""
    slopes = q @ problem.V.T
    return -0.5 * (q**2).sum(axis=-1) - q @ problem.target + np.minimum(slopes, 0.0).sum(axis=-1)


def compute() -> Meeting:
    """Breast cancer, 30 features, the labels of the first 40 of 569 rows."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    labeled = LabeledRows(X[:N_LABELED], y[:N_LABELED].astype(np.float64), None)
    rows = NumpyRows(X[N_LABELED:])
    problem = box_problem(ConstraintSet.of(labeled, Moments.of(NumpyRows(labeled.X)), rows))
    stopped: list[Solution] = []
    while not stopped or stopped[-1].status is not Status.OPTIMAL:
        stopped.append(solve_interior_point(problem, TOLERANCE, max_iter=len(stopped)))
    return Meeting(problem, tuple(stopped))


def draw(shown: SmallProblem | None = None, meeting: Meeting | None = None) -> Figure:
    """The landscape of the dual of the small problem, and the values of a larger one."""
    figure = new_figure(8.0, 4.3)
    left, right = figure.subplots(1, 2)
    _draw_landscape(left, small_problem() if shown is None else shown)
    _draw_meeting(right, compute() if meeting is None else meeting)
    return figure


def _draw_landscape(axes: Axes, shown: SmallProblem) -> None:
    problem = shown.problem
    optimum = solve_interior_point(problem).dual
    reach = 1.7 * float(np.linalg.norm(optimum))
    ticks = np.linspace(-reach, reach, 301)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1)
    values = dual_objective(problem, grid)
    top = dual_objective(problem, optimum)
    depth = top - values.min()
    levels = top - depth * np.linspace(1.0, 0.0, 13)[:-1] ** 2
    axes.contour(
        ticks, ticks, values, levels=levels, colors=BLUE, linewidths=0.7, linestyles="solid"
    )
    for number, v in enumerate(problem.V):
        direction = np.array([-v[1], v[0]]) / np.linalg.norm(v)
        ends = 3.0 * reach * np.array([-direction, direction])
        axes.plot(*ends.T, color=GREY, lw=1.2, ls="--")
        _name_row(axes, direction, reach, number + 1)
    axes.plot(*optimum, "*", color=GREEN, ms=17, zorder=5)
    (row,) = rows_on_the_hyperplane(problem, optimum) + 1
    axes.annotate(
        f"q*, the highest point,\non the line of row {row}:\nits label is fractional",
        xy=tuple(optimum),
        xytext=(14, -14),
        textcoords="offset points",
        va="top",
        color=GREEN,
        fontweight="bold",
        bbox=PAPER,
    )
    axes.text(
        0.08 * reach,
        0.74 * reach,
        "A dashed line is\nan unlabeled row:\nlabel 1 on one side,\n0 on the other",
        ha="center",
        va="center",
        bbox=PAPER,
    )
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-reach, reach)
    axes.set_aspect("equal")
    axes.set_xlabel("first unknown of the dual")
    axes.set_ylabel("second unknown of the dual")
    axes.set_title("6 labels, but 2 dual unknowns", loc="left", fontsize=11)


def rows_on_the_hyperplane(problem: Problem, q: Vector) -> Index:
    """The rows with v_i'q = 0 to rounding, whose labels the signs leave open."""
    slopes = problem.V @ q
    return np.flatnonzero(np.abs(slopes) <= 1e-9 * np.abs(slopes).max())


def _name_row(axes: Axes, direction: Vector, reach: float, number: int) -> None:
    """Write the number of a row where its line leaves the picture."""
    upward = direction if direction[1] > 0 else -direction
    place = 0.93 * reach * upward / np.abs(upward).max()
    axes.text(
        place[0], place[1], str(number), ha="center", va="center", color=GREY, bbox=PAPER, zorder=4
    )


def _draw_meeting(axes: Axes, meeting: Meeting) -> None:
    iterations = np.arange(len(meeting.stopped))
    primal, dual = meeting.primal, meeting.dual
    axes.fill_between(iterations, dual, primal, color="#E8E8E8", lw=0)
    axes.plot(iterations, primal, "o-", color=RED, lw=2)
    axes.plot(iterations, dual, "o-", color=BLUE, lw=2)
    end = float(primal[-1])
    axes.annotate("primal: an upper bound", (0.35, primal[0]), color=RED, fontweight="bold")
    axes.annotate(
        "dual: a lower bound", (0.6, dual[0] + 1), color=BLUE, fontweight="bold", va="top"
    )
    axes.annotate(
        f"they meet: {end:.2f}",
        xy=(iterations[-1], end),
        xytext=(0, 22),
        textcoords="offset points",
        ha="right",
        color=BLACK,
        fontweight="bold",
    )
    shown = [k for k in iterations if k in (0, 2, 4, iterations[-1])]
    for k in shown:
        gap = meeting.stopped[k].relative_gap()
        below = gap <= TOLERANCE
        text = "gap\nbelow $10^{-8}$" if below else f"gap\n{100 * gap:.2g}%"
        axes.annotate(
            text,
            xy=(k, dual[k]),
            xytext=(0, -12),
            textcoords="offset points",
            ha="left" if k == 0 else "center",
            va="top",
            color=GREY,
            fontsize=9,
        )
    axes.set_ylim(20.0, primal[0] + 15.0)
    axes.set_xlim(-0.3, iterations[-1] + 0.5)
    axes.set_xticks(iterations)
    axes.set_xlabel("iteration")
    axes.set_ylabel("value of the objective")
    n_labels, rank = meeting.problem.n_labels, meeting.problem.rank
    title = f"{n_labels} labels, but {rank} dual unknowns"
    axes.set_title(title, loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
