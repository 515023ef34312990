"""`tacit explain`: what a saved model does, what holds of it, and where it comes from."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from tacit._words import number_of
from tacit.cli import _options as given
from tacit.cli import _output as screen
from tacit.cli._grids import print_table

if TYPE_CHECKING:
    from tacit.tables import Model, ModelCard

# A model of another of these may predict otherwise.
THAT_MATTER = ("scikit-learn", "skrub")


def explain(
    model: given.ModelFile,
    top: Annotated[int, typer.Option(min=1, help="Coefficients to show.")] = 15,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """Say what a saved model does, and what holds of it.

    Its certificate, its largest coefficients, how sure predictions are, what was done to the data,
    and the command that fitted it.
    """
    from tacit.tables._model_file import load_model

    fitted = load_model(model)
    weights = _weights(fitted)
    notes = [*fitted.card.notes, *_other_versions(fitted.card)]
    if as_json:
        values = {**asdict(fitted.card), "notes": notes}
        del values["supervised"]
        screen.print_json({**values, "coefficients": weights})
        return
    console = screen.stdout_console()
    _print_origin(console, fitted.card)
    screen.print_paragraph(console, fitted.card.certificate_words, screen.CERTIFIED)
    screen.print_heading(console, f"Largest coefficients, of {len(weights):,}")
    grid = screen.new_grid(
        "when this rises by one standard deviation", "the score changes by", right=(1,)
    )
    several = len(fitted.card.classes) > 2
    for weight in weights[:top]:
        name = weight["feature"] + (f" (for {weight['towards']!s})" if several else "")
        grid.add_row(Text(name), f"{weight['coefficient']:+.4f}")
    print_table(console, grid)
    if not several:
        first, second = fitted.card.classes
        console.print(
            Text(f"Above zero means towards {second!s}, below zero towards {first!s}.", style="dim")
        )
    screen.print_paragraph(console, _calibration(fitted.card), "How sure predictions are")
    screen.print_points(console, [*_columns(fitted.card), *notes], screen.DONE)
    screen.print_heading(console, "How to repeat it")
    screen.print_line(console, fitted.card.command or "It was not fitted by a command.")


def _print_origin(console: Console, card: ModelCard) -> None:
    counts = screen.counted(zip(card.classes, card.label_counts, strict=True))
    screen.print_paragraph(
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
        kinds.setdefault(column.kind, []).append(column.name)
    return [f"Columns of kind {kind}: {', '.join(names)}." for kind, names in kinds.items()]


def _calibration(card: ModelCard) -> str:
    found = card.calibration
    if found is None:
        return "Unknown: there were too few labels to hold some back."
    return (
        f"Of {found.n_labels:,} labels that were held back, {found.n_right:,} were predicted right "
        f"({found.n_right / found.n_labels:.0%}). The column `sure` of predictions comes from how "
        "far right and wrong ones were from the threshold. It is a rough guide, for rows like the "
        "labeled ones."
    )


def _weights(model: Model) -> list[dict[str, Any]]:
    """All coefficients, the largest first.

    Features have unit variance, so that sizes can be compared; but of features that move together
    none can be judged by its own coefficient.
    """
    card, coef = model.card, model.classifier.coef_
    towards = card.classes[1:] if len(coef) == 1 else card.classes
    weights = [
        {"feature": name, "towards": label, "coefficient": float(value)}
        for label, row in zip(towards, coef, strict=True)
        for name, value in zip(card.feature_names, row, strict=True)
    ]
    return sorted(weights, key=lambda weight: -abs(weight["coefficient"]))


def _other_versions(card: ModelCard) -> list[str]:
    """Sentences about packages that have another version now than when the model was fitted."""
    from tacit.tables._fitting import versions

    now = versions()
    return [
        f"It was fitted with {package} {card.versions[package]}, and {now[package]} is installed "
        "now; fit it again if predictions look odd."
        for package in THAT_MATTER
        if package in now and card.versions.get(package, now[package]) != now[package]
    ]
