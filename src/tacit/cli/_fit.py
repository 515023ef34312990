"""`tacit fit`: one classifier, saved with everything that turns a table into numbers."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from tacit._words import number_of
from tacit.cli._options import (
    Debug,
    Drop,
    Json,
    Keep,
    Label,
    Mark,
    TableFile,
    Target,
    check_output,
    check_table,
)
from tacit.cli._output import (
    counted,
    print_heading,
    print_json,
    print_paragraph,
    print_points,
    status,
    stdout_console,
    this_command,
)
from tacit.tables._errors import TableError
from tacit.tables._model_card import is_supervised

if TYPE_CHECKING:
    from tacit.tables._model_file import Model


class Method(StrEnum):
    """The methods that can be fitted."""

    ICLS = "icls"
    PROJECTED = "projected"
    SUPERVISED = "supervised"
    LOGISTIC = "logistic"
    SELF_LEARNING = "self-learning"


def fit(
    table: TableFile,
    target: Target,
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")],
    model: Annotated[
        Method, typer.Option(help="The method; supervised is ridge regression.")
    ] = Method.ICLS,
    unlabeled: Mark = None,
    label: Label = None,
    keep: Keep = None,
    drop: Drop = None,
    alpha: Annotated[
        str, typer.Option(help="Ridge penalty; loo chooses it on the labels held back in turn.")
    ] = "loo",
    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream",
            help="Leave unlabeled rows of a Parquet file on disk; by default, if it is big.",
        ),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Fit a classifier on a table and save it.

    The steps that make numbers of the columns are saved with it, so that `tacit predict` takes
    tables like this one.
    """
    check_output(out, "--out", table)
    penalty = _penalty(alpha)
    check_table(table)
    from tacit.tables._fitting import fit_streamed, fit_table
    from tacit.tables._model_file import save_model
    from tacit.tables._streaming import read_streamed
    from tacit.tables._table import read_table

    settings: dict[str, Any] = {
        "labels": label or (),
        "keep": keep or (),
        "drop": drop or (),
        "need_unlabeled": not is_supervised(model.value),
    }
    with status("Reading the table") as say:
        if _is_to_stream(table, target, drop or [], stream):
            streamed = read_streamed(table, target, unlabeled, **settings)
            say("Fitting on rows from disk")
            fitted = fit_streamed(streamed, model.value, penalty, this_command())
        else:
            data = read_table(table, target, unlabeled, **settings)
            say("Fitting")
            fitted = fit_table(data, model.value, penalty, this_command())
        say("Saving")
        save_model(fitted, out)
    if as_json:
        print_json({"file": str(out), **asdict(fitted.card)})
        return
    _print(stdout_console(), fitted, out)


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


def _is_to_stream(table: str, target: str, drop: list[str], stream: bool | None) -> bool:
    from tacit.tables._sampling import is_big_parquet
    from tacit.tables._streaming import is_streamable

    if stream is None:
        return is_big_parquet(table) and is_streamable(table, target, drop)
    if stream and not is_big_parquet(table, small=-1):
        raise TableError(
            f"{table!r} is not Parquet, and only Parquet files can be streamed; convert it, or "
            "leave --stream out."
        )
    return stream


def _print(console: Console, model: Model, out: Path) -> None:
    card = model.card
    counts = counted(zip(card.classes, card.label_counts, strict=True))
    print_paragraph(
        console,
        f"Fitted {card.model} on {number_of(card.n_labeled, 'label')} ({counts}) and "
        f"{number_of(card.n_unlabeled, 'unlabeled row')}; "
        f"{number_of(len(card.feature_names), 'feature')}, penalty {card.alpha:.3g}.",
    )
    if card.sureness is not None:
        right, held = card.sureness["n_right"], card.sureness["n_labels"]
        print_paragraph(console, f"Of {held:,} labels held back, {right:,} were predicted right.")
    print_heading(console, "What holds for any labels of the unlabeled rows")
    print_paragraph(console, card.certificate_words)
    if card.notes:
        print_heading(console, "What was done to the data")
        print_points(console, card.notes)
    console.print()
    console.print(Text(f"The model is in {out}."), soft_wrap=True)
    command = shlex.join(["tacit", "predict", str(out), "new.csv", "-o", "out.csv"])
    console.print(Text(f"Next: {command}"), soft_wrap=True)
