"""Verdicts in words: one sentence for everybody, the numbers for those who want them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tacit._words import listed
from tacit.selection._measure import Measure
from tacit.selection._verdict import (
    Kind,
    MethodVerdict,
    PairedDifference,
    Verdict,
    decisive_method,
)


def write_verdict(
    methods: Mapping[str, MethodVerdict],
    losses: Mapping[str, float],
    baseline: str,
    measure: Measure,
    margin: float,
    n_labels: int,
    n_rows: int,
    background: Sequence[str],
) -> Verdict:
    """The verdict on a table from the verdicts on its methods, at least one.

    `losses` are means, `baseline` is the supervised contestant with the smallest, and `background`
    tells how it was measured.
    """
    decisive = decisive_method(methods)
    sentence = _sentence(decisive, methods, losses, measure, n_labels, n_rows)
    lines = [_baseline_line(baseline, losses, measure), *_same_lines(methods, measure)]
    for method in methods.values():
        if not method.certain:
            lines.append(_method_line(method, losses, measure, margin))
    if decisive.kind is Kind.TOO_FEW:
        lines += _needed_lines(decisive, measure, margin, n_labels, n_rows)
    return Verdict(
        decisive.kind,
        sentence,
        _advice(decisive, methods, baseline, margin),
        (*lines, *background),
        decisive.name,
        decisive.labels_needed,
        decisive.labels_needed_at_most,
    )


def too_few_to_split(rare: Sequence[str], background: Sequence[str]) -> Verdict:
    """The verdict where some class has a single label, so that nothing can be held out."""
    shown = [f'"{name}"' for name in rare[:5]] + (["others"] if len(rare) > 5 else [])
    have = f"class {shown[0]} has" if len(rare) == 1 else f"classes {listed(shown)} have"
    return Verdict(
        Kind.TOO_FEW,
        f"There are too few labels to tell whether the unlabeled rows help: the {have} only one "
        "label.",
        "Label more rows of each class, at least two and better ten, and ask again.",
        (
            "To see how well a classifier does, some labels of every class must be held back and "
            "some must be learned from, which needs two of each.",
            *background,
        ),
        None,
    )


def difference_text(difference: PairedDifference, measure: Measure) -> str:
    """A difference with its interval: "7.2 points lower (90% interval: -12.3 to -2.1)"."""
    interval = interval_text(difference, measure)
    if measure.amount(difference.mean) == measure.amount(0.0):
        return f"no different on average (90% interval: {interval})"
    direction = "lower" if difference.mean < 0.0 else "higher"
    return f"{measure.amount(difference.mean)} {direction} (90% interval: {interval})"


def interval_text(difference: PairedDifference, measure: Measure) -> str:
    """The ends of the interval: "-12.3 to -2.1", or "unknown"."""
    if not math.isfinite(difference.standard_error):
        return "unknown"
    return f"{measure.signed(difference.low)} to {measure.signed(difference.high)}"


def rate_text(loss: float, other: float, measure: Measure) -> tuple[str, str]:
    """Two losses as people count: "13 in 100" and "20 in 100", with as many as tell them apart."""
    if not measure.is_error:
        return measure.text(loss), measure.text(other)
    for total in (100, 1000):
        counts = round(loss * total), round(other * total)
        if counts[0] != counts[1] and min(counts) > 0:
            break
    return f"{counts[0]} in {total:,}", f"{counts[1]} in {total:,}"


def _instead(method: MethodVerdict, losses: Mapping[str, float], measure: Measure) -> str:
    reference = method.decisive.reference
    with_rows, without = rate_text(losses[method.name], losses[reference], measure)
    what = f"about {with_rows} answers were wrong"
    if not measure.is_error:
        what = f"the {measure.name} was {with_rows}"
    return f"in tests with {method.name}, {what} instead of {without}"


def _sentence(
    decisive: MethodVerdict,
    methods: Mapping[str, MethodVerdict],
    losses: Mapping[str, float],
    measure: Measure,
    n_labels: int,
    n_rows: int,
) -> str:
    settled = [m for m in methods.values() if m.kind is Kind.NO_DIFFERENCE]
    if decisive.kind is Kind.HELPS:
        return f"The unlabeled rows help: {_instead(decisive, losses, measure)}."
    if decisive.kind is Kind.MAY_HURT:
        but = f"; with {_names(settled)} they {_settled_verb(settled)}" if settled else ""
        start = "The unlabeled rows may hurt"
        if decisive.only_beats_twin:
            start = (
                f"Using {decisive.name} may hurt: {_gain(decisive, measure)} is better still "
                "without the unlabeled rows"
            )
        return f"{start}: {_instead(decisive, losses, measure)}{but}."
    if decisive.kind is Kind.NO_DIFFERENCE:
        return _makes_no_difference(decisive, losses, measure)
    open_methods = [m for m in methods.values() if m.kind is Kind.TOO_FEW]
    return _too_few(decisive, open_methods, settled, measure, n_labels, n_rows)


def _gain(method: MethodVerdict, measure: Measure) -> str:
    twin = method.against_twin
    return (
        f"it gains {measure.amount(twin.mean)} over its supervised twin {twin.reference}, but "
        f"{method.decisive.reference}"
    )


def _makes_no_difference(
    method: MethodVerdict, losses: Mapping[str, float], measure: Measure
) -> str:
    loss = losses[method.decisive.reference]
    if measure.is_error:
        total = 100 if round(100 * loss) > 0 else 1000
        rate = f"about {round(total * loss)} in {total:,} answers were wrong"
    else:
        rate = f"the {measure.name} was about {measure.text(loss)}"
    if method.only_beats_twin:
        return (
            f"Using {method.name} makes no difference: {_gain(method, measure)} does as well "
            f"without the unlabeled rows: in tests with either, {rate}."
        )
    return f"The unlabeled rows make no difference: in tests with or without them, {rate}."


def _too_few(
    decisive: MethodVerdict,
    open_methods: Sequence[MethodVerdict],
    settled: Sequence[MethodVerdict],
    measure: Measure,
    n_labels: int,
    n_rows: int,
) -> str:
    """What is certain comes first, then what cannot be told, then what it would take."""
    start = f"{n_labels:,} labels are too few to tell whether the unlabeled rows help"
    if settled:
        start = (
            f"With {_names(settled)} the unlabeled rows {_settled_verb(settled)}, and {n_labels:,} "
            f"labels are too few to tell whether they help with {_names(open_methods, 'or')}"
        )
    if decisive.only_beats_twin:
        gain = _gain(decisive, measure).replace("it gains", f"{decisive.name} gains")
        start += f" ({gain} may be better still without them)"
    needed = decisive.labels_needed
    if needed is None:
        return f"{start}."
    if needed > n_rows:
        return f"{start}; even labels for all {n_rows:,} rows may not be enough."
    return f"{start}; about {needed:,} might be enough."


def _settled_verb(settled: Sequence[MethodVerdict]) -> str:
    if not all(m.certain for m in settled):
        return "make no difference"
    same = all(m.against_twin.disagreement == 0.0 for m in settled)
    return "change nothing" if same else "change almost nothing"


def _advice(
    decisive: MethodVerdict, methods: Mapping[str, MethodVerdict], baseline: str, margin: float
) -> str:
    if decisive.kind is Kind.HELPS:
        worse = [m for m in methods.values() if m.kind is Kind.MAY_HURT]
        but = f", but not {_names(worse)}, which may hurt" if worse else ""
        return f"Use {decisive.name}{but}."
    if decisive.kind is Kind.NO_DIFFERENCE:
        return f"Use {baseline}, without the unlabeled rows: it is simpler."
    if decisive.kind is Kind.MAY_HURT:
        return f"Use {baseline}, without the unlabeled rows."
    advice = f"Until there are more labels, use {baseline}, without the unlabeled rows."
    seen = decisive.against_best.mean
    looks = "better" if seen < 0.0 else "worse"
    if abs(seen) <= margin:
        looks = "about as good"
    return f"{advice} So far {decisive.name} looks {looks}, but that may be chance."


def _baseline_line(baseline: str, losses: Mapping[str, float], measure: Measure) -> str:
    return (
        f"Without the unlabeled rows, {baseline} does best: {measure.name} "
        f"{measure.text(losses[baseline])}."
    )


def _method_line(
    method: MethodVerdict, losses: Mapping[str, float], measure: Measure, margin: float
) -> str:
    twin, best = method.against_twin, method.against_best
    line = (
        f"{method.name}: {method.kind}. Its {measure.name} is {measure.text(losses[method.name])}, "
        f"that of its supervised twin {twin.reference} {measure.text(losses[twin.reference])}: "
        f"{difference_text(twin, measure)}"
    )
    if method.only_beats_twin:
        line += (
            f". But that of {best.reference}, without the unlabeled rows, is "
            f"{measure.text(losses[best.reference])}; beside it {method.name} is "
            f"{difference_text(best, measure)}"
        )
    line += f"{_reason(method, measure, margin)}."
    if not method.only_beats_twin and twin.mean < 0.0 < best.mean:
        line += (
            f" But {best.reference} does better without the unlabeled rows: "
            f"{measure.text(losses[best.reference])}."
        )
    return line + _disagreement_text(method, measure)


def _reason(method: MethodVerdict, measure: Measure, margin: float) -> str:
    """Why the difference that decides has led to the answer."""
    difference = method.decisive
    if method.kind is Kind.HELPS:
        return f"; chance alone would do as well with probability {_p_text(method.p_adjusted)}"
    if method.kind is Kind.MAY_HURT:
        return f"; chance alone would do as badly with probability {_p_text(difference.p_worse)}"
    if method.kind is Kind.NO_DIFFERENCE:
        return f", within the {measure.amount(margin)} that count as no difference"
    if difference.low >= -margin:
        return f"; help of more than {measure.amount(margin)} can be ruled out"
    if difference.high <= margin:
        return f"; harm of more than {measure.amount(margin)} can be ruled out"
    return ""


def _disagreement_text(method: MethodVerdict, measure: Measure) -> str:
    difference = method.decisive
    part = difference.disagreement
    if part is None:
        return ""
    two = "the two"
    if method.only_beats_twin:
        two = f"{method.name} and {difference.reference}"
    if part == 0.0:
        return f" Fitted on all labels, {two} give every unlabeled row the same answer."
    text = (
        f" Fitted on all labels, {two} give different answers for {_percent(part)} of the "
        "unlabeled rows"
    )
    if difference.counts_rows and part < abs(difference.mean):
        text += (
            f", so that there the difference is {measure.amount(part)} at most; the tests show "
            f"more because their fits had fewer labels ({difference.trained_on:.0%} of them), or "
            "by chance"
        )
    return f"{text}."


def _needed_lines(
    method: MethodVerdict, measure: Measure, margin: float, n_labels: int, n_rows: int
) -> list[str]:
    needed, at_most = method.labels_needed, method.labels_needed_at_most
    if needed is None or at_most is None:
        return []
    if needed == at_most:
        return [
            f"To tell a difference of {measure.amount(margin)} between {method.name} and "
            f"{method.decisive.reference}, about {at_most:,} labels would be needed; there "
            f"are {n_labels:,}."
        ]
    between = ""
    if method.only_beats_twin:
        between = f" between {method.name} and {method.decisive.reference}"
    return [
        f"About {needed:,} labels would be needed if the difference{between} is as large as it "
        f"looks now, and about {at_most:,} to tell a difference of {measure.amount(margin)}; "
        f"there are {n_labels:,}."
    ]


def _p_text(p: float) -> str:
    return "below 0.001" if p < 0.001 else f"{p:.2g}"


def _percent(part: float) -> str:
    text = f"{100.0 * part:.1f}%"
    return "fewer than 0.1%" if part > 0.0 and text == "0.0%" else text


def _same_lines(methods: Mapping[str, MethodVerdict], measure: Measure) -> list[str]:
    """Methods that need no labels to be judged; those that change no answer share a line."""
    lines = []
    certain = [m for m in methods.values() if m.certain]
    unchanged = [m for m in certain if m.against_twin.disagreement == 0.0]
    for twin in dict.fromkeys(m.against_twin.reference for m in unchanged):
        those = [m for m in unchanged if m.against_twin.reference == twin]
        make, it_gives = ("makes", "it gives") if len(those) == 1 else ("make", "they give")
        lines.append(
            f"{_names(those)} {make} no difference: {it_gives} every unlabeled row the same answer "
            f"as {twin}."
        )
    for method in certain:
        part = method.against_twin.disagreement
        if part:
            lines.append(
                f"{method.name} makes no difference: it gives a different answer from "
                f"{method.against_twin.reference} for only {_percent(part)} of the unlabeled rows, "
                "so that whatever their true labels are, the errors on them differ by at most "
                f"{measure.amount(part)}."
            )
    return lines


def _names(methods: Sequence[MethodVerdict], word: str = "and") -> str:
    return listed([method.name for method in methods], word=word)
