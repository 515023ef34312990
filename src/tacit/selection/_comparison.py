"""What a comparison found: as values, as text, as a picture, and as a page for the browser."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tacit import report
from tacit._cached import cached_property
from tacit._words import aligned, spelled_out
from tacit.report import MINUS, PALETTE, WIDE, Entry, HtmlDisplay, Listing, Page, new_figure
from tacit.selection._contestants import Contestant
from tacit.selection._evaluate import Run
from tacit.selection._labeled_table import as_frame
from tacit.selection._measure import Measure
from tacit.selection._quality import Guess, Quality, Usability
from tacit.selection._threshold import is_tuned_for
from tacit.selection._verdict import INTERVAL, Kind, MethodVerdict, Verdict
from tacit.selection._wording import difference_text, interval_text, write_verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TONES: dict[Kind, report.Tone] = {
    Kind.HELPS: "good",
    Kind.NO_DIFFERENCE: "neutral",
    Kind.MAY_HURT: "bad",
    Kind.TOO_FEW: "unknown",
}
# What a guess is, where others have a verdict.
NO_MODEL = "no model"
SPLIT_COLUMNS = ("repeat", "fold", "name", "n_labeled", "n_unlabeled", "n_test", "loss")


@dataclass(frozen=True, repr=False)
class Comparison(HtmlDisplay):
    """Supervised against semi-supervised classifiers on one table.

    Print it, or ask for its `verdict`, `frame()`, `plot()` and `to_html()`.
    """

    #: The answer for each semi-supervised method; empty where nothing could be scored.
    methods: Mapping[str, MethodVerdict]
    losses: Mapping[str, float]  #: Mean loss of each contestant over the splits.
    #: The supervised contestant with the smallest mean loss, of several the one that ranks best.
    baseline: str | None
    splits: tuple[Run, ...]  #: Every loss that was measured.
    contestants: tuple[Contestant, ...]  #: Who took part.
    measure: Measure  #: What was measured.
    margin: float  #: Differences up to this size count as none.
    label_counts: Mapping[Any, int]  #: Labels of each class.
    n_unlabeled: int  #: Rows without label.
    notes: tuple[str, ...]  #: What should be known about how it was measured.
    #: The contestants, fitted on all labels, which are numbers there (see `compare`); empty where
    #: nothing could be scored.
    models: Mapping[str, Any]
    #: Always the commonest class, scored on the same rows; None where nothing could be scored.
    guess: Guess | None = None
    #: Error, area under the ROC curve and usability of each contestant by itself.
    quality: Mapping[str, Quality] = field(default_factory=dict)
    #: How often each contestant is right where it is so and so sure; empty where it cannot be told.
    reliability: Mapping[str, tuple[report.Sureness, ...]] = field(default_factory=dict)

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the unlabeled rows help, in words, with the evidence."""
        return write_verdict(self)

    @property
    def n_labels(self) -> int:
        """Labels of all classes."""
        return sum(self.label_counts.values())

    @property
    def recommended(self) -> str | None:
        """The contestant to use: the method that helps, or else the best supervised one."""
        return self.verdict.method if self.verdict.kind is Kind.HELPS else self.baseline

    @property
    def scoring_to_fit(self) -> str | None:
        """The score by which to choose the threshold between two classes, where it matters.

        It is that of the comparison, or 'balanced_accuracy' where the model is not clearly better
        than the commonest class by its errors, which is usual where the other one is rare.
        """
        if len(self.label_counts) != 2:
            return None
        quality = self.quality.get(self.recommended or "")
        if self.measure.is_error and quality and quality.usability is not Usability.USABLE:
            return "balanced_accuracy"
        return self.measure.scoring if is_tuned_for(self.measure) else None

    def rows(self) -> list[dict[str, Any]]:
        """The table of `frame()` as plain dictionaries, one for each contestant."""
        rows = []
        for contestant in self.contestants:
            method = self.methods.get(contestant.name)
            quality = self.quality.get(contestant.name)
            decisive = method and method.decisive
            row = {
                "name": contestant.name,
                "twin": contestant.twin,
                "loss": self.losses.get(contestant.name),
                "error": quality and quality.error,
                "auc": quality and quality.auc,
                "only_class": quality and quality.only_class,
                "against": decisive and decisive.reference,
                "difference": decisive and decisive.mean,
                "low": decisive and decisive.low,
                "high": decisive and decisive.high,
                "standard_error": decisive and decisive.standard_error,
                "p_better": decisive and decisive.p_better,
                "p_adjusted": method and method.p_adjusted,
                "p_worse": decisive and decisive.p_worse,
                "disagreement": decisive and decisive.disagreement,
                "against_twin": method and method.against_twin.mean,
                "against_best": method and method.against_best.mean,
                "verdict": method and str(method.kind),
                "labels_needed": method and method.labels_needed,
            }
            rows.append(row)
        return rows

    def texts(self, name: str) -> tuple[str, str, str]:
        """The loss of a contestant, its AUC, and that it knows but one answer, if so."""
        loss, quality = self.measure.text(self.losses[name]), self.quality.get(name)
        if quality is None:
            return loss, "", ""
        remark = "" if quality.only_class is None else f"always says {quality.only_class!r}"
        return loss, "" if quality.auc is None else f"{quality.auc:.2f}", remark

    def frame(self) -> Any:
        """One row for each contestant, as a pandas DataFrame.

        Name, twin, mean loss, error, area under the ROC curve (for more than two classes the mean
        over each against the others) and the class that it gives to every row, if it does; for
        semi-supervised methods the difference that the verdict is about, with its interval,
        p-values, the disagreement and the verdict. `against` says from whom: from the twin, or for
        a method that beats its twin but not the best supervised classifier, from that one.
        `p_adjusted` is for being better than the twin, and `against_twin` and `against_best` are
        both differences. Losses are parts of one.
        """
        return as_frame(self.rows())

    def splits_frame(self) -> Any:
        """Every loss that was measured, one row for each split and contestant, as a DataFrame."""
        rows = [vars(run) | {"name": run.classifier, "loss": run.value} for run in self.splits]
        return as_frame(rows, SPLIT_COLUMNS)

    def plot(self) -> Figure:
        """The verdict as a figure of matplotlib: each method's difference around zero."""
        verdict = self.verdict
        if self.methods:
            figure = _draw(self)
        else:
            figure = new_figure(WIDE, 1.4)
            figure.text(0.02, 0.3, "\n".join(textwrap.wrap(verdict.advice, 90)))
        title = "\n".join(textwrap.wrap(verdict.sentence.replace("$", r"\$"), 80))
        colour = PALETTE[TONES[verdict.kind]]
        figure.suptitle(title, x=0.015, ha="left", fontsize=11, fontweight="bold", color=colour)
        return figure

    def _page(self, subtitle: str = "", template: str = "comparison.html", **more: Any) -> Page:
        """The verdict, the picture behind it, the numbers, and the evidence in words.

        Where more is known about the table, `template` extends the page and shows it.
        """
        rows = f"{self.n_labels:,} labels, {self.n_unlabeled:,} unlabeled rows"
        verdict, methods = self.verdict, self.methods.values()
        label, tone = _label(self)
        values = {
            "subtitle": f"{subtitle}: {rows}" if subtitle else rows,
            "tone": tone,
            "label": label,
            "by_chance": verdict.kind is Kind.TOO_FEW,
            "verdict": verdict,
            "rates": _rates(self),
            "picture": _picture(self) if methods else None,
            "interval": INTERVAL,
            "beats_only_twin": any(m.only_beats_twin for m in methods),
            "leaves_the_band": any(
                m.certain and not m.against_twin.is_within(self.margin) for m in methods
            ),
            "reliability": _reliability(self),
            "recommended": self.recommended,
            "numbers": _numbers(self) if methods else None,
            "n_splits": f"{len(self.splits) // len(self.contestants):,}",
            "descriptions": [(c.name, c.description) for c in self.contestants if c.description],
        }
        return Page(template, "Is the unlabeled data worth using?", values | more)

    def __repr__(self) -> str:
        return (
            f"Comparison({str(self.verdict.kind)!r}, {self.n_labels:,} labels, "
            f"{self.n_unlabeled:,} unlabeled rows)"
        )

    def __str__(self) -> str:
        """The verdict, its evidence, and the table."""
        text = f"{str(self.verdict.kind).upper()}\n{self.verdict}"
        if not self.losses:
            return text
        mixed = any(method.only_beats_twin for method in self.methods.values())
        header = "against" if mixed else "against its supervised twin"
        lines = [("", self.measure.name, "AUC", header, "verdict")]
        if self.guess is not None:
            lines.append((*guess_texts(self.guess, self.measure), "", NO_MODEL))
        for contestant in self.contestants:
            method = self.methods.get(contestant.name)
            against, kind = "", "without unlabeled rows"
            if method is not None:
                against, kind = difference_text(method.decisive, self.measure), str(method.kind)
                against = f"{method.decisive.reference}: {against}" if mixed else against
            loss, auc, remark = self.texts(contestant.name)
            kind = f"{kind}; {remark}" if remark else kind
            lines.append((contestant.name, loss, auc, against, kind))
        return spelled_out("\n".join([text, "", *aligned(lines)]), but="\n")


