"""What the unlabeled data can and cannot do to the squared loss, over every labeling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit._typing import Matrix, Vector
from tacit.rows import Block, Rows, n_counted

# Where columns hardly differ from their means, values are known to no more than this.
ROUNDING = 1e-6
# Values of a model on rows: one column in two-class problems, one a class otherwise.
Predictor = Callable[[Any], Matrix]


@dataclass(frozen=True)
class Certificate:
    """Facts about one fit that hold for every labeling of its unlabeled rows.

    Losses are means over rows of the squared difference between regression value and label (for
    more than two classes, half the sum of it over the classes). A change is the
    semi-supervised loss minus the supervised one, so a negative change is an improvement.

    Attributes
    ----------
    supervised_in_set : bool or None
        Whether the supervised solution lies in the constraint set, so that the unlabeled rows
        change nothing. None where the method has no such set.
    worst_change, best_change : float
        The largest and smallest change of the squared loss on all rows over every labeling of
        the unlabeled rows, hard or soft. Both are attained.
    guaranteed_improvement : float or None
        The loss on all rows falls by at least this much, whatever the labels are; never negative.
        None where the method has no guarantee.
    labeled_change : float
        The change of the squared loss on the labeled rows.
    n_labeled, n_unlabeled : int
        The rows behind these numbers.
    class_prior : tuple of float or None
        The shares of the classes that the labels of the unlabeled rows were taken to have. Then
        `supervised_in_set` and the guarantee are about labelings with these shares, and
        `worst_change` and `best_change` still about every labeling.
    penalised_improvement : float or None
        The squared loss on all rows plus the penalty, divided by the number of rows, falls by at
        least this much, whatever the labels are. None where no penalised loss was minimised.
    kept_start : bool
        Whether the solver's answer was so inexact that it might have raised the loss, and the
        supervised classifier was kept instead. Whether it lies in the set is then not known.
    is_weighted : bool
        Whether rows had weights, by `sample_weight` or `class_weight`. All losses are then weighted
        means.
    """

    supervised_in_set: bool | None
    worst_change: float
    best_change: float
    guaranteed_improvement: float | None
    labeled_change: float
    n_labeled: int
    n_unlabeled: int
    class_prior: tuple[float, ...] | None = None
    kept_start: bool = False
    penalised_improvement: float | None = None
    is_weighted: bool = False

    def __str__(self) -> str:
        """Three plain sentences: what was done, what can happen, what it costs."""
        text = "\n".join([self._first_sentence(), self._second_sentence(), self._third_sentence()])
        return text.replace("squared loss", "weighted squared loss") if self.is_weighted else text

    def _first_sentence(self) -> str:
        if self.n_unlabeled == 0:
            return "There were no unlabeled rows, so this is the supervised classifier."
        rows = f"{self.n_unlabeled:,} unlabeled and {self.n_labeled:,} labeled rows"
        if self.class_prior is not None:
            rows += " with the given class prior"
        if self.kept_start:
            return (
                f"The fit to the {rows} ended too early to promise that it does no harm, so the "
                "supervised classifier was kept."
            )
        if self.supervised_in_set and self.worst_change == self.best_change == 0.0:
            return (
                f"The supervised classifier already agrees with some labeling of the {rows}, "
                "so the unlabeled data changes nothing."
            )
        if self.supervised_in_set is None and self.worst_change == self.best_change == 0.0:
            return "The answer is the supervised classifier: the unlabeled rows change nothing."
        if self.supervised_in_set is None:
            return f"The {rows} were used by a method that gives no guarantee."
        if self.supervised_in_set:
            return (
                f"Some labeling of the {rows} leads to the supervised classifier itself, so the "
                "unlabeled data is no reason to leave it, but this method did."
            )
        return (
            f"No labeling of the {rows} leads to the supervised classifier, "
            "so the unlabeled data has something to say."
        )

    def _second_sentence(self) -> str:
        best, worst = f"{self.best_change:+.4g}", f"{self.worst_change:+.4g}"
        if self.worst_change == self.best_change == 0.0:
            return "The squared loss on these rows is that of the supervised classifier."
        if self.guaranteed_improvement is not None and self.class_prior is not None:
            return (
                "Whatever the unknown labels are, if the classes have the shares of the class "
                "prior among them, the mean squared loss on these rows "
                f"{_fall(self.guaranteed_improvement)} (over labelings with any shares it changes "
                f"by {best} at best and {worst} at worst)."
            )
        if self.guaranteed_improvement is not None:
            return (
                "Whatever the unknown labels are, the mean squared loss on these rows "
                f"{_fall(self.guaranteed_improvement)} (it changes by {best} at best and "
                f"{worst} at worst)."
            )
        if self.penalised_improvement is not None:
            shares = "" if self.class_prior is None else " if classes have the shares of the prior,"
            return (
                f"Whatever the unknown labels are,{shares} the squared loss on these rows plus the "
                f"penalty {_fall(self.penalised_improvement, ' a row')}; the squared "
                f"loss alone changes by {best} at best and {worst} at worst."
            )
        if self.worst_change <= 0.0:
            return (
                "Whatever the unknown labels are, the mean squared loss on these rows does not "
                f"rise: it changes by {best} at best and {worst} at worst."
            )
        return (
            "Depending on the unknown labels, the mean squared loss on these rows changes by "
            f"{best} at best and {worst} at worst, so it can get worse."
        )

    def _third_sentence(self) -> str:
        if self.labeled_change == 0.0:
            return "On the labeled rows it is unchanged."
        direction = "rises" if self.labeled_change > 0 else "falls"
        return f"On the labeled rows it {direction} by {abs(self.labeled_change):.4g}."

    def or_supervised(self, *, is_exact: bool) -> Certificate:
        """The certificate of what to hand out: this answer, or the supervised classifier.

        A tiny negative promise is rounding where the answer is exact, and zero then. Otherwise the
        loss can rise, and the supervised classifier is to be kept, whose loss does not.
        """
        plain, penalised = self.guaranteed_improvement, self.penalised_improvement
        promised = penalised if plain is None else plain
        if promised is None or promised >= 0.0:
            return self
        nothing = replace(
            self,
            guaranteed_improvement=None if plain is None else 0.0,
            penalised_improvement=None if penalised is None else 0.0,
        )
        size = 1.0 + abs(self.best_change) + abs(self.labeled_change)
        if is_exact and -promised <= ROUNDING * size:
            return nothing
        return replace(
            nothing,
            supervised_in_set=None,
            worst_change=0.0,
            best_change=0.0,
            labeled_change=0.0,
            kept_start=True,
        )


def _fall(amount: float, each: str = "") -> str:
    """What a promise of zero means where the worst case is above zero by rounding."""
    if amount == 0.0:
        return "does not rise beyond rounding"
    return f"falls by at least {amount:.4g}{each}"


def certify(
    supervised: Predictor,
    semi_supervised: Predictor,
    X: Any,
    Y: Matrix,
    weights: Vector | None,
    unlabeled: Rows,
    *,
    supervised_in_set: bool | None = None,
    guaranteed_improvement: float | None = None,
    class_prior: tuple[float, ...] | None = None,
    prices: Vector | None = None,
    penalty_change: float | None = None,
) -> Certificate:
    """Compare two models over every labeling of the unlabeled rows, in one sweep.

    The change of the squared loss is linear in each unknown label, so its extremes over all
    labelings are the sums of the extremes of the rows. X, Y and weights are the labeled rows, with
    labels in the shape of the values. Of `guaranteed_improvement`, what the method promises, and
    what the rows themselves say, which may be negative, the certificate has the smaller; with a
    `penalty_change`, that of the penalty from one model to the other, as `penalised_improvement`.

    Where there is a class prior, `prices` has one number a class, infinite for those without a
    share. The worst case over labelings with these shares is at most that over all labelings when
    each label costs the price of its class, plus the prices of the shares, whatever the prices are;
    with the multipliers of a solver it is the worst case itself.
    """
    shares = np.zeros(0) if class_prior is None else np.asarray(class_prior)

    def extremes(block: Block) -> Vector:
        after, before = semi_supervised(block.X), supervised(block.X)
        squares = after**2 - before**2
        twice = 2.0 * (after - before)
        # A label a row, so that the extremes are found in long vectors.
        if after.ndim == 1:
            by_label = np.stack([squares, squares - twice])
        else:
            by_label = 0.5 * (squares.sum(axis=1) - twice.T)
        w = np.ones(len(squares)) if block.weights is None else block.weights
        worst, best = w @ by_label.max(axis=0), w @ by_label.min(axis=0)
        if prices is None:
            return np.array([worst, best, worst])
        return np.array([worst, best, w @ (by_label - prices[:, None]).max(axis=0)])

    w = np.ones(X.shape[0]) if weights is None else weights
    change = (semi_supervised(X) - Y) ** 2 - (supervised(X) - Y) ** 2
    if change.ndim == 2:
        change = 0.5 * change.sum(axis=1)
    on_labeled = float(w @ change)
    worst, best, covered = unlabeled.reduce(extremes, np.add).tolist()
    total = float(w.sum()) + unlabeled.total_weight
    if guaranteed_improvement is not None:
        if prices is not None:
            paid = float(shares[shares > 0.0] @ prices[shares > 0.0])
            covered = min(worst, covered + unlabeled.total_weight * paid)
        covered += on_labeled + (penalty_change or 0.0)
        guaranteed_improvement = min(guaranteed_improvement, -covered / total)
    return Certificate(
        supervised_in_set=supervised_in_set,
        worst_change=(on_labeled + worst) / total,
        best_change=(on_labeled + best) / total,
        guaranteed_improvement=guaranteed_improvement if penalty_change is None else None,
        penalised_improvement=None if penalty_change is None else guaranteed_improvement,
        labeled_change=on_labeled / float(w.sum()),
        n_labeled=int(X.shape[0]),
        n_unlabeled=n_counted(unlabeled),
        class_prior=class_prior,
        is_weighted=weights is not None or getattr(unlabeled, "weights", None) is not None,
    )
