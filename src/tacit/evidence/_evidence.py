"""What the labels say about the views, and what was therefore done."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit._typing import Matrix, Vector
from tacit._words import listed, number_of
from tacit.evidence._average import (
    Average,
    Candidate,
    average,
    row_losses,
    smoothed_errors,
    winners,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Of the loss: what rounding may gain.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Evidence:
    """The leave-one-out comparison of the anchors with anchors and views together.

    Losses are squared losses of targets -1 and 1, halved: 0 is perfect, and 0.5 is what knowing
    nothing of two even classes gives. All numbers are about labeled rows predicted from the other
    labels, by weights that have not seen the row's own loss.

    Attributes
    ----------
    uses_views : bool
        Whether the views are used; otherwise the answer is the anchors' average.
    anchors_loss, all_loss : float
        Mean leave-one-out loss of the anchors' average and of the average of all.
    anchors_error, all_error : float
        Shares of labeled rows that they get wrong.
    gain, standard_error : float
        The mean of the paired differences of the losses, and its standard error.
    smoothed_gain, smoothed_standard_error : float
        The same of smoothed errors, which count a row that is hardly right or hardly wrong as half.
    caution : float
        The standard errors that both gains had to reach.
    n_labeled, n_unlabeled : int
        Rows.
    scores : tuple of dict
        For each kernel and classifier: name, anchor or view that it belongs to (source), whether it
        is a view, the leave-one-out loss and error at its best penalty, its weight in the answer.
    """

    uses_views: bool
    anchors_loss: float
    all_loss: float
    anchors_error: float
    all_error: float
    gain: float
    standard_error: float
    smoothed_gain: float
    smoothed_standard_error: float
    caution: float
    n_labeled: int
    n_unlabeled: int
    scores: tuple[dict[str, Any], ...]

    def __str__(self) -> str:
        """Three plain sentences: how both compare, how sure that is, and what was done."""
        rows = number_of(self.n_labeled, "labeled row")
        both = (
            f"Each of the {rows} was predicted from the others: the anchors alone have loss "
            f"{self.anchors_loss:.3f} and error {self.anchors_error:.1%}"
        )
        difference = "There are no views to compare them with."
        if any(score["is_view"] for score in self.scores):
            both += f", anchors and views together {self.all_loss:.3f} and {self.all_error:.1%}"
            difference = (
                f"The views change the loss by {-self.gain:+.3f} (standard error "
                f"{self.standard_error:.3f}) and the smoothed error by {-self.smoothed_gain:+.3f} "
                f"({self.smoothed_standard_error:.3f}); both are asked to fall by {self.caution:g} "
                "standard errors, and the error not to rise."
            )
        return "\n".join([f"{both}.", difference, self._consequence()])

    def _consequence(self) -> str:
        if not self.n_unlabeled:
            return "There are no unlabeled rows: the answer is the anchors' average."
        rows = number_of(self.n_unlabeled, "unlabeled row")
        rows += " is" if self.n_unlabeled == 1 else " are"
        if not self.uses_views:
            return (
                f"So the {rows} not used: the answer is the anchors' average, the supervised "
                "classifier."
            )
        shares: dict[str, float] = {}
        for score in self.scores:
            if score["is_view"]:
                shares[score["source"]] = shares.get(score["source"], 0.0) + score["weight"]
        heaviest = sorted(shares.items(), key=lambda item: -item[1])[:3]
        most = [f"{source} ({share:.0%})" for source, share in heaviest if share >= 0.01]
        total = sum(shares.values())
        return (
            f"So the {rows} used: views carry {total:.0%} of the answer, most of it by "
            f"{listed(most)}."
        )

    def frame(self) -> Any:
        """The scores of all anchors and views as a pandas DataFrame, the heaviest first."""
        try:
            from pandas import DataFrame
        except ImportError as error:
            raise ImportError("A DataFrame needs pandas: pip install 'tacit[data]'") from error
        return DataFrame(sorted(self.scores, key=lambda score: -score["weight"]))

    def plot(self, most: int = 20) -> Figure:
        """Leave-one-out losses of anchors and views, the heaviest in the answer first.

        Parameters
        ----------
        most : int, default=20
            Bars at the most.
        """
        from tacit.report import PALETTE, new_figure

        blue, grey = PALETTE["series-2"], PALETTE["edge"]
        shown = sorted(self.scores, key=lambda score: -score["weight"])[:most][::-1]
        figure = new_figure(8.0, 1.6 + 0.28 * len(shown))
        axes = figure.subplots()
        axes.barh(
            [score["name"] for score in shown],
            [score["loss"] for score in shown],
            color=[blue if score["is_view"] else grey for score in shown],
        )
        for height, score in enumerate(shown):
            axes.text(score["loss"], height, f" {score['weight']:.0%}", va="center", fontsize=8)
        axes.axvline(self.anchors_loss, color=grey, linestyle=":", label="anchors' average")
        axes.axvline(self.all_loss, color=blue, linestyle="--", label="anchors and views")
        axes.set_xlabel("leave-one-out loss\n(grey: anchors, blue: views; %: part of the answer)")
        axes.legend(fontsize=8)
        return figure


@dataclass(frozen=True)
class Weighing:
    """The evidence, the anchors' average, and the average that it chooses.

    Both averages have a weight for every candidate, zero for those that are not used.
    """

    evidence: Evidence
    anchors: Average
    chosen: Average


def weigh(
    candidates: list[Candidate], Y: Matrix, weights: Vector, caution: float, n_unlabeled: int
) -> Weighing:
    """Average the anchors, and all candidates, and choose by the paired honest leave-one-out.

    The views are used if they lower the loss and the smoothed error by `caution` standard errors
    and do not raise the error. The error is what is wanted, but some dozen labels hardly measure
    it; the loss is the finest measure, but falls also by rows that were right before; the smoothed
    error is between them.
    """
    is_view = np.array([candidate.is_view for candidate in candidates])
    anchors = average([c for c in candidates if not c.is_view], Y, weights)
    padded = np.zeros(len(candidates))
    padded[~is_view] = anchors.weights
    anchors = replace(anchors, weights=padded)
    everything = average(candidates, Y, weights) if is_view.any() else anchors
    share = weights / weights.sum()
    gain, standard_error = _paired(anchors.loss - everything.loss, share)
    before = smoothed_errors(anchors.left_out, Y)
    smoothed = _paired(before - smoothed_errors(everything.left_out, Y), share)
    anchors_error, all_error = float(share @ anchors.wrong), float(share @ everything.wrong)
    is_gain = gain >= caution * standard_error and gain > ROUNDING * float(share @ anchors.loss)
    is_gain &= smoothed[0] >= caution * smoothed[1] and smoothed[0] > ROUNDING * share @ before
    uses_views = bool(is_view.any() and is_gain and all_error <= anchors_error)
    chosen = everything if uses_views else anchors
    evidence = Evidence(
        uses_views=uses_views,
        anchors_loss=float(share @ anchors.loss),
        all_loss=float(share @ everything.loss),
        anchors_error=anchors_error,
        all_error=all_error,
        gain=gain,
        standard_error=standard_error,
        smoothed_gain=smoothed[0],
        smoothed_standard_error=smoothed[1],
        caution=float(caution),
        n_labeled=len(Y),
        n_unlabeled=n_unlabeled,
        scores=_scores(candidates, chosen.weights, Y, share),
    )
    return Weighing(evidence, anchors, chosen)


def _paired(differences: Vector, share: Vector) -> tuple[float, float]:
    """The weighted mean and its standard error, for equal weights the usual ones."""
    mean = float(share @ differences)
    spread = float(share**2 @ (differences - mean) ** 2)
    return mean, float(np.sqrt(spread * len(share) / max(1, len(share) - 1)))


def _scores(
    candidates: list[Candidate], answer: Vector, Y: Matrix, share: Vector
) -> tuple[dict[str, Any], ...]:
    """By name, the best loss over penalties with its error, and the weight of all together."""
    scores: dict[str, dict[str, Any]] = {}
    for candidate, weight in zip(candidates, answer, strict=True):
        loss = float(share @ row_losses(candidate.left_out, Y))
        error = float(share @ (winners(candidate.left_out) != winners(Y)))
        name, source = candidate.name, candidate.source or candidate.name
        score = {"name": name, "source": source, "is_view": candidate.is_view}
        score |= {"loss": loss, "error": error}
        before = scores.get(candidate.name, {"loss": np.inf, "weight": 0.0})
        best = score if loss < before["loss"] else before
        scores[candidate.name] = best | {"weight": before["weight"] + float(weight)}
    return tuple(scores.values())
