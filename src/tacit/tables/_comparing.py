"""Everything that a comparison on a person's table can tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sklearn.base import clone

from tacit.selection import (
    Comparison,
    Contestant,
    LearningCurve,
    compare,
    default_contestants,
    learning_curve,
)
from tacit.selection._contestants import MOST_LABELS, WITHOUT_TACIT
from tacit.solver import Certificate
from tacit.tables._features import feature_names, make_features
from tacit.tables._table import MixedTable

Progress = Callable[[str, float, float], None]


@dataclass(frozen=True, eq=False)
class TableComparison:
    """A comparison, and what a reader wants to know beside it.

    Learning curves if they were asked for, the certificate of each semi-supervised method fitted on
    all rows, and the names of the numbers that the classifiers saw.
    """

    table: MixedTable
    comparison: Comparison
    curve: LearningCurve | None
    certificates: dict[str, Certificate]
    feature_names: list[str]


def compare_table(
    table: MixedTable,
    *,
    cv: int | None = None,
    n_repeats: int = 2,
    scoring: str = "accuracy",
    margin: float = 0.02,
    n_jobs: int | None = None,
    random_state: int = 0,
    with_curve: bool = False,
    on_progress: Progress | None = None,
) -> TableComparison:
    """Compare supervised and semi-supervised classifiers on a person's table.

    Columns are turned into numbers anew for every training set, so that nothing of a held-back
    label's row is known beforehand. The options are those of `tacit.selection.compare`, and
    `on_progress(stage, done, total)` is called as the work goes on.
    """
    features = make_features(table.columns)
    contestants = default_contestants(features, table.n_labeled)
    settings: dict[str, Any] = {
        "scoring": scoring,
        "n_jobs": n_jobs,
        "random_state": random_state,
        "unlabeled": None,
    }
    comparison = compare(
        table.frame,
        table.y,
        contestants,
        cv=cv,
        n_repeats=n_repeats,
        margin=margin,
        on_progress=on_progress and partial(on_progress, "Comparing"),
        **settings,
    )
    if table.n_labeled > MOST_LABELS:
        comparison = replace(comparison, notes=(*comparison.notes, WITHOUT_TACIT))
    curve = None
    # Where nothing can be held back there is nothing to draw either.
    if with_curve and comparison.splits:
        curve = learning_curve(
            table.frame,
            table.y,
            contestants,
            cv=5 if cv is None else min(cv, 5),
            n_repeats=max(1, n_repeats // 2),
            on_progress=on_progress and partial(on_progress, "Learning curves"),
            **settings,
        )
    fitted = {c.name: _fitted(c, comparison, table) for c in contestants if c.is_semi_supervised}
    certificates = {name: _certificate(model[-1]) for name, model in fitted.items()}
    names = feature_names(next(iter(fitted.values()))[0], table.columns)
    return TableComparison(table, comparison, curve, certificates, names)


def _fitted(contestant: Contestant, comparison: Comparison, table: MixedTable) -> Any:
    if contestant.name in comparison.models:
        return comparison.models[contestant.name]
    # Nothing could be held back, so nothing was fitted.
    model = clone(contestant.estimator)
    model[-1].set_params(unlabeled=None)
    return model.fit(table.frame, table.y)


def _certificate(model: Any) -> Certificate:
    holder = model if hasattr(model, "certificate_") else model.estimator_
    certificate: Certificate = holder.certificate_
    return certificate
