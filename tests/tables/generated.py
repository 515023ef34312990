"""Three realistic tables, as people bring them: 5,000 rows, 60 labels, columns of all kinds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

N_ROWS, N_LABELS = 5_000, 60
ANGRY = ("connection drops again", "bill is too high", "nobody answers the hotline", "very slow")
CALM = (
    "happy with the line",
    "question about roaming",
    "changed my address",
    "thanks for the help",
)
ENDINGS = ("please call me back", "regards", "it is urgent", "since last week", "at my new flat")
TITLES = ("Mr", "Mrs", "Dr", None)


def _hidden(random: np.random.Generator, labels: np.ndarray, n_labels: int) -> np.ndarray:
    """Labels of few rows, both classes among them; the others blank."""
    shown = np.full(len(labels), None, dtype=object)
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        part = max(8, round(n_labels * len(rows) / len(labels)))
        chosen = random.choice(rows, min(part, len(rows)), replace=False)
        shown[chosen] = labels[chosen]
    return shown


def _with_gaps(random: np.random.Generator, values: np.ndarray, part: float) -> pd.Series:
    column = pd.Series(values)
    return column.mask(random.random(len(column)) < part)


def churn(n_rows: int = N_ROWS, n_labels: int = N_LABELS, seed: int = 0) -> pd.DataFrame:
    """Customers of a telephone company: who leaves?"""
    random = np.random.default_rng(seed)
    leaves = random.random(n_rows) < 0.35
    months = random.gamma(3.0, 10.0, n_rows) * np.where(leaves, 0.6, 1.3)
    calls = random.poisson(np.where(leaves, 4.0, 1.5))
    contract = np.where(
        random.random(n_rows) < np.where(leaves, 0.8, 0.35), "month-to-month", "two years"
    )
    text = [
        f"{random.choice(ANGRY if angry else CALM)}, {random.choice(ENDINGS)}, ticket {number}"
        for number, angry in enumerate(leaves ^ (random.random(n_rows) < 0.1))
    ]
    since = pd.Timestamp("2025-06-01") - pd.to_timedelta((months * 30).astype(int), unit="D")
    return pd.DataFrame(
        {
            "customer_id": [f"C-{number:06d}" for number in random.permutation(n_rows)],
            "signed_up": since.strftime("%d.%m.%Y"),
            "contract": contract,
            "monthly charges": _with_gaps(random, random.normal(60, 18, n_rows).round(2), 0.04),
            "months": months.round(1),
            "service calls": calls,
            "city": random.choice([f"Town {number}" for number in range(90)], n_rows),
            "title": random.choice(np.array(TITLES, dtype=object), n_rows),
            "last message": pd.Series(text).mask(random.random(n_rows) < 0.2),
            "currency": "EUR",
            "churned": _hidden(random, np.where(leaves, "yes", "no"), n_labels),
        }
    )


def medical(n_rows: int = N_ROWS, n_labels: int = N_LABELS, seed: int = 1) -> pd.DataFrame:
    """Patients: who has the disease? Many values were never measured."""
    random = np.random.default_rng(seed)
    ill = random.random(n_rows) < 0.4
    columns = {
        "patient": np.arange(100_000, 100_000 + n_rows),
        "admitted": pd.Timestamp("2024-01-01")
        + pd.to_timedelta(random.integers(0, 500, n_rows), unit="D"),
        "sex": random.choice(
            np.array(["f", "m", None], dtype=object), n_rows, p=[0.49, 0.49, 0.02]
        ),
        "age": (random.normal(52, 15, n_rows) + 8 * ill).clip(18, 99).round(),
        "smoker": random.random(n_rows) < np.where(ill, 0.5, 0.25),
        "ward": random.choice(["A", "B", "C", "ICU"], n_rows),
    }
    for number in range(8):
        value = random.normal(100.0, 15.0, n_rows) + (10.0 * ill if number % 2 else 0.0)
        columns[f"blood {number}"] = _with_gaps(random, value.round(1), 0.05 + 0.05 * number)
    columns["crp"] = [
        "<5" if low else f"{value:.1f}"
        for low, value in zip(
            random.random(n_rows) < 0.03, random.gamma(2.0, 6.0 + 8.0 * ill), strict=True
        )
    ]
    columns["diagnosis"] = _hidden(random, ill.astype(int), n_labels)
    return pd.DataFrame(columns)


def sensor(n_rows: int = N_ROWS, n_labels: int = N_LABELS, seed: int = 2) -> pd.DataFrame:
    """Readings of a machine every minute: which are faults?"""
    random = np.random.default_rng(seed)
    fault = random.random(n_rows) < 0.3
    time = pd.Timestamp("2025-03-01") + pd.to_timedelta(np.arange(n_rows), unit="min")
    base = random.normal(size=(n_rows, 3))
    columns: dict[str, object] = {"reading": np.arange(1, n_rows + 1), "time": time}
    for number in range(12):
        mix = base @ random.normal(size=3) + random.normal(0, 0.7, n_rows)
        columns[f"sensor_{number:02d}"] = (mix + (0.9 * fault if number < 6 else 0.0)).round(4)
    columns["sensor_03"] = _with_gaps(random, np.asarray(columns["sensor_03"]), 0.02)
    columns["sensor_dead"] = np.nan
    columns["mode"] = random.choice(["idle", "run", "clean"], n_rows)
    columns["state"] = _hidden(random, np.where(fault, "fault", "fine"), n_labels)
    return pd.DataFrame(columns)


def write(frame: pd.DataFrame, path: Path) -> Path:
    """Write a table in the format of the path's suffix."""
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        frame.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    return path


def read_in_pieces(monkeypatch, batch_rows: int) -> None:
    """Take every Parquet file for a big one, and read so many rows of it at a time."""
    from tacit.rows import _parquet_files as files
    from tacit.tables import _reading as reading

    monkeypatch.setattr(files, "TABLE_ROWS", batch_rows)
    monkeypatch.setattr(reading, "SMALL_FILE", -1)
