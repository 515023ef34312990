"""Folders of runs with something wrong with them."""

from __future__ import annotations

import json
import os
from pathlib import Path

# What is wrong, and words of the sentence that says so.
SPOILED = {
    "runs of something else": "another classifier",
    "a damaged plan": "plan.json cannot be read",
    "damaged runs": "cannot be read as runs",
    "no plan": "without the plan.json",
    "a file as the folder": "cannot be a folder to write into",
}


def spoil(out: Path, what: str, classifier: str) -> Path:
    """Make the folder `out` with one thing wrong with it, and give the file that is wrong."""
    if what == "a file as the folder":
        out.write_text("not a folder")
        return out
    runs = out / "runs"
    runs.mkdir(parents=True)
    plan, whole = runs / "plan.json", runs / "runs.parquet"
    if what == "runs of something else":
        plan.write_text(json.dumps({"classifiers": {classifier: "something else"}}))
        return plan
    if what == "a damaged plan":
        plan.write_text('{"classifiers": {')
        return plan
    if what == "damaged runs":
        plan.write_text("{}")
    whole.write_bytes(b"PAR1" + b"\x00garbage" * 40 + b"PAR1")
    return whole


def leave_half_a_file(out: Path, name: str) -> None:
    """Leave in the folder `out` what a process leaves that is killed while it writes `name`."""
    out.mkdir(parents=True, exist_ok=True)
    stem, _, suffix = name.rpartition(".")
    file = out / f".{stem}.0123456789ab.partial.{suffix}"
    file.write_text("half")
    os.utime(file, (0, 0))
