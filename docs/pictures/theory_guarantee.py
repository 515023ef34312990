"""The change of the squared loss over thousands of labelings, for three methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from docs.pictures.theory_example import BLACK, BLUE, GREEN, GREY, RED
from tacit import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
    SelfLearningClassifier,
)
from tacit._typing import Matrix, Vector
from tacit.report import new_figure
from tacit.solver import Certificate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_LABELED = 25
N_FEATURES = 10
# Labelings of each of the three kinds.
N_LABELINGS = 3000
SEED = 3
# A change of the loss below this is rounding.
ROUNDING = 1e-12

METHODS: dict[str, Callable[[], Any]] = {
    "projected": ProjectedLeastSquaresClassifier,
    "ICLS": ICLSClassifier,
    "self-learning": partial(SelfLearningClassifier, LeastSquaresClassifier()),
}
COLOUR_OF_KIND = {"coin flips": GREY, "random linear borders": BLUE, "an adversary": RED}


@dataclass(frozen=True)
class Changes:
    """The mean squared loss on all rows minus that of the supervised classifier.

    Attributes
    ----------
    by_kind : dict of ndarray
        For labelings of each kind.
    truth : float
        For the true labels.
    certificate : Certificate
        What the method says, without having seen any label of an unlabeled row.
    """

    by_kind: dict[str, Vector]
    truth: float
    certificate: Certificate

    @property
    def everything(self) -> Vector:
        """All of them, the truth too."""
        return np.concatenate([*self.by_kind.values(), [self.truth]])


def table(seed: int = SEED) -> tuple[Matrix, Vector, Any]:
    """Breast cancer, its ten mean features; all labels, and which of them are known."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X[:, :N_FEATURES])
    known = np.zeros(len(y), dtype=bool)
    known[np.random.default_rng(seed).permutation(len(y))[:N_LABELED]] = True
    return X, y.astype(np.float64), known


def compute(seed: int = SEED, n_labelings: int = N_LABELINGS) -> dict[str, Changes]:
    """Fit each method, then judge it by labelings that it knows nothing of."""
    X, y, known = table(seed)
    supervised = LeastSquaresClassifier().fit(X[known], y[known])
    before = supervised.decision_function(X) + 0.5
    found = {}
    for name, make in METHODS.items():
        model = make().fit(X, np.where(known, y, -1))
        after = model.decision_function(X) + 0.5
        by_kind = {
            kind: change_of_loss(before, after, np.where(known, y, u))
            for kind, u in labelings(X, before, after, n_labelings).items()
        }
        truth = float(change_of_loss(before, after, y[None])[0])
        found[name] = Changes(by_kind, truth, model.certificate_)
    return found


def change_of_loss(before: Vector, after: Vector, labels: Matrix) -> Vector:
    """By how much the mean squared loss changes, for each row of labels."""
    return np.asarray(((after - labels) ** 2 - (before - labels) ** 2).mean(axis=1))


def labelings(X: Matrix, before: Vector, after: Vector, n_labelings: int) -> dict[str, Matrix]:
    """Hard labels of all rows, one labeling a row, of three kinds.

    The adversary sees both classifiers and turns the labels that chance gave against the second
    one, for a share of the rows that grows from none to all.
    """
    random = np.random.default_rng(SEED)
    share = random.uniform(size=(n_labelings, 1))
    coins = random.uniform(size=(n_labelings, len(X))) < share
    directions = random.normal(size=(X.shape[1], n_labelings))
    thresholds = X.shape[1] ** 0.5 * random.normal(size=n_labelings)
    borders = (X @ directions > thresholds).T
    # The change falls in the label by twice the rise of the value, so the worst label is 1 where
    # the value fell.
    worst = after < before
    turned = random.uniform(size=coins.shape) < np.linspace(0.0, 1.0, n_labelings)[:, None]
    adversary = np.where(turned, worst, random.uniform(size=coins.shape) < 0.5)
    return {
        "coin flips": coins.astype(np.float64),
        "random linear borders": borders.astype(np.float64),
        "an adversary": adversary.astype(np.float64),
    }


