"""Everything that a comparison on a person's table can tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sklearn.base import clone

from tacit import selection
from tacit.selection._contestants import MOST_LABELS, WITHOUT_TACIT
from tacit.solver import Certificate
from tacit.tables._features import feature_names, make_features
from tacit.tables._table import MixedTable, as_table

Progress = Callable[[str, float, float], None]
# More unlabeled rows than these are sampled: a comparison fits dozens of models.
MOST_UNLABELED = 20_000


@dataclass(frozen=True, eq=False)
class TableComparison:
    """A comparison, and what a reader wants to know beside it.

    Learning curves if they were asked for, the certificate of each semi-supervised method fitted on
    all rows, and the names of the numbers that the classifiers saw.
    """

    table: MixedTable
    comparison: selection.Comparison
    curve: selection.LearningCurve | None
    certificates: dict[str, Certificate]
    feature_names: list[str]


def compare_table(
    table: Any,
    target: str | None = None,
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
    label's row is known beforehand.

    Parameters
    ----------
    table : DataFrame, str, Path or MixedTable
        A frame of pandas or polars or a file, with columns of any kind; of more than 20,000
        unlabeled rows a random part is used. To say more of it, such as what marks unlabeled rows,
        pass what `read_table` gives.
    target : str, optional
        The column of labels; blank, missing and NA mean "unlabeled". Needed but for a MixedTable.
    cv, n_repeats, scoring, margin, n_jobs, random_state
        As in `tacit.selection.compare`.
    with_curve : bool, default=False
        Whether to compute learning curves, too.
    on_progress : callable, optional
        Called as on_progress(stage, done, total) as the work goes on.

    Returns
    -------
    TableComparison
        Print its `comparison`, which has the verdict.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from tacit.tables import compare_table
    >>> random = np.random.default_rng(0)
    >>> frame = pd.DataFrame({"calls": random.poisson(3, 200), "months": random.gamma(3, 9, 200)})
    >>> frame["contract"] = random.choice(["monthly", "two years"], 200)
    >>> frame["churned"] = np.where(frame["calls"] > 3, "yes", "no")
    >>> frame.loc[40:, "churned"] = None  # 40 labels, 160 unlabeled rows
    >>> found = compare_table(frame, target="churned", cv=2, n_repeats=1)
    >>> found.comparison.losses["forest"] < 0.2
    True
    """
    table = as_table(table, target, max_unlabeled=MOST_UNLABELED, random_state=random_state)
    features = make_features(table.columns)
    contestants = tuple(selection.default_contestants(features, table.n_labeled).values())
    settings: dict[str, Any] = {
        "X": table.frame,
        "y": table.y,
        "estimators": contestants,
        "scoring": scoring,
        "n_jobs": n_jobs,
        "random_state": random_state,
        "unlabeled": None,
    }
    comparing, curves = (
        on_progress and partial(on_progress, stage) for stage in ("Comparing", "Learning curves")
    )
    comparison = selection.compare(
        cv=cv, n_repeats=n_repeats, margin=margin, on_progress=comparing, **settings
    )
    if table.n_labeled > MOST_LABELS:
        comparison = replace(comparison, notes=(*comparison.notes, WITHOUT_TACIT))
    curve = None
    # Where nothing can be held back there is nothing to draw either.
    if with_curve and comparison.splits:
        n_folds, n_repeats = 5 if cv is None else min(cv, 5), max(1, n_repeats // 2)
        curve = selection.learning_curve(
            cv=n_folds, n_repeats=n_repeats, on_progress=curves, **settings
        )
    fitted = {c.name: _fitted(c, comparison, table) for c in contestants if c.is_semi_supervised}
    certificates = {name: _certificate(model[-1]) for name, model in fitted.items()}
    names = feature_names(next(iter(fitted.values()))[0], table.columns)
    return TableComparison(table, comparison, curve, certificates, names)


def _fitted(
    contestant: selection.Contestant, comparison: selection.Comparison, table: MixedTable
) -> Any:
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
