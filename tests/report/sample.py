"""A report as `tacit compare` would write it, with numbers of the size that real tables give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from tacit.report import (
    Difference,
    Entry,
    Listing,
    Page,
    Panel,
    Series,
    Tone,
    draw_curves,
    draw_differences,
    page_picture,
)

UNLABELED = (0, 16, 32, 64, 128, 256, 512, 1024, 2048, 4940)
ICLS = (20.1, 19.6, 18.9, 17.8, 16.6, 15.4, 14.6, 13.9, 13.4, 13.1)
SELF_LEARNING = (20.1, 20.3, 20.8, 21.0, 21.7, 22.4, 22.6, 23.1, 23.3, 23.6)
Text = Callable[[str], str]


@dataclass(frozen=True)
class Certified:
    best_change: float
    worst_change: float
    words: str

    def __str__(self) -> str:
        return self.words


ROWS: tuple[tuple[str, float, float, float, Tone, str, str], ...] = (
    ("ICLS", -7.0, -11.9, -2.1, "good", "−7.0 (−11.9 to −2.1)", "helps"),
    ("Ridge ICLS", -0.4, -0.9, 0.1, "neutral", "−0.4 (−0.9 to +0.1)", "no difference"),
    ("Label spreading", -1.9, -8.0, 4.2, "unknown", "−1.9 (−8.0 to +4.2)", "not clear"),
    ("Self-learning", 3.5, 0.6, 6.4, "bad", "+3.5 (+0.6 to +6.4)", "may hurt"),
)


def differences(text: Text = str) -> list[Difference]:
    return [
        Difference(
            text(name), text("against ridge"), mean, low, high, tone, text(value), text(words)
        )
        for name, mean, low, high, tone, value, words in ROWS
    ]


def panel(text: Text = str) -> Panel:
    curves = {
        "ICLS": ICLS,
        "supervised least squares": (20.1,) * 10,
        "self-learning": SELF_LEARNING,
    }
    series = [
        Series(text(name), y, [v - 3 for v in y], [v + 3 for v in y], dashed="super" in name)
        for name, y in curves.items()
    ]
    return Panel("", text("Unlabeled rows"), UNLABELED, series)


def numbers(text: Text = str) -> Listing:
    rows: list[Sequence[str | Entry]] = [
        (Entry(text("ICLS"), mark=text("recommended")), "13.1", "−7.0", "0.004", "helps"),
        (Entry(text("projected"), text("twin: ridge")), "15.7", "−4.4", "0.006", "helps"),
        ("Label spreading", "12.8", "−1.9", Entry("< 0.001", value=0.0004), "too few labels"),
        ("Self-learning", Entry("23.6", underline=True), "+3.5", "0.99", text("may hurt")),
        ("supervised least squares", Entry("20.1", bold=True), "", "", ""),
        ("logistic regression", "100.0", "", "", ""),
    ]
    columns: list[str | Entry] = [
        text("Method"),
        Entry(text("Wrong answers"), text("in 100")),
        "Difference",
        "p",
        text("Verdict"),
    ]
    return Listing(text("Every method"), columns, rows, text("Underlined: worse."))


def sample_page(text: Text = str) -> Page:
    """The report; `text` is what becomes of every text in it."""
    shown, curves = differences(text), panel(text)
    points = Listing(
        text("Wrong answers"),
        [text("Unlabeled rows"), *(series.name for series in curves.series)],
        [
            [
                f"{x:,}",
                *(Entry(f"{s.y[k]}", f"{s.low[k]:.1f} to {s.high[k]:.1f}") for s in curves.series),
            ]
            for k, x in enumerate(UNLABELED)
        ],
    )
    values: dict[str, Any] = {
        "subtitle": text("60 labeled and 4,940 unlabeled rows, target column “churned”"),
        "tone": "good",
        "label": text("It helps"),
        "by_chance": True,
        "reliability": None,
        "recommended": "ridge",
        "verdict": SimpleNamespace(
            sentence=text("The unlabeled rows help: 13 in 100 answers are wrong instead of 20."),
            lines=["", text("ICLS gets 13 wrong."), text("Use ICLS, but not self-learning.")],
            evidence=[text("Without the unlabeled rows, ridge does best."), text("p is 0.004.")],
        ),
        "rates": [(text("With the unlabeled rows"), 0.131), (text("Without them"), 0.201)],
        "picture": page_picture(
            lambda width: draw_differences(shown, text("wrong answers in 100"), 1.0, width),
            text("Differences with their intervals."),
        ),
        "interval": text("90% interval"),
        "beats_only_twin": True,
        "leaves_the_band": True,
        "numbers": numbers(text),
        "n_splits": text("50"),
        "descriptions": [(text("ridge"), text("least squares with a penalty"))],
        "certificates": {
            text(f"ICLS {worst}"): Certified(-0.13 if worst else 0.0, worst, text("It changes."))
            for worst in (-0.1, 0.0, 0.1)
        },
        "curve": {
            "charts": [
                {
                    "caption": text("What do unlabeled rows buy?"),
                    "along": "unlabeled rows",
                    "picture": page_picture(
                        lambda width: draw_curves([curves], text("Wrong answers"), width),
                        text("Curves from 0 to 4,940."),
                    ),
                    "numbers": points,
                }
            ],
            "forecast": {"numbers": numbers(text), "most": text("48")},
            "splits": text("10 splits"),
            "interval": text("90% interval"),
            "too_few": "",
        },
        "table": SimpleNamespace(
            name=text("churn.csv"),
            n_rows_in_file=5000,
            n_labeled=60,
            n_unlabeled=4940,
        ),
        "notes": [text("customer_id was left out.")],
        "label_counts": text("no: 39, yes: 21"),
        "n_features": 54,
        "columns": numbers(text),
        "command": text("tacit compare churn.csv --target churned"),
        "python": text("print(comparison)"),
        "piped": False,
        "versions": text("Python 3.12"),
    }  # fmt: skip
    return Page("report.html", text("Is the unlabeled part of churn.csv worth using?"), values)
