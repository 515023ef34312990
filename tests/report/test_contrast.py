"""Colours can be told from their ground, by the measure of WCAG 2, in both schemes."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from tacit.report import PALETTE

STYLE = files("tacit.report").joinpath("templates/page.css").read_text(encoding="utf-8")
KINDS = ("good", "neutral", "bad", "unknown")
# Level AA: 4.5 for text, 3 for what is drawn.
TEXT, DRAWN = 4.5, 3.0
PAIRS = [
    *((ink, ground, TEXT) for ink in ("ink", "quiet", "link") for ground in ("paper", "panel")),
    *((ink, f"{kind}-tint", TEXT) for kind in KINDS for ink in ("ink", "quiet", kind)),
    *((kind, "paper", TEXT) for kind in KINDS),
    *((kind, "panel", TEXT) for kind in KINDS),
    *((f"series-{k}", "paper", DRAWN) for k in range(1, 7)),
    *(("edge", ground, DRAWN) for ground in ("paper", "panel")),
    *(("edge", f"{kind}-tint", DRAWN) for kind in KINDS),
]


def schemes() -> dict[str, dict[str, str]]:
    light, dark = STYLE.split("prefers-color-scheme: dark", 1)
    dark = dark[: dark.index("\n}\n")]
    found = {
        name: dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", text))
        for name, text in (("light", light), ("dark", dark))
    }
    assert set(found["light"]) == set(found["dark"])
    return found


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_told_from_their_ground(scheme):
    colours = schemes()[scheme]
    weak = {
        (ink, ground): round(contrast(colours[ink], colours[ground]), 2)
        for ink, ground, least in PAIRS
        if contrast(colours[ink], colours[ground]) < least
    }
    assert not weak


def test_figures_have_the_colours_that_the_page_knows_by_name():
    light = schemes()["light"]
    assert {name: light[name] for name in PALETTE} == PALETTE
