"""Where "helps" is decided: from paired differences over resampled splits to a verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

from scipy.special import ndtri, stdtr, stdtrit

from tacit._typing import Vector
from tacit._words import spelled_out

# Each end at one in twenty: an interval beyond zero, or within the margin, is a one-sided test at
# that level.
CONFIDENCE = 0.9
INTERVAL = f"{CONFIDENCE:.0%} interval"
# Of the squared mean; less variance than this is rounding.
ROUNDING = 1e-20
# "Helps", and "may hurt", are said where chance alone would say so in at most 1 of 20 tables, over
# all methods.
LEVEL = 0.05
# Chance to tell, with the labels asked for, a difference of the size asked about.
POWER = 0.8


class Kind(StrEnum):
    """The four answers, in the order in which they are given for a table with several methods.

    A method that helps is worth knowing about whatever the others do; then harm, then doubt.
    """

    HELPS = "helps"
    MAY_HURT = "may hurt"
    TOO_FEW = "too few labels to tell"
    NO_DIFFERENCE = "makes no difference"


@dataclass(frozen=True)
class PairedDifference:
    """How much larger the loss of one contestant is than that of another on the same splits."""

    name: str
    reference: str
    mean: float  # Over the splits; negative where `name` is better than `reference`
    standard_error: float  # Infinite where nothing is known of the spread, as are low and high
    low: float  # The 90% interval
    high: float
    # How probable so good (so bad) a result would be if there were no difference.
    p_better: float
    p_worse: float
    # The part of the unlabeled rows, held back in turn, for which the two, fitted on all labels,
    # give different answers. Where the loss counts wrong rows, it differs by no more than this on
    # these rows, whatever their labels are. None for losses of other things than predicted classes,
    # unless the two are the same function on these rows.
    disagreement: float | None
    likely_disagreement: float | None  # As it is to be expected on new rows
    n_labels: int
    # The part of the labels that the fits of a split had: less than all of them, so that the two
    # may differ more there than in the end.
    trained_on: float
    counts_rows: bool = True  # Whether the loss is the part of rows predicted wrong

    def is_within(self, margin: float) -> bool:
        """Whether the whole interval is."""
        return -margin <= self.low and self.high <= margin

    def is_certain(self, margin: float) -> bool:
        """Whether it needs no labels to see that the difference is within the margin."""
        part = self.likely_disagreement
        # A few rows are a large part of a rare class, so other losses need the same answers.
        is_bound = self.counts_rows or self.disagreement == 0.0
        # What the labels speak against is not certain, whatever the answers are.
        is_contradicted = not (self.low <= 0.0 <= self.high or self.is_within(margin))
        return part is not None and part <= margin and is_bound and not is_contradicted


def paired_difference(
    name: str,
    reference: str,
    differences: Vector,
    test_to_train: float,
    n_labels: int,
    disagreement: float | None = None,
    n_unlabeled: int = 0,
    *,
    tested: Sequence[int] | None = None,
    counts_rows: bool = True,
    bounded: bool = True,
) -> PairedDifference:
    """The corrected resampled t-test on paired differences (Nadeau & Bengio 2003).

    Training sets of different splits share most rows, so the variance of the mean over J splits is
    (1/J + n_test/n_train) s^2, not s^2/J. It is not taken to be less than what the part of rows
    that both label differently would give alone or, where that is not known, than what one label
    more that comes out otherwise might. More shuffles of the same labels do not tell more, so the
    degrees of freedom are fewer than the labels; and no p-value is less than 2^-n for n labels
    tested on: as many heads in a row.

    `differences` are losses of `name` minus those of `reference`, one for each split;
    `test_to_train` is labeled test rows for each labeled training row. `tested` counts the labels
    of each class that were tested on at least once (by default all labels, of one class).
    `counts_rows` says that the loss is the part of rows predicted wrong, and `bounded` that it is a
    part of one, so that no difference is beyond 1.
    """
    n_splits = len(differences)
    mean = float(differences.mean())
    variance = float(differences.var(ddof=1)) if n_splits > 1 else math.inf
    variance = variance if variance > ROUNDING * mean**2 else 0.0
    squared = (1.0 / n_splits + test_to_train) * variance
    counts = [n_labels] if tested is None else tested
    n_tested = sum(counts) if counts_rows else _as_of_one_class(counts)
    part = None
    if disagreement is not None:
        # Laplace's rule of succession: no difference in ten rows does not mean none in the next.
        part = (disagreement * n_unlabeled + 1.0) / (n_unlabeled + 2.0)
    if part is not None and bounded:
        # One row's difference of errors is -1, 0 or 1, and not 0 in that part of the rows.
        squared = max(squared, (part - min(part, mean**2)) / n_tested)
    if bounded and (part is None or squared == 0.0):
        # By the rule of succession, the next label has one chance in n + 2 of being the first that
        # is not like the others, and may then be as far from them as a difference can be.
        squared = max(squared, (1.0 + abs(mean)) ** 2 / ((n_tested + 2.0) * n_tested))
    if squared == 0.0:
        squared = math.inf
    error = math.sqrt(squared)
    freedom = max(1, min(n_splits, n_labels) - 1)
    width = float(stdtrit(freedom, 0.5 + CONFIDENCE / 2.0)) * error
    least = 0.5 ** sum(counts)
    return PairedDifference(
        name,
        reference,
        mean,
        error,
        low=mean - width,
        high=mean + width,
        p_better=max(least, float(stdtr(freedom, mean / error))),
        p_worse=max(least, float(stdtr(freedom, -mean / error))),
        disagreement=disagreement,
        likely_disagreement=part,
        n_labels=n_labels,
        trained_on=1.0 / (1.0 + test_to_train),
        counts_rows=counts_rows,
    )


def _as_of_one_class(counts: Sequence[int]) -> float:
    """Labels that tell as much as these do where every class counts the same, however rare.

    The variance of a mean over K classes of means over n_k rows is that of one mean over
    K^2 / sum(1/n_k) rows: all of them for classes of one size, few where one class is rare.
    """
    return len(counts) ** 2 / sum(1.0 / count for count in counts)


def holm(p_values: dict[str, float]) -> dict[str, float]:
    """p-values adjusted for having looked at all of them (Holm 1979)."""
    names = sorted(p_values, key=p_values.__getitem__)
    raised = (min(1.0, (len(names) - k) * p_values[name]) for k, name in enumerate(names))
    return dict(zip(names, accumulate(raised, max), strict=True))


@dataclass(frozen=True)
class MethodVerdict:
    """The answer for one semi-supervised method."""

    name: str
    kind: Kind
    against_twin: PairedDifference
    # Against the supervised classifier with the lowest mean loss, which may be the twin.
    against_best: PairedDifference
    # The one of the two that the answer is about: against the twin, or for a method that beats its
    # twin but not the best supervised classifier, against that one.
    decisive: PairedDifference
    # Of being better than the twin, adjusted for having looked at several methods.
    p_adjusted: float
    # Whether the answer needs no labels at all: method and twin, fitted on all labels, give the
    # same answer for all but a few of the unlabeled rows that are held back from them.
    certain: bool
    # For "too few labels to tell", the number of labels that would tell a difference as large as
    # it looks now, and one as small as the margin. None where it cannot be said.
    labels_needed: int | None
    labels_needed_at_most: int | None

    @property
    def only_beats_twin(self) -> bool:
        """Whether it beats its twin, but not another classifier without the unlabeled rows."""
        return self.decisive.reference != self.against_twin.reference


@dataclass(frozen=True)
class Verdict:
    """The answer for the table."""

    kind: Kind  #: "helps", "makes no difference", "may hurt" or "too few labels to tell".
    #: The answer in one sentence, for somebody who knows no statistics; before it, where the model
    #: to use is no better than a guess, that.
    sentence: str
    advice: str  #: What to do about it.
    evidence: tuple[str, ...]  #: Sentences with the numbers behind it.
    method: str | None  #: The method that decided it.
    #: For "too few labels to tell", how many would tell a difference as large as it looks now ...
    labels_needed: int | None = None
    labels_needed_at_most: int | None = None  #: ... and one as small as the margin.
    #: How good the recommended model is, beside always saying the commonest class. `sentence`
    #: begins with it where the model is no better than that.
    model: str = ""

    @property
    def lines(self) -> list[str]:
        """The answer, the model if the answer does not begin with it, and what to do."""
        about = [self.model] if not self.sentence.startswith(self.model) else []
        return [self.sentence, *about, self.advice]

    def __str__(self) -> str:
        text = "\n".join([*self.lines, *(f"- {line}" for line in self.evidence)])
        return spelled_out(text, but="\n")


def judge_methods(
    against_twin: Mapping[str, PairedDifference],
    against_best: Mapping[str, PairedDifference],
    margin: float,
) -> dict[str, MethodVerdict]:
    """Judge each method, guarding against picking the luckiest of several.

    A method *helps* where it is better than its twin, the Holm-adjusted p-value being at most
    0.05 over all methods, and its mean loss is not above that of any supervised classifier. It
    *makes no difference* where method and twin answer differently for at most `margin` of the rows
    held back from both and the 90% interval does not speak against it, or where that lies within
    the margin. It *may hurt* where it is worse than its twin, by a p-value adjusted in the same
    way. Otherwise there are *too few labels to tell*.

    A method that beats its twin while another supervised classifier has a lower mean loss does not
    help: that gain can be had without the unlabeled rows. Whoever would use it instead of that
    classifier wants to know how these two differ, so the other three answers are then about the
    method against that classifier, by the same rules: it may hurt where it is worse than that one.
    """
    # What labels hardly a row differently cannot be picked, so it costs the others nothing.
    open_methods = [name for name, d in against_twin.items() if not d.is_certain(margin)]
    better = holm({name: against_twin[name].p_better for name in open_methods})
    decisive = dict(against_twin)
    for name, best in against_best.items():
        if better.get(name, 1.0) <= LEVEL and best.mean > 0.0:
            # Better than its twin, but another classifier does as well without unlabeled rows.
            decisive[name] = best
    worse = holm({name: decisive[name].p_worse for name in open_methods})

    def kind_of(name: str) -> Kind:
        if name not in better:
            return Kind.NO_DIFFERENCE
        if better[name] <= LEVEL and decisive[name] is against_twin[name]:
            return Kind.HELPS
        if worse[name] <= LEVEL:
            return Kind.MAY_HURT
        return Kind.NO_DIFFERENCE if decisive[name].is_within(margin) else Kind.TOO_FEW

    verdicts = {}
    for name, difference in decisive.items():
        kind, needed, at_most = kind_of(name), None, None
        if kind is Kind.TOO_FEW:
            needed = labels_needed(difference, max(margin, abs(difference.mean)))
            at_most = labels_needed(difference, margin)
        verdicts[name] = MethodVerdict(
            name=name,
            kind=kind,
            against_twin=against_twin[name],
            against_best=against_best[name],
            decisive=difference,
            p_adjusted=better.get(name, 1.0),
            certain=name not in better,
            labels_needed=needed,
            labels_needed_at_most=at_most,
        )
    return verdicts


def labels_needed(difference: PairedDifference, size: float) -> int | None:
    """Labels with which a difference of this size would be told, four times out of five.

    The squared standard error falls as one over the number of labels, so with z the normal
    quantiles of level and power, n = n_labels ((z_level + z_power) standard_error / size)^2. It
    supposes that the two go on disagreeing as often as now, and is rounded up to two digits. None
    where nothing is known of the spread.
    """
    error = difference.standard_error
    if size <= 0.0 or not math.isfinite(error) or error == 0.0:
        return None
    z = float(ndtri(1.0 - LEVEL) + ndtri(POWER))
    # Below what there is already, one more label would do; said with some reserve.
    n = max(difference.n_labels * (z * error / size) ** 2, 1.1 * difference.n_labels)
    step = 10.0 ** max(0, math.floor(math.log10(n)) - 1)
    return int(math.ceil(n / step) * step)


def decisive_method(methods: Mapping[str, MethodVerdict]) -> MethodVerdict:
    """The method that speaks for the table: by kind, then by what it gained or cost."""
    kind = next(k for k in Kind if any(m.kind is k for m in methods.values()))
    those = [m for m in methods.values() if m.kind is kind]
    if kind is Kind.TOO_FEW:
        # The most promising one is what somebody would like to know about.
        return min(those, key=lambda m: m.against_best.mean)
    return (max if kind is Kind.MAY_HURT else min)(those, key=lambda m: m.decisive.mean)
