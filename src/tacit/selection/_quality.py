"""How good a contestant is by itself: beside a guess, by its ranking, and by its probabilities."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom, binomtest, rankdata
from sklearn.dummy import DummyClassifier

from tacit._typing import AnyArray, Matrix, Vector
from tacit.evidence import calibrated_temperature, probabilities
from tacit.report import Sureness
from tacit.selection._evaluate import Fit, Split, predictions
from tacit.selection._labeled_table import LabeledTable
from tacit.selection._measure import Measure, read_measure
from tacit.selection._verdict import LEVEL, PairedDifference, paired_difference

# Answers and ranking are both looked at, so that each gets half of the level.
LEVEL_OF_ONE = LEVEL / 2.0
# Means over splits are rounded.
ROUNDING = 1e-9
# Answers are put together by their probability, up to each of these.
EDGES = (0.6, 0.7, 0.8, 0.9, 1.0)
# Labels below which a group says nothing.
FEWEST = 3


class Usability(StrEnum):
    """What is known of a model, apart from what the unlabeled rows add to it."""

    USABLE = "usable"
    #: Not clearly better than the commonest class, though it ranks rows better than chance would.
    RANKS_ONLY = "only ranks rows"
    UNPROVEN = "not shown to be better than a guess"
    NO_BETTER = "no better than a guess"

    @property
    def is_told_first(self) -> bool:
        """Whether nothing else about the model matters before that."""
        return self in (Usability.UNPROVEN, Usability.NO_BETTER)


@dataclass(frozen=True)
class Score:
    """What one fit scored on the test rows of its split."""

    loss: float
    error: float  # The part of rows predicted wrong, whatever the loss is
    balanced: float  # The mean of that over the classes
    auc: float  # NaN where it cannot be said
    predicted: AnyArray  # The classes that it gave to the rows, as numbers
    values: Matrix | None  # A value for each row and class, the largest for the likeliest


@dataclass(frozen=True)
class Quality:
    """How good a contestant is on rows that were held back from its fits."""

    error: float  #: The part of rows predicted wrong, whatever the measure is.
    #: Area under the ROC curve, for more classes the mean over each against the others; None where
    #: no split tests two classes, or the contestant gives no scores.
    auc: float | None
    only_class: Any  #: The class that it gives to every row, or None where it gives several.
    judged: float  #: Its loss by the measure that a guess is judged by.
    usability: Usability  #: What that means.


@dataclass(frozen=True)
class Guess:
    """Always the commonest class, on the same test rows; its probabilities are the classes' parts.

    Judged by the measure of the comparison, or by the balanced error where that might praise a
    constant answer.
    """

    answer: Any
    error: float  # The part of rows for which it is wrong
    losses: Vector  # One for each split
    measure: Measure
    by_own: float | None  # The mean loss by the measure of the comparison, if it has one

    @property
    def loss(self) -> float:
        """The mean loss over the splits."""
        return float(self.losses.mean())


@dataclass(frozen=True, eq=False)
class Tested:
    """The rows that losses were measured on."""

    table: LabeledTable
    splits: Sequence[Split]
    measure: Measure  # Of the comparison

    @property
    def test_to_train(self) -> float:
        """Labeled test rows for each labeled training row."""
        return float(np.mean([len(split.test) / len(split.labeled) for split in self.splits]))

    @property
    def spread_of_areas(self) -> float:
        """The standard deviation of an AUC where ranks say nothing (Mann & Whitney 1947).

        Of the class of which it is largest, and for splits that share training rows: that of a
        mean over J splits is (1/J + n_test/n_train) of one (Nadeau & Bengio 2003). On 60 tables of
        noise with 30 labels it gave 0.19, and the AUC of a ridge had 0.20.
        """

        def variance(rows: AnyArray) -> float:
            n_in = np.unique(self.table.y[rows], return_counts=True)[1]
            pairs = int((n_in * (len(rows) - n_in)).min())
            return (len(rows) + 1.0) / (12.0 * pairs) if pairs else 0.0

        found = [v for v in map(variance, (split.test for split in self.splits)) if v]
        part = 1.0 / max(1, len(found)) + self.test_to_train
        return math.sqrt(part * float(np.mean(found))) if found else math.inf

    def difference(
        self,
        name: str,
        reference: str,
        differences: Vector,
        measure: Measure,
        disagreement: float | None = None,
    ) -> PairedDifference:
        """Differences of the losses on each split, with their interval."""
        tested = np.unique(np.concatenate([split.test for split in self.splits]))
        return paired_difference(
            name,
            reference,
            differences,
            self.test_to_train,
            len(self.table.labeled),
            disagreement,
            len(self.table.unlabeled),
            tested=np.unique(self.table.y[tested], return_counts=True)[1].tolist(),
            counts_rows=measure.is_error,
            bounded=measure.in_points,
        )

    def guess(self) -> Guess:
        """The answer that needs no rows, scored as the contestants are."""
        table, splits, measure = self.table, self.splits, self.measure
        y, counts = table.y[table.labeled], table.label_counts
        model = DummyClassifier(strategy="prior").fit(np.zeros((len(y), 1)), y)

        def losses(measure: Measure) -> Vector:
            rows = (np.zeros((len(split.test), 1)) for split in splits)
            fits = (Fit(model, [], None, X, 0.0, set()) for X in rows)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of classes that are never answered
                found = [measure.loss_of(f, table, s) for f, s in zip(fits, splits, strict=True)]
            return np.array(found)

        errors = losses(read_measure("accuracy"))
        judged_by = measure if measure.speaks_against_guesses else read_measure("balanced_accuracy")
        own = errors if judged_by.is_error else losses(judged_by)
        by_own = None
        with suppress(ValueError):  # as of a score that needs more than one answer
            by_own = float((own if judged_by is measure else losses(measure)).mean())
        answer = max(counts, key=counts.__getitem__)
        return Guess(answer, float(errors.mean()), own, judged_by, by_own)

    def qualities(
        self, scores: Mapping[str, Sequence[Score]], answers: Mapping[str, AnyArray], guess: Guess
    ) -> dict[str, Quality]:
        """How good each contestant is by itself, from its scores on the splits.

        `answers` are what it says of other rows that were held back from it.
        """
        table, found = self.table, {}
        names = dict(zip(sorted(table.codes), table.classes.tolist(), strict=True))
        spread = self.spread_of_areas
        for name, those in scores.items():
            given = np.unique(np.concatenate([score.predicted for score in those]))
            if self.measure.is_of_predictions:
                given = np.union1d(given, answers[name])
            areas = [score.auc for score in those if math.isfinite(score.auc)]
            auc = float(np.mean(areas)) if areas else None
            is_own = guess.measure is self.measure
            losses = np.array([score.loss if is_own else score.balanced for score in those])
            against = self.difference(name, "", losses - guess.losses, guess.measure)
            usability = _usability(auc, spread, against, self._chance_of_fewer_errors(those))
            error = float(np.mean([score.error for score in those]))
            only_class = names[given[0]] if len(given) == 1 else None
            found[name] = Quality(error, auc, only_class, float(losses.mean()), usability)
        return found

    def reliability(self, scores: Sequence[Score]) -> tuple[Sureness, ...]:
        """Held-back labels by the probability of one contestant's answers, the least sure first.

        Probabilities come from decisions as they do in `predict_proba`, by one factor that makes
        the held-back labels of the other splits most likely. Counts are means over the repeats, and
        the interval holds the true part in nine of ten cases. Empty where nothing can be told.
        """
        table, splits = self.table, self.splits
        codes = np.unique(table.y[table.labeled])
        truth = [np.searchsorted(codes, table.y[split.test]) for split in splits]
        sure, right, repeats = [], [], {split.repeat for split in splits}
        for split, score, own in zip(splits, scores, truth, strict=True):
            others = [
                (other.values, y)
                for s, other, y in zip(splits, scores, truth, strict=True)
                if s.repeat == split.repeat and s.fold != split.fold
            ]
            if score.values is None or not others:
                return ()
            values, y = (np.concatenate(parts) for parts in zip(*others, strict=True))
            signs = np.where(y[:, None] == np.arange(len(codes)), 1.0, -1.0)
            factor = calibrated_temperature(values, signs, np.ones(len(y)))
            found = probabilities(score.values, factor)
            sure.append(found.max(axis=1))
            right.append(found.argmax(axis=1) == own)
        probability, is_right = np.concatenate(sure), np.concatenate(right)
        group = np.searchsorted(EDGES[:-1], probability)
        n_each = np.bincount(group, minlength=len(EDGES))
        points = []
        for k in np.flatnonzero(n_each >= FEWEST * len(repeats)):
            part, n = float(is_right[group == k].mean()), round(n_each[k] / len(repeats))
            low, high = binomtest(round(part * n), n).proportion_ci(0.9, "wilson")
            mean = float(probability[group == k].mean())
            points.append(Sureness(mean, part, float(low), float(high), n))
        return tuple(points)

    def _chance_of_fewer_errors(self, scores: Sequence[Score]) -> float:
        """How likely so few errors beside the commonest class are, were both as good.

        Of the rows that one of the two gets right (McNemar 1947); the mean count over the repeats.
        """
        y = np.concatenate([self.table.y[split.test] for split in self.splits])
        predicted = np.concatenate([score.predicted for score in scores])
        labels, counts = np.unique(self.table.y[self.table.labeled], return_counts=True)
        commonest, n_repeats = labels[counts.argmax()], len({s.repeat for s in self.splits})
        better, worse = (
            round(np.sum(part & (predicted != commonest)) / n_repeats)
            for part in (predicted == y, commonest == y)
        )
        return float(binom.sf(better - 1, better + worse, 0.5))


def score_of(fit: Fit, table: LabeledTable, split: Split, measure: Measure) -> Score:
    """The loss of a fitted contestant on the test rows of a split, its error and its ranking."""
    y = table.y[split.test]
    predicted = predictions(fit, table.codes)
    error = float(np.mean(predicted != y))
    loss = error if measure.is_error else measure.loss_of(fit, table, split)
    balanced = float(np.mean([np.mean(predicted[y == code] != code) for code in np.unique(y)]))
    values, are_decisions = values_of(fit, len(y))
    ranked, auc = values, math.nan
    if values is not None and are_decisions:
        # A decision only means something beside those of the other classes: above the best of them.
        best, second = -np.sort(-values, axis=1)[:, :2].T[:, :, None]
        ranked = values - np.where(values == best, second, best)
    if ranked is not None:
        auc = mean_area(ranked, y[:, None] == fit.model.classes_)
    return Score(loss, error, balanced, auc, predicted, values)


def values_of(fit: Fit, n_rows: int) -> tuple[Matrix | None, bool]:
    """What the model says of the test rows, a column for each class; whether these are decisions.

    None where it has neither `decision_function` nor `predict_proba` with a column for each class.
    """
    shape = n_rows, len(getattr(fit.model, "classes_", ()))
    # Probabilities may have to be calibrated first, by many more fits.
    for name in ("decision_function", "predict_proba"):
        response = getattr(fit.model, name, None)
        if response is None:
            continue
        values = np.asarray(response(fit.X_test), dtype=np.float64)
        if values.ndim == 1:
            values = np.column_stack([-values, values])
        if values.shape == shape:
            return values, name == "decision_function"
    return None, False


def mean_area(scores: Matrix, is_class: AnyArray) -> float:
    """The mean over the classes of how often a row of the class ranks above one of another.

    Ties count half (Hanley & McNeil 1982). NaN where the rows are of one class.
    """
    n_in = is_class.sum(axis=0)
    n_pairs = n_in * (len(is_class) - n_in)
    above = (rankdata(scores, axis=0) * is_class).sum(axis=0) - n_in * (n_in + 1) / 2.0
    known = n_pairs > 0
    return float(np.mean(above[known] / n_pairs[known])) if known.any() else math.nan


def _usability(
    auc: float | None, spread: float, against: PairedDifference, chance: float
) -> Usability:
    """What follows from the AUC, with its deviation by chance, and from the loss beside a guess.

    `chance` is what would make as few errors.
    """
    is_better = against.mean < -ROUNDING
    is_clear = is_better and min(against.p_better, chance) <= LEVEL_OF_ONE
    if not math.isfinite(against.standard_error):  # a single split: there is but the mean
        is_clear = is_better
    ranks = auc is not None and auc - 0.5 >= float(ndtri(1.0 - LEVEL_OF_ONE)) * spread
    if is_clear:
        return Usability.USABLE
    if ranks:
        return Usability.RANKS_ONLY
    return Usability.UNPROVEN if is_better else Usability.NO_BETTER