def guess_texts(guess: Guess, measure: Measure) -> tuple[str, str, str]:
    """The guess, its loss if it has one by this measure, and its AUC, which is that of chance."""
    loss = "" if guess.by_own is None else measure.text(guess.by_own)
    return f"always {guess.answer!r}", loss, "0.50"


def _rates(comparison: Comparison) -> list[tuple[str, float]]:
    """Parts of wrong answers: of what is recommended, of what there is beside it, of a guess."""
    method, losses = comparison.methods.get(comparison.verdict.method or ""), comparison.losses
    if method is None or not comparison.measure.is_error:
        return []
    best, twin = str(comparison.baseline), method.against_twin.reference
    lowest = min(comparison.methods, key=losses.__getitem__)
    rates = [
        (f"Without the unlabeled rows ({best}), recommended", losses[best]),
        *((f"With them ({n})", losses[n]) for n in dict.fromkeys((lowest, method.name))),
    ]
    if method.kind is Kind.HELPS:
        rates = [
            (f"With the unlabeled rows ({method.name}), recommended", losses[method.name]),
            *((f"Without them ({name})", losses[name]) for name in dict.fromkeys((twin, best))),
        ]
    if comparison.guess is not None:
        rates.append((f"Always saying {comparison.guess.answer!r}", comparison.guess.error))
    return rates


