"""What a comparison found, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tacit.report import HtmlDisplay
from tacit.selection._contestants import Contestant
from tacit.selection._evaluate import Run
from tacit.selection._labeled_table import as_frame
from tacit.selection._measure import Measure
from tacit.selection._verdict import Kind, MethodVerdict, PairedDifference, Verdict
from tacit.selection._wording import difference_text, write_verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tacit.report import Page


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
        return as_frame(self.rows(), COLUMNS)

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
        from tacit.selection._comparison_page import draw_comparison

        return draw_comparison(self)

    def _page(self) -> Page:
        from tacit.selection._comparison_page import comparison_page

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
        widths = [max(len(line[k]) for line in lines) for k in range(4)]
        return [
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]

    def _row(self, contestant: Contestant) -> dict[str, Any]:
        row: dict[str, Any] = dict.fromkeys(COLUMNS)
        row["name"], row["twin"] = contestant.name, contestant.twin
        row["loss"] = self.losses.get(contestant.name)
        method = self.methods.get(contestant.name)
        if method is not None:
            decisive = method.decisive
            row |= {
                "against": decisive.reference,
                "difference": decisive.mean,
                "low": decisive.low,
                "high": decisive.high,
                "standard_error": decisive.standard_error,
                "p_better": decisive.p_better,
                "p_adjusted": method.p_adjusted,
                "p_worse": decisive.p_worse,
                "disagreement": decisive.disagreement,
                "against_twin": method.against_twin.mean,
                "against_best": method.against_best.mean,
                "verdict": str(method.kind),
                "labels_needed": method.labels_needed,
            }
        return row


COLUMNS = (
    "name",
    "twin",
    "loss",
    "against",
    "difference",
    "low",
    "high",
    "standard_error",
    "p_better",
    "p_adjusted",
    "p_worse",
    "disagreement",
    "against_twin",
    "against_best",
    "verdict",
    "labels_needed",
)
SPLIT_COLUMNS = ("repeat", "fold", "name", "n_labeled", "n_unlabeled", "n_test", "loss")
