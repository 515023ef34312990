"""Learning curves as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.selection._curve import Along, LearningCurve

TITLES: dict[Along, str] = {
    "labels": "labels trained on, all unlabeled rows",
    "unlabeled rows": "unlabeled rows trained on, all labels",
}


def curve_text(curve: LearningCurve) -> str:
    """The answer in a sentence, then tables: the forecast, and both curves."""
    sentence = curve.sentence()
    blocks = [[sentence]] if sentence else []
    blocks += [_curve(curve, along) for along in TITLES]
    blocks.append(_forecasts(curve))
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _curve(curve: LearningCurve, along: Along) -> list[str]:
    columns = {name: curve.points(along, name) for name in curve.names}
    first = next(iter(columns.values()))
    if not first:
        return []
    lines = [["", *curve.names]]
    for k, point in enumerate(first):
        size = point.n_labeled if along == "labels" else point.n_unlabeled
        losses = (curve.measure.text(points[k].loss) for points in columns.values())
        lines.append([f"{size:,}", *losses])
    return [f"{curve.measure.name} by {TITLES[along]}", *_aligned(lines)]


def _forecasts(curve: LearningCurve) -> list[str]:
    forecasts = curve.usual_forecast()
    if not forecasts:
        return []
    text, signed = curve.measure.text, curve.measure.signed
    lines = [["", "now", "then", "change", "90% interval"]]
    for f in forecasts:
        interval = f"{signed(f.low)} to {signed(f.high)}"
        lines.append([f.name, text(f.now), text(f.then), signed(f.change), interval])
    return [f"{curve.measure.name} with {forecasts[0].n_more:,} more labels", *_aligned(lines)]


def _aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    return [
        "  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True))
        for line in lines
    ]