def _label(comparison: Comparison) -> tuple[str, report.Tone]:
    """The answer in a few words, and the colour of it."""
    kind, quality = comparison.verdict.kind, comparison.quality.get(comparison.recommended or "")
    label = "Too few labels to tell" if kind is Kind.TOO_FEW else f"It {kind}"
    if quality is not None and quality.usability.is_told_first:
        no_better = quality.usability is Usability.NO_BETTER
        return f"Not usable yet. {label}", "bad" if no_better else "unknown"
    return label, TONES[kind]


def _differences(comparison: Comparison) -> list[report.Difference]:
    measure, rows = comparison.measure, []
    for method in comparison.methods.values():
        decisive = method.decisive
        mean, low, high = (measure.scale * v for v in (decisive.mean, decisive.low, decisive.high))
        value = f"{measure.signed(decisive.mean)} ({interval_text(decisive, measure)})"
        value, note = value.replace("-", MINUS), f"against {decisive.reference}"
        tone, kind = TONES[method.kind], str(method.kind)
        rows.append(report.Difference(method.name, note, mean, low, high, tone, value, kind))
    return rows


def _unit(comparison: Comparison) -> str:
    return "wrong answers in 100" if comparison.measure.is_error else comparison.measure.name


def _draw(comparison: Comparison, width: float = WIDE) -> Figure:
    margin = comparison.measure.scale * comparison.margin
    return report.draw_differences(_differences(comparison), _unit(comparison), margin, width)


def _picture(comparison: Comparison) -> report.Picture:
    told = [f"{d.label} {d.note}: {d.value}, {d.words}." for d in _differences(comparison)]
    alt = f"Differences with their {INTERVAL}s in {_unit(comparison)}; below zero is better. "
    return report.page_picture(lambda width: _draw(comparison, width), alt + " ".join(told))


def _reliability(comparison: Comparison) -> report.Picture | None:
    points = comparison.reliability.get(comparison.recommended or "")
    if not points:
        return None
    told = (f"{p.sure:.0%} sure: {p.right:.0%} of {p.count:,} labels right." for p in points)
    alt = f"How often {comparison.recommended} was right: {' '.join(told)}"
    return report.page_picture(lambda width: report.draw_reliability(points, width), alt)


def _numbers(comparison: Comparison) -> Listing:
    measure = comparison.measure
    unit = "points" if measure.in_points else ""
    columns: list[str | Entry] = [
        "Classifier",
        Entry(measure.title, "smaller is better"),
        Entry("AUC", "larger is better"),
        Entry("Difference", f"from its twin, {unit}".strip(", ") + f"; {INTERVAL}"),
        Entry("p (better)", "adjusted"),
        "p (worse)",
        Entry("Disagreement", "rows labeled differently"),
        "Verdict",
    ]
    rows: list[list[str | Entry]] = []
    for contestant in comparison.contestants:
        method = comparison.methods.get(contestant.name)
        loss, auc, remark = comparison.texts(contestant.name)
        beside = f"twin: {contestant.twin}" if contestant.twin else "without unlabeled rows"
        mark = "recommended" if contestant.name == comparison.recommended else ""
        name, value = Entry(contestant.name, beside, mark), comparison.losses[contestant.name]
        judged = [""] * 4 if method is None else _judged(measure, method)
        verdict = remark if method is None else Entry(str(method.kind), mark=remark)
        rows.append([name, Entry(loss, value=value), auc, *judged, verdict])
    if comparison.guess is not None:
        guess, loss, auc = guess_texts(comparison.guess, measure)
        rows.append([Entry(guess, NO_MODEL), loss, auc, *[""] * 5])
    return Listing("All classifiers", columns, rows)


def _judged(measure: Measure, method: MethodVerdict) -> list[str | Entry]:
    """The columns that only semi-supervised methods have."""
    decisive = method.decisive
    p_values: list[str | Entry] = ["", ""]
    if not method.certain:
        better = decisive.p_better if method.only_beats_twin else method.p_adjusted
        p_values = [
            Entry("< 0.001" if p < 0.001 else f"{p:.3f}", value=p)
            for p in (better, decisive.p_worse)
        ]
    interval = interval_text(decisive, measure).replace("-", MINUS)
    beside = f"from {decisive.reference}: {interval}" if method.only_beats_twin else interval
    return [
        Entry(measure.signed(decisive.mean).replace("-", MINUS), beside, value=decisive.mean),
        *p_values,
        "" if decisive.disagreement is None else f"{decisive.disagreement:.1%}",
    ]
