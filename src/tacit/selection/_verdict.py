"""From paired differences to an answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from scipy import stats

from tacit.selection._differences import PairedDifference, holm

# "Helps" is said where chance alone would say it in at most 1 of 20 tables, over all methods.
LEVEL = 0.05
# A suspicion of harm needs less proof than a promise of help: chance would give it in 1 of 10.
SUSPICION = 0.1
# Chance to tell, with the labels asked for, a difference of the size asked about.
POWER = 0.8


class Kind(StrEnum):
    """The four answers."""

    HELPS = "helps"
    NO_DIFFERENCE = "makes no difference"
    MAY_HURT = "may hurt"
    TOO_FEW = "too few labels to tell"


# What is said of a table with several methods: a method that helps is worth knowing about whatever
# the others do; then harm, then doubt.
PRECEDENCE = (Kind.HELPS, Kind.MAY_HURT, Kind.TOO_FEW, Kind.NO_DIFFERENCE)


@dataclass(frozen=True)
class MethodVerdict:
    """The answer for one semi-supervised method.

    Attributes
    ----------
    name : str
        The method.
    kind : Kind
        The answer.
    against_twin : PairedDifference
        The method against its supervised twin.
    against_best : PairedDifference
        The method against the supervised classifier with the lowest mean loss, which may be the
        twin.
    decisive : PairedDifference
        The one of the two that the answer is about: against the twin, or for a method that beats
        its twin but not the best supervised classifier, against that one.
    p_adjusted : float
        The p-value of being better than the twin, adjusted for having looked at several methods
        (Holm).
    certain : bool
        Whether the answer needs no labels at all: method and twin, fitted on all labels, give the
        same answer for all but a few of the unlabeled rows.
    labels_needed, labels_needed_at_most : int or None
        For "too few labels to tell", the number of labels that would tell a difference as large
        as it looks now, and one as small as the margin. None for the other answers, and where it
        cannot be said.
    """

    name: str
    kind: Kind
    against_twin: PairedDifference
    against_best: PairedDifference
    decisive: PairedDifference
    p_adjusted: float
    certain: bool
    labels_needed: int | None
    labels_needed_at_most: int | None

    @property
    def only_beats_twin(self) -> bool:
        """Whether it beats its twin, but not another classifier without the unlabeled rows."""
        return self.decisive.reference != self.against_twin.reference


@dataclass(frozen=True)
class Verdict:
    """The answer for the table.

    Attributes
    ----------
    kind : Kind
        "helps", "makes no difference", "may hurt" or "too few labels to tell".
    sentence : str
        The answer in one sentence, for somebody who knows no statistics.
    advice : str
        What to do about it.
    evidence : tuple of str
        Sentences with the numbers behind it.
    method : str or None
        The method that decided it.
    labels_needed, labels_needed_at_most : int or None
        As in MethodVerdict, for the method that decided.
    """

    kind: Kind
    sentence: str
    advice: str
    evidence: tuple[str, ...]
    method: str | None
    labels_needed: int | None = None
    labels_needed_at_most: int | None = None

    def __str__(self) -> str:
        return "\n".join([self.sentence, self.advice, *(f"- {line}" for line in self.evidence)])


def judge_methods(
    against_twin: Mapping[str, PairedDifference],
    against_best: Mapping[str, PairedDifference],
    margin: float,
) -> dict[str, MethodVerdict]:
    """Judge each method, guarding against picking the luckiest of several.

    A method *helps* where it is better than its twin, the Holm-adjusted p-value being at most
    0.05 over all methods, and its mean loss is not above that of any supervised classifier. It
    *makes no difference* where method and twin label at most `margin` of the rows differently, or
    the 90% interval lies within the margin. It *may hurt* where it is worse than its twin at level
    0.05, or by more than the margin at level 0.1. Otherwise there are *too few labels to tell*.

    A method that beats its twin while another supervised classifier has a lower mean loss does not
    help: that gain can be had without the unlabeled rows. Whoever would use it instead of that
    classifier wants to know how these two differ, so the other three answers are then about the
    method against that classifier, by the same rules: it may hurt where it is worse than that one.

    Parameters
    ----------
    against_twin, against_best : mapping of name to PairedDifference
        For each semi-supervised method.
    margin : float
        Differences up to this size do not matter.

    Returns
    -------
    dict of str to MethodVerdict
        By name.
    """
    # What labels hardly a row differently cannot be picked, so it costs the others nothing.
    open_methods = [name for name, d in against_twin.items() if not d.is_certain(margin)]
    adjusted = holm({name: against_twin[name].p_better for name in open_methods})
    return {
        name: _judge(twin, against_best[name], adjusted.get(name, 1.0), margin)
        for name, twin in against_twin.items()
    }


def _judge(
    twin: PairedDifference, best: PairedDifference, p_adjusted: float, margin: float
) -> MethodVerdict:
    certain = twin.is_certain(margin)
    decisive = twin
    if certain:
        kind = Kind.NO_DIFFERENCE
    elif p_adjusted <= LEVEL and best.mean <= 0.0:
        kind = Kind.HELPS
    else:
        if p_adjusted <= LEVEL:
            # Better than its twin, but another classifier does as well without unlabeled rows.
            decisive = best
        kind = _unless_it_helps(decisive, margin)
    needed = at_most = None
    if kind is Kind.TOO_FEW:
        needed = labels_needed(decisive, max(margin, abs(decisive.mean)))
        at_most = labels_needed(decisive, margin)
    return MethodVerdict(
        twin.name, kind, twin, best, decisive, p_adjusted, certain, needed, at_most
    )


def _unless_it_helps(difference: PairedDifference, margin: float) -> Kind:
    if difference.p_worse <= LEVEL:
        return Kind.MAY_HURT
    if difference.mean > margin and difference.p_worse <= SUSPICION:
        return Kind.MAY_HURT
    if -margin <= difference.low and difference.high <= margin:
        return Kind.NO_DIFFERENCE
    return Kind.TOO_FEW


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
    z = float(stats.norm.isf(LEVEL) + stats.norm.isf(1.0 - POWER))
    # Below what there is already, one more label would do; said with some reserve.
    n = max(difference.n_labels * (z * error / size) ** 2, 1.1 * difference.n_labels)
    step = 10.0 ** max(0, math.floor(math.log10(n)) - 1)
    return int(math.ceil(n / step) * step)


def decisive_method(methods: Mapping[str, MethodVerdict]) -> MethodVerdict:
    """The method that speaks for the table: by kind, then by what it gained or cost."""
    kind = next(k for k in PRECEDENCE if any(m.kind is k for m in methods.values()))
    those = [m for m in methods.values() if m.kind is kind]
    if kind is Kind.MAY_HURT:
        return max(those, key=lambda m: m.decisive.mean)
    if kind is Kind.TOO_FEW:
        # The most promising one is what somebody would like to know about.
        return min(those, key=lambda m: m.against_best.mean)
    return min(those, key=lambda m: m.decisive.mean)
