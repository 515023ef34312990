"""Models saved by each version, with their answers, that every later version must load.

`make golden` runs this file; it adds what is not there yet. A test never does, and what is there
is never written again: these are the files that people have.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

import tacit
from tacit.estimators import _tacit_candidates
from tacit.tables import Model, fit_table, load_model, predict_frame, save_model

FOLDER = Path(__file__).with_name("models")
# Kinds of file: the method, the score by which a threshold is chosen, and the columns.
NUMBERS, ALL = ["age", "calls", "left"], ["age", "calls", "contract", "since", "message", "left"]
KINDS: dict[str, tuple[str, str | None, list[str]]] = {
    "tacit": ("tacit", None, NUMBERS),
    "anchors": ("anchors", None, NUMBERS),
    "icls": ("icls", None, ALL),
    "icls-threshold": ("icls", "f1", NUMBERS),
    "projected": ("projected", None, NUMBERS),
    "ridge": ("ridge", None, NUMBERS),
    "logistic": ("logistic", None, NUMBERS),
    "self-learning": ("self-learning", None, NUMBERS),
}
N_LABELED, N_UNLABELED, N_NEW = 16, 48, 8
N_TREES = 2  # a whole forest would be a large file


def table() -> pd.DataFrame:
    """Columns of each kind; the labels are blank but for the first rows."""
    # The stream of this generator is frozen for good; that of newer ones may change.
    random = np.random.RandomState(0)
    n = N_LABELED + N_UNLABELED + N_NEW
    leaves = np.arange(n) % 2 == 1
    age = random.normal(40.0 - 8.0 * leaves, 6.0).round(1)
    since = pd.Timestamp("2024-01-01") + pd.to_timedelta(random.randint(0, 700, n), unit="D")
    words = ["".join(random.choice(["go", "stay"], 6)) for _ in range(n)]
    return pd.DataFrame(
        {
            "age": pd.Series(age).mask(random.rand(n) < 0.1),
            "calls": random.poisson(2.0 + 2.0 * leaves),
            "contract": random.choice(["monthly", "yearly"], n),
            "since": since.strftime("%Y-%m-%d"),
            "message": words,
            "left": pd.Series(np.where(leaves, "yes", "no")).mask(np.arange(n) >= N_LABELED),
        }
    )


def answers(model: Model) -> list[dict[str, Any]]:
    """What a model says of the last rows."""
    new = table().tail(N_NEW).drop(columns="left")
    return json.loads(predict_frame(model, new).to_json(orient="records", double_precision=10))


def write() -> None:
    folder = FOLDER / tacit.__version__
    folder.mkdir(parents=True, exist_ok=True)
    for kind, (method, scoring, columns) in KINDS.items():
        file = folder / f"{kind}.skops"
        if not file.exists():
            frame = table().head(N_LABELED + N_UNLABELED)[columns]
            with patch.object(_tacit_candidates, "N_TREES", N_TREES):
                model = fit_table(frame, method, target="left", scoring=scoring)
            save_model(model, file)
            kept = json.dumps(answers(load_model(file)), indent=1)
            file.with_suffix(".json").write_text(f"{kept}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
