"""`tacit explain`: what a saved model does, what holds of it, and where it comes from."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from tacit._words import number_of
from tacit.cli._grids import print_table
from tacit.cli._options import Debug, Json, ModelFile
from tacit.cli._output import (
    counted,
    new_grid,
    print_heading,
    print_json,
    print_paragraph,
    print_points,
    stdout_console,
)
from tacit.tables._model_card import ModelCard


def explain(
    model: ModelFile,
    top: Annotated[int, typer.Option(min=1, help="Coefficients to show.")] = 15,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Say what a saved model does, and what holds of it.

    Its certificate, its largest coefficients, how sure predictions are, what was done to the data,
    and the command that fitted it.
    """
    from tacit.tables._model_file import load_model

    fitted = load_model(model)
    from tacit.tables._explaining import other_versions, weights_of

    weights = weights_of(fitted)
    notes = [*fitted.card.notes, *other_versions(fitted.card)]
    if as_json:
        values = {**asdict(fitted.card), "notes": notes}
        del values["supervised"]
        print_json({**values, "coefficients": [asdict(weight) for weight in weights]})
        return
    console = stdout_console()
    _print_origin(console, fitted.card)
    print_heading(console, "What holds for any labels of the unlabeled rows")
    print_paragraph(console, fitted.card.certificate_words)
    print_heading(console, f"Largest coefficients, of {len(weights):,}")
    grid = new_grid("when this rises by one standard deviation", "the score changes by", right=(1,))
    several = len(fitted.card.classes) > 2
    for weight in weights[:top]:
        name = f"{weight.feature} (for {weight.towards!s})" if several else weight.feature
        grid.add_row(Text(name), f"{weight.coefficient:+.4f}")
    print_table(console, grid)
    if not several:
        first, second = fitted.card.classes
        console.print(
            Text(f"Above zero means towards {second!s}, below zero towards {first!s}.", style="dim")
        )
    print_heading(console, "How sure predictions are")
    print_paragraph(console, _sureness(fitted.card))
    print_heading(console, "What was done to the data")
    print_points(console, [*_columns(fitted.card), *notes])
    print_heading(console, "How to repeat it")
    console.print(Text(fitted.card.command or "It was not fitted by a command."), soft_wrap=True)


def _print_origin(console: Console, card: ModelCard) -> None:
    counts = counted(zip(card.classes, card.label_counts, strict=True))
    print_paragraph(
        console,
        f"{card.model}, which predicts {card.target!r}, fitted on {card.table}: "
        f"{number_of(card.n_labeled, 'label')} ({counts}), "
        f"{number_of(card.n_unlabeled, 'unlabeled row')}, "
        f"{number_of(len(card.feature_names), 'feature')}, penalty {card.alpha:.3g}; tacit "
        f"{card.versions.get('tacit', 'of unknown version')}.",
    )


def _columns(card: ModelCard) -> list[str]:
    kinds: dict[str, list[str]] = {}
    for column in card.columns:
        kinds.setdefault(column["kind"], []).append(column["name"])
    return [f"Columns of kind {kind}: {', '.join(names)}." for kind, names in kinds.items()]


def _sureness(card: ModelCard) -> str:
    if card.sureness is None:
        return "Unknown: there were too few labels to hold some back."
    right, held = card.sureness["n_right"], card.sureness["n_labels"]
    return (
        f"Of {held:,} labels that were held back, {right:,} were predicted right "
        f"({right / held:.0%}). The column `sure` of predictions comes from how far right and "
        "wrong ones were from the threshold. It is a rough guide, for rows like the labeled ones."
    )
