"""What a comparison found: as values, as text, as a picture, and as a page for the browser."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tacit._words import aligned
from tacit.report import (
    MINUS,
    PALETTE,
    WIDE,
    Difference,
    Entry,
    Heading,
    HtmlDisplay,
    Listing,
    Page,
    Picture,
    Tone,
    draw_differences,
    new_figure,
    page_picture,
)
from tacit.selection._contestants import Contestant
from tacit.selection._evaluate import Run
from tacit.selection._labeled_table import as_frame
from tacit.selection._measure import Measure
from tacit.selection._verdict import CONFIDENCE, Kind, MethodVerdict, PairedDifference, Verdict
from tacit.selection._wording import difference_text, interval_text, write_verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INTERVAL = f"{CONFIDENCE:.0%} interval"
TONES: dict[Kind, Tone] = {
    Kind.HELPS: "good",
    Kind.NO_DIFFERENCE: "neutral",
    Kind.MAY_HURT: "bad",
    Kind.TOO_FEW: "unknown",
}
LABELS = {
    Kind.HELPS: "It helps",
    Kind.NO_DIFFERENCE: "It makes no difference",
    Kind.MAY_HURT: "It may hurt",
    Kind.TOO_FEW: "Too few labels to tell",
}
SPLIT_COLUMNS = ("repeat", "fold", "name", "n_labeled", "n_unlabeled", "n_test", "loss")


@dataclass(frozen=True, repr=False)
class Comparison(HtmlDisplay):
    """Supervised against semi-supervised classifiers on one table.

    Print it, or ask for its `verdict`, `frame()`, `plot()` and `to_html()`.

    Attributes
    ----------
    methods : dict of str to MethodVerdict
        The answer for each semi-supervised method; empty where nothing could be scored.
    losses : dict of str to float
        Mean loss of each contestant over the splits.
    baseline : str or None
        The supervised contestant with the smallest mean loss.
    splits : tuple of Run
        Every loss that was measured.
    contestants : tuple of Contestant
        Who took part.
    measure : Measure
        What was measured.
    margin : float
        Differences up to this size count as none.
    label_counts : dict
        Labels of each class.
    n_unlabeled : int
        Rows without label.
    notes : tuple of str
        What should be known about how it was measured.
    models : dict of str to estimator
        The contestants, fitted on all labels; with labels as numbers, see `compare`. Empty where
        nothing could be scored.
    """

    methods: Mapping[str, MethodVerdict]
    losses: Mapping[str, float]
    baseline: str | None
    splits: tuple[Run, ...]
    contestants: tuple[Contestant, ...]
    measure: Measure
    margin: float
    label_counts: Mapping[Any, int]
    n_unlabeled: int
    notes: tuple[str, ...]
    models: Mapping[str, Any]

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the unlabeled rows help, in words, with the evidence."""
        return write_verdict(self)

    @property
    def n_labels(self) -> int:
        """Labels of all classes."""
        return sum(self.label_counts.values())

    @property
    def n_folds(self) -> int:
        """Splits of each repeat."""
        return 1 + max((run.fold for run in self.splits), default=-1)

    @property
    def n_repeats(self) -> int:
        """How often the labels were split anew."""
        return 1 + max((run.repeat for run in self.splits), default=-1)

    @property
    def recommended(self) -> str | None:
        """The contestant to use: the method that helps, or else the best supervised one."""
        return self.verdict.method if self.verdict.kind is Kind.HELPS else self.baseline

    @property
    def differences(self) -> tuple[PairedDifference, ...]:
        """Each method against its twin, and against the best supervised one if that is another."""
        pairs = []
        for method in self.methods.values():
            pairs.append(method.against_twin)
            if method.against_best.reference != method.against_twin.reference:
                pairs.append(method.against_best)
        return tuple(pairs)

    def rows(self) -> list[dict[str, Any]]:
        """The table of `frame()` as plain dictionaries, one for each contestant."""
        return [self._row(contestant) for contestant in self.contestants]

    def frame(self) -> Any:
        """One row for each contestant, as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            Name, twin, mean loss, and for semi-supervised methods the difference that the verdict
            is about, with its interval, p-values, the disagreement and the verdict. `against` says
            from whom: from the twin, or for a method that beats its twin but not the best
            supervised classifier, from that one. `p_adjusted` is for being better than the twin,
            and `against_twin` and `against_best` are both differences. Losses are parts of one.
        """
        return as_frame(self.rows())

    def splits_frame(self) -> Any:
        """Every loss that was measured, one row for each split and contestant.

        Returns
        -------
        pandas.DataFrame
            Split (repeat and fold), name, rows trained and tested on, and loss.
        """
        rows = [vars(run) | {"name": run.classifier, "loss": run.value} for run in self.splits]
        return as_frame(rows, SPLIT_COLUMNS)

    def plot(self) -> Figure:
        """The verdict as a picture: each method's difference from its twin around zero.

        Returns
        -------
        matplotlib.figure.Figure
            Needs the extra `plots`.
        """
        verdict = self.verdict
        if self.methods:
            figure = _draw(self)
        else:
            figure = new_figure(WIDE, 1.4)
            figure.text(0.02, 0.3, "\n".join(textwrap.wrap(verdict.advice, 90)))
        figure.suptitle(
            "\n".join(textwrap.wrap(verdict.sentence.replace("$", r"\$"), 80)),
            x=0.015,
            ha="left",
            fontsize=11,
            fontweight="bold",
            color=PALETTE[TONES[verdict.kind]],
        )
        return figure

    def _page(self) -> Page:
        return comparison_page(self)

    def __repr__(self) -> str:
        return (
            f"Comparison({str(self.verdict.kind)!r}, {self.n_labels:,} labels, "
            f"{self.n_unlabeled:,} unlabeled rows)"
        )

    def __str__(self) -> str:
        """The verdict, its evidence, and the table."""
        parts = [f"{str(self.verdict.kind).upper()}", str(self.verdict)]
        if self.losses:
            parts += ["", *self._table()]
        return "\n".join(parts)

    def _table(self) -> list[str]:
        mixed = any(method.only_beats_twin for method in self.methods.values())
        header = "against" if mixed else "against its supervised twin"
        lines = [("", self.measure.name, header, "verdict")]
        for contestant in self.contestants:
            method = self.methods.get(contestant.name)
            against = "" if method is None else difference_text(method.decisive, self.measure)
            if method is not None and mixed:
                against = f"{method.decisive.reference}: {against}"
            loss = self.measure.text(self.losses[contestant.name])
            kind = "without unlabeled rows" if method is None else str(method.kind)
            lines.append((contestant.name, loss, against, kind))
        return aligned(lines)

    def _row(self, contestant: Contestant) -> dict[str, Any]:
        method = self.methods.get(contestant.name)
        decisive = method and method.decisive
        return {
            "name": contestant.name,
            "twin": contestant.twin,
            "loss": self.losses.get(contestant.name),
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


def comparison_page(
    comparison: Comparison,
    subtitle: str = "",
    template: str = "comparison.html",
    more: Mapping[str, Any] | None = None,
) -> Page:
    """The verdict, the picture behind it, the numbers, and the evidence in words.

    Where more is known about the table, `template` extends the page and shows it.
    """
    rows = f"{comparison.n_labels:,} labels, {comparison.n_unlabeled:,} unlabeled rows"
    verdict, methods = comparison.verdict, comparison.methods.values()
    values = {
        "subtitle": f"{subtitle}: {rows}" if subtitle else rows,
        "tone": TONES[verdict.kind],
        "label": LABELS[verdict.kind],
        "sentence": verdict.sentence,
        "advice": verdict.advice,
        "rates": _rates(comparison),
        "picture": _picture(comparison) if methods else None,
        "interval": INTERVAL,
        "beats_only_twin": any(m.only_beats_twin for m in methods),
        "leaves_the_band": any(
            m.certain and max(-m.against_twin.low, m.against_twin.high) > comparison.margin
            for m in methods
        ),
        "numbers": _numbers(comparison) if methods else None,
        "n_splits": f"{comparison.n_folds * comparison.n_repeats:,}",
        "descriptions": [(c.name, c.description) for c in comparison.contestants if c.description],
        "evidence": verdict.evidence,
    }
    return Page(template, "Is the unlabeled data worth using?", {**values, **(more or {})})


def _rates(comparison: Comparison) -> list[tuple[str, float]]:
    """Parts of wrong answers, with and without the unlabeled rows."""
    method = comparison.methods.get(comparison.verdict.method or "")
    if method is None or not comparison.measure.is_error:
        return []
    without = method.decisive.reference
    return [
        (f"Without the unlabeled rows ({without})", comparison.losses[without]),
        (f"With them ({method.name})", comparison.losses[method.name]),
    ]


def _differences(comparison: Comparison) -> list[Difference]:
    measure, scale = comparison.measure, comparison.measure.scale
    rows = []
    for method in comparison.methods.values():
        decisive = method.decisive
        interval = interval_text(decisive, measure)
        rows.append(
            Difference(
                method.name,
                f"against {decisive.reference}",
                scale * decisive.mean,
                scale * decisive.low,
                scale * decisive.high,
                TONES[method.kind],
                f"{measure.signed(decisive.mean)} ({interval})".replace("-", MINUS),
                str(method.kind),
            )
        )
    return rows


def _unit(comparison: Comparison) -> str:
    return "wrong answers in 100" if comparison.measure.is_error else comparison.measure.name


def _draw(comparison: Comparison, width: float = WIDE) -> Figure:
    margin = comparison.measure.scale * comparison.margin
    return draw_differences(_differences(comparison), _unit(comparison), margin, width)


def _picture(comparison: Comparison) -> Picture:
    told = [f"{d.label} {d.note}: {d.value}, {d.words}." for d in _differences(comparison)]
    alt = f"Differences with their {INTERVAL}s in {_unit(comparison)}; below zero is better. "
    return page_picture(lambda width: _draw(comparison, width), alt + " ".join(told))


def _numbers(comparison: Comparison) -> Listing:
    measure = comparison.measure
    unit = "points" if measure.in_points else ""
    columns: list[str | Heading] = [
        "Classifier",
        Heading(measure.title, "smaller is better"),
        Heading("Difference", f"from its twin, {unit}".strip(", ")),
        INTERVAL,
        Heading("p (better)", "adjusted"),
        "p (worse)",
        Heading("Disagreement", "rows labeled differently"),
        "Verdict",
    ]
    rows: list[list[str | Entry]] = []
    for contestant in comparison.contestants:
        loss = comparison.losses[contestant.name]
        method = comparison.methods.get(contestant.name)
        name = Entry(
            contestant.name,
            beside=f"twin: {contestant.twin}" if contestant.twin else "without unlabeled rows",
            mark="recommended" if contestant.name == comparison.recommended else "",
        )
        rest: list[str | Entry] = [""] * 6 if method is None else _judged(comparison, method)
        rows.append([name, Entry(measure.text(loss), value=loss), *rest])
    return Listing("All classifiers", columns, rows)


def _judged(comparison: Comparison, method: MethodVerdict) -> list[str | Entry]:
    """The columns that only semi-supervised methods have."""
    measure, decisive = comparison.measure, method.decisive
    p_values: list[str | Entry] = ["", ""]
    if not method.certain:
        better = decisive.p_better if method.only_beats_twin else method.p_adjusted
        p_values = [
            Entry("< 0.001" if p < 0.001 else f"{p:.3f}", value=p)
            for p in (better, decisive.p_worse)
        ]
    return [
        Entry(
            measure.signed(decisive.mean).replace("-", MINUS),
            beside=f"from {decisive.reference}" if method.only_beats_twin else "",
            value=decisive.mean,
        ),
        interval_text(decisive, measure).replace("-", MINUS),
        *p_values,
        "" if decisive.disagreement is None else f"{decisive.disagreement:.1%}",
        str(method.kind),
    ]
