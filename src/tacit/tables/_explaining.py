"""The coefficients of a model under names that people know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tacit.tables._fitting import versions
from tacit.tables._model_card import ModelCard
from tacit.tables._model_file import Model

# A model of another of these may predict otherwise.
THAT_MATTER = ("scikit-learn", "skrub")


@dataclass(frozen=True)
class Weight:
    """One coefficient.

    Attributes
    ----------
    feature : str
        The number it belongs to.
    towards : object
        The class whose score it raises where it is positive.
    coefficient : float
        By how much the score changes when the feature rises by one standard deviation.
    """

    feature: str
    towards: Any
    coefficient: float


def weights_of(model: Model) -> list[Weight]:
    """All coefficients, the largest first.

    Features have unit variance, so that sizes can be compared; but of features that move together
    none can be judged by its own coefficient.
    """
    card, coef = model.card, model.classifier.coef_
    towards = card.classes[1:] if len(coef) == 1 else card.classes
    weights = [
        Weight(name, label, float(value))
        for label, row in zip(towards, coef, strict=True)
        for name, value in zip(card.feature_names, row, strict=True)
    ]
    return sorted(weights, key=lambda weight: -abs(weight.coefficient))


def other_versions(card: ModelCard) -> list[str]:
    """Sentences about packages that have another version now than when the model was fitted."""
    now = versions()
    return [
        f"It was fitted with {package} {card.versions[package]}, and {now[package]} is installed "
        "now; fit it again if predictions look odd."
        for package in THAT_MATTER
        if package in now and card.versions.get(package, now[package]) != now[package]
    ]
