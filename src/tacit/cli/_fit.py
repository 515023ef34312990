"""`tacit fit`: one classifier, saved with everything that turns a table into numbers."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from tacit.cli import _options as given
from tacit.cli import _output as screen
from tacit.cli import _tables as tables
from tacit.cli._explain import print_model

Method = Literal[
    "tacit", "anchors", "forest", "icls", "projected", "ridge", "logistic", "self-learning"
]
PICKLES = (".pkl", ".pickle", ".joblib")


def fit(
    table: given.TableFile,
    target: given.Target,
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")],
    model: Annotated[
        Method | None,
        typer.Option(
            help="The method, by its name in tacit compare. By default tacit; icls above 1,000 "
            "labels, or with --alpha.",
            show_default=False,
        ),
    ] = None,
    unlabeled: given.Mark = None,
    label: given.Label = None,
    keep: given.Keep = None,
    drop: given.Drop = None,
    alpha: Annotated[
        str, typer.Option(help="Ridge penalty; loo chooses it on the labels held back in turn.")
    ] = "loo",
    scoring: Annotated[
        str | None,
        typer.Option(
            help="Choose the threshold between two classes that is best by this score, such as f1 "
            "or balanced_accuracy: for a rare class."
        ),
    ] = None,
    separator: given.Separator = None,
    encoding: given.Encoding = None,
    decimal: given.Decimal = None,
    thousands: given.Thousands = None,
    date_format: given.DateFormat = None,
    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream",
            help="Leave unlabeled rows of a Parquet file on disk; by default, if it is big.",
        ),
    ] = None,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """Fit a classifier on a table and save it.

    The steps that make numbers of the columns are saved with it, so that `tacit predict` takes
    tables like this one.
    """
    given.check_output(out, "--out", table)
    if out.suffix.lower() in PICKLES:
        raise typer.BadParameter(
            f"{str(out)!r} has the name of a pickle, and this is none: models are written by skops "
            "so that loading them runs no code; name it model.skops.",
            param_hint="--out",
        )
    penalty = _penalty(alpha)
    options = given.read_options(separator, encoding, decimal, thousands, date_format)
    given.existing(table)
    if scoring is not None:
        given.check_scoring(scoring)
    from tacit.tables import fit_table, save_model
    from tacit.tables._model_card import SUPERVISED
    from tacit.tables._reading import SMALL_FILE, is_parquet

    if stream is None:
        stream = is_parquet(table, SMALL_FILE) and model != "self-learning"
    with screen.stderr_console().status("Reading the table") as status:
        settings = {"need_unlabeled": model not in SUPERVISED, "stream": stream}
        data = tables.read(table, target, unlabeled, label, keep, drop, options, **settings)
        status.update("Fitting on rows from disk" if stream else "Fitting")
        fitted = fit_table(data, model, penalty, screen.this_command(), scoring=scoring)
        status.update("Saving")
        save_model(fitted, out)
    if as_json:
        screen.print_json({"file": str(out), **asdict(fitted.card)})
        return
    console = screen.stdout_console()
    print_model(console, fitted)
    card, others = fitted.card, "tacit explain tells of the others."
    if card.notes:
        screen.print_points(console, tables.in_short(card.columns, card.notes, others), screen.DONE)
    console.print()
    screen.print_line(console, f"The model is in {out}.")
    command = shlex.join(["tacit", "predict", str(out), "new.csv", "-o", "out.csv"])
    screen.print_line(console, f"Next: {command}")


def _penalty(alpha: str) -> float | str:
    if alpha == "loo":
        return alpha
    try:
        value = float(alpha)
    except ValueError:
        value = -1.0
    if not 0.0 <= value < float("inf"):
        raise typer.BadParameter(
            f"{alpha!r} is no penalty; give a number from 0 on, or loo.", param_hint="--alpha"
        )
    return value
