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

if TYPE_CHECKING:
    from tacit.evidence import Evidence
    from tacit.tables import Model, ModelCard

# A model of another of these may predict otherwise.
THAT_MATTER = ("scikit-learn", "skrub")
PROBABILITIES = (
    "The column `sure` of predictions is the probability of the label, calibrated on labels that "
    "were predicted from the others. It is a rough guide, for rows like the labeled ones."
)


def explain(
    model: given.ModelFile,
    top: Annotated[
        int, typer.Option(min=1, help="Coefficients, or anchors and views, to show.")
    ] = 15,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """Say what a saved model does, and what holds of it.

    Its evidence and certificate, its largest coefficients or the parts that it is an average of,
    how sure predictions are, what was done to the data, and the command that fitted it.
    """
    from tacit.tables._model_file import load_model

    fitted = load_model(model)
    evidence = getattr(fitted.classifier, "evidence_", None)
    weights = [] if evidence is not None else _weights(fitted)
    notes = [*fitted.card.notes, *_other_versions(fitted.card)]
    if as_json:
        values = {**asdict(fitted.card), "notes": notes}
        what = {"coefficients": weights} if evidence is None else {"evidence": asdict(evidence)}
        screen.print_json({**values, **what})
        return
    console = screen.stdout_console()
    print_model(console, fitted)
    if evidence is not None:
        _print_scores(console, evidence, top)
    else:
        _print_weights(console, fitted.card, weights, top)
    screen.print_points(console, [*_columns(fitted.card), *notes], screen.DONE)
    made_by = fitted.card.versions.get("tacit", "of unknown version")
    screen.print_heading(console, f"How to repeat it, with tacit {made_by}")
    screen.print_line(console, fitted.card.command or "It was not fitted by a command.")


def print_model(console: Console, model: Model) -> None:
    """What was fitted on what, and what holds of it."""
    from tacit.tables._model_card import SUPERVISED

    card = model.card
    counts = screen.counted(zip(card.classes, card.label_counts, strict=True))
    only = ""
    if card.model in SUPERVISED and card.n_unlabeled:
        only = ", which only tell how columns are scaled and gaps are filled"
    penalty = "" if card.alpha is None else f", penalty {card.alpha:.3g}"
    screen.print_paragraph(
        console,
        f"Fitted {card.model} on {card.table}, column {card.target!r}: "
        f"{number_of(card.n_labeled, 'label')} ({counts}) and "
        f"{number_of(card.n_unlabeled, 'unlabeled row')}{only}; "
        f"{number_of(len(card.feature_names), 'feature')}{penalty}.",
    )
    if card.threshold is not None:
        screen.print_paragraph(
            console,
            f"It answers {card.classes[1]} from a score of {card.threshold:.3g} on, the best by "
            f"{card.scoring} on labels that were held back. So a label need not be the likelier "
            "class: its probability may be below one half.",
        )
    evidence = getattr(model.classifier, "evidence_", None)
    if evidence is not None and card.model not in SUPERVISED:
        screen.print_paragraph(console, str(evidence), "What the labels say of the unlabeled rows")
    screen.print_paragraph(console, card.certificate_words, screen.CERTIFIED)
    screen.print_paragraph(console, _how_sure(card), "How sure predictions are")


def _print_scores(console: Console, evidence: Evidence, top: int) -> None:
    """The heaviest parts of the average."""
    scores = [score for score in evidence.scores if score["weight"] > 0.0]
    screen.print_heading(console, f"Largest parts of the answer, of {len(scores):,}")
    grid = screen.new_grid("part", "kind", "weight", "left-out error", right=(2, 3))
    for score in sorted(scores, key=lambda score: -score["weight"])[:top]:
        kind = "view" if score["is_view"] else "anchor"
        name = Text(screen.plain(score["name"]))
        grid.add_row(name, kind, f"{score['weight']:.1%}", f"{score['error']:.1%}")
    screen.print_table(console, grid)


def _print_weights(
    console: Console, card: ModelCard, weights: list[dict[str, Any]], top: int
) -> None:
    screen.print_heading(console, f"Largest coefficients, of {len(weights):,}")
    grid = screen.new_grid(
        "when this rises by one standard deviation", "the score changes by", right=(1,)
    )
    several = len(card.classes) > 2
    for weight in weights[:top]:
        name = weight["feature"] + (f" (for {weight['towards']!s})" if several else "")
        grid.add_row(Text(screen.plain(name)), f"{weight['coefficient']:+.4f}")
    screen.print_table(console, grid)
    if not several:
        first, second = card.classes
        words = f"Above zero means towards {second!s}, below zero towards {first!s}."
        console.print(Text(screen.plain(words), style="dim"))


def _columns(card: ModelCard) -> list[str]:
    kinds: dict[str, list[str]] = {}
    for column in card.columns:
        kinds.setdefault(column.kind, []).append(column.name)
    return [f"Columns of kind {kind}: {', '.join(names)}." for kind, names in kinds.items()]


def _how_sure(card: ModelCard) -> str:
    if card.calibration is None:
        from tacit.tables._model_card import BY_EVIDENCE

        is_own = card.model in BY_EVIDENCE
        return PROBABILITIES if is_own else "Unknown: there were too few labels to hold some back."
    n_right, n_labels = card.calibration.n_right, card.calibration.n_labels
    return (
        f"Of {n_labels:,} labels that were held back, {n_right:,} were predicted right "
        f"({n_right / n_labels:.0%}). {PROBABILITIES}"
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
