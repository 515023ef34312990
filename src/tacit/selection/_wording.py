"""Verdicts in words: one sentence for everybody, the numbers for those who want them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit._words import listed
from tacit.selection._measure import Measure
from tacit.selection._quality import ROUNDING, Guess, Usability
from tacit.selection._verdict import Kind, MethodVerdict, PairedDifference, Verdict, decisive_method

if TYPE_CHECKING:
    from tacit.selection._comparison import Comparison

# What to do about a model that is no better than a guess, in place of other advice.
LABEL_MORE = (
    "Label more rows, or add columns that tell the classes apart, before you use any of these."
)
# A class with a smaller part of the labels than this hardly shows in the error.
RARE = 0.25


def write_verdict(found: Comparison) -> Verdict:
    """The verdict on a table from the verdicts on its methods."""
    if not found.methods:
        # Some class has a single label, so that nothing can be held out.
        rare = [f'"{name}"' for name, count in found.label_counts.items() if count < 2]
        have = f"class {rare[0]} has" if len(rare) == 1 else f"classes {listed(rare, 5)} have"
        return Verdict(
            Kind.TOO_FEW,
            f"There are too few labels to tell whether the unlabeled rows help: the {have} only "
            "one label.",
            "Label more rows of each class, at least two and better ten, and ask again.",
            (
                "To see how well a classifier does, some labels of every class must be held back "
                "and some must be learned from, which needs two of each.",
                *found.notes,
            ),
            None,
        )
    decisive = decisive_method(found.methods)
    lines = [
        f"Without the unlabeled rows, {found.baseline} does best: {found.measure.name} "
        f"{_loss(found, str(found.baseline))}.",
        *_same_lines(found),
        *(_method_line(found, method) for method in found.methods.values() if not method.certain),
        *_needed_lines(found, decisive),
        *_one_class_lines(found),
        *_no_better_lines(found),
        *found.notes,
    ]
    name = decisive.name if decisive.kind is Kind.HELPS else str(found.baseline)
    sentence, advice, model = _sentence(found, decisive), _advice(found, decisive), ""
    if found.guess is not None:
        model, usability = _model_text(found, name, found.guess), found.quality[name].usability
        if usability.is_told_first:
            advice = LABEL_MORE
        elif usability is Usability.RANKS_ONLY and found.measure.is_of_predictions:
            advice += f" Take the scores of {name} rather than its classes{_about_rare(found)}."
        if usability is not Usability.USABLE:
            sentence = f"{model} {sentence}"
    needed = decisive.labels_needed, decisive.labels_needed_at_most
    return Verdict(decisive.kind, sentence, advice, tuple(lines), decisive.name, *needed, model)


def _model_text(found: Comparison, name: str, guess: Guess) -> str:
    """How good a model is by itself, beside the guess."""
    quality, measure, answer = found.quality[name], guess.measure, f"always saying {guess.answer!r}"
    loss = quality.judged
    is_same = abs(loss - guess.loss) < ROUNDING
    rate, *others = rate_texts(measure, loss, *([] if is_same else [guess.loss]))
    start, beside = f"{name} has a {measure.name} of {rate}", f"{answer} one of {''.join(others)}"
    if measure.is_error:
        start, beside = f"{name} gets {rate} wrong", f"{answer} {''.join(others)}"
    than = f"better than {answer}{''.join(f' ({other})' for other in others)}"
    hardly = "not clearly" if loss < guess.loss - ROUNDING else "no"
    text = {
        Usability.USABLE: f"{start}, {beside}.",
        Usability.RANKS_ONLY: f"{start}, {hardly} {than}, though it ranks rows.",
        Usability.UNPROVEN: f"{start}, {beside}, and {found.n_labels:,} labels are too few to tell "
        "the two apart: not usable yet.",
        Usability.NO_BETTER: f"{start}, no {than}: not usable yet.",
    }[quality.usability]
    if quality.auc is not None:
        text += f" Its AUC is {quality.auc:.2f}."
    if quality.only_class is not None:
        text += f" It gives every row the class {quality.only_class!r}."
    return text


def _about_rare(found: Comparison) -> str:
    counts = found.label_counts.values()
    # A threshold is between two classes.
    if not found.measure.is_error or len(counts) > 2 or min(counts) >= RARE * sum(counts):
        return ""
    return ", or choose the classes by the score 'balanced_accuracy', which counts a rare one fully"


def _one_class_lines(found: Comparison) -> list[str]:
    """Contestants that give every row one class, by that class."""
    those: dict[str, list[str]] = {}
    for name, quality in found.quality.items():
        if quality.only_class is not None:
            those.setdefault(repr(quality.only_class), []).append(name)
    return [
        f"{listed(names)} {'gives' if len(names) == 1 else 'give'} every row that was held back "
        f"the class {answer}."
        for answer, names in those.items()
    ]


def _no_better_lines(found: Comparison) -> list[str]:
    """That no classifier does better than one which has not looked at the rows, if so."""
    guess, measure = found.guess, found.measure
    if guess is None or guess.measure is not measure or not measure.is_of_predictions:
        return []
    if min(found.losses.values()) < guess.loss - ROUNDING:
        return []
    wrong = f"which has a {measure.name} of {measure.text(guess.loss)}"
    if measure.is_error:
        wrong = f"which is wrong for {guess.loss:.1%} of the labels"
    why = "the columns, or so few labels, say little about the classes"
    if any(each.usability is Usability.RANKS_ONLY for each in found.quality.values()):
        why = "what they tell of the classes is in their scores"
    note = f"No classifier here does better than always answering {guess.answer}, {wrong}: {why}."
    if _about_rare(found):
        note += " Where a class is rare, scoring by 'balanced_accuracy' tells more."
    return [note]


def difference_text(difference: PairedDifference, measure: Measure) -> str:
    """A difference with its interval: "7.2 points lower (90% interval: -12.3 to -2.1)"."""
    amount = measure.amount(difference.mean)
    size = f"{amount} {'lower' if difference.mean < 0.0 else 'higher'}"
    if amount == measure.amount(0.0):
        size = "no different on average"
    return f"{size} (90% interval: {interval_text(difference, measure)})"


def interval_text(difference: PairedDifference, measure: Measure) -> str:
    """The ends of the interval: "-12.3 to -2.1", or "unknown"."""
    if not math.isfinite(difference.standard_error):
        return "unknown"
    return f"{measure.signed(difference.low)} to {measure.signed(difference.high)}"


def rate_texts(measure: Measure, *losses: float) -> list[str]:
    """Losses as people count: "13 in 100" and "20 in 100", with as many as tell them apart."""
    if not measure.is_error:
        return [measure.text(loss) for loss in losses]
    for total in (100, 1000):
        counts = [round(loss * total) for loss in losses]
        is_told = (count > 0 or loss == 0.0 for count, loss in zip(counts, losses, strict=True))
        if len(set(counts)) == len(counts) and all(is_told):
            break
    return [f"{count} in {total:,}" for count in counts]


def _sentence(found: Comparison, decisive: MethodVerdict) -> str:
    name, reference, kind = decisive.name, decisive.decisive.reference, decisive.kind
    settled, twin = _of_kind(found, Kind.NO_DIFFERENCE), decisive.against_twin
    gain = (
        f"gains {found.measure.amount(twin.mean)} over its supervised twin {twin.reference}, but "
        f"{reference}"
    )
    if kind is Kind.TOO_FEW:
        but = f" ({name} {gain} may be better still without them)"
        return _too_few(found, decisive, settled, but if decisive.only_beats_twin else "")
    if kind is Kind.NO_DIFFERENCE:
        start = "The unlabeled rows make no difference: in tests with or without them"
        if reference != found.baseline:
            start = f"The unlabeled rows make no difference: in tests with {name} or {reference}"
        if decisive.only_beats_twin:
            start = (
                f"Using {name} makes no difference: it {gain} does as well without the unlabeled "
                "rows: in tests with either"
            )
        (rate,) = rate_texts(found.measure, found.losses[reference])
        return f"{start}, {_how_many_wrong(found.measure, rate)}."
    start, but = f"The unlabeled rows {'help' if kind is Kind.HELPS else kind}", ""
    if decisive.only_beats_twin:
        start = f"Using {name} may hurt: it {gain} is better still without the unlabeled rows"
    if kind is Kind.MAY_HURT and settled:
        but = f"; with {_names(settled)} they {_settled_verb(settled)}"
    rate, without = rate_texts(found.measure, found.losses[name], found.losses[reference])
    wrong = _how_many_wrong(found.measure, rate)
    return f"{start}: in tests with {name}, {wrong} instead of {without}{but}."


def _how_many_wrong(measure: Measure, rate: str) -> str:
    if measure.is_error:
        return f"about {rate} answers were wrong"
    return f"the {measure.name} was {rate}"


def _too_few(
    found: Comparison, decisive: MethodVerdict, settled: Sequence[MethodVerdict], but: str
) -> str:
    """What is certain comes first, then what cannot be told, then what it would take."""
    start = f"{found.n_labels:,} labels are too few to tell whether the unlabeled rows help"
    if settled:
        start = (
            f"With {_names(settled)} the unlabeled rows {_settled_verb(settled)}, and "
            f"{found.n_labels:,} labels are too few to tell whether they help with "
            f"{_names(_of_kind(found, Kind.TOO_FEW), 'or')}"
        )
    needed, n_rows, enough = decisive.labels_needed, found.n_labels + found.n_unlabeled, ""
    if needed is not None:
        enough = f"; about {needed:,} might be enough"
    if needed is not None and needed > n_rows:
        enough = f"; even labels for all {n_rows:,} rows may not be enough"
    return f"{start}{but}{enough}."


def _settled_verb(settled: Sequence[MethodVerdict]) -> str:
    if not all(m.certain for m in settled):
        return "make no difference"
    same = all(m.against_twin.disagreement == 0.0 for m in settled)
    return "change nothing" if same else "change almost nothing"


def _advice(found: Comparison, decisive: MethodVerdict) -> str:
    if decisive.kind is Kind.HELPS:
        worse = _of_kind(found, Kind.MAY_HURT)
        but = f", but not {_names(worse)}, which may hurt" if worse else ""
        return f"Use {decisive.name}{but}."
    without = f"{found.baseline}, without the unlabeled rows"
    if decisive.kind is not Kind.TOO_FEW:
        simpler = ": it is simpler" if decisive.kind is Kind.NO_DIFFERENCE else ""
        return f"Use {without}{simpler}."
    seen = decisive.against_best.mean
    looks = "better than it" if seen < 0.0 else "worse than it"
    if abs(seen) <= found.margin:
        looks = "about as good"
    return (
        f"Until there are more labels, use {without}. So far {decisive.name} looks {looks}, but "
        "that may be chance."
    )


def _method_line(found: Comparison, method: MethodVerdict) -> str:
    measure, twin, best = found.measure, method.against_twin, method.against_best
    line = (
        f"{method.name}: {method.kind}. Its {measure.name} is {_loss(found, method.name)}, that of "
        f"its supervised twin {twin.reference} {_loss(found, twin.reference)}: "
        f"{difference_text(twin, measure)}"
    )
    but, two = "", "the two"
    if method.only_beats_twin:
        two = f"{method.name} and {best.reference}"
        line += (
            f". But that of {best.reference}, without the unlabeled rows, is "
            f"{_loss(found, best.reference)}; beside it {method.name} is "
            f"{difference_text(best, measure)}"
        )
    elif twin.mean < 0.0 < best.mean:
        but = (
            f" But {best.reference} does better without the unlabeled rows: "
            f"{_loss(found, best.reference)}."
        )
    reason = _reason(method, measure.amount(found.margin), found.margin)
    return f"{line}{reason}.{but}{_disagreement_text(method.decisive, two, measure)}"


def _reason(method: MethodVerdict, amount: str, margin: float) -> str:
    """Why the difference that decides has led to the answer."""
    difference = method.decisive
    if method.kind is Kind.HELPS:
        return f"; chance alone would do as well with probability {_p_text(method.p_adjusted)}"
    if method.kind is Kind.MAY_HURT:
        return f"; chance alone would do as badly with probability {_p_text(difference.p_worse)}"
    if method.kind is Kind.NO_DIFFERENCE:
        return f", within the {amount} that count as no difference"
    if difference.low >= -margin:
        return f"; help of more than {amount} can be ruled out"
    if difference.high <= margin:
        return f"; harm of more than {amount} can be ruled out"
    return ""


def _disagreement_text(difference: PairedDifference, two: str, measure: Measure) -> str:
    part, bound = difference.disagreement, ""
    if part is None:
        return ""
    if part == 0.0:
        return f" Fitted on all labels, {two} give each unlabeled row, held back, the same answer."
    if difference.counts_rows and part < abs(difference.mean):
        bound = (
            f", so that there the difference is {measure.amount(part)} at most; the tests show "
            f"more because their fits had fewer labels ({difference.trained_on:.0%} of them), or "
            "by chance"
        )
    return (
        f" Fitted on all labels, {two} give different answers for {_percent(part)} of the "
        f"unlabeled rows, held back in turn{bound}."
    )


def _needed_lines(found: Comparison, method: MethodVerdict) -> list[str]:
    needed, at_most = method.labels_needed, method.labels_needed_at_most
    if needed is None or at_most is None:
        return []
    two = f"between {method.name} and {method.decisive.reference}"
    margin, there = found.measure.amount(found.margin), f"there are {found.n_labels:,}"
    if needed == at_most:
        return [
            f"To tell a difference of {margin} {two}, about {at_most:,} labels would be needed; "
            f"{there}."
        ]
    between = f" {two}" if method.only_beats_twin else ""
    return [
        f"About {needed:,} labels would be needed if the difference{between} is as large as it "
        f"looks now, and about {at_most:,} to tell a difference of {margin}; {there}."
    ]


def _same_lines(found: Comparison) -> list[str]:
    """Methods that need no labels to be judged; those that change no answer share a line."""
    lines: list[str] = []
    unchanged: dict[str, list[MethodVerdict]] = {}
    for method in (m for m in found.methods.values() if m.certain):
        part, twin = method.against_twin.disagreement, method.against_twin.reference
        if part:
            lines.append(
                f"{method.name} makes no difference: it gives a different answer from {twin} for "
                f"only {_percent(part)} of the unlabeled rows, held back in turn, so that whatever "
                "their true labels are, the errors on them differ by at most "
                f"{found.measure.amount(part)}."
            )
        else:
            unchanged.setdefault(twin, []).append(method)
    for twin, those in unchanged.items():
        make, it_gives = ("makes", "it gives") if len(those) == 1 else ("make", "they give")
        lines.append(
            f"{_names(those)} {make} no difference: {it_gives} every unlabeled row, held back in "
            f"turn, the same answer as {twin}."
        )
    return lines


def _of_kind(found: Comparison, kind: Kind) -> list[MethodVerdict]:
    return [method for method in found.methods.values() if method.kind is kind]


def _names(methods: Sequence[MethodVerdict], word: str = "and") -> str:
    return listed([method.name for method in methods], word=word)


def _loss(found: Comparison, name: str) -> str:
    return found.measure.text(found.losses[name])


def _p_text(p: float) -> str:
    return "below 0.001" if p < 0.001 else f"{p:.2g}"


def _percent(part: float) -> str:
    text = f"{100.0 * part:.1f}%"
    return "fewer than 0.1%" if part > 0.0 and text == "0.0%" else text