@dataclass(frozen=True)
class Draws:
    """How often, over many draws of the labeled rows, something rose above the supervised fit.

    Attributes
    ----------
    n_draws : int
        Draws.
    loss_rose, error_rose, can_rise : dict of int
        By method: draws in which the squared loss on all rows rose for the true labels; in which
        the share of wrong predictions on the unlabeled rows rose; in which the certificate's worst
        change is positive.
    mean_error : dict of float
        By method, "supervised" too: the mean share of wrong predictions on the unlabeled rows.
    """

    n_draws: int
    loss_rose: dict[str, int]
    error_rose: dict[str, int]
    can_rise: dict[str, int]
    mean_error: dict[str, float]


def over_draws(n_draws: int = 100) -> Draws:
    """Draw the labeled rows anew, and count."""
    counts = {what: dict.fromkeys(METHODS, 0) for what in ("loss", "error", "worst")}
    errors = dict.fromkeys(("supervised", *METHODS), 0.0)
    for seed in range(n_draws):
        X, y, known = table(seed)
        before = LeastSquaresClassifier().fit(X[known], y[known]).decision_function(X) + 0.5
        supervised = float(((before > 0.5) != y)[~known].mean())
        errors["supervised"] += supervised / n_draws
        for name, make in METHODS.items():
            model = make().fit(X, np.where(known, y, -1))
            after = model.decision_function(X) + 0.5
            error = float(((after > 0.5) != y)[~known].mean())
            errors[name] += error / n_draws
            counts["loss"][name] += bool(change_of_loss(before, after, y[None])[0] > ROUNDING)
            counts["error"][name] += error > supervised
            counts["worst"][name] += bool(model.certificate_.worst_change > ROUNDING)
    return Draws(n_draws, counts["loss"], counts["error"], counts["worst"], errors)


def draw(shown: dict[str, Changes] | None = None) -> Figure:
    """A panel for each method, over the same axis."""
    shown = compute() if shown is None else shown
    figure = new_figure(7.6, 6.4)
    panels = figure.subplots(len(shown), 1, sharex=True)
    for axes, (name, changes) in zip(panels, shown.items(), strict=True):
        _draw(axes, name, changes)
    certificates = [changes.certificate for changes in shown.values()]
    low = min(certificate.best_change for certificate in certificates)
    high = max(certificate.worst_change for certificate in certificates)
    panels[0].set_xlim(1.1 * low, 1.1 * high)
    for axes in panels:
        axes.axvspan(0.0, 1.1 * high, color="#F3E3DA", lw=0, zorder=0)
    panels[-1].set_xlabel("← better      change of the mean squared loss on all rows      worse →")
    _explain(panels[0])
    return figure


def _draw(axes: Axes, name: str, changes: Changes) -> None:
    certificate = changes.certificate
    best, worst = certificate.best_change, certificate.worst_change
    edges = np.linspace(best, worst, 60).tolist()
    axes.hist(
        list(changes.by_kind.values()),
        edges,
        stacked=True,
        color=[COLOUR_OF_KIND[kind] for kind in changes.by_kind],
        alpha=0.55,
        density=True,
    )
    top = axes.get_ylim()[1]
    axes.set_ylim(-0.28 * top, 1.05 * top)
    axes.axvline(0.0, color=BLACK, lw=1.4)
    axes.plot([best, worst], [-0.1 * top] * 2, color=BLACK, lw=3, solid_capstyle="butt")
    axes.plot([changes.truth], [-0.1 * top], "D", color=GREEN, ms=8, zorder=5)
    # Beside the bar where the words would otherwise stand on zero.
    beside = "left" if 0.0 < worst < 0.1 else "right"
    for value, text, side in ((best, "best", "left"), (worst, "worst", beside)):
        text = f"{text} {value:+.3f}".replace("-", "−")
        axes.text(value, -0.15 * top, text, ha=side, va="top", fontsize=9)
    axes.set_yticks([])
    axes.set_title(_title(name, worst), loc="left", fontsize=11)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _title(name: str, worst: float) -> str:
    if worst <= 0.0:
        return f"{name}: the loss falls whatever the labels are, by {-worst:.3f} at least"
    return f"{name}: for some labels the loss rises, by {worst:.3f} at most"


def _explain(axes: Axes) -> None:
    lines = [
        (f"{3 * N_LABELINGS:,} labelings:", BLACK),
        *((f"  ■ {kind}", colour) for kind, colour in COLOUR_OF_KIND.items()),
        ("◆ the true labels", GREEN),
        ("▬ best to worst: the certificate", BLACK),
    ]
    for number, (text, colour) in enumerate(lines):
        axes.text(0.6, 0.97 - 0.15 * number, text, transform=axes.transAxes, color=colour, va="top")
