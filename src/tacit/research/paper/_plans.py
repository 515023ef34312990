"""The experiments behind the tables and figures of the paper."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sklearn.linear_model import LogisticRegressionCV

from tacit.estimators import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
)
from tacit.research.experiments import (
    Contestant,
    CrossValidation,
    Experiment,
    LearningCurves,
    Sees,
    paper_contestants,
)
from tacit.research.experiments._contestants import SUPERVISED
from tacit.selection._labeled_table import LabeledTable

RIDGE = "supervised, ridge"
RIDGE_ICLS = "ICLS, ridge"
RIDGE_PROJECTED = "projected, ridge"
LOGISTIC = "logistic regression, tuned"
# A decade apart. scikit-learn's own go up to 1e4; on columns of unit variance the largest hardly
# regularise, and take most of the time.
LOGISTIC_CS = [1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0]


@dataclass(frozen=True)
class Effort:
    """How much is computed."""

    # Repeats of cross-validation and of learning curves; the paper has 20 and 100.
    table_repeats: int = 20
    figure_repeats: int = 100
    n_problems: int = 100_000  # Random problems of Theorem 1

    @staticmethod
    def quick() -> Effort:
        """Enough to see that everything works, in about a minute."""
        return Effort(2, 4, 5_000)


def regularised_contestants() -> tuple[Contestant, ...]:
    """What a careful user would have done without unlabeled rows, and ICLS on top of it."""
    # scoring is named since its default changes with the version of scikit-learn.
    logistic = LogisticRegressionCV(Cs=LOGISTIC_CS, cv=5, scoring="accuracy", max_iter=1000)
    return (
        Contestant(RIDGE, LeastSquaresClassifier(alpha="loo"), SUPERVISED, sees=Sees.LABELED),
        Contestant(RIDGE_ICLS, ICLSClassifier(alpha="loo"), RIDGE),
        Contestant(RIDGE_PROJECTED, ProjectedLeastSquaresClassifier(alpha="loo"), RIDGE),
        Contestant(LOGISTIC, logistic, RIDGE, sees=Sees.LABELED),
    )


def experiments(
    tables: tuple[LabeledTable, ...], parts: Collection[str], effort: Effort
) -> list[Experiment]:
    """Those behind some parts of the paper; none without tables."""
    validation, curves = (
        CrossValidation(effort.table_repeats),
        LearningCurves(effort.figure_repeats),
    )
    plans = {
        "table2": (validation, paper_contestants()),
        "regularised": (validation, regularised_contestants()),
        "figure2": (curves, paper_contestants()),
    }
    # Tuned penalties are shown beside the same draws without.
    asked = {*parts, "table2"} if "regularised" in parts else set(parts)
    return [Experiment(tables, *plans[part]) for part in plans if part in asked and tables]
